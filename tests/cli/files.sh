#!/bin/sh
# Files as a user meets them: files.sh RAMUS GOLDEN. The output may be the input, survives a stop and a full disk, is packed
# by its name; - is standard input and output; what is no text is refused; progress.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"
. "$tests/small_model.sh"
head -20 train.en >some.en
head -20 train.de >some.de
"$ramus" translate -m m.gguf -q <some.en >want || exit 1
"$ramus" tokenize --vocab v.model <some.en >pieces || exit 1
fast='--beam 1 --max-length-ratio 0.01 -q'
no_leftovers() {
    check "$1: no temporary file is left" sh -c '! ls -A | grep -q "\.tmp-"'
}

# The output may be the input, of more than a megabyte, plain and packed.
lines=80000
[ -z "${RAMUS_SANITIZED:-}" ] || lines=10000 # slow; still more than a buffer and a chunk
awk -v lines=$lines 'BEGIN { while (n++ < lines) print "Yes, number " n % 90 + 10 "." }' >big
check 'the file is big' test "$(wc -c <big)" -gt $((lines * 14))
# shellcheck disable=SC2086 # options
"$ramus" translate -m m.gguf $fast -i big -o big.out
check 'a line for each line' test "$(wc -l <big.out)" = $lines
"$ramus" tokenize --vocab v.model -i big >big.pieces
for pack in cat 'gzip -c' 'xz -c0'; do
    command -v ${pack%% *} >/dev/null || continue
    case $pack in cat) name=self ;; gzip*) name=self.gz ;; *) name=self.xz ;; esac
    $pack big >$name
    chmod 640 $name
    # shellcheck disable=SC2086
    "$ramus" translate -m m.gguf $fast -i $name -o $name
    ${pack%% *} $(test "$pack" = cat || echo -dc) $name >got
    check "$name: translated onto itself" cmp got big.out
    check "$name: its permissions stay" test "$(stat -c %a $name)" = 640
    $pack big >$name
    "$ramus" tokenize --vocab v.model -i $name -o $name
    ${pack%% *} $(test "$pack" = cat || echo -dc) $name >got
    check "$name: tokenised onto itself" cmp got big.pieces
done
no_leftovers 'input as output'

# A stop keeps the old file: in the middle of the work, and while it waits for input.
mkfifo idle
for signal in INT TERM; do
    code=130
    [ $signal = INT ] || code=143
    echo old >kept
    yes 'A text without an end.' | timeout --preserve-status -s $signal 1 "$ramus" translate -m m.gguf -q -o kept 2>err
    check "$signal: the exit code of the signal" test $? = $code
    check "$signal: the old file" test "$(cat kept)" = old
    check "$signal: a sentence" grep -qx 'ramus translate: stopped' err
    timeout --preserve-status -s $signal 1 "$ramus" translate -m m.gguf -q -o kept <>idle 2>err
    check "$signal while waiting: the exit code" test $? = $code
    check "$signal while waiting: the old file" test "$(cat kept)" = old
done
for command in tokenize detokenize; do
    yes 'A text without an end.' | timeout --preserve-status -s INT 1 "$ramus" $command --vocab v.model -o kept 2>err
    check "$command: the exit code of the signal" test $? = 130
    check "$command: the old file" test "$(cat kept)" = old
done
no_leftovers 'a stop'

# A full disk keeps the old file, too; a limit on the size of files stands for it. A device that is full is an error.
for command in 'translate -m m.gguf -q' 'tokenize --vocab v.model' 'detokenize --vocab v.model'; do
    # shellcheck disable=SC2086
    (ulimit -f 20 && exec "$ramus" $command -i train.en train.de train.en -o kept >out 2>err)
    check "$command: no room" test $? = 1
    check "$command: a sentence" grep -qE 'ramus [a-z]+: kept: cannot write: File too large' err
    check "$command: the old file" test "$(cat kept)" = old
    # shellcheck disable=SC2086
    [ ! -c /dev/full ] || expect 1 err '/dev/full: cannot write: No space left' $command -o /dev/full hello
