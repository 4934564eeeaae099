#!/bin/sh
# Do all rows of kernels give the same bytes?  texts.sh NATIVE OTHER ROWS MODEL BEAM TEXT COUNT
# NATIVE and OTHER are commands that run lines.c, on this machine and on another or an emulated one. ROWS are rows of
# OTHER's kernels. The first COUNT lines of TEXT: texts and all digits of scores must be those of NATIVE's fastest row.
# The rows of NATIVE are compared as well, but for the slow one (tools/check-answers has it). Exit 1 at a difference.
set -u
native=$1 other=$2 rows=$3
shift 3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

$native "$1" "$2" "$3" 1 "$4" >"$folder/want" || exit 1
[ "$(wc -l <"$folder/want")" = "$4" ] || { echo "expected $4 lines, got $(wc -l <"$folder/want")"; exit 1; }

# compare ROW COMMAND ARGUMENT...
compare() {
    row=$1
    shift
    if ! RAMUS_ISA=$row "$@" >"$folder/got" 2>"$folder/error"; then
        grep -q 'which this CPU lacks\|expected one of' "$folder/error" && return # no such row here
        cat "$folder/error"
        failures=1
    elif cmp -s "$folder/want" "$folder/got"; then
        compared="${compared:+$compared, }$row"
    else
        echo "$row: other texts or scores:"
        diff "$folder/want" "$folder/got" | head -4
        failures=1
    fi
}

compared=
for row in avx2 avx512 avx512vnni; do
    compare "$row" $native "$1" "$2" "$3" 1 "$4"
done
for row in $rows; do
    compare "$row" $other "$1" "$2" "$3" 1 "$4"
done
for row in $rows; do
    case ", $compared," in
    *", $row,"*) ;;
    *) echo "$row: not compared"; failures=1 ;;
    esac
done
echo "$(basename "$1"), beam $2, $4 lines: the same bytes from $compared"
exit $failures
