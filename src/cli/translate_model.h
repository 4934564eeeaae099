/* translate_model.h - which model `ramus translate` uses: without -m, by the text. */
#ifndef RAMUS_CLI_TRANSLATE_MODEL_H
#define RAMUS_CLI_TRANSLATE_MODEL_H

#include "cli/translate.h"

#include "base/map.h"
#include "document/format.h"

/* Sets s->model.model. `format` is that of the input, NULL for lines; of lines, and of text, *in is
 * opened where it had to be looked at; of a document *first, the first file, which the caller ends
 * with ramus_file_unmap(). A hint goes to the user if `tells`. */
RAMUS_CHECKED ramus_status ramus_translate_model(ramus_translate_settings *s,
                                                 const ramus_options *o, const ramus_format *format,
                                                 bool tells, ramus_translate_input **in,
                                                 ramus_file *first, ramus_error *err);

#endif
