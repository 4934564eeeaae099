/* documents.h - documents through a session: read as blocks, translated, written. */
#ifndef RAMUS_RUNTIME_DOCUMENTS_H
#define RAMUS_RUNTIME_DOCUMENTS_H

#include "document/format.h"
#include "runtime/session.h"

/* Translates n documents of s->format together: out[i * n_best + j] as ramus_translate_all(). */
RAMUS_CHECKED ramus_status ramus_session_documents(ramus_session *s, const ramus_text *texts, int n,
                                                   ramus_translation *out, ramus_error *err);

/* Translates what comes next of a document, about `bytes` of text, and adds it to *to. *out has the
 * sums, and no text. For documents that are too large for one call; `options` as for
 * ramus_translate(), n_best is 1. */
RAMUS_CHECKED ramus_status ramus_session_continue(ramus_session *s, ramus_document *d, size_t bytes,
                                                  const ramus_translate_options *options,
                                                  ramus_buffer *to, ramus_translation *out,
                                                  ramus_error *err);

#endif
