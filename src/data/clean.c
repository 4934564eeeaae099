/* The table of rules, what a corpus has taught, and the hashes of what was seen and is held out. */
#include "data/clean.h"

#include "base/hash.h"
#include "data/clean_rules.h"
#include "data/hash_set.h"
#include "data/lines.h"
#include "eval/category.h"
#include "text/language_names.h"

#include <stdlib.h>
#include <string.h>

#define COMMON_WORDS 5 // sentences of so many are common property ("Thank you."), not a test's

typedef struct {
    const char *name;
    ramus_clean_test *test; // NULL: below, or the caller's
} rule_row;

static const rule_row rules[RAMUS_CLEAN_RULES] = {
    [RAMUS_CLEAN_CHARACTERS] = {"characters", ramus_clean_characters},
    [RAMUS_CLEAN_MARKUP] = {"markup", ramus_clean_markup},
    [RAMUS_CLEAN_LETTERS] = {"letters", ramus_clean_letters},
    [RAMUS_CLEAN_LENGTH] = {"length", ramus_clean_length},
    [RAMUS_CLEAN_RATIO] = {"ratio", ramus_clean_ratio},
    [RAMUS_CLEAN_SCRIPT] = {"script", ramus_clean_script},
    [RAMUS_CLEAN_LANGUAGE] = {"language", ramus_clean_language},
    [RAMUS_CLEAN_SAME] = {"same", ramus_clean_same},
    [RAMUS_CLEAN_NUMBERS] = {"numbers", ramus_clean_numbers},
    [RAMUS_CLEAN_HELD_OUT] = {"held-out", NULL},
    [RAMUS_CLEAN_DUPLICATE] = {"duplicate", NULL},
    [RAMUS_CLEAN_SCORE] = {"score", NULL},
};

struct ramus_clean {
    ramus_clean_usual usual;
    bool off[RAMUS_CLEAN_RULES];
    ramus_clean_pair pair; // scratch
    ramus_hash_set seen, held;
};

static const char *const rule_value[] = {"RULE", NULL};

// clang-format off
#define AT(field) offsetof(ramus_clean_spec, field)
static const ramus_setting rows[] = {
    {"from",           RAMUS_SETTING_TEXT, AT(from), "language of the source side: a side that is surely in another one is dropped", NULL, 0, 0, ramus_setting_language, NULL},
    {"to",             RAMUS_SETTING_TEXT, AT(to), "language of the target side", NULL, 0, 0, ramus_setting_language, NULL},
    {"held-out",       RAMUS_SETTING_LIST, AT(held_out), "test and development sets: what is like a pair of them is dropped; .tsv, or text with a sentence a line", NULL, 1, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"min-words",      RAMUS_SETTING_INT,  AT(min_words), "fewest words of a side", "1", 0, 1000000, NULL, NULL},
    {"max-words",      RAMUS_SETTING_INT,  AT(max_words), "most words of a side", "80", 1, 1000000, NULL, NULL},
    {"max-ratio",      RAMUS_SETTING_REAL, AT(max_ratio), "how many times longer or shorter than expected a target may be, in characters, ten more on each side", "2.1", 1, 1000, NULL, NULL},
    {"expected-ratio", RAMUS_SETTING_REAL, AT(expected_ratio), "characters of a target for each one of its source; 0: as the corpus begins", "0", 0, 100, NULL, NULL},
    {"min-letters",    RAMUS_SETTING_REAL, AT(min_letters), "smallest share of letters among the characters of a side", "0.3", 0, 1, NULL, NULL},
    {"max-same-words", RAMUS_SETTING_INT,  AT(max_same_words), "most words of a pair whose sides are the same", "3", 0, 1000000, NULL, NULL},
    {"without",        RAMUS_SETTING_LIST, AT(without), "rules to leave out: characters, markup, letters, length, ratio, script, language, same, numbers, held-out, duplicate, score", NULL, 1, RAMUS_CLEAN_RULES, rule_value, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_clean_settings(ramus_clean_spec *spec)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), spec};
}

const char *ramus_clean_rule_name(ramus_clean_rule rule)
{
    return rules[rule].name;
}

