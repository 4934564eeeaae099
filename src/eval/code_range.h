/* code_range.h - sorted ranges of code points and how to look into them.
 *
 * The tables themselves are written by tools/make_unicode_tables.py. */
#ifndef RAMUS_EVAL_CODE_RANGE_H
#define RAMUS_EVAL_CODE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ramus_code_range {
    uint32_t first, last;
} ramus_code_range;

/* Every `step`-th code point from first to last; its lower case is `difference` away. */
typedef struct ramus_lower_range {
    uint32_t first, last, step;
    int32_t difference;
} ramus_lower_range;

/* Is `code` in one of the `n` ranges? */
static inline bool ramus_code_range_has(const ramus_code_range *ranges, int n, uint32_t code)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (ranges[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && ranges[low].first <= code;
}

#endif
