/* Does the model compute what the authors' code computes?
 *
 *     build/tests/reference_vectors FILE...
 *
 * Each file holds one model, one batch and what the reference made of it
 * (tests/golden/vectors/README.md). Search also runs on the model as it is deployed: exported with
 * 32-bit weights and opened again. Prints the largest error of each kind beside its bound; exit 1
 * when one is exceeded. */
#include "convert/export.h"
#include "convert/import/thumt.h"
#include "format/safetensors.h"
#include "grad/grad.h"
#include "kernels/select.h"
#include "model/fold.h"
#include "model/transformer.h"
#include "runtime/model.h"
#include "runtime/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *path;
    ramus_safetensors *file;
    ramus_checkpoint model;
    ramus_weights *folded;
    ramus_model *exported;
    ramus_pool *pool;
    int n_sentences;
    int *source_lengths, *target_lengths;
    int failures;
} vectors;

static ramus_error err;

/* Ends with the sentence in err; it names the file itself when the file could not be opened. */
static void die(const char *path)
{
    fprintf(stderr, "%s%s%s\n", path ? path : "", path ? ": " : "", err.message);
    exit(1);
}

/* |a - b|, infinite when one is not a number */
static double distance(float a, float b)
{
    const double d = fabs((double)a - (double)b);
    return isnan(d) ? HUGE_VAL : d;
}

static void report(vectors *v, const char *what, double error, double bound)
{
    const int bad = !(error <= bound); // also when it is not a number
    printf("  %-42s %10.3g  bound %8.3g%s\n", what, error, bound, bad ? "  FAILED" : "");
    v->failures += bad;
}

/* The tensor `name`, which must have this type and rank. */
static const ramus_safetensor *tensor(const vectors *v, const char *name,
                                      ramus_safetensor_dtype dtype, int rank)
{
    const ramus_safetensor *t = ramus_safetensors_find(v->file, name);
    if (!t || t->dtype != dtype || t->rank != rank) {
        fprintf(stderr, "%s: no tensor %s of type %s with %d dimensions\n", v->path, name,
                ramus_safetensor_dtype_name(dtype), rank);
        exit(1);
    }
    return t;
}

static const ramus_safetensor *floats(const vectors *v, const char *name, int rank)
{
    return tensor(v, name, RAMUS_SAFETENSOR_F32, rank);
}

static double number(const vectors *v, const char *key, double otherwise)
{
    const char *text = ramus_safetensors_metadata_find(v->file, key);
    return text ? strtod(text, NULL) : otherwise;
}

static int *lengths_of_mask(const vectors *v, const char *name)
{
    const ramus_safetensor *mask = floats(v, name, 2);
    int *lengths = calloc(mask->shape[0], sizeof *lengths);
    for (size_t i = 0; i < mask->count; i++)
        lengths[i / mask->shape[1]] += ((const float *)mask->data)[i] != 0;
    return lengths;
}

/* Copies the ids of a padded [B, L] tensor to packed rows. */
static void pack_ids(const vectors *v, const char *name, const int *lengths, int *out)
{
    const ramus_safetensor *t = tensor(v, name, RAMUS_SAFETENSOR_I64, 2);
    for (size_t s = 0; s < t->shape[0]; s++)
        for (int i = 0; i < lengths[s]; i++)
            *out++ = (int)((const long long *)t->data)[s * t->shape[1] + (size_t)i];
}

/* The largest difference between packed rows and a padded [B, L, width] tensor of the reference. */
static double row_error(const vectors *v, const char *name, const int *lengths, const float *rows,
                        double *largest)
{
    const ramus_safetensor *t = floats(v, name, 3);
    const size_t width = t->shape[2];
    double worst = 0;
    for (size_t s = 0; s < t->shape[0]; s++)
        for (int i = 0; i < lengths[s]; i++, rows += width) {
            const float *want = (const float *)t->data + (s * t->shape[1] + (size_t)i) * width;
            for (size_t j = 0; j < width; j++) {
                worst = fmax(worst, distance(rows[j], want[j]));
                *largest = fmax(*largest, fabs((double)want[j]));
            }
        }
    return worst;
}

static ramus_limits limits_of(const int *lengths, int n)
{
    ramus_limits l = {0, n, 0};
    for (int i = 0; i < n; i++) {
        l.rows += lengths[i];
        if (lengths[i] > l.length) l.length = lengths[i];
    }
    return l;
}

