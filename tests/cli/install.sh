#!/bin/sh
# The installed library as an application meets it: install.sh RAMUS GOLDEN SOURCE BUILD. Compilers: CC and CXX;
# LINK_FLAGS are those that the library itself was linked with.
set -u
ramus=$1 golden=$2 source=$3 build=$4
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
checks=0 failures=0

# check WHAT TEST...: a fact; what the command printed is shown when it fails.
check() {
    what=$1
    shift
    checks=$((checks + 1))
    "$@" >log 2>&1 && return
    failures=$((failures + 1))
    echo "not so: $what; found:"
    cat log
}

# The functions that a header declares: NAME of every "RAMUS_PUBLIC ... NAME(".
declared() {
    sed '/^#/d' "$1" | tr '\n' ' ' | grep -oE 'RAMUS_PUBLIC [^();]*\(' | sed -E 's/.*[ *](ramus_[a-z_]+)\($/\1/' | sort
}

# The names that a shared library shows.
shown() {
    "${NM:-nm}" -D --defined-only "$1" | awk '{ print $NF }' | sort
}

. "$tests/small_model.sh"

# Installed to a prefix below DESTDIR, as packages are made, then used where it is.
DESTDIR=$folder/stage cmake --install "$build" --prefix /ramus >log || { cat log && exit 1; }
prefix=$folder/stage/ramus
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
version=$(sed -n 's/^#define RAMUS_VERSION "\(.*\)"/\1/p' "$prefix/include/ramus/ramus.h")
check 'pkg-config finds it' pkg-config --exists ramus
check "its version is $version" test "$(pkg-config --modversion ramus)" = "$version"
check 'the program was installed' test "$("$prefix/bin/ramus" --version)" = "ramus $version"
check 'and finds the models that ship' test -n "$("$prefix/bin/ramus" translate 'Where is the station?')"
check 'and its vocabulary trainer' "$prefix/bin/ramus" vocab --input "$golden/text/sample.en-de.txt" --size 400 -o v.model
check 'the shared library has a version' test -f "$prefix/lib/libramus.so.$version"
check 'and its soname is there' test -e "$prefix/lib/libramus.so.${version%%.*}"
check 'only the public header is installed' test "$(find "$prefix/include" -type f)" = "$prefix/include/ramus/ramus.h"

declared "$prefix/include/ramus/ramus.h" >declared
shown "$prefix/lib/libramus.so" >shown
check 'the header declares ramus_translate_all' grep -qx ramus_translate_all declared
check 'the shared library shows what the header declares, and nothing else' diff declared shown

# The example, with the shared and with the static library.
compile() {
    $CC -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags ramus) -o "$@" $LINK_FLAGS
}
static="$(pkg-config --static --libs-only-L --libs-only-other ramus) -Wl,-Bstatic -lramus -Wl,-Bdynamic -lm"
check 'the example compiles' compile shared "$source/examples/translate.c" $(pkg-config --libs ramus)
check 'and with the static library' compile static "$source/examples/translate.c" $static
export LD_LIBRARY_PATH="$prefix/lib"
needs() {
    readelf -d "$1" | grep -o 'NEEDED.*libramus\.so\.[0-9]*'
}
check 'the one needs the shared library' needs shared
check 'the other does not' sh -c '! readelf -d static | grep libramus'

head -50 train.en >some.en
"$ramus" translate -m m.gguf -q <some.en >want || exit 1
for program in shared static; do
    ./$program m.gguf <some.en >lines
    check "$program: translates lines as the program does" sh -c 'cut -f 1 lines | diff want -'
    check "$program: prints scores" sh -c "! grep -vE '	-[0-9]+\.[0-9]{4}\$' lines"
    ./$program -a m.gguf "$(head -1 some.en)" >argument
    check "$program: translates arguments" test "$(head -1 argument)" = "$(head -1 lines)"
    check "$program: prints an alignment" sh -c "sed -n 2p argument | grep -qE '^( [^ ]+=[^ ]+)+\$'"
    check "$program: a missing model is an error" sh -c "./$program nowhere.gguf x 2>&1 | grep 'nowhere.gguf: cannot open'"
done

# C++: the header compiles and the names link.
cat >program.cc <<'END'
#include <ramus/ramus.h>

#include <cstring>
#include <iostream>

