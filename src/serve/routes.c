/* Finds the row of a request, checks what all rows have in common (keys, rates, size, fields), and
 * counts the answer. */
#include "serve/routes.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const ramus_routes *const tables[] = {
    &ramus_routes_own,   &ramus_routes_libre,  &ramus_routes_deepl, &ramus_routes_deepl_files,
    &ramus_routes_small, &ramus_routes_google, &ramus_routes_mtran, &ramus_routes_page};

static const ramus_dialect nowhere = {"none", ramus_error_simple, 413, 401, false};
static const ramus_route no_route = {.path = "", .dialect = &nowhere, .open = true};

void ramus_error_simple(ramus_buffer *out, int code, const char *message)
{
    (void)code;
    ramus_buffer_text(out, "{\"error\": ");
    ramus_buffer_json(out, message, strlen(message));
    ramus_buffer_text(out, "}");
}

void ramus_answer_json(ramus_exchange *x)
{
    x->code = 200;
    x->answer_type = RAMUS_JSON_TYPE;
}

void ramus_answer_error(ramus_server *s, ramus_exchange *x, int code, const char *format, ...)
{
    char message[600];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    ramus_buffer_clear(&x->answer);
    x->route->dialect->error(&x->answer, code, message);
    ramus_answer_json(x);
    x->code = code;
    if (code == 413 || code == 429 || code == 503)
        ramus_metrics_count(s->metrics, RAMUS_METRIC_REFUSED, 1);
    if (code == 503) ramus_exchange_head(x, "Retry-After", "1");
}

static bool matches(const ramus_route *r, const char *path)
{
    const size_t n = strlen(r->path);
    if (n > 0 && r->path[n - 1] == '*') return strncmp(r->path, path, n - 1) == 0;
    return strcmp(r->path, path) == 0;
}

/* The row of a path and a method. Without one, *methods are those that the path has. */
static const ramus_route *find_route(const char *path, unsigned method, unsigned *methods)
{
    *methods = 0;
    for (int i = 0; i < RAMUS_COUNT(tables); i++)
        for (int k = 0; k < tables[i]->n; k++) {
            const ramus_route *r = &tables[i]->rows[k];
            const bool rest = tables[i] == &ramus_routes_page; // what no other row has
            if (!matches(r, path) || (rest && (*methods || method != RAMUS_METHOD_GET))) continue;
            if (r->methods & method) return r;
            *methods |= r->methods;
        }
    return NULL;
}

/* The key of a request, wherever clients put it. */
static const char *find_key(const ramus_exchange *x)
{
    static const char *const fields[] = {"api_key", "apiKey", "auth_key", "token", "key"};
    static const char *const schemes[] = {"DeepL-Auth-Key ", "Bearer "};
    const char *key = x->authorization;
    for (int i = 0; i < RAMUS_COUNT(schemes); i++)
        if (strncasecmp(key, schemes[i], strlen(schemes[i])) == 0) return key + strlen(schemes[i]);
    for (int i = 0; i < RAMUS_COUNT(fields) && !*key; i++) {
        const char *value = ramus_fields_string(&x->fields, fields[i]);
        if (value) key = value;
    }
    return key;
}

static bool has_key(ramus_server *s, const ramus_exchange *x)
{
    if (x->route->open || !ramus_keys_needed(s->keys)) return true;
    const char *key = find_key(x);
    return *key && ramus_keys_has(s->keys, key);
}

static void add_cors(const ramus_server *s, ramus_exchange *x)
{
    const char *cors = s->settings->cors;
    if (!cors) return;
    ramus_exchange_head(x, "Access-Control-Allow-Origin", cors);
    ramus_exchange_head(x, "Access-Control-Allow-Headers", "Authorization, Content-Type");
    ramus_exchange_head(x, "Access-Control-Allow-Methods", "GET, POST, DELETE");
    ramus_exchange_head(x, "Access-Control-Max-Age", "86400");
    if (strcmp(cors, "*") != 0) ramus_exchange_head(x, "Vary", "Origin");
}

static void write_methods(char *out, size_t size, unsigned methods)
{
    (void)snprintf(out, size, "OPTIONS%s%s%s", methods & RAMUS_METHOD_GET ? ", GET, HEAD" : "",
                   methods & RAMUS_METHOD_POST ? ", POST" : "",
                   methods & RAMUS_METHOD_DELETE ? ", DELETE" : "");
}

static void refuse_method(ramus_server *s, ramus_exchange *x, unsigned methods)
{
    char allowed[64];
    write_methods(allowed, sizeof allowed, methods);
    if (methods && x->method == RAMUS_METHOD_OPTIONS) {
        x->code = 204;
    } else if (methods) {
        ramus_answer_error(s, x, 405, "this address takes %s", allowed);
    } else {
        ramus_answer_error(s, x, 404, "nothing is at this address");
    }
    if (methods) ramus_exchange_head(x, "Allow", allowed);
}

