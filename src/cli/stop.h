/* stop.h - Ctrl-C and other requests to end, obeyed between two steps of the work, so that files
 * stay whole. */
#ifndef RAMUS_CLI_STOP_H
#define RAMUS_CLI_STOP_H

#include "base/status.h"

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are remembered; one that comes seconds later ends the
 * program. A signal that is ignored, as SIGINT in the background of a script, stays so. */
void ramus_stop_listen(void);

/* The same for one signal, also where it is ignored. */
void ramus_stop_listen_to(int number);

/* The signal that has come, or 0. */
int ramus_stop_signal(void);

/* Whether one has come; for ramus_translate_options.cancel, too. `arg` is not used. */
bool ramus_stop_asked(void *arg);

/* The failure that it makes of a step: RAMUS_STOPPED, or RAMUS_OK. */
RAMUS_CHECKED ramus_status ramus_stop_check(ramus_error *err);

/* Ends the program as the signal does without us, if one has come: a shell sees 128 + its number.
 */
void ramus_stop_obey(void);

#endif
