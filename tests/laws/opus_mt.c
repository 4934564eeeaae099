/* Does an imported Marian model compute what Hugging Face's code computes?
 *
 *     build/tests/opus_mt FOLDER...
 *
 * Each folder has a model, expected.json and vectors.safetensors (tests/golden/opus-mt/README.md).
 * Checked are token ids, encoder output, logits, log-probabilities, loss, greedy and beam search,
 * text; of the model as it is imported, and of the file that is exported with 32-bit weights. Then
 * the same model in 8 and in 4 bits, word by word under given beginnings. Prints the largest error
 * of each kind beside its bound; exit 1 when one is exceeded. */
#include "base/map.h"
#include "convert/export.h"
#include "convert/import/import.h"
#include "format/safetensors.h"
#include "kernels/select.h"
#include "laws/opus_mt_expected.h"
#include "model/fold.h"
#include "runtime/model.h"
#include "runtime/search.h"
#include "text/tokenizer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST 512 // tokens

typedef struct {
    const char *folder;
    ramus_checkpoint model;
    ramus_vocab *vocabs[2];
    ramus_safetensors *vectors;
    sentence sentences[SENTENCES];
    int n;
    ramus_pool *pool;
    int failures;
} work;

static void report(work *w, const char *what, double error, double bound)
{
    const int bad = !(error <= bound); // also when it is not a number
    printf("  %-46s %10.3g  bound %8.3g%s\n", what, error, bound, bad ? "  FAILED" : "");
    w->failures += bad;
}

static ramus_buffer path_of(const work *w, const char *name)
{
    ramus_buffer path = {0};
    ramus_buffer_print(&path, "%s/%s", w->folder, name);
    return path;
}

/* ---- text ---- */

static int same_ids(const int *got, int n, const ramus_ids *want)
{
    return n == want->n && memcmp(got, want->data, (size_t)n * sizeof *got) == 0;
}

/* Whether the ids of a text, with EOS, are these; encoded in both ways. */
static int encodes(const work *w, int side, const ramus_buffer *text, const ramus_ids *want)
{
    ramus_tokenizer *t = NULL;
    ramus_ids ids = {0}, ranged = {0}, ends = {0};
    const char *data = text->data ? text->data : "";
    if (ramus_tokenizer_create(&t, w->vocabs[side], &err) ||
        ramus_tokenizer_encode(t, data, text->size, &ids, &err) ||
        ramus_tokenizer_encode_ranges(t, data, text->size, &ranged, &ends, &err) ||
        ramus_ids_add(&ids, ramus_vocab_eos(w->vocabs[side]), &err) ||
        ramus_ids_add(&ranged, ramus_vocab_eos(w->vocabs[side]), &err))
        die("a text");
    int same = same_ids(ids.data, ids.n, want) && same_ids(ranged.data, ranged.n, want) &&
               ends.n == ids.n - 1;
    for (int i = 0; i < ends.n; i++)
        same = same && ends.data[i] >= (i ? ends.data[i - 1] : 0) &&
               (size_t)ends.data[i] <= text->size;
    ramus_tokenizer_destroy(t);
    ramus_ids_free(&ids);
    ramus_ids_free(&ranged);
    ramus_ids_free(&ends);
    return same;
}

static int decodes(const work *w, const int *ids, int n, const ramus_buffer *want)
{
    ramus_buffer text = {0};
    ramus_ids ends = {0};
    if (ramus_vocab_decode_ends(w->vocabs[1], ids, n, &text, &ends, &err)) die("ids");
    int same = text.size == want->size &&
               (text.size == 0 || memcmp(text.data, want->data, text.size) == 0);
    for (int i = 0; i < n; i++)
        same =
            same && ends.data[i] >= (i ? ends.data[i - 1] : 0) && (size_t)ends.data[i] <= text.size;
    ramus_buffer_free(&text);
    ramus_ids_free(&ends);
    return same;
}

