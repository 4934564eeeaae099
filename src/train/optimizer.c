/* The weights are cut into work that does not depend on the thread count: blocks of numbers for
 * Adam and plain descent, whole matrices for Muon. Muon (Jordan et al. 2024) moves the
 * matrices of the layers. Adam moves the rest: word vectors, gates, norms, biases. */
#include "train/optimizer.h"

#include "kernels/select.h"
#include "kernels/select_train.h"
#include "model/arch.h"
#include "model/fold.h"
#include "train/orthogonal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 16384 // numbers that one thread takes at once
#define PI    3.14159265358979323846

#define MUON_RMS 0.2 // of an update, like Adam's: one rate serves both (Liu et al. 2025)

enum { ADAM, ADAMW, SGD, MUON };
enum { INVERSE_SQRT, LINEAR, COSINE, CONSTANT, STABLE };

static const char *const kinds[] = {"adam", "adamw", "sgd", "muon", NULL};
static const char *const schedules[] = {"inverse-sqrt", "linear", "cosine",
                                        "constant",     "stable", NULL};

// clang-format off
#define AT(field) offsetof(ramus_optimizer_options, field)
static const ramus_setting rows[] = {
    {"optimizer",    RAMUS_SETTING_CHOICE, AT(kind), "how gradients move the weights", "adam", 0, 0, kinds, NULL},
    {"schedule",     RAMUS_SETTING_CHOICE, AT(schedule), "the learning rate after the warm-up", "inverse-sqrt", 0, 0, schedules, NULL},
    {"rate",         RAMUS_SETTING_REAL,   AT(rate), "largest learning rate", "7e-4", 0, 1000, NULL, NULL},
    {"end-rate",     RAMUS_SETTING_REAL,   AT(end_rate), "learning rate of the last update (linear, cosine, stable)", "0", 0, 1000, NULL, NULL},
    {"own-rate",     RAMUS_SETTING_REAL,   AT(own_rate), "factor of the learning rate for the branches' own parts (dmb with shared-private)", "1", 0, 1000, NULL, NULL},
    {"warmup",       RAMUS_SETTING_INT,    AT(warmup), "updates over which the learning rate rises", "4000", 0, 1e9, NULL, NULL},
    {"decay-updates", RAMUS_SETTING_INT,   AT(decay_updates), "last updates, over which the learning rate falls (stable); 0: a fifth of all", "0", 0, 1e9, NULL, NULL},
    {"beta1",        RAMUS_SETTING_REAL,   AT(beta1), "decay of the first moment", "0.9", 0, 0.999999, NULL, NULL},
    {"beta2",        RAMUS_SETTING_REAL,   AT(beta2), "decay of the second moment", "0.98", 0, 0.999999, NULL, NULL},
    {"epsilon",      RAMUS_SETTING_REAL,   AT(epsilon), "added to the root of the second moment", "1e-9", 0, 1, NULL, NULL},
    {"momentum",     RAMUS_SETTING_REAL,   AT(momentum), "decay of Muon's momentum", "0.95", 0, 0.999999, NULL, NULL},
    {"weight-decay", RAMUS_SETTING_REAL,   AT(decay), "decay of the weights (adamw, muon)", "0.01", 0, 1, NULL, NULL},
    {"clip",         RAMUS_SETTING_REAL,   AT(clip), "largest norm of the gradient; 0: any", "0", 0, 1e9, NULL, NULL},
    {"ema",          RAMUS_SETTING_REAL,   AT(ema), "decay of a running average of the weights, validated and saved in their place; 0: none", "0", 0, 0.999999, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_optimizer_settings(ramus_optimizer_options *o)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), o};
}

int ramus_decay_start(const ramus_optimizer_options *o, int updates)
{
    if (o->schedule != STABLE) return -1;
    const int start = updates - (o->decay_updates ? o->decay_updates : updates / 5);
    return start > o->warmup ? start : o->warmup;
}

double ramus_learning_rate(const ramus_optimizer_options *o, int s, int updates)
{
    if (s < o->warmup) return o->rate * s / o->warmup;
    const int start = o->schedule == STABLE ? ramus_decay_start(o, updates) : o->warmup;
    const double past = s - start, all = updates - start;
    const double part = all > 0 && past < all ? past / all : 1; // of the way down
    switch (o->schedule) {
    case INVERSE_SQRT:
        return o->rate * sqrt((o->warmup > 0 ? o->warmup : 1) / (double)s);
    case LINEAR:
        return o->rate + (o->end_rate - o->rate) * part;
    case COSINE:
        return o->end_rate + (o->rate - o->end_rate) * (1 + cos(PI * part)) / 2;
    case STABLE: // Haegele et al. 2024: this root does better than a straight line
        return s <= start ? o->rate : o->rate + (o->end_rate - o->rate) * sqrt(part);
    default:
        return o->rate;
    }
}

/* Numbers of one parameter. */
typedef struct {
    size_t first;  // in the flat block
    size_t second; // in that of the second moment
    int n;
    bool decays; // matrices; biases, gains and gates keep their size
    bool muon;
    ramus_real rate; // times that of the update
} block;