static void begin(void *arg, ramus_exchange *x)
{
    ramus_server *s = arg;
    unsigned methods = 0;
    x->server = s;
    x->number = ++s->exchanges;
    x->route = find_route(x->path, x->method, &methods);
    x->last = atomic_load(&s->draining);
    const ramus_route *found = x->route;
    if (!found) x->route = &no_route;
    const ramus_serve_settings *set = s->settings;
    x->body_limit =
        x->route->upload ? (size_t)(set->max_upload * 1e6) : (size_t)(set->max_body * 1e3);
    add_cors(s, x);
    if (ramus_rates_crowded(s->rates, x->peer)) {
        ramus_answer_error(s, x, 429, "more than %d connections from this address",
                           set->address_connections);
        x->last = true;
        return;
    }
    if (!found) {
        refuse_method(s, x, methods);
        return;
    }
    const int seconds = found->open ? 0 : ramus_rates_ask(s->rates, x->peer, 1);
    if (seconds) {
        char text[16];
        (void)snprintf(text, sizeof text, "%d", seconds);
        ramus_answer_error(s, x, 429, "more than %d requests a minute from this address",
                           set->per_minute);
        ramus_exchange_head(x, "Retry-After", text);
    }
}

static bool has_type(const ramus_exchange *x, const char *type)
{
    return strncasecmp(x->type, type, strlen(type)) == 0;
}

/* Adds the fields of the body. */
static ramus_status read_fields(ramus_exchange *x, ramus_error *err)
{
    const char *body = x->body.data;
    const size_t size = x->body.size;
    ramus_status st = ramus_buffer_check(&x->body, err);
    if (st || size == 0) return st;
    if (has_type(x, "multipart/form-data"))
        return ramus_fields_multipart(&x->fields, x->type, body, size, err);
    size_t first = 0;
    while (first < size && strchr(" \t\r\n", body[first]) && body[first])
        first++;
    if (has_type(x, "application/json") || (first < size && body[first] == '{'))
        return ramus_fields_json(&x->fields, body, size, err);
    if (has_type(x, "application/x-www-form-urlencoded"))
        return ramus_fields_form(&x->fields, body, size, err);
    return ramus_fail(err, RAMUS_NOT_FOUND, "the Content-Type is '%.60s', expected JSON or a form",
                      x->type);
}

static void handle(void *arg, ramus_exchange *x)
{
    ramus_server *s = arg;
    ramus_error err = {0};
    if (!x->whole) atomic_fetch_add(&s->active, 1);
    x->whole = true;
    if (x->body_size > x->body_limit) {
        ramus_answer_error(s, x, 413, "the request has more than %zu bytes", x->body_limit);
        return;
    }
    const ramus_status st = read_fields(x, &err);
    ramus_buffer_free(&x->body);
    if (st) {
        ramus_answer_error(s, x,
                           st == RAMUS_NOT_FOUND   ? 415
                           : st == RAMUS_NO_MEMORY ? 503
                                                   : 400,
                           "%s", err.message);
    } else if (!has_key(s, x)) {
        ramus_answer_error(s, x, x->route->dialect->no_key, "this needs a valid API key");
    } else {
        x->route->handle(s, x);
    }
    if (!x->code && !x->pending) ramus_answer_error(s, x, 500, "no answer");
}

static void resume(void *arg, ramus_exchange *x)
{
    ramus_server *s = arg;
    ramus_watch_remove(s->watch, x->number);
    if (x->gone || x->late) {
        const bool stopped = !x->gone && atomic_load(&s->draining);
        ramus_answer_error(s, x, 503, stopped ? "the server ends" : "time is up: %g seconds",
                           s->settings->timeout);
        x->last = true;
        if (!x->streaming) return;
    }
    x->route->finish(s, x);
}

/* For the log: the first text, if it is wanted. */
static ramus_text text_of(const ramus_server *s, const ramus_exchange *x)
{
    if (!s->settings->log_texts || !x->work || x->work->office || x->work->n == 0)
        return (ramus_text){0};
    return x->work->items[0].source;
}

static void end(void *arg, ramus_exchange *x)
{
    ramus_server *s = arg;
    const double seconds = ramus_clock_now() - x->begun;
    ramus_watch_remove(s->watch, x->number);
    if (x->work && ramus_queue_cancel(s->queue, x->work)) // it ended while it was streamed
        ramus_metrics_count(s->metrics, RAMUS_METRIC_CANCELLED, 1);
    const int code = x->gone ? 499 : x->code;
    const char *dialect = x->route->dialect->name;
    ramus_metrics_request(s->metrics, dialect, code, seconds);
    const ramus_log_entry entry = {.peer = x->peer,
                                   .dialect = dialect,
                                   .path = x->route == &no_route ? "" : x->route->path,
                                   .code = code,
                                   .texts = x->work ? x->work->n : 0,
                                   .characters = x->work ? x->work->characters : 0,
                                   .seconds = seconds,
                                   .text = text_of(s, x)};
    ramus_log_write(s->log, &entry);
    ramus_queue_release(s->queue, x->work);
    ramus_file_unmap(&x->file);
    if (x->whole) atomic_fetch_sub(&s->active, 1);
}

static void connect_peer(void *arg, const char *peer, bool came)
{
    ramus_server *s = arg;
    ramus_rates_connect(s->rates, peer, came);
}

const ramus_http_handler ramus_routes_handler = {begin, handle, resume, end, connect_peer, NULL};

void ramus_routes_notice(void *exchange, bool gone)
{
    ramus_exchange *x = exchange;
    ramus_server *s = x->server;
    if (!ramus_queue_cancel(s->queue, x->work)) return; // its answer is on the way
    ramus_metrics_count(s->metrics, gone ? RAMUS_METRIC_CANCELLED : RAMUS_METRIC_LATE, 1);
    *(gone ? &x->gone : &x->late) = true;
    ramus_http_wake(x);
}
