/* shapes.h - what a fuzzer may build: memory for a large model that a file does not have is no
 * finding. */
#ifndef RAMUS_TESTS_FUZZ_SHAPES_H
#define RAMUS_TESTS_FUZZ_SHAPES_H

#include "model/arch.h"

static inline bool all_within(const ramus_numbers *list, int most)
{
    for (int i = 0; i < list->n; i++)
        if (list->items[i] > most) return false;
    return true;
}

/* No matrix of a layer is wider, no filter larger. */
static inline bool shape_within(const ramus_arch *a, int width, int filter)
{
    return a->width <= width && a->decoder_width <= width && a->attention_width <= width &&
           a->position_width <= width && all_within(&a->filter, filter) &&
           all_within(&a->decoder_filter, filter) && all_within(&a->taps, filter) &&
           all_within(&a->decoder_taps, filter);
}

#endif
