/* Each step runs the decoder for all live rows, offers their best continuations to their
 * sentences, ends what ends and lays out the next rows. Greedy search is beam 1 without scores. */
#include "runtime/search.h"

#include "graph/ops.h"
#include "graph/ops/route.h"
#include "model/routing.h"
#include "runtime/ensemble.h"
#include "runtime/hypotheses.h"
#include "runtime/loops.h"
#include "runtime/search_limits.h"
#include "runtime/search_rules.h"

#include <stdlib.h>
#include <string.h>

#define SPARE_WORDS 8 // per row, for those that no_repeat excludes

/* A continuation of a live row by one token. */
typedef struct {
    int row, id;
    ramus_real word_log_prob;
    double log_prob;
} candidate;

/* A sentence while it is being translated. */
typedef struct {
    int limit; // tokens of a translation, at most
    const int *prefix;
    int prefix_length;
    int first_row, n_live; // its rows
    bool done;
} sentence;

/* The gates of one axis. */
typedef struct {
    ramus_tensor **index; // the branches each row took, best first
    int n;
} gate_list;

struct ramus_search {
    ramus_search_limits limits;
    int source_vocab, target_vocab;
    int room; // tokens that project_search gives per row, at most
    ramus_graph *graph;
    ramus_run *run;
    ramus_wanted wanted;     // of the graph's last node
    ramus_ensemble ensemble; // of further models
    ramus_arena *arena;
    ramus_tensor *source, *previous, *asked, *ids, *scores, *asked_scores, *look;
    gate_list source_gates, target_gates;
    int *source_branches; // [source_tokens, gates]

    ramus_hypotheses hypotheses;
    sentence *sentences;
    int *lengths;                     // [sentences] of the sources
    candidate *candidates;            // [2 * beam]
    int *words;                       // [target_length] of one hypothesis
    double *log_prob, *next_log_prob; // [rows]
    int *next_ancestor;               // takes turns with the axis' own
    int *next_sequence;
};

/* The tokens per row that a search needs: each of `beam` rows may give all continuations that are
 * kept, and EOS may be excluded. */
static int words_wanted(int beam, bool spare)
{
    return 2 * beam + 1 + (spare ? SPARE_WORDS : 0);
}

/* Counts the gates of a phase and, unless `index` is NULL, lists them. */
static int list_gates(const ramus_graph *g, ramus_phase phase, ramus_tensor **index)
{
    int n = 0;
    for (ramus_tensor *gate = NULL; (gate = ramus_gate_next(g, gate));)
        if (gate->phase == phase) {
            if (index) index[n] = gate;
            n++;
        }
    return n;
}

/* branches[r, i] = the first branch that row r took at gate i */
static void read_gates(const gate_list *list, int rows, int *branches)
{
    for (int i = 0; i < list->n; i++) {
        const int *index = list->index[i]->data, top_k = list->index[i]->dims[1];
        for (int r = 0; r < rows; r++)
            branches[(size_t)r * (size_t)list->n + (size_t)i] = index[(size_t)r * (size_t)top_k];
    }
}

static size_t search_bytes(const ramus_search *s)
{
    const ramus_search_limits *l = &s->limits;
    const size_t sentences = (size_t)l->sentences, beam = (size_t)l->beam, rows = sentences * beam;
    const size_t gates = (size_t)s->source_gates.n;
    return sentences * (sizeof(sentence) + sizeof(int)) + 2 * beam * sizeof(candidate) +
           ((size_t)l->target_length + (size_t)l->positions + rows) * sizeof(int) +
           2 * rows * sizeof(double) +
           (gates + (size_t)s->target_gates.n) * sizeof(ramus_tensor *) +
           (size_t)l->source_tokens * gates * sizeof(int) +
           ramus_hypotheses_bytes(l, s->target_gates.n) + 12 * RAMUS_ALIGNMENT;
}

