# Sourced by tests that translate, in their folder: $ramus and $golden give train.en, train.de, run/ and m.gguf, a
# model of 8-bit numbers that has learnt to give every line another translation. Its vocabulary has all bytes.
# $small_model: further options of training. RAMUS_SMALL_MODEL: a folder where all this was made, without such options.
# Two threads for the vocabulary on every machine, for its pieces depend on them. One for training: steps as small as these
# gain nothing from two, and there are as many tests at a time as cores.
if [ -n "${RAMUS_SMALL_MODEL-}" ] && [ -z "${small_model-}" ]; then
    cp -R "$RAMUS_SMALL_MODEL/." . || exit 1
    return
fi
sed -n 'p;n' "$golden/text/sample.en-de.txt" | head -200 >train.en
sed -n 'n;p' "$golden/text/sample.en-de.txt" | head -200 >train.de
{
    cat train.en train.de >both && "$ramus" vocab --input both --size 500 -o v.model --threads 2 -q &&
        "$ramus" train --train train.en train.de --vocab v.model --out run --preset paper --updates 300 --valid-every 300 \
            --batch-tokens 600 --max-length 60 --rate 0.01 --warmup 20 --seed 3 --width 32 --filter 64 --heads 2 \
            --encoder-layers 1 --decoder-layers 1 --norm pre --threads 1 ${small_model-} -q &&
        "$ramus" export run/checkpoint-00000300.safetensors -o m.gguf -q
} || exit 1
