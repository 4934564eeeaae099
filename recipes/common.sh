# What all recipes share; they set `here`, the folder of the recipe.
ramus=${RAMUS:-$here/../../build/ramus}

# The last number of that name: number KEY <JSON
number() {
    grep -o "\"$1\": *-\{0,1\}[0-9.][0-9.e-]*" | tail -1 | sed 's/.*: *//'
}