static void search_init(ramus_search *s)
{
    const ramus_search_limits *l = &s->limits;
    const size_t sentences = (size_t)l->sentences, beam = (size_t)l->beam, rows = sentences * beam;
    gate_list *lists[] = {&s->source_gates, &s->target_gates};

    for (int i = 0; i < 2; i++) {
        lists[i]->index =
            ramus_arena_alloc(s->arena, (size_t)lists[i]->n * sizeof *lists[i]->index);
        if (l->gates) list_gates(s->graph, i ? RAMUS_TARGET : RAMUS_SOURCE, lists[i]->index);
    }
    s->source_branches = ramus_arena_alloc(s->arena, (size_t)l->source_tokens *
                                                         (size_t)s->source_gates.n * sizeof(int));
    s->sentences = ramus_arena_alloc(s->arena, sentences * sizeof *s->sentences);
    s->lengths = ramus_arena_alloc(s->arena, sentences * sizeof *s->lengths);
    s->candidates = ramus_arena_alloc(s->arena, 2 * beam * sizeof *s->candidates);
    s->words = ramus_arena_alloc(s->arena, (size_t)l->target_length * sizeof *s->words);
    s->next_ancestor = ramus_arena_alloc(s->arena, (size_t)l->positions * sizeof(int));
    s->next_sequence = ramus_arena_alloc(s->arena, rows * sizeof(int));
    s->log_prob = ramus_arena_alloc(s->arena, rows * sizeof(double));
    s->next_log_prob = ramus_arena_alloc(s->arena, rows * sizeof(double));
    ramus_hypotheses_init(&s->hypotheses, l, s->target_gates.n, s->arena);
    s->source = ramus_graph_find(s->graph, "source_ids");
    s->previous = ramus_graph_find(s->graph, "previous_ids");
    s->asked = ramus_graph_find(s->graph, "asked_ids");
    s->ids = ramus_graph_find(s->graph, "best.ids");
    s->scores = ramus_graph_find(s->graph, "best.scores");
    s->asked_scores = ramus_graph_find(s->graph, "best.asked");
    s->look = ramus_graph_find(s->graph, "look");
}

ramus_status ramus_search_create(ramus_search **out, const ramus_arch *a,
                                 const ramus_weights *weights, const ramus_search_limits *limits,
                                 ramus_pool *pool, ramus_error *err)
{
    ramus_search *s = calloc(1, sizeof *s);
    if (!s) return ramus_fail_memory(err, "a search");
    s->limits = *limits;
    s->source_vocab = a->source_vocab;
    s->target_vocab = a->target_vocab;
    ramus_status st = ramus_limits_settle(&s->limits, err);
    if (st) goto done;
    const ramus_search_limits *l = &s->limits;
    const int rows = l->sentences * l->beam;
    s->room = l->beam < (a->target_vocab - SPARE_WORDS) / 2 ? words_wanted(l->beam, true)
                                                            : a->target_vocab;
    const ramus_build build = {
        .kind = RAMUS_STEP,
        .head = RAMUS_HEAD_SEARCH,
        .source = {l->source_tokens, l->sentences, l->source_length},
        .target = {rows, rows, l->target_length},
        .best = s->room,
        .wanted = &s->wanted,
        .positions = l->positions,
        .gates = l->gates,
        .alignment = l->alignment,
    };
    st = ramus_transformer_create(&s->graph, a, &build, err);
    if (st) goto done;
    ramus_weights_bind(s->graph, weights, NULL);
    st = ramus_run_create(&s->run, s->graph, pool, err);
    if (st) goto done;
    if (l->gates) {
        s->source_gates.n = list_gates(s->graph, RAMUS_SOURCE, NULL);
        s->target_gates.n = list_gates(s->graph, RAMUS_TARGET, NULL);
    }
    st = ramus_arena_create(&s->arena, search_bytes(s), err);
    if (st) goto done;
    search_init(s);
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
    ramus_ensemble_free(&s->ensemble);
    ramus_run_destroy(s->run);
    ramus_graph_destroy(s->graph);
    ramus_arena_destroy(s->arena);
    free(s);
}

ramus_status ramus_search_join(ramus_search *s, const ramus_arch *a, const ramus_weights *weights,
                               ramus_error *err)
{
    RAMUS_ASSERT(a->source_vocab == s->source_vocab && a->target_vocab == s->target_vocab);
    const ramus_status st = ramus_ensemble_add(&s->ensemble, s->run, a, weights, err);
    s->wanted.others = s->ensemble.logits;
    s->wanted.n_others = s->ensemble.n;
    return st;
}

