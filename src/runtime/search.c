#include "runtime/search.h"

#include "base/math.h"

#include <stdlib.h>
#include <string.h>

/* One finished place, or one live row; `tokens` are in its arena. */
typedef struct {
    int *tokens;
    int length;
    double score;
} place;

/* A continuation of a live row by one word. */
typedef struct {
    int row, id;
    double log_prob;
} candidate;

/* A sentence while it is being translated. */
typedef struct {
    int limit;             // tokens of a translation, at most
    int first_row, n_live; // its rows
    int n_finished;
    place *finished; // [beam] best first
    bool done;
} sentence;

struct ramus_search {
    ramus_search_limits limits;
    int source_vocab, beam_words; // words that project_search gives per row
    ramus_graph *graph;
    ramus_run *run;
    ramus_arena *arena;
    ramus_tensor *source, *previous, *ids, *scores;
    sentence *sentences;
    candidate *candidates;            // [2 * beam]
    int *tokens, *next_tokens;        // [rows, target_length]
    double *log_prob, *next_log_prob; // [rows]
    int *next_ancestor;               // takes turns with the axis' own
    int *next_sequence;
};

static size_t search_bytes(const ramus_search_limits *l)
{
    const size_t rows = (size_t)l->sentences * (size_t)l->beam, length = (size_t)l->target_length;
    return (size_t)l->sentences * sizeof(sentence) + rows * (sizeof(place) + length * sizeof(int)) +
           2 * (size_t)l->beam * sizeof(candidate) +
           rows * (3 * length * sizeof(int) + 2 * sizeof(double) + sizeof(int)) +
           (16 + (size_t)l->sentences + rows) * RAMUS_ALIGNMENT;
}

static void search_init(ramus_search *s)
{
    const ramus_search_limits *l = &s->limits;
    const size_t beam = (size_t)l->beam, rows = (size_t)l->sentences * beam;
    const size_t length = (size_t)l->target_length;

    s->sentences = ramus_arena_alloc(s->arena, (size_t)l->sentences * sizeof *s->sentences);
    for (int i = 0; i < l->sentences; i++) {
        s->sentences[i].finished = ramus_arena_alloc(s->arena, beam * sizeof(place));
        for (size_t j = 0; j < beam; j++)
            s->sentences[i].finished[j].tokens = ramus_arena_alloc(s->arena, length * sizeof(int));
    }
    s->candidates = ramus_arena_alloc(s->arena, 2 * beam * sizeof *s->candidates);
    s->tokens = ramus_arena_alloc(s->arena, rows * length * sizeof(int));
    s->next_tokens = ramus_arena_alloc(s->arena, rows * length * sizeof(int));
    s->next_ancestor = ramus_arena_alloc(s->arena, rows * length * sizeof(int));
    s->next_sequence = ramus_arena_alloc(s->arena, rows * sizeof(int));
    s->log_prob = ramus_arena_alloc(s->arena, rows * sizeof(double));
    s->next_log_prob = ramus_arena_alloc(s->arena, rows * sizeof(double));
}

ramus_status ramus_search_create(ramus_search **out, const ramus_arch *a,
                                 const ramus_weights *weights, const ramus_search_limits *limits,
                                 ramus_pool *pool, ramus_error *err)
{
    ramus_search *s = calloc(1, sizeof *s);
    if (!s) return ramus_fail_memory(err, "a search");
    s->limits = *limits;
    s->source_vocab = a->source_vocab;
    s->beam_words = 2 * limits->beam + 1; // EOS may be struck out
    if (s->beam_words > a->target_vocab) s->beam_words = a->target_vocab;
    const int rows = limits->sentences * limits->beam;
    const ramus_build build = {
        .kind = RAMUS_STEP,
        .head = RAMUS_HEAD_SEARCH,
        .source = {limits->source_tokens, limits->sentences, limits->source_length},
        .target = {rows, rows, limits->target_length},
        .best = s->beam_words,
    };
    ramus_status st = ramus_transformer_create(&s->graph, a, &build, err);
    if (st) goto done;
    ramus_weights_bind(s->graph, weights, NULL);
    st = ramus_run_create(&s->run, s->graph, pool, err);
    if (st) goto done;
    st = ramus_arena_create(&s->arena, search_bytes(limits), err);
    if (st) goto done;
    search_init(s);
    s->source = ramus_graph_find(s->graph, "source_ids");
    s->previous = ramus_graph_find(s->graph, "previous_ids");
    s->ids = ramus_graph_find(s->graph, "best.ids");
    s->scores = ramus_graph_find(s->graph, "best.scores");
    ramus_run_forward(s->run, RAMUS_WEIGHTS, RAMUS_WEIGHTS);
    *out = s;
    s = NULL;
done:
    ramus_search_destroy(s);
    return st;
}

