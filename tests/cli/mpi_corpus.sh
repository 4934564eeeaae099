#!/bin/sh
# Corpora that several ranks translate: mpi_corpus.sh RAMUS GOLDEN. The result is that of one process, in order, whatever
# becomes of the ranks. RAMUS_KILLS=10: so many kills of each command (make check-kills).
set -u
ramus=$1 golden=$2 kills=${RAMUS_KILLS:-2}
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/ranks.sh"

. "$tests/small_model.sh"
paste train.en train.de | head -150 >some.tsv
head -150 train.en >some.en
distill='distill -m m.gguf --input some.tsv --n-best 2 --closest chrf --mix on --max-ratio 1.5 --chunk 7 --threads 1'
translate='translate -m m.gguf -i big.en --threads 1 -q'

# Distilling: the output, the counts and the progress of one process.
"$ramus" $distill -o whole.tsv --json >whole.json 2>/dev/null || exit 1
expect_ranks 0 '' 3 $distill -o d.tsv --json
check 'three ranks: the output of one' cmp whole.tsv d.tsv
check 'and its counts, once' cmp whole.json out
check 'nothing else is left' test "$(echo d.tsv*)" = d.tsv
expect_ranks 0 'd\.tsv\.xz: [0-9]+ of 150 lines kept' 2 $distill -o d.tsv.xz
"$ramus" $distill -o whole.tsv.xz -q || exit 1
check 'packed, too' cmp whole.tsv.xz d.tsv.xz

# Translating: lines, alternatives with their numbers, JSON, documents; a file, or standard output. Chunks have 1,024 lines.
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do cat some.en; done >big.en
"$ramus" $translate --beam 1 -o whole.de || exit 1
expect_ranks 0 '' 3 $translate --beam 1
check 'three ranks: the lines of one process' cmp whole.de out
expect_ranks 0 '' 2 $translate --beam 1 -o big.de
check 'in a file' cmp whole.de big.de
check 'and not on standard output' test ! -s out
head -1100 big.en >mid.en
awk '{ print } NR % 3 == 0 { print "" }' mid.en >mid.txt
"$ramus" translate -m m.gguf -i mid.en --beam 2 --n-best 2 -q >whole.n || exit 1
expect_ranks 0 '' 2 translate -m m.gguf -i mid.en --beam 2 --n-best 2 -q --threads 1
check 'alternatives' cmp whole.n out
"$ramus" translate -m m.gguf -i mid.txt --beam 1 --document --json -q >whole.j || exit 1
expect_ranks 0 '' 2 translate -m m.gguf -i mid.txt --beam 1 --document --json -q --threads 1
check 'documents as JSON' cmp whole.j out
printf 'yes\n\377 no\n' >odd.en
expect_ranks 0 'line 2 is not UTF-8' 2 translate -m m.gguf -i odd.en
check 'notes come once' test "$(grep -c UTF-8 err)" = 1

# A kill in the middle, alone: with --resume the same command goes on, by any number of ranks.
expect_ranks 0 '' 2 $translate --beam 1 -o big.de --resume
check 'resumable: the same' cmp whole.de big.de
check 'nothing else is left' test "$(echo big.de*)" = big.de

# steps FILE: lines of the state of what is being made.
steps() { cat "$1.state" 2>/dev/null | wc -l; }

# killed WHOLE FILE ARGUMENT...: ranks of the command die at random moments after it has done some more; what is there is a
# part of the whole; at last it comes to its end.
killed() {
    whole=$1 file=$2
    shift 2
    n=0
    while [ $n -lt "$kills" ]; do
        ranks=$((2 + n % 2)) before=$(steps "$file")
        random=$(((random * 1103515245 + 12345) % 2147483648))
        victim=$((random / 65536 % ranks))
        start $ranks "$@"
        while [ "$(steps "$file")" -le "$before" ] && kill -0 $job 2>/dev/null; do sleep 0.02; done
        sleep "$(awk -v r=$random 'BEGIN { print r / 2147483648 / 5 }')"
        process=$(rank_process $victim)
        if [ -n "$process" ] && kill -9 "$process" 2>/dev/null; then
            check "$n: rank $victim of $ranks is killed: the job ends" ended_by
            n=$((n + 1))
        else
            wait $job
            check "$n: what is not killed ends well" test $? = 0
        fi
        if [ -e "$file" ]; then
            check "$n: the whole" cmp "$whole" "$file"
            rm -f "$file"
        else
            head -c "$(wc -c <"$file.part")" "$whole" >begin
            check "$n: what is there is the beginning of it" cmp begin "$file.part"
        fi
    done
    expect_ranks 0 '' 2 "$@"
    check "after $kills kills: no line lost or doubled" cmp "$whole" "$file"
    check 'nothing else is left' test "$(echo "$file"*)" = "$file"
}

random=$(od -An -N3 -tu4 /dev/urandom)
echo "random moments from $random"
for i in 1 2 3 4; do cat some.tsv; done >many.tsv
many='distill -m m.gguf --input many.tsv --n-best 2 --closest chrf --mix on --chunk 5 --threads 1 -q'
"$ramus" $many -o whole.tsv || exit 1
killed whole.tsv k.tsv $many -o k.tsv
for i in 1 2 3; do cat big.en; done >more.en
cat whole.de whole.de whole.de >more.de
killed more.de k.de translate -m m.gguf -i more.en --beam 1 --threads 1 -q -o k.de --resume

# A rank that stands still for two seconds loses nothing.
start 2 $many -o slow.tsv
while [ "$(steps slow.tsv)" -le 1 ] && kill -0 $job 2>/dev/null; do sleep 0.02; done
process=$(rank_process 1)
kill -STOP "$process" && sleep 2
kill -CONT "$process"
wait $job
check 'a rank that stood still: the same' cmp whole.tsv slow.tsv

# What is wrong is told once.
expect_ranks 2 'several ranks share a file: expected -i FILE' 2 translate -m m.gguf text
expect_ranks 2 'expected -i FILE and -o FILE' 2 $translate --resume
expect_ranks 2 'expected -o FILE' 2 distill -m m.gguf --input some.tsv
expect_ranks 1 'nowhere\.en: cannot open' 3 translate -m m.gguf -i nowhere.en
check 'once' test "$(grep -c nowhere err)" = 1
expect_ranks 1 'nowhere\.gguf' 2 distill -m nowhere.gguf --input some.tsv -o n.tsv
check 'once, too' test "$(grep -c nowhere err)" = 1

echo "$checks checks, $failures failed"
[ $failures = 0 ]
