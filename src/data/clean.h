/* clean.h - which pairs of a parallel corpus are fit to train on.
 *
 * Rules are asked in the order below, and the first one that speaks against a pair drops it. No
 * text is changed. Memory: the hashes of what was kept and of what is held out (hash_set.h). One
 * cleaner has one thread. */
#ifndef RAMUS_DATA_CLEAN_H
#define RAMUS_DATA_CLEAN_H

#include "base/settings.h"
#include "data/corpus_file.h"

typedef enum ramus_clean_rule {
    RAMUS_CLEAN_KEPT = -1,
    RAMUS_CLEAN_CHARACTERS,
    RAMUS_CLEAN_MARKUP,
    RAMUS_CLEAN_LETTERS,
    RAMUS_CLEAN_LENGTH,
    RAMUS_CLEAN_RATIO,
    RAMUS_CLEAN_SCRIPT,
    RAMUS_CLEAN_LANGUAGE,
    RAMUS_CLEAN_SAME,
    RAMUS_CLEAN_NUMBERS,
    RAMUS_CLEAN_HELD_OUT,
    RAMUS_CLEAN_DUPLICATE,
    RAMUS_CLEAN_SCORE, // the caller's: a model is above this layer
    RAMUS_CLEAN_RULES
} ramus_clean_rule;

const char *ramus_clean_rule_name(ramus_clean_rule rule);

typedef struct ramus_clean_spec {
    const char *from, *to; // languages of the sides; NULL: not known, and not looked at
    int min_words, max_words, max_same_words;
    double min_letters, max_ratio, expected_ratio;
    ramus_texts held_out, without;
} ramus_clean_spec;

/* Its options, with their defaults. */
ramus_settings ramus_clean_settings(ramus_clean_spec *spec);

typedef struct ramus_clean ramus_clean;

/* Reads the held-out files: `.tsv`, of which the columns of `pairs` count, or text with a sentence
 * a line, and turns `from` and `to` into codes. `spec` must outlive *out, which the caller ends
 * with ramus_clean_destroy(). */
RAMUS_CHECKED ramus_status ramus_clean_create(ramus_clean **out, ramus_clean_spec *spec,
                                              const ramus_corpus_spec *pairs, ramus_error *err);
void ramus_clean_destroy(ramus_clean *c); // NULL is fine

/* Learns from the beginning of the corpus, once, what is usual: the script of each side, and where
 * spec->expected_ratio is 0, the characters of a target for each one of its source. */
RAMUS_CHECKED ramus_status ramus_clean_learn(ramus_clean *c, const ramus_pair_text *pairs, int n,
                                             ramus_error *err);
double ramus_clean_expected_ratio(const ramus_clean *c);

/* Judges the next pair of the corpus: RAMUS_CLEAN_KEPT, or the rule that drops it. */
RAMUS_CHECKED ramus_status ramus_clean_judge(ramus_clean *c, const ramus_pair_text *pair,
                                             ramus_clean_rule *rule, ramus_error *err);

#endif
