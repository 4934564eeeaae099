/* terms_choice.h - what the user wants kept or translated in one way: a glossary and expressions.
 */
#ifndef RAMUS_CLI_TERMS_CHOICE_H
#define RAMUS_CLI_TERMS_CHOICE_H

#include "base/settings.h"

typedef struct ramus_terms_choice {
    const char *glossary;
    ramus_texts keep;
    ramus_terms *terms; // NULL: neither was given
} ramus_terms_choice;

/* The options --glossary and --keep. */
ramus_settings ramus_terms_options(ramus_terms_choice *c);

/* Makes c->terms of what was given. */
RAMUS_CHECKED ramus_status ramus_terms_choose(ramus_terms_choice *c, ramus_error *err);
void ramus_terms_choice_free(ramus_terms_choice *c);

#endif
