/* The kernels of training in lanes/ on plain lanes. */
#include "kernels/plain_row.h"

#include "kernels/lanes/plain.h"

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    EACH(lanes, 16, fmaf(a.x[i], b.x[i], c.x[i]));
}

#define group_load(p)     lanes_load(p)
#define group_store(p, x) lanes_store(p, x)
#define GROUP             16
#define HEIGHT            4
#define VECTORS           2
#include "kernels/lanes/train.inc"

const ramus_train_kernels plain_train_row = {.isa = "plain", TRAIN_KERNELS};