done
no_leftovers 'a full disk'

# - is standard input and output.
for arguments in '-' '-i -' '-i - -o -' '- -o /dev/stdout' ''; do
    # shellcheck disable=SC2086
    "$ramus" translate -m m.gguf -q $arguments <some.en >out 2>err
    check "translate $arguments" cmp want out
    # shellcheck disable=SC2086
    "$ramus" tokenize --vocab v.model $arguments <some.en >out 2>err
    check "tokenize $arguments" cmp pieces out
    # shellcheck disable=SC2086
    "$ramus" detokenize --vocab v.model $arguments <pieces >out 2>err
    check "detokenize $arguments" cmp some.en out
done
check 'no file has that name' test ! -e -
"$ramus" evaluate --ref some.de want --json >want.scores
for arguments in '--ref some.de' '--ref some.de -'; do
    # shellcheck disable=SC2086
    "$ramus" evaluate $arguments --json <want >out 2>err
    check "evaluate $arguments" sh -c 'sed "s/\"file\": \"-\"/\"file\": \"want\"/" out | cmp want.scores -'
done
expect 2 err 'standard input is asked for 2 times' evaluate --ref -
expect 2 err 'expected --ref' evaluate want
"$ramus" score -m m.gguf --source some.en --target want -q >want.logs
"$ramus" score -m m.gguf --source some.en --target - -q <want >out
check 'score --target -' cmp want.logs out
expect 2 err 'standard input cannot be both' score -m m.gguf --source - --target -
expect 2 err 'the model is read again' export run/checkpoint-00000300.safetensors -o -
"$ramus" average run/checkpoint-00000300.safetensors -o mean.safetensors -q
"$ramus" average run/checkpoint-00000300.safetensors -o - -q >out
check 'average -o -' cmp mean.safetensors out
"$ramus" vocab --input both --size 500 -o - --threads 2 -q >out
check 'vocab -o -' cmp v.model out

printf 'input = some.en\nquiet = on\n' | "$ramus" translate -m m.gguf --config - >out
check '--config -' cmp want out
expect 0 out '^  --input FILE\.\.\. ' translate --help
expect 0 out '^  --out FOLDER ' train --help

# Links and pipes.
echo old >file
ln -s file link
"$ramus" tokenize --vocab v.model -i some.en -o link
check 'a link stays' test -L link
check 'its file is replaced' cmp file pieces
mkfifo pipe
cat pipe >got &
"$ramus" tokenize --vocab v.model -i some.en -o pipe
wait $!
check 'a pipe stays' test -p pipe
check 'and gets the text' cmp got pieces

# Several files are one text after the other; a file may lack its last line feed.
printf 'Yes.\nNo.' >first
"$ramus" translate -m m.gguf -q -i first -i some.en >out
check 'a line for each line of each file' test "$(wc -l <out)" = 22
check 'the second behind the first' sh -c 'tail -20 out | cmp - want'
"$ramus" translate -m m.gguf -q -i first some.en - --json <first >out
check 'several behind one -i, in JSON' test "$(grep -c '^{"source": "' out)" = 24
printf 'One half of a sentence\n' >half
"$ramus" translate -m m.gguf -q --document -i half half --json >out
check 'no sentence begins in one file and ends in the next' test "$(wc -l <out)" = 2
"$ramus" tokenize --vocab v.model -i first some.en | tail -20 >out
check 'tokenize: the second behind the first' cmp pieces out
expect 1 err 'nowhere: cannot open' translate -m m.gguf -i some.en nowhere -o new
check 'a file that is missing shows before the work' test ! -e new

# Words are one text, lines of it are lines.
"$ramus" translate -m m.gguf -q 'Where is the station?' >one
expect 0 out . translate -m m.gguf -q Where is the 'station?'
check 'words are one text' cmp one out
"$ramus" translate -m m.gguf -q "$(cat some.en)" >out
check 'a text of several lines' cmp want out
expect 0 out '^$' translate -m m.gguf -q ''
"$ramus" tokenize --vocab v.model "$(head -1 some.en)" >one
# shellcheck disable=SC2046 # words
"$ramus" tokenize --vocab v.model $(head -1 some.en) >out
check 'tokenize: words are one text' cmp one out

