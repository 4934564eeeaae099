#!/bin/sh
# Checks that the links of all pages lead somewhere: to a file of the tree, and to a heading of it where the link names one.
#
#     links.sh ROOT
#     links.sh --self-test
set -u

check() {
    cd "$1" && [ -f README.md ] || { echo "no pages: $1" && exit 1; }
    pages=$(find . -name '*.md' -not -path './build*' -not -path './.git/*' | sed 's|^\./||' | sort)
    awk '
# As GitHub names it: small letters, digits, hyphens; a space is a hyphen.
function anchor(heading) {
    sub(/^#+ */, "", heading)
    heading = tolower(heading)
    gsub(/[^a-z0-9_ -]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}
# The path from the root of a link seen from a page: a/b/../c is a/c.
function resolved(page, link, part, n, i, out, depth) {
    if (page ~ /\//) { sub(/[^\/]*$/, "", page); link = page link }
    n = split(link, part, "/")
    depth = 0
    for (i = 1; i <= n; i++) {
        if (part[i] == "..") depth--
        else if (part[i] != "." && part[i] != "") kept[++depth] = part[i]
    }
    out = ""
    for (i = 1; i <= depth; i++) out = out (i > 1 ? "/" : "") kept[i]
    return out
}
FNR == 1 { code = 0 }
/^ *```/ { code = !code; next }
code || /^    / { next }
/^#/ { has[FILENAME, anchor($0)] = 1 }
{
    rest = $0
    while (match(rest, /\]\([^) ]+\)/)) {
        link = substr(rest, RSTART + 2, RLENGTH - 3)
        rest = substr(rest, RSTART + RLENGTH)
        if (link ~ /^https?:/) continue
        n++
        where[n] = FILENAME ":" FNR; shown[n] = link
        heading[n] = link ~ /#/ ? substr(link, index(link, "#") + 1) : ""
        sub(/#.*/, "", link)
        target[n] = link == "" ? FILENAME : resolved(FILENAME, link)
    }
}
END {
    for (i = 1; i <= n; i++) {
        if (system("test -e \"" target[i] "\"")) { printf "%s: %s: there is no %s\n", where[i], shown[i], target[i]; bad++ }
        else if (heading[i] != "" && target[i] ~ /\.md$/ && !((target[i], heading[i]) in has)) {
            printf "%s: %s: %s has no such heading\n", where[i], shown[i], target[i]
            bad++
        }
    }
    printf "%d links\n", n
    exit bad > 0
}' $pages
}

self_test() {
    . "$(dirname "$0")/self-test.sh"

    put docs/a.md '# A page: 8 and 4 bits' '[up](../README.md#the-top) [here](#a-page-8-and-4-bits) [away](https://example.com/none)'
    put README.md '# The top' '[a](docs/a.md)' '```' '[code](none.md)' '```'
    accepts 'links that lead somewhere' sh "$0" "$tree"
    put README.md '# The top' '[a](docs/b.md)'
    refuses 'a page that is not there' 'README.md:2: docs/b.md: there is no docs/b.md' sh "$0" "$tree"
    put README.md '# The top' '[a](docs/a.md#elsewhere)'
    refuses 'a heading that is not there' 'docs/a.md has no such heading' sh "$0" "$tree"
    put README.md '# Another top'
    refuses 'a link into a page that has changed' '../README.md#the-top: README.md has no such heading' sh "$0" "$tree"
    refuses 'no tree' 'no pages' sh "$0" "$tree/nowhere"
    self_test_end
}

case ${1-} in
--self-test) self_test ;;
'') echo "usage: links.sh ROOT | --self-test" >&2 && exit 2 ;;
*) check "$1" ;;
esac
