/* http.h - the transport: connections, requests, answers. The library libmicrohttpd does it; a
 * program that was built without it says so.
 *
 * One thread reads requests and sends answers, and makes all calls of the handler. */
#ifndef RAMUS_SERVE_HTTP_H
#define RAMUS_SERVE_HTTP_H

#include "serve/exchange.h"

typedef struct ramus_http_handler {
    /* The head of a request is there. Sets body_limit. May set the answer: the body is then read
     * and dropped. */
    void (*begin)(void *arg, ramus_exchange *x);
    /* The body is there. Sets the answer, or `pending`, or `streaming`. */
    void (*handle)(void *arg, ramus_exchange *x);
    /* A pending exchange was woken: sets the answer. A streaming one: sets what is left as
     * `answer`, and `ended`. */
    void (*resume)(void *arg, ramus_exchange *x);
    /* The answer was sent, or could not be. */
    void (*end)(void *arg, ramus_exchange *x);
    /* A connection came or went. */
    void (*connect)(void *arg, const char *peer, bool came);
    void *arg;
} ramus_http_handler;

typedef struct ramus_http_options {
    int socket;             // that listens; stays open until ramus_http_quiet()
    const char *cert, *key; // PEM; NULL: no TLS
    int connections;        // at most; more are not accepted
    int timeout;            // seconds without a byte after which a connection ends
} ramus_http_options;

typedef struct ramus_http ramus_http;

RAMUS_CHECKED ramus_status ramus_http_start(ramus_http **out, const ramus_http_options *options,
                                            const ramus_http_handler *handler, ramus_error *err);

/* Takes no new connections from now on. */
void ramus_http_quiet(ramus_http *h);

/* Ends all connections. No exchange is pending. NULL is fine. */
void ramus_http_stop(ramus_http *h);

int ramus_http_connections(ramus_http *h);

/* From any thread: a pending or streaming exchange has its result. Once for each. */
void ramus_http_wake(ramus_exchange *x);

/* From any thread: sends a piece of a streaming answer. */
void ramus_http_send(ramus_exchange *x, const char *data, size_t size);

#endif
