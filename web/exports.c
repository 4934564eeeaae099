/* What engine.js calls beside the functions of ramus.h: memory, one call of ramus_translate_all()
 * with what callbacks say, and the row of kernels. engine.js reads structs as they lie in memory;
 * the assertions below are the places that it knows. */
#include <ramus/ramus.h>

#include "kernels/select.h"

#include <stdint.h>
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("ramus"), import_name(#name)))

#define PLACE(type, field, at)                                                                     \
    _Static_assert(offsetof(type, field) == (at), "engine.js reads " #type "." #field)
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "engine.js reads " #type)

PLACE(ramus_error, message, 4);
SIZE(ramus_session_options, 24);
PLACE(ramus_session_options, beam, 4);
PLACE(ramus_session_options, details, 20);
PLACE(ramus_translation, size, 4);
PLACE(ramus_translation, score, 8);
PLACE(ramus_translation, log_prob, 16);
PLACE(ramus_translation, notes, 28);
PLACE(ramus_translation, n_source, 32);
PLACE(ramus_translation, n_target, 36);
PLACE(ramus_translation, source, 40);
PLACE(ramus_translation, target, 44);
SIZE(ramus_translation, 48);
PLACE(ramus_token, log_prob, 8);
PLACE(ramus_token, source, 12);
PLACE(ramus_token, gates, 16);
PLACE(ramus_token, n_gates, 20);
SIZE(ramus_token, 24);
PLACE(ramus_sentence_pair, source, 4);
PLACE(ramus_sentence_pair, target, 12);
PLACE(ramus_sentence_pair, log_prob, 24);
PLACE(ramus_sentence_pair, notes, 32);
SIZE(ramus_sentence_pair, 40);
SIZE(ramus_range, 8);

/* A request as engine.js writes it: nine words. */
typedef struct {
    ramus_text text;
    int beam, n_best;
    bool whole_lines, unprotected, scores, tell; // tell: of sentences
    const char *prefix, *format, *columns;       // NULL: none
    const ramus_terms *terms;
} request;
PLACE(request, whole_lines, 16);
PLACE(request, prefix, 20);
SIZE(request, 36);

IMPORT(stopped) int stopped(void);
IMPORT(sentence) void sentence(const ramus_sentence_pair *pair);

static bool ask_stopped(void *arg)
{
    (void)arg;
    return stopped() != 0;
}

static void tell_sentence(void *arg, const ramus_sentence_pair *pair)
{
    (void)arg;
    sentence(pair);
}

/* Memory aligned to 64; NULL: there is none. */
EXPORT(alloc) void *alloc(size_t size);
void *alloc(size_t size)
{
    return size > SIZE_MAX - 63 ? NULL : aligned_alloc(64, (size + 63) / 64 * 64);
}

EXPORT(release) void release(void *memory);
void release(void *memory)
{
    free(memory);
}

/* out has room for n_best translations. */
EXPORT(translate)
ramus_status translate(ramus_session *session, const request *r, ramus_translation *out,
                       ramus_error *err);
ramus_status translate(ramus_session *session, const request *r, ramus_translation *out,
                       ramus_error *err)
{
    ramus_translate_options options = RAMUS_TRANSLATE_DEFAULTS;
    options.beam = r->beam;
    options.n_best = r->n_best;
    options.whole_lines = r->whole_lines;
    options.unprotected = r->unprotected;
    options.scores = r->scores;
    options.prefix = r->prefix;
    options.format = r->format;
    options.columns = r->columns;
    options.terms = r->terms;
    options.cancel = ask_stopped;
    if (r->tell) options.sentence = tell_sentence;
    return ramus_translate_all(session, &r->text, 1, &options, out, err);
}

/* The fastest row of kernels that there is. */
EXPORT(row) const char *row(void);
const char *row(void)
{
    ramus_kernels kernels;
    (void)ramus_kernels_select(&kernels, NULL);
    return kernels.isa;
}
