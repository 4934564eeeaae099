/* Rank 0 is two threads: one reads, hands out, collects and writes; the other works on chunks.
 * Ranks 1 and up ask for a chunk, work, and send the result, which asks for the next one.
 * Results wait in a ring until it is their turn. */
#include "ranks/chunks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAITING_RESULTS 4    // for each rank: results that may wait for an earlier one
#define NAP             1e6L // nanoseconds between two looks for messages: chunks take seconds

static void nap(void)
{
    const struct timespec pause = {.tv_nsec = (long)NAP};
    (void)nanosleep(&pause, NULL);
}

static void parcel_clear(ramus_parcel *p)
{
    ramus_buffer_clear(&p->head);
    ramus_buffer_clear(&p->body);
}

static void parcel_free(ramus_parcel *p)
{
    ramus_buffer_free(&p->head);
    ramus_buffer_free(&p->body);
}

static ramus_status parcel_check(const ramus_parcel *p, ramus_error *err)
{
    const ramus_status st = ramus_buffer_check(&p->head, err);
    return st ? st : ramus_buffer_check(&p->body, err);
}

static ramus_status do_work(const ramus_chunk_work *w, const ramus_parcel *chunk,
                            ramus_parcel *result, ramus_error *err)
{
    parcel_clear(result);
    const ramus_status st = w->work(w->arg, chunk, result, err);
    return st ? st : parcel_check(result, err);
}

static ramus_status read_chunk(const ramus_chunk_work *w, ramus_parcel *chunk, ramus_error *err)
{
    parcel_clear(chunk);
    const ramus_status st = w->read(w->arg, chunk, err);
    return st ? st : parcel_check(chunk, err);
}

static ramus_status run_alone(const ramus_chunk_work *w, ramus_error *err)
{
    ramus_parcel chunk = {0}, result = {0};
    ramus_status st = RAMUS_OK;
    while (!(st = read_chunk(w, &chunk, err)) && chunk.head.size) {
        st = do_work(w, &chunk, &result, err);
        if (!st) st = w->write(w->arg, &result, err);
        if (st) break;
    }
    parcel_free(&chunk);
    parcel_free(&result);
    return st;
}

/* A parcel, and of a result whether it failed. A chunk without a head: there are no more. */
static void send_parcel(ramus_comm *c, int to, const ramus_parcel *p, const ramus_error *failure)
{
    ramus_comm_send(c, to, failure, sizeof *failure);
    ramus_comm_send(c, to, p->head.data, p->head.size);
    ramus_comm_send(c, to, p->body.data, p->body.size);
}

static void receive_parcel(ramus_comm *c, int from, ramus_parcel *p, ramus_error *failure)
{
    ramus_buffer message = {0};
    ramus_comm_receive(c, from, &message);
    RAMUS_ASSERT(message.size == sizeof *failure);
    memcpy(failure, message.data, sizeof *failure);
    ramus_buffer_free(&message);
    ramus_comm_receive(c, from, &p->head);
    ramus_comm_receive(c, from, &p->body);
}

/* Ranks 1, 2, ..: an empty result asks for the first chunk, every result for the next one. */
static void help(ramus_comm *c, const ramus_chunk_work *w)
{
    ramus_parcel chunk = {0}, result = {0};
    ramus_error failure = {0};
    for (;;) {
        int from = 0;
        send_parcel(c, 0, &result, &failure);
        while (!ramus_comm_arrived(c, &from))
            nap();
        receive_parcel(c, from, &chunk, &failure);
        if (!chunk.head.size) break;
        failure.status = do_work(w, &chunk, &result, &failure);
    }
    parcel_free(&chunk);
    parcel_free(&result);
}

typedef enum { IDLE, BUSY, DONE, OVER } state;

/* The thread of rank 0 that works on chunks. */
typedef struct {
    const ramus_chunk_work *w;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    state is; // IDLE and DONE: chunk and result belong to the main thread; BUSY: to this one
    ramus_parcel chunk, result;
    ramus_error failure;
} own_thread;

static void *work_beside(void *arg)
{
    own_thread *own = arg;
    (void)pthread_mutex_lock(&own->lock);
    for (;;) {
        while (own->is != BUSY && own->is != OVER)
            (void)pthread_cond_wait(&own->changed, &own->lock);
        if (own->is == OVER) break;
        (void)pthread_mutex_unlock(&own->lock);
        own->failure.status = do_work(own->w, &own->chunk, &own->result, &own->failure);
        (void)pthread_mutex_lock(&own->lock);
        own->is = DONE;
    }
    (void)pthread_mutex_unlock(&own->lock);
    return NULL;
}

static state look(own_thread *own)
{
    (void)pthread_mutex_lock(&own->lock);
    const state is = own->is;
    (void)pthread_mutex_unlock(&own->lock);
    return is;
}

static void turn(own_thread *own, state is)
{
    (void)pthread_mutex_lock(&own->lock);
    own->is = is;
    (void)pthread_cond_signal(&own->changed);
    (void)pthread_mutex_unlock(&own->lock);
}

typedef struct {
    ramus_parcel parcel;
    bool here;
} waiting;

