/* status.h - failure: a status in the return value, a message in the error.
 *
 * A function takes `ramus_error *err` exactly when the outside world can make it fail. A broken
 * promise between two of our own functions is a bug: RAMUS_ASSERT. */
#ifndef RAMUS_BASE_STATUS_H
#define RAMUS_BASE_STATUS_H

#include <ramus/ramus.h>

#if defined(__GNUC__)
#define RAMUS_CHECKED            __attribute__((warn_unused_result))
#define RAMUS_PRINTF(text, args) __attribute__((format(printf, text, args)))
#define RAMUS_NORETURN           __attribute__((noreturn))
#else
#define RAMUS_CHECKED
#define RAMUS_PRINTF(text, args)
#define RAMUS_NORETURN
#endif

#define RAMUS_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* Fills `err` (may be NULL) and returns `status`, so that a failure is one statement. */
ramus_status ramus_fail(ramus_error *err, ramus_status status, const char *format, ...)
    RAMUS_PRINTF(3, 4);

/* Puts "context: " before the message in `err` (may be NULL), for a caller that knows the file, and
 * returns `status`. */
ramus_status ramus_fail_in(ramus_error *err, ramus_status status, const char *context);

/* The message for running out of memory while making `what`. */
ramus_status ramus_fail_memory(ramus_error *err, const char *what);

/* "path: cannot VERB: what errno says": the failure of a system call. */
ramus_status ramus_fail_errno(ramus_error *err, const char *path, const char *verb);

/* RAMUS_BAD_ARGUMENT where a caller of the library gave NULL for `what`. */
RAMUS_CHECKED ramus_status ramus_check_given(const void *p, const char *what, ramus_error *err);

/* On in every build: a bug stops the program at the place where it shows. WebAssembly has nobody to
 * tell of it, and every byte of such texts is downloaded. */
#ifdef RAMUS_SILENT
#define RAMUS_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define RAMUS_ASSERT(condition)                                                                    \
    ((condition) ? (void)0 : ramus_assert_failed(#condition, __FILE__, __LINE__))
#endif
RAMUS_NORETURN void ramus_assert_failed(const char *condition, const char *file, int line);

#endif
