/* What the C library would ask a system for, under the names by which it imports them. Here is no
 * environment, no file and no clock: ramus.wasm imports only what exports.c does. */
#include <stdint.h>
#include <stdlib.h>

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

#define WASI_CALL(name, ...)                                                                       \
    int32_t __imported_wasi_snapshot_preview1_##name(__VA_ARGS__);                                 \
    int32_t __imported_wasi_snapshot_preview1_##name(__VA_ARGS__)
#define NOT_SUPPORTED 58

WASI_CALL(clock_time_get, int32_t clock, int64_t precision, int32_t out)
{
    (void)clock, (void)precision, (void)out;
    return NOT_SUPPORTED;
}

WASI_CALL(fd_close, int32_t fd)
{
    (void)fd;
    return NOT_SUPPORTED;
}

WASI_CALL(fd_seek, int32_t fd, int64_t to, int32_t from, int32_t out)
{
    (void)fd, (void)to, (void)from, (void)out;
    return NOT_SUPPORTED;
}

WASI_CALL(fd_write, int32_t fd, int32_t parts, int32_t n, int32_t out)
{
    (void)fd, (void)parts, (void)n, (void)out;
    return NOT_SUPPORTED;
}
