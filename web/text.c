/* What takes the place of documents, glossaries and expressions in ramus.wasm, which is small for
 * having none; worker.js goes over to documents.wasm where they are asked for. */
#include "runtime/documents.h"
#include "text/terms.h"

const ramus_format *const *ramus_formats(int *n)
{
    *n = 0;
    return NULL;
}

const ramus_format *ramus_format_find(const char *name)
{
    (void)name;
    return NULL;
}

/* Never called, as no format is found. */
ramus_status ramus_session_documents(ramus_session *s, const ramus_text *texts, int n,
                                     ramus_translation *out, ramus_error *err)
{
    (void)s, (void)texts, (void)n, (void)out, (void)err;
    __builtin_trap();
}

/* Never called, as nothing makes a glossary. */
bool ramus_terms_next(const ramus_terms *t, const char *text, size_t size, size_t from,
                      ramus_term *out)
{
    (void)t, (void)text, (void)size, (void)from, (void)out;
    __builtin_trap();
}