/* A list of {"text", "ids"}: how many come out otherwise. */
static int other_cases(const work *w, ramus_json *j, bool decode, int *n)
{
    ramus_buffer key = {0}, text = {0};
    ramus_ids ids = {0};
    bool more = false;
    int other = 0;
    if (ramus_json_enter(j, RAMUS_JSON_ARRAY, &err)) die("cases");
    for (*n = 0; !ramus_json_element(j, &more, &err) && more; ++*n) {
        if (ramus_json_enter(j, RAMUS_JSON_OBJECT, &err)) die("a case");
        while (!ramus_json_member(j, &more, &key, &err) && more) {
            if (strcmp(key.data, "ids") == 0)
                read_ids(j, &ids);
            else if (strcmp(key.data, "text") == 0 ? ramus_json_string(j, &text, &err)
                                                   : ramus_json_skip(j, &err))
                die("a case");
        }
        const int same = decode ? decodes(w, ids.data, ids.n, &text) : encodes(w, 0, &text, &ids);
        if (!same) printf("  other: '%s'\n", text.data);
        other += !same;
    }
    ramus_buffer_free(&key);
    ramus_buffer_free(&text);
    ramus_ids_free(&ids);
    return other;
}

static void read_expected(work *w)
{
    ramus_buffer path = path_of(w, "expected.json"), key = {0};
    ramus_file file = {0};
    ramus_json j;
    bool more = false;
    int n = 0, other = 0;
    if (ramus_file_map(&file, path.data, &err)) die("expected.json");
    ramus_json_init(&j, (const char *)file.data, 0, file.size);
    if (ramus_json_enter(&j, RAMUS_JSON_OBJECT, &err)) die(path.data);
    while (!ramus_json_member(&j, &more, &key, &err) && more) {
        if (strcmp(key.data, "sentences") == 0) {
            if (ramus_json_enter(&j, RAMUS_JSON_ARRAY, &err)) die(path.data);
            while (!ramus_json_element(&j, &more, &err) && more && w->n < SENTENCES)
                read_sentence(&j, &w->sentences[w->n++]);
        } else if (strcmp(key.data, "tokenizer_cases") == 0) {
            other = other_cases(w, &j, false, &n);
            report(w, "tokenizer cases that differ", n ? other : HUGE_VAL, 0);
        } else if (strcmp(key.data, "decode_cases") == 0) {
            other = other_cases(w, &j, true, &n);
            report(w, "decoder cases that differ", n ? other : HUGE_VAL, 0);
        } else if (ramus_json_skip(&j, &err)) {
            die(path.data);
        }
    }
    other = 0;
    for (int i = 0; i < w->n; i++)
        other += !encodes(w, 0, &w->sentences[i].text, &w->sentences[i].source) +
                 !encodes(w, 1, &w->sentences[i].target_text, &w->sentences[i].target);
    report(w, "sentences with other ids", w->n ? other : HUGE_VAL, 0);
    ramus_buffer_free(&key);
    ramus_buffer_free(&path);
    ramus_file_unmap(&file);
}

/* ---- the network ---- */

/* A graph of one sentence with its logits. */
typedef struct {
    ramus_graph *graph;
    ramus_run *run;
    const ramus_tensor *encoder, *logits;
} network;

static network open_network(const work *w, const ramus_arch *a, const ramus_weights *weights)
{
    const ramus_limits l = {LONGEST, 1, LONGEST};
    const ramus_build b = {.head = RAMUS_HEAD_LOGITS, .source = l, .target = l};
    network x = {0};
    if (ramus_transformer_create(&x.graph, a, &b, &err)) die(w->folder);
    ramus_weights_bind(x.graph, weights, NULL);
    if (ramus_run_create(&x.run, x.graph, w->pool, &err)) die(w->folder);
    x.encoder = ramus_graph_find(x.graph, "encoder.output");
    x.logits = ramus_graph_find(x.graph, "logits");
    return x;
}

