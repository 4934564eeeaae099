/* runs.h - small training runs on the golden sentences, for tests of the trainer. */
#ifndef RAMUS_TESTS_TRAIN_RUNS_H
#define RAMUS_TESTS_TRAIN_RUNS_H

#include "base/buffer.h"
#include "convert/checkpoint.h"
#include "data/vocab_train.h"
#include "train/trainer.h"

#include <signal.h>

#include "check.h"
#include "data/texts.h"

#define RUN_PAIRS 200

/* Writes the first n pairs of the sample to s.en and t.de. */
static inline void runs_put_text(int n)
{
    texts_sample sample = texts_load_sample();
    ramus_buffer sides[2] = {{0}, {0}};
    for (int i = 0; i < 2 * n; i++)
        ramus_buffer_print(&sides[i % 2], "%s\n", sample.lines[i]);
    texts_write("s.en", sides[0].data, sides[0].size);
    texts_write("t.de", sides[1].data, sides[1].size);
    ramus_buffer_free(&sides[0]);
    ramus_buffer_free(&sides[1]);
    free(sample.bytes);
}

typedef struct runs_reader {
    texts_sample sample;
    int next;
} runs_reader;

static inline const char *runs_next(void *arg, size_t *size)
{
    runs_reader *r = arg;
    if (r->next == r->sample.n) return NULL;
    *size = strlen(r->sample.lines[r->next]);
    return r->sample.lines[r->next++];
}

/* A vocabulary of `size` pieces of the sample from line `first` on, as NAME in the folder. */
static inline void runs_put_vocab(const char *name, int size, int first)
{
    ramus_error err = {0};
    ramus_buffer model = {0};
    runs_reader reader = {texts_load_sample(), first};
    const ramus_vocab_training t = {.size = size,
                                    .type = "unigram",
                                    .coverage = 1,
                                    .threads = 1,
                                    .quiet = true,
                                    .next = runs_next,
                                    .arg = &reader};
    REQUIRE_OK(ramus_vocab_train(&model, &t, &err), err);
    texts_write(name, model.data, model.size);
    ramus_buffer_free(&model);
    free(reader.sample.bytes);
}

/* A run with its own copies of all paths. */
typedef struct runs_run {
    ramus_train_spec spec;
    char paths[16][160];
    int n_paths;
    char notes[8192];
    int stop_after; // updates; 0: never
    int kill_after;
    int seen; // the last update that was told
    double loss, bleu;
} runs_run;

static inline void runs_note(void *arg, const char *text)
{
    runs_run *r = arg;
    const size_t used = strlen(r->notes);
    (void)snprintf(r->notes + used, sizeof r->notes - used, "%s\n", text);
}

static inline void runs_progress(void *arg, const ramus_train_progress *p)
{
    runs_run *r = arg;
    r->seen = p->update;
    r->loss = p->loss;
    r->bleu = p->bleu;
    if (r->kill_after && p->update >= r->kill_after) (void)raise(SIGKILL);
}

static inline int runs_stop(void *arg)
{
    const runs_run *r = arg;
    return r->stop_after && r->seen >= r->stop_after;
}

static inline const char *runs_path(runs_run *r, const char *name)
{
    char *path = r->paths[r->n_paths++];
    (void)snprintf(path, sizeof r->paths[0], "%s", texts_path(name));
    return path;
}

/* Settings in pairs, ended by NULL. */
static inline void runs_set(runs_run *r, const char *const *pairs)
{
    ramus_error err = {0};
    const ramus_settings tables[] = {
        ramus_arch_settings(&r->spec.arch), ramus_objective_settings(&r->spec.objective),
        ramus_optimizer_settings(&r->spec.optimizer), ramus_training_settings(&r->spec.training)};
    for (; *pairs; pairs += 2) {
        bool found = false;
        for (int i = 0; i < 4; i++) {
            const ramus_setting *row = ramus_setting_find(&tables[i], pairs[0]);
            if (!row) continue;
            REQUIRE_OK(ramus_setting_set(&tables[i], row, pairs[1], &err), err);
            found = true;
        }
        EXPECT(found, "%s is a setting", pairs[0]);
    }
}

