#!/bin/sh
# Distilling as a user meets it: distill.sh RAMUS GOLDEN. Kills at any moment lose and repeat no line; what is chosen,
# what is dropped and why; what is refused.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
disk=
clean() {
    [ -z "$disk" ] || umount "$disk" 2>/dev/null
    rm -rf "$folder"
}
trap clean EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

# expect CODE STREAM PATTERN ARGUMENT...: runs ramus distill; STREAM (out or err) must match the pattern, if there is
# one.
expect() {
    code=$1 stream=$2 pattern=$3
    shift 3
    "$ramus" distill "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    if [ "$got" != "$code" ] || { [ -n "$pattern" ] && ! grep -qE -e "$pattern" "$stream"; }; then
        fail "ramus distill $*: exit $got, expected $code, and '$pattern' in std$stream"
    elif [ "$code" != 0 ] && [ "$(wc -l <err)" -ne 1 ]; then
        fail "ramus distill $*: expected one line on standard error"
    fi
}

. "$tests/small_model.sh"
head -100 train.en >some.en
head -100 train.de >some.de
paste some.en some.de >some.tsv

# What should come out, from what `ramus translate` and `ramus evaluate` say: expected.py N CLOSEST RATIO MIX.
cat >expected.py <<'END'
import json, sys
n, by, ratio, mix = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4] == "on"
references = open("some.de").read().split("\n")
scores = [list(map(float, line.split())) for line in open("scores." + by)] if by != "none" else None
counts = dict.fromkeys("lines kept empty invalid untranslated loop unfinished ratio originals".split(), 0)

def loops(tokens):  # docs/design/search.md
    for end in range(12, len(tokens) + 1):
        for period in range(1, 17):
            words = max(12, 4 * period)
            part = tokens[end - words:end] if words <= end else []
            if part and part[period:] == part[:-period]:
                return True
    return False

def verdict(row, best):
    source, target = len(row["source_tokens"]) + 1, len(best["tokens"]) + 1
    if source == 1: return "empty"
    if not best["text"].strip(): return "untranslated"
    if loops(best["tokens"]): return "loop"
    if target > source + 50: return "unfinished"
    return "ratio" if ratio and max(source, target) > ratio * min(source, target) else "kept"

with open("want", "w") as out:
    for i, line in enumerate(open("best.json")):
        row = json.loads(line)
        found = [verdict(row, best) for best in row["n_best"][:n]]
        kept = [j for j, v in enumerate(found) if v == "kept"]
        if by != "none" and kept:
            most = max(scores[i][j] for j in kept)
            kept = [j for j in kept if scores[i][j] == most]
        counts["lines"] += 1
        counts["kept" if kept else found[0]] += 1
        if kept:
            out.write(row["source"] + "\t" + row["n_best"][kept[0]]["text"] + "\n")
        if mix and found[0] != "empty":
            out.write(row["source"] + "\t" + references[i] + "\n")
            counts["originals"] += 1
with open("counts", "w") as out:
    out.write(json.dumps(counts) + "\n")
END

# chosen N CLOSEST RATIO MIX: the output and the counts are as expected.
chosen() {
    python3 expected.py "$@" || exit 1
    expect 0 out '^\{"lines": 100, "kept": [0-9]+' -m m.gguf --input some.tsv -o d.tsv --n-best "$1" --closest "$2" \
        --max-ratio "$3" --mix "$4" --json --chunk 30
    check "what is chosen: $*" cmp want d.tsv
    check "what is counted: $*" cmp counts out
}

"$ramus" translate -m m.gguf -i some.en --n-best 4 --json -q >best.json || exit 1
python3 -c '
import json
rows = [json.loads(line)["n_best"] for line in open("best.json")]
for j in range(4):
    with open("best.%d" % j, "w") as f:
        for row in rows: f.write((row[j]["text"] if j < len(row) else "") + "\n")'
for by in bleu chrf; do
    "$ramus" evaluate --ref some.de best.0 best.1 best.2 best.3 --sentences --metrics $by >scores.$by || exit 1
