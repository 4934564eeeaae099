#!/bin/sh
# Translating as a user meets it: translate.sh RAMUS GOLDEN. One line out for one line in, whatever comes; pipes,
# documents, JSON; errors.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

# expect CODE STREAM PATTERN ARGUMENT...: runs ramus translate; STREAM (out or err) must match the pattern, if there is
# one.
expect() {
    code=$1 stream=$2 pattern=$3
    shift 3
    "$ramus" translate "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    if [ "$got" != "$code" ] || { [ -n "$pattern" ] && ! grep -qE -e "$pattern" "$stream"; }; then
        fail "ramus translate $*: exit $got, expected $code, and '$pattern' in std$stream"
    elif [ "$code" != 0 ] && [ "$(wc -l <err)" -ne 1 ]; then
        fail "ramus translate $*: expected one line on standard error"
    fi
}

. "$tests/small_model.sh"
head -40 train.en >some.en

# A line for each line, the same in every way of asking.
expect 0 err '' -m m.gguf -i some.en -o want
check 'a line for each line' test "$(wc -l <want)" = 40
check 'nothing on standard output' test ! -s out
check 'the model says something of its own about most lines' test "$(sort -u want | wc -l)" -gt 20
"$ramus" translate -m m.gguf -q <some.en >got
check 'standard input' cmp want got
"$ramus" translate -m m.gguf -q --batch 1 --threads 3 <some.en >got
check 'batches and threads' cmp want got
expect 0 err '' -m m.gguf --verify -i some.en -o got
check 'of a file that was verified' cmp want got
{ head -c 60000 m.gguf; printf x; tail -c +60002 m.gguf; } >damaged.gguf
expect 1 err '^ramus translate: damaged.gguf: is damaged: its bytes have the checksum [0-9a-f]{16}, ' -m damaged.gguf --verify hello
expect 1 err 'it has no checksum' -m run/checkpoint-00000300.safetensors --verify hello
head -1 want >first
expect 0 out '' -m m.gguf "$(head -1 some.en)"
check 'an argument' cmp first out
for pack in gzip xz; do
    command -v $pack >/dev/null || continue
    $pack -c some.en >packed
    expect 0 out '' -m m.gguf -i packed
    check "input of $pack" cmp want out
    "$ramus" translate -m m.gguf -q <packed >got
    check "standard input of $pack" cmp want got
done
expect 0 out '' -m run/checkpoint-00000300.safetensors -i some.en
check 'a checkpoint translates too' test "$(wc -l <out)" = 40

# Lines of all kinds: LINES of input, then of output.
lines() {
    "$ramus" translate -m m.gguf --beam 1 --max-length-ratio 0.01 <in >out 2>err
    check "$1: exit 0" test $? = 0
    check "$1: lines" test "$(wc -l <out)" = "$2"
}
: >in
lines 'nothing' 0
check 'no output' test ! -s out
printf 'yes\nno' >in
lines 'no final line feed' 2
printf '\n\n  \n\t\n' >in
lines 'empty lines' 4
check 'empty lines stay as they are' cmp -s in out
printf 'yes.\r\nno.\r\n\r\n' >in
lines 'CRLF' 3
printf 'yes.\nno.\n\n' | "$ramus" translate -m m.gguf --beam 1 --max-length-ratio 0.01 -q >plain
check 'CRLF is translated as LF' cmp plain out
{ yes | head -2048 && printf 'a\rb\n\001\002\033[0m\177\na\000b\n\000\n'; } >in # zeros behind the bytes that tell the kind
lines 'control characters' 2052
printf 'ok\n\377\376\nok \303\n' >in
lines 'invalid UTF-8' 3
check 'it is noted' grep -q 'line 2 is not UTF-8' err
check 'and where' grep -q 'line 3 is not UTF-8' err
check 'and not elsewhere' sh -c '! grep -q "line 1 is not" err'
{ printf '\377\n' && head -c 5000 /dev/zero | tr '\0' x; } >in
lines 'wrong in two ways' 2
check 'one is noted' grep -q 'line 1 is not UTF-8' err
check 'and the other' grep -q 'line 2 is too long' err
"$ramus" translate -m m.gguf --beam 1 --max-length-ratio 0.01 -q <in >out 2>err
check '--quiet is quiet' test ! -s err
megabyte=1000000
[ -z "${RAMUS_SANITIZED:-}" ] || megabyte=100000 # still hundreds of parts; with the spaces, still more than a chunk
{
    head -c $megabyte /dev/zero | tr '\0' x && echo && head -c 1000000 /dev/zero | tr '\0' ' ' && echo
    head -c $((megabyte / 10 * 3)) /dev/urandom | tr '\n' x && echo
    yes 'all of it comes back,' | head -10000 | tr '\n' ' ' && echo
} >in
lines 'lines of a megabyte' 4
check 'they are noted' grep -q 'line 1 is too long for the model and was translated in parts' err

