#!/bin/sh
# recipes/corpora makes pairs of the formats that corpora come in: corpora.sh. The samples are written here, as the origins write them.
set -u
recipes=$(cd "$(dirname "$0")/../../recipes" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$recipes/../tests/cli/checks.sh"

# made FORMAT ARGUMENT...: the pairs must be those of the file `want`, which has / for a tab.
made() {
    "$recipes/corpora/make" "$@" >out 2>err
    code=$?
    tr '/' '\t' <want >pairs
    check "$1 gives the pairs" cmp -s pairs out
    check "$1 succeeds" [ $code = 0 ]
}

# Lines, one file packed; runs of spaces are one space, a pair with an empty side is none.
printf 'Resumption of the session\n\nThank  you. \n' | gzip >a.en.gz
printf 'Wiederaufnahme der Sitzungsperiode\n(Beifall)\nDanke.\n' >a.de
printf '%s\n' 'Resumption of the session/Wiederaufnahme der Sitzungsperiode' 'Thank you./Danke.' >want
made lines a.en.gz a.de
printf 'Danke.\tThank you.\t0.9\n' >a.tsv
echo 'Thank you./Danke.' >want
made columns 2,1 a.tsv
printf 'one more\n' >>a.de
"$recipes/corpora/make" lines a.en.gz a.de >out 2>err
check 'files of different lengths are told' [ $? != 0 ]

cat >a.sgm <<'END'
<srcset setid="newstest2014" srclang="any">
<doc sysid="ref" docid="1" genre="news" origlang="en">
<p>
<seg id="1">Fish &amp; chips cost &quot;too much&quot;.</seg>
<seg id="2">It is late.</seg>
</p>
</doc>
</srcset>
END
sed 's/srcset/refset/; s/Fish.*"too much&quot;\./x/; s/>Fish.*</>Fisch \&amp; Fritten kosten zu viel.</; s/It is late/Es ist spät/' a.sgm >b.sgm
printf '%s\n' 'Fish & chips cost "too much"./Fisch & Fritten kosten zu viel.' 'It is late./Es ist spät.' >want
made sgm a.sgm b.sgm

printf '1276\teng\tLet us try something.\n1277\teng\tI have to go to sleep.\n1280\teng\tToday is June 18th.\n' >eng
printf '77\tdeu\tLass uns etwas versuchen!\n78\tdeu\tIch muss schlafen gehen.\n82\tdeu\tIch muss ins Bett.\n' >deu
printf '77\t1276\n78\t1277\n1277\t78\n82\t1277\n99\t1280\n' >links
printf '%s\n' 'Let us try something./Lass uns etwas versuchen!' 'I have to go to sleep./Ich muss schlafen gehen.' \
    'I have to go to sleep./Ich muss ins Bett.' >want
made tatoeba eng deu links

cat >a.po <<'END'
# A translation.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"

#. a comment
#: main.c:12
msgid "_Open file"
msgstr "Datei ö_ffnen"

#, fuzzy
msgid "Close"
msgstr "Offen"

msgid "Not translated"
msgstr ""

#: main.c:20
#, c-format
msgid ""
"<ahelp hid=\"x\">Deletes %d file, \"now\".</ahelp>\n"
msgid_plural ""
"Deletes %d files,\n"
"now."
msgstr[0] "Löscht %d Datei, »jetzt«."
msgstr[1] ""
"Löscht %d Dateien,\n"
"jetzt."

#~ msgid "Old"
#~ msgstr "Alt"
END
printf '%s\n' 'Open file/Datei öffnen' 'Deletes %d file, "now"./Löscht %d Datei, »jetzt«.' \
    'Deletes %d files, now./Löscht %d Dateien, jetzt.' >want
made po a.po

cat >Translation-en <<'END'
Package: hello
Description-md5: aaa1
Description-en: example package
 The GNU hello program
 says hello.
 .
 It is useless.

Package: other
Description-md5: aaa2
Description-en: not translated
 Text.
END
cat >Translation-de <<'END'
Package: hello
Description-md5: aaa1
Description-de: Beispielpaket
 Das GNU-Programm hello
 sagt Hallo.
 .
 Es ist nutzlos.
END
printf '%s\n' 'example package/Beispielpaket' 'The GNU hello program says hello./Das GNU-Programm hello sagt Hallo.' \
    'It is useless./Es ist nutzlos.' >want
made ddtp Translation-en Translation-de

cat >ding <<'END'
# Version :: 1.9
Apfel {m} [bot.] | Äpfel {pl} :: apple | apples
Auf Wiedersehen!; Tschüss! :: Goodbye!; Bye!
etw. in Gang bringen (Sache) :: to get sth. going
Das ist mir egal. :: I don't care.; It's all one to me.
END
printf '%s\n' apple/Apfel apples/Äpfel >want
made ding words ding
printf '%s\n' 'Goodbye!/Auf Wiedersehen!' 'to get sth. going/etw. in Gang bringen' >want
made ding phrases ding
echo "I don't care./Das ist mir egal." >want
made ding sentences ding

printf '# CC-CEDICT\n圖書館 图书馆 [tu2 shu1 guan3] /library/CL:家[jia1],個|个[ge4]/\n' >cedict
echo 'library/图书馆' >want
made cedict cedict

echo '{"main": {"en": {"identity": {"version": "45"}, "names": {"DE": "Germany", "FR": "France", "n": 3}}}}' >a.json
echo '{"main": {"de": {"identity": {"version": "45"}, "names": {"DE": "Deutschland", "FR": "Frankreich"}}}}' >b.json
printf '%s\n' 45/45 Germany/Deutschland France/Frankreich >want
made json a.json b.json

printf '# comment\nopen-file = Open\n    a file\n    .accesskey = O\n-brand = Firefox\nmany = { $n ->\n    [one] one\n   *[other] more\n  }\nlost = Lost\n' >a.ftl
printf 'open-file = Eine Datei\n    öffnen\n    .accesskey = E\n-brand = Firefox\nmany = viele\n' >b.ftl
printf '%s\n' Firefox/Firefox 'Open a file/Eine Datei öffnen' O/E >want
made ftl a.ftl b.ftl

printf '# comment\nitem.name=sword\nitem.desc = A long \\\n    blade.\\nIt is \\u201Esharp\\u201C.\n' >a.properties
printf 'item.name: Schwert\nitem.desc=Eine lange Klinge.\nitem.more=mehr\n' >b.properties
printf '%s\n' 'A long blade. It is „sharp“./Eine lange Klinge.' 'sword/Schwert' >want
made properties a.properties b.properties

# The list: every corpus that a recipe reads has a row.
awk -F ' *[|] *' '!/^#/ && NF' "$recipes/corpora/list" >rows
check 'rows have seven fields' [ "$(awk -F '|' 'NF != 7' rows | wc -l)" -eq 0 ]
awk -F ' *[|] *' '{ print $1 }' rows | sort >names
check 'names are unique' [ -z "$(uniq -d names)" ]
{
    sed -n 's/^\([a-z0-9/-]*\) *|.*/en-de\/\1/p' "$recipes/default/corpora" | grep -v '/own$'
    sed -n "/^corpora='/,/^'/p" "$recipes/language/run" | awk '$2 ~ /^[0-9.]+$/ { print "en-de/" $1 }'
    sed -n 's/.*in \(europarl:[^;]*\); do/\1/p' "$recipes/paper/run" | tr ' ' '\n' | sed 's/:.*//; s/^/en-de\//'
    sed -n "/^chinese='/,/'$/p" "$recipes/paper/run" | tr " '" '\n\n' | sed -n 's/:.*//p' | grep . | sed 's/^chinese=//; s/^/zh-en\//' | grep -v '/$'
    for name in train val test2016 test2017 test2017-mscoco; do echo multi30k/$name.tok; done
    for name in tatoeba-dev europarl-dev newstest2013 tatoeba-test europarl-test newstest2014; do echo en-de/$name; done
    for name in tatoeba-dev captions-3am-dev newstest2017 tatoeba-test captions-3am-test newstest2020; do echo zh-en/$name; done
} | sort -u >read
check 'recipes read corpora' [ "$(wc -l <read)" -gt 80 ]
awk -F ' *[|] *' '{ print $1 }' rows | sort -u >named
comm -23 read named >out
check 'each has a row' [ ! -s out ]
awk -F ' *[|] *' '$5 != "-" { split($5, word, " "); print word[1] }' rows | sort -u >formats
while read -r format; do
    check "the format $format has a converter" grep -q "^#     $format " "$recipes/corpora/make"
done <formats

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
