# What the scripts of recipes/paper share; they set `here` and `out`.
. "$here/../common.sh"
updates=${UPDATES:-3000}
data=$out/data

# The lines of `systems` that are asked for by group or name; without one: all.
rows() {
    awk -v names=" $* " '/^#/ || !NF { next }
        names == "  " || index(names, " " $1 " ") || index(names, " " $2 " ")' "$here/systems"
}

# Of a set: folder, languages, tests, length penalty, and how BLEU cuts its words.
describe_set() {
    from=en to=de penalty=0.6 cut='--tokenize 13a'
    case $1 in
    multi30k*) folder=$data/multi30k tests='test2016 test2017 test2017-mscoco' cut='--tokenize none --lowercase' ;;
    mixed-*) folder=$data/mixed tests='tatoeba-test europarl-test newstest2014' ;;
    zh-en) folder=$data/zh-en from=zh to=en penalty=1.0 tests='tatoeba-test captions-3am-test newstest2020' ;;
    *) echo "error: the set $1 is unknown" >&2; exit 2 ;;
    esac
}
