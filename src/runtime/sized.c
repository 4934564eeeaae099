/* Reading an option struct of a program that was compiled with an older or newer header: the bytes
 * that both sides know are copied, bytes that only the program knows must be 0. */
#include "runtime/sized.h"

#include <string.h>

#define MOST 4096 // bytes of any such struct: a size above that was never set

ramus_status ramus_sized_read(void *to, const void *from, const ramus_sized *is, ramus_error *err)
{
    const unsigned char *bytes = from;
    size_t size = 0;
    memcpy(&size, from, sizeof size);
    if (size < is->first || size > MOST)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%s has the size %zu, expected %zu: let it start as %s", is->name, size,
                          is->size, is->defaults);
    for (size_t i = is->size; i < size; i++)
        if (bytes[i])
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "%s sets a field at byte %zu, this library (ramus %s) knows %zu "
                              "bytes: leave it 0 or use a newer library",
                              is->name, i, ramus_version(), is->size);
    memcpy(to, from, size < is->size ? size : is->size);
    return RAMUS_OK;
}
