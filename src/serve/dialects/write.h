/* write.h - what dialects write and read alike. */
#ifndef RAMUS_SERVE_DIALECTS_WRITE_H
#define RAMUS_SERVE_DIALECTS_WRITE_H

#include "serve/translate.h"

/* Adds a text as a JSON string. */
void ramus_write_text(ramus_buffer *out, ramus_text text);
void ramus_write_string(ramus_buffer *out, const char *text);

/* Adds a code in capitals as a JSON string. */
void ramus_write_capitals(ramus_buffer *out, const char *code);

/* Whether the field came as a list. */
bool ramus_is_list(const ramus_fields *f, const char *name);

/* Visits the languages of all models in order, each once: `source` those that are read, else those
 * that are written. */
void ramus_visit_languages(ramus_server *s, bool source, void (*each)(void *arg, const char *code),
                           void *arg);

/* What a file of a form is: fills ask->format and ask->office from its name. NULL, or a sentence
 * that says what is wrong. *name is that of the file. */
const char *ramus_read_file_field(const ramus_exchange *x, ramus_ask *ask, const char **name);

/* Answers with the translated document of a work that is done. */
void ramus_answer_file(ramus_exchange *x, const ramus_upload *u);

#endif
