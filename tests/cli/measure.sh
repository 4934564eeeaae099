#!/bin/sh
# bench of translation, score and bench/cold-start as a user meets them: measure.sh RAMUS GOLDEN. No time is judged.
set -u
ramus=$1 golden=$2
tests=$(cd "$(dirname "$0")" && pwd)
cold_start=$(cd "$(dirname "$0")/../../bench" && pwd)/cold-start
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

# holds WHAT PYTHON: the expression is true; `rows` are the lines of out as JSON, by[NAME] that of a system.
holds() {
    check "$1" python3 -c 'import json, sys
rows = [json.loads(line) for line in open("out", encoding="utf-8")]
by = {row.get("system"): row for row in rows}
sys.exit(not ('"$2"'))'
}

# Width 32, filter 64, 1 + 1 layers, 80 words, 8 bits. By hand: a square matrix has 1024 bytes, a sublayer of both
# feed-forward maps 4096. Encoder 4 * 1024 + 4096, keys and values for the decoder 2048, a step 6 * 1024 + 4096 and the
# words 80 * 32: 8192 + 2048 + 7 * (10240 + 2560).
shape='--width 32 --filter 64 --heads 2 --encoder-layers 1 --decoder-layers 1 --source-vocab 80 --target-vocab 80'
bench="bench $shape --source-length 5 --target-length 7 --runs 2 --threads 1"
expect 0 out '^\{"system": "dense", "median_ms": [0-9.]+, "matvec_ms": [0-9.]+, "tokens_per_second": [0-9.]+, "ratio": 1\.0000, "bytes_per_sentence": 99840, "distinct_branches": 1\.0000, ' \
    $bench --compare dense,moe,dmb --branches 4 --type int8 --beam 4 --json
holds 'three systems in their order' '[row["system"] for row in rows] == ["dense", "moe", "dmb"]'
holds 'all keys are there' 'all(set(row) >= {"system", "median_ms", "matvec_ms", "tokens_per_second", "ratio",
    "bytes_per_sentence", "distinct_branches", "step_ratio", "matvec_ratio", "bytes_ratio"} for row in rows)'
holds 'dmb needs 1 to 4 branches, moe at least 2' '1 <= by["dmb"]["distinct_branches"] <= 4 and 2 <= by["moe"]["distinct_branches"] <= 4'
holds 'several hypotheses need several branches' 'by["dmb"]["distinct_branches"] > 1.5'
holds 'bytes follow the branches' '1 < by["dmb"]["bytes_ratio"] < by["moe"]["bytes_ratio"] < 4'
holds 'lengths are as given' 'all(row["source_tokens"] == 5 and row["target_tokens"] == 7 for row in rows)'
expect 0 out '"system": "dmb"' $bench --compare dense,dmb --beam 1 --json
# Greedy dmb: every step needs one branch, whose bytes are those of dense, and 3 gates of 4 x 32 floats. Encoder and
# decoder memory: 5 tokens need more than one branch.
holds 'one hypothesis needs one branch' 'by["dmb"]["distinct_branches"] == 1'
holds 'greedy: bytes of dmb' '7 * 3 * 512 + 3 * 512 < by["dmb"]["bytes_per_sentence"] - 99840 <= 7 * 3 * 512 + 3 * 512 + 3 * 10240'
cp out first
expect 0 out '"system": "dmb"' $bench --compare dense,dmb --beam 1 --json
holds 'choices are fixed by the seed' '[r["bytes_per_sentence"] for r in rows] ==
    [json.loads(line)["bytes_per_sentence"] for line in open("first")]'
expect 0 out '"bytes_per_sentence": 399360,' $bench --type f32 --json # four times 99840
# A batch reads the weights once for all of its sentences, however many rows of them there are.
expect 0 out '"bytes_per_sentence": 9984,' $bench --source-length 30 --batch 10 --json
expect 0 out '^dense +[0-9.]+ +[0-9.]+ .* 1\.000$' $bench
expect 0 out '^  project_search +[0-9.]+ +[0-9.]+$' $bench --ops
expect 0 out '"ops": \{.*"embed": \{"ms": .*"attention": \{"ms": [0-9.]+, "matvec_ms": 0\.0000\}' $bench --ops --json
expect 0 out '"batch": 3, "threads": 2,.*"clock": "cpu"' bench $shape --batch 3 --threads 2 --runs 1 --cpu-time --json
expect 2 err 'threads is 2 without --batch' bench $shape --threads 2
expect 2 err 'source-vocab is not given' bench
expect 2 err 'both --kernels and --train are given' bench --kernels --train
expect 2 err "routing is 'x', expected one of dense" bench $shape --compare dense,x
four=dense,dmb,dense,dmb
expect 2 err 'compare names more than 32' bench $shape --compare $four,$four,$four,$four,$four,$four,$four,$four,dense
expect 2 err "unexpected argument 'm.gguf'" bench $shape --runs 1 m.gguf
expect 2 err '33 .*expected at most 32' bench -m $(seq 33)
expect 2 err 'input is given without --model' bench $shape -i text
expect 2 err 'both --compare and --model' bench -m m.gguf --compare dense
expect 1 err 'm.gguf: cannot open' bench -m m.gguf