static void close_network(network *x)
{
    ramus_run_destroy(x->run);
    ramus_graph_destroy(x->graph);
}

static void run_network(const network *x, const sentence *s)
{
    int *previous = ramus_graph_find(x->graph, "previous_ids")->data;
    ramus_axis_set(&x->graph->source, &s->source.n, 1);
    ramus_axis_set(&x->graph->target, &s->target.n, 1);
    memcpy(ramus_graph_find(x->graph, "source_ids")->data, s->source.data,
           (size_t)s->source.n * sizeof(int));
    for (int i = 0; i < s->target.n; i++)
        previous[i] = i ? s->target.data[i - 1] : 0;
    ramus_run_forward(x->run, RAMUS_WEIGHTS, RAMUS_TARGET);
}

static const ramus_safetensor *vector(const work *w, int number, const char *name)
{
    char full[64];
    (void)snprintf(full, sizeof full, "%d.%s", number, name);
    return ramus_safetensors_find(w->vectors, full);
}

/* The largest difference to a tensor, as a part of its largest number; 0 where there is none. */
static double error_of(const ramus_safetensor *want, const float *got, size_t count)
{
    double worst = 0, largest = 0;
    if (!want) return 0;
    if (want->count != count || want->dtype != RAMUS_SAFETENSOR_F32) return HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        const double x = (double)((const float *)want->data)[i];
        const double d = fabs((double)got[i] - x);
        worst = fmax(worst, isnan(d) ? HUGE_VAL : d);
        largest = fmax(largest, fabs(x));
    }
    return worst / largest;
}

/* The log-probability of each target token; without: the share of that word. */
static void log_probs(const work *w, const network *x, const sentence *s, int without, float *out)
{
    const int words = w->model.arch.target_vocab;
    for (int i = 0; i < s->target.n; i++) {
        const float *row = (const float *)x->logits->data + (size_t)i * (size_t)words;
        double top = -HUGE_VAL, sum = 0;
        for (int k = 0; k < words; k++)
            if (k != without) top = fmax(top, (double)row[k]);
        for (int k = 0; k < words; k++)
            if (k != without) sum += exp((double)row[k] - top);
        out[i] = (float)((double)row[s->target.data[i]] - top - log(sum));
    }
}

static void check_network(work *w, const ramus_weights *weights, const char *kind)
{
    network x = open_network(w, &w->model.arch, weights);
    const size_t width = (size_t)w->model.arch.width, words = (size_t)w->model.arch.target_vocab;
    double errors[5] = {0};
    int compared = 0;
    for (int i = 0; i < w->n; i++) {
        const sentence *s = &w->sentences[i];
        const size_t n = (size_t)s->target.n;
        float found[LONGEST];
        run_network(&x, s);
        const double e[] = {
            error_of(vector(w, i, "encoder_output"), x.encoder->data, (size_t)s->source.n * width),
            error_of(vector(w, i, "logits"), x.logits->data, n * words)};
        log_probs(w, &x, s, -1, found);
        double loss = 0;
        for (size_t k = 0; k < n; k++)
            loss -= (double)found[k] / (double)n;
        errors[0] = fmax(errors[0], e[0]);
        errors[1] = fmax(errors[1], e[1]);
        errors[2] = fmax(errors[2], error_of(vector(w, i, "token_log_probs"), found, n));
        errors[4] = fmax(errors[4], fabs(loss / s->loss - 1));
        log_probs(w, &x, s, w->model.arch.start_token, found);
        errors[3] =
            fmax(errors[3], error_of(vector(w, i, "token_log_probs_without_pad"), found, n));
        compared += vector(w, i, "encoder_output") && vector(w, i, "token_log_probs");
    }
    static const char *const names[] = {"encoder output", "logits", "log-probabilities",
                                        "log-probabilities without pad", "loss"};
    for (int i = 0; i < RAMUS_COUNT(names); i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%s, relative", kind, names[i]);
        report(w, name, compared == w->n ? errors[i] : HUGE_VAL, 1e-5);
    }
    close_network(&x);
}

