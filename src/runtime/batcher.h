/* batcher.h - which sentences go together: sorted by length, cut into batches of as many as fit.
 *
 * Sentences of a batch then take equally long. An item has the caller's number of its sentence, by
 * which results find their place again; equally long ones stay in the order of their numbers. */
#ifndef RAMUS_RUNTIME_BATCHER_H
#define RAMUS_RUNTIME_BATCHER_H

#include <stdbool.h>

typedef struct ramus_batch_item {
    int source_length, target_length; // EOS included; target 0 where there is none
    int number;
} ramus_batch_item;

/* By target length, then by source length. */
void ramus_batch_sort_shortest(ramus_batch_item *items, int n);
void ramus_batch_sort_longest(ramus_batch_item *items, int n);

/* What a batch holds at most; 0 or NULL: anything. */
typedef struct ramus_batch_limits {
    int items;
    int tokens; // of either side
    bool (*fits)(void *arg, const ramus_batch_item *items, int n);
    void *arg;
} ramus_batch_limits;

/* How many of the n > 0 items make the next batch: the first always does. */
int ramus_batch_fill(const ramus_batch_item *items, int n, const ramus_batch_limits *limits);

#endif
