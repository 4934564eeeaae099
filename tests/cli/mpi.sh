#!/bin/sh
# Training as mpirun starts it: mpi.sh RAMUS GOLDEN. Who writes what, resuming with other numbers of ranks, signals, and
# ranks that are killed.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/ranks.sh"

# train RANKS ARGUMENT...: in the background, as start.
train() {
    n=$1
    shift
    start "$n" train --threads 1 "$@"
}

# expect_train CODE PATTERN RANKS ARGUMENT...
expect_train() {
    code=$1 pattern=$2 n=$3
    shift 3
    expect_ranks "$code" "$pattern" "$n" train --threads 1 "$@"
}

# wait_for PATTERN: until it is in err; 60 s at most.
wait_for() {
    tries=0
    until grep -q "$1" err || [ $tries = 600 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
}

# ranks_end: within 30 s no rank of $job is left, whatever becomes of mpirun. OpenMPI 4.1's mpirun, when a rank dies while others
# make themselves known to it, kills them but may name none and wait for ever for a lock of its own (PMIx_server_finalize).
ranks_end() {
    tries=0
    while awk -v job="$job" '$4 == job && $3 != "Z" { n++ } END { exit !n }' /proc/[0-9]*/stat 2>/dev/null && [ $tries -lt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    for second in 1 2 3 4 5 6; do kill -0 $job 2>/dev/null && sleep 1; done
    kill -9 $job 2>/dev/null && echo 'mpirun does not end'
    wait $job
    [ $tries -lt 300 ]
}

newest() {
    ls "$1" | sed -n 's/^checkpoint-0*\([0-9]*\)\.safetensors$/\1/p' | tail -1
}

# The validation losses of two logs agree.
near() {
    python3 - "$1/log.jsonl" "$2/log.jsonl" <<'END'
import json, sys
logs = [{l["update"]: l["loss"] for l in map(json.loads, open(f)) if l["kind"] == "valid"} for f in sys.argv[1:]]
print(logs)
sys.exit(len(logs[0]) != 4 or any(abs(logs[0][u] - logs[1][u]) > 1e-3 for u in logs[0]))
END
}

sed -n 'p;n' "$golden/text/sample.en-de.txt" | head -200 >train.en
sed -n 'n;p' "$golden/text/sample.en-de.txt" | head -200 >train.de
paste train.en train.de >train.tsv
head -20 train.tsv >valid.tsv
"$ramus" vocab --input train.tsv --size 300 --coverage 1 --byte-fallback off -o v.model -q || exit 1
run="--preset paper --width 16 --filter 32 --heads 2 --encoder-layers 1 --decoder-layers 1 --routing dmb --branches 2 --train train.tsv
--valid valid.tsv --vocab v.model --batch-tokens 600 --micro-tokens 150 --max-length 60 --valid-every 5 --log-every 5
--seed 3 --dropout 0.1 --rate 0.01 --warmup 3"

# Alone, and three ranks: the same losses; what is told and written is told and written once.
"$ramus" train $run --updates 20 --out alone -q || exit 1
expect_train 0 'update 20: validation loss .* BLEU' 3 $run --updates 20 --out three
check 'three ranks learn what one does' near alone three
check 'one rank tells' test "$(grep -c 'update 20: validation' err)" = 1
check 'one rank writes' test "$(grep -c '"kind":"start"' three/log.jsonl)" = 1

cut -f2 valid.tsv >valid.de
check 'the reference of the ranks is in order' cmp three/reference.txt valid.de
check 'so are their translations, which have the best BLEU of the log' python3 -c '
import json, subprocess
best = max(l["bleu"] for l in map(json.loads, open("three/log.jsonl")) if l["kind"] == "valid")
out = subprocess.check_output(["'"$ramus"'", "evaluate", "--ref", "valid.de", "three/best.txt", "--json"])
assert abs(json.loads(out)["systems"][0]["bleu"]["score"] - best) < 1e-6 and best > 0, best'

# Each number of ranks goes on with the checkpoints of the others.
expect_train 0 'the end' 2 $run --updates 5 --out parts
"$ramus" train --resume --out parts --updates 10 -q || exit 1
expect_train 0 'going on from parts/checkpoint-00000010' 3 --resume --out parts --updates 15
expect_train 0 'going on from parts/checkpoint-00000015' 2 --resume --out parts --updates 20
check 'parts by 2, 1, 3 and 2 ranks are as good as a whole' near alone parts

# Errors: one sentence, by rank 0.
expect_train 1 'nowhere.tsv' 2 $run --train nowhere.tsv --out o
check 'it is told once' test "$(grep -c 'nowhere.tsv' err)" = 1
expect_train 1 'parts holds the checkpoints of a run' 2 $run --out parts
expect_train 0 'leave ranks idle: .* --micro-tokens 200 or less' 3 $run --micro-tokens 600 --updates 1 --out idle
expect_train 2 'did you mean --updates' 3 --updatse 3
check 'that is told once, too' test "$(grep -c 'did you mean' err)" = 1
echo 'updates = many' >r1.conf
echo 'updates = 1' >r0.conf
"$tests/../laws/mpirun.sh" 2 sh -c "exec '$ramus' train $(echo $run) --out o --config r\$OMPI_COMM_WORLD_RANK.conf" >out 2>err
check 'a wrong setting of one rank: exit 2' test $? = 2
check 'and rank 0 says whose' grep -q 'ramus train: rank 1: .*many' err
"$tests/../laws/mpirun.sh" 2 "$ramus" train --help >out 2>err
check 'help comes once' test "$(grep -c '^Usage' out)" = 1
"$tests/../laws/mpirun.sh" 2 "$ramus" bench --kernels >out 2>err
check 'what ranks cannot share is refused' test $? = 2
cp "$ramus" lonely
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 ./lonely train $run --out o >out 2>err
check 'without the shared object: exit 1' test $? = 1
check 'and a sentence' grep -q 'one of 2 ranks: ramus-mpi.so is neither beside' err

# The benchmark shares an update, too.
"$tests/../laws/mpirun.sh" 2 "$ramus" bench --train --width 16 --filter 32 --heads 2 --source-vocab 99 --target-vocab 99 \
    --tokens 99 --runs 2 --threads 1 >out 2>err
check 'bench tells the share of communication' grep -qE '^dense +2 ranks, [0-9.]+ % of the time' out
check 'once' test "$(grep -c 'ranks' out)" = 1

# A signal to any rank, or to mpirun, ends all of them after an update, which is saved.
run="$run --updates 1000000 --save-every 1 --out long"
train 2 $run
wait_for 'update 5:'
kill -TERM "$(rank_process 1)"
check 'SIGTERM to rank 1 ends the job' ended_by 143
check 'and says after which update' grep -q "stopped after update $(newest long);" err
train 3 --resume $run
wait_for 'update [0-9]*0:'
kill -USR1 $job
check 'SIGUSR1 to mpirun ends the job' ended_by 138
check 'with the update saved' grep -q "stopped after update $(newest long);" err

# A killed rank ends the job, which names it, and resuming works; the first two are killed while they start up.
random=$(od -An -N3 -tu4 /dev/urandom)
echo "random moments from $random"
for i in $(seq "${RAMUS_KILLS:-4}"); do # 10: make check-kills
    ranks=$((2 + i % 2))
    random=$(((random * 1103515245 + 12345) % 2147483648))
    victim=$((random / 65536 % ranks))
    moment=$(awk -v r=$random -v most=$((i > 2 ? 500 : 100)) 'BEGIN { print r / 2147483648 * most / 1000 }')
    before=$(newest long)
    train $ranks --resume $run
    if [ $i -gt 2 ]; then wait_for 'ranks; threads'; fi
    process=
    while [ -z "$process" ]; do process=$(rank_process $victim); done
    sleep "$moment"
    kill -9 "$process"
    if [ $i -gt 2 ]; then
        check "$i: rank $victim of $ranks killed after $moment s: the job ends" ended_by
        check "$i: the message names rank $victim" grep -q "rank $victim " err
    else
        check "$i: rank $victim of $ranks killed $moment s after its start: all ranks end" ranks_end
    fi
    check "$i: no update is lost" test "$(newest long)" -ge "$before"
    check "$i: the newest checkpoint is whole" \
        "$ramus" inspect "long/checkpoint-$(printf %08d "$(newest long)").safetensors" >inspected
done
last=$(newest long)
expect_train 0 "going on from long/checkpoint-.*$last" 2 --resume $run --updates $((last + 2))
check 'the log is JSON all the same' python3 -c 'import json; [json.loads(l) for l in open("long/log.jsonl")]'

echo "$checks checks, $failures failed"
[ $failures = 0 ]
