#!/bin/sh
# What must not happen, whatever is asked for: safety.sh RAMUS GOLDEN. A file that is read is not replaced by another kind;
# names of files survive a run's settings, or are refused before the work; endless and packed input ends with a sentence.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"
. "$tests/small_model.sh"
checkpoint=run/checkpoint-00000300.safetensors
cp "$checkpoint" c.safetensors

# An output that is read as something else is refused: by its name, another spelling, a link.
printf 'man\tMann\n' >terms.tsv
printf 'quiet = on\n' >quiet.conf
ln -s m.gguf soft.gguf
ln m.gguf hard.gguf
keeps() { # FILE ARGUMENT...: the command fails, with exit code $refused, and the file stays
    kept=$1
    shift
    cp "$kept" before
    expect "${refused:-1}" err "is both the output and .*, which it would replace: expected another output" "$@"
    check "ramus $*: $kept stays" cmp -s before "$kept"
}
for name in m.gguf ./m.gguf soft.gguf hard.gguf; do
    keeps m.gguf translate -m m.gguf -o $name Yes.
    keeps m.gguf translate -m $name -o m.gguf --resume -i train.en
    refused=2 keeps m.gguf distill -m m.gguf -i train.en -o $name
    keeps m.gguf gates -m $name --html m.gguf Yes.
done
mkdir models && cp m.gguf models/en-de.gguf
cp train.en page.html
RAMUS_MODELS=models keeps models/en-de.gguf translate --to de -o models/en-de.gguf Yes.
keeps m.gguf translate -m m.gguf -i page.html -o m.gguf
keeps terms.tsv translate -m m.gguf --glossary terms.tsv -o terms.tsv Yes.
keeps quiet.conf translate -m m.gguf --config quiet.conf -o quiet.conf Yes.
keeps v.model tokenize --vocab v.model -o v.model Yes.
keeps v.model detokenize --vocab v.model -o v.model Yes.
keeps m.gguf clean --input train.en train.de -m m.gguf --output m.gguf kept.de
keeps train.en clean --input train.en train.de --output kept.en kept.de --dropped train.en
keeps train.en vocab --input train.de train.en --size 300 -o train.en
keeps c.safetensors export c.safetensors -o c.safetensors
keeps m.gguf import m.gguf -o m.gguf
check 'no temporary file is left' sh -c '! ls -A . models | grep "\.tmp-"'

# Names in the settings of a run.
odd='a "b" c.en'
small='--vocab v.model --batch-tokens 200 --max-length 40 --width 8 --filter 8 --heads 2 --encoder-layers 1 --decoder-layers 1
    --threads 1'
head -20 train.en >"$odd"
head -20 train.de >some.de
head -20 train.de >' "x"y.de'
# shellcheck disable=SC2086 # options
expect 0 err 'the end: all updates are done' train --train "$odd" ' "x"y.de' $small --updates 2 --out 'odd "run"'
expect 0 err 'going on' train --resume --out 'odd "run"' --updates 3 --threads 1
check 'quotes are doubled' grep -qF '/a ""b"" c.en" "' 'odd "run"/settings.conf'
latin=$(printf 'na\357ve.en')
feed=$(printf 'two\nlines.en')
for name in "$latin" "$feed"; do
    head -20 train.en >"$name"
    # shellcheck disable=SC2086
    expect 2 err 'train is .*a run keeps its settings as lines of UTF-8' train --train "$name" train.de $small --out fresh
    check 'nothing was begun' test ! -e fresh
done
mkdir "$latin.d" && cd "$latin.d" || exit 1
# shellcheck disable=SC2086
expect 1 err 'not UTF-8' train --train ../train.en ../train.de ${small##*v.model} --vocab ../v.model --updates 2 --out fresh -q
check 'no checkpoint, and no update either' sh -c '! ls fresh | grep -q safetensors && ! grep -qs update fresh/log.jsonl'
cd ..

# A run that cannot save says so before its first update.
if [ "$(id -u)" != 0 ]; then
    mkdir sealed && touch sealed/lock && mkdir sealed/cache && chmod 555 sealed
    # shellcheck disable=SC2086
    expect 1 err 'sealed/.*cannot' train --train train.en train.de $small --updates 2 --out sealed
fi
# shellcheck disable=SC2086
(ulimit -f 8 && exec "$ramus" train --train "$odd" some.de $small --width 64 --updates 2 --out narrow >out 2>err)
check 'no room for a checkpoint' grep -qE 'cannot (write|sync)' err
check 'before the first update' sh -c '! grep -q "\"kind\":\"train\"" narrow/log.jsonl 2>/dev/null'

# Numbers of a checkpoint that count more than there was.
# shellcheck disable=SC2086
expect 0 err 'the end: all updates are done' train --train "$odd" some.de $small --updates 10 --out counted
for key in steps epoch pool_update skipped skipped_in_row best_update waited; do
    rm -rf bent && cp -r counted bent
    python3 - bent/checkpoint-00000010.safetensors ramus.train.$key 2147483647 <<'END'
import json, struct, sys
path, key, value = sys.argv[1:]
data = open(path, 'rb').read()
size = struct.unpack('<Q', data[:8])[0]
header = json.loads(data[8:8 + size])
header['__metadata__'][key] = value
text = json.dumps(header).encode()
text += b' ' * (-len(text) % 8)
open(path, 'wb').write(struct.pack('<Q', len(text)) + text + data[8 + size:])
END
    expect 1 err "ramus.train.$key is 2147483647, expected at most the 10 updates done" train --resume --out bent --updates 12
done

# A settings file with more values than spaces between them: behind a closing quote the next one may begin at once.
awk 'BEGIN { printf "input ="; for (i = 0; i < 500; i++) printf " \"\"a"; print "" }' >quotes.conf
expect 2 err 'input has more than 256 values' translate -m m.gguf --config quotes.conf
awk 'BEGIN { printf "input ="; for (i = 0; i < 100; i++) printf " \"\"a"; print "" }' >quotes.conf
expect 1 err 'cannot open' translate -m m.gguf --config quotes.conf

# What has no end, and what unpacks to too much.
expect 2 err '/dev/zero: more than 1024 KB, expected lines of settings' translate --config /dev/zero Yes.
for option in '-m' '--glossary'; do
    expect 1 err '/dev/zero: not a regular file' translate -m m.gguf $option /dev/zero Yes.
done
expect 1 err 'binary: it has zero bytes' tokenize --vocab v.model -i /dev/zero
expect 1 err 'not a regular file' tokenize --vocab /dev/zero Yes.
if [ -z "${RAMUS_SANITIZED:-}" ]; then # slow, and they cannot limit memory
    { echo Yes. && head -c 300000000 /dev/zero | tr '\0' a; } | gzip -1 >long.gz
    (ulimit -v 1200000 && exec "$ramus" tokenize --vocab v.model -i long.gz -o long.out >out 2>err)
    check 'a line of 300 MB' test $? = 1
    check 'a line of 300 MB: a sentence' grep -q 'long.gz: line 2 has more than 256 MB' err
    check 'a line of 300 MB: nothing is written' test ! -e long.out
    if command -v xz >/dev/null; then
        echo Yes. | xz --lzma2=dict=1GiB >wide.xz
        expect 1 err 'wide.xz: unpacking needs [0-9]+ MB of memory, not 256' tokenize --vocab v.model -i wide.xz
        echo Yes. | xz -9e >usual.xz
        expect 0 out . tokenize --vocab v.model -i usual.xz
    fi
fi

echo "$checks checks, $failures failed"
[ $failures = 0 ]
