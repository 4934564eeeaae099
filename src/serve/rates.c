/* A table of addresses of a fixed size. Where a slot is taken, its oldest address without
 * connections gives way: who is forgotten so may ask a little more. */
#include "serve/keys.h"

#include "base/clock.h"
#include "base/hash.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS 1024
#define WAYS 8

typedef struct {
    char peer[64];
    double left; // requests, at the time `seen`
    double seen;
    int connections;
} address;

struct ramus_rates {
    pthread_mutex_t lock;
    int per_minute, connections;
    address items[SETS][WAYS];
};

ramus_status ramus_rates_create(ramus_rates **out, int per_minute, int connections,
                                ramus_error *err)
{
    ramus_rates *r = calloc(1, sizeof *r);
    if (!r) return ramus_fail_memory(err, "the table of addresses");
    r->per_minute = per_minute;
    r->connections = connections;
    (void)pthread_mutex_init(&r->lock, NULL);
    *out = r;
    return RAMUS_OK;
}

void ramus_rates_destroy(ramus_rates *r)
{
    if (!r) return;
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}

/* With the lock held; brought up to now. */
static address *find(ramus_rates *r, const char *peer)
{
    const double now = ramus_clock_now();
    address *set = r->items[ramus_hash(0, peer, strlen(peer)) % SETS], *worst = set;
    for (int i = 0; i < WAYS; i++) {
        address *a = &set[i];
        if (strcmp(a->peer, peer) == 0) {
            a->left = fmin(r->per_minute, a->left + (now - a->seen) * r->per_minute / 60);
            a->seen = now;
            return a;
        }
        if ((a->connections == 0) > (worst->connections == 0) ||
            ((a->connections == 0) == (worst->connections == 0) && a->seen < worst->seen))
            worst = a;
    }
    *worst = (address){.left = r->per_minute, .seen = now};
    (void)snprintf(worst->peer, sizeof worst->peer, "%s", peer);
    return worst;
}

void ramus_rates_connect(ramus_rates *r, const char *peer, bool came)
{
    (void)pthread_mutex_lock(&r->lock);
    address *a = find(r, peer);
    a->connections += came ? 1 : -1;
    if (a->connections < 0) a->connections = 0; // it was forgotten meanwhile
    (void)pthread_mutex_unlock(&r->lock);
}

int ramus_rates_ask(ramus_rates *r, const char *peer, int n)
{
    int seconds = 0;
    if (r->per_minute == 0) return 0;
    (void)pthread_mutex_lock(&r->lock);
    address *a = find(r, peer);
    const double wanted = fmin(n, r->per_minute); // more than a minute has costs a whole one
    if (a->left >= wanted)
        a->left -= wanted;
    else
        seconds = (int)ceil((wanted - a->left) * 60 / r->per_minute);
    (void)pthread_mutex_unlock(&r->lock);
    return seconds;
}

bool ramus_rates_crowded(ramus_rates *r, const char *peer)
{
    if (r->connections == 0) return false;
    (void)pthread_mutex_lock(&r->lock);
    const bool crowded = find(r, peer)->connections > r->connections;
    (void)pthread_mutex_unlock(&r->lock);
    return crowded;
}