void ramus_search_destroy(ramus_search *s)
{
    if (!s) return;
    ramus_run_destroy(s->run);
    ramus_graph_destroy(s->graph);
    ramus_arena_destroy(s->arena);
    free(s);
}

ramus_run *ramus_search_get_run(ramus_search *s)
{
    return s->run;
}

static double normalised(double log_prob, int length, double penalty)
{
    return log_prob / ramus_math_pow((5.0 + length) / 6.0, penalty);
}

static int *row_of(int *table, int row, int length)
{
    return table + (size_t)row * (size_t)length;
}

/* Encodes the sources and gives each sentence one live row. */
static ramus_status start(ramus_search *s, const ramus_search_options *o, const int *const *sources,
                          const int *lengths, int n, ramus_error *err)
{
    const ramus_search_limits *l = &s->limits;
    int total = 0;
    if (n > l->sentences || o->beam > l->beam)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%d sentences with beam %d, the search has room for "
                          "%d with beam %d",
                          n, o->beam, l->sentences, l->beam);
    for (int i = 0; i < n; i++) {
        if (lengths[i] < 1 || lengths[i] > l->source_length ||
            lengths[i] > l->source_tokens - total)
            return ramus_fail(
                err, RAMUS_BAD_ARGUMENT, "sentence %d has %d tokens, the search has room for %d",
                i + 1, lengths[i],
                l->source_length < l->source_tokens - total ? l->source_length
                                                            : l->source_tokens - total);
        for (int j = 0; j < lengths[i]; j++) {
            if (sources[i][j] < 0 || sources[i][j] >= s->source_vocab)
                return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                                  "sentence %d has the word %d, the model has words 0 to %d", i + 1,
                                  sources[i][j], s->source_vocab - 1);
            ((int *)s->source->data)[total++] = sources[i][j];
        }
        sentence *t = &s->sentences[i];
        t->limit = lengths[i] + o->extra_length;
        if (t->limit > l->target_length) t->limit = l->target_length;
        t->first_row = i;
        t->n_live = 1;
        t->n_finished = 0;
        t->done = false;
        s->graph->target.sequence[i] = i;
        s->log_prob[i] = 0;
    }
    ramus_axis_set(&s->graph->source, lengths, n);
    s->graph->target.rows = n;
    ramus_run_forward(s->run, RAMUS_SOURCE, RAMUS_SOURCE);
    return RAMUS_OK;
}

/* Gives every live row its next words. `length` tokens stand behind it already. */
static void advance(ramus_search *s, int length)
{
    ramus_axis *axis = &s->graph->target;
    const int stride = s->limits.target_length;
    for (int r = 0; r < axis->rows; r++) {
        axis->position[r] = length;
        row_of(axis->ancestor, r, axis->max_length)[length] = length * axis->max_rows + r;
        ((int *)s->previous->data)[r] = length ? row_of(s->tokens, r, stride)[length - 1] : 0;
    }
    ramus_run_forward(s->run, RAMUS_TARGET, RAMUS_TARGET);
}

/* The best continuations of a sentence's rows, best first; ties go to the earlier row and word. */
static int gather(ramus_search *s, const sentence *t, const ramus_search_options *o, bool ban_eos)
{
    const int most = o->greedy ? 1 : 2 * o->beam;
    candidate *best = s->candidates;
    int n = 0;
    for (int r = t->first_row; r < t->first_row + t->n_live; r++) {
        const int *ids = row_of(s->ids->data, r, s->beam_words);
        const ramus_real *scores =
            (const ramus_real *)s->scores->data + (size_t)r * (size_t)s->beam_words;
        for (int j = 0; j < s->beam_words; j++) {
            if (ban_eos && ids[j] == o->eos) continue;
            const candidate c = {r, ids[j], s->log_prob[r] + (double)scores[j]};
            if (n == most && !(c.log_prob > best[n - 1].log_prob))
                break; // later words are worse still
            int at = n < most ? n++ : n - 1;
            for (; at > 0 && c.log_prob > best[at - 1].log_prob; at--)
                best[at] = best[at - 1];
            best[at] = c;
        }
    }
    return n;
}

static void fill_place(place *p, const int *tokens, int length, double score)
{
    memcpy(p->tokens, tokens, (size_t)length * sizeof(int));
    p->length = length;
    p->score = score;
}

