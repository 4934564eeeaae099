#!/bin/sh
# Models of others as a user meets them: import.sh RAMUS GOLDEN. An OPUS-MT folder is imported, exported, inspected, translated
# with, trained on, given branches, and teaches a student.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
recipe=$tests/../../recipes/student/run
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

expect 0 err '214353 parameters' import "$golden/opus-mt/joint-swish" -o joint.safetensors --vocab source.model target.model
expect 0 out 'about.name = joint-swish' inspect joint.safetensors
expect 0 out 'ramus.activation = swish' inspect joint.safetensors
expect 0 err . export joint.safetensors -o joint.gguf --type f32 --license CC-BY-4.0
expect 0 out 'general.license = CC-BY-4.0' inspect joint.gguf
expect 0 out 'general.description = imported: Marian' inspect joint.gguf
expect 0 out 'en to de' inspect joint.gguf

# Best translations of expected.json: beam4 and greedy.
text='Tom asked his teacher for advice.'
for model in joint.gguf joint.safetensors; do
    expect 0 out '^Tom fragtete eine Hunde Hunde\.$' translate -m $model --search hf --length-penalty 1 "$text"
    expect 0 out '^Tom fragte sich eine Tre Hunde\.$' translate -m $model --search hf --beam 1 "$text"
done
"$ramus" translate -m joint.gguf --search marian --length-penalty 1 "$text" >out 2>err
check 'the rules of Marian give a translation' [ -s out ]
printf '%s\n' "$text" | "$ramus" tokenize --vocab source.model --ids >out 2>err
check 'ids are those of the list' [ "$(cat out)" = '9 409 34 1 487 10 13 107 32 23 88 145 7 2' ]
echo '9 3 480 44 130 137 3 103 12 7 3 134 116 7 2 0' | "$ramus" detokenize --vocab target.model --ids >out 2>err
check 'and back' [ "$(cat out)" = 'Tom fragte sich eine Tre Hunde.' ]

expect 0 err . import "$golden/opus-mt/tc-big-relu" -o big.safetensors
expect 0 err . export big.safetensors -o big.gguf
expect 0 out . translate -m big.gguf --to fra "$text"
expect 1 err 'the model has no word >>eng<<' translate -m big.gguf --to eng "$text"
expect 0 out . translate -m joint.gguf --to de "$text"

mkdir empty broken
echo '{"model_type": "bart"}' >broken/config.json
expect 1 err 'model_type is .bart., expected marian' import broken -o x.safetensors
expect 1 err . import empty -o x.safetensors
expect 1 err . import nowhere -o x.safetensors
check 'nothing is written' [ ! -e x.safetensors ]

# Training goes on from it, as it is and with branches.
awk 'NR % 2 { english = $0; next } { print english "\t" $0 }' "$golden/text/sample.en-de.txt" | head -150 >pairs.tsv
set -- --init joint.safetensors --vocab source.model target.model --train pairs.tsv --tie all --width 64 --filter 128 --heads 4 \
    --encoder-layers 2 --decoder-layers 2 --activation swish --positions marian --output-bias on --start-token 720 \
    --batch-tokens 400 --rate 1e-5 --warmup 1 --updates 2 --threads 1
expect 0 err . train "$@" --out tuned
expect 0 out '^Tom fragte sich eine Tre Hunde\.$' translate -m tuned/checkpoint-00000002.safetensors --beam 1 "$text"
expect 0 err 'grows 2 branches' train "$@" --out grown --routing dmb --branches 2 --quantize int8
expect 0 err . export grown/checkpoint-00000002.safetensors -o grown.gguf
expect 0 out 'dmb with 2 branches.* int4 weights' inspect grown.gguf
expect 0 err . export grown/checkpoint-00000002.safetensors -o grown8.gguf --type int8
expect 0 out 'dmb with 2 branches.* int8 weights' inspect grown8.gguf
expect 0 out 'dense.* int8 weights' inspect big.gguf

# A student of it.
cut -f 1 pairs.tsv >text.en
student() {
    RAMUS="$ramus" THREADS=1 SIZE=400 "$recipe" "$golden/opus-mt/joint-swish" text.en student --updates "$1" --width 16 --filter 32 \
        --heads 2 --encoder-layers 1 --decoder-layers 1 --batch-tokens 400 --valid-every 2 --save-every 2 >out 2>err
}
student 2
check 'the recipe makes a student' [ -s student/student.gguf ]
expect 0 out 'dmb with 4 branches' inspect student/student.gguf
rm student/run/done
cp student/student.tsv before.tsv
student 4
check 'and goes on' [ -s student/run/checkpoint-00000004.safetensors ]
check 'with what the teacher wrote' cmp -s before.tsv student/student.tsv

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
