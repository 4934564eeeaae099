# Shared by the checks of this folder: shows on small made-up trees that a check can fail.
#
# A check calls itself on $tree, which is empty at first and gone at the end.

tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
expectations=0 failures=0

# put FILE TEXT...: writes a file of the tree, one line per TEXT.
put() {
    mkdir -p "$(dirname "$tree/$1")"
    file=$1
    shift
    printf '%s\n' "$@" >"$tree/$file"
}

# accepts WHAT COMMAND...: the command succeeds.
accepts() {
    what=$1
    shift
    expectations=$((expectations + 1))
    output=$("$@" 2>&1) && return
    failures=$((failures + 1))
    printf 'FAIL %s is refused:\n%s\n' "$what" "$output"
}

# refuses WHAT PART COMMAND...: the command fails and says PART.
refuses() {
    what=$1 part=$2
    shift 2
    expectations=$((expectations + 1))
    if output=$("$@" 2>&1); then
        printf 'FAIL %s is accepted\n' "$what"
    else
        case $output in
        *"$part"*) return ;;
        esac
        printf 'FAIL %s is refused without "%s":\n%s\n' "$what" "$part" "$output"
    fi
    failures=$((failures + 1))
}

self_test_end() {
    echo "$expectations expectations, $failures failed"
    [ "$failures" -eq 0 ]
    exit
}