ramus_run *ramus_search_get_run(ramus_search *s)
{
    return s->run;
}

int ramus_search_gates(const ramus_search *s)
{
    return s->target_gates.n;
}

const int *ramus_search_source_gates(const ramus_search *s, int *n)
{
    *n = s->source_gates.n;
    return s->source_gates.n ? s->source_branches : NULL;
}

int ramus_search_limit(const ramus_search *s, const ramus_search_options *o, int length)
{
    return ramus_limits_target(&s->limits, o, length);
}

bool ramus_search_fits(const ramus_search *s, const ramus_search_options *o, const int *lengths,
                       int n)
{
    return ramus_limits_fit(&s->limits, o, lengths, n, NULL) == RAMUS_OK;
}

/* Checks everything, lays out the tables for this run and gives each sentence one live row. */
static ramus_status start(ramus_search *s, const ramus_search_options *o,
                          const ramus_source *sources, int n, ramus_error *err)
{
    for (int i = 0; i < n && i < s->limits.sentences; i++)
        s->lengths[i] = sources[i].length;
    const int vocab[2] = {s->source_vocab, s->target_vocab};
    const ramus_status st = ramus_limits_check(&s->limits, o, sources, s->lengths, n, vocab, err);
    if (st) return st;
    int total = 0;
    for (int i = 0; i < n; i++) {
        const ramus_source *x = &sources[i];
        memcpy((int *)s->source->data + total, x->ids, (size_t)x->length * sizeof(int));
        total += x->length;
        s->sentences[i] = (sentence){.limit = ramus_search_limit(s, o, x->length),
                                     .prefix = x->prefix,
                                     .prefix_length = x->prefix ? x->prefix_length : 0,
                                     .first_row = i,
                                     .n_live = 1};
        s->graph->target.sequence[i] = i;
        s->log_prob[i] = 0;
    }
    ramus_axis *axis = &s->graph->target;
    axis->rows = n;
    axis->stride = n * o->beam;
    axis->span = ramus_limits_longest(&s->limits, o, s->lengths, n);
    s->wanted.words = words_wanted(o->beam, o->no_repeat > 0);
    if (s->wanted.words > s->room) s->wanted.words = s->room;
    s->wanted.unscored = o->greedy && !o->scores;
    ramus_hypotheses_start(&s->hypotheses, o, n, axis->span);
    ramus_axis_set(&s->graph->source, s->lengths, n);
    return RAMUS_OK;
}

static int *past_of(const ramus_axis *axis, int *ancestor, int row)
{
    return ancestor + (size_t)row * (size_t)axis->span;
}

/* Gives every live row its next tokens. `length` tokens are behind it already. */
static void advance(ramus_search *s, const ramus_search_options *o, int length)
{
    const ramus_axis *axis = &s->graph->target;
    const int first = length * axis->stride; // step of row 0
    const ramus_steps *live = &s->hypotheses.live;
    const int eos = o->eos < 0 ? 0 : o->eos; // any token where none ends a translation
    for (int r = 0; r < axis->rows; r++) {
        const sentence *t = &s->sentences[axis->sequence[r]];
        axis->position[r] = length;
        past_of(axis, axis->ancestor, r)[length] = first + r;
        ((int *)s->previous->data)[r] = length ? live->words[first + r] : 0;
        ((int *)s->asked->data)[r] = length < t->prefix_length ? t->prefix[length] : eos;
    }
    ramus_ensemble_forward(&s->ensemble, RAMUS_TARGET);
    ramus_run_forward(s->run, RAMUS_TARGET, RAMUS_TARGET);
    if (live->looks) memcpy(live->looks + first, s->look->data, (size_t)axis->rows * sizeof(int));
    if (live->gates)
        read_gates(&s->target_gates, axis->rows,
                   live->gates + (size_t)first * (size_t)s->target_gates.n);
}

/* Keeps the best continuations, best first; of equal ones the earlier row and token. Returns false
 * when this one is not among them. */
static bool offer(candidate *best, int *n, int most, const candidate *c)
{
    if (*n == most && !(c->log_prob > best[*n - 1].log_prob)) return false;
    int at = *n < most ? (*n)++ : *n - 1;
    for (; at > 0 && c->log_prob > best[at - 1].log_prob; at--)
        best[at] = best[at - 1];
    best[at] = *c;
    return true;
}