/* ---- search ---- */

static void check_search(work *w, const ramus_weights *weights, int which, const char *kind)
{
    const int beam = searches[which].beam;
    const ramus_search_limits limits = {.beam = beam,
                                        .sentences = 1,
                                        .source_tokens = LONGEST,
                                        .source_length = LONGEST,
                                        .target_length = searches[which].max_length - 1};
    const ramus_search_options o = {.beam = beam,
                                    .greedy = beam == 1,
                                    .scores = true,
                                    .rules = searches[which].rules,
                                    .length_penalty = searches[which].penalty,
                                    .length_ratio = 0,
                                    .extra_length = limits.target_length,
                                    .eos = ramus_vocab_eos(w->vocabs[1])};
    ramus_search *s = NULL;
    ramus_hypothesis found[MOST];
    int other = 0, texts = 0, n_texts = 0, compared = 0;
    double error = 0;
    if (ramus_search_create(&s, &w->model.arch, weights, &limits, w->pool, &err)) die(w->folder);
    for (int i = 0; i < w->n; i++) {
        const sentence *x = &w->sentences[i];
        const ramus_source source = {.ids = x->source.data, .length = x->source.n};
        if (ramus_search_run(s, &o, &source, 1, found, &err)) die(w->folder);
        for (int k = 0; k < x->n_best[which]; k++, compared++) {
            const hypothesis *want = &x->best[which][k];
            const bool same = k < beam && same_ids(found[k].ids, found[k].length, &want->ids);
            other += !same;
            if (!same) continue;
            const double d = fabs(found[k].score - want->score);
            if (beam > 1) error = fmax(error, d / fmax(1, fabs(want->score)));
            if (!want->text.data) continue; // some lists have ids alone
            texts += !decodes(w, found[k].ids, found[k].length, &want->text);
            n_texts++;
        }
    }
    char name[64];
    (void)snprintf(name, sizeof name, "%s%s: hypotheses that differ", kind, searches[which].name);
    report(w, name, compared ? other : HUGE_VAL, 0);
    (void)snprintf(name, sizeof name, "%s%s: texts that differ", kind, searches[which].name);
    if (n_texts) report(w, name, texts, 0);
    if (beam > 1) {
        (void)snprintf(name, sizeof name, "%s%s: scores, relative", kind, searches[which].name);
        report(w, name, error, 1e-5);
    }
    ramus_search_destroy(s);
}

/* ---- files ---- */

static ramus_model *export_and_open(const work *w, ramus_export_type type)
{
    char path[64];
    (void)snprintf(path, sizeof path, "opus_mt.%d.gguf", (int)getpid());
    ramus_model *m = NULL;
    const ramus_export_spec spec = {.type = type};
    if (ramus_export(&w->model, &spec, path, &err) || ramus_model_open(&m, path, &err))
        die(w->folder);
    (void)unlink(path);
    return m;
}

/* The most probable word of a row, but for the start token. */
static int best_word(const work *w, const float *row)
{
    int best = -1;
    for (int k = 0; k < w->model.arch.target_vocab; k++)
        if (k != w->model.arch.start_token && (best < 0 || row[k] > row[best])) best = k;
    return best;
}