static ramus_status leave_out(ramus_clean *c, const char *name, ramus_error *err)
{
    const char *names[RAMUS_CLEAN_RULES];
    for (int i = 0; i < RAMUS_CLEAN_RULES; i++) {
        names[i] = rules[i].name;
        if (strcmp(name, names[i]) != 0) continue;
        c->off[i] = true;
        return RAMUS_OK;
    }
    const char *near = ramus_nearest_word(name, names, RAMUS_CLEAN_RULES);
    return ramus_fail(err, RAMUS_BAD_ARGUMENT, "there is no rule '%s'%s%s%s", name,
                      near ? "; did you mean " : " (--help lists them)", near ? near : "",
                      near ? "?" : "");
}

static ramus_status find_language(const char **name, ramus_error *err)
{
    const char *code = *name ? ramus_language_find(*name) : NULL;
    if (*name && !code)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "the language '%s' is unknown: expected a code such as en, or a name",
                          *name);
    *name = code;
    return RAMUS_OK;
}

static uint64_t hash_of(uint64_t seed, const ramus_buffer *text)
{
    return ramus_hash(seed, text->data ? text->data : "", text->size);
}

/* Of both sides; never that of one side, whose seed is another. */
static uint64_t hash_of_pair(const ramus_buffer *source, const ramus_buffer *target)
{
    return hash_of(hash_of(2, source), target);
}

static ramus_status hold_side(ramus_clean *c, const ramus_clean_side *s, ramus_error *err)
{
    if (s->loose_words <= COMMON_WORDS) return RAMUS_OK;
    return ramus_hash_set_add(&c->held, hash_of(1, &s->loose), NULL, err);
}

/* Holds a line of a held-out file: a pair, or a sentence of either language. */
static ramus_status hold(ramus_clean *c, const char *line, size_t size, const int columns[2],
                         const char *path, long long number, ramus_error *err)
{
    ramus_clean_side *sides = c->pair.sides;
    for (int i = 0; i < 2; i++) {
        size_t n = 0;
        const char *text = ramus_lines_field(line, size, columns[i], &n);
        if (!text)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: line %lld has no column %d", path, number,
                              columns[i]);
        ramus_status st = ramus_clean_side_read(&sides[i], text, n, err);
        if (!st) st = hold_side(c, &sides[i], err);
        if (st) return st;
    }
    if (!columns[0]) return RAMUS_OK;
    return ramus_hash_set_add(&c->held, hash_of_pair(&sides[0].loose, &sides[1].loose), NULL, err);
}

static ramus_status hold_file(ramus_clean *c, const char *path, const ramus_corpus_spec *pairs,
                              ramus_error *err)
{
    ramus_lines *lines = NULL;
    const bool two = ramus_lines_have_columns(path);
    const int columns[2] = {two ? pairs->source_column : 0, two ? pairs->target_column : 0};
    ramus_status st = ramus_lines_open(&lines, path, err);
    for (long long number = 1; !st; number++) {
        char *line = NULL;
        size_t size = 0;
        st = ramus_lines_next(lines, &line, &size, err);
        if (st || !line) break;
        if (size && line[size - 1] == '\r') size--;
        st = hold(c, line, size, columns, path, number, err);
    }
    ramus_lines_close(lines);
    return st;
}

ramus_status ramus_clean_create(ramus_clean **out, ramus_clean_spec *spec,
                                const ramus_corpus_spec *pairs, ramus_error *err)
{
    ramus_clean *c = calloc(1, sizeof *c);
    if (!c) return ramus_fail_memory(err, "the rules");
    c->usual = (ramus_clean_usual){.spec = spec,
                                   .ratio = spec->expected_ratio > 0 ? spec->expected_ratio : 1};
    ramus_status st = find_language(&spec->from, err);
    if (!st) st = find_language(&spec->to, err);
    for (int i = 0; i < spec->without.n && !st; i++)
        st = leave_out(c, spec->without.items[i], err);
    for (int i = 0; i < spec->held_out.n && !st; i++)
        st = hold_file(c, spec->held_out.items[i], pairs, err);
    if (st)
        ramus_clean_destroy(c);
    else
        *out = c;
    return st;
}

void ramus_clean_destroy(ramus_clean *c)
{
    if (!c) return;
    ramus_clean_side_free(&c->pair.sides[0]);
    ramus_clean_side_free(&c->pair.sides[1]);
    ramus_hash_set_free(&c->seen);
    ramus_hash_set_free(&c->held);
    free(c);
}

