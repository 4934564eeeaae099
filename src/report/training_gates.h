/* training_gates.h - the part of a run's report about its gates. */
#ifndef RAMUS_REPORT_TRAINING_GATES_H
#define RAMUS_REPORT_TRAINING_GATES_H

#include "base/buffer.h"
#include "report/log.h"

/* Adds which branches starve and, for each gate, the shares of its branches and its entropy;
 * nothing for a run without gates. A branch starves when its last share is below a tenth of the
 * fair one. */
void ramus_report_gates(ramus_buffer *out, const ramus_log *log);

#endif
