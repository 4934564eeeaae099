/* sized.h - option structs of the public interface, which may gain fields.
 *
 * A struct begins with its size as the program's compiler saw it, so that the library knows which
 * fields are there. A new field goes to the end, behind the size that the struct had before, since
 * the padding of an old program's struct holds anything; 0 in it means what was done before. */
#ifndef RAMUS_RUNTIME_SIZED_H
#define RAMUS_RUNTIME_SIZED_H

#include "base/status.h"

#include <stddef.h>

/* A struct as this library knows it. */
typedef struct ramus_sized {
    const char *name;     // of the struct
    const char *defaults; // of the macro that it starts with
    size_t size;          // now
    size_t first;         // of the fields that it had in its first version
} ramus_sized;

/* Copies the program's struct over *to, which holds the defaults: fields that an older program does
 * not have keep theirs. A newer program may have more, if they are 0. */
RAMUS_CHECKED ramus_status ramus_sized_read(void *to, const void *from, const ramus_sized *is,
                                            ramus_error *err);

#endif
