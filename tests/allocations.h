/* allocations.h - counts what a test program allocates, and lets one allocation fail; link it with
 * --wrap for these names. */
#ifndef RAMUS_TESTS_ALLOCATIONS_H
#define RAMUS_TESTS_ALLOCATIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void *__real_malloc(size_t size); // the linker's names
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);
char *__wrap_strdup(const char *text);

static atomic_long allocations; // and releases, by any thread
static atomic_long allocations_live;
static atomic_long allocations_left; // until one fails, which is when it comes to 0

/* Counts an allocation; true: it fails. */
static inline bool allocation_fails(void)
{
    allocations++;
    return atomic_load(&allocations_left) > 0 && atomic_fetch_sub(&allocations_left, 1) == 1;
}

static inline void *allocation_made(void *p)
{
    if (p) allocations_live++;
    return p;
}

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : allocation_made(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return allocation_fails() ? NULL : allocation_made(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
    if (allocation_fails()) return NULL;
    void *moved = __real_realloc(p, size);
    return p ? moved : allocation_made(moved);
}

void __wrap_free(void *p)
{
    allocations++;
    if (p) allocations_live--;
    __real_free(p);
}

char *__wrap_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

#endif
