/* join.h - a command whose process may be one of several that mpirun started for one job. */
#ifndef RAMUS_CLI_JOIN_H
#define RAMUS_CLI_JOIN_H

#include "cli/command.h"
#include "ranks/comm.h"

/* Joins the other ranks, once this one has read and checked its options; `st` and `err` are the
 * result. Returns true on all ranks, or false on all: the usage was wrong on one of them, a message
 * was printed, and *code is the exit code. The caller ends *comm with ramus_comm_close() in both
 * cases; it is NULL where this process was started alone. */
bool ramus_command_join(ramus_comm **comm, const ramus_command *command, ramus_status st,
                        ramus_error *err, int *code);

#endif
