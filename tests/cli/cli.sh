#!/bin/sh
# The command line as a user meets it: cli.sh RAMUS GOLDEN. Exit codes, sentences, and that data goes to
# standard output and nothing else does.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

en_de='--source-vocab 37056 --target-vocab 37056'
expect 0 out '^ramus [0-9]+\.[0-9]+' --version
expect 0 out '^ramus [0-9]+\.[0-9]+' -V
expect 0 out '^ramus [0-9]+\.[0-9]+' profile -V
expect 0 out '^  profile ' --help
check 'no exit code depends on a status' sh -c "! grep -nE '[!=]= *RAMUS_(BAD|IO|NO|STOPPED|FAILED)' '$3'/src/cli/*.c"
expect 2 err 'no command given'
expect 2 err "unknown command 'profil'; did you mean profile" profil
expect 2 err "unknown command 'xyzzy'" xyzzy
expect 0 out '^ramus [0-9]+\.[0-9]+' profile --version
for command in vocab tokenize detokenize evaluate profile bench inspect import train average translate score distill; do
    expect 0 out "^Usage: ramus $command" $command --help
    expect 0 out '^  --quiet' $command --help
done

expect 0 out '"parameters": 15844088, "mult_adds": 229570560, "source_length": 30, "target_length": 30' \
    profile --preset tiny --routing dmb --branches 4 $en_de --json
expect 0 out '"ptr": 13\.8' profile $en_de --bleu 21.0 --json
expect 0 out '^Mult-Adds +229\.0M' profile $en_de
expect 0 out '"width": 96' profile --width 96 --preset tiny $en_de --json
expect 0 out '"tie": "target"' profile --source-vocab 31900 --target-vocab 32036 --json
expect 0 out '"source_length": 7, "target_length": 9' profile $en_de --source-length=7 --target-length 9 --json
expect 2 err "unknown option 'witdh'; did you mean --width" profile --witdh 3
expect 2 err "unknown option 'learning-rate'; did you mean --rate" train --learning-rate 3
for command in average import tokenize serve; do
    expect 2 err "unknown option 'json'" $command --json
done
expect 0 out '"parameters": 7520384' profile $en_de --json --threads 2 --seed 3
expect 0 out '^  --json' profile --help
check 'no option without a use in help' sh -c '! grep -E "^  --(threads|seed)" out'
expect 2 err 'width needs a value' profile $en_de --width
expect 2 err 'json takes no value' profile $en_de --json=on
expect 2 err 'width 128 cannot be divided among 7 heads' profile $en_de --heads 7
expect 2 err 'source-vocab is not given' profile --preset tiny
expect 2 err "routing is 'x', expected one of dense" profile $en_de --routing x
expect 1 err 'missing.safetensors: cannot open' profile missing.safetensors

printf '# a model\npreset = small\nbranches = 4\n\nrouting = dmb\nsource_vocab = 37056\ntarget-vocab=37056\n' >config
expect 0 out '"mult_adds": 62[0-9]{7},.*"width": 256' profile --config config --json
expect 0 out '"mult_adds": 229570560' profile --config config --preset tiny --json
printf 'widht = 3\n' >config
expect 2 err "config: line 1: unknown option 'widht'; did you mean --width" profile --config config
printf 'preset = tiny\ngate_gradient = pair\n' >config # of a program that had more settings
expect 2 err "config: line 2: unknown option 'gate_gradient' [(]--help lists them[)]" profile --config config
printf 'width\n' >config
expect 2 err 'config: line 1 is .width., expected name = value' profile --config config
expect 2 err 'cannot open' profile --config nothing

vectors=$golden/vectors/dmb-shared-private.safetensors
expect 2 err 'expected one file' import
expect 2 err 'expected one file' import "$vectors"
expect 0 err '214472 parameters' import "$vectors" -o model.safetensors
"$ramus" import "$vectors" -o model.safetensors --quiet >out 2>err
check '--quiet is not quiet' [ ! -s err ]
expect 1 err 'cannot be divided among 5 heads' import "$vectors" -o other.safetensors --heads 5
check 'a failed import left a file' [ ! -e other.safetensors ]
expect 1 err 'nowhere/m: cannot create' import "$vectors" -o nowhere/m
expect 0 out 'checkpoint, 170 tensors, 214472 numbers' inspect model.safetensors
expect 0 out '^  ramus.routing = dmb' inspect model.safetensors
expect 0 out '"name": "encoder.0.ffn.in.weight", "dtype": "F32", "shape": \[4, 64, 32\]' \
    inspect --json model.safetensors
