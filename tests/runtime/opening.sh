#!/bin/sh
# Instructions from opening a model to the end of its first translation, without those that a second one takes:
#     opening.sh PROGRAM MODEL MOST
# PROGRAM is opening.c, MOST millions of instructions. Fails above it.
set -eu
program=$1 model=$2 most=$3
command -v valgrind >/dev/null || { echo 'skipped: no valgrind'; exit 0; }

# Instructions of a run that translates $1 times.
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$model" "$1" 2>&1 |
        awk '/Collected/ { n = $4 } END { if (!n) exit 1; print n }'
}

once=$(count 1) twice=$(count 2)
awk -v once="$once" -v twice="$twice" -v most="$most" 'BEGIN {
    opening = (2 * once - twice) / 1e6
    printf "%.2f million instructions, at most %s expected\n", opening, most
    exit !(opening > 0 && opening <= most)
}'
