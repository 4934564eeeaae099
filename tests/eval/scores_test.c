/* The numbers of tests/golden/scores come from SacreBLEU; each must be reproduced as far as its
 * file promises. */
#include "base/map.h"
#include "eval/bleu.h"
#include "eval/chrf.h"
#include "eval/significance.h"

#include "check.h"
#include "json.h"

#include <ctype.h>

#define FOLDER GOLDEN "/scores/"
#define SCORE  1e-4 // as the vectors promise

typedef struct {
    char *data;
    ramus_line *lines;
    int n;
} text;

static text load_text(const char *set, const char *name)
{
    char path[1024];
    ramus_error err = {0};
    ramus_file file = {0};
    (void)snprintf(path, sizeof path, "%s%s.%s.txt", FOLDER, set, name);
    REQUIRE_OK(ramus_file_map(&file, path, &err), err);
    text t = {malloc(file.size), NULL, 0};
    memcpy(t.data, file.data, file.size);
    t.lines = calloc(file.size, sizeof *t.lines);
    for (size_t start = 0, at = 0; at < file.size; at++)
        if (t.data[at] == '\n') {
            t.lines[t.n++] = (ramus_line){t.data + start, at - start};
            start = at + 1;
        }
    ramus_file_unmap(&file);
    return t;
}

static void free_text(text *t)
{
    free(t->data);
    free(t->lines);
}

static ramus_bleu *score_bleu(const text *hyp, const text *ref, const ramus_bleu_options *options)
{
    ramus_error err = {0};
    ramus_bleu *b = NULL;
    REQUIRE_OK(ramus_bleu_create(&b, options, &err), err);
    EXPECT_INT(hyp->n, ref->n, "lines");
    for (int i = 0; i < hyp->n; i++)
        REQUIRE_OK(ramus_bleu_add(b, hyp->lines[i], &ref->lines[i], 1, &err), err);
    return b;
}

/* Equal up to the version, which ends a signature. */
static void expect_signature(const char *got, const char *want)
{
    const char *version = strstr(want, "|version:");
    const size_t size = (size_t)(version - want) + strlen("|version:");
    EXPECT(strncmp(got, want, size) == 0, "signature \"%s\", want \"%s\"", got, want);
    EXPECT_TEXT(got + size, "ramus-" RAMUS_VERSION);
}

static void expect_list(const json *list, const double *got, double bound, const char *what)
{
    EXPECT_INT(json_length(list), RAMUS_BLEU_ORDER, what);
    for (const json *item = list->first; item; item = item->next)
        EXPECT_NEAR(*got++, item->number, bound, what);
}

static void check_bleu(const json *want, const char *settings, const text *hyp, const text *ref)
{
    char name[16], signature[RAMUS_SIGNATURE_SIZE];
    const char *dot = strchr(settings, '.');
    (void)snprintf(name, sizeof name, "%.*s", (int)(dot ? dot - settings : 15), settings);
    const ramus_bleu_options options = {.tokenization = ramus_tokenization_find(name),
                                        .lowercase = dot && strcmp(dot, ".lc") == 0};
    EXPECT(options.tokenization, "tokenization \"%s\"", name);
    if (!options.tokenization) return;
    ramus_bleu *b = score_bleu(hyp, ref, &options);
    const ramus_bleu_score s = ramus_bleu_corpus(b);
    double counts[RAMUS_BLEU_ORDER], totals[RAMUS_BLEU_ORDER];
    for (int n = 0; n < RAMUS_BLEU_ORDER; n++) {
        counts[n] = (double)s.counts[n];
        totals[n] = (double)s.totals[n];
    }
    EXPECT_NEAR(s.score, json_number(want, "score"), SCORE, settings);
    EXPECT_NEAR(s.bp, json_number(want, "bp"), SCORE, settings);
    EXPECT_INT(s.sys_len, json_number(want, "sys_len"), settings);
    EXPECT_INT(s.ref_len, json_number(want, "ref_len"), settings);
    expect_list(json_get(want, "precisions"), s.precisions, SCORE, settings);
    expect_list(json_get(want, "counts"), counts, 0, settings);
    expect_list(json_get(want, "totals"), totals, 0, settings);
    ramus_bleu_signature(signature, b, NULL);
    expect_signature(signature, json_get(want, "signature")->text);
    ramus_bleu_destroy(b);
}

static void check_chrf(const json *want, int word_order, const text *hyp, const text *ref)
{
    ramus_error err = {0};
    ramus_chrf *c = NULL;
    char signature[RAMUS_SIGNATURE_SIZE];
    REQUIRE_OK(ramus_chrf_create(&c, &(ramus_chrf_options){.word_order = word_order}, &err), err);
    for (int i = 0; i < hyp->n; i++)
        REQUIRE_OK(ramus_chrf_add(c, hyp->lines[i], &ref->lines[i], 1, &err), err);
    EXPECT_NEAR(ramus_chrf_corpus(c), json_number(want, "score"), SCORE, "chrF");
    ramus_chrf_signature(signature, c, NULL);
    expect_signature(signature, json_get(want, "signature")->text);
    ramus_chrf_destroy(c);
}

static void check_sentences(const json *want, const text *hyp, const text *ref)
{
    const ramus_bleu_options options = {.tokenization = ramus_tokenization_find("13a")};
    ramus_bleu *b = score_bleu(hyp, ref, &options);
    int i = 0;
    for (const json *item = want->first; item; item = item->next, i++)
        EXPECT_NEAR(ramus_bleu_sentence(b, i).score, item->number, SCORE, "sentence BLEU");
    EXPECT_INT(i, 20, "sentences");
    ramus_bleu_destroy(b);
}

static void lower_ascii(text *t)
{
    const ramus_line last = t->lines[t->n - 1];
    for (char *c = t->data; c < last.data + last.size; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)tolower(*c);
}

