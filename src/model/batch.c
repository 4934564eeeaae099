/* The ids of the pairs are written one behind the other; the two axes get their lengths. The
 * decoder's input is the target one place later, and each sentence begins with 0, which no
 * embedding reads. */
#include "model/batch.h"

#include <string.h>

void ramus_batch_set(ramus_graph *g, const ramus_batch *batch, int *lengths)
{
    int *source = ramus_graph_find(g, "source_ids")->data;
    int *previous = ramus_graph_find(g, "previous_ids")->data;
    int *labels = ramus_graph_find(g, "labels")->data;
    for (int i = 0; i < batch->n; i++)
        lengths[i] = batch->pairs[i].source_length;
    ramus_axis_set(&g->source, lengths, batch->n);
    for (int i = 0; i < batch->n; i++)
        lengths[i] = batch->pairs[i].target_length;
    ramus_axis_set(&g->target, lengths, batch->n);
    for (int i = 0; i < batch->n; i++) {
        const ramus_pair *p = &batch->pairs[i];
        const size_t n = (size_t)p->target_length;
        memcpy(source, p->source, (size_t)p->source_length * sizeof *source);
        memcpy(labels, p->target, n * sizeof *labels);
        previous[0] = 0;
        memcpy(previous + 1, p->target, (n - 1) * sizeof *previous);
        source += p->source_length;
        labels += n;
        previous += n;
    }
}
