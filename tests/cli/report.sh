#!/bin/sh
# Runs compared, as a user meets it: report.sh RAMUS GOLDEN. Two short runs, one of them resumed, then pages and JSON of them.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

sed -n 'p;n' "$golden/text/sample.en-de.txt" | head -200 >train.en
sed -n 'n;p' "$golden/text/sample.en-de.txt" | head -200 >train.de
head -30 train.en >valid.en
head -30 train.de >valid.de
"$ramus" vocab --input train.en train.de --size 300 --coverage 1 --byte-fallback off -o v.model -q || exit 1
run="--width 16 --filter 32 --heads 2 --encoder-layers 1 --decoder-layers 1 --train train.en train.de --valid valid.en valid.de
--vocab v.model --batch-tokens 300 --max-length 60 --valid-every 5 --log-every 5 --warmup 5 -q"
"$ramus" train $run --updates 20 --out dense || exit 1
"$ramus" train $run --updates 10 --out dmb --routing dmb --branches 2 || exit 1
"$ramus" train --resume --out dmb --updates 20 -q || exit 1

expect 0 err 'the page is comparison\.html' report dense dmb
check 'nothing on standard output' [ ! -s out ]
check 'the page has the names' grep -q '<title>dense, dmb</title>' comparison.html
check 'the resumed run is joined' grep -q 'ended, resumed 1&#215;' comparison.html
check 'the validation set is tested' grep -q 'translated by the best checkpoint <span>30 lines' comparison.html
mv comparison.html first.html
expect 0 out '</html>' report dense dmb -o -
check 'the same runs give the same page' cmp out first.html
expect 0 out '"runs"' report dense dmb --json -q
check '--json writes no page' [ ! -e comparison.html ]
mv out compared.json
check 'JSON has what the logs and `evaluate` have' python3 -c '
import json, subprocess
compared = json.load(open("compared.json"))
evaluated = json.loads(subprocess.check_output(["'"$ramus"'", "evaluate", "--ref", "valid.de", "dense/best.txt", "dmb/best.txt",
                                                "--metrics", "bleu", "--seed", "12345", "--json"]))
assert compared["settings_that_differ"] == ["routing", "branches", "shared-private"], compared["settings_that_differ"]
scores = compared["scores"][0]
assert scores["file"] == "best.txt" and scores["lines"] == 30 and "bs:1000" in scores["signature"]
for run, score, system in zip(compared["runs"], scores["runs"], evaluated["systems"]):
    lines = [json.loads(line) for line in open(run["folder"] + "/log.jsonl")]
    valid = [l for l in lines if l["kind"] == "valid"]
    train = [l for l in lines if l["kind"] == "train"]
    assert run["updates"] == 20 and run["ended"] and run["starts"] == 1 + (run["name"] == "dmb"), run
    assert run["target_tokens"] == train[-1]["target_tokens"]
    best = max(l["bleu"] for l in valid)
    assert abs(run["best_bleu"] - best) < 1e-6
    assert abs(score["bleu"] - best) < 1e-6, (score, best)
    assert abs(score["bleu"] - system["bleu"]["score"]) < 1e-9
    assert score["p_value"] == system["bleu"]["p_value"] and abs(score["ci"] - system["bleu"]["ci"]) < 1e-9, (score, system)
    points = run["curves"]["training_nll"]
    assert [p[0] for p in points] == [5, 10, 15, 20]
    for p, l in zip(points, train):
        assert p[1] == l["target_tokens"] and abs(p[2] - l["seconds"] / 3600) < 1e-9 and abs(p[3] - l["nll"]) < 1e-7, (p, l)
    assert [g["name"] for g in run["gates"]] == [g["name"] for g in train[-1].get("gates", [])]
'
check 'the reference is the validation set' cmp dense/reference.txt valid.de

# A test that the runs translated; packed references.
for name in dense dmb; do cp $name/best.txt $name/test.out; done
xz -k valid.de
expect 0 err 'tests\.html' report dense dmb --test test.out valid.de.xz -o tests.html
check 'the test is on the page' grep -q '<caption>test.out <span>30 lines' tests.html

# Event files of TensorBoard: read by another package, too, where tools/check-web --prepare has fetched it.
expect 0 err 'the page is' report dense dmb --tensorboard events
modules=$tests/../../build/web/node_modules
for name in dense dmb; do
    event=$(echo events/$name/events.out.tfevents.??????????.ramus)
    set --
    if [ -d "$modules/tfrecord" ] && command -v node >/dev/null; then
        NODE_MODULES=$modules node "$tests/../report/records.cjs" "$event" >records 2>err
        check "the package tfrecord reads $event" [ $? = 0 ]
        set -- records
    fi
    check "$event has the scalars of the log" "$tests/../report/events.py" "$event" $name/log.jsonl "$@"
done
printf x | dd of="$event" bs=1 seek=200 conv=notrunc 2>/dev/null
check 'a flipped byte is found' sh -c "! '$tests/../report/events.py' '$event' dmb/log.jsonl >out 2>&1"
check 'by its checksum' grep -q checksum out
expect 1 err 'valid\.de' report dense --tensorboard valid.de

# Older tools know neither the division of a description list nor attributes of SVG; empty elements are parts of bars.
if command -v tidy >/dev/null; then
    for page in first.html tests.html; do
        tidy -q -e "$page" 2>&1 | grep -vE 'trimming empty <(i|span)>|<svg> proprietary attribute "(viewbox|preserveaspectratio)"' |
            grep -vE 'missing (<dd>|</div> before <dt>|</dl> before </div>)|inserting implicit <dl>' >faults
        check "tidy finds nothing in $page" [ ! -s faults ]
    done
fi
check 'the pages are XML and reach nowhere' python3 -c '
import re, xml.etree.ElementTree as tree
for name in ("first.html", "tests.html"):
    text = open(name, encoding="ascii").read()
    assert not re.search(r"https?:|//|url\(|@import|<link|<img|<script|<iframe| src=", text), "reaches outside"
    page = tree.fromstring(text.replace("<!DOCTYPE html>\n", ""))
    ids = [e.get("id") for e in page.iter() if e.get("id")]
    assert len(ids) == len(set(ids)) == 3, ids
    assert {l.get("for") for l in page.iter("label")} == set(ids)
'

# Errors.
expect 2 err 'expected RUN' report
expect 2 err 'test\.out has no reference' report dense --test test.out
expect 2 err 'standard output is for one' report dense --json -o -
expect 2 err '9 runs, at most 8' report dense dense dense dense dense dense dense dense dense
expect 1 err 'nowhere/log\.jsonl: cannot open' report dense nowhere
mkdir empty broken && : >empty/log.jsonl && (head -3 dense/log.jsonl && echo '{"kind":' && tail -1 dense/log.jsonl) >broken/log.jsonl
expect 1 err 'empty/log\.jsonl: no line says that a run started' report empty
expect 1 err 'broken/log\.jsonl: line 4: ' report dense broken
head -5 valid.de >short.de
expect 1 err 'dense/test\.out has more lines than short\.de' report dense dmb --test test.out short.de
expect 1 err 'none\.de: cannot open' report dense dmb --test test.out none.de
expect 1 err 'nowhere/page\.html' report dense -o nowhere/page.html

echo "$checks checks, $failures failed"
[ $failures = 0 ]
