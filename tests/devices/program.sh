#!/bin/sh
# The whole program on another CPU:  program.sh NATIVE OTHER GOLDEN MODEL
# NATIVE is ramus, OTHER the command that runs a ramus built for that CPU. It translates MODEL's language as NATIVE does,
# and trains a small model whose translations are the same on both.
set -eu
native=$1 other=$2 golden=$3 model=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

same() { # same MODEL FILE: translations of FILE with tokens and scores
    $native translate -m "$1" -i "$2" --json -q >want
    $other translate -m "$1" -i "$2" --json -q >got
    [ -s want ] && cmp want got
}
sed -n 'p;n' "$golden/text/sample.en-de.txt" | head -200 >train.en
sed -n 'n;p' "$golden/text/sample.en-de.txt" | head -200 >train.de
head -5 train.en >few.en
head -20 train.en >valid.en
head -20 train.de >valid.de
same "$model" few.en

$other train --train train.en train.de --valid valid.en valid.de --vocab "$golden/text/bpe-4k.model" --out run --preset paper --updates 40 \
    --valid-every 10 --batch-tokens 600 --max-length 60 --rate 0.01 --warmup 10 --seed 3 --width 32 --filter 64 --heads 2 \
    --encoder-layers 1 --decoder-layers 1 --routing dmb --branches 2 --threads 2 2>log
sed -n 's/.*validation loss \([0-9.]*\).*/\1/p' log >losses
awk 'NR == 1 { first = $1 } { last = $1 } END { exit !(NR >= 4 && last < 0.9 * first) }' losses || { cat log; exit 1; }
$other export run/checkpoint-00000040.safetensors -o trained.gguf -q
same trained.gguf few.en
echo "translates; trains, validation loss $(head -1 losses) to $(tail -1 losses)"
