#!/bin/sh
# A model that ships: default.sh RAMUS FROM TO. Inputs of 15 fields must come out sane (probes.FROM-TO.tsv: source, a regular
# expression for what is acceptable, field), three of four at least; and whatever comes, text comes back. Prints what each field got.
set -u
ramus=$1 from=$2 to=$3
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/../cli/checks.sh"

probes=$tests/probes.$from-$to.tsv
cut -f 1 "$probes" >source
cut -f 2 "$probes" >pattern
"$ramus" translate --from "$from" --to "$to" -i source -o answer -q >out 2>err || { cat err && exit 1; }
paste "$probes" answer >all
passed=0
while IFS='	' read -r source pattern field answer; do
    if printf '%s\n' "$answer" | grep -Exq -e "$pattern"; then
        passed=$((passed + 1))
        echo "$field 1" >>fields
    else
        echo "not as hoped for: $source -> $answer"
        echo "$field 0" >>fields
    fi
done <all
n=$(wc -l <"$probes")
echo "$passed of $n probes"
awk '{ n[$1]++; passed[$1] += $2 } END { for (f in n) printf "| %s | %d of %d |\n", f, passed[f], n[f] }' fields | sort
: >out
check 'three hundred probes' test "$n" -ge 300
check 'fifteen fields' test "$(sort fields | cut -d ' ' -f 1 | uniq | wc -l)" = 15
check 'three of four pass' test $((4 * passed)) -ge $((3 * n))

# What the model was not made for: a line comes back for each line, of a length that has to do with it.
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "%s ", i % 7 ? "word" : "and"; print "" }' >long
awk 'BEGIN { for (i = 0; i < 300; i++) printf "ha"; print "" }' >laugh
cat >odd <<'END'
Où se trouve la gare, s'il vous plaît ?
Неужели это правда?
東京はどこですか。
أين المحطة؟

a
ß
x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x
The Москва office in 東京 is called "Büro №5" (בית).
<b>bold</b> & {"key": [1, 2, 3]} \n %s
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
END
cat laugh long >>odd
"$ramus" translate --from "$from" --to "$to" -i odd -o answer >out 2>err
check 'odd input is no failure' test $? = 0
check 'a line for each line' test "$(wc -l <answer)" = "$(wc -l <odd)"
paste odd answer | awk -F '\t' '{
    if ($1 == "" ? $2 != "" : $2 == "" || length($2) > 3 * length($1) + 200) { print "line " NR ": " length($1) " bytes became " length($2); bad = 1 }
} END { exit bad }' >out
check 'neither nothing nor a flood' test $? = 0

echo "$checks checks, $failures failed"
[ $failures = 0 ]
