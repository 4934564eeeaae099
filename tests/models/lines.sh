#!/bin/sh
# Lines of three sentences are translated as well as the same sentences one a line: lines.sh RAMUS GOLDEN FROM TO. Of 300 sentences, BLEU
# against their references; a line translated whole is the measure that shows the difference there could be.
set -u
ramus=$1 golden=$2 from=$3 to=$4
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/../cli/checks.sh"

sed -n 'p;n' "$golden/text/sample.en-de.txt" | head -300 >one.en
sed -n 'n;p' "$golden/text/sample.en-de.txt" | head -300 >one.de
for side in en de; do paste -d ' ' - - - <one.$side >three.$side; done
translate() { "$ramus" translate -q --from "$from" --to "$to" "$@" || exit 1; }
translate -i "one.$from" | paste -d ' ' - - - >joined
translate -i "three.$from" -o split
translate --whole-lines -i "three.$from" -o whole
bleu() { "$ramus" evaluate --json --ref "three.$to" "$1" | grep -oE '"score": [0-9.]+' | head -1 | cut -d ' ' -f 2; }
joined=$(bleu joined) split=$(bleu split) whole=$(bleu whole)
echo "100 lines, BLEU: $joined one sentence a line, $split three a line, $whole translated whole"
: >out
check 'within half a point' awk "BEGIN { exit !($split > $joined - 0.5 && $split < $joined + 0.5) }"
check 'the measure sees lost sentences' awk "BEGIN { exit !($whole < $joined - 1) }"

echo "$checks checks, $failures failed"
[ $failures = 0 ]