# n-best and JSON.
expect 0 out '^0 \|\|\| .* \|\|\| -[0-9]+\.[0-9]{6}$' -m m.gguf -i some.en --n-best 3
check 'three for each line' sh -c 'cut -d " " -f 1 out | uniq -c | grep -vc "^ *3 " | grep -qx 0'
check 'the first is the best' sh -c \
    "awk '{ n[\$1]++ } n[\$1] == 1' out | sed -E 's/^[0-9]+ \|\|\| (.*) \|\|\| [^|]*\$/\1/' | cmp - want"
expect 0 out '^\{"source": ' -m m.gguf -i some.en --json --n-best 2
cat >check.py <<'END'
import json, sys
texts = open(sys.argv[1], encoding="utf-8", errors="replace", newline="\n").read().split("\n")
rows = [json.loads(line) for line in open("out", "rb")]
assert len(rows) == len(texts) - 1, len(rows)
for row, text in zip(rows, texts):
    assert row["source"] == text, (row["source"], text)
    assert isinstance(row["text"], str) and row["score"] <= 0 and "\n" not in row["text"]
    n = len(row["tokens"])
    assert all(isinstance(piece, str) for piece in row["tokens"] + row["source_tokens"])
    assert len(row["log_probs"]) == len(row["alignment"]) == n
    assert all(-1 <= i < len(row["source_tokens"]) for i in row["alignment"])
    assert row["n_best"][0]["text"] == row["text"] and row["n_best"][0]["score"] == row["score"]
    assert len(row["n_best"]) <= 2 and all(b["score"] <= 0 for b in row["n_best"])
END
check 'each line is JSON' python3 check.py some.en
check 'the texts are those of plain output' python3 -c \
    'import json; assert [json.loads(l)["text"] for l in open("out")] == open("want").read().split("\n")[:-1]'
printf 'a "b" \\ \001\n\n\377 \303\nyes\n' >odd
expect 0 out '"notes": \["invalid' -m m.gguf -i odd --json --n-best 2 -q
check 'so is each odd line' python3 check.py odd

# Documents: the white space of the source.
printf '\n  Yes.  No?\n\n\n\tWhere is\nthe station? Here.\n \n\nEnd' >document
expect 0 err '' -m m.gguf --document -i document -o out
cat >spaces.py <<'END'
import re
found = open("out", encoding="utf-8", errors="replace").read()
assert found.startswith("\n  ") and not found[3].isspace(), found
assert len(re.findall(r"\n\n\n\t\S", found)) == 1, found
assert len(re.findall(r"\S\n \n\n\S", found)) == 1, found
assert not found.endswith("\n"), found
END
check 'white space stays' python3 spaces.py
cp out whole
expect 0 out '"source": "\\n' -m m.gguf --document -i document --json
check 'as JSON it adds up to the same' python3 -c '
import json
rows = [json.loads(l) for l in open("out")]
assert "".join(r["source"] for r in rows) == open("document").read()
assert "".join(r["text"] for r in rows) == open("whole", encoding="utf-8", errors="replace").read()'
expect 0 out '' -m m.gguf --document 'Yes. No.'
check 'a document as argument gets a line' test "$(wc -l <out)" -ge 1
printf '\n\n \n' >blank
expect 0 err '' -m m.gguf --document -i blank -o out
check 'a document of nothing stays as it is' cmp blank out

# A pipe: each line is answered before the next one is sent.
mkfifo to from
trap '' PIPE
timeout 300 "$ramus" translate -m m.gguf -q <to >from & # it would wait for ever, were a line not answered
exec 3>to 4<from
answered=0
while read -r line; do
    printf '%s\n' "$line" >&3
    read -r answer <&4 || break
    answered=$((answered + 1))
done <some.en
exec 3>&-
wait $!
check 'a pipe ends well' test $? = 0
check 'lines are answered one by one' test $answered = 40
exec 4<&-
yes 'A line that never ends.' | "$ramus" translate -m m.gguf -q --beam 1 2>/dev/null | head -3000 >out
check 'endless input gives output' test "$(wc -l <out)" = 3000

# Memory does not grow with the input: 20 times as much text needs at most 1 MB more.
awk 'BEGIN { while (n++ < 40000) print "Yes, number " n % 90 + 10 "." }' >many
head -2000 many >less
bounded() {
    (ulimit -v "$1" &&
        "$ramus" translate -m m.gguf -q --beam 1 --threads 1 --max-length-ratio 0.01 <"$2" >out 2>err)
}
if [ -z "${RAMUS_SANITIZED:-}" ]; then # sanitizers reserve terabytes
    limit=16000
    while [ $limit -lt 1000000 ] && ! bounded $limit less; do limit=$((limit + 1000)); done
    check "40,000 lines need no more memory than 2,000: $limit KB" bounded $((limit + 1000)) many
    check 'and are all there' test "$(wc -l <out)" = 40000
fi

