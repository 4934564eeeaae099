/* vectors.h - files of tensors that other authors' code computed: their reading, a model's graphs
 * and searches over their batch, and the report of errors beside bounds. */
#ifndef RAMUS_TESTS_LAWS_VECTORS_H
#define RAMUS_TESTS_LAWS_VECTORS_H

#include "convert/export.h"
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
static inline void die(const char *path)
{
    fprintf(stderr, "%s%s%s\n", path ? path : "", path ? ": " : "", err.message);
    exit(1);
}

/* |a - b|, infinite when one is not a number */
static inline double distance(float a, float b)
{
    const double d = fabs((double)a - (double)b);
    return isnan(d) ? HUGE_VAL : d;
}

static inline void report(vectors *v, const char *what, double error, double bound)
{
    const int bad = !(error <= bound); // also when it is not a number
    printf("  %-42s %10.3g  bound %8.3g%s\n", what, error, bound, bad ? "  FAILED" : "");
    v->failures += bad;
}

/* The tensor `name`, which must have this type and rank. */
static inline const ramus_safetensor *tensor(const vectors *v, const char *name,
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

static inline const ramus_safetensor *floats(const vectors *v, const char *name, int rank)
{
    return tensor(v, name, RAMUS_SAFETENSOR_F32, rank);
}

static inline double number(const vectors *v, const char *key, double otherwise)
{
    const char *text = ramus_safetensors_metadata_find(v->file, key);
    return text ? strtod(text, NULL) : otherwise;
}

/* Copies the ids of a padded [B, L] tensor to packed rows. */
static inline void pack_ids(const vectors *v, const char *name, const int *lengths, int *out)
{
    const ramus_safetensor *t = tensor(v, name, RAMUS_SAFETENSOR_I64, 2);
    for (size_t s = 0; s < t->shape[0]; s++)
        for (int i = 0; i < lengths[s]; i++)
            *out++ = (int)((const long long *)t->data)[s * t->shape[1] + (size_t)i];
}

/* The largest difference between packed rows and a padded [B, L, width] tensor of the reference. */
static inline double row_error(const vectors *v, const char *name, const int *lengths,
                               const float *rows, double *largest)
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

static inline ramus_limits limits_of(const int *lengths, int n)
{
    ramus_limits l = {0, n, 0};
    for (int i = 0; i < n; i++) {
        l.rows += lengths[i];
        if (lengths[i] > l.length) l.length = lengths[i];
    }
    return l;
}

static inline void set_batch(const vectors *v, ramus_graph *g)
{
    ramus_axis_set(&g->source, v->source_lengths, v->n_sentences);
    ramus_axis_set(&g->target, v->target_lengths, v->n_sentences);
    pack_ids(v, "batch.source", v->source_lengths, ramus_graph_find(g, "source_ids")->data);
    pack_ids(v, "batch.target_input", v->target_lengths, ramus_graph_find(g, "previous_ids")->data);
    const ramus_tensor *labels = ramus_graph_find(g, "labels");
    if (labels) pack_ids(v, "batch.labels", v->target_lengths, labels->data);
}

static inline ramus_graph *build(const vectors *v, ramus_head head,
                                 const ramus_objective *objective)
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

/* A search over a model's weights, with its options. The lists are of the batch's sources. */
typedef struct {
    ramus_search *search;
    ramus_search_options options;
    int *packed;
    ramus_source *sources;
    ramus_hypothesis *best; // [sentences, beam]
} searcher;

static inline searcher create_searcher(const vectors *v, const ramus_weights *weights, int beam)
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

static inline void destroy_searcher(searcher *s)
{
    free(s->best);
    free(s->sources);
    free(s->packed);
    ramus_search_destroy(s->search);
}

/* Translates n sentences from `first` on: best[0 .. n * beam - 1]. */
static inline void run_search(const vectors *v, const searcher *s, int first, int n)
{
    if (ramus_search_run(s->search, &s->options, s->sources + first, n, s->best, &err))
        die(v->path);
}

/* The model as it is deployed, in a file that is gone again but still mapped. */
static inline ramus_model *export_and_open(const vectors *v)
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

/* The whole program: check_file() for each file named. */
static inline int check_files(int argc, char **argv,
                              int (*check_file)(const char *path, ramus_pool *pool))
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

#endif
