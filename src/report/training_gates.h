/* training_gates.h - the part of a run's report about its gates. */
#ifndef RAMUS_REPORT_TRAINING_GATES_H
#define RAMUS_REPORT_TRAINING_GATES_H

#include "base/buffer.h"
#include "report/log.h"

/* Whether the last share of a branch is below a tenth of the fair one. */
bool ramus_gate_is_starving(const ramus_log_gate *g, int branch);

/* Adds which branches starve and, for each gate, the shares of its branches and its entropy;
 * nothing for a run without gates. */
void ramus_report_gates(ramus_buffer *out, const ramus_log *log);

#endif
