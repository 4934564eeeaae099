/* A thread waits in epoll for EPOLLRDHUP, and looks at all deadlines ten times a second. Sockets
 * are found again by number: an event may be older than the next owner of its memory. */
#include "serve/watch.h"

#include "base/clock.h"
#include "base/list.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define TICK   100 // milliseconds
#define EVENTS 64

typedef struct {
    long number;
    int socket;
    double deadline;
    void *what;
} watched;

struct ramus_watch {
    ramus_watch_fn *tell;
    int epoll;
    pthread_t thread;
    pthread_mutex_t lock;
    watched *items;
    int n;
    size_t room;
    bool closed; // nothing can be added
    bool ended;  // the thread may go
};

/* With the lock held. */
static void take_out(ramus_watch *w, int i)
{
    (void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, w->items[i].socket, NULL);
    w->items[i] = w->items[--w->n];
}

/* With the lock held. */
static int find(const ramus_watch *w, long number)
{
    for (int i = 0; i < w->n; i++)
        if (w->items[i].number == number) return i;
    return -1;
}

static void tell(ramus_watch *w, int i, bool gone)
{
    void *what = w->items[i].what;
    take_out(w, i);
    w->tell(what, gone);
}

static void *run(void *arg)
{
    ramus_watch *w = arg;
    struct epoll_event events[EVENTS];
    double looked = 0;
    for (bool ended = false; !ended;) {
        const int n = epoll_wait(w->epoll, events, EVENTS, TICK);
        const double now = ramus_clock_now();
        (void)pthread_mutex_lock(&w->lock);
        for (int k = 0; k < n; k++) {
            const int i = find(w, (long)events[k].data.u64);
            if (i >= 0) tell(w, i, true);
        }
        if (now - looked > TICK / 2e3) {
            looked = now;
            for (int i = w->n - 1; i >= 0; i--)
                if (now > w->items[i].deadline) tell(w, i, false);
        }
        ended = w->ended;
        (void)pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

ramus_status ramus_watch_create(ramus_watch **out, ramus_watch_fn *tell_of, ramus_error *err)
{
    ramus_watch *w = calloc(1, sizeof *w);
    if (!w) return ramus_fail_memory(err, "the watch");
    w->tell = tell_of;
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    (void)pthread_mutex_init(&w->lock, NULL);
    if (w->epoll < 0 || pthread_create(&w->thread, NULL, run, w) != 0) {
        if (w->epoll >= 0) (void)close(w->epoll);
        free(w);
        return ramus_fail(err, RAMUS_FAILED, "the watch of connections cannot be started");
    }
    *out = w;
    return RAMUS_OK;
}

void ramus_watch_destroy(ramus_watch *w)
{
    if (!w) return;
    (void)pthread_mutex_lock(&w->lock);
    w->ended = true;
    (void)pthread_mutex_unlock(&w->lock);
    (void)pthread_join(w->thread, NULL);
    (void)close(w->epoll);
    (void)pthread_mutex_destroy(&w->lock);
    free(w->items);
    free(w);
}

ramus_status ramus_watch_add(ramus_watch *w, long number, int socket, double seconds, void *what,
                             ramus_error *err)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT};
    event.data.u64 = (uint64_t)number;
    (void)pthread_mutex_lock(&w->lock);
    ramus_status st = w->closed ? ramus_fail(err, RAMUS_STOPPED, "the server ends") : RAMUS_OK;
    if (!st) st = RAMUS_LIST_RESERVE(w->items, w->room, (size_t)w->n + 1, "the watch", err);
    if (!st && epoll_ctl(w->epoll, EPOLL_CTL_ADD, socket, &event) != 0)
        st = ramus_fail_errno(err, "a connection", "watch");
    if (!st) w->items[w->n++] = (watched){number, socket, ramus_clock_now() + seconds, what};
    (void)pthread_mutex_unlock(&w->lock);
    return st;
}

void ramus_watch_end(ramus_watch *w)
{
    (void)pthread_mutex_lock(&w->lock);
    w->closed = true;
    while (w->n > 0)
        tell(w, w->n - 1, false);
    (void)pthread_mutex_unlock(&w->lock);
}

void ramus_watch_remove(ramus_watch *w, long number)
{
    (void)pthread_mutex_lock(&w->lock);
    const int i = find(w, number);
    if (i >= 0) take_out(w, i);
    (void)pthread_mutex_unlock(&w->lock);
}