# A model with real gates.
sed -n 'p;n' "$golden/text/sample.en-de.txt" | head -60 >a.en
sed -n 'n;p' "$golden/text/sample.en-de.txt" | head -60 >a.de
paste a.en a.de >a.tsv
"$ramus" vocab --input a.tsv --size 300 --coverage 1 --byte-fallback off -o v.model -q || exit 1
"$ramus" train -q --preset paper --width 16 --filter 32 --heads 2 --encoder-layers 1 --decoder-layers 1 --routing dmb --branches 3 --train a.tsv \
    --vocab v.model --batch-tokens 300 --updates 4 --valid-every 4 --out run >out 2>err || exit 1
checkpoint=run/checkpoint-00000004.safetensors
for type in f32 int8; do
    "$ramus" export "$checkpoint" -o $type.gguf --type $type -q || exit 1
done
expect 0 out '"system": "int8.gguf", .*"source_tokens": 6\.00, "target_tokens": 4\.00' bench -m f32.gguf int8.gguf \
    --source-length 6 --target-length 4 --runs 1 --json
holds 'two files' '[row["system"] for row in rows] == ["f32.gguf", "int8.gguf"] and rows[1]["bytes_ratio"] < 0.5'
expect 0 out '"system": "int8.gguf"' bench -m int8.gguf -i a.en --sentences 3 --runs 1 --json
tokens=$(head -3 a.en | "$ramus" tokenize --vocab v.model --ids | wc -w)
holds 'the tokens are those of three lines and their ends' "abs(rows[0]['source_tokens'] * 3 - $tokens - 3) < 0.1"
holds 'real gates' '1 <= rows[0]["distinct_branches"] <= 3'
expect 1 err 'a.en: ends after 60 lines, 61 are to be translated' bench -m int8.gguf -i a.en --sentences 61 --runs 1

# What quantising costs: errors of matrices, BLEU beside the checkpoint's.
head -20 a.en >t.en
head -20 a.de >t.de
expect 0 out '"bleu_f32": ' export "$checkpoint" -o int4.gguf --type int4 --json --test t.en t.de --threads 2
holds 'the report' 'rows[0]["type"] == "int4" and rows[0]["embeddings"] == "int8" and rows[0]["test"]["lines"] == 20 and
    {t["type"] for t in rows[0]["tensors"]} == {"int4", "int8"} and 0.001 < rows[0]["error"] < 0.02 and
    all((t["type"] == "int8") == (t["name"] == "embedding.weight") and
        (t["error"] < 1e-3) == (t["type"] == "int8") for t in rows[0]["tensors"])'
holds 'bytes of the file' "rows[0]['bytes'] == $(wc -c <int4.gguf)"
cp out report
for m in "$checkpoint" int4.gguf; do
    "$ramus" translate -m "$m" -i t.en -o "${m##*/}.de" -q || exit 1
done
"$ramus" evaluate --ref t.de --metrics bleu --json "${checkpoint##*/}.de" int4.gguf.de -q >evaluated 2>err
check 'BLEU is that of translate and evaluate' python3 -c 'import json
t, e = json.load(open("report"))["test"], json.load(open("evaluated"))["systems"]
scores = [s["bleu"]["score"] for s in e]
exit(max(abs(t["bleu_f32"] - scores[0]), abs(t["bleu"] - scores[1])) > 1e-6 or
    (t["different"] > 0 and abs(t["p_value"] - e[1]["bleu"]["p_value"]) > 1e-9))'
