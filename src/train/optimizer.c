#include "train/optimizer.h"

#include "kernels/select.h"
#include "kernels/select_train.h"
#include "model/fold.h"
#include "model/transformer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 16384 // numbers that one thread takes at once
#define PI    3.14159265358979323846

enum { ADAM, ADAMW, SGD };
enum { INVERSE_SQRT, LINEAR, COSINE, CONSTANT };

static const char *const kinds[] = {"adam", "adamw", "sgd", NULL};
static const char *const schedules[] = {"inverse-sqrt", "linear", "cosine", "constant", NULL};

// clang-format off
#define AT(field) offsetof(ramus_optimizer_options, field)
static const ramus_setting rows[] = {
    {"optimizer",    RAMUS_SETTING_CHOICE, AT(kind), "how gradients move the weights", "adam", 0, 0, kinds, NULL},
    {"schedule",     RAMUS_SETTING_CHOICE, AT(schedule), "the learning rate after the warm-up", "inverse-sqrt", 0, 0, schedules, NULL},
    {"rate",         RAMUS_SETTING_REAL,   AT(rate), "largest learning rate", "7e-4", 0, 1000, NULL, NULL},
    {"end-rate",     RAMUS_SETTING_REAL,   AT(end_rate), "learning rate of the last update (linear, cosine)", "0", 0, 1000, NULL, NULL},
    {"own-rate",     RAMUS_SETTING_REAL,   AT(own_rate), "learning rate of the branches' own parts, times that of the rest (dmb with shared-private)", "1", 0, 1000, NULL, NULL},
    {"warmup",       RAMUS_SETTING_INT,    AT(warmup), "updates in which the rate rises", "4000", 0, 1e9, NULL, NULL},
    {"beta1",        RAMUS_SETTING_REAL,   AT(beta1), "decay of the first moment", "0.9", 0, 0.999999, NULL, NULL},
    {"beta2",        RAMUS_SETTING_REAL,   AT(beta2), "decay of the second moment", "0.98", 0, 0.999999, NULL, NULL},
    {"epsilon",      RAMUS_SETTING_REAL,   AT(epsilon), "added to the root of the second moment", "1e-9", 0, 1, NULL, NULL},
    {"weight-decay", RAMUS_SETTING_REAL,   AT(decay), "decay of the weights (adamw)", "0.01", 0, 1, NULL, NULL},
    {"clip",         RAMUS_SETTING_REAL,   AT(clip), "largest norm of the gradient; 0: any", "0", 0, 1e9, NULL, NULL},
    {"ema",          RAMUS_SETTING_REAL,   AT(ema), "decay of a running average of the weights, which is validated and saved in their place; 0: none", "0", 0, 0.999999, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_optimizer_settings(ramus_optimizer_options *o)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), o};
}

double ramus_learning_rate(const ramus_optimizer_options *o, int s, int updates)
{
    if (s < o->warmup) return o->rate * s / o->warmup;
    const double past = s - o->warmup, all = updates - o->warmup;
    const double part = all > 0 && past < all ? past / all : 1; // of the way down
    switch (o->schedule) {
    case INVERSE_SQRT:
        return o->rate * sqrt((o->warmup > 0 ? o->warmup : 1) / (double)s);
    case LINEAR:
        return o->rate + (o->end_rate - o->rate) * part;
    case COSINE:
        return o->end_rate + (o->rate - o->end_rate) * (1 + cos(PI * part)) / 2;
    default:
        return o->rate;
    }
}

/* Numbers of one parameter. */
typedef struct {
    size_t first; // in the flat block
    int n;
    bool decays;
    ramus_real rate; // times that of the update
} block;

struct ramus_optimizer {
    ramus_optimizer_options options;
    ramus_optimizer_state state;
    ramus_pool *pool;
    ramus_kernels kernels;
    ramus_train_kernels train;
    block *blocks;
    double *sums; // of squares, one per block
    int n_blocks;
};

/* Decay is for matrices; biases, gains and gates keep their size. */
static bool decays(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".weight") == 0 && !strstr(name, ".gate.");
}

static void cut(ramus_optimizer *o, const ramus_weights *w)
{
    RAMUS_ASSERT(o->blocks != NULL);
    for (int i = 0; i < w->n; i++) {
        const ramus_weight *item = &w->items[i];
        const size_t start = (size_t)(item->data - w->data);
        const bool own = ramus_weights_shared(w, item->name);
        for (size_t at = 0; at < item->count; at += BLOCK) {
            const size_t left = item->count - at;
            o->blocks[o->n_blocks++] = (block){.first = start + at,
                                               .n = left < BLOCK ? (int)left : BLOCK,
                                               .decays = decays(item->name),
                                               .rate = own ? (ramus_real)o->options.own_rate : 1};
        }
    }
}

