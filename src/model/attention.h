/* attention.h - the sublayers that look at other rows: gates, maps and a kind of attention. */
#ifndef RAMUS_MODEL_ATTENTION_H
#define RAMUS_MODEL_ATTENTION_H

#include "graph/ops.h"
#include "model/builder.h"

extern const char *const ramus_attention_names[]; // ends with NULL

/* The sublayer at the site, applied to the rows of x. */
ramus_tensor *ramus_attend_self(ramus_builder *b, ramus_tensor *x); // all rows of the sentence
ramus_tensor *ramus_attend_past(ramus_builder *b, ramus_tensor *x); // this position and before
/* Encoder-decoder attention. look: keep where each row looks in b->look. */
ramus_tensor *ramus_attend_memory(ramus_builder *b, ramus_tensor *x, ramus_tensor *memory,
                                  bool look);

/* Refuses what the kind of attention cannot be at the site, with a sentence. */
RAMUS_CHECKED ramus_status ramus_attention_check(const ramus_arch *a, const ramus_site *site,
                                                 ramus_error *err);

/* For kinds: the maps q, k, v, softmax attention and the map o. */
typedef struct ramus_heads {
    ramus_tensor *query, *keys; // rows that look, rows that are looked at
    const ramus_route *route, *keys_route;
    int width; // of the result
    bool causal, look;
} ramus_heads;
ramus_tensor *ramus_multi_head(ramus_builder *b, const ramus_heads *h);

#endif
