/* model.h - small models with random weights for tests of laws. */
#ifndef RAMUS_TESTS_LAWS_MODEL_H
#define RAMUS_TESTS_LAWS_MODEL_H

#include "grad/grad.h"
#include "model/transformer.h"

#include "check.h"

#define SENTENCES 4
#define MANY      64 // enough rows for several blocks of every op
#define VOCAB     37

static const int source_lengths[MANY] = {5, 1,  9, 3, 4, 10, 9, 3,  6, 10, 8,  10, 2, 10, 1, 8,
                                         5, 9,  4, 4, 8, 9,  9, 8,  7, 3,  4,  3,  9, 7,  1, 2,
                                         3, 10, 1, 5, 1, 5,  8, 10, 7, 7,  7,  10, 8, 3,  6, 2,
                                         1, 3,  8, 4, 5, 7,  5, 7,  9, 7,  10, 6,  9, 10, 7, 10};
static const int target_lengths[MANY] = {4,  7,  1,  6,  4, 6, 1,  5,  10, 3, 6, 9, 10, 10, 2, 4,
                                         10, 5,  5,  2,  2, 8, 8,  2,  6,  2, 7, 3, 1,  5,  7, 7,
                                         2,  1,  10, 10, 1, 7, 10, 6,  9,  5, 9, 4, 1,  5,  1, 2,
                                         2,  10, 9,  1,  4, 7, 5,  10, 5,  3, 1, 6, 6,  6,  3, 7};

/* Settings in pairs, ended by NULL, over a shape with ragged sizes. */
static inline ramus_arch make_arch(const char *const *settings)
{
    static const char *const shape[] = {"width",
                                        "20",
                                        "filter",
                                        "27",
                                        "heads",
                                        "2",
                                        "source-vocab",
                                        "37",
                                        "encoder-layers",
                                        "2",
                                        "decoder-layers",
                                        "2",
                                        "target-vocab",
                                        "37",
                                        NULL};
    ramus_error err = {0};
    ramus_arch a = {0};
    const ramus_settings s = ramus_arch_settings(&a);
    ramus_settings_default(&s);
    for (int pass = 0; pass < 2; pass++)
        for (const char *const *p = pass ? settings : shape; *p; p += 2)
            REQUIRE_OK(ramus_setting_set(&s, ramus_setting_find(&s, p[0]), p[1], &err), err);
    REQUIRE_OK(ramus_arch_check(&a, &err), err);
    return a;
}

/* Every parameter random: biases and shared parts too, which start at zero. */
static inline ramus_weights *random_weights(const ramus_arch *a, bool training)
{
    ramus_error err = {0};
    ramus_weights *w = NULL;
    const ramus_rng rng = {check_seed(), 1, 2, 3};
    REQUIRE_OK(ramus_transformer_weights(&w, a, training, &err), err);
    for (size_t i = 0; i < w->size; i++)
        w->data[i] = (ramus_real)(0.3 * ramus_rng_normal(&rng, i));
    return w;
}

static inline int word_at(int sentence, int position, int side)
{
    const ramus_rng rng = {check_seed(), 5, (uint32_t)side, (uint32_t)sentence};
    return (int)(ramus_rng_bits(&rng, (uint64_t)position) % VOCAB);
}

/* A graph with its run, and n sentences from `first` on set as its batch. */
typedef struct bench {
    ramus_graph *graph;
    ramus_run *run;
} bench;

static inline bench bench_create(const ramus_arch *a, const ramus_weights *w,
                                 const ramus_weights *grads, const ramus_build *build,
                                 ramus_pool *pool)
{
    ramus_error err = {0};
    bench b = {0};
    REQUIRE_OK(ramus_transformer_create(&b.graph, a, build, &err), err);
    REQUIRE_OK(ramus_grad_run_create(&b.run, b.graph, pool, &err), err);
    ramus_weights_bind(b.graph, w, grads);
    return b;
}

static inline void bench_destroy(bench *b)
{
    ramus_run_destroy(b->run);
    ramus_graph_destroy(b->graph);
}

static inline void bench_batch(const bench *b, int first, int n)
{
    int *source = ramus_graph_find(b->graph, "source_ids")->data;
    int *previous = ramus_graph_find(b->graph, "previous_ids")->data;
    ramus_tensor *labels = ramus_graph_find(b->graph, "labels");
    int rows = 0;
    ramus_axis_set(&b->graph->source, source_lengths + first, n);
    ramus_axis_set(&b->graph->target, target_lengths + first, n);
    for (int s = first; s < first + n; s++) {
        for (int i = 0; i < source_lengths[s]; i++)
            *source++ = word_at(s, i, 0);
        for (int i = 0; i < target_lengths[s]; i++, rows++) {
            previous[rows] = i ? word_at(s, i - 1, 1) : 0;
            if (labels) ((int *)labels->data)[rows] = word_at(s, i, 1);
        }
    }
}

static inline ramus_build full_build(ramus_head head, const ramus_objective *objective)
{
    return (ramus_build){.head = head,
                         .objective = objective,
                         .source = {450, MANY, 12},
                         .target = {450, MANY, 12},
                         .gates = true};
}

#endif
