/* search_choice.h - what a user may choose about a search, as one field table for every command
 * that translates. */
#ifndef RAMUS_RUNTIME_SEARCH_CHOICE_H
#define RAMUS_RUNTIME_SEARCH_CHOICE_H

#include "base/settings.h"

#include <ramus/ramus.h>

typedef struct ramus_search_choice {
    int beam, no_repeat, batch;
    int rules; // ramus_search_rules
    double length_penalty, max_length_ratio;
} ramus_search_choice;

ramus_settings ramus_search_choice_settings(ramus_search_choice *c);

/* Sets the fields of both that the choice is about. */
void ramus_search_choose(const ramus_search_choice *c, ramus_session_options *session,
                         ramus_translate_options *how);

#endif
