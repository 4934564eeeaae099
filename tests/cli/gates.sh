#!/bin/sh
# Looking at gates as a user meets it: gates.sh RAMUS GOLDEN. Tokens and branches agree in text, JSON and page, and with
# translate; usage adds up; colours when asked; errors.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"
unset NO_COLOR

small_model='--routing dmb --branches 3 --encoder-layers 2'
. "$tests/small_model.sh"
head -40 train.en >some.en
escape=$(printf '\033')

# Tokens are those of translate; every token has a branch of each sublayer; usage is the sum.
expect 0 out '"usage"' gates -m m.gguf -i some.en --json -q --top 5
mv out gates.json
"$ramus" translate -m m.gguf -i some.en --json -q >translated.json
cat >counts.py <<'END'
import collections, json, math
lines = [json.loads(line) for line in open("gates.json")]
usage = lines.pop()
others = [json.loads(line) for line in open("translated.json")]
assert len(lines) == len(others) == usage["lines"] == 40
want = {"encoder.%d.%s" % (i, kind) for i in range(2) for kind in ("attention", "ffn")}
want |= {"decoder.0." + kind for kind in ("attention", "cross.q", "cross.kv", "ffn")}
assert set(usage["usage"]) == want, usage["usage"].keys()
counts = {name: collections.Counter() for name in want}
used = set()
for line, other in zip(lines, others):
    for key in ("source", "text", "tokens", "source_tokens"):
        assert line[key] == other[key], key
    assert set(line["gates"]) == want
    for name, branches in line["gates"].items():
        source = name.startswith("encoder") or name.endswith(".kv")
        tokens = line["source_tokens" if source else "tokens"]
        assert len(branches) == len(tokens) and usage["usage"][name]["side"] == ("source" if source else "target")
        counts[name].update(zip(branches, tokens))
        used.update(branches)
assert used == {0, 1, 2}, used
for name, u in usage["usage"].items():
    total = sum(counts[name].values())
    assert u["tokens"] == total > 0 and len(u["branches"]) == 3
    entropy = 0
    for b, branch in enumerate(u["branches"]):
        mine = collections.Counter({t: n for (k, t), n in counts[name].items() if k == b})
        assert branch["count"] == sum(mine.values())
        share = branch["count"] / total
        assert abs(branch["share"] - share) < 1e-5
        entropy -= share * math.log(share) if share else 0
        assert [f["count"] for f in branch["frequent"]] == sorted(mine.values(), reverse=True)[:5]
        for f in branch["frequent"]:
            all_of_it = sum(n for (k, t), n in counts[name].items() if t == f["token"])
            assert mine[f["token"]] == f["count"] and abs(f["share"] - f["count"] / all_of_it) < 1e-5
    assert abs(u["entropy"] - entropy) < 1e-5
END
check 'JSON has tokens and branches, usage is their sum' python3 counts.py
"$ramus" gates -m m.gguf --json -q --top 5 --batch 3 --threads 2 <some.en >out 2>err
check 'batches, threads and standard input change nothing' cmp gates.json out

# Text: a legend, then a line for each line, with the branches of JSON as small numbers.
cat >texts.py <<'END'
import json, re, sys
name, lines = sys.argv[1], open("out", encoding="utf-8").read().split("\n")
assert lines.pop() == "" and lines[0].startswith(name + ", ") and lines[0].endswith(": \u2080 \u2081 \u2082"), lines[0]
objects = [json.loads(line) for line in open("gates.json")][:-1]
assert len(lines) == len(objects) + 1
source = name.startswith("encoder") or name.endswith(".kv")
for line, o in zip(lines[1:], objects):
    assert [ord(c) - 0x2080 for c in re.findall("[\u2080-\u2089]", line)] == o["gates"][name], line
    tokens = "".join(o["source_tokens" if source else "tokens"])
    assert re.sub("[\u2080-\u2089]", "", line) == tokens.replace("\u2581", " ").lstrip(" "), line
END
expect 0 out . gates -m m.gguf -i some.en
check 'text shows the last attention of an encoder of two layers' python3 texts.py encoder.1.attention
cp out plain
for name in encoder.0.ffn decoder.0.cross.kv decoder.0.cross.q; do
    expect 0 out . gates -m m.gguf -i some.en --sublayer $name
    check "text shows $name" python3 texts.py $name
