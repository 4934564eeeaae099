/* A pool is loaded by all threads, piece by piece, with noise and sampling. Its pairs are sorted
 * by length and cut into micro-batches; these are shuffled and shared out to the updates. A
 * cursor names the next update. */
#include "data/batches.h"

#include "base/hash.h"
#include "base/rng.h"
#include "data/order.h"
#include "data/shuffle.h"
#include "data/variation.h"

#include <stdlib.h>

#define PIECE_PAIRS 256 // what a thread takes at a time

/* A pair of the pool while it is sorted; `place` is that within the pool. */
typedef struct item {
    ramus_pair pair;
    int place;
} item;

/* Pairs that one thread loads. */
typedef struct piece {
    ramus_use uses[PIECE_PAIRS];
    ramus_pair pairs[PIECE_PAIRS];
    ramus_uses work; // of these two
    ramus_status status;
    ramus_error err;
} piece;

struct ramus_batches {
    ramus_order *order;
    ramus_variation *variation; // NULL: pairs are used as they are in the corpora
    ramus_pool *threads;
    uint64_t seed;
    int batch_tokens, limit; // of an update; of a micro-batch
    int max_length;
    int64_t n_pools;
    ramus_cursor cursor;

    /* The pool at hand, if any. All arrays have room for the largest one. */
    bool loaded;
    int64_t epoch, pool;
    int n_pairs, n_batches, n_updates;
    piece *pieces;
    int n_pieces;
    item *items;
    ramus_pair *pairs;           // sorted
    ramus_batch *cuts, *batches; // in the order of the pairs; shuffled
    ramus_update *updates;
};

static ramus_status check_spec(const ramus_batches_spec *spec, ramus_error *err)
{
    if (spec->pool_pairs < 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "a pool of %d pairs, expected at least 1",
                          spec->pool_pairs);
    if (spec->max_length > spec->micro_tokens || spec->max_length > spec->batch_tokens)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "sentences have up to %d tokens, which do not fit into a micro-batch of "
                          "%d and a batch of %d",
                          spec->max_length, spec->micro_tokens, spec->batch_tokens);
    return RAMUS_OK;
}

/* The first place of a pool: pools differ by one pair at most. */
static int64_t pool_begin(const ramus_batches *b, int64_t pool)
{
    const int64_t count = ramus_order_count(b->order);
    const int64_t more = count % b->n_pools; // so many have one pair more
    return count / b->n_pools * pool + (pool < more ? pool : more);
}

static ramus_status allocate(ramus_batches *b, ramus_error *err)
{
    const size_t most = (size_t)pool_begin(b, 1);
    b->n_pieces = (int)((most + PIECE_PAIRS - 1) / PIECE_PAIRS);
    b->pieces = calloc((size_t)b->n_pieces, sizeof *b->pieces);
    b->items = malloc(most * sizeof *b->items);
    b->pairs = malloc(most * sizeof *b->pairs);
    b->cuts = malloc(most * sizeof *b->cuts);
    b->batches = malloc(most * sizeof *b->batches);
    b->updates = malloc(most * sizeof *b->updates);
    if (!b->pieces || !b->items || !b->pairs || !b->cuts || !b->batches || !b->updates)
        return ramus_fail_memory(err, "a pool of pairs");
    return RAMUS_OK;
}

ramus_status ramus_batches_create(ramus_batches **out, const ramus_batches_spec *spec,
                                  ramus_error *err)
{
    ramus_status st = check_spec(spec, err);
    if (st) return st;
    ramus_batches *b = calloc(1, sizeof *b);
    if (!b) return ramus_fail_memory(err, "batches");
    b->threads = spec->pool;
    b->seed = ramus_hash(spec->seed, "batches", 7);
    b->batch_tokens = spec->batch_tokens;
    b->limit = spec->micro_tokens < spec->batch_tokens ? spec->micro_tokens : spec->batch_tokens;
    b->max_length = spec->max_length;
    st = ramus_order_create(&b->order, spec->corpora, spec->weights, spec->n_corpora, spec->seed,
                            err);
    if (st) goto done;
    b->n_pools = (ramus_order_count(b->order) + spec->pool_pairs - 1) / spec->pool_pairs;
    st = ramus_variation_create(&b->variation, spec, err);
    if (st) goto done;
    st = allocate(b, err);
    if (st) goto done;
    *out = b;
    b = NULL;
done:
    ramus_batches_destroy(b);
    return st;
}

