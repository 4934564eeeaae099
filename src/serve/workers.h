/* workers.h - the threads that translate: each takes items from the queue and has sessions of its
 * own.
 *
 * A long text does not hold up short ones: between two batches of it the worker translates what
 * short ones have come. */
#ifndef RAMUS_SERVE_WORKERS_H
#define RAMUS_SERVE_WORKERS_H

#include "serve/cache.h"
#include "serve/metrics.h"
#include "serve/queue.h"

typedef struct ramus_workers_spec {
    ramus_queue *queue;
    ramus_models *models;
    ramus_cache *cache;
    ramus_metrics *metrics;
    int threads;
    int beam, batch; // of sessions
    double idle;     // seconds after which an unused session is closed
    size_t memory;   // bytes of the process above which unused sessions are closed; 0: any
} ramus_workers_spec;

typedef struct ramus_workers ramus_workers;

/* Borrows what the spec names. The caller ends *out with ramus_workers_destroy(), which closes the
 * queue. */
RAMUS_CHECKED ramus_status ramus_workers_create(ramus_workers **out, const ramus_workers_spec *spec,
                                                ramus_error *err);
void ramus_workers_destroy(ramus_workers *all); // NULL is fine

#endif