static void set_batch(const vectors *v, ramus_graph *g)
{
    ramus_axis_set(&g->source, v->source_lengths, v->n_sentences);
    ramus_axis_set(&g->target, v->target_lengths, v->n_sentences);
    pack_ids(v, "batch.source", v->source_lengths, ramus_graph_find(g, "source_ids")->data);
    pack_ids(v, "batch.target_input", v->target_lengths, ramus_graph_find(g, "previous_ids")->data);
    const ramus_tensor *labels = ramus_graph_find(g, "labels");
    if (labels) pack_ids(v, "batch.labels", v->target_lengths, labels->data);
}

static ramus_graph *build(const vectors *v, ramus_head head, const ramus_objective *objective)
{
    const ramus_build b = {.head = head,
                           .objective = objective,
                           .source = limits_of(v->source_lengths, v->n_sentences),
                           .target = limits_of(v->target_lengths, v->n_sentences),
                           .gates = true};
    ramus_graph *g = NULL;
    if (ramus_transformer_create(&g, &v->model.arch, &b, &err)) die(v->path);
    return g;
}

/* "encoder/layer_0/attention.x" of the reference is our "encoder.0.attention.gate.x". */
static void our_gate(char *out, size_t size, const char *name)
{
    char side[16] = "", sublayer[32] = "", part[8] = "";
    char layer[8] = "";
    if (sscanf(name, "%15[a-z]/layer_%7[0-9]/%31[a-z_].%7s", side, layer, sublayer, part) != 4)
        return;
    const char *ours = strcmp(sublayer, "ffn_layer") == 0          ? "ffn"
                       : strcmp(sublayer, "encdec_attention") == 0 ? "cross"
                                                                   : "attention";
    snprintf(out, size, "%s.%s.%s.gate.%s", side, layer, ours, part);
}

static void check_gate(vectors *v, const ramus_graph *g, const char *name, double *error,
                       int *other_choices)
{
    char ours[64] = "", full[80];
    our_gate(ours, sizeof ours, name + strlen("gate."));
    snprintf(full, sizeof full, "%s.probs", ours);
    const ramus_tensor *probs = ramus_graph_find(g, full);
    snprintf(full, sizeof full, "%s.index", ours);
    const ramus_tensor *index = ramus_graph_find(g, full);
    if (!probs || !index) {
        fprintf(stderr, "%s: the model has no gate for %s\n", v->path, name);
        exit(1);
    }
    const int *lengths = probs->axis == &g->source ? v->source_lengths : v->target_lengths;
    double largest = 0;
    *error = fmax(*error, row_error(v, name, lengths, probs->data, &largest));

    const ramus_safetensor *t = floats(v, name, 3);
    const int n = (int)t->shape[2], k = index->dims[1];
    const int *kept = index->data;
    for (size_t s = 0; s < t->shape[0]; s++)
        for (int i = 0; i < lengths[s];
             i++, kept += k) { // each kept branch must be among their k largest
            const float *want = (const float *)t->data + (s * t->shape[1] + (size_t)i) * (size_t)n;
            for (int j = 0; j < k; j++) {
                int better = 0;
                for (int b = 0; b < n; b++)
                    better += want[b] > want[kept[j]];
                *other_choices += better != j;
            }
        }
}

static void check_forward(vectors *v)
{
    ramus_graph *g = build(v, RAMUS_HEAD_LOGITS, NULL);
    ramus_run *run = NULL;
    if (ramus_run_create(&run, g, v->pool, &err)) die(v->path);
    ramus_weights_bind(g, v->folded, NULL);
    set_batch(v, g);
    ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_TARGET);

    double largest = 0, error = row_error(v, "encoder_output", v->source_lengths,
                                          ramus_graph_find(g, "encoder.output")->data, &largest);
    report(v, "encoder output, of the largest", error / largest, 1e-5);
    largest = 0;
    error =
        row_error(v, "logits", v->target_lengths, ramus_graph_find(g, "logits")->data, &largest);
    report(v, "logits, of the largest", error / largest, 1e-5);

    int gates = 0, other_choices = 0;
    double gate_error = 0;
    for (int i = 0; i < ramus_safetensors_count(v->file); i++) {
        const char *name = ramus_safetensors_at(v->file, i)->name;
        if (strncmp(name, "gate.", 5) != 0) continue;
        check_gate(v, g, name, &gate_error, &other_choices);
        gates++;
    }
    const ramus_arch *a = &v->model.arch;
    const int per_encoder = (a->routed != RAMUS_ROUTED_FFN) + (a->routed != RAMUS_ROUTED_ATTENTION);
    const int per_decoder =
        3 * (a->routed != RAMUS_ROUTED_FFN) + (a->routed != RAMUS_ROUTED_ATTENTION);
    const int expected = a->routing == RAMUS_DENSE
                             ? 0
                             : per_encoder * a->encoder_layers + per_decoder * a->decoder_layers;
    if (expected) report(v, "gate probabilities", gate_error, 1e-5);
    if (expected) report(v, "gate choices that differ", other_choices, 0);
    report(v, "gates not compared", abs(expected - gates), 0);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
}

