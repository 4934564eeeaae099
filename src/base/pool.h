/* pool.h - a fixed set of threads that share out the pieces of one loop.
 *
 * The caller cuts the work into pieces that do not depend on the number of threads, so the thread
 * count changes no result. One pool serves one caller at a time. */
#ifndef RAMUS_BASE_POOL_H
#define RAMUS_BASE_POOL_H

#include "base/status.h"

typedef struct ramus_pool ramus_pool;

/* Does piece `index`; `thread` (0 .. threads - 1) says which scratch memory is this thread's own.
 */
typedef void ramus_pool_body(void *arg, int index, int thread);

/* Starts `threads` - 1 threads; the caller of ramus_pool_for() is the remaining one. */
RAMUS_CHECKED ramus_status ramus_pool_create(ramus_pool **out, int threads, ramus_error *err);
void ramus_pool_destroy(ramus_pool *pool); // NULL is fine

/* 1 for a NULL pool. */
int ramus_pool_threads(const ramus_pool *pool);

/* Calls body(arg, i, thread) once for every i in 0 .. n - 1, in any order, and returns when all are
 * done. A NULL pool runs them in order on the caller. */
void ramus_pool_for(ramus_pool *pool, int n, ramus_pool_body *body, void *arg);

/* How many cores this process may use: affinity and cgroup limits counted, at least 1. */
int ramus_cores_available(void);

#endif