void ramus_batches_destroy(ramus_batches *b)
{
    if (!b) return;
    for (int i = 0; b->pieces && i < b->n_pieces; i++)
        ramus_ids_free(&b->pieces[i].work.ids);
    free(b->pieces);
    free(b->items);
    free(b->pairs);
    free(b->cuts);
    free(b->batches);
    free(b->updates);
    ramus_variation_destroy(b->variation);
    ramus_order_destroy(b->order);
    free(b);
}

static ramus_status check_lengths(const ramus_batches *b, const ramus_use *use, ramus_error *err)
{
    const ramus_pair pair = ramus_corpus_pair(use->corpus, use->pair);
    if (pair.source_length <= b->max_length && pair.target_length <= b->max_length) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                      "a corpus has a pair with %d and %d tokens, expected at most %d",
                      pair.source_length, pair.target_length, b->max_length);
}

static void load_piece(void *arg, int index, int thread)
{
    ramus_batches *b = arg;
    piece *p = &b->pieces[index];
    const int first = index * PIECE_PAIRS;
    const int64_t begin = pool_begin(b, b->pool) + first;
    p->status = RAMUS_OK;
    p->work.items = p->uses;
    p->work.pairs = p->pairs;
    p->work.n = b->n_pairs - first < PIECE_PAIRS ? b->n_pairs - first : PIECE_PAIRS;
    for (int i = 0; i < p->work.n; i++) {
        ramus_use *use = &p->uses[i];
        use->epoch = b->epoch;
        use->place = begin + i;
        ramus_order_at(b->order, use->epoch, use->place, &use->corpus, &use->pair);
        p->pairs[i] = ramus_corpus_pair(use->corpus, use->pair);
        if (!p->status) p->status = check_lengths(b, use, &p->err);
    }
    if (b->variation && !p->status)
        p->status = ramus_variation_run(b->variation, &p->work, thread, &p->err);
    for (int i = 0; i < p->work.n; i++)
        b->items[first + i] = (item){p->pairs[i], first + i};
}