/* One branch of a map. */
typedef struct {
    size_t first; // in the flat block
    int n, k;
} matrix;

struct ramus_optimizer {
    ramus_optimizer_options options;
    ramus_optimizer_state state;
    ramus_pool *pool;
    ramus_kernels kernels;
    ramus_train_kernels train;
    block *blocks;
    double *sums;     // of squares, one per block
    matrix *matrices; // that Muon moves
    ramus_arena *arena;
    char *scratch; // [threads, scratch_bytes]
    size_t scratch_bytes;
    int n_blocks, n_matrices;
};

static bool is_own(const ramus_weights *w, const ramus_weight *item)
{
    return ramus_weights_shared(w, item) != NULL;
}

static ramus_real rate_of(const ramus_optimizer *o, const ramus_weights *w,
                          const ramus_weight *item)
{
    return is_own(w, item) ? (ramus_real)o->options.own_rate : 1;
}

/* Whether it is a matrix of a layer, or one for each branch. The branches' own parts beside a
 * shared one stay with Adam: they would multiply Muon's cost and move little
 * (docs/lab/optimiser.md). */
static bool takes_muon(const ramus_optimizer *o, const ramus_weights *w, const ramus_weight *item)
{
    return o->options.kind == MUON && item->site.stack && ramus_role_is_matrix(item->role) &&
           !is_own(w, item);
}

static void add_matrices(ramus_optimizer *o, const ramus_weights *w, const ramus_weight *item)
{
    const int n = item->dims[item->n_dims - 2], k = item->dims[item->n_dims - 1];
    const size_t count = (size_t)n * (size_t)k;
    const size_t bytes = (ramus_orthogonal_scratch(n, k) + count) * sizeof(ramus_real);
    for (size_t at = 0; at < item->count; at += count)
        o->matrices[o->n_matrices++] = (matrix){(size_t)(item->data - w->data) + at, n, k};
    if (bytes > o->scratch_bytes) o->scratch_bytes = bytes;
}

/* Appends the blocks of a parameter, whose second moment starts at `second`. */
static void add_blocks(ramus_optimizer *o, const ramus_weights *w, const ramus_weight *item,
                       size_t second)
{
    const size_t start = (size_t)(item->data - w->data);
    for (size_t at = 0; at < item->count; at += BLOCK) {
        const size_t left = item->count - at;
        o->blocks[o->n_blocks++] = (block){.first = start + at,
                                           .second = second + at,
                                           .n = left < BLOCK ? (int)left : BLOCK,
                                           .decays = ramus_role_is_matrix(item->role),
                                           .muon = takes_muon(o, w, item),
                                           .rate = rate_of(o, w, item)};
    }
}

static void cut(ramus_optimizer *o, const ramus_weights *w)
{
    const ramus_weights *second = o->state.second;
    for (int i = 0, adam = 0; i < w->n; i++) {
        const ramus_weight *item = &w->items[i];
        const bool muon = takes_muon(o, w, item);
        const bool moment = second && !muon;
        add_blocks(o, w, item, moment ? (size_t)(second->items[adam++].data - second->data) : 0);
        if (muon) add_matrices(o, w, item);
    }
}

/* The second moment: of the parameters that Adam moves. */
static ramus_status create_second(ramus_optimizer *o, const ramus_weights *w, ramus_error *err)
{
    ramus_weight *items = calloc((size_t)w->n, sizeof *items);
    int n = 0;
    if (!items) return ramus_fail_memory(err, "an optimizer");
    for (int i = 0; i < w->n; i++)
        if (!takes_muon(o, w, &w->items[i])) items[n++] = w->items[i];
    const ramus_status st = ramus_weights_create_of(&o->state.second, items, n, err);
    free(items);
    return st;
}

static ramus_status create_state(ramus_optimizer *o, const ramus_weights *w, ramus_error *err)
{
    ramus_optimizer_state *s = &o->state;
    ramus_status st = RAMUS_OK;
    if (o->options.kind != SGD) st = ramus_weights_create_like(&s->first, w, err);
    if (!st && o->options.kind != SGD) st = create_second(o, w, err);
    if (!st && o->options.ema > 0) st = ramus_weights_create_like(&s->average, w, err);
    if (!st && s->average) memcpy(s->average->data, w->data, w->size * sizeof *w->data);
    return st;
}

/* Lists the work of a step. */
static ramus_status create_work(ramus_optimizer *o, const ramus_weights *w, ramus_error *err)
{
    const size_t most = w->size / BLOCK + (size_t)w->n;
    size_t matrices = 0;
    for (int i = 0; i < w->n; i++)
        if (takes_muon(o, w, &w->items[i]))
            matrices += w->items[i].n_dims > 2 ? (size_t)w->items[i].dims[0] : 1;
    o->blocks = calloc(most, sizeof *o->blocks);
    o->sums = calloc(most, sizeof *o->sums);
    o->matrices = calloc(matrices + 1, sizeof *o->matrices);
    if (!o->blocks || !o->sums || !o->matrices) return ramus_fail_memory(err, "an optimizer");
    cut(o, w);
    o->scratch_bytes = ramus_arena_round(o->scratch_bytes);
    const size_t bytes = (size_t)ramus_pool_threads(o->pool) * o->scratch_bytes;
    const ramus_status st = ramus_arena_create(&o->arena, bytes, err);
    if (!st) o->scratch = ramus_arena_alloc(o->arena, bytes);
    return st;
}

