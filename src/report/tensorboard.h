/* tensorboard.h - the curves of a run as an event file, which TensorBoard reads.
 *
 * Such a file is a row of records: length, its checksum, a protocol buffer of type Event, its
 * checksum. Here an event holds one scalar. A curve has at most RAMUS_CURVE_POINTS of them. */
#ifndef RAMUS_REPORT_TENSORBOARD_H
#define RAMUS_REPORT_TENSORBOARD_H

#include "base/buffer.h"
#include "report/runs.h"

/* Replaces `folder`/NAME/events.out.tfevents.STARTED.ramus as a whole; the folders are made. NAME
 * is that of the run, in which a slash becomes a low line. */
RAMUS_CHECKED ramus_status ramus_tensorboard_save(const ramus_report_run *run, const char *folder,
                                                  ramus_error *err);

/* The bytes of that file. */
void ramus_tensorboard_write(ramus_buffer *out, const ramus_report_run *run);

#endif
