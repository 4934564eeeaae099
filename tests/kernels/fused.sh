#!/bin/sh
# Exact kernels must not contain fused instructions: fused.sh LIBRARY OBJDUMP. Looks into the objects of the exact
# rows, and first at one of training, which must contain some: else the search itself would be broken.
set -u
library=$1 objdump=$2 failures=0
command -v "$objdump" >/dev/null || { echo "skipped: no objdump here"; exit 0; }

# How many fused instructions the object $1 of the library has; nothing when there is no such object.
count() {
    "$objdump" -d "$library" | awk -v wanted="$1" '
        / file format / { inside = index($1, wanted ".o:") == 1 || index($1, wanted ".c.o:") == 1; found = found || inside }
        inside && /[ \t]v?f(n)?m(add|sub|addsub|subadd)[0-9]*[ps][sd]|[ \t]f(n)?m(add|sub|la|ls)[ \t]/ { n++ }
        END { if (found) print n + 0 }'
}

trained=$(count avx2_train)
if [ -n "$trained" ] && [ "$trained" -lt 10 ]; then
    echo "avx2_train has $trained fused instructions: expected many, so this script cannot see them"
    failures=1
fi
for object in ref avx2 avx512 avx512vnni math; do
    fused=$(count $object)
    [ -z "$fused" ] && continue
    echo "$object: $fused fused instructions"
    [ "$fused" = 0 ] || failures=1
done
exit $failures
