/* choice.h - which translation of a line, if any, a student learns from.
 *
 * Of the n best translations those that loop, have no end, or are too long or short for the source
 * are left out. Of the others the best one is taken, or the one closest to a reference. One chooser
 * has one thread; its memory grows with the lines it has seen. */
#ifndef RAMUS_DISTILL_CHOICE_H
#define RAMUS_DISTILL_CHOICE_H

#include "eval/words.h"

/* The measure of closeness: BLEU of the sentence as in SacreBLEU's sentence_bleu (smoothing exp,
 * effective order), or chrF2. */
typedef enum ramus_closest {
    RAMUS_CLOSEST_NONE,
    RAMUS_CLOSEST_BLEU,
    RAMUS_CLOSEST_CHRF
} ramus_closest;

typedef struct ramus_choice_rule {
    ramus_closest closest;
    const ramus_tokenization *tokenization; // of BLEU
    double max_ratio; // of the tokens of the two sides, the end of each counted; 0: any
} ramus_choice_rule;

/* What became of a line; the order is that of the checks. */
typedef enum ramus_verdict {
    RAMUS_KEPT,
    RAMUS_DROPPED_EMPTY,        // nothing to translate
    RAMUS_DROPPED_INVALID,      // the source is not UTF-8
    RAMUS_DROPPED_UNTRANSLATED, // the translation is empty
    RAMUS_DROPPED_LOOP,         // it repeats itself without end
    RAMUS_DROPPED_UNFINISHED,   // it reached its greatest length
    RAMUS_DROPPED_RATIO,        // it is too long or too short for its source
    RAMUS_VERDICTS
} ramus_verdict;

const char *ramus_verdict_name(ramus_verdict v); // a word: "loop"

typedef struct ramus_chooser ramus_chooser;

/* The caller ends *out with ramus_chooser_destroy(). */
RAMUS_CHECKED ramus_status ramus_chooser_create(ramus_chooser **out, const ramus_choice_rule *rule,
                                                ramus_error *err);
void ramus_chooser_destroy(ramus_chooser *c); // NULL is fine

typedef struct ramus_chosen {
    ramus_verdict verdict;
    int index; // of the translation, if it is kept
} ramus_chosen;

/* Chooses among the n >= 1 translations of a line, best first; where there are fewer, text is NULL.
 * Of equally close ones the better is taken. When none can be taken, the verdict is that on the
 * best. The reference is read only where the rule asks for the closest. */
RAMUS_CHECKED ramus_status ramus_chooser_run(ramus_chooser *c, const ramus_translation *t, int n,
                                             ramus_line reference, ramus_chosen *out,
                                             ramus_error *err);

#endif
