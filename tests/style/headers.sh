#!/bin/sh
# Checks that each header compiles alone, and the public ones as C99 and C++ too.
#
#     headers.sh ROOT [FLAG...]           the tree to check, the compiler flags of the project
#     headers.sh --self-test [FLAG...]
#
# Environment: CC, and CXX (without a C++ compiler that part is skipped).
set -u
: "${CC:=cc}" "${CXX:=c++}"

# compiles HEADER COMPILER...: included first and, because of the guard, twice.
compiles() {
    name=$1
    shift
    n_compiled=$((n_compiled + 1))
    printf '#include "%s"\n#include "%s"\ntypedef int not_empty;\n' "$name" "$name" |
        "$@" -fsyntax-only - && return
    echo "$name does not compile alone: $*"
    status=1
}

check() {
    cd "$1" && [ -d src ] && [ -d include ] || { echo "no source tree: $1" && exit 1; }
    shift
    status=0 n_compiled=0
    arm='aarch64-linux-gnu-gcc -march=armv8.2-a+dotprod'
    wasm='clang-19 --target=wasm32-wasi -msimd128'
    strict='-Iinclude -Wall -Wextra -pedantic -Werror'

    for header in $(find src include -name '*.h' | sort); do
        case $header in # intrinsics of one CPU family need its flags
        src/kernels/x86/*avx512*) family='-mavx512f -mavx512bw -mavx512dq -mavx512vl' ;;
        src/kernels/x86/*) family=-mavx2 ;;
        *) family='' ;;
        esac
        compiler=$CC
        case $header in # by a compiler for another CPU, without the flags that harden or sanitize
        src/kernels/arm/*) compiler=$arm ;;
        src/kernels/wasm/*) compiler=$wasm ;;
        esac
        command -v "${compiler%% *}" >/dev/null || { echo "skipped: $header, no compiler $compiler" && continue; }
        if [ "$compiler" = "$CC" ]; then
            compiles "${header#*/}" $compiler "$@" $family -Isrc -Iinclude -x c
        else
            compiles "${header#*/}" $compiler $(printf '%s\n' "$@" | grep -vE '^-f(stack-|cf-|sanitize|no-sanitize)') -Isrc -Iinclude -x c
        fi
    done
    for header in $(find include -name '*.h' | sort); do
        compiles "${header#*/}" $CC -std=c99 $strict -x c
        if command -v "$CXX" >/dev/null; then
            compiles "${header#*/}" $CXX -std=c++11 $strict -x c++
        else
            echo "skipped: ${header#*/} as C++, there is no compiler $CXX"
        fi
    done
    echo "$n_compiled compilations"
    return "$status"
}

self_test() {
    . "$(dirname "$0")/self-test.sh"

    put include/ramus/ramus.h '#ifndef A' '#define A' 'typedef struct r { int x; } r;' '#endif'
    put src/base/a.h '#ifndef B' '#define B' '#include <ramus/ramus.h>' 'r a(void);' '#endif'
    accepts 'a good tree' sh "$0" "$tree" "$@"
    accepts 'a machine without C++' env CXX=no-such-compiler sh "$0" "$tree" "$@"
    refuses 'no tree' 'no source tree' sh "$0" "$tree/nowhere" "$@"

    put src/base/b.h 'size_t b(void);'
    refuses 'a header that needs another first' 'base/b.h does not compile alone' sh "$0" "$tree" "$@"
    put src/base/b.h 'struct b { int x; };'
    refuses 'a header without a guard' 'base/b.h does not compile alone' sh "$0" "$tree" "$@"
    put src/base/b.h 'static int b(void) { return 0; }'
    refuses 'a warning of the project' 'base/b.h does not compile alone' sh "$0" "$tree" -Wall -Werror
    rm "$tree/src/base/b.h"

    put include/ramus/b.h '#include <stdalign.h>' 'extern _Alignas(8) int b;'
    refuses 'a public header beyond C99' 'ramus/b.h does not compile alone' sh "$0" "$tree" "$@"
    put include/ramus/b.h 'int b(int class);'
    if command -v "$CXX" >/dev/null; then
        refuses 'a public header that is not C++' 'ramus/b.h does not compile alone' sh "$0" "$tree" "$@"
    fi
    self_test_end
}

case ${1-} in
--self-test) shift && self_test "$@" ;;
'') echo "usage: headers.sh ROOT [FLAG...] | --self-test [FLAG...]" >&2 && exit 2 ;;
*) check "$@" ;;
esac
