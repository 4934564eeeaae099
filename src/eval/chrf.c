/* Hypothesis and references become sequences of code points (and of words for chrF++); a line
 * keeps the counts of the reference with the best score. */
#include "eval/chrf.h"

#include "base/list.h"
#include "base/utf8.h"
#include "eval/category.h"
#include "eval/ngrams.h"
#include "eval/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAR_ORDER  6
#define BETA_SQUARE 4.0 // beta = 2

/* The characters of a line, without white space. */
typedef struct {
    uint32_t *codes; // [room]
    size_t room;
    int n;
} char_line;

struct ramus_chrf {
    ramus_chrf_options options;
    ramus_words *words; // NULL without word n-grams
    char *text;         // [text_room]
    size_t text_room;
    char_line hypothesis, reference;
    ramus_ngrams ngrams;
    ramus_stats stats; // a row: n-grams of the hypothesis, of the reference, matches, by order
    ramus_nrefs nrefs;
};

/* With the operations in SacreBLEU's order: which of two references is the better one is decided by
 * the last bit. */
static double f_score(int order, const int64_t *sums)
{
    double precision = 0, recall = 0;
    int effective = 0;
    for (int i = 0; i < order; i++) {
        const double hyp = (double)sums[3 * i], ref = (double)sums[3 * i + 1],
                     match = (double)sums[3 * i + 2];
        if (hyp <= 0 || ref <= 0) continue;
        precision += match / hyp;
        recall += match / ref;
        effective++;
    }
    if (effective == 0) return 0;
    precision /= effective;
    recall /= effective;
    if (precision + recall <= 0) return 0;
    double score = (1 + BETA_SQUARE) * precision * recall;
    score /= BETA_SQUARE * precision + recall;
    return 100 * score;
}

static double score_sums(const void *metric, const int64_t *sums)
{
    const ramus_chrf *c = metric;
    return f_score(CHAR_ORDER + c->options.word_order, sums);
}

ramus_status ramus_chrf_create(ramus_chrf **out, const ramus_chrf_options *options,
                               ramus_error *err)
{
    const int order = CHAR_ORDER + options->word_order;
    RAMUS_ASSERT(options->word_order >= 0 && 3 * order <= RAMUS_STATS_MAX);
    ramus_chrf *c = calloc(1, sizeof *c);
    if (!c) return ramus_fail_memory(err, "chrF");
    c->options = *options;
    c->stats = (ramus_stats){.width = 3 * order, .score = score_sums, .metric = c};
    if (options->word_order > 0) {
        const ramus_status st =
            ramus_words_create(&c->words, &ramus_tokenization_chrf, options->lowercase, err);
        if (st) {
            ramus_chrf_destroy(c);
            return st;
        }
    }
    *out = c;
    return RAMUS_OK;
}

void ramus_chrf_destroy(ramus_chrf *c)
{
    if (!c) return;
    ramus_words_destroy(c->words);
    free(c->text);
    free(c->hypothesis.codes);
    free(c->reference.codes);
    ramus_ngrams_free(&c->ngrams);
    ramus_stats_free(&c->stats);
    free(c);
}

static ramus_status reserve(ramus_chrf *c, char_line *out, size_t size, ramus_error *err)
{
    static const char what[] = "the characters of a line";
    const ramus_status st =
        RAMUS_LIST_RESERVE(c->text, c->text_room, RAMUS_LINE_ROOM(size) + 1, what, err);
    if (st) return st;
    // lower case can be twice as many characters: U+0130
    return RAMUS_LIST_RESERVE(out->codes, out->room, 2 * size + 1, what, err);
}

static ramus_status read_chars(ramus_chrf *c, char_line *out, ramus_line line, ramus_error *err)
{
    ramus_status st = ramus_line_check(line, err);
    if (!st) st = reserve(c, out, line.size, err);
    if (st) return st;
    out->n = 0;
    const size_t size =
        c->options.lowercase ? ramus_line_lower(c->text, line) : ramus_line_copy(c->text, line);
    for (size_t at = 0; at < size;) {
        uint32_t code = (unsigned char)c->text[at];
        at += (size_t)(code < 0x80 ? 1 : ramus_utf8_decode(&code, c->text + at, size - at));
        const bool candidate = code <= ' ' || (code >= 0x85 && code <= 0x3000); // most are neither
        if (candidate && !c->options.whitespace && ramus_category_is_space(code)) continue;
        out->codes[out->n++] = code;
    }
    return RAMUS_OK;
}

