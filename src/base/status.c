/* Messages are printed into the fixed array of the error, cut where they are too long, so that
 * reporting a failure cannot fail. */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ramus_version(void)
{
    return RAMUS_VERSION;
}

ramus_status ramus_fail(ramus_error *err, ramus_status status, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->status = status;
        (void)vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
    }
    return status;
}

ramus_status ramus_fail_in(ramus_error *err, ramus_status status, const char *context)
{
    if (!err) return status;
    char inner[sizeof err->message];
    memcpy(inner, err->message, sizeof inner);
    (void)snprintf(err->message, sizeof err->message, "%.200s: %.300s", context, inner);
    return status;
}

ramus_status ramus_fail_memory(ramus_error *err, const char *what)
{
    return ramus_fail(err, RAMUS_NO_MEMORY, "not enough memory for %s", what);
}

ramus_status ramus_fail_errno(ramus_error *err, const char *path, const char *verb)
{
    return ramus_fail(err, RAMUS_IO, "%s: cannot %s: %s", path, verb, strerror(errno));
}

ramus_status ramus_check_given(const void *p, const char *what, ramus_error *err)
{
    return p ? RAMUS_OK : ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s is NULL", what);
}

void ramus_assert_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "ramus: bug at %s:%d: %s does not hold\n", file, line, condition);
    abort();
}