/* Greedy words of the packed model under the beginnings that the search of 32 bits found. */
static void check_packed(work *w, const ramus_weights *plain, ramus_export_type type,
                         const char *kind, double least)
{
    ramus_model *m = export_and_open(w, type);
    network x = open_network(w, &w->model.arch, plain), y = open_network(w, &m->arch, m->weights);
    const size_t words = (size_t)w->model.arch.target_vocab;
    double error = 0, largest = 0;
    int steps = 0, equal = 0;
    for (int i = 0; i < w->n; i++) {
        sentence s = w->sentences[i];
        s.target = s.best[0][0].ids; // greedy
        run_network(&x, &s);
        run_network(&y, &s);
        const float *a = x.logits->data, *b = y.logits->data;
        for (int t = 0; t < s.target.n; t++, steps++, a += words, b += words) {
            equal += best_word(w, a) == best_word(w, b);
            for (size_t k = 0; k < words; k++) {
                error = fmax(error, fabs((double)a[k] - (double)b[k]));
                largest = fmax(largest, fabs((double)a[k]));
            }
        }
    }
    printf("  %s: %d of %d words equal (%.1f %%), largest logit error %.3g of %.3g\n", kind, equal,
           steps, 100.0 * equal / steps, error, largest);
    char name[64];
    (void)snprintf(name, sizeof name, "%s: share of other words", kind);
    if (least > 0) report(w, name, steps ? 1 - (double)equal / steps : HUGE_VAL, 1 - least);
    close_network(&x);
    close_network(&y);
    ramus_model_close(m);
}

static void close_work(work *w)
{
    for (int i = 0; i < w->n; i++) {
        sentence *s = &w->sentences[i];
        for (int k = 0; k < SEARCHES; k++)
            for (int j = 0; j < s->n_best[k]; j++) {
                ramus_ids_free(&s->best[k][j].ids);
                ramus_buffer_free(&s->best[k][j].text);
            }
        ramus_ids_free(&s->source);
        ramus_ids_free(&s->target);
        ramus_buffer_free(&s->text);
        ramus_buffer_free(&s->target_text);
    }
    ramus_vocab_destroy(w->vocabs[0]);
    ramus_vocab_destroy(w->vocabs[1]);
    ramus_safetensors_close(w->vectors);
    ramus_checkpoint_free(&w->model);
}

static int check_folder(const char *folder, ramus_pool *pool)
{
    static work w;
    ramus_weights *folded = NULL;
    w = (work){.folder = folder, .pool = pool};
    ramus_buffer path = path_of(&w, "vectors.safetensors");
    if (ramus_import(&w.model, folder, &(ramus_import_hints){0}, &err)) die(folder);
    if (ramus_safetensors_open(&w.vectors, path.data, &err)) die(path.data);
    for (int side = 0; side < 2; side++)
        if (ramus_checkpoint_vocab(&w.vocabs[side], &w.model, side, &err)) die(folder);
    if (ramus_transformer_weights(&folded, &w.model.arch, false, &err)) die(folder);
    ramus_weights_fold(folded, w.model.weights);
    const char *slash = strrchr(folder, '/');
    printf("%s (%zu parameters)\n", slash && slash[1] ? slash + 1 : folder, w.model.weights->count);
    read_expected(&w);
    check_network(&w, folded, "");
    ramus_model *exported = export_and_open(&w, RAMUS_EXPORT_F32);
    check_network(&w, exported->weights, "file, ");
    for (int i = 0; i < SEARCHES; i++)
        check_search(&w, folded, i, "");
    check_search(&w, exported->weights, 1, "file, ");
    check_packed(&w, folded, RAMUS_EXPORT_I8, "int8", 0.95);
    check_packed(&w, folded, RAMUS_EXPORT_I4, "int4", 0);
    ramus_model_close(exported);
    ramus_weights_destroy(folded);
    ramus_buffer_free(&path);
    const int failures = w.failures;
    close_work(&w);
    return failures;
}

int main(int argc, char **argv)
{
    int failures = 0;
    ramus_pool *pool = NULL;
    ramus_kernels chosen;
    if (ramus_pool_create(&pool, 1, &err)) die("threads");
    if (ramus_kernels_choose(&chosen, &err)) {
        printf("skipped: %s\n", err.message);
        return 0;
    }
    printf("kernels %s\n", chosen.isa);
    for (int i = 1; i < argc; i++)
        failures += check_folder(argv[i], pool);
    ramus_pool_destroy(pool);
    printf("%d folders, %d comparisons out of bounds\n", argc - 1, failures);
    return failures > 0 || argc < 2;
}
