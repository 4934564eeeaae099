#!/bin/sh
# The scripts of recipes/ tell what they are for, the table of recipes/paper fits the program, and a small corpus goes through
# recipes/default/corpus, recipes/default/run and recipes/own/run: recipes.sh RAMUS GOLDEN. The models have learned next to nothing.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
paper=$(cd "$(dirname "$0")/../../recipes/paper" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

# Without arguments: the comment at the head of the script, whole.
for script in default/run default/corpus default/compare default/pictures compress/run language/run language/others multi30k/defaults multi30k/run own/run paper/run paper/speed paper/tables student/run wmt14-ende/run; do
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

# A corpus of two parts, one of them share-alike. Pair 7 is a test sentence in other letters; four pairs have a
# fault each (so has one of the sample).
for name in tatoeba-dev europarl-dev newstest2013 tatoeba-test europarl-test newstest2014; do
    printf 'The %s was never seen in any training text.\tDer Satz %s kam in keinem Text vor.\n' $name $name | xz >$name.tsv.xz
done
awk 'NR % 2 { english = $0; next } { print english "\t" $0 }' "$golden/text/sample.en-de.txt" >pairs
{
    sed 's/$//' pairs
    printf 'the TATOEBA-TEST was never seen, in any training text!\tEtwas ganz anderes, aber nicht viel kürzer.\n'
    printf 'Nobody reads this line.\tDas liest für gewöhnlich nur jemand, der sehr viel Zeit für so lange Zeilen mitbringt.\n'
    printf 'Nothing to translate.\tThis is what the computer has said to us.\n'
    printf 'Lorem ipsum dolor sit amet.\tLorem ipsum dolor sit amet.\n'
    printf 'It was in 1815.\tEs war im Jahr 1851.\n'
    printf 'My friend Tomsen lives in Boston.\tMein Freund Tomsen lebt in Boston.\n%.0s' $(seq 200)
    printf 'It is 40 degrees, and friend %s is at home.\tEs sind 40 Grad, und Freund %s ist zu Hause.\n' $(seq 20 59 | sed 's/.*/Tomsen& Tomsen&/')
} | xz >tatoeba.tsv.xz
mkdir open
sed 's/^[^\t]*/& Indeed./; s/$/ Ja./' pairs | xz >open/games.tsv.xz
cat >table <<'END'
# name | kind | cap | weight | order | share-alike | dev | licence
tatoeba    | everyday | -   | 3 | list | no  | 0  | CC-BY 2.0 FR
open/games | everyday | 100 | 2 | text | yes | 20 | GPL
END
corpus() { TABLE=table SIZE=400 "$paper/../default/corpus" . "$1" >out 2>err; }
corpus all
check 'the corpus is made' [ $? = 0 ]
dropped() { awk -F '\t' -v rule="$1" '$1 == rule && $4 == "tatoeba"' all/dropped.tsv | wc -l; }
check 'what is like a test sentence is left out' [ "$(dropped held-out)" -eq 1 ]
check 'so are a long translation, English for German, one text on both sides, other years' \
    [ "$(dropped ratio) $(dropped language) $(dropped same) $(dropped numbers)" = '1 1 1 2' ]
check 'and 199 doubles' [ "$(dropped duplicate)" -ge 199 ]
check 'and counted' grep -qE '^ +2 numbers.tatoeba' all/dropped
n=$(wc -l <all/text/games.tsv)
check 'the cap holds' [ "$n" -le 100 ]
check 'and takes nearly as many' [ "$n" -gt 80 ]
check 'development pairs are taken' [ "$(wc -l <all/dev/open.tsv)" -eq 20 ]
cut -f 1 all/dev/open.tsv >dev.en
check 'and not trained on' [ "$(cut -f 1 all/text/games.tsv | grep -cxFf dev.en)" -eq 0 ]
for kind in joined typed commas numbers spans copied same short; do
    check "there are pairs of kind $kind" [ -s all/en-de/$kind.tsv ]
done
check 'umlauts are a matter of German sources' [ ! -e all/en-de/umlauts.tsv ] && [ -s all/de-en/umlauts.tsv ]
cut -f 2 all/text/*.tsv | sort -u >german
check 'typed sources keep their translations' [ "$(cut -f 2 all/en-de/typed.tsv | grep -cvxFf german)" -eq 0 ]
check 'some have no capitals' grep -q "^i'" all/en-de/typed.tsv
# Both sides have the same symbols, U+E000 first in the source.
for direction in en-de de-en; do
    perl -CSD -F'\t' -lane 'my ($a, $b) = map { join "", sort /[\x{E000}-\x{E00F}]/g } @F; $bad++ if $a ne $b || $a !~ /^\x{E000}/;
        my $seen = join "", $F['$direction' eq "de-en"] =~ /[\x{E000}-\x{E00F}]/g; $bad++ if $seen ne join "", sort split //, $seen;
        }{ exit !!$bad' all/$direction/spans.tsv
    check "$direction: symbols stand on both sides, in the order of the source" [ $? = 0 ]
done
check 'a symbol is a piece' [ "$(printf '\356\200\217\n' | "$ramus" tokenize --vocab all/joint.model | tr -d '\342\226\201 \n' | wc -c)" -eq 3 ]
check 'the proportions are a table' grep -q '^| text/games.tsv | everyday | [0-9]* | 2 |' out
check 'a training has its options' grep -q -e '--train all/en-de/joined.tsv' all/en-de/options
mv all/en-de before
corpus all
check 'the same on every run' diff -r before all/en-de
SHARE_ALIKE=no corpus free
check 'a build without share-alike text is made' [ $? = 0 ]
check 'and has none of it' [ ! -e free/text/games.tsv ]

# A stage of some seconds, which a signal ends, and the end of the training. A busy machine may not reach the first update in one.
shape='--width 32 --filter 64 --heads 2 --encoder-layers 1 --decoder-layers 1 --warmup 1'
default() { TABLE=table SIZE=400 FINISH=2 OPTIONS="$shape" "$paper/../default/run" . all en-de "$1" >out 2>err; }
for try in 1 2 3 4 5; do
    [ -s all/en-de.safetensors ] || default 0.001
done
check 'a stage leaves weights' [ -s all/en-de.safetensors ]
at=$(ls all/runs/en-de/checkpoint-*.safetensors | tail -1)
default finish
check 'finish ends well' [ $? = 0 ]
check 'and begins with these weights' grep -q '"init":"[^"]*all/en-de.safetensors"' all/runs/en-de.finish/log.jsonl
check 'while the run stays' [ "$(ls all/runs/en-de/checkpoint-*.safetensors | tail -1)" = "$at" ]
check 'it prints four scores' [ "$(grep -cE '^[|] (tatoeba-dev|europarl-dev|newstest2013|open) [|] [0-9.]+ [|] [0-9.]+ [|]$' out)" -eq 4 ]
"$ramus" inspect all/en-de.gguf >inspected
check 'there is a model' grep -q 'en to de' inspected
for name in tatoeba-test europarl-test newstest2014; do
    check "$name is there to compare" [ -s all/$name.de ]
done

# Your own pair: two files in, two models out; the second time nothing is left to do, and what is missing is made again.
cut -f 1 pairs >own.en
cut -f 2 pairs | gzip >own.de.gz
own() { OPTIONS="$shape --batch-tokens 512 --updates 4 --valid-every 2" "$paper/../own/run" en de own own.en own.de.gz >out 2>err; }
own
check 'own text becomes models' [ $? = 0 ]
check 'of 8 and 4 bits, with scores' [ "$(grep -cE '^[|] own/en-de(.int4)?.gguf [|] [0-9]+ [|] [0-9.]+ [|] [0-9.]+ [|]$' out)" -eq 2 ]
check 'it tells what it does' grep -q '^own: .* pairs to train on, .* to validate, .* to test' err
check 'and how to use the model' grep -q ' translate -m own/en-de.gguf ' out
check 'a twentieth validates' [ "$(wc -l <own/dev.tsv)" -eq 19 ] && [ "$(wc -l <own/test.tsv)" -eq 19 ]
check 'no pair is in two parts' [ -z "$(sort own/train.tsv own/dev.tsv own/test.tsv | uniq -d)" ]
"$ramus" inspect own/en-de.gguf >out
check 'the model knows its languages' grep -qi 'en to de' out
ls -l --time-style=full-iso own/*.gguf own/model.safetensors >before.ls
own
ls -l --time-style=full-iso own/*.gguf own/model.safetensors >after.ls
check 'nothing is done twice' cmp -s before.ls after.ls
rm own/model.safetensors own/*.gguf own/test.int*
own
check 'it goes on from where it was' grep -q '^going on from own/run/checkpoint' err
check 'to the end' [ -s own/en-de.int4.gguf ]
head -50 pairs >few.tsv
"$paper/../own/run" en de few few.tsv >out 2>err
check 'too little text is told' grep -q '^error: .* clean pairs, at least 100 expected' err

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
