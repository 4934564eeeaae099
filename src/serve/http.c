/* libmicrohttpd with one thread that waits in epoll. A request that waits for a translation is
 * suspended: it costs no thread. Waking it may come before it is suspended; the lock decides. */
#include "serve/http.h"

#ifdef RAMUS_MICROHTTPD

#include "base/clock.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CONNECTION_MEMORY                                                                          \
    ((size_t)8 * 1024)             // for the head of a request; an idle connection has it, too
#define PIECE   (16 * 1024)        // of a streamed answer
#define DROPPED ((size_t)16 << 20) // bytes of a body that are read in vain
#define READING 120.0              // seconds that a request may take to come

struct ramus_http {
    struct MHD_Daemon *daemon;
    ramus_http_handler handler;
    atomic_int connections;
    pthread_mutex_t lock; // of woken, suspended and the answers of streaming exchanges
};

static const char *head(struct MHD_Connection *c, const char *name)
{
    const char *value = MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
    return value ? value : "";
}

/* The library takes what it only reads as pointers to what may be written. */
static void *unconst(const void *p)
{
    const union {
        const void *in;
        void *out;
    } pointer = {p};
    return pointer.out;
}

static unsigned method_of(const char *name)
{
    static const struct {
        const char *name;
        unsigned method;
    } known[] = {{"GET", RAMUS_METHOD_GET},
                 {"HEAD", RAMUS_METHOD_GET},
                 {"POST", RAMUS_METHOD_POST},
                 {"DELETE", RAMUS_METHOD_DELETE},
                 {"OPTIONS", RAMUS_METHOD_OPTIONS}};
    for (int i = 0; i < RAMUS_COUNT(known); i++)
        if (strcmp(known[i].name, name) == 0) return known[i].method;
    return RAMUS_METHOD_OTHER;
}

static void write_peer(char *out, size_t size, const struct sockaddr *address)
{
    const void *number = NULL;
    int family = address ? address->sa_family : AF_UNSPEC;
    if (family == AF_INET) number = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
    if (family == AF_INET6) {
        const struct in6_addr *six =
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        number = six;
        if (IN6_IS_ADDR_V4MAPPED(six)) {
            number = six->s6_addr + 12;
            family = AF_INET;
        }
    }
    if (!number || !inet_ntop(family, number, out, (socklen_t)size))
        (void)snprintf(out, size, "local"); // a Unix socket
}

static void read_peer(char *out, size_t size, struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    write_peer(out, size, info ? info->client_addr : NULL);
}

/* A field of the address; MHD_NO where memory is out or there are too many. */
static enum MHD_Result add_query(void *arg, enum MHD_ValueKind kind, const char *name,
                                 size_t name_size, const char *value, size_t size)
{
    ramus_exchange *x = arg;
    (void)kind;
    (void)name_size;
    return ramus_fields_add(&x->fields, name, value ? value : "", value ? size : 0, NULL) ? MHD_NO
                                                                                          : MHD_YES;
}

static ramus_exchange *create_exchange(ramus_http *h, struct MHD_Connection *c, const char *path,
                                       const char *method)
{
    ramus_exchange *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->http = h;
    x->connection = c;
    x->socket = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    x->secure = MHD_get_connection_info(c, MHD_CONNECTION_INFO_PROTOCOL) != NULL ||
                strcmp(head(c, "X-Forwarded-Proto"), "https") == 0;
    x->begun = ramus_clock_now();
    x->method = method_of(method);
    x->path = path;
    x->authorization = head(c, "Authorization");
    x->type = head(c, "Content-Type");
    x->accept = head(c, "Accept");
    x->host = head(c, "Host");
    x->origin = head(c, "Origin");
    read_peer(x->peer, sizeof x->peer, c);
    (void)MHD_get_connection_values_n(c, MHD_GET_ARGUMENT_KIND, add_query, x);
    return x;
}

/* With the lock held, which it lets go: the thread that wakes up wants it. A suspended exchange
 * lives until it is resumed, and only one caller finds it suspended. */
static void resume_unlocked(ramus_http *h, ramus_exchange *x)
{
    struct MHD_Connection *c = x->suspended ? x->connection : NULL;
    x->suspended = false;
    (void)pthread_mutex_unlock(&h->lock);
    if (c) MHD_resume_connection(c);
}

void ramus_http_wake(ramus_exchange *x)
{
    ramus_http *h = x->http;
    (void)pthread_mutex_lock(&h->lock);
    x->woken = true;
    resume_unlocked(h, x);
}

