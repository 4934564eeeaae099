/* Two kinds of tables per case, both sorted: ranges of code points whose capital is a fixed
 * distance away, and single code points that become two or three. A binary search in each. */
#include "text/case.h"

#include "base/status.h"

#include <stdbool.h>

/* Every `step`-th code point from first to last; its capital is `difference` away. */
typedef struct case_range {
    uint32_t first, last, step;
    int32_t difference;
} case_range;

/* A code point that becomes two or three, zeros behind them. */
typedef struct case_long {
    uint32_t code;
    uint32_t to[RAMUS_CASE_MOST];
} case_long;

#include "text/case_table.inc"

/* One way of making capitals: sorted tables. */
typedef struct case_kind {
    const case_range *ranges;
    int n_ranges;
    const case_long *longs;
    int n_longs;
} case_kind;

static const case_kind upper = {upper_ranges, RAMUS_COUNT(upper_ranges), upper_longs,
                                RAMUS_COUNT(upper_longs)};
static const case_kind title = {title_ranges, RAMUS_COUNT(title_ranges), title_longs,
                                RAMUS_COUNT(title_longs)};

static bool find_range(uint32_t *out, const case_kind *k, uint32_t code)
{
    int low = 0, high = k->n_ranges;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (k->ranges[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == k->n_ranges) return false;
    const case_range *r = &k->ranges[low];
    if (code < r->first || (code - r->first) % r->step) return false;
    *out = (uint32_t)((int32_t)code + r->difference);
    return true;
}

static int find_long(uint32_t out[RAMUS_CASE_MOST], const case_kind *k, uint32_t code)
{
    int low = 0, high = k->n_longs;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (k->longs[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == k->n_longs || k->longs[low].code != code) return 0;
    int n = 0;
    for (; n < RAMUS_CASE_MOST && k->longs[low].to[n]; n++)
        out[n] = k->longs[low].to[n];
    return n;
}

/* How many code points `code` becomes; 0 when the tables do not have it. */
static int find(uint32_t out[RAMUS_CASE_MOST], const case_kind *k, uint32_t code)
{
    return find_range(out, k, code) ? 1 : find_long(out, k, code);
}

int ramus_case_upper(uint32_t out[RAMUS_CASE_MOST], uint32_t code)
{
    const int n = find(out, &upper, code);
    if (n) return n;
    out[0] = code;
    return 1;
}

int ramus_case_title(uint32_t out[RAMUS_CASE_MOST], uint32_t code)
{
    const int n = find(out, &title, code);
    return n ? n : ramus_case_upper(out, code);
}

/* The tables are sorted by small letters, so all ranges are looked at. Rare small letters and title
 * cases are ranges of one: the usual small letter is in the longest range, the last of them. */
uint32_t ramus_case_lower(uint32_t code)
{
    const case_range *best = NULL;
    for (int i = 0; i < upper.n_ranges; i++) {
        const case_range *r = &upper.ranges[i];
        const uint32_t small = (uint32_t)((int32_t)code - r->difference);
        if (small < r->first || small > r->last || (small - r->first) % r->step) continue;
        if (!best || r->last - r->first >= best->last - best->first) best = r;
    }
    return best ? (uint32_t)((int32_t)code - best->difference) : code;
}