done
expect 0 out '^decoder\.0\.cross\.kv ' gates -m m.gguf --sublayer all "$(head -1 some.en)"
check 'all sublayers: legend, empty line, 8 lines' test "$(wc -l <out)" = 10
expect 0 out '^encoder\.1\.attention: [0-9]+ source tokens, entropy' gates -m m.gguf -i some.en --usage -q
check 'usage: a line for each branch' test "$(wc -l <out)" = 4
expect 0 out . gates -m run/checkpoint-00000300.safetensors hello

# Colours only when asked.
check 'no colours in a file' sh -c "! grep -q '$escape' plain"
expect 0 out "$escape\\[38;5;" gates -m m.gguf -i some.en --color always
sed "s/$escape\\[[0-9;]*m//g" out >stripped
check 'colours change nothing else' cmp plain stripped
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "'$ramus' gates -m m.gguf hello" /dev/null </dev/null >out 2>err
    check 'colours on a terminal' grep -q "$escape" out
    NO_COLOR=1 script -qec "'$ramus' gates -m m.gguf hello" /dev/null </dev/null >out 2>err
    check 'NO_COLOR' sh -c "! grep -q '$escape' out"
    script -qec "'$ramus' gates -m m.gguf --color never hello" /dev/null </dev/null >out 2>err
    check 'never' sh -c "! grep -q '$escape' out"
fi

# The page.
"$ramus" gates -m m.gguf -i some.en -q --html page.html --sentences 7 --top 5 >out 2>err
check 'a page: exit 0' test $? = 0
check 'nothing on standard output' test ! -s out
cat >page.py <<'END'
import json, re, xml.etree.ElementTree as tree
text = open("page.html", encoding="ascii").read()
assert not re.search(r"https?:|//|url\(|@import|<link|<img|<iframe| src=", text), "reaches outside"
page = tree.fromstring(text.replace("<!DOCTYPE html>\n", ""))
objects = [json.loads(line) for line in open("gates.json")]
usage = objects.pop()["usage"]
options = page.findall(".//option")
assert {o.get("value") for o in options} == set(usage)
assert [o.get("value") for o in options if o.get("selected")] == ["encoder.1.attention"]
items = page.findall(".//ol/li")
assert len(items) == 7
for item, o in zip(items, objects):
    for p, tokens in zip(item.findall("p"), (o["source_tokens"], o["tokens"])):
        spans = p.findall("span")
        assert len(spans) == len(tokens)
        for option in options:
            if option.get("data-side") != p.get("class"): continue
            place = int(option.get("data-place"))
            assert [int(s.get("data-b").split()[place]) for s in spans] == o["gates"][option.get("value")]
        shown = [s.find("sub").text for s in spans]
        if p.get("class") == "source":
            branches = o["gates"]["encoder.1.attention"]
            assert shown == [str(b) for b in branches]
            assert all("b%d p%d" % (b, b) in s.get("class") for b, s in zip(branches, spans))
        else:
            assert not any(shown)
sections = {s.get("id"): s for s in page.findall(".//section")}
assert set(sections) == set(usage)
for name, s in sections.items():
    assert (s.get("hidden") is None) == (name == "encoder.1.attention")
    for figure, branch in zip(s.findall(".//figure"), usage[name]["branches"]):
        assert ", {:,} tokens".format(branch["count"]) in figure.find("figcaption/span").text
        assert abs(float(figure.find("div/i").get("style")[6:-1]) - 100 * branch["share"]) < 0.01
        assert [li.text.strip() for li in figure.findall("ul/li")] == [f["token"] for f in branch["frequent"]]
END
check 'the page has the sentences, branches and counts of JSON, and all it needs' python3 page.py
"$ramus" gates -m m.gguf -q --html empty.html </dev/null >out 2>err
check 'a page about nothing is a page' python3 -c 'import xml.etree.ElementTree as tree
tree.fromstring(open("empty.html").read().replace("<!DOCTYPE html>\n", ""))'

