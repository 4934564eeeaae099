/* attention.h - the sublayers that look at other rows: gates, maps and a kind of attention. */
#ifndef RAMUS_MODEL_ATTENTION_H
#define RAMUS_MODEL_ATTENTION_H

#include "model/builder.h"

extern const char *const ramus_attention_names[]; // ends with NULL

/* The sublayer at the site, applied to the rows of x. */
ramus_tensor *ramus_attend_self(ramus_builder *b, ramus_tensor *x); // all rows of the sentence
ramus_tensor *ramus_attend_past(ramus_builder *b, ramus_tensor *x); // this position and before
/* Encoder-decoder attention. look: keep where each row looks in b->look. */
ramus_tensor *ramus_attend_memory(ramus_builder *b, ramus_tensor *x, ramus_tensor *memory,
                                  bool look);

#endif
