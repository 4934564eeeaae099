/* model_choice.h - which model a command uses: the one it was given, or the one of a direction.
 *
 * That of a direction is a file FROM-TO.gguf, as en-de.gguf, in the folder that RAMUS_MODELS names
 * in the environment; without that, in `models` beside the program, or in `../share/ramus/models`
 * seen from there. Where the options leave several, the language of the text decides. */
#ifndef RAMUS_CLI_MODEL_CHOICE_H
#define RAMUS_CLI_MODEL_CHOICE_H

#include "base/buffer.h"
#include "base/settings.h"

typedef struct ramus_model_choice {
    const char *model, *from, *to;
    ramus_buffer path; // of a model that was found
    ramus_buffer hint; // a sentence for the user; empty: there is none
} ramus_model_choice;

/* The options --model, --from and --to. */
ramus_settings ramus_model_options(ramus_model_choice *c);

/* Refuses options that exclude each other. */
RAMUS_CHECKED ramus_status ramus_model_choice_check(const ramus_model_choice *c, ramus_error *err);

/* Sets c->model unless it was given. Of several files it is en-de.gguf, else the first one by name.
 */
RAMUS_CHECKED ramus_status ramus_model_choose(ramus_model_choice *c, ramus_error *err);

/* After that, where no model was given: takes the one whose source is the language of the text, if
 * that is clear and --from leaves it open. Sets c->hint where --from or --to exclude it. With
 * --from auto a text without a model is an error. */
RAMUS_CHECKED ramus_status ramus_model_choose_by_text(ramus_model_choice *c, const char *text,
                                                      size_t size, ramus_error *err);
void ramus_model_choice_free(ramus_model_choice *c);

/* Sets *path to the folder of models that is there, by the rule above. */
RAMUS_CHECKED ramus_status ramus_model_folder(ramus_buffer *path, ramus_error *err);

#endif