# A given translation: the model's own gives what the model's own steps gave, where it has the same tokens.
"$ramus" translate -m m.gguf -i some.en --beam 1 -q >own.de
"$ramus" gates -m m.gguf -i some.en --beam 1 --json -q >free.json
expect 0 out . gates -m m.gguf -i some.en --reference own.de --json -q
check 'a reference that is the translation' python3 -c 'import json
free, forced = [[json.loads(line) for line in open(name)][:-1] for name in ("free.json", "out")]
same = [(a, b) for a, b in zip(free, forced) if a["tokens"] == b["tokens"]]
assert len(free) == len(forced) == 40 and len(same) >= 20, len(same)
assert all(a["gates"] == b["gates"] for a, b in same)'
head -40 train.de >some.de
expect 0 out . gates -m m.gguf -i some.en --reference some.de --json -q
"$ramus" tokenize --vocab v.model <some.de >pieces 2>err
check 'the target tokens are those of the reference' python3 -c 'import json
lines = [json.loads(line) for line in open("out")][:-1]
assert [line["tokens"] for line in lines] == [line.split() for line in open("pieces", encoding="utf-8")]
assert all(len(line["gates"]["decoder.0.ffn"]) == len(line["tokens"]) for line in lines)'
expect 1 err 'short\.de: ends before line 2' gates -m m.gguf --reference "$(head -1 some.de >short.de && echo short.de)" \
    --usage -q -i some.en
tr '\n' ' ' <train.de >long.de
expect 1 err 'long\.de: line 1: the prefix has [0-9]+ tokens' gates -m m.gguf --reference long.de -q hello
expect 1 err 'line 1 is too long' gates -m m.gguf --reference short.de -q "$(tr '\n' ' ' <train.en)"
expect 1 err 'some\.de: goes on after line 1' gates -m m.gguf --reference some.de --usage -q hello

# Standard input and output by name; the page that was there stays when it is stopped.
"$ramus" gates -m m.gguf -i some.en -q >want
"$ramus" gates -m m.gguf -q - <some.en >out
check '- is standard input' cmp want out
"$ramus" gates -m m.gguf -i some.en -q --html stopped.html
"$ramus" gates -m m.gguf -i some.en -q --html - >out
check '- is standard output' cmp stopped.html out
yes 'A text without an end.' | timeout --preserve-status -s INT 1 "$ramus" gates -m m.gguf -q --html stopped.html 2>err
check 'the exit code of the signal' test $? = 130
check 'the old page' cmp stopped.html out
check 'no temporary file' sh -c '! ls -A | grep -q "\.tmp-"'

# Errors.
"$ramus" train --train train.en train.de --vocab v.model --out dense --updates 1 --valid-every 1 --width 16 --filter 16 \
    --heads 2 --encoder-layers 1 --decoder-layers 1 -q || exit 1
expect 1 err 'dense/checkpoint-00000001\.safetensors: the model is dense and has no gates' \
    gates -m dense/checkpoint-00000001.safetensors hello
expect 2 err "no sublayer 'encoder\\.2\\.ffn' is routed; those that are: encoder\\.0-1\\.attention, encoder\\.0-1\\.ffn, " \
    gates -m m.gguf --sublayer encoder.2.ffn hello
check 'of one layer' grep -q 'decoder\.0\.cross\.kv' err
export RAMUS_MODELS=nowhere
expect 1 err 'no model \*-\*\.gguf in nowhere: expected -m MODEL' gates hello
expect 2 err 'both -m MODEL and --to' gates -m m.gguf --to de hello
expect 2 err 'both -i FILE and text' gates -m m.gguf hello -i some.en
expect 2 err 'color is .*auto' gates -m m.gguf --color red hello
expect 1 err 'nowhere\.en: cannot open' gates -m m.gguf -i nowhere.en
expect 1 err 'nowhere/page\.html' gates -m m.gguf --html nowhere/page.html hello
printf '\n  \nyes\377\n' >odd
expect 0 out . gates -m m.gguf -i odd
check 'a line for each line, whatever it holds' test "$(wc -l <out)" = 4

echo "$checks checks, $failures failed"
[ $failures = 0 ]
