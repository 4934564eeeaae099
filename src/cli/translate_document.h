/* translate_document.h - `ramus translate` of documents in formats: HTML, Markdown, subtitles ..
 *
 * A document is mapped, translated block by block and written; what is no text is copied. */
#ifndef RAMUS_CLI_TRANSLATE_DOCUMENT_H
#define RAMUS_CLI_TRANSLATE_DOCUMENT_H

#include "cli/translate.h"

#include "base/map.h"
#include "document/format.h"

/* The format that --format, --document or the name of the input asks for; NULL: lines. */
RAMUS_CHECKED ramus_status ramus_translate_format(const ramus_format **out,
                                                  const ramus_translate_settings *s,
                                                  const ramus_options *o, ramus_error *err);

/* Translates the input, or the arguments as one document. *first is the first file of the input if
 * that was read already; else {0}. */
RAMUS_CHECKED ramus_status ramus_translate_document(ramus_session *session,
                                                    const ramus_format *format,
                                                    const ramus_translate_settings *s,
                                                    const ramus_options *o, ramus_file *first,
                                                    ramus_error *err);

#endif
