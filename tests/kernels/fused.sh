#!/bin/sh
# Exact kernels must not contain fused instructions: fused.sh OBJDUMP LIBRARY TRAINING_LIBRARY. Looks into the objects of
# the exact rows and at the exact functions of training. First it looks at a fused function, which must contain some:
# else the search itself would be broken.
set -u
objdump=$1 library=$2 training=$3 failures=0
command -v "$objdump" >/dev/null || { echo "skipped: no objdump here"; exit 0; }

# How many fused instructions of object $2 in library $1 are in functions that match $3; nothing when it has none.
count() {
    "$objdump" -d "$1" | awk -v wanted="$2" -v names="<($3)>:" '
        / file format / { inside = index($1, wanted ".o:") == 1 || index($1, wanted ".c.o:") == 1; here = 0 }
        inside && / <.*>:$/ { here = $0 ~ names; found = found || here }
        here && /[ \t]v?f(n)?m(add|sub|addsub|subadd)[0-9]*[ps][sd]|[ \t]f(n)?m(add|sub|la|ls)[ \t]/ { n++ }
        END { if (found) print n + 0 }'
}

for object in avx2_train neon_train; do
    trained=$(count "$training" $object 'gemm_panel')
    if [ -n "$trained" ] && [ "$trained" -lt 10 ]; then
        echo "gemm_panel of $object has $trained fused instructions: expected many, so this script cannot see them"
        failures=1
    fi
done
# expect_none LIBRARY OBJECT FUNCTIONS
expect_none() {
    fused=$(count "$1" "$2" "$3")
    [ -z "$fused" ] && return
    echo "$2: $fused fused instructions"
    [ "$fused" = 0 ] || failures=1
}
for object in ref avx2 avx512 avx512vnni neon dotprod math; do
    expect_none "$library" $object '.*'
done
for object in ref_train avx2_train avx512_train neon_train; do
    expect_none "$training" $object 'relu_backward|random_bits|dropout|adam|cross_entropy_gradient'
done
exit $failures
