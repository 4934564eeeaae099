#!/bin/sh
# Checks that a page shows code that exists: below a line `<!-- from FILE -->` each line of the code block must be in FILE, white space
# aside. A line `...` stands for what is left out.
#
#     excerpts.sh ROOT PAGE...          PAGE is seen from ROOT
#     excerpts.sh --self-test
set -u

check() {
    cd "$1" || exit 1
    shift
    for page; do
        [ -f "$page" ] || { echo "no page: $page" && exit 1; }
    done
    awk '
function plain(line) {
    gsub(/[ \t]+/, " ", line)
    sub(/^ /, "", line)
    sub(/ $/, "", line)
    return line
}
function read_source(line) {
    split("", has)
    n_read = 0
    while ((getline line < source) > 0) {
        has[plain(line)] = 1
        n_read++
    }
    close(source)
    if (!n_read) bad("there is no file " source)
}
function bad(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    n_bad++
}
/^<!-- from .* -->$/ {
    source = $3
    read_source()
    next
}
/^```/ {
    if (inside) source = ""
    inside = !inside
    n_blocks += inside && source != ""
    next
}
inside && source != "" && plain($0) != "" && plain($0) != "..." && !(plain($0) in has) { bad(source " does not have: " $0) }
END {
    printf "%d excerpts\n", n_blocks
    exit n_bad > 0 || n_blocks == 0
}' "$@"
}

self_test() {
    . "$(dirname "$0")/self-test.sh"

    put src/a.c 'int a(void)' '{' '    return 1;' '}'
    put page.md 'text' '<!-- from src/a.c -->' '```c' 'int a(void)' '{' '    ...' '}' '```' '```c' 'int free_example;' '```'
    accepts 'an excerpt' sh "$0" "$tree" page.md
    put page.md '<!-- from src/a.c -->' '```c' 'int a(void)' '    return 2;' '```'
    refuses 'another line' 'src/a.c does not have:     return 2;' sh "$0" "$tree" page.md
    put page.md '<!-- from src/b.c -->' '```c' 'int a(void)' '```'
    refuses 'a file that is gone' 'there is no file src/b.c' sh "$0" "$tree" page.md
    put page.md 'text'
    refuses 'a page without excerpts' '0 excerpts' sh "$0" "$tree" page.md
    refuses 'no page' 'no page: none.md' sh "$0" "$tree" none.md
    self_test_end
}

case ${1-} in
--self-test) self_test ;;
'') echo "usage: excerpts.sh ROOT PAGE... | --self-test" >&2 && exit 2 ;;
*) check "$@" ;;
esac