typedef struct {
    const uint32_t *symbols;
    int n;
} sequence;

/* Fills `order` triples of `row`. */
static ramus_status match(ramus_chrf *c, sequence hyp, sequence ref, int order, int32_t *row,
                          ramus_error *err)
{
    int32_t matches[CHAR_ORDER];
    ramus_ngrams_clear(&c->ngrams);
    ramus_status st = ramus_ngrams_add(&c->ngrams, ref.symbols, ref.n, err);
    if (!st) st = ramus_ngrams_match(&c->ngrams, hyp.symbols, hyp.n, order, matches, err);
    if (st) return st;
    for (int k = 0; k < order; k++) {
        const bool both = hyp.n > k && ref.n > k; // does not count without a reference
        row[3 * k] = both ? hyp.n - k : 0;
        row[3 * k + 1] = ref.n > k ? ref.n - k : 0;
        row[3 * k + 2] = matches[k];
    }
    return RAMUS_OK;
}

/* Compares the hypothesis, whose characters are read, with one reference. */
static ramus_status compare(ramus_chrf *c, ramus_line hypothesis, ramus_line reference,
                            int32_t *row, ramus_error *err)
{
    ramus_status st = read_chars(c, &c->reference, reference, err);
    if (st) return st;
    st = match(c, (sequence){c->hypothesis.codes, c->hypothesis.n},
               (sequence){c->reference.codes, c->reference.n}, CHAR_ORDER, row, err);
    if (st || !c->words) return st;

    ramus_words_clear(c->words);
    st = ramus_words_add(c->words, hypothesis, err);
    if (st) return st;
    const int n_hyp = ramus_words_count(c->words);
    st = ramus_words_add(c->words, reference, err);
    if (st) return st;
    const uint32_t *numbers = ramus_words_numbers(c->words);
    return match(c, (sequence){numbers, n_hyp},
                 (sequence){numbers + n_hyp, ramus_words_count(c->words) - n_hyp},
                 c->options.word_order, row + 3 * CHAR_ORDER, err);
}

static double score_row(const ramus_chrf *c, const int32_t *row)
{
    int64_t sums[RAMUS_STATS_MAX] = {0};
    for (int j = 0; j < c->stats.width; j++)
        sums[j] = row[j];
    return score_sums(c, sums);
}

ramus_status ramus_chrf_add(ramus_chrf *c, ramus_line hypothesis, const ramus_line *references,
                            int n_references, ramus_error *err)
{
    int32_t best[RAMUS_STATS_MAX], candidate[RAMUS_STATS_MAX], *row = NULL;
    double best_score = -1;
    int present = 0;

    ramus_status st = read_chars(c, &c->hypothesis, hypothesis, err);
    if (st) return st;
    for (int i = 0; i < n_references; i++) {
        if (!references[i].data) continue;
        st = compare(c, hypothesis, references[i], candidate, err);
        if (st) return st;
        present++;
        const double score = n_references > 1 ? score_row(c, candidate) : 0;
        if (score <= best_score) continue;
        best_score = score;
        memcpy(best, candidate, sizeof best);
    }
    RAMUS_ASSERT(present > 0);
    st = ramus_stats_append(&c->stats, &row, err);
    if (st) return st;
    ramus_nrefs_note(&c->nrefs, present);
    memcpy(row, best, (size_t)c->stats.width * sizeof *row);
    return RAMUS_OK;
}

double ramus_chrf_corpus(const ramus_chrf *c)
{
    return ramus_stats_score(&c->stats);
}

double ramus_chrf_sentence(const ramus_chrf *c, int line)
{
    RAMUS_ASSERT(line >= 0 && line < c->stats.n_lines);
    return score_row(c, c->stats.rows + (size_t)line * (size_t)c->stats.width);
}

const ramus_stats *ramus_chrf_stats(const ramus_chrf *c)
{
    return &c->stats;
}

void ramus_chrf_signature(char out[RAMUS_SIGNATURE_SIZE], const ramus_chrf *c,
                          const ramus_bootstrap *test)
{
    char fields[64];
    (void)snprintf(fields, sizeof fields, "eff:yes|nc:%d|nw:%d|space:%s", CHAR_ORDER,
                   c->options.word_order, c->options.whitespace ? "yes" : "no");
    ramus_signature_write(out, &c->nrefs, c->options.lowercase, fields, test);
}