/* The worst gradient error as a multiple of its bound: 1e-4 of the tensor's largest entry + 1e-6.
 * Tensors are the authors': one per branch. */
static double gradient_error(const ramus_weights *got, const ramus_weights *want,
                             const ramus_arch *a)
{
    double worst = 0;
    for (int i = 0; i < got->n; i++) {
        const ramus_weight *w = &want->items[i];
        const int stacked = w->n_dims > 1 && w->dims[0] == a->branches && a->branches > 1 &&
                            !strstr(w->name, ".gate.") && !strstr(w->name, ".shared.");
        const size_t n = stacked ? (size_t)a->branches : 1, count = w->count / n;
        for (size_t part = 0; part < n; part++) {
            double largest = 0, error = 0;
            for (size_t j = part * count; j < (part + 1) * count; j++) {
                largest = fmax(largest, fabs((double)w->data[j]));
                error = fmax(error, distance(got->items[i].data[j], w->data[j]));
            }
            if (largest == 0 && error > 0) error = HUGE_VAL; // a branch that no token chose
            worst = fmax(worst, error / (1e-4 * largest + 1e-6));
        }
    }
    return worst;
}

static void check_training(vectors *v)
{
    ramus_objective o = {0};
    const ramus_settings s = ramus_objective_settings(&o);
    ramus_settings_default(&s);
    o.dropout = 0;
    o.label_smoothing = number(v, "label_smoothing", 0.1);
    o.diversity_weight = o.entropy_weight = number(v, "alpha", 0.1);

    ramus_graph *g = build(v, RAMUS_HEAD_LOSS, &o);
    ramus_run *run = NULL;
    ramus_weights *grads = NULL, *want = NULL;
    if (ramus_grad_run_create(&run, g, v->pool, &err) || ramus_weights_create(&grads, g, &err) ||
        ramus_weights_create(&want, g, &err) ||
        ramus_import_weights(want, &v->model.arch, v->file, "grad.", &err))
        die(v->path);
    ramus_weights_bind(g, v->model.weights, grads);
    set_batch(v, g);
    run->train->loss_scale = 1.0 / g->target.rows;
    ramus_grad_forward(run);
    ramus_grad_seed(run);
    ramus_grad_backward(run);

    double total = 0, cross_entropy = 0;
    for (int i = 0; i < g->n_losses; i++) {
        const ramus_loss *loss = &g->losses[i];
        const double value = (double)*(const float *)loss->value->data * loss->weight;
        if (strcmp(loss->name, "cross_entropy") == 0)
            cross_entropy = value * run->train->loss_scale;
        else
            total += value;
    }
    total += cross_entropy;
    const double want_total = (double)*(const float *)floats(v, "loss", 1)->data;
    const double want_ce = (double)*(const float *)floats(v, "loss_cross_entropy", 1)->data;
    report(v, "loss, relative", fabs(total / want_total - 1), 1e-5);
    report(v, "cross-entropy, relative", fabs(cross_entropy / want_ce - 1), 1e-5);
    if (want_total != want_ce)
        report(v, "auxiliary losses, of the loss",
               fabs((total - cross_entropy) - (want_total - want_ce)) / want_total, 1e-5);
    report(v, "gradients, multiple of their bound", gradient_error(grads, want, &v->model.arch), 1);
    ramus_weights_destroy(want);
    ramus_weights_destroy(grads);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
}

/* A search over a model's weights, with its options. The lists are of the batch's sources. */
typedef struct {
    ramus_search *search;
    ramus_search_options options;
    int *packed;
    ramus_source *sources;
    ramus_hypothesis *best; // [sentences, beam]
} searcher;