expect 0 out 'safetensors, [0-9]+ tensors' inspect "$vectors"
expect 0 out '"parameters": 172360' profile model.safetensors --json
expect 1 err 'dmb-shared-private.safetensors: not a ramus checkpoint' profile "$vectors"
expect 2 err 'no file given' inspect
expect 0 out '^kernels: [a-z0-9]+ is used' inspect --cpu
expect 0 out '"rows": \[\{"isa": "ref", "usable": true\}' inspect --cpu --json
RAMUS_ISA=ref "$ramus" inspect --cpu >out
check 'RAMUS_ISA caps the kernels' grep -q '^kernels: ref is used' out
RAMUS_ISA= "$ramus" inspect --cpu >out
check 'an empty RAMUS_ISA is none' grep -q '^kernels: [a-z0-9]* is used' out
export RAMUS_ISA=foo
expect 1 err "^ramus inspect: RAMUS_ISA is 'foo', expected one of: ref" inspect --cpu
expect 1 err "^ramus bench: RAMUS_ISA is 'foo', expected one of: ref" bench --kernels
unset RAMUS_ISA
head -c 50000 model.safetensors >cut.safetensors
expect 1 err '^ramus inspect: cut.safetensors: ' inspect cut.safetensors
head -c 5 model.safetensors >short.safetensors
expect 1 err 'short.safetensors: 5 bytes' inspect short.safetensors
expect 1 err 'the folder holds no checkpoints' inspect .
{ head -c 400000 model.safetensors; printf '\377\377\377\177'; tail -c +400005 model.safetensors; } >nan.safetensors
expect 1 err 'nan.safetensors: .* infinite or not a number' inspect nan.safetensors

gguf=$golden/gguf/small.gguf
expect 0 out 'small.gguf: gguf, 8 tensors, 117 numbers, 304 bytes; everything checked' inspect "$gguf"
expect 0 out '^  general.architecture = other$' inspect "$gguf"
expect 0 out '^  one.int64 = -9223372036854775808$' inspect "$gguf"
expect 0 out '^  all.float32 = float32\[2\] -0.5, 0.00100000005$' inspect "$gguf"
expect 0 out '^  all.string = string\[4\] "", "a", ".*", "two\\nlines"$' inspect "$gguf"
expect 0 out '^  long.uint8 = uint8\[1000\] 0, 1, 2, 3, 4, 5, 6, 7, \.\.\.$' inspect "$gguf"
expect 0 out '^  none.string = string\[0\]$' inspect "$gguf"
expect 0 out '^  I32  i32 +\[5, 2, 2\]$' inspect "$gguf"
expect 0 out '"kind": "gguf", .*"long.uint8": \{"type": "uint8", "count": 1000, "first": \[0, 1, 2, 3, 4, 5, 6, 7\]\}' \
    inspect --json "$gguf"
expect 0 out '\{"name": "i8", "dtype": "I8", "shape": \[3, 2, 1, 7\]\}' inspect --json "$gguf"
"$ramus" inspect --json "$gguf" >out 2>err
check 'inspect --json of a GGUF file is JSON' python3 -c 'import json, sys
m = json.load(sys.stdin)["metadata"]
sys.exit(m["one.uint64"] != 2**64 - 1 or m["one.bool"] is not True or m["all.float64"]["first"] != [0.1, -2e300])' <out
expect 1 err "small.gguf: is a GGUF file, expected a checkpoint: .ramus import. makes one" average "$gguf" -o mean.safetensors
expect 1 err '/etc/passwd: is neither GGUF nor safetensors' inspect /etc/passwd
head -c 3000 "$gguf" >cut.gguf
expect 1 err '^ramus inspect: cut.gguf: tensor .bf16.: it has 66 bytes of data' inspect cut.gguf
{ head -c 4 "$gguf"; printf '\002'; tail -c +6 "$gguf"; } >old.gguf
expect 1 err 'old.gguf: GGUF version 2, expected 3' inspect old.gguf
{ head -c 2432 "$gguf"; printf '\000\000\200\177'; tail -c +2437 "$gguf"; } >inf.gguf
expect 1 err 'inf.gguf: f32 has 1 numbers that are infinite' inspect inf.gguf