ramus_status ramus_optimizer_create(ramus_optimizer **out, const ramus_optimizer_options *options,
                                    const ramus_weights *weights, ramus_pool *pool,
                                    ramus_error *err)
{
    ramus_optimizer *o = calloc(1, sizeof *o);
    if (!o) return ramus_fail_memory(err, "an optimizer");
    o->options = *options;
    o->pool = pool;
    ramus_status st = ramus_kernels_choose(&o->kernels, err);
    if (!st) st = ramus_train_kernels_choose(&o->train, err);
    if (options->products == RAMUS_PRODUCTS_BF16) o->train.gemm = o->train.gemm_bf16;
    if (!st) st = create_state(o, weights, err);
    if (!st) st = create_work(o, weights, err);
    if (st) {
        ramus_optimizer_destroy(o);
        return st;
    }
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
    free(o->matrices);
    ramus_arena_destroy(o->arena);
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

/* What follows the move of n weights: gradients of zero, and the running average. */
static void finish(const step_job *job, size_t first, size_t n)
{
    const ramus_real *w = job->weights + first;
    memset(job->grads + first, 0, n * sizeof *job->grads);
    if (!job->o->state.average) return;
    ramus_real *average = job->o->state.average->data + first;
    for (size_t i = 0; i < n; i++)
        average[i] = w[i] + job->keep * (average[i] - w[i]);
}

static void step_block(const step_job *job, const block *b)
{
    const ramus_optimizer *o = job->o;
    ramus_real *w = job->weights + b->first, *g = job->grads + b->first;
    ramus_adam adam = job->adam;
    if (b->muon) return;
    adam.rate *= b->rate;
    if (o->options.kind == SGD) {
        o->kernels.axpy(w, -adam.rate * adam.grad_scale, g, b->n);
    } else {
        if (!b->decays || o->options.kind == ADAM) adam.decay = 0;
        o->train.adam(w, o->state.first->data + b->first, o->state.second->data + b->second, g,
                      b->n, &adam);
    }
    finish(job, b->first, (size_t)b->n);
}

static bool all_zero(const ramus_real *x, size_t n)
{
    size_t i = 0;
    while (i < n && x[i] == 0)
        i++;
    return i == n;
}

/* m = momentum m + (1 - momentum) g;  w -= rate (O + decay w), where O is 0.2 sqrt(max(n, k)) times
 * the orthogonal matrix near Nesterov's momentum m + (1 - momentum) (g - m). */
static void move_matrix(const step_job *job, const matrix *x, ramus_real *scratch)
{
    const ramus_optimizer *o = job->o;
    const size_t count = (size_t)x->n * (size_t)x->k;
    const double size = MUON_RMS * sqrt(x->n > x->k ? x->n : x->k);
    const ramus_real rate = job->adam.rate, length = rate * (ramus_real)size;
    const ramus_real keep = 1 - rate * job->adam.decay, clip = job->adam.grad_scale;
    const ramus_real share = 1 - (ramus_real)o->options.momentum; // of the new gradient
    ramus_real *w = job->weights + x->first, *m = o->state.first->data + x->first;
    const ramus_real *g = job->grads + x->first;
    ramus_real *move = scratch + ramus_orthogonal_scratch(x->n, x->k);
    for (size_t i = 0; i < count; i++) {
        m[i] += share * (clip * g[i] - m[i]);
        move[i] = m[i] + share * (clip * g[i] - m[i]);
    }
    ramus_orthogonalise(move, x->n, x->k, scratch, o->train.gemm);
    for (size_t i = 0; i < count; i++)
        w[i] = keep * w[i] - length * move[i];
}

/* A branch that no token took stays: what its momentum remembers would be made as long as any other
 * move. */
static void step_matrix(const step_job *job, const matrix *x, int thread)
{
    const size_t count = (size_t)x->n * (size_t)x->k;
    char *scratch = job->o->scratch + (size_t)thread * job->o->scratch_bytes;
    if (!all_zero(job->grads + x->first, count)) move_matrix(job, x, (void *)scratch);
    finish(job, x->first, count);
}

/* Matrices come first: they take long. */
static void step_piece(void *arg, int index, int thread)
{
    const step_job *job = arg;
    const ramus_optimizer *o = job->o;
    if (index < o->n_matrices)
        step_matrix(job, &o->matrices[index], thread);
    else
        step_block(job, &o->blocks[index - o->n_matrices]);
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
    ramus_pool_for(o->pool, o->n_matrices + o->n_blocks, step_piece, &job);
    return true;
}