void ramus_http_send(ramus_exchange *x, const char *data, size_t size)
{
    ramus_http *h = x->http;
    (void)pthread_mutex_lock(&h->lock);
    ramus_buffer_add(&x->answer, data, size);
    resume_unlocked(h, x);
}

/* With the lock held: suspends until there is something, unless it has come already. */
static bool suspend(ramus_exchange *x)
{
    if (x->woken) return false;
    x->suspended = true;
    MHD_suspend_connection(x->connection);
    return true;
}

/* Gives the library the next piece of a streaming answer. */
static ssize_t read_piece(void *arg, uint64_t at, char *to, size_t room)
{
    ramus_exchange *x = arg;
    ramus_http *h = x->http;
    ssize_t n = 0;
    (void)at;
    (void)pthread_mutex_lock(&h->lock);
    if (x->sent == x->answer.size && x->woken && !x->ended) {
        (void)pthread_mutex_unlock(&h->lock);
        ramus_buffer_clear(&x->answer); // nobody else sends any more
        x->sent = 0;
        h->handler.resume(h->handler.arg, x);
        (void)pthread_mutex_lock(&h->lock);
    }
    if (x->sent < x->answer.size) {
        const size_t left = x->answer.size - x->sent;
        n = (ssize_t)(left < room ? left : room);
        memcpy(to, x->answer.data + x->sent, (size_t)n);
        x->sent += (size_t)n;
    } else if (x->ended) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        (void)suspend(x);
    }
    (void)pthread_mutex_unlock(&h->lock);
    return n;
}

static enum MHD_Result send_answer(struct MHD_Connection *c, ramus_exchange *x)
{
    struct MHD_Response *r = NULL;
    const ramus_text own = {x->answer.data, x->answer.size}; // lives until the exchange ends
    const ramus_text text = x->constant.data ? x->constant : own;
    if (x->streaming)
        r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_piece, x, NULL);
    else
        r = MHD_create_response_from_buffer(text.size, unconst(text.data), MHD_RESPMEM_PERSISTENT);
    if (!r) return MHD_NO;
    if (x->answer_type) (void)MHD_add_response_header(r, "Content-Type", x->answer_type);
    for (int i = 0; i < x->n_heads; i++)
        (void)MHD_add_response_header(r, x->heads[i].name, x->heads[i].value);
    if (x->last) (void)MHD_add_response_header(r, "Connection", "close");
    const enum MHD_Result done = MHD_queue_response(c, (unsigned)x->code, r);
    MHD_destroy_response(r);
    return done;
}

/* The first call for a request. Returns whether the answer is sent without the body: it is too long
 * to be read in vain, or the client waits before it sends it. */
static bool begin(ramus_http *h, ramus_exchange *x)
{
    const char *length = head(x->connection, "Content-Length");
    const unsigned long long size = strtoull(length, NULL, 10);
    h->handler.begin(h->handler.arg, x);
    if (!x->code && size > x->body_limit) x->body_size = (size_t)size;
    const bool refused = x->code != 0 || size > x->body_limit;
    if (!refused) return false;
    if (size <= DROPPED && strcasecmp(head(x->connection, "Expect"), "100-continue") != 0) {
        x->body_size = 0;
        return false;
    }
    if (!x->code) h->handler.handle(h->handler.arg, x);
    x->last = true;
    return true;
}

/* Keeps a piece of the body, or drops it. */
static enum MHD_Result add_body(ramus_exchange *x, const char *data, size_t size)
{
    x->body_size += size;
    if (x->body_size > x->body_limit + DROPPED || ramus_clock_now() - x->begun > READING)
        return MHD_NO;
    if (x->code || x->body_size > x->body_limit)
        ramus_buffer_free(&x->body);
    else
        ramus_buffer_add(&x->body, data, size);
    return MHD_YES;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *c, const char *path,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **place)
{
    ramus_http *h = arg;
    ramus_exchange *x = *place;
    (void)version;
    if (!x) {
        x = *place = create_exchange(h, c, path, method);
        if (!x) return MHD_NO;
        return begin(h, x) ? send_answer(c, x) : MHD_YES;
    }
    if (*size > 0) {
        const enum MHD_Result kept = add_body(x, data, *size);
        *size = 0;
        return kept;
    }
    if (!x->code && !x->pending) h->handler.handle(h->handler.arg, x);
    if (x->pending) {
        (void)pthread_mutex_lock(&h->lock);
        const bool waits = suspend(x);
        (void)pthread_mutex_unlock(&h->lock);
        if (waits) return MHD_YES;
        x->pending = false;
        h->handler.resume(h->handler.arg, x);
    }
    return send_answer(c, x);
}