# Without -m: the model of a direction, from RAMUS_MODELS, beside the program, or from where it is installed.
mkdir -p own tree/models prefix/bin prefix/share/ramus/models empty
cp m.gguf own/fr-en.gguf
cp m.gguf tree/models/en-de.gguf
cp m.gguf prefix/share/ramus/models/en-de.gguf
echo 'no model' | tee own/en-fr.gguf own/.gguf own/fr-en tree/models/de-en.gguf tree/models/aa-de.gguf prefix/share/ramus/models/de-en.gguf >/dev/null
cp "$ramus" tree/ramus
cp "$ramus" prefix/bin/ramus
export RAMUS_MODELS="$folder/own"
expect 1 err 'own/en-fr\.gguf: ' hello
expect 1 err 'own/en-fr\.gguf: ' --from en --to fr hello
expect 0 out . --to en "$(head -1 some.en)"
check 'the model of RAMUS_MODELS' cmp first out
expect 1 err "no model \\*-n\\.gguf in $folder/own, which has [a-z, -]*: expected -m MODEL" --to n hello
expect 1 err 'no model de-en\.gguf in ' --from de --to en hello
expect 1 err 'the model has no word >>xx<<' -m m.gguf --to xx hello
expect 2 err 'both -m MODEL and --from' -m m.gguf --from en hello
export RAMUS_MODELS=
for program in tree/ramus prefix/bin/ramus; do
    "$program" translate "$(head -1 some.en)" >out 2>err
    check "$program: its model" cmp first out
    "$program" translate --to en hello >out 2>err
    check "$program: and that of the other direction" grep -q 'models/de-en\.gguf: ' err
done
export RAMUS_MODELS="$folder/empty"

# Errors.
expect 1 err "no model \\*-\\*\\.gguf in $folder/empty: expected -m MODEL" hello
expect 1 err 'nowhere\.gguf: cannot open' -m nowhere.gguf hello
head -c 3000 m.gguf >cut.gguf
expect 1 err 'cut\.gguf: ' -m cut.gguf hello
expect 1 err 'train\.en: ' -m train.en hello
expect 1 err 'nowhere\.en: cannot open' -m m.gguf -i nowhere.en
PMI_SIZE=2 "$ramus" translate -m m.gguf hello >out 2>err
check 'the rest of a job in the environment is no rank' test $? = 0
expect 2 err 'both -i FILE and text' -m m.gguf hello -i some.en
expect 1 err 'hello: cannot open' -m m.gguf -i some.en hello
expect 1 err 'the prefix has [0-9]+ tokens' -m m.gguf --prefix "$(seq 600)" hello # its text is fine for the options
expect 2 err 'n-best is 5, expected at most the beam, 4' -m m.gguf --n-best 5 hello
expect 2 err 'expected --json too' -m m.gguf --document --n-best 2 hello
expect 2 err 'beam' -m m.gguf --beam 0 hello
export RAMUS_ISA=foo
expect 1 err "RAMUS_ISA is 'foo', expected one of: ref" -m m.gguf hello
unset RAMUS_ISA
expect 2 err 'beam' -m m.gguf --beam 65 hello
expect 2 err 'did you mean --n-best' -m m.gguf --nbest 2 hello
expect 1 err 'nowhere/out: cannot create' -m m.gguf -o nowhere/out hello
expect 1 err 'the prefix has [0-9]+ tokens' -m m.gguf --prefix "$(head -c 3000 train.de | tr '\n' ' ')" hello
printf '\037\213broken' >broken.gz
expect 1 err 'broken\.gz: the packed data is damaged' -m m.gguf -i broken.gz
if [ -c /dev/full ]; then
    expect 1 err 'cannot write' -m m.gguf -o /dev/full hello
    "$ramus" translate -m m.gguf hello >/dev/full 2>err
    check 'a full device is a failure' test $? = 1
    check 'it says so' grep -q 'standard output: cannot write: No space left' err
fi

# An exported model becomes a checkpoint: exported again it translates the same, and it can be trained on.
"$ramus" import m.gguf -o back.safetensors --vocab back.model -q
check 'import of a model file' test $? = 0
check 'its vocabulary is the one it was trained with' cmp -s back.model v.model
"$ramus" export back.safetensors -o back.gguf -q && "$ramus" translate -m back.gguf -i some.en -o got -q
check 'there and back, the same translations' cmp -s got want
"$ramus" train --init back.safetensors --vocab back.model --train train.en train.de --out more --updates 2 --rate 1e-4 \
    --batch-tokens 600 --threads 1 -q 2>err
check 'it is trained on' test -f more/checkpoint-00000002.safetensors
"$ramus" import m.gguf -o other.safetensors --vocab one two 2>err
check 'two files for one vocabulary fail' test $? = 1
check 'a sentence says why' grep -q 'vocabularies are 1' err
check 'nothing is left' test ! -e other.safetensors -a ! -e one

echo "$checks checks, $failures failed"
[ $failures = 0 ]
