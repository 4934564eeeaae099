/* documents.h - documents through a session: read as blocks, translated, written. */
#ifndef RAMUS_RUNTIME_DOCUMENTS_H
#define RAMUS_RUNTIME_DOCUMENTS_H

#include "document/format.h"
#include "runtime/session.h"

/* Translates n documents of s->format together: out[i * n_best + j] as ramus_translate_all(). */
RAMUS_CHECKED ramus_status ramus_session_documents(ramus_session *s, const ramus_text *texts, int n,
                                                   ramus_translation *out, ramus_error *err);

/* Told of notes about the block that begins at byte `at` of the document. */
typedef void ramus_note_fn(void *arg, size_t at, unsigned notes);

/* Translates what comes next of a document, about `bytes` of text, and adds it to *to: for
 * documents that are too large for one call. `options` as for ramus_translate(); n_best is 1. */
RAMUS_CHECKED ramus_status ramus_session_continue(ramus_session *s, ramus_document *d, size_t bytes,
                                                  const ramus_translate_options *options,
                                                  ramus_note_fn *tell, void *arg, ramus_buffer *to,
                                                  ramus_error *err);

#endif
