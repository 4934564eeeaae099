/* glossaries.h - glossaries that clients have made: in memory, until the server ends.
 *
 * Any thread. A glossary that is deleted lives on until its last user has let it go. */
#ifndef RAMUS_SERVE_GLOSSARIES_H
#define RAMUS_SERVE_GLOSSARIES_H

#include "base/buffer.h"
#include "serve/ids.h"
#include "serve/models.h"

typedef struct ramus_glossary {
    char id[RAMUS_ID_ROOM];
    char *name;
    char from[RAMUS_LANGUAGE_ROOM], to[RAMUS_LANGUAGE_ROOM];
    char created[32];     // RFC 3339
    ramus_buffer entries; // source, tab, target, line end
    int n_entries;
    ramus_terms *terms;
    int references; // guarded by the lock of the list
} ramus_glossary;

typedef struct ramus_glossaries ramus_glossaries;

RAMUS_CHECKED ramus_status ramus_glossaries_create(ramus_glossaries **out, int most,
                                                   ramus_error *err);
void ramus_glossaries_destroy(ramus_glossaries *g); // after all users; NULL is fine

/* Makes one of entries in the form "tsv" or "csv". Sets *out, which the caller releases. */
RAMUS_CHECKED ramus_status ramus_glossaries_add(ramus_glossaries *g, const char *name,
                                                const char *from, const char *to,
                                                const char *format, ramus_text entries,
                                                ramus_glossary **out, ramus_error *err);

/* The glossary with that id, retained; NULL: there is none. */
ramus_glossary *ramus_glossaries_find(ramus_glossaries *g, const char *id);
void ramus_glossaries_release(ramus_glossaries *g, ramus_glossary *one); // NULL is fine
bool ramus_glossaries_delete(ramus_glossaries *g, const char *id);

/* Calls `each` for all, the oldest first. */
void ramus_glossaries_visit(ramus_glossaries *g, void (*each)(void *arg, const ramus_glossary *one),
                            void *arg);

#endif
