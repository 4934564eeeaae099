/* allocations.h - counts what a test program allocates; link it with --wrap for these names. */
#ifndef RAMUS_TESTS_ALLOCATIONS_H
#define RAMUS_TESTS_ALLOCATIONS_H

#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t size); // the linker's names
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

static atomic_long allocations; // and releases, by any thread

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    allocations++;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    allocations++;
    return __real_realloc(p, size);
}

void __wrap_free(void *p)
{
    allocations++;
    __real_free(p);
}

#endif
