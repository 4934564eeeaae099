/* What belongs to a branch is found by name: its shared part and its learned ranges. Folding adds
 * the shared part and clips to the range; unfolding takes the mean of the branches for what they
 * share. */
#include "model/fold.h"

#include "graph/ops/train/clip.h"

#include <stdio.h>
#include <string.h>

const ramus_weight *ramus_weights_shared(const ramus_weights *w, const char *name)
{
    char shared[RAMUS_MAX_NAME + sizeof ".shared"]; // "x.q.shared.weight" for "x.q.weight"
    const char *dot = strrchr(name, '.');
    if (!dot) return NULL;
    (void)snprintf(shared, sizeof shared, "%.*s.shared%s", (int)(dot - name), name, dot);
    return ramus_weights_find(w, shared);
}

static void add_shared(const ramus_weight *to, const ramus_weights *trained)
{
    const ramus_weight *shared = ramus_weights_shared(trained, to->name);
    for (size_t j = 0; shared && j < to->count; j++)
        to->data[j] += shared->data[j % shared->count];
}

/* "x.q.weight" has its learned ranges, one per branch, in "x.q.weight_range". */
static void clip_to_range(const ramus_weight *to, const ramus_weights *trained)
{
    char name[RAMUS_MAX_NAME + sizeof "_range"];
    (void)snprintf(name, sizeof name, "%s_range", to->name);
    const ramus_weight *range = ramus_weights_find(trained, name);
    for (size_t j = 0; range && j < to->count; j++) {
        const ramus_real limit = ramus_clip_limit(range->data[j / (to->count / range->count)]);
        const ramus_real value = to->data[j] < -limit ? -limit : to->data[j];
        to->data[j] = value > limit ? limit : value;
    }
}

void ramus_weights_fold(ramus_weights *folded, const ramus_weights *trained)
{
    for (int i = 0; i < folded->n; i++) {
        const ramus_weight *to = &folded->items[i], *own = ramus_weights_find(trained, to->name);
        RAMUS_ASSERT(own && own->count == to->count);
        memcpy(to->data, own->data, own->count * sizeof *own->data);
        add_shared(to, trained);
        clip_to_range(to, trained);
    }
}

/* What the n branches at `branches` have in common, their mean, moves to `shared`. */
static void move_to_shared(const ramus_weight *shared, const ramus_weight *branches)
{
    const size_t count = shared->count, n = branches->count / count;
    for (size_t j = 0; j < count; j++) {
        double sum = 0;
        for (size_t b = 0; b < n; b++)
            sum += (double)branches->data[b * count + j];
        shared->data[j] = (ramus_real)(sum / (double)n);
        for (size_t b = 0; b < n; b++)
            branches->data[b * count + j] -= shared->data[j];
    }
}

void ramus_weights_unfold(ramus_weights *trained, const ramus_weights *folded)
{
    for (int i = 0; i < folded->n; i++) {
        const ramus_weight *from = &folded->items[i],
                           *own = ramus_weights_find(trained, from->name);
        RAMUS_ASSERT(own && own->count == from->count);
        memcpy(own->data, from->data, from->count * sizeof *from->data);
        const ramus_weight *shared = ramus_weights_shared(trained, from->name);
        if (shared) move_to_shared(shared, own);
    }
}
