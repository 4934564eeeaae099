#!/bin/sh
# Training as a user meets it: train.sh RAMUS GOLDEN. Exit codes and sentences; kills at any moment, a full disk,
# and signals lose nothing.
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

# expect CODE STREAM PATTERN ARGUMENT...: runs ramus; STREAM (out or err) must match the pattern, if there is one.
expect() {
    code=$1 stream=$2 pattern=$3
    shift 3
    "$ramus" "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    if [ "$got" != "$code" ] || { [ -n "$pattern" ] && ! grep -qE -e "$pattern" "$stream"; }; then
        fail "ramus $*: exit $got, expected $code, and '$pattern' in std$stream"
    fi
}

# same A B: the models of two checkpoints have the same bytes.
same() {
    "$ramus" average "$1" -o a.safetensors -q && "$ramus" average "$2" -o b.safetensors -q &&
        cmp a.safetensors b.safetensors
}

sed -n 'p;n' "$golden/text/sample.en-de.txt" | head -200 >train.en
sed -n 'n;p' "$golden/text/sample.en-de.txt" | head -200 >train.de
paste train.en train.de >train.tsv
head -20 train.tsv >'valid set.tsv'
"$ramus" vocab --input train.tsv --size 300 --coverage 1 --byte-fallback off -o v.model -q || exit 1
shape='--width 16 --filter 32 --heads 2 --encoder-layers 1 --decoder-layers 1 --routing dmb --branches 2'
run="$shape --train train.tsv --vocab v.model --batch-tokens 300 --max-length 60 --valid-every 5 --log-every 5 --seed 3"

# Usage.
expect 2 err 'expected --out' train --train train.tsv --vocab v.model
expect 2 err 'expected --train' train --out o --vocab v.model
expect 2 err 'divided among' train --out o --train train.tsv --vocab v.model --width 30 --heads 7
expect 2 err 'ranges is learned but a token takes 2 branches' train --out o --train train.tsv --vocab v.model \
    --routing moe --quantize int8 --ranges learned
expect 2 err 'quantize.*int3' train --out o --train train.tsv --vocab v.model --quantize int3
expect 2 err 'products.*half' train --out o --train train.tsv --vocab v.model --products half
expect 2 err "did you mean --updates" train --updatse 3
expect 2 err 'goes on or starts anew' train --out o --train train.tsv --vocab v.model --resume --init x
expect 0 out '^Usage: ramus train' train --help
expect 0 out '^Usage: ramus average' average --help
expect 0 out '^Usage: ramus translate' translate --help

# A run, and what it leaves.
expect 0 err 'update 20: validation loss .* BLEU' train $run --valid 'valid set.tsv' --updates 20 --out whole
for file in checkpoint-00000020.safetensors settings.conf log.jsonl report.html best.txt reference.txt; do
    check "whole/$file is there" test -s whole/$file
done
check 'the report is a page' grep -q '</html>' whole/report.html
check 'the log has every kind of line' sh -c \
    'for k in start train valid save end; do grep -q "\"kind\":\"$k\"" whole/log.jsonl || exit 1; done'
check 'the log is JSON' python3 -c 'import json; [json.loads(l) for l in open("whole/log.jsonl")]'
# Cross-entropy is what `ramus score` computes with other code: of the best validation, and of a whole epoch in one update
# whose weights do not move.
logged() { # KIND FOLDER: the last nll of such a line
    grep "\"kind\":\"$1\"" "$2/log.jsonl" | tail -1 | sed 's/.*"nll":\([0-9.]*\).*/\1/'
}
agrees() { # NLL MODEL FILE
    "$ramus" score -q -m "$2" -i "$3" | awk -v nll="$1" '{ sum -= $1; n += $2 }
        END { d = sum / n - nll; print sum / n, nll; exit !(n > 100 && nll > 1 && d < 1e-4 && d > -1e-4) }'
}
check 'validation nll is that of score' agrees "$(logged valid whole)" whole/checkpoint-00000020.safetensors 'valid set.tsv'
expect 0 err 'the end' train $run --rate 0 --schedule constant --dropout 0 --max-length 200 --batch-tokens 100000 --updates 1 \
    --log-every 1 --out still
check 'training nll is that of score' agrees "$(logged train still)" still/checkpoint-00000001.safetensors train.tsv
check 'five translations of each validation are in the log' python3 -c '
import json
pairs = [l.rstrip("\n").split("\t") for l in open("valid set.tsv")]
lines = [json.loads(l) for l in open("whole/log.jsonl")]
for v in (l for l in lines if l["kind"] == "valid"):
    assert v["nll"] == v["loss"] and len(v["samples"]) == 5, v
    assert [[s["source"], s["reference"]] for s in v["samples"]] == pairs[::4], v
    assert all(isinstance(s["text"], str) for s in v["samples"])
