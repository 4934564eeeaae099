#!/bin/sh
# The scripts of recipes/ tell what they are for, and the table of recipes/paper fits the program: recipes.sh RAMUS. Nothing is
# trained.
set -u
ramus=$1
tests=$(cd "$(dirname "$0")" && pwd)
paper=$(cd "$(dirname "$0")/../../recipes/paper" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

# Without arguments: the comment at the head of the script, whole.
for script in default/run default/compare default/pictures compress/run multi30k/run paper/run paper/speed paper/tables wmt14-ende/run; do
    "$paper/../$script" >out 2>err
    check "$script without arguments is a misuse" [ $? = 2 ]
    awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$paper/../$script" >head
    check "$script tells what it is for" cmp -s head out
done
"$paper/../default/compare" nowhere first.gguf second.gguf >out 2>err
check 'a folder without test sets is told' grep -q 'nowhere/tatoeba-test.de is missing' err
check 'and not made' [ ! -e nowhere ]

grep -v '^#' "$paper/systems" | grep . >systems
while read -r group system set minutes options; do
    expect 2 err '^ramus train: expected --train' train --config "$paper/model.conf" $options --out "$system"
    check "$group, $system: $set takes $minutes minutes" [ "$minutes" -gt 0 ]
done <systems
check 'names are unique' [ "$(awk '{ print $2 }' systems | sort | uniq -d | wc -l)" -eq 0 ]

export RAMUS="$ramus"
"$paper/run" --list nowhere here >out 2>err
check 'every system is listed, and a sum' [ "$(wc -l <out)" -eq $(($(wc -l <systems) + 1)) ]
"$paper/run" --list nowhere here main dmb-ffn >out 2>err
check 'a group of six and one system, 3.6 hours' grep -q '^left: 3.6 hours' out
mkdir -p here/dmb-ffn
echo '{"kind":"train","update":1500,"epoch":1.5,"gates":[{"name":"update","share":[0.5,0.5]}]}' >here/dmb-ffn/log.jsonl
"$paper/run" --list nowhere here dmb-ffn >out 2>err
check 'half of it is left' grep -qE 'dmb-ffn .* at 1500 +1[56] min' out
"$paper/run" nowhere here dmb-4 >out 2>err
check 'an unknown name is told' grep -q 'dmb-4 is neither a group nor a system' err
"$paper/run" nowhere here dense-1 >out 2>err
check 'a missing corpus is told' grep -q 'nowhere/multi30k/train.tok.tsv.xz is missing' err
"$paper/tables" here >out 2>err
check 'tables of nothing name what is not run' [ "$(grep -c '^- ' out)" -eq "$(wc -l <systems)" ]

# Tables of Student's distribution: p is 0.05 at t 2.776 with 4 degrees of freedom, 0.01 at t 3.169 with 10.
printf '1\n2\n3\n' >first
printf '3.26659\n4.26659\n5.26659\n' >second # the standard error is sqrt(2 / 3)
"$paper/../t-test" first second >out
check 't test of 3 and 3' [ "$(cat out)" = '+2.267 0.050' ]
printf '%s\n' -1 -1 -1 1 1 1 >first
printf '%s\n' -3.00439 -3.00439 -3.00439 -1.00439 -1.00439 -1.00439 >second # sqrt(0.4)
"$paper/../t-test" first second >out
check 't test of 6 and 6' [ "$(cat out)" = '-2.004 0.010' ]
"$paper/../t-test" first /dev/null >out 2>err
check 'a list of nothing is told' grep -q '6 and 0 numbers' err

# Tables in pages.
put=$paper/../../tools/put-tables
printf '%s\n' text '<!-- table a: s -->' '| old |' '| rows |' '' '<!-- table b: s -->' '| kept |' end >page
printf '%s\n' '## heading' '' '<!-- table a: s -->' '| new |' '' '<!-- table c: s -->' '| nowhere |' >tables
"$put" page <tables >out
printf '%s\n' text '<!-- table a: s -->' '| new |' '' '<!-- table b: s -->' '| kept |' end >want
check 'a page gets the table of its name, and no other' cmp -s page want
check 'and is named' [ "$(cat out)" = page ]
"$put" page <tables >out
check 'a page that has it already is left alone' [ ! -s out ]
grep -ho '^<!-- table [a-z0-9-]*: recipes/paper/tables' "$paper/../../docs/lab"/*.md | sed 's/^<!-- table \(.*\):.*/\1/' >names
check 'pages show tables of the recipe' [ -s names ]
while read -r name; do
    check "recipes/paper/tables prints the table $name" grep -qE "(table|rows_of|lengths .*) ${name%-[0-9]*}" "$paper/tables"
done <names

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