static searcher create_searcher(const vectors *v, const ramus_weights *weights, int beam)
{
    const ramus_limits l = limits_of(v->source_lengths, v->n_sentences);
    int extra = 12;
    const char *limit = ramus_safetensors_metadata_find(v->file, "max_decode_length");
    if (limit && strncmp(limit, "source_length + ", 16) == 0)
        extra = (int)strtol(limit + 16, NULL, 10);
    const ramus_search_limits limits = {.sentences = v->n_sentences,
                                        .source_tokens = l.rows,
                                        .source_length = l.length,
                                        .target_length = l.length + extra,
                                        .beam = beam};
    searcher s = {.options = {.beam = beam,
                              .length_penalty = number(v, "length_penalty", 0.6),
                              .scores = true,
                              .length_ratio = 1,
                              .extra_length = extra,
                              .eos = (int)number(v, "eos", 1)}};
    if (ramus_search_create(&s.search, &v->model.arch, weights, &limits, v->pool, &err))
        die(v->path);
    s.packed = calloc((size_t)l.rows + 1, sizeof *s.packed);
    s.sources = calloc((size_t)v->n_sentences, sizeof *s.sources);
    s.best = calloc((size_t)v->n_sentences * (size_t)beam, sizeof *s.best);
    pack_ids(v, "batch.source", v->source_lengths, s.packed);
    for (int i = 0, at = 0; i < v->n_sentences; at += v->source_lengths[i++])
        s.sources[i] = (ramus_source){.ids = s.packed + at, .length = v->source_lengths[i]};
    return s;
}

static void destroy_searcher(searcher *s)
{
    free(s->best);
    free(s->sources);
    free(s->packed);
    ramus_search_destroy(s->search);
}

/* Translates n sentences from `first` on: best[0 .. n * beam - 1]. */
static void run_search(const vectors *v, const searcher *s, int first, int n)
{
    if (ramus_search_run(s->search, &s->options, s->sources + first, n, s->best, &err))
        die(v->path);
}

/* Each sentence alone, as the reference did, or all sentences at once. */
static void check_search(vectors *v, bool exported, int beam, bool together)
{
    char name[64];
    snprintf(name, sizeof name, "search.beam%d.ids", beam);
    const ramus_safetensor *ids = tensor(v, name, RAMUS_SAFETENSOR_I64, 3);
    snprintf(name, sizeof name, "search.beam%d.scores", beam);
    const ramus_safetensor *scores = floats(v, name, 2);
    searcher s = create_searcher(v, exported ? v->exported->weights : v->folded, beam);

    int other_ids = 0;
    double error = 0;
    const int step = together ? v->n_sentences : 1;
    for (int i = 0; i < v->n_sentences; i += step) {
        run_search(v, &s, i, step);
        for (int j = 0; j < step * beam; j++) {
            const ramus_hypothesis *got = &s.best[j];
            const size_t at = (size_t)i * (size_t)beam + (size_t)j, length = ids->shape[2];
            const long long *want = (const long long *)ids->data + at * length;
            for (size_t k = 0; k < length; k++)
                other_ids += want[k] != (k < (size_t)got->length ? got->ids[k] : -1);
            error = fmax(error, fabs(got->score - (double)((const float *)scores->data)[at]));
        }
    }
    const char *kind = exported ? "file, " : "", *batch = together ? " in a batch" : "";
    snprintf(name, sizeof name, "%sbeam %d%s: ids that differ", kind, beam, batch);
    report(v, name, other_ids, 0);
    snprintf(name, sizeof name, "%sbeam %d%s: scores", kind, beam, batch);
    report(v, name, error, 1e-4);
    destroy_searcher(&s);
}

/* How many of a sentence's words are not the largest logit of a graph that sees all of it. */
static int other_words(const vectors *v, ramus_graph *g, ramus_run *run, const searcher *s, int i)
{
    const ramus_hypothesis *got = &s->best[0];
    int *previous = ramus_graph_find(g, "previous_ids")->data, other = 0;
    const ramus_tensor *logits = ramus_graph_find(g, "logits");
    const int words = logits->dims[1];
    ramus_axis_set(&g->source, v->source_lengths + i, 1);
    ramus_axis_set(&g->target, &got->length, 1);
    memcpy(ramus_graph_find(g, "source_ids")->data, s->sources[i].ids,
           (size_t)v->source_lengths[i] * sizeof(int));
    for (int j = 0; j < got->length; j++)
        previous[j] = j ? got->ids[j - 1] : 0;
    ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_TARGET);
    for (int j = 0; j < got->length; j++) {
        const float *row = (const float *)logits->data + (size_t)j * (size_t)words;
        int best = j == 0 && s->options.eos == 0; // no sentence begins with EOS
        for (int k = 0; k < words; k++)
            if (row[k] > row[best] && !(j == 0 && k == s->options.eos)) best = k;
        other += best != got->ids[j];
    }
    return other;
}

