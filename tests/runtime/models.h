/* models.h - small models with random weights as files, for tests of what is deployed.
 *
 * Weights are whole-number arithmetic on random bits: no function of libm is in them, so that every
 * machine makes the same file. */
#ifndef RAMUS_TESTS_RUNTIME_MODELS_H
#define RAMUS_TESTS_RUNTIME_MODELS_H

#include "base/map.h"
#include "base/rng.h"
#include "convert/export.h"
#include "model/transformer.h"

#include "check.h"

#include <unistd.h>

/* Settings in pairs, ended by NULL, over `shape`, likewise. */
static inline ramus_arch model_arch(const char *const *shape, const char *const *settings)
{
    ramus_error err = {0};
    ramus_arch a = {0};
    const ramus_settings s = ramus_arch_settings(&a);
    ramus_settings_default(&s);
    for (int pass = 0; pass < 2; pass++)
        for (const char *const *p = pass ? settings : shape; p && *p; p += 2)
            REQUIRE_OK(ramus_setting_set(&s, ramus_setting_find(&s, p[0]), p[1], &err), err);
    REQUIRE_OK(ramus_arch_check(&a, &err), err);
    return a;
}

/* Every parameter random in [-bound, bound): biases and shared parts too. */
static inline void model_fill(ramus_weights *w, double bound)
{
    for (int i = 0; i < w->n; i++) {
        const ramus_rng rng = {check_seed(), 7, 0, (uint32_t)i};
        for (size_t j = 0; j < w->items[i].count; j++)
            w->items[i].data[j] = (ramus_real)(bound * (2 * ramus_rng_uniform(&rng, j) - 1));
    }
}

/* A checkpoint with random weights and no vocabulary. The caller ends it with model_free(). */
static inline ramus_checkpoint model_make(const ramus_arch *a)
{
    ramus_error err = {0};
    ramus_checkpoint c = {.arch = *a};
    REQUIRE_OK(ramus_transformer_weights(&c.weights, a, true, &err), err);
    model_fill(c.weights, 0.3);
    return c;
}

static inline void model_free(ramus_checkpoint *c)
{
    ramus_weights_destroy(c->weights);
    ramus_buffer_free(&c->vocabs[0]);
    ramus_buffer_free(&c->vocabs[1]);
}

/* Adds a vocabulary of tests/golden/text to a checkpoint. */
static inline void model_vocab(ramus_checkpoint *c, int side, const char *name)
{
    ramus_error err = {0};
    ramus_file file = {0};
    char path[512];
    (void)snprintf(path, sizeof path, "%s/text/%s.model", GOLDEN, name);
    REQUIRE_OK(ramus_file_map(&file, path, &err), err);
    ramus_buffer_clear(&c->vocabs[side]);
    ramus_buffer_add(&c->vocabs[side], file.data, file.size);
    ramus_file_unmap(&file);
}

/* The path of a file of this process in the folder that the test runs in; one of four in turn. */
static inline const char *model_path(const char *name)
{
    static char paths[4][64];
    static int next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s.%d.gguf", name, (int)getpid());
    return path;
}

#endif
