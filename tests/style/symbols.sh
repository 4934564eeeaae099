#!/bin/sh
# Checks the static libraries: all names are ours, libramus needs libc, libm and pthreads only, and
# nothing in them prints or exits.
#
#     symbols.sh LIBRAMUS [LIBRARY...]
#     symbols.sh --self-test
#
# Environment: CC, NM, and LINK_FLAGS, those that the libraries were compiled with (sanitizers).
set -u
: "${CC:=cc}" "${NM:=nm}" "${LINK_FLAGS=}"

# External names begin with ramus_; those of sanitizers, and what C++ makes of the templates of libraries (weak, in a
# .cc file), are not ours to choose.
check_names() {
    $NM -A -g --defined-only "$1" | awk '
        $1 ~ /\.cc\.o:/ && $(NF - 1) ~ /^[WVu]$/ { next }
        $NF !~ /^ramus_/ && $NF !~ /^__(asan|odr_asan|ubsan|tsan)/ {
            sub(/[0-9a-f]*$/, "", $1) # nm puts the address behind "library:member:"
            print $1 " external symbol " $NF " does not begin with ramus_"
            n_bad++
        }
        END { exit n_bad > 0 }'
}

# A failed assertion says so before it aborts: base/status.c may use standard error.
check_silent() {
    $NM -A -u "$1" | awk '
        BEGIN {
            n = split("printf vprintf puts putchar perror stdout exit _exit _Exit quick_exit", list)
            for (i = 1; i <= n; i++) forbidden[list[i]] = 1
            n = split("fprintf vfprintf dprintf stderr", list)
            for (i = 1; i <= n; i++) assertion[list[i]] = 1
        }
        {
            name = $NF
            if (name ~ /^__.*_chk$/) name = substr(name, 3, length(name) - 6)
        }
        name in forbidden || (name in assertion && $1 !~ /:status\.c\.o:$/) {
            print $1 " uses " name ": a library neither prints nor exits"
            n_bad++
        }
        END { exit n_bad > 0 }'
}

# All of it links into a program with nothing but libm and pthreads.
check_needs() {
    program=$(mktemp) || return 1
    echo 'int main(void) { return 0; }' |
        $CC $LINK_FLAGS -o "$program" -x c - -x none \
            -Wl,--whole-archive "$1" -Wl,--no-whole-archive -lm -lpthread
    linked=$?
    rm -f "$program"
    [ "$linked" -eq 0 ] || echo "$1 needs more than libc, libm and pthreads"
    return "$linked"
}

check() {
    status=0
    for library; do
        [ -f "$library" ] || { echo "no library $library" && return 1; }
        check_names "$library" || status=1
        check_silent "$library" || status=1
    done
    check_needs "$1" || status=1
    return "$status"
}

self_test() {
    . "$(dirname "$0")/self-test.sh"
    lib=$tree/lib.a

    # library FILE CODE...: lib.a of one source.
    library() {
        rm -f "$lib"
        put "$@"
        $CC -O2 -c -o "$tree/$1.o" "$tree/$1" && ar rc "$lib" "$tree/$1.o"
    }
    library status.c '#include <stdio.h>' '#include <math.h>' \
        'static int hidden; double ramus_table[2];' \
        'double ramus_root(double x) { fprintf(stderr, "%d", hidden); return sqrt(x); }'
    accepts 'a good library' sh "$0" "$lib"
    refuses 'no library' 'no library' sh "$0" "$tree/none.a"

    library a.c 'int reset_chunk(void) { return 0; }'
    refuses 'a function without prefix' 'a.c.o: external symbol reset_chunk' sh "$0" "$lib"
    library a.c 'int ramus, counter;'
    refuses 'a variable without prefix' 'external symbol counter' sh "$0" "$lib"
    library a.c 'int deflate(void); int ramus_pack(void) { return deflate(); }'
    refuses 'a library underneath' 'needs more than libc' sh "$0" "$lib"

    for call in 'printf("%d", n)' 'puts("no")' 'exit(n)' 'fprintf(stderr, "%d", n)' \
        'fputs("no", stderr)' 'fputc(n, stdout)' 'perror("no")'; do
        library a.c '#include <stdio.h>' '#include <stdlib.h>' "void ramus_say(int n) { $call; }"
        refuses "$call" 'neither prints nor exits' sh "$0" "$lib"
    done
    library status.c '#include <stdio.h>' 'void ramus_say(void) { puts("no"); }'
    refuses 'standard output from status.c' 'uses puts' sh "$0" "$lib"
    self_test_end
}

case ${1-} in
--self-test) self_test ;;
'') echo "usage: symbols.sh LIBRAMUS [LIBRARY...] | --self-test" >&2 && exit 2 ;;
*) check "$@" ;;
esac
