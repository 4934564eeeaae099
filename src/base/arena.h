/* arena.h - region allocator: allocate many, free all at once.
 *
 * Every node, activation and scratch buffer of one graph lives in an arena. Nothing in it is freed
 * alone. One arena has one owner and one thread. */
#ifndef RAMUS_BASE_ARENA_H
#define RAMUS_BASE_ARENA_H

#include "base/status.h"

#include <stddef.h>

#define RAMUS_ALIGNMENT 64 // one cache line, one AVX-512 register

typedef struct ramus_arena ramus_arena;

/* Reserves `size` bytes. The caller ends *out with ramus_arena_destroy(). */
RAMUS_CHECKED ramus_status ramus_arena_create(ramus_arena **out, size_t size, ramus_error *err);
void ramus_arena_destroy(ramus_arena *a); // NULL is fine

/* Returns `size` bytes of zeros aligned to 64, valid until the arena is reset. Never NULL:
 * exceeding the reservation is a sizing bug and aborts. */
void *ramus_arena_alloc(ramus_arena *a, size_t size);

/* Copies a string into the arena. */
char *ramus_arena_string(ramus_arena *a, const char *text);

size_t ramus_arena_mark(const ramus_arena *a);       // bytes in use
void ramus_arena_reset(ramus_arena *a, size_t mark); // forgets everything after `mark`

/* `size` rounded up to the arena's alignment: what an allocation of `size` takes. */
size_t ramus_arena_round(size_t size);

#endif
