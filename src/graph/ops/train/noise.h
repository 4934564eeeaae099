/* noise.h - the width of a gate's noise; shared by the noisy route, its backward rule and load
 * loss.
 */
#ifndef RAMUS_GRAPH_OPS_TRAIN_NOISE_H
#define RAMUS_GRAPH_OPS_TRAIN_NOISE_H

#include <math.h>

/* log(1 + e^x) */
static inline double ramus_softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

#endif
