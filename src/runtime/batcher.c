/* One order and one greedy cut for all who run batches. Ties are broken by number, so that the
 * order is that of a stable sort. */
#include "runtime/batcher.h"

#include <stdlib.h>

static int shortest_first(const void *a, const void *b)
{
    const ramus_batch_item *x = a, *y = b;
    if (x->target_length != y->target_length) return x->target_length < y->target_length ? -1 : 1;
    if (x->source_length != y->source_length) return x->source_length < y->source_length ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int longest_first(const void *a, const void *b)
{
    const ramus_batch_item *x = a, *y = b;
    if (x->target_length != y->target_length) return x->target_length > y->target_length ? -1 : 1;
    if (x->source_length != y->source_length) return x->source_length > y->source_length ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void ramus_batch_sort_shortest(ramus_batch_item *items, int n)
{
    qsort(items, (size_t)n, sizeof *items, shortest_first);
}

void ramus_batch_sort_longest(ramus_batch_item *items, int n)
{
    qsort(items, (size_t)n, sizeof *items, longest_first);
}

int ramus_batch_fill(const ramus_batch_item *items, int n, const ramus_batch_limits *limits)
{
    int source = items[0].source_length, target = items[0].target_length, size = 1;
    for (; size < n; size++) {
        source += items[size].source_length;
        target += items[size].target_length;
        if (limits->items && size == limits->items) break;
        if (limits->tokens && (source > limits->tokens || target > limits->tokens)) break;
        if (limits->fits && !limits->fits(limits->arg, items, size + 1)) break;
    }
    return size;
}
