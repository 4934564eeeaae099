/* columns.h - which columns an op copies; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_COLUMNS_H
#define RAMUS_GRAPH_OPS_COLUMNS_H

#include "graph/ops.h"

/* Of ramus_op_columns: in: x. The columns from `first` on. */
typedef struct ramus_columns_attr {
    int first;
} ramus_columns_attr;

/* How many columns of x there are to copy; those behind them are zeros. */
int ramus_columns_count(const ramus_node *n);

/* Of ramus_op_beside: in: a, b. No attr. */

#endif
