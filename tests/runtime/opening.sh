#!/bin/sh
# Instructions from opening a model to the end of its first translation, without those that a second one takes:
#     opening.sh PROGRAM MODEL RAMUS
# PROGRAM is opening.c. Fails above 6.5 million and 0.45 million for each 1,000 tokens of the vocabulary, whose index is made here: 13.7
# million for 16,000 tokens.
set -eu
program=$1 model=$2 ramus=$3
command -v valgrind >/dev/null || { echo 'skipped: no valgrind'; exit 0; }

# Instructions of a run that translates $1 times.
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$model" "$1" 2>&1 |
        awk '/Collected/ { n = $4 } END { if (!n) exit 1; print n }'
}

words=$("$ramus" inspect "$model" | sed -n 's/.*, \([0-9]*\) words,.*/\1/p')
most=$(awk -v words="$words" 'BEGIN { print 6.5 + 0.00045 * words }')
once=$(count 1) twice=$(count 2)
awk -v once="$once" -v twice="$twice" -v most="$most" 'BEGIN {
    opening = (2 * once - twice) / 1e6
    printf "%.2f million instructions, at most %s expected\n", opening, most
    exit !(opening > 0 && opening <= most)
}'
