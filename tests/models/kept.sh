#!/bin/sh
# What is not language stands in the translations of models that ship: kept.sh RAMUS KEPT_LAW FROM TO. The sentences are spans.FROM.txt.
set -u
ramus=$1 kept_law=$2 from=$3 to=$4
text=$(cd "$(dirname "$0")/../text" && pwd)/spans.$from.txt
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$ramus" translate -q --beam 1 --from "$from" --to "$to" -i "$text" -o "$folder/out" || exit 1
"$kept_law" "$text" "$folder/out" || exit 1

# Nor does a sentence become nothing but what is copied.
printf 'I ♥ you\n50%% off!\n%%s is ♥ here\n' >"$folder/words"
"$ramus" translate -q --beam 1 --from "$from" --to "$to" -i "$folder/words" -o "$folder/out" || exit 1
awk '!/[A-Za-z]/ { print "line " NR " lost its words: " $0; bad = 1 } END { exit bad || NR != 3 }' "$folder/out"