/* Lets a continuation that ends in EOS compete for the finished places. */
static void finish(ramus_search *s, sentence *t, const ramus_search_options *o, const candidate *c,
                   int length)
{
    const double score = normalised(c->log_prob, length, o->length_penalty);
    if (t->n_finished == o->beam && !(score > t->finished[o->beam - 1].score)) return;
    int at = t->n_finished < o->beam ? t->n_finished++ : o->beam - 1;
    const place held = t->finished[at];
    for (; at > 0 && score > t->finished[at - 1].score; at--)
        t->finished[at] = t->finished[at - 1];
    t->finished[at] = held;
    fill_place(&t->finished[at], row_of(s->tokens, c->row, s->limits.target_length), length - 1,
               score);
    t->finished[at].tokens[t->finished[at].length++] = c->id;
}

/* Moves continuation c to row `to` of the next step. */
static void move_row(ramus_search *s, const candidate *c, int to, int length)
{
    const ramus_axis *axis = &s->graph->target;
    const int stride = s->limits.target_length;
    int *tokens = row_of(s->next_tokens, to, stride);
    memcpy(tokens, row_of(s->tokens, c->row, stride), (size_t)(length - 1) * sizeof(int));
    tokens[length - 1] = c->id;
    memcpy(row_of(s->next_ancestor, to, axis->max_length),
           row_of(axis->ancestor, c->row, axis->max_length), (size_t)length * sizeof(int));
    s->next_log_prob[to] = c->log_prob;
    s->next_sequence[to] = axis->sequence[c->row];
}

static void swap_rows(ramus_search *s, int rows)
{
    ramus_axis *axis = &s->graph->target;
    int *tokens = s->tokens, *ancestor = axis->ancestor, *sequence = axis->sequence;
    double *log_prob = s->log_prob;
    s->tokens = s->next_tokens;
    s->next_tokens = tokens;
    axis->ancestor = s->next_ancestor;
    s->next_ancestor = ancestor;
    axis->sequence = s->next_sequence;
    s->next_sequence = sequence;
    s->log_prob = s->next_log_prob;
    s->next_log_prob = log_prob;
    axis->rows = rows;
}

/* Nothing can get better any more, or there is no room. best_live: the best unfinished
 * log-probability */
static bool is_done(const sentence *t, const ramus_search_options *o, int length, double best_live)
{
    if (t->n_live == 0 || length == t->limit || (o->greedy && t->n_finished > 0)) return true;
    return t->n_finished == o->beam &&
           t->finished[o->beam - 1].score > normalised(best_live, t->limit, o->length_penalty);
}

/* One more token for a sentence: ends what ends, keeps the best others in the rows from `row` on.
 * Returns how many; none when the sentence is done. */
static int extend(ramus_search *s, sentence *t, const ramus_search_options *o, int length, int row)
{
    const int n = gather(s, t, o, length == 1);
    int live = 0;
    for (int i = 0; i < n; i++) {
        if (s->candidates[i].id == o->eos)
            finish(s, t, o, &s->candidates[i], length);
        else if (live < o->beam)
            move_row(s, &s->candidates[i], row + live++, length);
    }
    t->first_row = row;
    t->n_live = live;
    t->done = is_done(t, o, length, s->next_log_prob[row]);
    if (!t->done) return live;
    for (int i = 0; i < live && t->n_finished < o->beam;
         i++) // free places go to the best live ones
        fill_place(&t->finished[t->n_finished++],
                   row_of(s->next_tokens, row + i, s->limits.target_length), length,
                   normalised(s->next_log_prob[row + i], length, o->length_penalty));
    return 0;
}

ramus_status ramus_search_run(ramus_search *s, const ramus_search_options *o,
                              const int *const *sources, const int *lengths, int n,
                              ramus_hypothesis *results, ramus_error *err)
{
    RAMUS_ASSERT(!o->greedy || o->beam == 1);
    const ramus_status st = start(s, o, sources, lengths, n, err);
    if (st) return st;

    for (int length = 1, rows = n; rows > 0; length++) {
        advance(s, length - 1);
        rows = 0;
        for (int i = 0; i < n; i++)
            if (!s->sentences[i].done) rows += extend(s, &s->sentences[i], o, length, rows);
        swap_rows(s, rows);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < o->beam; j++) {
            const place *p = &s->sentences[i].finished[j];
            results[i * o->beam + j] = j < s->sentences[i].n_finished
                                           ? (ramus_hypothesis){p->tokens, p->length, p->score}
                                           : (ramus_hypothesis){NULL, 0, 0};
        }
    return RAMUS_OK;
}
