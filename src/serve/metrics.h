/* metrics.h - what a server counts, and the page that Prometheus reads.
 *
 * Any thread. Labels are dialects, codes and notes, never what a client chose. */
#ifndef RAMUS_SERVE_METRICS_H
#define RAMUS_SERVE_METRICS_H

#include "base/buffer.h"
#include "serve/found.h"

#define RAMUS_METRIC_DIALECTS 16 // different ones, at most

typedef struct ramus_metrics ramus_metrics;

RAMUS_CHECKED ramus_status ramus_metrics_create(ramus_metrics **out, ramus_error *err);
void ramus_metrics_destroy(ramus_metrics *m); // NULL is fine

/* A request that was answered: `dialect` lives as long as the program. */
void ramus_metrics_request(ramus_metrics *m, const char *dialect, int code, double seconds);

/* A call of the library: sentences that it translated, and each text of it. */
void ramus_metrics_batch(ramus_metrics *m, int sentences);
void ramus_metrics_found(ramus_metrics *m, const ramus_found *found);

typedef enum ramus_metric {
    RAMUS_METRIC_CANCELLED, // works whose client was gone
    RAMUS_METRIC_LATE,      // works that were not done in time
    RAMUS_METRIC_REFUSED,   // requests over a limit
    RAMUS_METRIC_CACHED,    // texts that the cache had
    RAMUS_METRIC_CHARACTERS,
    RAMUS_METRICS
} ramus_metric;
void ramus_metrics_count(ramus_metrics *m, ramus_metric which, long n);
long ramus_metrics_read(ramus_metrics *m, ramus_metric which);

/* What is so now. */
typedef struct ramus_gauges {
    int queue_sentences, works, connections, models_open;
    size_t cache_bytes;
} ramus_gauges;
void ramus_metrics_print(ramus_metrics *m, const ramus_gauges *now, ramus_buffer *out);

/* Bytes of memory that the process has; 0: not known. */
size_t ramus_metrics_resident(const ramus_metrics *m);

#endif
