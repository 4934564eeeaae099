/* One zeroed block, given out by a rising offset. `touched` marks how far bytes were ever in use,
 * so that only those are zeroed again after a reset. */
#define _DEFAULT_SOURCE // madvise

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define HUGE_PAGE   ((uintptr_t)2 << 20)
#define HUGE_ARENAS ((size_t)64 << 20) // from this size on: arenas of training

struct ramus_arena {
    char *bytes; // aligned start
    void *block; // what calloc gave
    size_t size, used;
    size_t touched; // from here on no byte was ever given out: all zeros, and not yet in memory
};

size_t ramus_arena_round(size_t size)
{
    return (size + RAMUS_ALIGNMENT - 1) / RAMUS_ALIGNMENT * RAMUS_ALIGNMENT;
}

/* Large pages make an update of training faster (docs/lab/updates.md). Smaller arenas would only
 * take more memory. */
static void ask_for_huge_pages(const ramus_arena *a)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t start = (uintptr_t)a->bytes;
    const uintptr_t skipped = (HUGE_PAGE - start % HUGE_PAGE) % HUGE_PAGE;
    if (a->size >= HUGE_ARENAS)
        (void)madvise(a->bytes + skipped, (a->size - skipped) / HUGE_PAGE * HUGE_PAGE,
                      MADV_HUGEPAGE);
#else
    (void)a;
#endif
}

ramus_status ramus_arena_create(ramus_arena **out, size_t size, ramus_error *err)
{
    ramus_arena *a = calloc(1, sizeof *a);
    if (!a) return ramus_fail_memory(err, "an arena");
    a->size = ramus_arena_round(size);
    if (a->size >= size) a->block = calloc(1, a->size + RAMUS_ALIGNMENT);
    if (!a->block) {
        free(a);
        return ramus_fail(err, RAMUS_NO_MEMORY, "not enough memory: %zu MiB are needed",
                          size >> 20);
    }
    const uintptr_t start = (uintptr_t)a->block;
    a->bytes = (char *)a->block + (RAMUS_ALIGNMENT - start % RAMUS_ALIGNMENT) % RAMUS_ALIGNMENT;
    ask_for_huge_pages(a);
    *out = a;
    return RAMUS_OK;
}

void ramus_arena_destroy(ramus_arena *a)
{
    if (!a) return;
    free(a->block);
    free(a);
}

void *ramus_arena_alloc(ramus_arena *a, size_t size)
{
    const size_t taken = ramus_arena_round(size);
    RAMUS_ASSERT(taken >= size && taken <= a->size - a->used);
    char *p = a->bytes + a->used;
    const size_t before = a->touched - a->used; // bytes that someone had before
    if (before > 0) memset(p, 0, before < taken ? before : taken);
    a->used += taken;
    if (a->used > a->touched) a->touched = a->used;
    return p;
}

char *ramus_arena_string(ramus_arena *a, const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(ramus_arena_alloc(a, size), text, size);
}

size_t ramus_arena_mark(const ramus_arena *a)
{
    return a->used;
}

void ramus_arena_reset(ramus_arena *a, size_t mark)
{
    RAMUS_ASSERT(mark <= a->used);
    a->used = mark;
}
