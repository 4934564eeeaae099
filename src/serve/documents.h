/* documents.h - documents that clients have sent, until they fetch them or an hour has gone.
 *
 * One thread: that of the transport. */
#ifndef RAMUS_SERVE_DOCUMENTS_H
#define RAMUS_SERVE_DOCUMENTS_H

#include "serve/ids.h"
#include "serve/queue.h"

typedef struct ramus_upload {
    char id[RAMUS_ID_ROOM], key[RAMUS_ID_ROOM];
    char name[128]; // of the translated file; letters that are safe in heads and addresses
    ramus_work *work;
    double made;
} ramus_upload;

typedef struct ramus_documents ramus_documents;

RAMUS_CHECKED ramus_status ramus_documents_create(ramus_documents **out, ramus_queue *queue,
                                                  int most, ramus_error *err);
void ramus_documents_destroy(ramus_documents *d); // NULL is fine

/* Makes an entry for a work, which it holds from now on, with new ids. RAMUS_FAILED: there are too
 * many. */
RAMUS_CHECKED ramus_status ramus_documents_add(ramus_documents *d, const char *name,
                                               ramus_work *work, ramus_upload **out,
                                               ramus_error *err);

/* Finds an entry by its id of 36 letters, and its key unless that is NULL. */
ramus_upload *ramus_documents_find(ramus_documents *d, const char *id, const char *key);

/* Forgets an entry; its work is cancelled. */
void ramus_documents_remove(ramus_documents *d, ramus_upload *u);

#endif
