/* ffn.h - the feed-forward sublayer: a hidden layer of `filter` channels with an activation. */
#ifndef RAMUS_MODEL_FFN_H
#define RAMUS_MODEL_FFN_H

#include "model/builder.h"

extern const char *const ramus_activation_names[]; // ends with NULL

/* The sublayer at the site, applied to the rows of x. */
ramus_tensor *ramus_feed_forward(ramus_builder *b, ramus_tensor *x);

#endif