check 'so many lines differ' [ "$(paste -d '\n' "${checkpoint##*/}.de" int4.gguf.de | awk 'NR % 2 { a = $0; next } a != $0 { n++ } END { print n + 0 }')" = \
    "$(python3 -c 'import json; print(json.load(open("report"))["test"]["different"])')" ]
expect 0 out '^int4 +[0-9.e-]+ +-[0-9.]+ dB  encoder.0.attention.q.weight$' export "$checkpoint" -o int4.gguf --type int4 --errors
expect 0 out '; 0 of 20 lines differ$' export "$checkpoint" -o f32.gguf --type f32 --test t.en t.de
head -7 t.de >short.de
expect 1 err 't.en has 20 lines and short.de has 7' export "$checkpoint" -o int4.gguf --test t.en short.de
expect 0 out '"system": "dmb int4"' bench --type int8,int4 --width 16 --filter 32 --heads 2 --encoder-layers 1 --decoder-layers 1 \
    --routing dmb --branches 3 --source-vocab 300 --target-vocab 300 --source-length 3 --target-length 3 --runs 1 --json
holds 'types in turn' '[row["system"] for row in rows] == ["dmb int8", "dmb int4"]'
expect 2 err "type has 'int5', expected f32, int8 or int4" bench --type int8,int5 --source-vocab 9 --target-vocab 9

# score
expect 0 out '^-[0-9.]+	[0-9]+$' score -m int8.gguf --source a.en --target a.de
check 'a line for each pair' [ "$(wc -l <out)" = 60 ]
check 'the sum is told' grep -qE '^60 pairs, [0-9]+ tokens: log-probability -[0-9.]+, perplexity [0-9.]+$' err
cp out one
expect 0 out '^-' score -m int8.gguf -i a.tsv --threads 3 -q
check 'columns and threads change nothing' cmp one out
check '--quiet is quiet' [ ! -s err ]
expect 0 out '^-' score -m f32.gguf -i a.tsv
cp out f32
expect 0 out '^-' score -m "$checkpoint" -i a.tsv
check 'a checkpoint scores as its float file' cmp f32 out
head -5 a.tsv >b.tsv
expect 0 out '"log_prob": -' score -m int8.gguf -i b.tsv --tokens --json
holds 'keys of score' 'all(set(row) == {"source", "target", "log_prob", "tokens", "per_token", "token_log_probs"} for row in rows)'
holds 'the text is the input' '[row["source"] + "\t" + row["target"] + "\n" for row in rows] == list(open("b.tsv", encoding="utf-8"))'
holds 'tokens add up' 'all(len(row["token_log_probs"]) == row["tokens"] and
    abs(sum(t["log_prob"] for t in row["token_log_probs"]) - row["log_prob"]) < 1e-5 * row["tokens"] and
    abs(row["per_token"] * row["tokens"] - row["log_prob"]) < 1e-5 * row["tokens"] and
    row["token_log_probs"][-1]["piece"] == "</s>" for row in rows)'
expect 0 out '^-[0-9.]+	[0-9]+	.* </s> -[0-9.]+$' score -m int8.gguf -i b.tsv --tokens
printf 'a\t\n\tb\n' >empty.tsv
expect 0 err '^2 pairs, 3 tokens' score -m int8.gguf -i empty.tsv
: >nothing
"$ramus" score -m int8.gguf --source nothing --target nothing >out 2>err
check 'nothing to score is no error' [ $? = 0 ]
check 'nothing to score gives nothing' [ ! -s out ]
head -7 a.de >short.de
expect 1 err 'a.en has 60 lines and short.de has 7' score -m int8.gguf --source a.en --target short.de
expect 1 err 'a.en: line 1 has no column 2' score -m int8.gguf -i a.en
python3 -c 'print("ein\tein\n" + "a\t" + "Hund und " * 2000)' >long.tsv
expect 1 err 'line 2: the target has [0-9]+ tokens, expected at most 1024' score -m int8.gguf -i long.tsv
python3 -c 'print("q " * 300 + "\tein")' >long.tsv
expect 0 err 'line 1: the source has [0-9]+ tokens; translating splits' score -m int8.gguf -i long.tsv
expect 2 err 'expected -m MODEL' score --source a.en --target a.de
expect 2 err 'expected --source FILE and --target FILE, or -i' score -m int8.gguf --source a.en
expect 2 err 'expected --source FILE and --target FILE, or -i' score -m int8.gguf --source a.en --target a.de -i a.tsv
expect 1 err 'nowhere: cannot open' score -m int8.gguf --source nowhere --target a.de

if [ -x /usr/bin/time ]; then
    RAMUS=$ramus RUNS=2 "$cold_start" int8.gguf >out 2>err
    check 'cold-start prints its keys' grep -qE '^\{"model_bytes": [0-9]+, "cold_start_ms": [0-9.]+, "runs": 2, "peak_bytes": [0-9]+, "peak_over_file_bytes": -?[0-9]+\}$' out
    holds 'its model is the file' "rows[0]['model_bytes'] == $(wc -c <int8.gguf)"
fi

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]