# Outputs are packed by their names.
for pack in gzip xz; do
    command -v $pack >/dev/null || continue
    name=packed.${pack%ip}
    [ $pack = xz ] || name=packed.gz
    for command in 'translate -m m.gguf -q' 'tokenize --vocab v.model'; do
        # shellcheck disable=SC2086
        "$ramus" $command -i some.en -o $name
        # shellcheck disable=SC2086
        "$ramus" $command -i some.en >plain
        $pack -dc $name >got
        check "$command -o $name" cmp got plain
        # shellcheck disable=SC2086
        "$ramus" $command -o $name </dev/null
        check "$command -o $name of nothing" test "$($pack -dc $name | wc -c)" = 0
    done
    "$ramus" translate -m m.gguf -q -i some.en --resume -o $name
    $pack -dc $name >got
    check "--resume -o $name" cmp got want
done

# What is no text.
{ printf '\377\376' && printf 'Yes.\n' | sed 's/./&\x00/g'; } >utf16
printf 'BZh91AY&SY\001\002' >x.bz2
printf '\050\265\057\375\044' >x.zst
printf '%%PDF-1.7\n' >x.pdf
printf 'PK\003\004\024' >x.zip
for command in 'translate -m m.gguf -i' 'tokenize --vocab v.model -i' 'detokenize --vocab v.model -i' \
    'evaluate --ref some.de' 'evaluate --ref' 'score -m m.gguf --source some.en --target' 'vocab -o v2.model --input' \
    'distill -m m.gguf -o d.tsv -i' 'train --vocab v.model --out none --train some.en'; do
    # shellcheck disable=SC2086
    expect 1 err 'utf16: is text in UTF-16, expected text in UTF-8.*iconv -f UTF-16 -t UTF-8' $command utf16
done
for kind in 'bz2 bunzip2' 'zst unzstd' 'pdf pdftotext' 'zip save the document as text'; do
    expect 1 err "x.${kind%% *}: is .*${kind#* }" translate -m m.gguf -i "x.${kind%% *}" -o new
done
expect 1 err 'm.gguf: is binary: it has zero bytes' translate -m m.gguf -i m.gguf
check 'nothing is written' test ! -e new

# A document that cannot be read is named, and so is one of several that do not make one.
printf '{"a": nope}' >x.json
cp x.zip x.docx
expect 1 err 'x\.json: not JSON in line 1, column 8' translate -m m.gguf -i x.json -o new
expect 1 err 'x\.docx: cannot read the archive' translate -m m.gguf -i x.docx -o new
expect 1 err 'train\.en: found no column .7.' translate -m m.gguf --format csv --column 7 -i train.en -o new
expect 2 err '2 documents of format docx do not make one' translate -m m.gguf -i x.docx x.docx -o new
check 'nothing is written' test ! -e new
expect 0 out '^- ' translate -m m.gguf '- Where is the station?'

# Progress: total and time left, within a chunk, and the note of who reads standard input.
if command -v script >/dev/null; then
    for input in '-i long' '-i long.gz' '-o out <long'; do
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do cat train.en; done >long # progress shows after 0.2 s
        gzip -c long >long.gz
        script -qec "'$ramus' translate -m m.gguf --batch 4 --threads 1 $input -o out" /dev/null </dev/null >shown
        case $input in *gz) total=$(wc -c <long.gz) unit=bytes ;; *) total=3000 unit=lines ;; esac
        check "progress of $input" grep -qaE "translating: [0-9]+ of $total $unit, [0-9]+ a second, [0-9]+ s left" shown
    done
    script -qec "'$ramus' tokenize --vocab v.model" /dev/null </dev/null >shown
    check 'the terminal is read' grep -qa 'reading standard input; Ctrl-D ends it' shown
fi

echo "$checks checks, $failures failed"
[ $failures = 0 ]
