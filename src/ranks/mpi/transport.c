/* The shared object ramus-mpi.so: what comm.h asks of MPI, and the only file that knows it. MPI's
 * default is kept: a call that fails ends all ranks and says why. */
#include "ranks/comm.h"
#include "ranks/plugin.h"

#include <mpi.h>

#include <limits.h>
#include <stdlib.h>

/* OpenMPI's own choice for sums in place that run beside other work is a tree, which sends all of
 * the data twice for each doubling of the ranks; Rabenseifner's way (3) sends it twice in all.
 * Other MPIs have no such variable. */
#define SUM_ALGORITHM "OMPI_MCA_coll_libnbc_iallreduce_algorithm"

enum {
    TAG_SIZE = 1,
    TAG_DATA
}; // a message is its size, then its bytes in parts that an int counts

typedef struct {
    ramus_transport base; // first, so that both have one address
    MPI_Request *sums;    // that were started and not waited for
    int n_sums, room;
} mpi_transport;

static void start_sum(ramus_transport *t, float *x, size_t n)
{
    mpi_transport *m = (mpi_transport *)t;
    while (n > 0) {
        const int part = n < INT_MAX ? (int)n : INT_MAX;
        if (m->n_sums == m->room) {
            m->room = 2 * m->room + 16;
            MPI_Request *grown = realloc((void *)m->sums, (size_t)m->room * sizeof *grown);
            if (!grown) {
                t->end(t);
                return;
            }
            m->sums = grown;
        }
        (void)MPI_Iallreduce(MPI_IN_PLACE, x, part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                             &m->sums[m->n_sums++]);
        x += part;
        n -= (size_t)part;
    }
}

static void poll_sums(ramus_transport *t)
{
    mpi_transport *m = (mpi_transport *)t;
    int done = 0;
    if (m->n_sums) (void)MPI_Testall(m->n_sums, m->sums, &done, MPI_STATUSES_IGNORE);
    if (done) m->n_sums = 0;
}

static void wait_sums(ramus_transport *t)
{
    mpi_transport *m = (mpi_transport *)t;
    (void)MPI_Waitall(m->n_sums, m->sums, MPI_STATUSES_IGNORE);
    m->n_sums = 0;
}

static void sum(ramus_transport *t, double *x, int n)
{
    (void)t;
    (void)MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void max(ramus_transport *t, double *x, int n)
{
    (void)t;
    (void)MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void broadcast(ramus_transport *t, void *data, size_t size, int from)
{
    (void)t;
    char *at = data;
    while (size > 0) {
        const int part = size < INT_MAX ? (int)size : INT_MAX;
        (void)MPI_Bcast(at, part, MPI_BYTE, from, MPI_COMM_WORLD);
        at += part;
        size -= (size_t)part;
    }
}

static void send_message(ramus_transport *t, int to, const void *data, size_t size)
{
    (void)t;
    const char *at = data;
    const uint64_t all = size;
    (void)MPI_Send(&all, 1, MPI_UINT64_T, to, TAG_SIZE, MPI_COMM_WORLD);
    while (size > 0) {
        const int part = size < INT_MAX ? (int)size : INT_MAX;
        (void)MPI_Send(at, part, MPI_BYTE, to, TAG_DATA, MPI_COMM_WORLD);
        at += part;
        size -= (size_t)part;
    }
}

static bool has_arrived(ramus_transport *t, int *from)
{
    (void)t;
    int there = 0;
    MPI_Status status;
    (void)MPI_Iprobe(MPI_ANY_SOURCE, TAG_SIZE, MPI_COMM_WORLD, &there, &status);
    if (there) *from = status.MPI_SOURCE;
    return there;
}

static size_t next_size(ramus_transport *t, int from)
{
    (void)t;
    uint64_t all = 0;
    (void)MPI_Recv(&all, 1, MPI_UINT64_T, from, TAG_SIZE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (size_t)all;
}

static void receive_message(ramus_transport *t, int from, void *data, size_t size)
{
    (void)t;
    char *at = data;
    while (size > 0) {
        const int part = size < INT_MAX ? (int)size : INT_MAX;
        (void)MPI_Recv(at, part, MPI_BYTE, from, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        at += part;
        size -= (size_t)part;
    }
}

static void end_all(ramus_transport *t)
{
    (void)t;
    (void)MPI_Abort(MPI_COMM_WORLD, 1);
}

static void close_all(ramus_transport *t)
{
    mpi_transport *m = (mpi_transport *)t;
    (void)MPI_Finalize();
    free((void *)m->sums);
    free(m);
}

RAMUS_PLUGIN
RAMUS_PUBLIC ramus_transport_open_fn ramus_transport_open;

ramus_transport *ramus_transport_open(void)
{
    int level = 0;
    (void)setenv(SUM_ALGORITHM, "3", 0); // unless the user has chosen
    mpi_transport *m = calloc(1, sizeof *m);
    if (!m || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)) {
        free(m);
        return NULL;
    }
    m->base = (ramus_transport){
        .start_sum = start_sum,
        .poll = poll_sums,
        .wait = wait_sums,
        .sum = sum,
        .max = max,
        .broadcast = broadcast,
        .send = send_message,
        .arrived = has_arrived,
        .next_size = next_size,
        .receive = receive_message,
        .end = end_all,
        .close = close_all,
    };
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &m->base.rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &m->base.ranks);
    return &m->base;
}
