#!/bin/sh
# Checks what the files of src/ and include/ include, and their size (CONTRIBUTING.md, section 1).
#
#     layers.sh ROOT          the tree to check
#     layers.sh --self-test
set -u

check() {
    cd "$1" && [ -d src ] && [ -d include ] || { echo "no source tree: $1" && exit 1; }
    find src include -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.inc' \) | sort |
        xargs awk '
function allow(layer, others, i, n, list) {
    known[layer] = 1
    may[layer, layer] = 1
    n = split(others, list, " ")
    for (i = 1; i <= n; i++) may[layer, list[i]] = 1
}
function bad(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    n_bad++
}
# The folder below src/ ("graph" of src/graph/ops/relu.c), or "include".
function layer_of(path, part, n) {
    n = split(path, part, "/")
    if (part[1] == "include") return "include"
    return n > 2 ? part[2] : ""
}
function check_own(name, part) {
    split(name, part, "/")
    if (layer == "include")
        bad("a public header includes \"" name "\"; it may include <ramus/...> and the C library")
    else if (!(part[1] in known) || part[1] == name)
        bad("\"" name "\" is not of the form \"layer/file.h\"")
    else if ((layer in known) && !((layer, part[1]) in may))
        bad(layer " may not include " part[1] ": \"" name "\"")
}
function check_foreign(name, part) {
    split(name, part, "/")
    if (part[1] == "ramus" || name in system_header || part[1] in system_folder) return
    if (part[1] in known && part[1] != name) {
        bad("write \"" name "\": angle brackets are for the headers of others")
    } else if (name ~ /intrin\.h$/ || name ~ /^arm_/ || name == "wasm_simd128.h") {
        if (layer != "kernels") bad("intrinsics (<" name ">) belong to kernels")
    } else if (!(layer in may_depend)) {
        bad(layer " may not use a library, and <" name "> is none of the system headers listed in layers.sh")
    } else if (FILENAME !~ /\.(c|cc)$/) {
        bad("the header <" name "> of a library belongs into one .c file, not into a header of ours")
    } else if (name in user && user[name] != FILENAME) {
        bad("<" name "> is already used by " user[name] "; a library has one .c file")
    } else {
        user[name] = FILENAME
    }
}
BEGIN {
    allow("base",    "")
    allow("kernels", "base")
    allow("text",    "base")
    allow("document", "base text")
    allow("format",  "base")
    allow("graph",   "base kernels")
    allow("model",   "base graph")
    allow("runtime", "base kernels text document format graph model")
    allow("grad",    "base kernels graph")
    allow("eval",    "base text")
    allow("ranks",   "base")
    allow("data",    "base text document model eval ranks")
    allow("convert", "base kernels text format graph model runtime")
    allow("report",  "base graph runtime eval data")
    allow("train",   "base kernels text format graph model runtime grad eval ranks data convert report")
    allow("distill", "base text model runtime eval ranks data convert")
    allow("bench",   "base kernels text format graph model runtime grad ranks data convert train")
    allow("serve",   "base document data")
    allow("cli",     "base kernels text document format graph model runtime grad eval ranks data convert report train distill " \
                     "bench serve")

    n = split("ranks data serve cli", list, " ") # these may use libraries
    for (i = 1; i <= n; i++) may_depend[list[i]] = 1

    n = split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp " \
              "signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn " \
              "string tgmath threads time uchar wchar wctype " \
              "cpuid dirent dlfcn fcntl fnmatch getopt glob langinfo libgen netdb poll pthread " \
              "pwd regex sched semaphore spawn strings termios unistd utime", list, " ")
    for (i = 1; i <= n; i++) system_header[list[i] ".h"] = 1
    n = split("sys net netinet arpa linux asm", list, " ")
    for (i = 1; i <= n; i++) system_folder[list[i]] = 1
    longest = 500
}
FNR == 1 {
    layer = layer_of(FILENAME)
    if (layer != "include" && !(layer in known)) bad("is in no layer")
}
FNR == longest + 1 && layer != "include" {
    bad("more than " longest " lines: look for the second subject")
}
/^[ \t]*#[ \t]*include/ {
    name = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
    if (name ~ /^"[^"]+"/) {
        split(name, part, "\"")
        check_own(part[2])
    } else if (name ~ /^<[^>]+>/) {
        split(name, part, /[<>]/)
        check_foreign(part[2])
    } else {
        bad("an include that cannot be checked: " name)
    }
}
END { exit n_bad > 0 }'
}