done
chosen 1 none 0 off
check 'some translations loop' grep -q '"loop": [1-9]' out
cp want plain
chosen 4 none 0 off
chosen 4 bleu 0 off
check 'many are not the best' test "$(diff want plain | grep -c '^<')" -gt 20
cp want closest.tsv
chosen 4 chrf 0 on
chosen 2 chrf 1.3 off
check 'some are too long or too short' grep -q '"ratio": [1-9]' out

# One result, however it is asked for.
expect 0 err "d\.tsv: $(wc -l <plain) of 100 lines kept; dropped: 0 empty, 0 invalid, 0 untranslated, [1-9]" \
    -m m.gguf --input some.en -o d.tsv --max-ratio 0 --threads 1 --batch 3 --chunk 7
check 'threads, batches and chunks change nothing' cmp plain d.tsv
check 'nothing on standard output' test ! -s out
check 'nothing else is left' test "$(echo d.tsv*)" = d.tsv
for pack in gzip:gz xz:xz; do
    command -v ${pack%:*} >/dev/null || continue
    ${pack%:*} -c some.en >packed
    expect 0 err '' -m m.gguf --input packed -o packed.tsv.${pack#*:} --max-ratio 0 --chunk 30 -q
    ${pack%:*} -dc <packed.tsv.${pack#*:} >got
    check "in and out of ${pack%:*}" cmp plain got
done
head -40 some.en >a.en
tail -60 some.en >b.en
expect 0 err '' -m m.gguf --input a.en b.en -o d.tsv --max-ratio 0 -q
check 'several files' cmp plain d.tsv
check '--quiet is quiet' test ! -s err
head -40 some.de >a.de
tail -60 some.tsv >b.tsv
expect 0 err '' -m m.gguf --input a.en b.tsv --reference a.de -o d.tsv --n-best 4 --closest bleu -q --max-ratio 0
check 'references from files and from columns' cmp closest.tsv d.tsv
expect 0 err '' -m run/checkpoint-00000300.safetensors --input a.en -o d.tsv -q
check 'a checkpoint teaches too' test -s d.tsv
"$ramus" train --train closest.tsv --vocab v.model --out student --updates 1 --width 16 --filter 16 --heads 2 \
    --encoder-layers 1 --decoder-layers 1 -q >out 2>err
check 'a student can learn from it' test $? = 0

# Ensembles.
train='--preset paper --updates 30 --batch-tokens 600 --max-length 60 --rate 0.01 --warmup 20 --heads 2 --encoder-layers 1 --valid-every 30 --threads 1 -q'
"$ramus" train --train train.en train.de --vocab v.model --out other $train --width 24 --filter 48 --decoder-layers 2 \
    --routing dmb --branches 2 || exit 1
other=other/checkpoint-00000030.safetensors
expect 0 err '' -m m.gguf -m m.gguf --input some.en -o d.tsv --max-ratio 0 -q
check 'a model with itself is that model' cmp plain d.tsv
expect 0 err '' -m m.gguf $other --input some.en -o d.tsv --max-ratio 0 -q
expect 0 err '' --input some.en -o turned.tsv --max-ratio 0 -q -m $other -m m.gguf --threads 1 --batch 5
check 'two models in either order' cmp d.tsv turned.tsv
check 'are another teacher than one' sh -c '! cmp -s plain d.tsv'
"$ramus" vocab --input train.de --size 500 -o german.model -q &&
    "$ramus" train --train train.en train.de --vocab v.model german.model --out third $train --width 24 --filter 48 \
        --decoder-layers 1 --tie target || exit 1
expect 1 err 'third/.*has another target vocabulary than the first model' -m m.gguf \
    -m third/checkpoint-00000030.safetensors --input some.en -o d.tsv

# Lines of all kinds.
printf '\n  \nyes\tno.\r\n\377\376 no.\n' >odd.en
expect 0 out '"lines": 4, "kept": 1, "empty": 2, "invalid": 1' -m m.gguf --input odd.en -o d.tsv --max-ratio 0 --json
check 'a tab within a field is a space' grep -q "^yes no\.	[^	]*$" d.tsv
printf 'yes.\tja.\n\tnein.\nno.\t\n' >odd.tsv
expect 0 out '"lines": 3, .*"empty": 1, .*"originals": 1' -m m.gguf --input odd.tsv -o d.tsv --mix on --json
check 'an original pair with an empty side is left out' test "$(grep -c 'ja\.$' d.tsv)" = 1
: >none.en
expect 0 err '0 of 0 lines' -m m.gguf --input none.en -o d.tsv
check 'nothing gives nothing' test ! -s d.tsv

# Kills at random moments: each life adds a line or more to the state and dies at any moment after that. Whenever the work
# comes to its end its result is the same; then it begins anew, until there were ten kills.
seed=${SEED:-$(date +%s)}
for i in 1 2 3 4 5; do cat some.tsv; done >many.tsv
many='--input many.tsv --max-ratio 1.5 --n-best 4 --closest chrf --mix on --chunk 12 -q'
expect 0 err '' -m m.gguf $many -o whole.tsv
steps() { cat "$1.state" 2>/dev/null | wc -l; }
kills=0 ends=1
while [ $kills -lt 10 ]; do
    before=$(steps killed.tsv)
    "$ramus" distill -m m.gguf $many -o killed.tsv --threads $((kills % 3 + 1)) &
    while [ "$(steps killed.tsv)" -le "$before" ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
    sleep "$(awk "BEGIN { srand($seed + $kills); print rand() / 10 }")"
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    code=$?
    if [ $code = 137 ]; then
        kills=$((kills + 1))
    else
        check "seed $seed: a life that is not killed ends well" test $code = 0
        check "seed $seed: the same after $kills kills" cmp whole.tsv killed.tsv || break
        rm -f killed.tsv
        ends=$((ends + 1))
    fi
done
expect 0 err '' -m m.gguf $many -o killed.tsv
check "seed $seed: the same after $kills kills" cmp whole.tsv killed.tsv
check 'nothing else is left' test "$(echo killed.tsv*)" = killed.tsv
echo "$kills kills, the work came to its end $ends times"

# What is half done goes on with the same teacher, corpus and settings only.
begun() {
    rm -f part.tsv*
    "$ramus" distill -m m.gguf $many -o part.tsv &
    while [ "$(steps part.tsv)" -lt 3 ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    [ -s part.tsv.part ]
}
until begun; do :; done
"$ramus" export run/checkpoint-00000300.safetensors -o other.gguf --type f32 -q || exit 1
expect 1 err 'part\.tsv\.part was begun with another teacher' -m other.gguf $many -o part.tsv
expect 1 err 'part\.tsv\.part was begun with other settings' -m m.gguf $many -o part.tsv --beam 5
expect 1 err 'part\.tsv\.part was begun with other settings' -m m.gguf $many -o part.tsv --mix off
cp many.tsv saved.tsv
sed '$s/./x/' saved.tsv >many.tsv
expect 1 err 'part\.tsv\.part was begun with another corpus' -m m.gguf $many -o part.tsv
cp saved.tsv many.tsv
cp part.tsv.part saved.part
head -c 10 saved.part >part.tsv.part
expect 1 err 'part\.tsv\.part has 10 bytes.*remove both' -m m.gguf $many -o part.tsv
cp saved.part part.tsv.part
expect 0 err 'going on after [0-9]+ of 500 lines' -m m.gguf ${many% -q} -o part.tsv --chunk 100
check 'and then to its end' cmp whole.tsv part.tsv

# One process at a time.
cat >locked.py <<'END'
import fcntl, subprocess, sys
with open("locked.tsv.state", "w") as state:
    fcntl.lockf(state, fcntl.LOCK_EX)
    sys.exit(subprocess.run(sys.argv[1:]).returncode)
END
python3 locked.py "$ramus" distill -m m.gguf --input some.en -o locked.tsv -q 2>err
check 'a second process is refused' test $? = 1
check 'with a sentence' grep -q 'locked\.tsv: another process is writing it' err
expect 0 err '' -m m.gguf --input some.en -o locked.tsv -q

# A disk that runs full: what is done stays, and goes on when there is room.
mkdir full
if mount -t tmpfs -o size=32k none full 2>/dev/null; then
    disk=full
    expect 1 err 'full/d\.tsv\.(part|state): cannot write: No space left' -m m.gguf $many -o full/d.tsv
    mount -o remount,size=10m full
    expect 0 err 'going on after [1-9]' -m m.gguf ${many% -q} -o full/d.tsv
    check 'a full disk changes nothing' cmp whole.tsv full/d.tsv
    umount full && disk=
else
    echo 'a full disk is not tested: this user may not mount a tmpfs'
fi

# Memory does not grow with the corpus: 10 times as much text needs at most 1 MB more.
awk 'BEGIN { while (n++ < 10000) print "Yes, number " n % 90 + 10 ".\tJa." }' >many.tsv
head -1000 many.tsv >less.tsv
bounded() {
    (ulimit -v "$1" && "$ramus" distill -m m.gguf -q --beam 2 --n-best 2 --closest bleu --threads 1 --chunk 200 \
        --max-length-ratio 0.01 --batch 8 --input "$2" -o bounded.tsv 2>err)
}
if [ -z "${RAMUS_SANITIZED:-}" ]; then # sanitizers reserve terabytes
    limit=16000
    while [ $limit -lt 1000000 ] && ! bounded $limit less.tsv; do limit=$((limit + 1000)); done
    check "10,000 lines need no more memory than 1,000: $limit KB" bounded $((limit + 1000)) many.tsv
    check 'and are all done' test ! -e bounded.tsv.part
fi

# Errors.
expect 2 err 'expected -m MODEL' --input some.en -o e.tsv
expect 2 err 'expected --input FILE' -m m.gguf -o e.tsv
expect 2 err 'expected -o FILE' -m m.gguf --input some.en
expect 2 err "unexpected argument 'x'" -m m.gguf --input some.en -o e.tsv x
expect 2 err 'standard input cannot be read again' -m m.gguf --input=- -o e.tsv
expect 2 err 'n-best is 5, expected at most the beam, 4' -m m.gguf --input some.tsv -o e.tsv --n-best 5
expect 2 err '--closest bleu has one translation' -m m.gguf --input some.tsv -o e.tsv --closest bleu
expect 2 err 'some\.en has no reference' -m m.gguf --input some.tsv some.en -o e.tsv --n-best 2 --closest bleu
expect 2 err 'some\.en has no reference' -m m.gguf --input some.en -o e.tsv --mix on
expect 2 err '2 reference files for 1 inputs' -m m.gguf --input some.en --reference a.de a.de -o e.tsv --mix on
cut -f 1 some.tsv >bare.tsv
expect 1 err 'bare\.tsv: line 1 has no column 2' -m m.gguf --input bare.tsv -o f.tsv --n-best 2 --closest chrf
expect 0 err '' -m m.gguf --input bare.tsv -o e.tsv -q
expect 1 err 'a\.de has 40' -m m.gguf --input some.en --reference a.de -o f.tsv --mix on
expect 1 err 'nowhere\.en: cannot open' -m m.gguf --input some.en nowhere.en -o f.tsv
expect 1 err 'nowhere\.gguf: cannot open' -m nowhere.gguf --input some.en -o f.tsv
expect 1 err 'nowhere/f\.tsv\.state: cannot open' -m m.gguf --input some.en -o nowhere/f.tsv
check 'what fails before it begins leaves nothing' test "$(echo f.tsv*)" = 'f.tsv*'
expect 0 out '^Usage: ramus distill' --help

echo "$checks checks, $failures failed"
[ $failures = 0 ]
