/* sandbox.h - gives up what a server does not need once it has its models and its socket.
 *
 * Linux on x86-64 and 64-bit ARM: a seccomp filter, which the kernel applies to each system call
 * and which cannot be taken off again. */
#ifndef RAMUS_SERVE_SANDBOX_H
#define RAMUS_SERVE_SANDBOX_H

#include "base/status.h"

/* From now on all threads of the process, also those to come, can use what is open and accept
 * connections. Every other system call fails with EPERM: opening a file, connecting, starting or
 * stopping a program, memory that can be executed. Fails where the kernel or the CPU has no such
 * filter; nothing has changed then. */
RAMUS_CHECKED ramus_status ramus_sandbox_enter(ramus_error *err);

#endif