self_test() {
    . "$(dirname "$0")/self-test.sh"

    put include/ramus/ramus.h '#include <stddef.h>'
    put src/base/a.h '#include <ramus/ramus.h>' '#include <sys/mman.h>'
    put src/base/a.c '#include "base/a.h"' '#include <stdio.h> // for printf'
    put src/kernels/x86/k.c '#include <immintrin.h>' '#include "base/a.h"'
    put src/graph/ops/o.c '#include "graph/ops/o.h"' '#include "kernels/k.h"'
    put src/ranks/t.c '# include "base/b.h"' '#include <mpi.h>'
    put src/train/t.c '# include "grad/g.h"' '#include "data/d.h"' '#include "report/r.h"'
    put src/serve/s.c '#include "base/a.h"' '#include <microhttpd.h>'
    put src/cli/c.c '#include "serve/s.h"' '#include "train/t.h"'
    accepts 'a good tree' sh "$0" "$tree"
    refuses 'no tree' 'no source tree' sh "$0" "$tree/nowhere"

    # wrong WHAT PART FILE TEXT...: the good tree with one bad file in it.
    wrong() {
        what=$1 part=$2 bad_file=$3
        shift 2
        put "$@"
        refuses "$what" "$part" sh "$0" "$tree"
        rm "$tree/$bad_file"
    }
    wrong 'base including graph' 'src/base/b.c:2: base may not include graph' \
        src/base/b.c '' '#include "graph/graph.h"'
    wrong 'an op including model' 'graph may not include model' \
        src/graph/ops/p.c '#include "model/arch.h"'
    wrong 'the server reaching into runtime' 'serve may not include runtime' \
        src/serve/r.c '#include "runtime/session.h"'
    wrong 'a page reaching into training' 'report may not include train' \
        src/report/r.c '#include "train/trainer.h"'
    wrong 'training that uses a library' 'train may not use a library' src/train/u.c '#include <zlib.h>'
    wrong 'a name without its layer' 'not of the form' src/base/b.c '#include "a.h"'
    wrong 'a path upwards' 'not of the form' src/base/b.c '#include "../base/a.h"'
    wrong 'our header in angle brackets' 'angle brackets' src/base/b.c '#include <base/a.h>'
    wrong 'a computed include' 'cannot be checked' src/base/b.c '#include NAME'
    wrong 'a public header that is not self-contained' 'a public header includes' \
        include/ramus/b.h '#include "base/a.h"'
    wrong 'a second user of a library' 'already used by src/ranks/t.c' \
        src/ranks/u.c '#include <mpi.h>'
    wrong 'a library in a header' 'not into a header of ours' src/ranks/u.h '#include <dnnl.h>'
    wrong 'a library under libramus' 'may not use a library' src/format/f.c '#include <lzma.h>'
    wrong 'intrinsics outside kernels' 'belong to kernels' src/graph/v.c '#include <arm_neon.h>'
    wrong 'a file outside the layers' 'is in no layer' src/b.c 'int b;'
    wrong 'an unknown layer' 'is in no layer' src/utils/b.c 'int b;'
    wrong '501 lines' 'more than 500 lines' src/base/b.c $(awk 'BEGIN { while (i++ < 501) print "//" }')
    put src/base/b.c $(awk 'BEGIN { while (i++ < 500) print "//" }')
    accepts '500 lines' sh "$0" "$tree"
    self_test_end
}

case ${1-} in
--self-test) self_test ;;
'') echo "usage: layers.sh ROOT | --self-test" >&2 && exit 2 ;;
*) check "$1" ;;
esac