/* multi-bleu.perl does not smooth, and lower-cases ASCII letters only. */
static void check_multi_bleu(const json *want, bool lowercase, const char *set, const char *system)
{
    const ramus_bleu_options options = {.tokenization = ramus_tokenization_find("none"),
                                        .smoothing = RAMUS_SMOOTHING_NONE};
    text hyp = load_text(set, system), ref = load_text(set, "ref");
    if (lowercase) {
        lower_ascii(&hyp);
        lower_ascii(&ref);
    }
    ramus_bleu *b = score_bleu(&hyp, &ref, &options);
    const ramus_bleu_score s = ramus_bleu_corpus(b);
    char line[200];
    (void)snprintf(line, sizeof line,
                   "BLEU = %.2f, %.1f/%.1f/%.1f/%.1f (BP=%.3f, ratio=%.3f, hyp_len=%lld, "
                   "ref_len=%lld)",
                   s.score, s.precisions[0], s.precisions[1], s.precisions[2], s.precisions[3],
                   s.bp, (double)s.sys_len / (double)s.ref_len, (long long)s.sys_len,
                   (long long)s.ref_len);
    EXPECT_TEXT(line, want->text);
    ramus_bleu_destroy(b);
    free_text(&hyp);
    free_text(&ref);
}

/* Two runs of 1,000 resamples with different random numbers. With s = ci / 1.96 the deviation of a
 * resample's score, the means differ by a deviation of s * sqrt(2 / 1000) = 0.023 ci. An end of the
 * interval, a 2.5 % quantile, has the error sqrt(0.025 * 0.975 / 1000) / 0.0584 = 0.085 s, half the
 * width has 0.060 s, and two of them differ by 0.085 s = 0.043 ci. The bounds are four deviations.
 * The systems are more than seven deviations apart, so that no resample of either run lies beyond
 * their difference and p is exactly 1 / 1001. */
static void check_bootstrap(const json *want, const char *set)
{
    const ramus_bleu_options options = {
        .tokenization = ramus_tokenization_find(strcmp(set, "chinese") == 0 ? "zh" : "13a")};
    const ramus_bootstrap test = {.n_resamples = RAMUS_BOOTSTRAP_RESAMPLES,
                                  .seed = RAMUS_BOOTSTRAP_SEED};
    text a = load_text(set, "hyp-a"), b = load_text(set, "hyp-b"), ref = load_text(set, "ref");
    ramus_bleu *systems[2] = {score_bleu(&a, &ref, &options), score_bleu(&b, &ref, &options)};
    const ramus_stats *stats[2] = {ramus_bleu_stats(systems[0]), ramus_bleu_stats(systems[1])};
    ramus_comparison got[2];
    ramus_error err = {0};
    REQUIRE_OK(ramus_bootstrap_compare(got, stats, 2, &test, &err), err);
    EXPECT_INT(json_length(want), 2, "systems");
    int i = 0;
    for (const json *item = want->first; item; item = item->next, i++) {
        const double ci = json_number(item, "ci");
        const json *p = json_get(item, "p");
        EXPECT_NEAR(got[i].score, json_number(item, "score"), SCORE, "score");
        EXPECT_NEAR(got[i].mean, json_number(item, "mean"), 4 * 0.023 * ci, "mean");
        EXPECT_NEAR(got[i].ci, ci, 4 * 0.043 * ci, "half-width");
        if (p->kind == JSON_NULL)
            EXPECT(isnan(got[i].p_value), "p of the baseline is %g", got[i].p_value);
        else
            EXPECT_NEAR(got[i].p_value, p->number, 1e-12, "p");
        ramus_bleu_destroy(systems[i]);
    }
    free_text(&a);
    free_text(&b);
    free_text(&ref);
}

/* Is `name` = prefix + rest? Then *rest is what follows. */
static bool begins(const char *name, const char *prefix, const char **rest)
{
    *rest = name + strlen(prefix);
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static void check_system_item(const json *item, const char *name, const char *set,
                              const char *system)
{
    const char *rest = NULL;
    text hyp = load_text(set, system), ref = load_text(set, "ref");
    if (begins(name, "bleu.", &rest))
        check_bleu(item, rest, &hyp, &ref);
    else if (strcmp(name, "chrf") == 0 || strcmp(name, "chrf++") == 0)
        check_chrf(item, name[4] ? 2 : 0, &hyp, &ref);
    else if (strcmp(name, "sentence_bleu_13a.first20") == 0)
        check_sentences(item, &hyp, &ref);
    else if (begins(name, "multi-bleu.perl", &rest))
        check_multi_bleu(item, *rest, set, system);
    else
        EXPECT(0, "%s has \"%s\", which this test does not know", set, item->key);
    free_text(&hyp);
    free_text(&ref);
}

static void every_number_of_sacrebleu_is_reproduced(void)
{
    json *sets = json_load(FOLDER "expected.json");
    int n = 0;
    for (const json *set = sets->first; set; set = set->next)
        for (const json *item = set->first; item; item = item->next, n++) {
            const char *rest = NULL;
            if (strcmp(item->key, "paired_bootstrap.1000") == 0)
                check_bootstrap(item, set->key);
            else if (begins(item->key, "a.", &rest))
                check_system_item(item, rest, set->key, "hyp-a");
            else if (begins(item->key, "b.", &rest))
                check_system_item(item, rest, set->key, "hyp-b");
            else
                EXPECT(0, "%s has \"%s\", which this test does not know", set->key, item->key);
        }
    EXPECT_INT(n, 103, "items of the file");
    json_destroy(sets);
}

CHECK_MAIN({"every_number_of_sacrebleu_is_reproduced", every_number_of_sacrebleu_is_reproduced})
