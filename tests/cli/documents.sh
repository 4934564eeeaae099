#!/bin/sh
# Small documents of every format, translated whole: documents.sh RAMUS GOLDEN SOURCE BUILD. Other programs judge the structure of
# what came out (tests/document/judge.py). tools/check-documents does this with real documents and the models that ship.
set -u
ramus=$1 golden=$2 build=$4
tests=$(cd "$(dirname "$0")" && pwd)
judge=$tests/../document/judge.py
"$judge" --parsers || exit 0 # it says what is skipped
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"
. "$tests/small_model.sh"

set --
for file in "$golden"/documents/*.* "$golden"/office/*.docx "$golden"/office/*.odt; do
    name=${file##*/} option=
    [ "${name##*.}" = txt ] && option=--document
    # shellcheck disable=SC2086
    "$ramus" translate -m m.gguf -q --beam 1 $option -i "$file" -o "$name" 2>err
    check "$name: exit 0" test $? = 0
    set -- "$@" "$file" "$name"
done
check 'every format' test $# -ge 26
"$judge" "$@" >out
check 'their structure stays' test $? = 0
sed 's/^/ok   /' out
while [ $# -gt 0 ]; do # half of a document is not its structure
    head -c $(($(wc -c <"$2") / 2)) "$2" >half
    "$judge" "$1" half >out 2>err
    check "half of $2 is noticed" test $? != 0
    shift 2
done

echo "$checks checks, $failures failed"
[ $failures = 0 ]
