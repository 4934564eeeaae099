/* A line becomes a row of counts: two lengths, then matches and n-grams of each order. Every
 * score is a function of sums of rows, computed in the order of operations that SacreBLEU has. */
#include "eval/bleu.h"

#include "eval/ngrams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ORDER      RAMUS_BLEU_ORDER
#define LOG_OF_0   (-9999999999.0) // what mteval and SacreBLEU put for it
#define ROW_COUNTS 2               // a row: hypothesis length, reference length, matches, n-grams
#define ROW_TOTALS (2 + ORDER)
#define ROW_WIDTH  (2 + 2 * ORDER)

static const struct {
    const char *name;
    double value; // 0: takes none
} smoothings[] = {[RAMUS_SMOOTHING_EXP] = {"exp", 0},
                  [RAMUS_SMOOTHING_NONE] = {"none", 0},
                  [RAMUS_SMOOTHING_FLOOR] = {"floor", 0.1},
                  [RAMUS_SMOOTHING_ADD_K] = {"add-k", 1}};

struct ramus_bleu {
    ramus_bleu_options options;
    ramus_words *words;
    ramus_ngrams ngrams;
    ramus_stats stats;
    ramus_nrefs nrefs;
};

static double smoothing_value(const ramus_bleu_options *o)
{
    return o->smoothing_value > 0 ? o->smoothing_value : smoothings[o->smoothing].value;
}

/* Fills precisions and returns their geometric mean; there is at least one match. */
static double mean_precision(ramus_bleu_score *s, const ramus_bleu_options *o, bool effective)
{
    const double value = smoothing_value(o);
    const bool add_k = o->smoothing == RAMUS_SMOOTHING_ADD_K;
    double halves = 1, logs = 0;
    int order = ORDER;

    for (int n = 0; n < ORDER; n++) {
        const double more = add_k && n > 0 ? value : 0;
        const double count = (double)s->counts[n] + more, total = (double)s->totals[n] + more;
        if (total <= 0) break;
        if (effective) order = n + 1;
        if (count > 0) {
            s->precisions[n] = 100 * count / total;
        } else if (o->smoothing == RAMUS_SMOOTHING_EXP) {
            halves *= 2;
            s->precisions[n] = 100 / (halves * total);
        } else if (o->smoothing == RAMUS_SMOOTHING_FLOOR) {
            s->precisions[n] = 100 * value / total;
        }
    }
    for (int n = 0; n < order; n++)
        logs += s->precisions[n] > 0 ? log(s->precisions[n]) : LOG_OF_0;
    return exp(logs / order);
}

static ramus_bleu_score score_of(const ramus_bleu_options *o, const int64_t *sums, bool effective)
{
    ramus_bleu_score s = {.sys_len = sums[0], .ref_len = sums[1], .bp = 1};
    bool any = false;
    for (int n = 0; n < ORDER; n++) {
        s.counts[n] = sums[ROW_COUNTS + n];
        s.totals[n] = sums[ROW_TOTALS + n];
        any = any || s.counts[n] > 0;
    }
    if (s.sys_len < s.ref_len)
        s.bp = s.sys_len > 0 ? exp(1 - (double)s.ref_len / (double)s.sys_len) : 0;
    if (any) s.score = s.bp * mean_precision(&s, o, effective);
    return s;
}

static double score_sums(const void *metric, const int64_t *sums)
{
    const ramus_bleu *b = metric;
    return score_of(&b->options, sums, b->options.effective_order).score;
}

ramus_status ramus_bleu_create(ramus_bleu **out, const ramus_bleu_options *options,
                               ramus_error *err)
{
    RAMUS_ASSERT(options->tokenization != NULL);
    ramus_bleu *b = calloc(1, sizeof *b);
    if (!b) return ramus_fail_memory(err, "BLEU");
    b->options = *options;
    b->stats = (ramus_stats){.width = ROW_WIDTH, .score = score_sums, .metric = b};
    const ramus_status st =
        ramus_words_create(&b->words, options->tokenization, options->lowercase, err);
    if (st) {
        ramus_bleu_destroy(b);
        return st;
    }
    *out = b;
    return RAMUS_OK;
}

