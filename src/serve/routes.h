/* routes.h - what is at which address: rows of tables, one table for each dialect.
 *
 * A dialect is how a service of others speaks. Its rows read the fields of a request, and write the
 * answer or the error as that service does. */
#ifndef RAMUS_SERVE_ROUTES_H
#define RAMUS_SERVE_ROUTES_H

#include "serve/parts.h"

typedef struct ramus_dialect {
    const char *name; // in metrics and the log
    void (*error)(ramus_buffer *out, int code, const char *message);
    int too_much; // code where texts are too many or too long
    int no_key;   // code where the key is missing or wrong
    bool lenient; // a text that cannot be translated comes back as it is
} ramus_dialect;

typedef struct ramus_route {
    const char *path; // one that ends with '*' stands for all that begin so
    unsigned methods; // RAMUS_METHOD_..
    const ramus_dialect *dialect;
    bool open;   // needs no key
    bool upload; // the body may be a document
    void (*handle)(ramus_server *s, ramus_exchange *x);
    /* Its work is done; of a stream perhaps not: then x->gone or x->late, and the error is
     * answered. NULL: it has none. */
    void (*finish)(ramus_server *s, ramus_exchange *x);
} ramus_route;

typedef struct ramus_routes {
    const ramus_route *rows;
    int n;
} ramus_routes;

extern const ramus_routes ramus_routes_own, ramus_routes_libre, ramus_routes_deepl,
    ramus_routes_deepl_files, ramus_routes_small, ramus_routes_google, ramus_routes_mtran,
    ramus_routes_page;

/* What the transport calls; `arg` is a ramus_server. */
extern const ramus_http_handler ramus_routes_handler;

/* Answers with the dialect's error. */
void ramus_answer_error(ramus_server *s, ramus_exchange *x, int code, const char *format, ...)
    RAMUS_PRINTF(4, 5);

/* Answers with what stands in x->answer, as JSON. */
void ramus_answer_json(ramus_exchange *x);

/* Errors as {"error": message}. */
void ramus_error_simple(ramus_buffer *out, int code, const char *message);

/* The client left, or its time is up: for the watch. */
void ramus_routes_notice(void *exchange, bool gone);

#endif