static ramus_status read_pair(ramus_clean *c, const ramus_pair_text *pair, ramus_error *err)
{
    ramus_status st =
        ramus_clean_side_read(&c->pair.sides[0], pair->source, pair->source_size, err);
    if (!st) st = ramus_clean_side_read(&c->pair.sides[1], pair->target, pair->target_size, err);
    return st;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median, so that a few wrong pairs do not matter. */
ramus_status ramus_clean_learn(ramus_clean *c, const ramus_pair_text *pairs, int n,
                               ramus_error *err)
{
    int64_t letters[2][RAMUS_N_SCRIPTS] = {{0}};
    int n_ratios = 0;
    ramus_status st = RAMUS_OK;
    double *ratios = calloc((size_t)n + 1, sizeof *ratios);
    if (!ratios) return ramus_fail_memory(err, "the lengths of a corpus");
    for (int i = 0; i < n && !st; i++) {
        st = read_pair(c, &pairs[i], err);
        if (st) break;
        for (int side = 0; side < 2; side++)
            for (int k = 1; k < RAMUS_N_SCRIPTS; k++)
                letters[side][k] += (int64_t)ramus_clean_side_weight((ramus_script)k) *
                                    c->pair.sides[side].scripts[k];
        const int source = c->pair.sides[0].n, target = c->pair.sides[1].n;
        if (source && target) ratios[n_ratios++] = (double)target / source;
    }
    for (int side = 0; side < 2; side++)
        for (int k = 1; k < RAMUS_N_SCRIPTS; k++)
            if (letters[side][k] > letters[side][c->usual.scripts[side]])
                c->usual.scripts[side] = (ramus_script)k;
    if (n_ratios && c->usual.spec->expected_ratio <= 0) {
        qsort(ratios, (size_t)n_ratios, sizeof *ratios, compare);
        c->usual.ratio = ratios[n_ratios / 2];
    }
    free(ratios);
    return st;
}

double ramus_clean_expected_ratio(const ramus_clean *c)
{
    return c->usual.ratio;
}

static bool is_held(const ramus_clean *c)
{
    const ramus_clean_side *sides = c->pair.sides;
    for (int i = 0; i < 2; i++)
        if (sides[i].loose_words > COMMON_WORDS &&
            ramus_hash_set_has(&c->held, hash_of(1, &sides[i].loose)))
            return true;
    return ramus_hash_set_has(&c->held, hash_of_pair(&sides[0].loose, &sides[1].loose));
}

/* A sentence with its full stop and one without are different pairs: a model learns both. */
static ramus_status add_seen(ramus_clean *c, bool *added, ramus_error *err)
{
    const ramus_clean_side *source = &c->pair.sides[0], *target = &c->pair.sides[1];
    const ramus_category last =
        source->n ? ramus_category_of(source->codes[source->n - 1]) : RAMUS_CATEGORY_OTHER;
    const char end =
        last == RAMUS_CATEGORY_PUNCTUATION || last == RAMUS_CATEGORY_SYMBOL ? '.' : ' ';
    const uint64_t hash = ramus_hash(hash_of_pair(&source->key, &target->key), &end, 1);
    return ramus_hash_set_add(&c->seen, hash, added, err);
}

ramus_status ramus_clean_judge(ramus_clean *c, const ramus_pair_text *pair, ramus_clean_rule *out,
                               ramus_error *err)
{
    ramus_status st = read_pair(c, pair, err);
    if (st) return st;
    for (int i = 0; i < RAMUS_CLEAN_RULES; i++) {
        if (c->off[i] || !rules[i].test || !rules[i].test(&c->pair, &c->usual)) continue;
        *out = (ramus_clean_rule)i;
        return RAMUS_OK;
    }
    bool added = true;
    *out = RAMUS_CLEAN_HELD_OUT;
    if (!c->off[RAMUS_CLEAN_HELD_OUT] && is_held(c)) return RAMUS_OK;
    *out = RAMUS_CLEAN_DUPLICATE;
    if (!c->off[RAMUS_CLEAN_DUPLICATE]) st = add_seen(c, &added, err);
    if (!st && added) *out = RAMUS_CLEAN_KEPT;
    return st;
}