static int compare_items(const void *left, const void *right)
{
    const item *a = left, *b = right;
    if (a->pair.target_length != b->pair.target_length)
        return a->pair.target_length < b->pair.target_length ? -1 : 1;
    if (a->pair.source_length != b->pair.source_length)
        return a->pair.source_length < b->pair.source_length ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Cuts the sorted pairs into micro-batches, each as long as the limit allows. */
static void cut_batches(ramus_batches *b)
{
    b->n_batches = 0;
    ramus_batch *cut = NULL;
    for (int i = 0; i < b->n_pairs; i++) {
        const ramus_pair *pair = &b->pairs[i];
        if (!cut || cut->source_tokens > b->limit - pair->source_length ||
            cut->target_tokens > b->limit - pair->target_length) {
            cut = &b->cuts[b->n_batches++];
            *cut = (ramus_batch){.pairs = pair};
        }
        cut->n++;
        cut->source_tokens += pair->source_length;
        cut->target_tokens += pair->target_length;
    }
}

static void shuffle_batches(ramus_batches *b)
{
    const ramus_rng rng = {b->seed, (uint32_t)b->epoch, (uint32_t)b->pool, 0};
    ramus_shuffle shuffle;
    ramus_shuffle_init(&shuffle, b->n_batches, &rng);
    for (int i = 0; i < b->n_batches; i++)
        b->batches[i] = b->cuts[ramus_shuffle_at(&shuffle, i)];
}

static int count_updates(const ramus_batches *b, int64_t source_tokens, int64_t target_tokens)
{
    if (b->limit == b->batch_tokens) return b->n_batches; // a micro-batch is all that fits
    const int64_t tokens = source_tokens > target_tokens ? source_tokens : target_tokens;
    const int64_t n = (tokens + b->batch_tokens - 1) / b->batch_tokens;
    return n < b->n_batches ? (int)n : b->n_batches;
}

static void add_batch(ramus_update *update, const ramus_batch *batch)
{
    update->n++;
    update->source_tokens += batch->source_tokens;
    update->target_tokens += batch->target_tokens;
}

/* Shares the micro-batches out to updates of nearly equal target tokens: each ends where the sum
 * so far is nearest to its share, has at least one, and leaves one for each that follows. */
static void share_out(ramus_batches *b)
{
    ramus_update total = {0};
    for (int i = 0; i < b->n_batches; i++)
        add_batch(&total, &b->batches[i]);
    b->n_updates = count_updates(b, total.source_tokens, total.target_tokens);

    int64_t sum = 0;
    for (int u = 0, at = 0; u < b->n_updates; u++) {
        ramus_update *update = &b->updates[u];
        const int64_t goal = total.target_tokens * (u + 1) / b->n_updates;
        const int end = b->n_batches - (b->n_updates - 1 - u);
        *update = (ramus_update){.batches = &b->batches[at]};
        while (at < end && (update->n == 0 || 2 * (goal - sum) > b->batches[at].target_tokens)) {
            sum += b->batches[at].target_tokens;
            add_batch(update, &b->batches[at++]);
        }
    }
}

static ramus_status load_pool(ramus_batches *b, ramus_error *err)
{
    b->loaded = false;
    b->epoch = b->cursor.epoch;
    b->pool = b->cursor.pool;
    b->n_pairs = (int)(pool_begin(b, b->pool + 1) - pool_begin(b, b->pool));
    const int n_pieces = (b->n_pairs + PIECE_PAIRS - 1) / PIECE_PAIRS;
    ramus_pool_for(b->threads, n_pieces, load_piece, b);
    for (int i = 0; i < n_pieces; i++)
        if (b->pieces[i].status) {
            if (err) *err = b->pieces[i].err;
            return b->pieces[i].status;
        }
    qsort(b->items, (size_t)b->n_pairs, sizeof *b->items, compare_items);
    for (int i = 0; i < b->n_pairs; i++)
        b->pairs[i] = b->items[i].pair;
    cut_batches(b);
    shuffle_batches(b);
    share_out(b);
    b->loaded = true;
    return RAMUS_OK;
}

void ramus_batches_seek(ramus_batches *b, ramus_cursor to)
{
    b->cursor = to;
}

ramus_cursor ramus_batches_cursor(const ramus_batches *b)
{
    return b->cursor;
}

static bool is_loaded(const ramus_batches *b)
{
    return b->loaded && b->epoch == b->cursor.epoch && b->pool == b->cursor.pool;
}

static ramus_status fail_nowhere(const ramus_batches *b, ramus_error *err)
{
    const ramus_cursor *c = &b->cursor;
    return ramus_fail(
        err, RAMUS_BAD_ARGUMENT,
        "there is no update %lld in pool %lld of epoch %lld; the corpora or the sizes "
        "of batches are not those of the run that was there",
        (long long)c->update, (long long)c->pool, (long long)c->epoch);
}

ramus_status ramus_batches_next(ramus_batches *b, ramus_update *out, ramus_error *err)
{
    ramus_cursor *c = &b->cursor;
    const int64_t most_epochs = INT64_MAX / ramus_order_count(b->order) - 1;
    if (c->epoch < 0 || c->epoch > most_epochs || c->pool < 0 || c->pool >= b->n_pools ||
        c->update < 0)
        return fail_nowhere(b, err);
    const ramus_status st = is_loaded(b) ? RAMUS_OK : load_pool(b, err);
    if (st) return st;
    if (c->update >= b->n_updates) return fail_nowhere(b, err);
    *out = b->updates[c->update++];
    if (c->update == b->n_updates) {
        c->update = 0;
        c->pool++;
    }
    if (c->pool == b->n_pools) {
        c->pool = 0;
        c->epoch++;
    }
    return RAMUS_OK;
}

double ramus_batches_epochs(const ramus_batches *b)
{
    const ramus_cursor *c = &b->cursor;
    double done = (double)pool_begin(b, c->pool);
    if (is_loaded(b)) done += (double)b->n_pairs * (double)c->update / b->n_updates;
    return (double)c->epoch + done / (double)ramus_order_count(b->order);
}