ramus_status ramus_optimizer_create(ramus_optimizer **out, const ramus_optimizer_options *options,
                                    const ramus_weights *weights, ramus_pool *pool,
                                    ramus_error *err)
{
    ramus_optimizer *o = calloc(1, sizeof *o);
    if (!o) return ramus_fail_memory(err, "an optimizer");
    o->options = *options;
    o->pool = pool;
    const size_t most = weights->size / BLOCK + (size_t)weights->n;
    o->blocks = calloc(most, sizeof *o->blocks);
    o->sums = calloc(most, sizeof *o->sums);
    ramus_status st = o->blocks && o->sums ? RAMUS_OK : ramus_fail_memory(err, "an optimizer");
    if (!st) st = ramus_kernels_choose(&o->kernels, err);
    if (!st) st = ramus_train_kernels_choose(&o->train, err);
    if (!st && options->kind != SGD) st = ramus_weights_create_like(&o->state.first, weights, err);
    if (!st && options->kind != SGD) st = ramus_weights_create_like(&o->state.second, weights, err);
    if (!st && options->ema > 0) st = ramus_weights_create_like(&o->state.average, weights, err);
    if (st) {
        ramus_optimizer_destroy(o);
        return st;
    }
    if (o->state.average)
        memcpy(o->state.average->data, weights->data, weights->size * sizeof *weights->data);
    cut(o, weights);
    *out = o;
    return RAMUS_OK;
}

void ramus_optimizer_destroy(ramus_optimizer *o)
{
    if (!o) return;
    ramus_weights_destroy(o->state.first);
    ramus_weights_destroy(o->state.second);
    ramus_weights_destroy(o->state.average);
    free(o->blocks);
    free(o->sums);
    free(o);
}

ramus_optimizer_state *ramus_optimizer_remembers(ramus_optimizer *o)
{
    return &o->state;
}

typedef struct {
    ramus_optimizer *o;
    const ramus_real *grads;
} norm_job;

static void norm_block(void *arg, int index, int thread)
{
    (void)thread;
    const norm_job *job = arg;
    const block *b = &job->o->blocks[index];
    const ramus_real *g = job->grads + b->first;
    double lanes[8] = {0};
    int i = 0;
    for (; i + 8 <= b->n; i += 8)
        for (int j = 0; j < 8; j++)
            lanes[j] += (double)g[i + j] * (double)g[i + j];
    for (; i < b->n; i++)
        lanes[0] += (double)g[i] * (double)g[i];
    double sum = 0;
    for (int j = 0; j < 8; j++)
        sum += lanes[j];
    job->o->sums[index] = sum;
}

double ramus_optimizer_norm(ramus_optimizer *o, const ramus_weights *grads)
{
    norm_job job = {o, grads->data};
    ramus_pool_for(o->pool, o->n_blocks, norm_block, &job);
    double sum = 0;
    for (int i = 0; i < o->n_blocks; i++)
        sum += o->sums[i];
    return sqrt(sum);
}

typedef struct {
    ramus_optimizer *o;
    ramus_real *weights, *grads;
    ramus_adam adam;
    ramus_real keep; // share of the running average that stays
} step_job;

static void step_block(void *arg, int index, int thread)
{
    (void)thread;
    const step_job *job = arg;
    const ramus_optimizer *o = job->o;
    const block *b = &o->blocks[index];
    ramus_real *w = job->weights + b->first, *g = job->grads + b->first;
    ramus_adam adam = job->adam;
    adam.rate *= b->rate;
    if (o->options.kind == SGD) {
        o->kernels.axpy(w, -adam.rate * adam.grad_scale, g, b->n);
    } else {
        if (!b->decays || o->options.kind != ADAMW) adam.decay = 0;
        o->train.adam(w, o->state.first->data + b->first, o->state.second->data + b->first, g, b->n,
                      &adam);
    }
    memset(g, 0, (size_t)b->n * sizeof *g);
    if (!o->state.average) return;
    ramus_real *average = o->state.average->data + b->first;
    for (int i = 0; i < b->n; i++)
        average[i] = w[i] + job->keep * (average[i] - w[i]);
}

bool ramus_optimizer_step(ramus_optimizer *o, ramus_weights *weights, ramus_weights *grads,
                          double rate, double norm)
{
    const ramus_optimizer_options *p = &o->options;
    if (!isfinite(norm)) {
        memset(grads->data, 0, grads->size * sizeof *grads->data);
        return false;
    }
    const int s = ++o->state.steps;
    const double young = (1.0 + s) / (10.0 + s); // a young average forgets faster
    const ramus_adam adam = {
        .rate = (ramus_real)rate,
        .beta1 = (ramus_real)p->beta1,
        .beta2 = (ramus_real)p->beta2,
        .epsilon = (ramus_real)p->epsilon,
        .correction1 = (ramus_real)(1 / (1 - pow(p->beta1, s))),
        .correction2 = (ramus_real)(1 / (1 - pow(p->beta2, s))),
        .decay = (ramus_real)p->decay,
        .grad_scale = p->clip > 0 && norm > p->clip ? (ramus_real)(p->clip / norm) : 1,
    };
    step_job job = {o, weights->data, grads->data, adam,
                    (ramus_real)(p->ema < young ? p->ema : young)};
    ramus_pool_for(o->pool, o->n_blocks, step_block, &job);
    return true;
}