# A model file: what inspect and profile say, and what is wrong with a changed one.
expect 2 err 'expected one checkpoint and -o' export model.safetensors
check 'export in 8 bits' "$ramus" export model.safetensors -o m.gguf --type int8 --source-language en --target-language de
check 'export in 32 bits' "$ramus" export model.safetensors -o f.gguf --type f32
check 'export in 4 bits' "$ramus" export model.safetensors -o n.gguf --type int4
expect 0 err '^a.gguf: 0\.[0-9]+ MB, squared error of the matrices -[12][0-9]\.[0-9] dB$' export model.safetensors -o a.gguf \
    --type int4 --embeddings int4
expect 2 err 'embeddings is int4 with type f32' export model.safetensors -o b.gguf --type f32 --embeddings int4
expect 2 err 'test has 1 files, expected a source and a reference' export model.safetensors -o b.gguf --test one
check 'wrong usage writes nothing' [ ! -e b.gguf ]
expect 0 out '^m.gguf: model, [0-9]+ tensors, .* bytes; everything checked$' inspect m.gguf
expect 0 out '^  dmb with 4 branches, 2 \+ 2 layers, width 32, .*words .no vocabulary., en to de, int8 weights$' \
    inspect m.gguf
expect 0 out 'words .no vocabulary., f32 weights$' inspect f.gguf
expect 0 out 'words .no vocabulary., int4 weights$' inspect n.gguf
"$ramus" inspect --json n.gguf >n.json 2>err
"$ramus" inspect --json a.gguf >a.json 2>err
expect 0 out '"parameters": 172360' profile m.gguf --json
"$ramus" inspect --json m.gguf >m.json 2>err
"$ramus" inspect --json f.gguf >f.json 2>err
"$ramus" profile --json m.gguf >out 2>err
check 'profile tells the bytes of the files' python3 -c 'import json, sys
p = json.load(sys.stdin)["bytes"]
m, f, n, a = (json.load(open(name)) for name in ("m.json", "f.json", "n.json", "a.json"))
sys.exit([m["kind"], m["weights"], m["bytes"], f["weights"], f["bytes"]] != ["model", "int8", p["int8"], "f32", p["f32"]] or
    [n["weights"], n["bytes"], a["weights"], a["bytes"]] != ["int4", p["int4"], "int4", p["int4_embeddings_int4"]] or
    not p["f32"] > p["int8"] > p["int4"] > p["int4_embeddings_int4"])' <out
