/* clean_rules.h - the rules of data/clean.h that look at nothing but the pair. */
#ifndef RAMUS_DATA_CLEAN_RULES_H
#define RAMUS_DATA_CLEAN_RULES_H

#include "data/clean.h"
#include "data/clean_side.h"

typedef struct ramus_clean_pair {
    ramus_clean_side sides[2];
} ramus_clean_pair;

/* What a rule may ask beside the pair. */
typedef struct ramus_clean_usual {
    const ramus_clean_spec *spec;
    double ratio;            // characters of the target for each one of the source
    ramus_script scripts[2]; // most letters of each side; NONE: not known
} ramus_clean_usual;

/* Whether the rule speaks against the pair. */
typedef bool ramus_clean_test(const ramus_clean_pair *p, const ramus_clean_usual *u);

ramus_clean_test ramus_clean_characters, ramus_clean_markup, ramus_clean_letters,
    ramus_clean_length, ramus_clean_ratio, ramus_clean_script, ramus_clean_language,
    ramus_clean_same, ramus_clean_numbers;

#endif
