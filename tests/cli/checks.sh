# Sourced by tests of the command line, in their folder, with the program in $ramus: they count $checks and $failures.
checks=0 failures=0

fail() {
    failures=$((failures + 1))
    echo "$1; found:"
    head -c 4000 out err
}

# expect CODE STREAM PATTERN ARGUMENT...: runs ramus; STREAM (out or err) must match the pattern.
expect() {
    code=$1 stream=$2 pattern=$3
    shift 3
    "$ramus" "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    if [ "$got" != "$code" ] || ! grep -qE -e "$pattern" "$stream"; then
        fail "ramus $*: exit $got, expected $code, and '$pattern' in std$stream"
    elif [ "$code" != 0 ] && { [ -s out ] || [ "$(wc -l <err)" -ne 1 ]; }; then
        fail "ramus $*: expected one line on standard error and nothing else"
    fi
}

# check WHAT TEST...: a fact about files that the last call left.
check() {
    what=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$what"
}