/* Greedy search with the deployed model, word by word, against all positions at once. */
static void check_greedy(vectors *v)
{
    searcher s = create_searcher(v, v->exported->weights, 1);
    s.options.greedy = true;
    const ramus_limits l = limits_of(v->source_lengths, v->n_sentences);
    const int most = l.length + s.options.extra_length;
    const ramus_build b = {
        .head = RAMUS_HEAD_LOGITS, .source = {l.length, 1, l.length}, .target = {most, 1, most}};
    ramus_graph *g = NULL;
    ramus_run *run = NULL;
    if (ramus_transformer_create(&g, &v->exported->arch, &b, &err)) die(v->path);
    ramus_weights_bind(g, v->exported->weights, NULL);
    if (ramus_run_create(&run, g, v->pool, &err)) die(v->path);
    int other = 0, words = 0;
    for (int i = 0; i < v->n_sentences; i++) {
        run_search(v, &s, i, 1);
        words += s.best[0].length;
        other += other_words(v, g, run, &s, i);
    }
    report(v, "file, greedy: not the largest logit", words ? other : HUGE_VAL, 0);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
    destroy_searcher(&s);
}

/* The model as it is deployed, in a file that is gone again but still mapped. */
static ramus_model *export_and_open(const vectors *v)
{
    char path[64];
    snprintf(path, sizeof path, "reference_vectors.%d.gguf", (int)getpid());
    ramus_model *m = NULL;
    if (ramus_export(&v->model, &(ramus_export_spec){.type = RAMUS_EXPORT_F32}, path, &err) ||
        ramus_model_open(&m, path, &err))
        die(v->path);
    (void)unlink(path);
    return m;
}

static int check_file(const char *path, ramus_pool *pool)
{
    vectors v = {.path = path, .pool = pool};
    if (ramus_safetensors_open(&v.file, path, &err)) die(NULL);
    if (ramus_import_model(&v.model, v.file, &(ramus_import_hints){0}, &err)) die(path);
    if (ramus_transformer_weights(&v.folded, &v.model.arch, false, &err)) die(path);
    ramus_weights_fold(v.folded, v.model.weights);
    v.n_sentences = (int)tensor(&v, "batch.source", RAMUS_SAFETENSOR_I64, 2)->shape[0];
    v.source_lengths = lengths_of_mask(&v, "batch.source_mask");
    v.target_lengths = lengths_of_mask(&v, "batch.target_mask");

    const char *slash = strrchr(path, '/');
    printf("%s (%zu parameters)\n", slash ? slash + 1 : path, v.model.weights->count);
    check_forward(&v);
    check_training(&v);
    v.exported = export_and_open(&v);
    for (int i = 0; i < 8; i++)
        check_search(&v, i & 4, i & 1 ? 4 : 1, i & 2);
    check_greedy(&v);
    ramus_model_close(v.exported);
    free(v.target_lengths);
    free(v.source_lengths);
    ramus_weights_destroy(v.folded);
    ramus_weights_destroy(v.model.weights);
    ramus_safetensors_close(v.file);
    return v.failures;
}

int main(int argc, char **argv)
{
    int failures = 0, threads = 1, files = 0;
    ramus_pool *pool = NULL;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            threads = (int)strtol(argv[++i], NULL, 10);
    if (ramus_pool_create(&pool, threads > 0 ? threads : 1, &err)) die("threads");
    ramus_kernels chosen;
    if (ramus_kernels_choose(&chosen, &err)) {
        printf("skipped: %s\n", err.message); // CMakeLists.txt names every row there is
        return 0;
    }
    printf("kernels %s, %d threads\n", chosen.isa, ramus_pool_threads(pool));
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0) {
            i++;
            continue;
        }
        failures += check_file(argv[i], pool);
        files++;
    }
    ramus_pool_destroy(pool);
    printf("%d files, %d comparisons out of bounds\n", files, failures);
    return failures > 0 || files == 0;
}
