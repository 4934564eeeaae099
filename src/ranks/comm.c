/* The environment tells whether a launcher started this process. Then the transport is loaded,
 * and each function adds the seconds it took. */
#include "ranks/comm.h"

#include "base/clock.h"
#include "ranks/plugin.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_NAME "ramus-mpi.so"

struct ramus_comm {
    ramus_transport *transport;
    double seconds;
};

/* What launchers put into the environment of each process. A shell may hold some of it by accident,
 * so size and rank count only together, and for PMI only with a way to the process manager.
 * SLURM_NTASKS does not count: a batch script has it before its srun. */
static const struct {
    const char *size, *rank;
    const char *ways[3]; // one of these must be set; none: size and rank suffice
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", {NULL}},             // OpenMPI's mpirun
    {"PMI_SIZE", "PMI_RANK", {"PMI_FD", "PMI_PORT", "PMI_CONTROL_PORT"}}, // MPICH, srun; Cray
    {"SLURM_STEP_NUM_TASKS", "PMIX_RANK", {NULL}},                        // srun --mpi=pmix
};

/* An integer from `least` to INT_MAX, and nothing else. */
static bool number_in(const char *variable, int least, int *out)
{
    char *end = NULL;
    const char *text = getenv(variable);
    if (!text || *text < '0' || *text > '9') return false;
    errno = 0;
    const long x = strtol(text, &end, 10);
    if (*end || errno || x < least || x > INT_MAX) return false;
    *out = (int)x;
    return true;
}

/* Ranks that were started together and which of them this is; 1 and 0 for a process alone. */
static void find_launcher(int *size, int *rank)
{
    for (int i = 0; i < RAMUS_COUNT(launchers); i++) {
        bool reached = !launchers[i].ways[0];
        for (int j = 0; j < RAMUS_COUNT(launchers[i].ways) && !reached; j++)
            reached = launchers[i].ways[j] && getenv(launchers[i].ways[j]);
        if (reached && number_in(launchers[i].size, 2, size) &&
            number_in(launchers[i].rank, 0, rank) && *rank < *size)
            return;
    }
    *size = 1;
    *rank = 0;
}

int ramus_comm_launched(void)
{
    int size = 1, rank = 0;
    find_launcher(&size, &rank);
    return size;
}

int ramus_comm_launched_as(void)
{
    int size = 1, rank = 0;
    find_launcher(&size, &rank);
    return rank;
}

static ramus_status open_transport(ramus_transport **out, int ranks, ramus_error *err)
{
    char started[64];
    ramus_transport_open_fn *start = NULL;
    (void)snprintf(started, sizeof started, "started as one of %d ranks", ranks);
    const ramus_status st =
        ramus_plugin_open((void **)&start, FILE_NAME, RAMUS_TRANSPORT_OPEN,
                          "build ramus where MPI is installed (Debian: libopenmpi-dev), or start "
                          "it without mpirun",
                          err);
    if (st) return ramus_fail_in(err, st, started);
    *out = start();
    if (!*out) return ramus_fail(err, RAMUS_FAILED, "MPI did not start");
    if ((*out)->ranks != ranks)
        return ramus_fail(err, RAMUS_FAILED,
                          FILE_NAME ": its MPI sees %d ranks of %d: start ramus with the mpirun of "
                                    "the MPI that it was built with",
                          (*out)->ranks, ranks);
    return RAMUS_OK;
}

ramus_status ramus_comm_open(ramus_comm **out, ramus_error *err)
{
    const int ranks = ramus_comm_launched();
    *out = NULL;
    if (ranks < 2) return RAMUS_OK;
    ramus_comm *c = calloc(1, sizeof *c);
    if (!c) return ramus_fail_memory(err, "a connection");
    const ramus_status st = open_transport(&c->transport, ranks, err);
    if (st)
        free(c);
    else
        *out = c;
    return st;
}

