#!/bin/sh
# Which model translates where -m does not say: direction.sh RAMUS GOLDEN. The language of the text decides if it is
# clear; --from and --to fix it. Every model here is the same one, except those that cannot be read: they say their name.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"
. "$tests/small_model.sh"

english='Where is the station, please? I am looking for the next train.'
german='Wo ist bitte der Bahnhof? Ich suche den nächsten Zug.'
french='Où est la gare, je vous prie ? Je cherche le prochain train.'
folder_of() { # folder_of NAME MODEL...: a folder in which every model says its name
    mkdir -p "$1" && export RAMUS_MODELS="$folder/$1"
    shift
    for model; do echo 'no model' >"$RAMUS_MODELS/$model.gguf"; done
}

# Both directions.
folder_of two en-de de-en
for command in translate gates; do
    expect 1 err 'two/en-de\.gguf: ' $command "$english"
    expect 1 err 'two/de-en\.gguf: ' $command "$german"
    expect 1 err 'two/en-de\.gguf: ' $command "$french"
    expect 1 err 'two/en-de\.gguf: ' $command Berlin
    expect 1 err 'two/en-de\.gguf: ' $command ''
    expect 1 err 'two/de-en\.gguf: ' $command --from auto "$german"
    expect 1 err 'two/en-de\.gguf: ' $command --from auto --to de "$english"
    expect 1 err 'cannot tell the language of the text: expected --from LANGUAGE or -m MODEL' $command --from auto Berlin
    expect 1 err 'cannot tell the language of the text' $command --from auto "$french"
    expect 1 err 'no model de-de\.gguf in ' $command --from auto --to de "$german"
    expect 1 err 'no model \*-fr\.gguf in ' $command --from auto --to fr "$german"
    expect 1 err 'two/en-de\.gguf: ' $command --to de "$english"
    expect 1 err 'two/de-en\.gguf: ' $command --to en "$german"
    expect 2 err 'both -m MODEL and --from' $command -m m.gguf --from auto "$german"
done

# Languages as people call them; a file may be named by any words.
for german_word in german German DE de_AT de-CH deu deutsch; do
    expect 1 err 'two/en-de\.gguf: ' translate --to $german_word "$english"
    expect 1 err 'two/de-en\.gguf: ' translate --from $german_word "$german"
done
expect 1 err 'no model \*-fr\.gguf in .*/two, which has de-en, en-de: expected' translate --to french "$english"
expect 1 err 'no model klingon-de\.gguf in ' translate --from klingon --to German "$english"
folder_of named english-german en-pt-BR
expect 1 err 'named/english-german\.gguf: ' translate --to german Berlin
expect 1 err 'named/en-pt-BR\.gguf: ' translate --to pt-BR Berlin
folder_of two

# Files, packed files, standard input, a file of several; the first one decides.
printf '%s\n' "$german" >german
printf '%s\n' "$english" >english
gzip -c german >german.gz
expect 1 err 'two/de-en\.gguf: ' translate -i german
expect 1 err 'two/de-en\.gguf: ' translate -i german.gz
expect 1 err 'two/de-en\.gguf: ' translate -i german english
expect 1 err 'two/en-de\.gguf: ' translate -i english german
"$ramus" translate <german >out 2>err
check 'standard input' grep -q 'two/de-en\.gguf: ' err
"$ramus" gates --from auto <german >out 2>err
check 'of gates, too' grep -q 'two/de-en\.gguf: ' err
expect 1 err 'nowhere: cannot open' translate -i nowhere

