/* Makes the parts, waits for signals, and takes the parts apart again in the opposite order. */
#include "serve/server.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/pool.h"
#include "serve/routes.h"
#include "serve/sandbox.h"
#include "serve/systemd.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WATCHDOG 1.0 // seconds between two signs of life
#define FAREWELL 1.0 // seconds that the last answers have to be sent

static ramus_status read_pem(ramus_buffer *out, const char *path, ramus_error *err)
{
    ramus_file file = {0};
    ramus_status st = ramus_file_map(&file, path, err);
    if (st) return st;
    ramus_buffer_add(out, file.data, file.size);
    ramus_file_unmap(&file);
    return ramus_buffer_check(out, err);
}

static ramus_status create_parts(ramus_server *s, const ramus_serve_settings *set, ramus_error *err)
{
    const int beam = set->beam > set->max_alternatives + 1 ? set->beam : set->max_alternatives + 1;
    s->settings = set;
    ramus_status st = ramus_models_create(&s->models, &set->models, set->folder, err);
    if (!st && set->sandbox) st = ramus_models_hold(s->models, err);
    if (!st) st = ramus_glossaries_create(&s->glossaries, set->max_glossaries, err);
    if (!st) st = ramus_queue_create(&s->queue, set->queue, s->models, s->glossaries, err);
    if (!st) st = ramus_documents_create(&s->documents, s->queue, set->max_documents, err);
    if (!st) st = ramus_cache_create(&s->cache, (size_t)(set->cache * 1e6), err);
    if (!st) st = ramus_metrics_create(&s->metrics, err);
    if (!st) st = ramus_keys_create(&s->keys, set->keys, err);
    if (!st) st = ramus_rates_create(&s->rates, set->per_minute, set->address_connections, err);
    if (!st) st = ramus_log_open(&s->log, set->log, err);
    if (!st) st = ramus_watch_create(&s->watch, ramus_routes_notice, err);
    if (st) return st;
    const ramus_workers_spec spec = {.queue = s->queue,
                                     .models = s->models,
                                     .cache = s->cache,
                                     .metrics = s->metrics,
                                     .threads =
                                         set->threads ? set->threads : ramus_cores_available(),
                                     .beam = beam,
                                     .batch = set->batch,
                                     .idle = set->idle,
                                     .memory = (size_t)(set->memory * 1e6)};
    return ramus_workers_create(&s->workers, &spec, err);
}

static void destroy_parts(ramus_server *s)
{
    ramus_workers_destroy(s->workers);
    ramus_watch_destroy(s->watch);
    ramus_documents_destroy(s->documents);
    ramus_queue_destroy(s->queue);
    ramus_log_close(s->log);
    ramus_rates_destroy(s->rates);
    ramus_keys_destroy(s->keys);
    ramus_metrics_destroy(s->metrics);
    ramus_cache_destroy(s->cache);
    ramus_glossaries_destroy(s->glossaries);
    ramus_models_destroy(s->models);
}

static ramus_status start_http(ramus_server *s, int *socket, ramus_error *err)
{
    const ramus_serve_settings *set = s->settings;
    ramus_http_handler handler = ramus_routes_handler;
    ramus_buffer cert = {0}, key = {0};
    ramus_status st = RAMUS_OK;
    handler.arg = s;
    *socket = ramus_systemd_socket();
    if (*socket < 0) st = ramus_listen(socket, set->listen, err);
    if (!st && set->cert) st = read_pem(&cert, set->cert, err);
    if (!st && set->key) st = read_pem(&key, set->key, err);
    const ramus_http_options options = {.socket = *socket,
                                        .cert = cert.data,
                                        .key = key.data,
                                        .connections = set->max_connections,
                                        .timeout = set->keep_alive};
    if (!st && set->sandbox) st = ramus_sandbox_enter(err); // before a byte of a request is read
    if (!st) st = ramus_http_start(&s->http, &options, &handler, err);
    if (st && *socket >= 0) (void)close(*socket);
    ramus_buffer_free(&cert);
    ramus_buffer_free(&key);
    return st;
}

static void tell(const ramus_server *s, const char *what, const ramus_error *err)
{
    if (!s->settings->quiet || err)
        (void)fprintf(stderr, "ramus serve: %s%s%s\n", what, err ? ": " : "",
                      err ? err->message : "");
}

static void reload(ramus_server *s)
{
    ramus_error err = {0};
    ramus_systemd_notify(s->manager, "RELOADING=1");
    if (s->settings->sandbox) {
        tell(s, "nothing is read again in the sandbox: start the server anew instead", NULL);
    } else {
        if (ramus_models_reload(s->models, &err)) tell(s, "the models stay as they were", &err);
        if (ramus_keys_reload(s->keys, &err)) tell(s, "the keys stay as they were", &err);
        if (ramus_log_reopen(s->log, &err)) tell(s, "the log stays as it was", &err);
        tell(s, "reloaded", NULL);
    }
    ramus_systemd_notify(s->manager, "READY=1");
}

/* Waits for a signal of `set`, at most so long; 0: none came. */
static int wait_for_signal(const sigset_t *set, double seconds)
{
    const struct timespec time = {(time_t)seconds, (long)((seconds - (long)seconds) * 1e9)};
    const int number = sigtimedwait(set, NULL, &time);
    return number > 0 ? number : 0;
}

/* Until all answers are sent and nothing is left to do, time is up, or somebody asks again. */
static void wait_for_answers(ramus_server *s, const sigset_t *signals, double seconds)
{
    const double end = ramus_clock_now() + seconds;
    while ((atomic_load(&s->active) > 0 || ramus_queue_works(s->queue) > 0) &&
           ramus_clock_now() < end) {
        const int number = wait_for_signal(signals, 0.02);
        if (number == SIGTERM || number == SIGINT) break;
    }
}

/* Those who still wait at the end are told so. */
static void drain(ramus_server *s, const sigset_t *signals)
{
    atomic_store(&s->draining, true);
    ramus_systemd_notify(s->manager, "STOPPING=1");
    ramus_http_quiet(s->http);
    wait_for_answers(s, signals, s->settings->drain);
    ramus_queue_close(s->queue);
    ramus_watch_end(s->watch);
    wait_for_answers(s, signals, FAREWELL);
}

static void run(ramus_server *s, const sigset_t *signals)
{
    for (int number = 0; number != SIGTERM && number != SIGINT;) {
        number = wait_for_signal(signals, WATCHDOG);
        if (number == SIGHUP) reload(s);
        if (number == 0) ramus_systemd_notify(s->manager, "WATCHDOG=1");
    }
    drain(s, signals);
}

ramus_status ramus_serve(const ramus_serve_settings *set, ramus_error *err)
{
    sigset_t signals;
    int socket = -1;
    char where[128], line[256];
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    ramus_server *s = calloc(1, sizeof *s);
    if (!s) return ramus_fail_memory(err, "the server");
    s->manager = ramus_systemd_connect();
    ramus_status st = create_parts(s, set, err);
    if (!st) st = start_http(s, &socket, err);
    if (!st) {
        ramus_listen_print(where, sizeof where, socket);
        (void)snprintf(line, sizeof line, "listening at %s://%s", set->cert ? "https" : "http",
                       where);
        tell(s, line, NULL);
        ramus_systemd_notify(s->manager, "READY=1");
        run(s, &signals);
    }
    ramus_http_stop(s->http);
    destroy_parts(s);
    if (s->manager >= 0) (void)close(s->manager);
    free(s);
    return st;
}
