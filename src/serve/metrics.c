/* Counts under one lock; the text format of Prometheus, version 0.0.4. */
#include "serve/metrics.h"

#include "data/translation_json.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double second_bounds[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                       0.25,  0.5,    1,     2.5,  5,     10,   60};
static const double batch_bounds[] = {1, 2, 4, 8, 16, 32, 64, 256};
#define MOST_BOUNDS RAMUS_COUNT(second_bounds)
#define CODES       32
#define NOTES       32 // bits

static const char *const counter_names[RAMUS_METRICS][2] = {
    [RAMUS_METRIC_CANCELLED] = {"ramus_cancelled_total", "Requests whose client went away."},
    [RAMUS_METRIC_LATE] = {"ramus_late_total", "Requests that were not done in time."},
    [RAMUS_METRIC_REFUSED] = {"ramus_refused_total", "Requests over a limit."},
    [RAMUS_METRIC_CACHED] = {"ramus_cached_texts_total", "Texts that the cache had."},
    [RAMUS_METRIC_CHARACTERS] = {"ramus_characters_total", "Characters that clients sent."},
};

typedef struct {
    long counts[MOST_BOUNDS + 1];
    double sum;
} histogram;

typedef struct {
    const char *dialect;
    int code;
    long n;
} request_count;

struct ramus_metrics {
    pthread_mutex_t lock;
    int statm; // the kernel's file about our memory, open: later we may not be allowed to
    request_count requests[RAMUS_METRIC_DIALECTS * CODES];
    int n_requests;
    histogram seconds, batches;
    long counters[RAMUS_METRICS], notes[NOTES], sentences, tokens[2];
};

ramus_status ramus_metrics_create(ramus_metrics **out, ramus_error *err)
{
    ramus_metrics *m = calloc(1, sizeof *m);
    if (!m) return ramus_fail_memory(err, "the metrics");
    (void)pthread_mutex_init(&m->lock, NULL);
    m->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    *out = m;
    return RAMUS_OK;
}

void ramus_metrics_destroy(ramus_metrics *m)
{
    if (!m) return;
    if (m->statm >= 0) (void)close(m->statm);
    (void)pthread_mutex_destroy(&m->lock);
    free(m);
}

static void observe(histogram *h, const double *bounds, int n, double value)
{
    int i = 0;
    while (i < n && value > bounds[i])
        i++;
    h->counts[i]++;
    h->sum += value;
}

void ramus_metrics_request(ramus_metrics *m, const char *dialect, int code, double seconds)
{
    int i = 0;
    (void)pthread_mutex_lock(&m->lock);
    while (i < m->n_requests &&
           (m->requests[i].code != code || strcmp(m->requests[i].dialect, dialect) != 0))
        i++;
    if (i < RAMUS_COUNT(m->requests)) {
        if (i == m->n_requests) m->requests[m->n_requests++] = (request_count){dialect, code, 0};
        m->requests[i].n++;
    }
    observe(&m->seconds, second_bounds, RAMUS_COUNT(second_bounds), seconds);
    (void)pthread_mutex_unlock(&m->lock);
}

void ramus_metrics_batch(ramus_metrics *m, int sentences)
{
    (void)pthread_mutex_lock(&m->lock);
    observe(&m->batches, batch_bounds, RAMUS_COUNT(batch_bounds), sentences);
    (void)pthread_mutex_unlock(&m->lock);
}

void ramus_metrics_found(ramus_metrics *m, const ramus_found *found)
{
    (void)pthread_mutex_lock(&m->lock);
    m->sentences += found->sentences;
    m->tokens[0] += found->n_source;
    m->tokens[1] += found->n_target;
    for (int i = 0; ramus_note_bit(i); i++)
        m->notes[i] += (found->notes & ramus_note_bit(i)) != 0;
    (void)pthread_mutex_unlock(&m->lock);
}

void ramus_metrics_count(ramus_metrics *m, ramus_metric which, long n)
{
    (void)pthread_mutex_lock(&m->lock);
    m->counters[which] += n;
    (void)pthread_mutex_unlock(&m->lock);
}