#define SET(run, ...) runs_set((run), (const char *const[]){__VA_ARGS__, NULL})

/* A small model with everything random switched on; runs_place() gives it files. */
static inline runs_run runs_usual(void)
{
    runs_run r = {.seen = 0};
    const ramus_settings tables[] = {
        ramus_arch_settings(&r.spec.arch), ramus_objective_settings(&r.spec.objective),
        ramus_optimizer_settings(&r.spec.optimizer), ramus_training_settings(&r.spec.training)};
    for (int i = 0; i < 4; i++)
        ramus_settings_default(&tables[i]);
    r.spec.seed = 5;
    SET(&r, "width", "16", "filter", "32", "heads", "2", "encoder-layers", "1", "decoder-layers",
        "1", "batch-tokens", "400", "micro-tokens", "150", "max-length", "40", "pool-pairs", "70",
        "updates", "12", "valid-every", "4", "log-every", "2", "warmup", "5", "rate", "0.01",
        "dropout", "0.2", "attention-dropout", "0.1", "relu-dropout", "0.1");
    return r;
}

/* Fills in the files. The run must stay where it is from now on. */
static inline void runs_place(runs_run *r, const char *out)
{
    ramus_training *t = &r->spec.training;
    t->train = (ramus_texts){{runs_path(r, "s.en"), runs_path(r, "t.de")}, 2};
    t->valid = t->train;
    t->vocab = (ramus_texts){{runs_path(r, "v.model")}, 1};
    t->out = runs_path(r, out);
    t->cache = runs_path(r, "cache");
    r->spec.hooks = (ramus_train_hooks){NULL, runs_progress, runs_note, runs_stop, r};
}

static inline ramus_status runs_do(runs_run *r, int threads, ramus_train_result *done,
                                   ramus_error *err)
{
    ramus_status st = ramus_pool_create(&r->spec.pool, threads, err);
    if (!st) st = ramus_train(&r->spec, done, err);
    ramus_pool_destroy(r->spec.pool);
    r->spec.pool = NULL;
    return st;
}

/* Runs it to its end, which must be good. */
static inline ramus_train_result runs_finish(runs_run *r, int threads)
{
    ramus_error err = {0};
    ramus_train_result done = {0};
    REQUIRE_OK(runs_do(r, threads, &done, &err), err);
    return done;
}

/* The file name of a checkpoint of the folder `out`. */
static inline const char *runs_checkpoint(const char *out, int update)
{
    char name[96];
    (void)snprintf(name, sizeof name, "%s/checkpoint-%08d.safetensors", out, update);
    return texts_path(name);
}

/* Whether two checkpoints have the same tensors, bit by bit; the metadata has times in it. */
static inline void runs_expect_same(const char *a, const char *b, const char *what)
{
    ramus_error err = {0};
    ramus_safetensors *x = NULL, *y = NULL;
    REQUIRE_OK(ramus_safetensors_open(&x, a, &err), err);
    REQUIRE_OK(ramus_safetensors_open(&y, b, &err), err);
    EXPECT_INT(ramus_safetensors_count(x), ramus_safetensors_count(y), what);
    for (int i = 0; i < ramus_safetensors_count(x); i++) {
        const ramus_safetensor *t = ramus_safetensors_at(x, i);
        const ramus_safetensor *u = ramus_safetensors_find(y, t->name);
        EXPECT(u && u->size == t->size && memcmp(u->data, t->data, t->size) == 0, "%s: %s differs",
               what, t->name);
    }
    ramus_safetensors_close(x);
    ramus_safetensors_close(y);
}

static inline void runs_begin(void)
{
    texts_begin();
    runs_put_text(RUN_PAIRS);
    runs_put_vocab("v.model", 300, 0);
}

#endif
