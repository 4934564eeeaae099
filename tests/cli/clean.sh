#!/bin/sh
# `ramus clean` as users meet it: clean.sh RAMUS GOLDEN SOURCE. What each rule says of a pair is in tests/data/clean_test.c.
set -u
ramus=$1 golden=$2 source=$3
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

awk 'NR % 2 { english = $0; next } { print english "\t" $0 }' "$golden/text/sample.en-de.txt" | grep -v dreitausend | awk '!seen[$0]++' >good.tsv
n=$(wc -l <good.tsv)
{
    head -100 good.tsv
    printf 'It was in 1815.\tEs war im Jahr 1851.\tnote\n'
    printf 'It was in 1915.\tEs war im Jahr 1951.\tnote\n'
    printf 'It was in 1715.\tEs war im Jahr 1751.\tnote\n'
    head -1 good.tsv
    tail -n +101 good.tsv
} >all.tsv
cut -f 1 all.tsv >all.en
cut -f 2 all.tsv >all.de

expect 0 out "^numbers +3 +0.7[0-9] %$" clean -i all.tsv --without same
check 'the counts add up' awk '$1 == "read" { left = $2; next } { left -= $2 } END { exit left != 0 }' out
expect 0 out '^read' clean -i all.en all.de -o kept.en kept.de --dropped dropped.tsv --from en --to de
paste kept.en kept.de >kept.tsv
cp out two
expect 0 out '^read' clean -i all.tsv -o kept2.tsv --dropped dropped2.tsv --from English --to Deutsch
check 'two files or one: the same report' cmp -s two out
cut -f 1,2 kept2.tsv >kept3.tsv
check 'and the same pairs' cmp -s kept.tsv kept3.tsv
check 'dropped pairs have their rule, and the columns behind' [ "$(grep -c '^numbers.It was in .*	note$' dropped2.tsv)" -eq 3 ]
check 'a duplicate is the first pair again' [ "$(sed -n 's/^duplicate.//p' dropped.tsv)" = "$(head -1 good.tsv)" ]
check 'nothing is lost' [ "$(($(wc -l <kept.en) + $(wc -l <dropped.tsv)))" -eq "$(wc -l <all.en)" ]

# Packed files, pipes and other columns.
gzip -c all.tsv >all.tsv.gz
"$ramus" clean -i all.tsv.gz -o kept4.tsv.xz --from en --to de >out 2>err
xz -dc kept4.tsv.xz >kept4.tsv
check 'packed files' cmp -s kept2.tsv kept4.tsv
"$ramus" clean -i - -o - --from en --to de <all.tsv >kept5.tsv 2>err
check 'pipes' cmp -s kept2.tsv kept5.tsv
check 'then the report goes to standard error' grep -q '^kept' err
awk -F '\t' -v OFS='\t' '{ print "x", $2, $1 }' all.tsv >turned.tsv
expect 0 out '^numbers +3' clean -i turned.tsv --source-column 3 --target-column 2 --from en --to de --without same

# Examples and JSON.
expect 0 out '^  It was in 1[789]15[.]$' clean -i all.tsv --examples 2
check 'as many examples as asked for' [ "$(grep -c '^  It was' out)" -eq 2 ]
expect 0 out '"read": [0-9]+, "kept": [0-9]+, "expected_ratio": 1[.]' clean -i all.tsv --json --examples 1
check 'one JSON document, every rule once' perl -MJSON::PP -e 'local $/; my $d = JSON::PP->new->decode(<STDIN>);
    my %n = map { $_->{rule} => $_ } @{$d->{rules}}; my $sum = $d->{kept}; $sum += $_->{dropped} for @{$d->{rules}};
    exit !(@{$d->{rules}} == keys %n && $n{numbers}{dropped} == 3 && @{$n{numbers}{examples}} == 1 && $sum == $d->{read})' <out
"$ramus" clean --help >out
for rule in characters markup letters length ratio script language same numbers held-out duplicate score; do
    check "help names the rule $rule" grep -q "[ ,]$rule\(,\|$\| \)" out
    "$ramus" clean -i all.tsv --without $rule >report 2>err
    check "without $rule it drops nothing" [ -z "$(grep "^$rule " report)" ]
done

# Held-out text: capitals, punctuation and numbers aside.
sed -n 200p good.tsv | tr 'a-z' 'A-Z' >test.tsv
expect 0 out '^held-out +1 ' clean -i all.tsv --held-out test.tsv --without same
expect 1 err 'nowhere.tsv: cannot open' clean -i all.tsv --held-out nowhere.tsv

# A score: what a model finds improbable. Turned round, sentences are no translations of each other.
cut -f 1 good.tsv | head -40 >score.en
cut -f 2 good.tsv | head -40 >score.de
tac score.de >score.turned
model=$source/models/en-de.gguf
expect 0 out '^log-probability of a token' clean -i score.en score.de -m "$model"
expect 0 out '^kept' clean -i score.en score.de -m "$model" --min-score -4 --without ratio numbers
right=$(awk '$1 == "kept" { print $2 }' out)
expect 0 out '^score' clean -i score.en score.turned -m "$model" --min-score -4 --without ratio numbers
wrong=$(awk '$1 == "kept" { print $2 }' out)
check "of 40 translations most are kept ($right), of 40 others few ($wrong)" [ "$right" -ge 36 -a "$wrong" -le 8 ]
"$ramus" clean -i score.en score.turned -m "$model" --min-score -4 --without ratio numbers -o few.en few.de >out 2>err
"$ramus" score -m "$model" --source few.en --target few.de >scores 2>err
check 'the score is that of ramus score' awk '$1 / $2 < -4 { bad = 1 } END { exit bad }' scores

# Misuse.
expect 2 err 'expected -i FILE FILE, or -i FILE.tsv' clean
expect 2 err 'expected -i FILE FILE, or -i FILE.tsv' clean -i a b c
expect 2 err 'standard input cannot be both' clean -i - -
expect 2 err 'standard output cannot be several' clean -i all.tsv -o - --dropped -
expect 2 err -- '--min-score needs a model' clean -i all.tsv --min-score -3
expect 1 err "there is no rule 'ration'; did you mean ratio" clean -i all.tsv --without ration
expect 1 err "the language 'xyzzy' is unknown" clean -i all.tsv --from xyzzy
head -5 all.de >short.de
expect 1 err 'they are not parallel' clean -i all.en short.de -o x.en x.de
check 'a failure leaves no files' [ ! -e x.en ]
printf 'one column\n' >bad.tsv
expect 1 err 'bad.tsv: line 1 has no column 2' clean -i bad.tsv
: >empty.tsv
expect 0 out '^kept +0 ' clean -i empty.tsv -o none.tsv
check 'nothing in, nothing out' [ -e none.tsv -a ! -s none.tsv ]

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