/* Places for finished hypotheses that are not taken. */
static int places_left(const ramus_search *s, const sentence *t, const ramus_search_options *o)
{
    return o->beam - s->hypotheses.sentences[t - s->sentences].n;
}

/* The best continuations of a sentence's rows by a token that makes them `length` long. A row ends
 * when no token is left because all that project_search gave would repeat a sequence. */
static int gather(ramus_search *s, const sentence *t, const ramus_search_options *o, int length)
{
    const ramus_axis *axis = &s->graph->target;
    const ramus_search_rule *rule = ramus_search_rule_of(o->rules);
    const int most = o->greedy ? 1 : rule->shrinks ? places_left(s, t, o) : 2 * o->beam;
    int n = 0;
    for (int r = t->first_row; r < t->first_row + t->n_live; r++) {
        const size_t row = (size_t)r * (size_t)s->room;
        const int *ids = (const int *)s->ids->data + row;
        const ramus_real *scores = (const ramus_real *)s->scores->data + row;
        const ramus_real asked = ((const ramus_real *)s->asked_scores->data)[r];
        const bool forced = length <= t->prefix_length;
        int left = 0;
        if (rule->forces_eos && length == t->limit && o->eos >= 0) {
            const candidate c = {r, o->eos, 0, s->log_prob[r]};
            offer(s->candidates, &n, most, &c);
            continue;
        }
        if (o->no_repeat)
            ramus_hypotheses_words(&s->hypotheses, past_of(axis, axis->ancestor, r), length,
                                   s->words);
        for (int j = 0; j < s->wanted.words && !forced; j++) {
            if (ids[j] == o->eos ? length == 1 && !rule->eos_first
                                 : o->no_repeat && ramus_loop_repeats(s->words, length - 1, ids[j],
                                                                      o->no_repeat))
                continue;
            if (ids[j] == o->unk && rule->no_unknown) continue;
            left++;
            const candidate c = {r, ids[j], scores[j], s->log_prob[r] + (double)scores[j]};
            if (!offer(s->candidates, &n, most, &c)) break; // later tokens are worse
        }
        if (left || (o->eos < 0 && !forced)) continue;
        const candidate c = {r, forced ? t->prefix[length - 1] : o->eos, asked,
                             s->log_prob[r] + (double)asked};
        offer(s->candidates, &n, most, &c);
    }
    return n;
}

/* Ends continuation c, of `length` tokens of which `kept` stay. */
static void end(ramus_search *s, const sentence *t, const ramus_search_options *o,
                const candidate *c, int length, int kept)
{
    const ramus_axis *axis = &s->graph->target;
    const int *steps = past_of(axis, axis->ancestor, c->row);
    double log_prob = kept < length ? 0 : c->log_prob;
    for (int i = 1; i <= kept && kept < length; i++)
        log_prob += (double)s->hypotheses.live.log_probs[steps[i]];
    const ramus_ending e = {
        .steps = steps,
        .n_steps = length,
        .word = c->id,
        .word_log_prob = c->word_log_prob,
        .length = kept,
        .log_prob = log_prob,
        .finished = c->id == o->eos,
        .loops = kept < length,
        .prefix = t->prefix_length,
    };
    ramus_hypotheses_end(&s->hypotheses, (int)(t - s->sentences), &e);
}

/* How many tokens of continuation c stay: all, unless a loop ends here. */
static int kept_words(ramus_search *s, const sentence *t, const ramus_search_options *o,
                      const candidate *c, int length)
{
    if (o->loops != RAMUS_LOOPS_END || length <= t->prefix_length) return length;
    const ramus_axis *axis = &s->graph->target;
    ramus_hypotheses_words(&s->hypotheses, past_of(axis, axis->ancestor, c->row), length, s->words);
    s->words[length - 1] = c->id;
    const int kept = ramus_loop_cut(s->words, length);
    return kept > t->prefix_length ? kept : t->prefix_length;
}