# Documents: their text, without the markup.
{
    echo '<html><head><title>Bahnhof</title></head><body class="the and of with which have this that">'
    for i in 1 2 3; do echo "<p title='the station'>$german</p> <!-- $english --> <script>the.and(of, with)</script>"; done
    echo '</body></html>'
} >page.html
printf '{"the title": "%s", "which have been with": "%s"}\n' "$german" "$german" >page.json
expect 1 err 'two/de-en\.gguf: ' translate -i page.html
expect 1 err 'two/de-en\.gguf: ' translate --from auto -i page.json
expect 1 err 'two/de-en\.gguf: ' translate --format html "<b>$german</b>"
expect 1 err 'two/en-de\.gguf: ' translate --format html "<b>$english</b>"
expect 1 err 'nowhere.html: cannot open' translate --format html -i nowhere.html
"$ramus" translate --format html <page.html >out 2>err
check 'a document of standard input' grep -q 'two/de-en\.gguf: ' err
"$ramus" translate --document <german >out 2>err
check 'text is known' grep -q 'two/de-en\.gguf: ' err
if command -v zip >/dev/null; then
    mkdir -p word
    printf '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:body></w:document>' \
        "$german" >word/document.xml
    zip -q page.docx word/document.xml
    expect 1 err 'two/de-en\.gguf: ' translate -i page.docx
fi

# Not a byte of a pipe is lost, and a writer is answered line by line.
folder_of real en-de
cp m.gguf real/de-en.gguf
"$ramus" translate -m m.gguf -q <german >want
"$ramus" translate -q <german >got 2>err
check 'the same translation' cmp want got
{ cat german; sleep 1; printf '%s' "$german"; } | "$ramus" translate -q >got 2>err
check 'of a slow pipe' test "$(cat want want)" = "$(cat got)"
"$ramus" translate -q -i german.gz -i german >got 2>err
check 'of several files' test "$(cat want want)" = "$(cat got)"
mkfifo to from pipe.html
"$ramus" translate -q -i page.html >want.html
cat page.html >pipe.html &
timeout 300 "$ramus" translate -q -i pipe.html >got.html
check 'of a document that is a pipe' cmp want.html got.html
wait
check 'it has text' test -s want.html
trap '' PIPE
timeout 300 "$ramus" translate -q <to >from &
exec 8>to 9<from
printf '%s\n' "$german" >&8
read -r answer <&9
check 'a line is answered while the pipe is open' test "$answer" = "$(cat want)"
exec 8>&- 9<&-
wait

# Options that exclude the language of the text: a note, and they win.
cp m.gguf real/en-de.gguf
expect 0 err '^ramus translate: this looks like German: did you mean --from de --to en\?$|^this looks like German: did you mean --from de --to en\?$' \
    translate --to de "$german"
expect 0 err 'this looks like English: did you mean --from en --to de' translate --from de "$english"
check 'the note comes once' test "$(grep -c 'looks like' err)" = 1
"$ramus" translate --from de -q "$english" >out 2>err
check '--quiet leaves it out' test ! -s err
"$ramus" translate --to de "$english" >out 2>err
check 'no note where all fits' sh -c '! grep -q "looks like" err'
"$ramus" translate --to de "$french" >out 2>err
check 'nor where no model would fit better' sh -c '! grep -q "looks like" err'
"$ramus" translate -m m.gguf "$german" >out 2>err
check 'nor with -m' sh -c '! grep -q "looks like" err'

# Several models of a language: --to, then the one that comes first.
folder_of many de-fr de-en zh-en en-de en-zh
expect 1 err 'many/de-en\.gguf: ' translate "$german"
expect 1 err 'many/de-fr\.gguf: ' translate --to fr "$german"
expect 1 err 'many/en-de\.gguf: ' translate "$english"
expect 1 err 'many/en-zh\.gguf: ' translate --to zh "$english"
expect 1 err 'many/zh-en\.gguf: ' translate '请问火车站在哪里？我在找下一班火车。'
expect 1 err 'many/zh-en\.gguf: ' translate --to en '请问火车站在哪里？我在找下一班火车。'
expect 1 err 'many/de-en\.gguf: ' translate --to en "$german"

# One direction alone.
folder_of one en-de
expect 1 err 'one/en-de\.gguf: ' translate "$german"
expect 1 err 'no model de-\*\.gguf in ' translate --from auto "$german"

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]
