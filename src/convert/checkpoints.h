/* checkpoints.h - the checkpoints in the folder of a run: checkpoint-00001000.safetensors is the
 * one after update 1000, best.safetensors the best one under a second name. */
#ifndef RAMUS_CONVERT_CHECKPOINTS_H
#define RAMUS_CONVERT_CHECKPOINTS_H

#include "base/buffer.h"
#include "base/status.h"

/* Sets *path to the file of an update; the caller frees the buffer. */
RAMUS_CHECKED ramus_status ramus_checkpoints_path(ramus_buffer *path, const char *folder,
                                                  int update, ramus_error *err);

/* The updates of all checkpoints in rising order; *updates is freed by the caller. */
RAMUS_CHECKED ramus_status ramus_checkpoints_list(int **updates, int *n, const char *folder,
                                                  ramus_error *err);

#define RAMUS_BEST_CHECKPOINT "best.safetensors"

/* Sets *path to the model that `name` stands for, freed by the caller: of a run's folder the best
 * checkpoint, or the newest where there is no best one; else the name itself. */
RAMUS_CHECKED ramus_status ramus_checkpoints_find(ramus_buffer *path, const char *name,
                                                  ramus_error *err);

#endif