/* Moves continuation c to row `to` of the next step. */
static void move_row(ramus_search *s, const candidate *c, int to, int length)
{
    const ramus_axis *axis = &s->graph->target;
    const ramus_steps *live = &s->hypotheses.live;
    const int step = length * axis->stride + to;
    live->words[step] = c->id;
    live->log_probs[step] = c->word_log_prob;
    memcpy(past_of(axis, s->next_ancestor, to), past_of(axis, axis->ancestor, c->row),
           (size_t)length * sizeof(int));
    s->next_log_prob[to] = c->log_prob;
    s->next_sequence[to] = axis->sequence[c->row];
}

static void swap_rows(ramus_search *s, int rows)
{
    ramus_axis *axis = &s->graph->target;
    int *ancestor = axis->ancestor, *sequence = axis->sequence;
    double *log_prob = s->log_prob;
    axis->ancestor = s->next_ancestor;
    s->next_ancestor = ancestor;
    axis->sequence = s->next_sequence;
    s->next_sequence = sequence;
    s->log_prob = s->next_log_prob;
    s->next_log_prob = log_prob;
    axis->rows = rows;
}

/* Whether nothing can improve after `length` tokens. offered, best_live: the best log-probability
 * of this step, and of those that go on. */
static bool is_done(const ramus_search *s, const sentence *t, const ramus_search_options *o,
                    int length, double offered, double best_live)
{
    const ramus_ended *ended = &s->hypotheses.sentences[t - s->sentences];
    const ramus_hypothesis *last = &s->hypotheses.best[ended->first + o->beam - 1];
    const ramus_search_state state = {.places = o->beam,
                                      .finished =
                                          last->finished || ended->n < o->beam ? ended->n : 0,
                                      .worst = last->score,
                                      .live = best_live,
                                      .offered = offered,
                                      .length = length,
                                      .limit = t->limit,
                                      .penalty = o->length_penalty};
    return t->n_live == 0 || ramus_search_rule_of(o->rules)->is_done(&state);
}

/* One more token for a sentence: ends what ends, keeps the best others in the rows from `row` on.
 * Returns how many; none when the sentence is done. */
static int extend(ramus_search *s, sentence *t, const ramus_search_options *o, int length, int row)
{
    const ramus_search_rule *rule = ramus_search_rule_of(o->rules);
    const int n = gather(s, t, o, length);
    const double offered = n ? s->candidates[0].log_prob : 0;
    int live = 0, open = o->beam; // places for hypotheses that continue or reach the limit
    for (int i = 0; i < n; i++) {
        const candidate *c = &s->candidates[i];
        if (rule->ranked && i >= o->beam && c->id == o->eos) continue;
        const int kept = kept_words(s, t, o, c, length);
        if (c->id == o->eos || kept < length) {
            end(s, t, o, c, length, kept);
        } else if (open > 0) {
            open--;
            if (length == t->limit)
                end(s, t, o, c, length, length);
            else
                move_row(s, c, row + live++, length);
        }
    }
    t->first_row = row;
    t->n_live = live;
    t->done = is_done(s, t, o, length, offered, s->next_log_prob[row]);
    return t->done ? 0 : live;
}

ramus_status ramus_search_run(ramus_search *s, const ramus_search_options *o,
                              const ramus_source *sources, int n, ramus_hypothesis *results,
                              ramus_error *err)
{
    const ramus_status st = start(s, o, sources, n, err);
    if (st) return st;
    ramus_ensemble_forward(&s->ensemble, RAMUS_SOURCE);
    ramus_run_forward(s->run, RAMUS_SOURCE, RAMUS_SOURCE);
    if (s->source_gates.n) read_gates(&s->source_gates, s->graph->source.rows, s->source_branches);

    for (int length = 1, rows = n; rows > 0; length++) {
        if (o->stop && o->stop(o->stop_arg))
            return ramus_fail(err, RAMUS_STOPPED, "the translation was stopped by its caller");
        advance(s, o, length - 1);
        rows = 0;
        for (int i = 0; i < n; i++)
            if (!s->sentences[i].done) rows += extend(s, &s->sentences[i], o, length, rows);
        swap_rows(s, rows);
    }
    memcpy(results, s->hypotheses.best, (size_t)(n * o->beam) * sizeof *results);
    return RAMUS_OK;
}
