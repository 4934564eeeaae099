/* embed.h - which row of the table a token reads; shared by forward and backward. */
#ifndef RAMUS_GRAPH_OPS_EMBED_H
#define RAMUS_GRAPH_OPS_EMBED_H

#include "graph/ops.h"
#include "graph/run.h"

/* in: ids, table, bias or NULL, signal   out: y   attr: ramus_embed_spec */

/* The table's row for row r of the output, or -1 for the zero vector. */
int ramus_embed_row(const ramus_node *n, int r);

#endif
