#!/bin/sh
# Instructions per sentence on 64-bit ARM:  instructions.sh LINES COUNT.SO ROOT RAMUS [short | update]
# LINES is lines.c and RAMUS the program, both built for ARM, COUNT.SO count.c built for this machine. First the model that
# ships: mean of 20 sentences; what opening it takes is taken off. Then, but not in the short form, random weights of 8 and
# of 4 bits, which stay what they are when another model ships: the width of that model, few layers and words, 12 tokens
# into 12. Fails where a number is more than 2 % above instructions.txt; `update` writes that file anew, for a model that
# ships or for kernels that are faster. short: greedy alone. Neither machine nor load changes a count.
set -eu
lines=$1 plugin=$2 root=$3 program=$4 how=${5-}
bars=$root/tests/devices/instructions.txt
sentences=20
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# count CPU:ROW COMMAND ARGUMENT...: prints the instructions of a command.
count() {
    QEMU_CPU=${1%:*} RAMUS_ISA=${1#*:}
    export QEMU_CPU RAMUS_ISA
    shift
    qemu-aarch64 -plugin "$plugin",out="$folder/counts" "$@" >"$folder/output"
    awk '$2 == "total" { print $1 }' "$folder/counts"
}

# translate CPU:ROW BEAM COUNT: of the first COUNT sentences by the model that ships.
translate() {
    count "$1" "$lines" "$root/models/en-de.gguf" "$2" "$root/tests/devices/sentences.en.txt" 1 "$3"
}

# random CPU:ROW BEAM TYPE ROUNDS
random() {
    count "$1" "$program" bench --width 256 --filter 1280 --heads 8 --encoder-layers 1 --decoder-layers 1 --routing dmb \
        --source-vocab 2000 --target-vocab 2000 --source-length 12 --target-length 12 --threads 1 --beam "$2" --type "$3" \
        --runs "$4"
}

# mean ROW WHAT BEAM LESS MORE DIFFERENCE: prints (MORE - LESS) / DIFFERENCE in millions.
mean() {
    awk -v name="$1 $2 $3" -v less="$4" -v more="$5" -v n="$6" 'BEGIN { printf "%s %.2f\n", name, (more - less) / n / 1e6 }'
}

beams='1 4'
[ "$how" = short ] && beams=1
for beam in $beams; do
    for row in cortex-a72:neon cortex-a76:dotprod; do
        none=$(translate $row $beam 0) all=$(translate $row $beam $sentences)
        mean "${row#*:}" shipped $beam "$none" "$all" $sentences
        [ "$how" = short ] && continue
        for type in int8 int4; do
            one=$(random $row $beam $type 1) two=$(random $row $beam $type 2)
            mean "${row#*:}" $type $beam "$one" "$two" 1
        done
    done
done >"$folder/means"

if [ "$how" = update ]; then
    {
        echo '# Million instructions per sentence: row, what, beam (1: greedily), mean. Written by tools/check-aarch64 update.'
        cat "$folder/means"
    } >"$bars"
fi
awk -v bars="$bars" '
    BEGIN { while ((getline line <bars) > 0) if (split(line, f, " ") == 4) bar[f[1] " " f[2] " " f[3]] = f[4] }
    {
        stored = bar[$1 " " $2 " " $3]
        printf "%-8s %-8s beam %s: %6.2f million instructions per sentence, stored %s\n", $1, $2, $3, $4, stored
        if (!stored || $4 > 1.02 * stored) bad = 1
    }
    END { exit bad || NR == 0 }' "$folder/means" || { echo 'more instructions than stored, or nothing is stored'; exit 1; }