/* The state of rank 0. Chunks are numbered 0, 1, ..; result i waits at place i modulo `room`. */
typedef struct {
    ramus_comm *comm;
    const ramus_chunk_work *w;
    own_thread own;
    int64_t *has;     // [ranks] the chunk that a rank works on; NONE, or ABSENT: not heard of yet
    waiting *results; // [room]
    int room;
    int64_t given, written;
    ramus_parcel chunk;
    bool over; // no more chunks are given
    ramus_status st;
    ramus_error *err; // the first failure
} leader;

#define NONE   (-1)
#define ABSENT (-2)

static void fail(leader *l, ramus_status st)
{
    l->st = st;
    l->over = true;
}

/* Keeps the result of a rank, whose parcel gets the memory of an old one. */
static void keep(leader *l, int rank, ramus_parcel *result, const ramus_error *failure)
{
    const int64_t chunk = l->has[rank];
    l->has[rank] = NONE;
    if (chunk < 0 || l->st) return; // its first message; or the job has failed
    if (failure->status) {
        char name[32];
        (void)snprintf(name, sizeof name, "rank %d", rank);
        *l->err = *failure;
        fail(l, rank ? ramus_fail_in(l->err, failure->status, name) : failure->status);
        return;
    }
    waiting *place = &l->results[chunk % l->room];
    const ramus_parcel old = place->parcel;
    *place = (waiting){*result, true};
    *result = old;
}

/* Takes the messages that have arrived. Returns whether there were any. */
static bool collect(leader *l)
{
    bool any = false;
    int from = 0;
    if (look(&l->own) == DONE) {
        keep(l, 0, &l->own.result, &l->own.failure);
        turn(&l->own, IDLE);
        any = true;
    }
    if (ramus_comm_arrived(l->comm, &from)) {
        ramus_parcel result = {0};
        ramus_error failure;
        receive_parcel(l->comm, from, &result, &failure);
        keep(l, from, &result, &failure);
        parcel_free(&result);
        any = true;
    }
    return any;
}

static void write_results(leader *l)
{
    waiting *next = &l->results[l->written % l->room];
    while (next->here && !l->st) {
        const ramus_status st = l->w->write(l->w->arg, &next->parcel, l->err);
        if (st) fail(l, st);
        next->here = false;
        next = &l->results[++l->written % l->room];
    }
}

static void give(leader *l, int rank)
{
    const ramus_error none = {0};
    ramus_parcel *chunk = rank ? &l->chunk : &l->own.chunk;
    const ramus_status st = read_chunk(l->w, chunk, l->err);
    if (st) fail(l, st);
    if (!chunk->head.size) l->over = true;
    if (l->over) return;
    l->has[rank] = l->given++;
    if (rank)
        send_parcel(l->comm, rank, chunk, &none);
    else
        turn(&l->own, BUSY);
}

/* Gives every rank that has none a chunk, the others first. Returns whether any rank has one. */
static bool give_all(leader *l)
{
    bool busy = false;
    for (int i = ramus_comm_ranks(l->comm) - 1; i >= 0; i--) {
        if (l->has[i] == NONE && !l->over && l->given - l->written < l->room) give(l, i);
        busy |= l->has[i] != NONE;
    }
    return busy;
}

static void lead(leader *l)
{
    const ramus_parcel end = {0};
    const ramus_error none = {0};
    for (;;) {
        const bool news = collect(l);
        write_results(l);
        if (!give_all(l) && l->over) break;
        if (!news) nap();
    }
    for (int i = 1; i < ramus_comm_ranks(l->comm); i++)
        send_parcel(l->comm, i, &end, &none);
}

static ramus_status leader_init(leader *l, ramus_error *err)
{
    const int ranks = ramus_comm_ranks(l->comm);
    l->room = WAITING_RESULTS * ranks;
    l->has = calloc((size_t)ranks, sizeof *l->has);
    l->results = calloc((size_t)l->room, sizeof *l->results);
    if (!l->has || !l->results) return ramus_fail_memory(err, "a list of chunks");
    for (int i = 0; i < ranks; i++)
        l->has[i] = i ? ABSENT : NONE;
    (void)pthread_mutex_init(&l->own.lock, NULL);
    (void)pthread_cond_init(&l->own.changed, NULL);
    if (pthread_create(&l->own.thread, NULL, work_beside, &l->own))
        return ramus_fail(err, RAMUS_NO_MEMORY, "cannot start a thread");
    return RAMUS_OK;
}

static void leader_free(leader *l)
{
    for (int i = 0; i < l->room && l->results; i++)
        parcel_free(&l->results[i].parcel);
    parcel_free(&l->own.chunk);
    parcel_free(&l->own.result);
    parcel_free(&l->chunk);
    free(l->results);
    free(l->has);
}

ramus_status ramus_chunks_run(ramus_comm *comm, const ramus_chunk_work *work, ramus_error *err)
{
    ramus_error trouble = {0};
    leader l = {.comm = comm, .w = work, .own = {.w = work}, .err = &trouble};
    if (!comm) return run_alone(work, err);
    const bool first = ramus_comm_rank(comm) == 0;
    ramus_status st = first ? leader_init(&l, err) : RAMUS_OK;
    st = ramus_comm_agree(comm, st, err);
    if (!st && first) {
        lead(&l);
        turn(&l.own, OVER);
        (void)pthread_join(l.own.thread, NULL);
        st = l.st;
        if (st && err) *err = trouble;
    } else if (!st) {
        help(comm, work);
    }
    if (first) leader_free(&l);
    return ramus_comm_agree(comm, st, err);
}