void ramus_bleu_destroy(ramus_bleu *b)
{
    if (!b) return;
    ramus_words_destroy(b->words);
    ramus_ngrams_free(&b->ngrams);
    ramus_stats_free(&b->stats);
    free(b);
}

/* Appends the words of `line`; they are the numbers from *first on, *n of them. */
static ramus_status add_words(ramus_words *words, ramus_line line, int *first, int *n,
                              ramus_error *err)
{
    *first = ramus_words_count(words);
    const ramus_status st = ramus_words_add(words, line, err);
    *n = ramus_words_count(words) - *first;
    return st;
}

/* Is `length` a better reference length for a hypothesis of `wanted` words? The closest one counts;
 * of two at the same distance, the shorter. */
static bool is_closer(int length, int than, int wanted)
{
    const int distance = abs(length - wanted), other = abs(than - wanted);
    return distance < other || (distance == other && length < than);
}

ramus_status ramus_bleu_add(ramus_bleu *b, ramus_line hypothesis, const ramus_line *references,
                            int n_references, ramus_error *err)
{
    int first = 0, sys_len = 0, ref_len = -1, present = 0;
    int32_t matches[ORDER], *row = NULL;

    ramus_words_clear(b->words);
    ramus_ngrams_clear(&b->ngrams);
    ramus_status st = add_words(b->words, hypothesis, &first, &sys_len, err);
    for (int i = 0; i < n_references && !st; i++) {
        int length = 0;
        if (!references[i].data) continue;
        st = add_words(b->words, references[i], &first, &length, err);
        if (st) break;
        st = ramus_ngrams_add(&b->ngrams, ramus_words_numbers(b->words) + first, length, err);
        if (present++ == 0 || is_closer(length, ref_len, sys_len)) ref_len = length;
    }
    if (!st)
        st = ramus_ngrams_match(&b->ngrams, ramus_words_numbers(b->words), sys_len, ORDER, matches,
                                err);
    if (!st) st = ramus_stats_append(&b->stats, &row, err);
    if (st) return st;

    RAMUS_ASSERT(present > 0);
    ramus_nrefs_note(&b->nrefs, present);
    row[0] = sys_len;
    row[1] = ref_len;
    for (int n = 0; n < ORDER; n++) {
        row[ROW_COUNTS + n] = matches[n];
        row[ROW_TOTALS + n] = sys_len > n ? sys_len - n : 0;
    }
    return RAMUS_OK;
}

ramus_bleu_score ramus_bleu_corpus(const ramus_bleu *b)
{
    int64_t sums[RAMUS_STATS_MAX];
    ramus_stats_sum(&b->stats, sums);
    return score_of(&b->options, sums, b->options.effective_order);
}

ramus_bleu_score ramus_bleu_sentence(const ramus_bleu *b, int line)
{
    int64_t sums[RAMUS_STATS_MAX] = {0};
    RAMUS_ASSERT(line >= 0 && line < b->stats.n_lines);
    ramus_stats_add(&b->stats, line, sums);
    return score_of(&b->options, sums, true);
}

const ramus_stats *ramus_bleu_stats(const ramus_bleu *b)
{
    return &b->stats;
}

void ramus_bleu_signature(char out[RAMUS_SIGNATURE_SIZE], const ramus_bleu *b,
                          const ramus_bootstrap *test)
{
    const ramus_bleu_options *o = &b->options;
    char fields[80], value[16] = "";
    if (smoothings[o->smoothing].value > 0)
        (void)snprintf(value, sizeof value, "[%.2f]", smoothing_value(o));
    (void)snprintf(fields, sizeof fields, "eff:%s|tok:%s|smooth:%s%s",
                   o->effective_order ? "yes" : "no", ramus_tokenization_name(o->tokenization),
                   smoothings[o->smoothing].name, value);
    ramus_signature_write(out, &b->nrefs, o->lowercase, fields, test);
}