static void complete(void *arg, struct MHD_Connection *c, void **place,
                     enum MHD_RequestTerminationCode why)
{
    ramus_http *h = arg;
    ramus_exchange *x = *place;
    (void)c;
    if (!x) return;
    if (why != MHD_REQUEST_TERMINATED_COMPLETED_OK) x->gone = true;
    h->handler.end(h->handler.arg, x);
    ramus_fields_free(&x->fields);
    ramus_buffer_free(&x->body);
    ramus_buffer_free(&x->answer);
    free(x);
    *place = NULL;
}

static void connect_peer(void *arg, struct MHD_Connection *c, void **place,
                         enum MHD_ConnectionNotificationCode why)
{
    ramus_http *h = arg;
    char peer[64];
    (void)place;
    const bool came = why == MHD_CONNECTION_NOTIFY_STARTED;
    read_peer(peer, sizeof peer, c);
    atomic_fetch_add(&h->connections, came ? 1 : -1);
    h->handler.connect(h->handler.arg, peer, came);
}

static void be_quiet(void *arg, const char *format, va_list values)
{
    (void)arg; // what goes wrong with a connection is the client's
    (void)format;
    (void)values;
}

ramus_status ramus_http_start(ramus_http **out, const ramus_http_options *o,
                              const ramus_http_handler *handler, ramus_error *err)
{
    ramus_http *h = calloc(1, sizeof *h);
    if (!h) return ramus_fail_memory(err, "the server");
    h->handler = *handler;
    (void)pthread_mutex_init(&h->lock, NULL);
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    if (getsockname(o->socket, (struct sockaddr *)&own, &size) == 0 && own.ss_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    const struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, unconst(o->cert)},
                                         {MHD_OPTION_HTTPS_MEM_KEY, 0, unconst(o->key)},
                                         {MHD_OPTION_END, 0, NULL}};
    if (o->cert) flags |= MHD_USE_TLS;
    h->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, answer, h, MHD_OPTION_EXTERNAL_LOGGER, be_quiet, NULL,
        MHD_OPTION_LISTEN_SOCKET, o->socket, MHD_OPTION_NOTIFY_COMPLETED, complete, h,
        MHD_OPTION_NOTIFY_CONNECTION, connect_peer, h, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT, (unsigned)o->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)o->timeout, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_ARRAY, o->cert ? tls : tls + 2, MHD_OPTION_END);
    if (!h->daemon) {
        (void)pthread_mutex_destroy(&h->lock);
        free(h);
        return ramus_fail(err, RAMUS_FAILED, "the server cannot be started%s",
                          o->cert ? ": is the certificate PEM, and its key the right one?" : "");
    }
    *out = h;
    return RAMUS_OK;
}

void ramus_http_quiet(ramus_http *h)
{
    const MHD_socket listening = MHD_quiesce_daemon(h->daemon);
    if (listening != MHD_INVALID_SOCKET) (void)close(listening);
}

void ramus_http_stop(ramus_http *h)
{
    if (!h) return;
    MHD_stop_daemon(h->daemon);
    (void)pthread_mutex_destroy(&h->lock);
    free(h);
}

int ramus_http_connections(ramus_http *h)
{
    return atomic_load(&h->connections);
}

#else // no libmicrohttpd

ramus_status ramus_http_start(ramus_http **out, const ramus_http_options *options,
                              const ramus_http_handler *handler, ramus_error *err)
{
    (void)out;
    (void)options;
    (void)handler;
    return ramus_fail(err, RAMUS_FAILED,
                      "this program was built without libmicrohttpd, which the server needs");
}

void ramus_http_quiet(ramus_http *h)
{
    (void)h;
}

void ramus_http_stop(ramus_http *h)
{
    (void)h;
}

int ramus_http_connections(ramus_http *h)
{
    (void)h;
    return 0;
}

void ramus_http_wake(ramus_exchange *x)
{
    (void)x;
}

void ramus_http_send(ramus_exchange *x, const char *data, size_t size)
{
    (void)x;
    (void)data;
    (void)size;
}

#endif
