#!/bin/sh
# Instructions per sentence on 64-bit ARM:  instructions.sh LINES COUNT.SO ROOT [short | update]
# LINES is lines.c built for ARM, COUNT.SO count.c built for this machine. Mean of 20 sentences; what opening the model
# takes is taken off. Fails where a mean is more than 2 % above instructions.txt; `update` writes that file anew, for a
# model that ships or for kernels that are faster. short: greedy alone. Neither machine nor load changes a count.
set -eu
lines=$1 plugin=$2 root=$3 how=${4-}
bars=$root/tests/devices/instructions.txt
sentences=20
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# run CPU ROW BEAM COUNT: prints the instructions of a run that translates COUNT sentences.
run() {
    QEMU_CPU=$1 RAMUS_ISA=$2 qemu-aarch64 -plugin "$plugin",out="$folder/counts" "$lines" \
        "$root/models/en-de.gguf" "$3" "$root/tests/devices/sentences.en.txt" 1 "$4" >"$folder/texts"
    awk '$2 == "total" { print $1 }' "$folder/counts"
}

beams='1 4'
[ "$how" = short ] && beams=1
for beam in $beams; do
    for row in cortex-a72:neon cortex-a76:dotprod; do
        none=$(run "${row%:*}" "${row#*:}" "$beam" 0)
        all=$(run "${row%:*}" "${row#*:}" "$beam" $sentences)
        echo "${row#*:} $beam" $(awk -v all="$all" -v none="$none" -v n=$sentences \
            'BEGIN { printf "%.2f", (all - none) / n / 1e6 }')
    done
done >"$folder/means"

if [ "$how" = update ]; then
    {
        echo '# Million instructions per sentence: row, beam (1: greedily), mean. Written by tools/check-aarch64 update.'
        cat "$folder/means"
    } >"$bars"
fi
awk -v bars="$bars" '
    BEGIN { while ((getline line <bars) > 0) if (split(line, f, " ") == 3) bar[f[1] " " f[2]] = f[3] }
    {
        stored = bar[$1 " " $2]
        printf "%-8s beam %s: %6.2f million instructions per sentence, stored %s\n", $1, $2, $3, stored
        if (!stored || $3 > 1.02 * stored) bad = 1
    }
    END { exit bad || NR == 0 }' "$folder/means" || { echo 'more instructions than stored, or nothing is stored'; exit 1; }
