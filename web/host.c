/* What takes the place of parts of the C library, so that ramus.wasm is small and imports only what
 * exports.c does: here is no environment, no file and no clock, texts have no locale, and nobody
 * trains. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

char *strerror(int error)
{
    (void)error;
    return (char *)"there are no files";
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

/* What only ops of training call, which a model that translates has none of. */
#define NEVER(name)                                                                                \
    double name(double x);                                                                         \
    double name(double x)                                                                          \
    {                                                                                              \
        (void)x;                                                                                   \
        __builtin_trap();                                                                          \
    }

NEVER(cos)
NEVER(erfc)
NEVER(exp)
NEVER(log)
NEVER(log1p)

/* Classes of characters in regular expressions: those of the locale "C", in which the program runs.
 */
#define CLASS(name, condition)                                                                     \
    int name(wint_t c)                                                                             \
    {                                                                                              \
        return (condition);                                                                        \
    }

#undef iswdigit

CLASS(iswlower, c >= 'a' && c <= 'z')
CLASS(iswupper, c >= 'A' && c <= 'Z')
CLASS(iswdigit, c >= '0' && c <= '9')
CLASS(iswalpha, iswlower(c) || iswupper(c))
CLASS(iswalnum, iswalpha(c) || iswdigit(c))
CLASS(iswblank, c == ' ' || c == '\t')
CLASS(iswcntrl, c < ' ' || c == 127)
CLASS(iswgraph, c > ' ' && c < 127)
CLASS(iswprint, c >= ' ' && c < 127)
CLASS(iswpunct, iswgraph(c) && !iswalnum(c))
CLASS(iswspace, c == ' ' || (c >= '\t' && c <= '\r'))
CLASS(iswxdigit, iswdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))

wint_t towlower(wint_t c)
{
    return iswupper(c) ? c + 'a' - 'A' : c;
}

wint_t towupper(wint_t c)
{
    return iswlower(c) ? c - ('a' - 'A') : c;
}
