/* exchange.h - a request and its answer.
 *
 * The transport (http.h) fills in the request, the server the answer. All of it belongs to the
 * thread of the transport, but for what ramus_http_wake() and ramus_http_send() change. */
#ifndef RAMUS_SERVE_EXCHANGE_H
#define RAMUS_SERVE_EXCHANGE_H

#include "base/map.h"
#include "serve/fields.h"

#define RAMUS_METHOD_GET     1u
#define RAMUS_METHOD_POST    2u
#define RAMUS_METHOD_DELETE  4u
#define RAMUS_METHOD_OPTIONS 8u
#define RAMUS_METHOD_OTHER   16u

#define RAMUS_JSON_TYPE    "application/json; charset=utf-8"
#define RAMUS_ANSWER_HEADS 10

typedef struct ramus_exchange {
    /* The request. Texts are "" where there are none. */
    const char *path;
    const char *authorization, *type, *accept, *host, *origin;
    ramus_fields fields; // of the address; later of the body, too
    ramus_buffer body;
    size_t body_size;  // bytes that came, also those that were not kept
    size_t body_limit; // more is not kept
    double begun;      // ramus_clock_now()

    /* The answer. code 0: there is none yet. */
    const char *answer_type;
    ramus_buffer answer;
    ramus_text constant; // instead of `answer`; outlives the server, or is that of `file`
    ramus_file file;     // unmapped at the end
    struct {
        const char *name;
        char value[256];
    } heads[RAMUS_ANSWER_HEADS];

    /* Of the server. */
    struct ramus_server *server;
    const struct ramus_route *route;
    struct ramus_work *work; // held
    long number;

    /* Of the transport. */
    struct ramus_http *http;
    void *connection;
    size_t sent; // of the answer
    int socket;

    int code, n_heads;
    int told;        // sentences that were streamed
    unsigned method; // one of RAMUS_METHOD_..; HEAD is GET
    char peer[64];   // address of the client
    bool secure;     // by TLS, of its own or of a proxy

    bool whole;     // its request was handled: the end of the server waits for the answer
    bool pending;   // the answer comes when the exchange is woken
    bool streaming; // it comes in pieces, until `ended`
    bool ended;
    bool last;             // the connection ends with it
    bool gone, late;       // set before it is woken: the client left; time is up
    bool woken, suspended; // guarded by the lock of the transport
} ramus_exchange;

/* Adds a line to the head of the answer; values are cut at 255 bytes. */
void ramus_exchange_head(ramus_exchange *x, const char *name, const char *value);

#endif