int main(int, char **argv)
{
    ramus_model *model = nullptr;
    ramus_session *session = nullptr;
    ramus_error error{};
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    ramus_translate_options how = RAMUS_TRANSLATE_DEFAULTS;
    options.batch = 2;
    ramus_translation out;
    const ramus_text text{argv[2], std::strlen(argv[2])};
    const bool failed = ramus_model_open(&model, argv[1], &error) ||
                        ramus_session_create(&session, model, &options, &error) ||
                        ramus_translate_all(session, &text, 1, &how, &out, &error);
    std::cout << (failed ? error.message : out.text) << '\n';
    ramus_session_destroy(session);
    ramus_model_close(model);
    return failed;
}
END
check 'a C++ program compiles' $CXX -std=c++11 -Wall -Wextra -Werror $(pkg-config --cflags ramus) -o cxx program.cc \
    $(pkg-config --libs ramus) $LINK_FLAGS
check 'and translates' test "$(./cxx m.gguf "$(head -1 some.en)")" = "$(head -1 want)"

# What else is there: manual, completions, licence; CMake; how it goes away.
for file in man/man1/ramus.1 bash-completion/completions/ramus zsh/site-functions/_ramus fish/vendor_completions.d/ramus.fish \
    doc/ramus/LICENSE ramus/models/README.md; do
    check "$file is installed" test -s "$prefix/share/$file"
done
check 'the models have a licence' grep -q '^## Licence' "$prefix/share/ramus/models/README.md"
check 'pkg-config knows the models' test -f "$(pkg-config --variable=modelsdir ramus)/en-de.gguf"
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.16)
project(two C)
find_package(ramus ${version%.*} REQUIRED)
foreach(kind ramus static)
    add_executable(with_\${kind} $source/examples/translate.c)
    target_link_libraries(with_\${kind} ramus::\${kind} $LINK_FLAGS)
endforeach()
file(WRITE folder "\${ramus_MODELS_DIR}")
END
check 'CMake finds it' cmake -B two -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC"
check 'and builds with it' cmake --build two
check 'and knows the models' test -f "$(cat folder)/en-de.gguf"
unset LD_LIBRARY_PATH
for kind in ramus static; do
    check "ramus::$kind translates" test "$(two/with_$kind m.gguf "$(head -1 some.en)" | cut -f 1)" = "$(head -1 want)"
done
check 'one of them by the shared library' needs two/with_ramus
sed 's/find_package(ramus [0-9.]*/find_package(ramus 99/' CMakeLists.txt >other && mkdir new && mv other new/CMakeLists.txt
check 'not where a newer version is needed' sh -c "! cmake -S new -B new/build -DCMAKE_PREFIX_PATH='$prefix' -DCMAKE_C_COMPILER='$CC'"
if [ -z "$LINK_FLAGS" ] && [ "$(uname -m)" = x86_64 ]; then # megabytes that the guide tells, give or take a tenth
    cp "$prefix/lib/libramus.so.${version%%.*}" stripped.so && strip stripped.so
    told=$(sed -n 's/^| `libramus.so.0` | \([0-9.]*\) |$/\1/p' "$source/docs/guide/library.md")
    check "the guide tells its size ($told MB)" awk "BEGIN { size = $(wc -c <stripped.so) / 1e6; exit !(size > 0.9 * $told && size < 1.1 * $told) }"
fi

if grep -q '^RAMUS_HARDEN:BOOL=ON' "$build/CMakeCache.txt" && grep -q '^RAMUS_SANITIZE:STRING=$' "$build/CMakeCache.txt"; then
    for file in bin/ramus lib/libramus.so; do
        check "$file: calls are bound at the start" sh -c "readelf -dW '$prefix/$file' | grep -q BIND_NOW"
        check "$file: tables of addresses become read-only" sh -c "readelf -lW '$prefix/$file' | grep -q GNU_RELRO"
        check "$file: no stack can be executed" sh -c "readelf -lW '$prefix/$file' | grep -q 'GNU_STACK.* RW '"
        check "$file: stacks are guarded" sh -c "readelf -W --dyn-syms '$prefix/$file' | grep -q __stack_chk_fail"
        check "$file: calls of libc are checked" sh -c "readelf -W --dyn-syms '$prefix/$file' | grep -q '_chk@'"
    done
    check 'the program can lie anywhere' sh -c "readelf -hW '$prefix/bin/ramus' | grep -q 'Type: *DYN'"
fi

mkdir "$prefix/share/ramus/mine" && touch "$prefix/share/ramus/mine/file"
check 'nothing is removed elsewhere' sh -c "! '$source/tools/uninstall' '$build' /elsewhere '$folder/stage'"
check 'it can be taken away' "$source/tools/uninstall" "$build" /ramus "$folder/stage"
check 'all of it, and nothing else' test "$(find "$prefix" ! -type d)" = "$prefix/share/ramus/mine/file"
check 'with its folders' test -z "$(find "$prefix" -mindepth 1 -name ramus ! -path "$prefix/share/ramus*")"

echo "$checks checks, $failures failed"
[ $failures = 0 ]
