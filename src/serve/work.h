/* work.h - the texts of one request on their way through the queue.
 *
 * A work has items, one for each text. An item is translated as a whole, by one worker, together
 * with items of other requests that want the same. Whoever holds a reference may read what was
 * found once the work is done. */
#ifndef RAMUS_SERVE_WORK_H
#define RAMUS_SERVE_WORK_H

#include "serve/fields.h"
#include "serve/found.h"
#include "serve/glossaries.h"
#include "serve/models.h"

#include <stdatomic.h>

/* How to translate. Items share a call where all of it is equal. */
typedef struct ramus_how {
    int beam, n_best;
    bool details, unprotected, whole_lines;
    bool scores;        // false: greedy leaves them out
    const char *format; // a row of ramus_format_name(); NULL: each text becomes one line
    const char *prefix; // NULL: none
    const ramus_glossary *glossary;
} ramus_how;

typedef struct ramus_work ramus_work;

typedef struct ramus_item {
    ramus_work *work;
    struct ramus_item *next; // in the queue
    ramus_text source;       // borrowed from the fields of the work
    char from[RAMUS_LANGUAGE_ROOM];
    double certainty; // of `from`, where the text told it
    bool copied;      // there is nothing to translate
    ramus_model_file *steps[2];
    int n_steps, step;
    ramus_buffer between; // after the first of two steps
    int sentences;        // that the queue counts
    ramus_found found;
    ramus_status status;
    char *failure; // a sentence where status is not RAMUS_OK; NULL: memory was out
} ramus_item;

struct ramus_work {
    ramus_how how;
    ramus_item *items;
    int n;
    char to[RAMUS_LANGUAGE_ROOM];
    bool detected; // nobody said what language the texts are in
    bool bulk;     // long: what is short goes first
    bool office;   // the text is an archive of `how.format`
    int characters;
    ramus_fields fields;      // own the texts
    ramus_glossary *glossary; // of `how`, held
    double submitted;         // ramus_clock_now()

    /* Told, by one thread at a time, of each sentence in order. NULL: nobody asks. */
    void (*sentence)(void *waiter, int item, const ramus_sentence_pair *pair);
    void (*done)(void *waiter); // once, when all items are done
    atomic_int progress;        // sentences done, of the item that runs

    /* Guarded by the lock of the queue: */
    void *waiter; // NULL: nobody waits any more
    int left;     // items that are not done
    int references;
    atomic_bool cancelled; // read without the lock, too
};

RAMUS_CHECKED ramus_status ramus_work_create(ramus_work **out, int n, ramus_error *err);

/* Notes why an item failed. */
void ramus_item_fail(ramus_item *item, ramus_status status, const ramus_error *err);

/* Whether two works want the same of the same kind of session. */
bool ramus_how_equal(const ramus_how *a, const ramus_how *b);

/* Code points of a text in UTF-8. */
int ramus_characters(ramus_text text);

#endif