start = lines[0]
tokens = max(start["corpora"][0]["source_tokens"], start["corpora"][0]["target_tokens"])
assert start["updates_per_epoch"] == -(-tokens // 300), start
'
expect 0 out 'checkpoint' inspect whole/checkpoint-00000020.safetensors
expect 1 err 'whole holds the checkpoints of a run: --resume goes on' train $run --updates 20 --out whole
expect 0 err 'going on from whole/checkpoint-00000020' train --resume --out whole --updates 22
expect 0 err 'going on' train --config whole/settings.conf --resume --updates 24 --threads 1
here=$PWD
cd /
expect 0 err 'going on from .*/whole/checkpoint-00000024' train --resume --out "$here/whole" --updates 24
cd "$here" || exit 1

# The best checkpoint has a second name, and the folder of a run stands for it.
best=$(grep '"best":true' whole/log.jsonl | tail -1 | sed 's/.*"update":\([0-9]*\).*/\1/')
check 'best.safetensors is the best checkpoint' cmp whole/best.safetensors "whole/checkpoint-$(printf %08d "$best").safetensors"
head -3 train.en >three.en
for name in whole whole/best.safetensors; do
    "$ramus" translate -q -m $name -i three.en -o "$(basename $name).out" --threads 1
    "$ramus" score -q -m $name --source three.en --target three.en >"$(basename $name).score"
    "$ramus" export -q $name -o "$(basename $name).gguf"
    "$ramus" profile $name >"$(basename $name).profile"
    "$ramus" gates -q -m $name three.en --json >"$(basename $name).gates"
done
for kind in out score gguf profile gates; do
    check "whole/ stands for its best model: $kind" cmp whole.$kind best.safetensors.$kind
    check "and is something: $kind" test -s whole.$kind
done
expect 0 out 'checkpoint' inspect whole
expect 0 err 'the mean of 5 checkpoints' average whole -o mean.safetensors --last 5
expect 0 err 'the end' train --init whole --train train.tsv --vocab v.model --out of-a-run --updates 1
mkdir nothing
expect 1 err 'nothing: the folder holds no checkpoints' translate -m nothing -i three.en

# A run says what it has, what it takes and what comes next; without a vocabulary it makes one, and text that is not UTF-8 is
# counted.
{ cat train.tsv; printf '\tleer\n'; printf 'caf\351\tKaffee\n'; } >odd.tsv
expect 0 err 'next: ramus export bare -o en-de.gguf' train --train odd.tsv --valid 'valid set.tsv' --out bare --updates 22 \
    --width 16 --filter 32 --heads 2 --encoder-layers 1 --decoder-layers 1 --valid-every 11 --max-length 60 \
    --source-language en --target-language de --name 'A name' --license CC0-1.0
for said in 'no --vocab is named: making' 'odd.tsv: [0-9]* of 202 pairs are kept; dropped: 1 with an empty side' \
    'odd.tsv: 1 of 202 pairs are not UTF-8' '^[0-9,]* parameters in training; about [0-9]* updates an epoch; chosen dropout 0.25, batch' \
    'report: bare/report.html; log: bare/log.jsonl; best model: bare/best.safetensors' '22 updates: about [0-9]* min' \
    'best model: bare/best.safetensors .update [0-9]*.'; do
    check "it says: $said" grep -qE "$said" err
done
check 'it made a joint vocabulary' sh -c 'test -s bare/vocab.model && ! ls bare/source.model 2>/dev/null'
for line in 'norm = pre' 'alike = on' 'own-rate = 0.1' 'entropy-weight = 0' 'schedule = cosine' 'rate = 0.004' 'warmup = 2' \
    'dropout = 0.25' 'batch-tokens = 2048'; do
    check "it took $line" grep -qx "$line" bare/settings.conf
done
check 'nothing is left to choose' sh -c '! grep auto bare/settings.conf | grep -v tie'
expect 0 err 'going on' train --resume --out bare --updates 23
python3 -c 'import sys
for l in open("train.en"): print("".join(chr(0x430 + ord(c) % 32) if c.isalpha() else c for c in l), end="")' >train.ru
expect 0 err 'the end' train --train train.ru train.de --out scripts --updates 1 --width 16 --filter 32 --heads 2 \
    --encoder-layers 1 --decoder-layers 1 --max-length 100
check 'two scripts have two vocabularies' test -s scripts/source.model -a -s scripts/target.model -a ! -e scripts/vocab.model
RAMUS_PLUGINS=$PWD/nowhere expect 1 err 'no --vocab is named, and making a vocabulary failed: .*SentencePiece' \
    train --train train.tsv --out unplugged --updates 1
expect 0 err 'the end' train $run --preset paper --updates 1 --out paper
for line in 'preset = paper' 'width = 16' 'norm = post' 'rate = 0.0007' 'warmup = 4000' 'entropy-weight = 0.1' \
    'schedule = inverse-sqrt' 'alike = off' 'dropout = 0.1' 'batch-tokens = 300'; do
    check "the paper: $line" grep -qx "$line" paper/settings.conf
done

# Languages, name and licence travel: to the deployed file, to a mean, back to a checkpoint, through fine-tuning.
says() { # FILE [NAME]
    "$ramus" inspect "$1" >out 2>&1
    for word in 'en' 'de' "${2:-A name}" 'CC0-1.0'; do
        grep -q -e "$word" out || return 1
    done
}
expect 0 err '' export bare -o bare.gguf -q
check 'the export of a run says it' says bare.gguf
expect 0 err '' average bare --last 2 -o mean.safetensors -q
expect 0 err '' export mean.safetensors -o mean.gguf -q
check 'and that of a mean' says mean.gguf
expect 0 err '' import bare.gguf -o back.safetensors --vocab back.model -q
expect 0 err '' train --init back.safetensors --vocab back.model --train train.tsv --out again --updates 1 -q --name Other
expect 0 err '' export again -o again.gguf -q
check 'and that of a fine-tuned import, with what was said anew' says again.gguf Other
expect 0 err '' export again -o again.gguf -q --license MIT
check 'what is said at the export wins' sh -c '"$1" inspect again.gguf | grep -q MIT' - "$ramus"

# A run is prolonged from where its rate began to fall, as the guide shows; a run of Adam goes on with Muon, not back.
stable="$run --optimizer muon --schedule stable --warmup 2 --decay-updates 4 --keep-last 1"
expect 0 err '' train $stable --updates 10 --out brief -q
mkdir on && cp brief/settings.conf brief/checkpoint-00000006.safetensors on
expect 0 err 'going on from on/checkpoint-00000006' train --resume --out on --updates 16
expect 0 err '' train $stable --updates 16 --out straight -q
check 'it is the run that was long from the start' same on/checkpoint-00000016.safetensors \
    straight/checkpoint-00000016.safetensors
expect 1 err 'checkpoint-00000016.safetensors: .*train.second' train --resume --out straight --updates 18 --optimizer adam
expect 0 err '' train $run --updates 2 --out other -q
expect 0 err 'going on' train --resume --out other --updates 3 --optimizer muon

# Kills at any moment, most of them while a checkpoint is written, change no bit.
expect 0 err '' train $run --updates 60 --save-every 1 --out kept -q
"$ramus" train $run --updates 60 --save-every 1 --out killed -q &
for moment in 0.11 0.23 0.07 0.31 0.19 0.13 0.29 0.17; do
    sleep $moment
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    "$ramus" train --resume $run --updates 60 --save-every 1 --out killed -q --threads 1 &
done
wait $!
check 'the killed run came to its end' test $? = 0
check 'a killed run gives the same weights' same kept/checkpoint-00000060.safetensors \
    killed/checkpoint-00000060.safetensors
check 'nothing half is left' sh -c '! ls killed killed/cache | grep tmp'
echo mine.tmp-x >kept.list
touch killed/report.html.tmp-123 killed/cache/x.pairs.tmp-9 killed/mine.tmp-x
expect 0 err 'going on' train --resume --out killed --updates 61
check 'what a killed run left is removed, and nothing else' sh -c 'ls killed killed/cache | grep tmp | cmp - kept.list'

# Signals finish the update, save, and say how to go on.
for signal in INT:130 TERM:143; do
    rm -rf stopped
    "$ramus" train $run --updates 100000 --valid-every 100000 --out stopped >out 2>err &
    while [ ! -s stopped/log.jsonl ]; do sleep 0.05; done
    sleep 0.3
    kill -${signal%:*} $!
    wait $!
    check "SIG${signal%:*} ends with ${signal#*:}" test $? = "${signal#*:}"
    check 'it saved' sh -c 'test -s stopped/checkpoint-*.safetensors'
    check 'it says how to go on' grep -q 'stopped after update' err
done

# Bad files: a sentence, exit 1, before any text is read.
for files in "--train train.tsv --valid nowhere.tsv" "--train train.tsv --valid train.en three.en" \
    "--train train.tsv --init nowhere.safetensors" "--train train.tsv --train nowhere.tsv" "--train train.tsv --vocab train.tsv"; do
    rm -rf bad
    expect 1 err 'nowhere|three|train.tsv' train $shape --vocab v.model --out bad $files
    check "nothing was read: $files" sh -c '! grep reading err && ! ls bad/cache/* 2>/dev/null'
done
printf 'width = 16\n# a remark\nrate = fast\n' >bad.conf
expect 2 err 'bad.conf: line 3: rate is .fast., expected a number' train --config bad.conf --train train.tsv --out bad
expect 1 err 'nowhere.tsv: cannot open' train $run --out bad --train nowhere.tsv
head -150 train.de >short.de
expect 1 err 'short.de.*150' train $run --out bad --train train.en short.de
expect 1 err 'nowhere.model: cannot open' train $run --vocab nowhere.model --out bad
expect 1 err 'nowhere.safetensors: cannot open' train $run --init nowhere.safetensors --out bad
expect 1 err 'is not a folder' train $run --out train.en
cp whole/checkpoint-00000024.safetensors good
head -c 5000 good >whole/checkpoint-00000024.safetensors
expect 1 err 'checkpoint-00000024.safetensors: ' train --resume --out whole --updates 30
cp good whole/checkpoint-00000024.safetensors
cp train.tsv saved.tsv
head -199 saved.tsv >train.tsv
expect 1 err 'have changed since it was saved' train --resume --out whole --updates 30
cp saved.tsv train.tsv
"$ramus" vocab --input train.en --size 300 --coverage 1 --byte-fallback off -o other.model -q
expect 1 err 'another vocabulary' train --resume --out whole --updates 30 --vocab other.model
expect 1 err 'its width is 16 but the settings say 32' train --resume --out whole --updates 30 --width 32
expect 0 err 'going on' train --resume --out whole --updates 26

# Fine-tuning takes the shape of the model it starts from.
expect 0 err 'the end' train --init whole/checkpoint-00000026.safetensors --train train.en train.de --vocab v.model \
    --out tuned --updates 3 --max-length 60
expect 1 err 'its width is 16 but the settings say 64' train --init whole/checkpoint-00000026.safetensors --width 64 \
    --train train.tsv --vocab v.model --out tuned2 --updates 3 --max-length 60
expect 0 err 'the end' train $run --routing dense --out dense --updates 2
expect 0 err 'grows 2 branches' train --init dense/checkpoint-00000002.safetensors --routing dmb --branches 2 \
    --train train.tsv --vocab v.model --out grown --updates 2 --max-length 60

# A run with products of bfloat16 goes on where its instructions are missing, and says so.
expect 0 err 'the end' train $run --out narrow --updates 2 --products bf16
export RAMUS_ISA=ref
expect 0 err 'no instructions for bf16 products' train --resume --out narrow --updates 4
unset RAMUS_ISA
check 'products is a setting of the run' grep -q '^products = bf16' narrow/settings.conf

# Training with rounding goes on where it stopped, by its own settings, and ends as an ordinary model.
expect 0 err 'update 3: validation' train --init whole/checkpoint-00000026.safetensors --train train.tsv --vocab v.model \
    --valid 'valid set.tsv' --out rounded --updates 3 --max-length 60 --quantize int4 --ranges learned
check 'quantize is a setting of the run' grep -q '^quantize = int4' rounded/settings.conf
expect 0 err 'going on' train --resume --out rounded --updates 5
expect 0 err 'the mean of 2 checkpoints' average rounded --last 2 -o rounded.safetensors
expect 0 err '' export rounded.safetensors -o rounded.ramus --type int8 -q
expect 0 out '' translate -m rounded.ramus 'all of it'

# Averages and translations.
expect 0 err 'the mean of 2 checkpoints' average whole --last 2 -o mean.safetensors
expect 1 err 'cannot open' average nowhere.safetensors -o m.safetensors
expect 2 err 'expected checkpoints' average -o m.safetensors
expect 0 err '' translate -m mean.safetensors -i train.en -o out.de --beam 2 -q
check 'a line for each line' test "$(wc -l <out.de)" = 200
"$ramus" translate -m mean.safetensors --threads 1 --beam 2 -q <train.en >one.de
check 'threads change no translation' cmp out.de one.de
expect 0 out '' translate -m mean.safetensors ''
check 'an empty line for an empty line' test "$(wc -l <out)" = 1
i=0
while [ $i -lt 400 ]; do printf 'all of it comes back, '; i=$((i + 1)); done >long
expect 0 out '' translate -m mean.safetensors -i long --beam 1
check 'a long line gives one line' test "$(wc -l <out)" = 1
expect 1 err 'cannot open' translate -m nowhere.safetensors hello

# A disk that runs full: the old checkpoints stay, training goes on; only a last save that fails is a failure.
mkdir full
if mount -t tmpfs -o size=700k none full 2>/dev/null; then
    disk=full
    expect 1 err 'checkpoint-.*No space left' train $run --updates 40 --valid-every 10 --keep-last 9 --out full/run --cache cache
    check 'it went on' grep -q 'checkpoint not saved, training goes on' err
    expect 0 out 'everything checked' inspect full/run/checkpoint-00000010.safetensors
    check 'nothing half is left' sh -c '! ls full/run | grep -q tmp'
    umount full && disk=
else
    echo 'a full disk is not tested: this user may not mount a tmpfs'
fi

echo "$checks checks, $failures failed"
[ $failures = 0 ]
