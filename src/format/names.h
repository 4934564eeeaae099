/* names.h - an index by name over an array of records, for files with very many of them.
 *
 * A record is any struct whose first member is its name, a `const char *`. The index borrows the
 * array: it is valid while the records stay where they are. */
#ifndef RAMUS_FORMAT_NAMES_H
#define RAMUS_FORMAT_NAMES_H

#include "base/status.h"

#include <stddef.h>

/* Starts as {0}, an index of nothing. */
typedef struct ramus_names {
    const char *const **sorted; // each points at a record's name, and so at the record
    size_t n;
} ramus_names;

/* Indexes `n` records of `size` bytes each. The caller ends `x` with ramus_names_free(). */
RAMUS_CHECKED ramus_status ramus_names_init(ramus_names *x, const void *records, size_t n,
                                            size_t size, ramus_error *err);
void ramus_names_free(ramus_names *x); // back to {0}

/* The record called `name`, or NULL. */
const void *ramus_names_find(const ramus_names *x, const char *name);

/* A name that several records have, or NULL when all differ. */
const char *ramus_names_repeated(const ramus_names *x);

#endif
