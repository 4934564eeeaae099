/* queue.h - what waits to be translated, counted in sentences and bounded.
 *
 * Any thread. Items of short works come first, in order of arrival; those of long works follow. A
 * worker takes the first item and others that can be translated together with it. */
#ifndef RAMUS_SERVE_QUEUE_H
#define RAMUS_SERVE_QUEUE_H

#include "serve/work.h"

typedef struct ramus_queue ramus_queue;

/* Borrows models and glossaries, whose references works hold. */
RAMUS_CHECKED ramus_status ramus_queue_create(ramus_queue **out, int most_sentences,
                                              ramus_models *models, ramus_glossaries *glossaries,
                                              ramus_error *err);
void ramus_queue_destroy(ramus_queue *q); // nothing waits and nobody takes; NULL is fine

/* Puts all items of a work in the queue that have steps and nothing found yet; the others count as
 * done. Calls work->done from here if nothing is left. RAMUS_FAILED: the queue is full, and nothing
 * was put in. The waiter is told in any other case. */
RAMUS_CHECKED ramus_status ramus_queue_add(ramus_queue *q, ramus_work *w, void *waiter,
                                           ramus_error *err);

/* What a worker may take. */
typedef struct ramus_wish {
    int items, sentences; // at most; one item always fits
    bool bulk;            // long works, too
    double wait;          // seconds; 0: only what is there
} ramus_wish;

/* Takes up to `items` items that share a call, and returns how many. 0: nothing came in time, or
 * the queue is closed. Cancelled ones are never among them. */
int ramus_queue_take(ramus_queue *q, const ramus_wish *wish, ramus_item **out);

/* The item was taken and is done, or has another step before it. */
void ramus_queue_finish(ramus_queue *q, ramus_item *item);
void ramus_queue_again(ramus_queue *q, ramus_item *item);

/* Nobody waits for the work any more: what waits of it leaves the queue. Returns the waiter, or
 * NULL when it has been told already. */
void *ramus_queue_cancel(ramus_queue *q, ramus_work *w);
void ramus_queue_release(ramus_queue *q, ramus_work *w); // NULL is fine

/* Whether all items are done, or were cancelled. */
bool ramus_queue_done(ramus_queue *q, const ramus_work *w);

/* Calls work->sentence while somebody waits. */
void ramus_queue_tell(ramus_queue *q, ramus_work *w, int item, const ramus_sentence_pair *pair);

/* Everybody who takes gets 0 from now on. */
void ramus_queue_close(ramus_queue *q);
bool ramus_queue_closed(ramus_queue *q);

int ramus_queue_waiting(ramus_queue *q); // sentences
int ramus_queue_works(ramus_queue *q);   // works that somebody waits for

#endif
