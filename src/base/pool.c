/* Workers and the caller take the indices of a loop from one atomic counter. A round number
 * starts a loop: workers spin on it for some microseconds, then sleep on a condition variable. */
#include "base/pool.h"

#include "base/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ramus_pool *pool;
    ramus_thread handle;
    int number;
} worker;

struct ramus_pool {
    int threads;
    int started;
    worker *workers; // [threads - 1]
    ramus_lock lock;
    ramus_condition wake, idle;
    atomic_ulong round; // counts calls of ramus_pool_for; as the next two, changed under the lock
    atomic_int busy;    // workers that have not finished this round
    atomic_bool stop;
    ramus_pool_body *body;
    void *arg;
    int n;
    atomic_int next;
};

/* A worker spins before it sleeps: loops follow each other within microseconds, and a sleeping
 * thread takes a hundred of them to wake on a virtual machine. */
#define LOOKS 4000

static inline void wait_a_moment(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static void take_pieces(ramus_pool *p, int thread)
{
    for (;;) {
        const int i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
        if (i >= p->n) return;
        p->body(p->arg, i, thread);
    }
}

static void *work(void *arg)
{
    worker *w = arg;
    ramus_pool *p = w->pool;
    unsigned long seen = 0;

    for (;;) {
        for (int i = 0; i < LOOKS && p->round == seen && !p->stop; i++)
            wait_a_moment();
        ramus_lock_take(&p->lock);
        while (p->round == seen && !p->stop)
            ramus_condition_wait(&p->wake, &p->lock);
        seen = p->round;
        const bool stop = p->stop;
        ramus_lock_release(&p->lock);
        if (stop) return NULL;

        take_pieces(p, w->number);

        ramus_lock_take(&p->lock);
        if (--p->busy == 0) ramus_condition_wake_one(&p->idle);
        ramus_lock_release(&p->lock);
    }
}

ramus_status ramus_pool_create(ramus_pool **out, int threads, ramus_error *err)
{
    RAMUS_ASSERT(threads >= 1);
    ramus_pool *p = calloc(1, sizeof *p);
    if (!p) return ramus_fail_memory(err, "the thread pool");
    p->threads = threads;
    p->workers = calloc((size_t)threads, sizeof *p->workers);
    ramus_lock_init(&p->lock);
    ramus_condition_init(&p->wake);
    ramus_condition_init(&p->idle);
    if (!p->workers) {
        ramus_pool_destroy(p);
        return ramus_fail_memory(err, "the thread pool");
    }
    for (int i = 0; i < threads - 1; i++) {
        worker *w = &p->workers[i];
        w->pool = p;
        w->number = i + 1;
        const int code = ramus_thread_start(&w->handle, work, w);
        if (code) {
            ramus_pool_destroy(p);
            return ramus_fail(err, RAMUS_FAILED, "thread %d of %d could not be started: %s", i + 2,
                              threads, strerror(code));
        }
        p->started++;
    }
    *out = p;
    return RAMUS_OK;
}

void ramus_pool_destroy(ramus_pool *p)
{
    if (!p) return;
    ramus_lock_take(&p->lock);
    p->stop = true;
    ramus_condition_wake_all(&p->wake);
    ramus_lock_release(&p->lock);
    for (int i = 0; i < p->started; i++)
        ramus_thread_join(&p->workers[i].handle);
    ramus_condition_destroy(&p->idle);
    ramus_condition_destroy(&p->wake);
    ramus_lock_destroy(&p->lock);
    free(p->workers);
    free(p);
}

int ramus_pool_threads(const ramus_pool *p)
{
    return p ? p->threads : 1;
}

void ramus_pool_for(ramus_pool *p, int n, ramus_pool_body *body, void *arg)
{
    if (!p || p->threads == 1 || n <= 1) {
        for (int i = 0; i < n; i++)
            body(arg, i, 0);
        return;
    }
    ramus_lock_take(&p->lock);
    p->body = body;
    p->arg = arg;
    p->n = n;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    p->busy = p->threads - 1;
    p->round++;
    ramus_condition_wake_all(&p->wake);
    ramus_lock_release(&p->lock);

    take_pieces(p, 0);

    for (int i = 0; i < LOOKS && p->busy > 0; i++)
        wait_a_moment();
    ramus_lock_take(&p->lock);
    while (p->busy > 0)
        ramus_condition_wait(&p->idle, &p->lock);
    ramus_lock_release(&p->lock);
}
