/* load.h - a model to translate with, from a deployed file, from a checkpoint, or from the best
 * checkpoint of a run's folder. */
#ifndef RAMUS_CONVERT_LOAD_H
#define RAMUS_CONVERT_LOAD_H

#include "runtime/model.h"

/* The caller ends *out with ramus_model_close(). A model without vocabularies is an error. */
RAMUS_CHECKED ramus_status ramus_model_load(ramus_model **out, const char *name, ramus_error *err);

#endif