long ramus_metrics_read(ramus_metrics *m, ramus_metric which)
{
    (void)pthread_mutex_lock(&m->lock);
    const long n = m->counters[which];
    (void)pthread_mutex_unlock(&m->lock);
    return n;
}

size_t ramus_metrics_resident(const ramus_metrics *m)
{
    char text[128];
    unsigned long pages = 0;
    const ssize_t n = pread(m->statm, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (sscanf(text, "%*u %lu", &pages) != 1) pages = 0; // NOLINT(cert-err34-c)
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void print_head(ramus_buffer *out, const char *name, const char *type, const char *help)
{
    ramus_buffer_print(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_histogram(ramus_buffer *out, const char *name, const histogram *h,
                            const double *bounds, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        sum += h->counts[i];
        ramus_buffer_print(out, "%s_bucket{le=\"%g\"} %ld\n", name, bounds[i], sum);
    }
    sum += h->counts[n];
    ramus_buffer_print(out, "%s_bucket{le=\"+Inf\"} %ld\n%s_sum %.9g\n%s_count %ld\n", name, sum,
                       name, h->sum, name, sum);
}

static void print_counts(const ramus_metrics *m, ramus_buffer *out)
{
    print_head(out, "ramus_requests_total", "counter", "Requests by dialect and HTTP code.");
    for (int i = 0; i < m->n_requests; i++)
        ramus_buffer_print(out, "ramus_requests_total{dialect=\"%s\",code=\"%d\"} %ld\n",
                           m->requests[i].dialect, m->requests[i].code, m->requests[i].n);
    print_head(out, "ramus_request_seconds", "histogram", "Time from request to answer.");
    print_histogram(out, "ramus_request_seconds", &m->seconds, second_bounds,
                    RAMUS_COUNT(second_bounds));
    print_head(out, "ramus_batch_sentences", "histogram", "Sentences translated by one call.");
    print_histogram(out, "ramus_batch_sentences", &m->batches, batch_bounds,
                    RAMUS_COUNT(batch_bounds));
    print_head(out, "ramus_sentences_total", "counter", "Sentences translated.");
    ramus_buffer_print(out, "ramus_sentences_total %ld\n", m->sentences);
    print_head(out, "ramus_tokens_total", "counter", "Tokens of answers with details.");
    ramus_buffer_print(out, "ramus_tokens_total{side=\"source\"} %ld\n", m->tokens[0]);
    ramus_buffer_print(out, "ramus_tokens_total{side=\"target\"} %ld\n", m->tokens[1]);
    print_head(out, "ramus_notes_total", "counter", "Texts with a note about their translation.");
    for (int i = 0; ramus_note_bit(i); i++)
        ramus_buffer_print(out, "ramus_notes_total{note=\"%s\"} %ld\n",
                           ramus_note_word(ramus_note_bit(i)), m->notes[i]);
    for (int i = 0; i < RAMUS_METRICS; i++) {
        print_head(out, counter_names[i][0], "counter", counter_names[i][1]);
        ramus_buffer_print(out, "%s %ld\n", counter_names[i][0], m->counters[i]);
    }
}

static void print_gauge(ramus_buffer *out, const char *name, const char *help, double value)
{
    print_head(out, name, "gauge", help);
    ramus_buffer_print(out, "%s %.17g\n", name, value);
}

void ramus_metrics_print(ramus_metrics *m, const ramus_gauges *now, ramus_buffer *out)
{
    (void)pthread_mutex_lock(&m->lock);
    print_counts(m, out);
    (void)pthread_mutex_unlock(&m->lock);
    print_gauge(out, "ramus_queue_sentences", "Sentences that wait.", now->queue_sentences);
    print_gauge(out, "ramus_works", "Requests that wait for translations.", now->works);
    print_gauge(out, "ramus_connections", "Open connections.", now->connections);
    print_gauge(out, "ramus_models_open", "Models in memory.", now->models_open);
    print_gauge(out, "ramus_cache_bytes", "Bytes of the cache.", (double)now->cache_bytes);
    print_gauge(out, "process_resident_memory_bytes", "Resident memory.",
                (double)ramus_metrics_resident(m));
    print_head(out, "ramus_build_info", "gauge", "The version.");
    ramus_buffer_print(out, "ramus_build_info{version=\"%s\"} 1\n", ramus_version());
}
