/* scale.h - the scale of a chart: its range, round values to mark, and how to write them. */
#ifndef RAMUS_TRAIN_SCALE_H
#define RAMUS_TRAIN_SCALE_H

#include "base/buffer.h"

#include <stdbool.h>

#define RAMUS_SCALE_TICKS 12

typedef enum ramus_scale_kind {
    RAMUS_SCALE_EXACT,     // linear, from the least to the greatest value
    RAMUS_SCALE_ROUND,     // linear, both ends at round values
    RAMUS_SCALE_FROM_ZERO, // like ROUND with zero in it
    RAMUS_SCALE_WIDE       // like ROUND; logarithmic when values differ by orders of magnitude
} ramus_scale_kind;

typedef struct ramus_scale {
    double low, high; // low < high
    bool logarithmic;
    int n_ticks;
    double ticks[RAMUS_SCALE_TICKS];
    double unit; // labels are divided by it: 1; 1e3 ("k"), 1e6 ("M"); a power told beside
    int digits;  // behind the point
} ramus_scale;

/* A scale for values in low .. high, both finite. */
void ramus_scale_fit(ramus_scale *s, ramus_scale_kind kind, double low, double high);

/* Where `value` lies: 0 at s->low, 1 at s->high, beyond them at the nearer one. */
double ramus_scale_place(const ramus_scale *s, double value);

void ramus_scale_label(ramus_buffer *out, const ramus_scale *s, double tick);

/* Whether the labels are to be multiplied by a power of ten; adds that: "x 10^-4". */
bool ramus_scale_has_power(const ramus_scale *s);
void ramus_scale_power(ramus_buffer *out, const ramus_scale *s);

#endif
