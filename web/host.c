/* What takes the place of parts of the C library, so that ramus.wasm is small and imports only what
 * exports.c does: here is no environment, no file and no clock, texts have no locale, and nobody
 * trains. */
#include <limits.h>
#include <stdbool.h>
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

static int digit_of(const char *at)
{
    return iswdigit((unsigned char)*at) ? *at - '0' : -1;
}

/* Numbers of settings: no white space before them, no other base than ten. */
static int64_t whole_number(const char *text, char **end)
{
    const char *at = text + (*text == '-' || *text == '+');
    int64_t value = 0;
    if (digit_of(at) < 0) at = text;
    for (; digit_of(at) >= 0; at++)
        if (value <= UINT32_MAX) value = 10 * value + digit_of(at);
    if (end) *end = (char *)at;
    return *text == '-' ? -value : value;
}

long strtol(const char *restrict text, char **restrict end, int base)
{
    const int64_t value = whole_number(text, end);
    (void)base;
    return value > LONG_MAX ? LONG_MAX : value < LONG_MIN ? LONG_MIN : (long)value;
}

unsigned long strtoul(const char *restrict text, char **restrict end, int base)
{
    const int64_t value = whole_number(text, end);
    (void)base;
    return value > (int64_t)ULONG_MAX ? ULONG_MAX : (unsigned long)value;
}

/* The nearest double for up to 15 digits and powers of ten up to 22: one rounding. */
double strtod(const char *restrict text, char **restrict end)
{
    const char *at = text + (*text == '-' || *text == '+');
    double value = 0, power = 1;
    long exponent = 0;
    bool any = false;
    for (bool fraction = false; digit_of(at) >= 0 || (*at == '.' && !fraction); at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        value = 10 * value + digit_of(at);
        exponent -= fraction;
        any = true;
    }
    if (!any) at = text;
    if (any && (*at == 'e' || *at == 'E')) {
        char *after = NULL;
        const long more = strtol(at + 1, &after, 10);
        if (after > at + 1) {
            exponent += more;
            at = after;
        }
    }
    for (long i = exponent < 0 ? -exponent : exponent; i > 0 && power <= 1e300; i--)
        power *= 10;
    if (end) *end = (char *)at;
    value = exponent < 0 ? value / power : value * power;
    return *text == '-' ? -value : value;
}