# change NAME BYTES FILE: m.gguf with other first bytes of a tensor.
change() {
    python3 - "$@" <<'END'
import json, math, sys
name, data, file = sys.argv[1], bytes.fromhex(sys.argv[2]), sys.argv[3]
sizes = {t["name"]: math.prod(t["shape"]) * {"I8": 1, "F32": 4}[t["dtype"]] for t in json.load(open("m.json"))["tensors"]}
bytes_ = bytearray(open("m.gguf", "rb").read())
at = len(bytes_) - sum(-(-size // 64) * 64 for size in sizes.values())
for other, size in sizes.items():
    if other == name:
        break
    at += -(-size // 64) * 64
bytes_[at:at + len(data)] = data
open(file, "wb").write(bytes_)
END
}
change encoder.0.attention.q.weight 7f81 same.gguf
expect 1 err '^ramus inspect: same.gguf: is damaged: encoder.0.attention.q.weight has the checksum [0-9a-f]{16}, .ramus.checksums. says [0-9a-f]{16}$' \
    inspect same.gguf
python3 -c 'data = open("m.gguf", "rb").read()
at = data.index(b"ramus.source_language") + len("ramus.source_language") + 4 + 8
open("header.gguf", "wb").write(data[:at] + b"fr" + data[at + 2:])'
expect 1 err '^ramus inspect: header.gguf: is damaged: its bytes have the checksum [0-9a-f]{16}, .ramus.checksum. says [0-9a-f]{16}$' \
    inspect header.gguf
change encoder.0.attention.q.weight 0180 least.gguf
expect 1 err '^ramus inspect: least.gguf: encoder.0.attention.q.weight has a weight of -128, expected -127 to 127' inspect least.gguf
change encoder.0.attention.q.weight.scale 000080bf below.gguf
expect 1 err 'below.gguf: encoder.0.attention.q.weight.scale has 1 numbers below 0' inspect below.gguf
change encoder.0.attention.q.weight.scale 0000c07f nan.gguf
expect 1 err 'nan.gguf: encoder.0.attention.q.weight.scale has 1 numbers that are infinite or not' inspect nan.gguf
check 'a checksum finds any changed byte that is read' python3 - "$ramus" <<'END'
import json, math, random, subprocess, sys
good = open("m.gguf", "rb").read()
sizes = [math.prod(t["shape"]) * {"I8": 1, "F32": 4}[t["dtype"]] for t in json.load(open("m.json"))["tensors"]]
at = len(good) - sum(-(-size // 64) * 64 for size in sizes)
read = list(range(at))
for size in sizes:
    read += range(at, at + size)
    at += -(-size // 64) * 64
random.seed(7)
for at in random.sample(read, 40):
    bad = bytearray(good)
    bad[at] ^= 1 << random.randrange(8)
    open("bad.gguf", "wb").write(bad)
    run = subprocess.run([sys.argv[1], "inspect", "bad.gguf"], capture_output=True)
    if run.returncode != 1:
        sys.exit(f"byte {at} of {len(good)} was changed: {run.stdout[:200]}")
END
check 'the checksum is that of docs/FORMAT.md' python3 - <<'END'
import json, math, sys
info, data = json.load(open("m.json")), open("m.gguf", "rb").read()
sizes = [math.prod(t["shape"]) * {"I8": 1, "F32": 4}[t["dtype"]] for t in info["tensors"]]
start = len(data) - sum(-(-size // 64) * 64 for size in sizes)
M = 2**64 - 1
rotate = lambda x, n: (x << n | x >> (64 - n)) & M
mix = lambda h, w: (rotate(h ^ rotate(w * 0xC2B2AE3D27D4EB4F & M, 31) * 0x9E3779B185EBCA87 & M, 27) * 0x9E3779B185EBCA87 + 0x85EBCA77C2B2AE63) & M
def chain(seed, part):
    h = mix((seed + 0x165667B19E3779F9) & M, len(part))
    for i in range(0, len(part), 8):
        h = mix(h, int.from_bytes(part[i:i + 8], "little"))
    h = (h ^ h >> 33) * 0xC2B2AE3D27D4EB4F & M
    h = (h ^ h >> 29) * 0x165667B19E3779F9 & M
    return h ^ h >> 32
at = data.index(b"ramus.checksum") + len("ramus.checksum") + 4 + 8
h = chain(chain(0, data[:at]), data[at + 16:start])
list_at = data.index(b"ramus.checksums") + len("ramus.checksums") + 4 + 4
assert int.from_bytes(data[list_at:list_at + 8], "little") == len(sizes)
for i, size in enumerate(sizes):
    h = chain(h, data[start:start + size])
    assert chain(0, data[start:start + size]) == int.from_bytes(data[list_at + 8 + 8 * i:list_at + 16 + 8 * i], "little"), i
    start += -(-size // 64) * 64
sys.exit(f"{h:016x}" != info["metadata"]["ramus.checksum"])
END
expect 0 out '; it has no checksum$' inspect "$gguf"

# What is installed.
mkdir models
cp m.gguf models/en-de.gguf
"$ramus" export model.safetensors -o models/de-en.gguf --type f32 --source-language de --target-language en --license Apache-2.0 \
    --scores 'newstest2014 BLEU 14.71' -q
expect 0 out '^  "?models ' --help
export RAMUS_MODELS=$folder/models
bytes=$(wc -c <m.gguf)
expect 0 out "^en \(English\) to de \(German\), int8, 0\.[0-9] MB$" models
expect 0 out "^  $folder/models/en-de.gguf$" models
expect 0 out '^  licence: the file does not say$' models
expect 0 out '^de \(German\) to en \(English\), f32, ' models
expect 0 out '^  scores: newstest2014 BLEU 14.71$' models
expect 0 out '^  licence: Apache-2.0$' models
"$ramus" models --json >out 2>err
check 'models as JSON' python3 -c 'import json, sys
a, b = json.load(sys.stdin)["models"]
sys.exit([a["file"], a["source_language"], a["scores"], a["license"], b["bytes"], b["type"], b["license"]] !=
    [sys.argv[1] + "/models/de-en.gguf", "de", "newstest2014 BLEU 14.71", "Apache-2.0", int(sys.argv[2]), "int8", None])' \
    "$folder" "$bytes" <out
expect 2 err 'unexpected argument .x.' models x
expect 1 err "no model \*-fr\.gguf in $folder/models, which has de-en, en-de: expected -m MODEL" translate --to French x
echo broken >models/aa-bb.gguf
"$ramus" models >out 2>err
check 'a broken model is an error' grep -q '^ramus models: .*/aa-bb.gguf: ' err
check 'and the others are listed' test "$(grep -c ' to ' out)" = 2
mkdir empty
RAMUS_MODELS=$folder/empty "$ramus" models >out 2>err
check 'no model is an error' grep -q 'no model \*-\*\.gguf in .*/empty: expected' err
unset RAMUS_MODELS
head -c 9000 m.gguf >cut.gguf
expect 1 err '^ramus profile: cut.gguf: ' profile cut.gguf
sed 's/tile16x4/tile16x8/' m.gguf >layout.gguf
expect 1 err 'layout.gguf: ramus.layout is .tile16x8., expected tile16x4' inspect layout.gguf
expect 1 err "small.gguf: general.architecture is 'other', expected ramus" profile "$gguf"

scores=$golden/scores
expect 0 out '^.*german.hyp-a.txt +59\.73 ' evaluate --ref "$scores/german.ref.txt" "$scores/german.hyp-a.txt"
expect 0 out '^BLEU signature: nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|version:' \
    evaluate --ref "$scores/german.ref.txt" "$scores/german.hyp-a.txt"
expect 0 out 'hyp-b.txt +53\.60 .* p 0\.00' \
    evaluate --ref "$scores/german.ref.txt" "$scores/german.hyp-a.txt" "$scores/german.hyp-b.txt"
expect 0 out '"bleu": \{"score": 59\.7.*"chrf\+\+": \{"score": .*"p_value": null.*"p_value": 0\.0' evaluate --json \
    --ref "$scores/german.ref.txt" "$scores/german.hyp-a.txt" "$scores/german.hyp-b.txt"
expect 0 out '^BLEU of .* by source length:  0-: ' evaluate --metrics bleu --source "$scores/german.ref.txt" \
    --ref "$scores/german.ref.txt" "$scores/german.hyp-a.txt"
medium='NF < 20 && NF >= 10 { print NR "p" }'
awk "$medium" "$scores/german.ref.txt" >lines
for name in ref hyp-a hyp-b; do sed -n -f lines "$scores/german.$name.txt" >"$name.txt"; done
"$ramus" evaluate --metrics bleu --json -q --ref ref.txt hyp-a.txt hyp-b.txt >cut.json
"$ramus" evaluate --metrics bleu --json -q --source "$scores/german.ref.txt" --ref "$scores/german.ref.txt" "$scores/german.hyp-a.txt" \
    "$scores/german.hyp-b.txt" >whole.json
check 'what is said by length is what these lines alone give' python3 -c 'import json
cut, whole = (json.load(open(name))["systems"] for name in ("cut.json", "whole.json"))
for alone, all in zip(cut, whole):
    bucket = all["bleu"]["by_source_length"][1]
    assert (bucket["score"], bucket["p_value"]) == (alone["bleu"]["score"], alone["bleu"]["p_value"]), (bucket, alone)
assert whole[1]["bleu"]["by_source_length"][1]["lines"] == len(open("lines").readlines()) > 20'
expect 0 out 'hyp-b.txt by source length: .* 10-: [0-9.]+ \([0-9]+, p 0\.[0-9]+\*?\)' evaluate --metrics bleu --source \
    "$scores/german.ref.txt" --ref "$scores/german.ref.txt" "$scores/german.hyp-a.txt" "$scores/german.hyp-b.txt"
expect 0 out 'nrefs:2\|' evaluate --ref "$scores/german.ref.txt" --ref "$scores/german.hyp-b.txt" \
    "$scores/german.hyp-a.txt"
expect 0 out '^[0-9]+\.[0-9]{4}$' evaluate --sentences --metrics bleu --ref "$scores/german.ref.txt" \
    "$scores/german.hyp-a.txt"
check 'one score for each line' [ "$(wc -l <out)" = "$(wc -l <"$scores/german.ref.txt")" ]
expect 1 err 'german.hyp-a.txt has [0-9]+ lines and .*edge.ref.txt has 20: files must match line by line' evaluate --ref "$scores/edge.ref.txt" \
    "$scores/german.hyp-a.txt"
expect 2 err "unknown metric 'ter'" evaluate --metrics ter --ref "$scores/edge.ref.txt" "$scores/edge.hyp-a.txt"
expect 2 err 'expected --ref' evaluate "$scores/edge.hyp-a.txt"
expect 1 err 'nothing: cannot open' evaluate --ref nothing "$scores/edge.hyp-a.txt"

cut -d ' ' -f 1-6 "$scores/english.ref.txt" >a.txt
paste a.txt a.txt >a.tsv
expect 0 err 'v.model: 400 pieces from 1000 texts' vocab --input a.tsv --size 400 -o v.model
expect 0 err 'a.tsv, column 2: [0-9.]+ pieces a word' vocab --input a.tsv --column 2 --size 400 -o v2.model
expect 1 err 'Vocabulary size too high .900000.. Set --size to a value <= [0-9]+' vocab --input a.txt --size 900000 -o big.model
expect 1 err 'smaller than the number of characters that need a piece.* Increase --size or decrease --coverage' vocab --input a.txt --size 12 -o big.model
expect 0 err 'most.model: [0-9]+ pieces from .*: as many as this text gives' vocab --input a.txt -o most.model
check 'a failed training left a file' [ ! -e big.model ]
expect 2 err 'expected --input FILE' vocab -o v.model
expect 1 err 'missing: cannot open' vocab --input missing -o v3.model
export RAMUS_PLUGINS=.
expect 1 err 'ramus-sentencepiece.so is not where RAMUS_PLUGINS says' vocab --input a.txt -o v3.model
unset RAMUS_PLUGINS
expect 0 out '^.*▁ 1 2 3$' tokenize --vocab v.model 'over 123'
for form in '' --ids; do
    "$ramus" tokenize --vocab v.model $form -i a.txt >pieces && "$ramus" detokenize --vocab v.model $form <pieces >b.txt
    check "text comes back from pieces $form" cmp -s a.txt b.txt
done
printf '1 2\n3 x4\n' >ids
expect 1 err "^ramus detokenize: ids, line 2: 'x4' is not an id" detokenize --vocab v.model --ids -i ids -o text
expect 1 err '400 pieces' detokenize --vocab v.model --ids 9999
expect 2 err 'expected --vocab' tokenize text
expect 1 err 'a.txt: ' tokenize --vocab a.txt text

expect 0 out '^softmax +[0-9]+ +ref ' bench --kernels --runs 1
expect 0 out '^\{"kernel": "gemm", "size": 128, "isa": "ref", "ns": [0-9.]+, "ratio": 1' bench --kernels --runs 1 --json
small='--width 16 --filter 32 --heads 4 --encoder-layers 1 --decoder-layers 1 --source-vocab 40 --target-vocab 50'
expect 0 out '^dmb +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$' bench --train $small --tokens 99 --runs 2 \
    --compare dense,dmb
expect 0 out '^\{"system": "moe", "tokens_per_second": [0-9.]+, "step_ms": .*"attention": \{"forward_ms"' bench --train $small \
    --routing moe --tokens 99 --runs 1 --json --threads 2
expect 2 err "routing is 'x', expected one of dense" bench --train $small --compare dense,x
expect 2 err 'source-vocab is not given' bench --train

if [ -e /dev/full ]; then
    "$ramus" profile $en_de --json >/dev/full 2>err
    check 'a full disk has exit code 1' [ $? = 1 ]
    check 'a full disk gets a sentence' grep -q 'cannot write the result' err
fi

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]
