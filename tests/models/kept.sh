#!/bin/sh
# What is not language stands in the translations of models that ship: kept.sh RAMUS KEPT_LAW FROM TO. The sentences are spans.FROM.txt.
set -u
ramus=$1 kept_law=$2 from=$3 to=$4
text=$(cd "$(dirname "$0")/../text" && pwd)/spans.$from.txt
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$ramus" translate -q --beam 1 --from "$from" --to "$to" -i "$text" -o "$folder/out" || exit 1
"$kept_law" "$text" "$folder/out"