void ramus_comm_close(ramus_comm *c)
{
    if (!c) return;
    c->transport->close(c->transport);
    free(c);
}

int ramus_comm_rank(const ramus_comm *c)
{
    return c ? c->transport->rank : 0;
}

int ramus_comm_ranks(const ramus_comm *c)
{
    return c ? c->transport->ranks : 1;
}

double ramus_comm_seconds(const ramus_comm *c)
{
    return c ? c->seconds : 0;
}

void ramus_comm_start_sum(ramus_comm *c, float *x, size_t n)
{
    if (!c) return;
    const double start = ramus_clock_now();
    c->transport->start_sum(c->transport, x, n);
    c->seconds += ramus_clock_now() - start;
}

void ramus_comm_poll(ramus_comm *c)
{
    if (!c) return;
    const double start = ramus_clock_now();
    c->transport->poll(c->transport);
    c->seconds += ramus_clock_now() - start;
}

void ramus_comm_wait(ramus_comm *c)
{
    if (!c) return;
    const double start = ramus_clock_now();
    c->transport->wait(c->transport);
    c->seconds += ramus_clock_now() - start;
}

void ramus_comm_sum(ramus_comm *c, double *x, int n)
{
    if (!c) return;
    const double start = ramus_clock_now();
    c->transport->sum(c->transport, x, n);
    c->seconds += ramus_clock_now() - start;
}

double ramus_comm_max(ramus_comm *c, double x)
{
    if (!c) return x;
    const double start = ramus_clock_now();
    c->transport->max(c->transport, &x, 1);
    c->seconds += ramus_clock_now() - start;
    return x;
}

static void broadcast(ramus_comm *c, void *data, size_t size, int from)
{
    const double start = ramus_clock_now();
    c->transport->broadcast(c->transport, data, size, from);
    c->seconds += ramus_clock_now() - start;
}

void ramus_comm_broadcast(ramus_comm *c, void *data, size_t size)
{
    if (c) broadcast(c, data, size, 0);
}

void ramus_comm_send(ramus_comm *c, int to, const void *data, size_t size)
{
    const double start = ramus_clock_now();
    c->transport->send(c->transport, to, data, size);
    c->seconds += ramus_clock_now() - start;
}

bool ramus_comm_arrived(ramus_comm *c, int *from)
{
    return c->transport->arrived(c->transport, from);
}

void ramus_comm_receive(ramus_comm *c, int from, ramus_buffer *message)
{
    const double start = ramus_clock_now();
    const size_t size = c->transport->next_size(c->transport, from);
    ramus_buffer_free(message);
    message->data = malloc(size + 1);
    if (!message->data) {
        c->transport->end(c->transport);
        return;
    }
    c->transport->receive(c->transport, from, message->data, size);
    message->data[size] = '\0';
    message->size = size;
    message->capacity = size + 1;
    c->seconds += ramus_clock_now() - start;
}

bool ramus_comm_same(ramus_comm *c, uint64_t x)
{
    uint64_t first = x;
    ramus_comm_broadcast(c, &first, sizeof first);
    return ramus_comm_max(c, first != x) == 0;
}

ramus_status ramus_comm_agree(ramus_comm *c, ramus_status st, ramus_error *err)
{
    if (!c) return st;
    const int rank = c->transport->rank, ranks = c->transport->ranks;
    const int from = ranks - (int)ramus_comm_max(c, st ? ranks - rank : 0); // the lowest that fails
    if (from == ranks) return RAMUS_OK;
    ramus_error theirs = {0};
    if (from == rank && err) theirs = *err;
    theirs.status = from == rank ? st : RAMUS_OK;
    broadcast(c, &theirs, sizeof theirs, from);
    if (err) *err = theirs;
    if (from == 0) return theirs.status; // likely the same everywhere: a file, an option
    char name[32];
    (void)snprintf(name, sizeof name, "rank %d", from);
    return ramus_fail_in(err, theirs.status, name);
}
