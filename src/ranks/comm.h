/* comm.h - the ranks: processes that do one job together, and their messages.
 *
 * Ranks are started by mpirun or srun. Their transport is a shared object, ramus-mpi.so, that is
 * opened only then: nothing else needs MPI. A NULL ramus_comm is a process that is alone; every
 * function takes it and costs nothing. All ranks call the same functions in the same order,
 * messages from one to another excepted; one thread. A broken connection ends the whole job, with a
 * message of MPI's. */
#ifndef RAMUS_RANKS_COMM_H
#define RAMUS_RANKS_COMM_H

#include "base/buffer.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ramus_comm ramus_comm;

/* Joins the other ranks; *out is NULL where this process was started alone. The caller ends it with
 * ramus_comm_close(), which waits for the others. */
RAMUS_CHECKED ramus_status ramus_comm_open(ramus_comm **out, ramus_error *err);
void ramus_comm_close(ramus_comm *c);

/* What the launcher says, before joining: how many processes were started together (1: alone), and
 * which of them this one is. */
int ramus_comm_launched(void);
int ramus_comm_launched_as(void);

int ramus_comm_rank(const ramus_comm *c);  // 0 .. ranks - 1
int ramus_comm_ranks(const ramus_comm *c); // 1: alone

/* Begins to replace x[0 .. n) by the sum over all ranks, which is the same bit by bit on each. x is
 * not to be touched until ramus_comm_wait(). */
void ramus_comm_start_sum(ramus_comm *c, float *x, size_t n);
void ramus_comm_poll(ramus_comm *c); // lets the sums progress; they do nothing between calls
void ramus_comm_wait(ramus_comm *c); // until all sums that were started are complete

void ramus_comm_sum(ramus_comm *c, double *x, int n);
double ramus_comm_max(ramus_comm *c, double x);
void ramus_comm_broadcast(ramus_comm *c, void *data, size_t size); // from rank 0
bool ramus_comm_same(ramus_comm *c, uint64_t x);                   // whether all ranks have this x

/* Makes a failure of one rank that of all: returns RAMUS_OK if every rank has it, else the status
 * and message of the first rank that failed. */
RAMUS_CHECKED ramus_status ramus_comm_agree(ramus_comm *c, ramus_status st, ramus_error *err);

/* Messages from one rank to another, of one sender in order; not where c is NULL. Sending may take
 * until the other one receives. Receiving waits for a message of `from` and replaces the content of
 * the buffer; where memory is out, the job ends. */
void ramus_comm_send(ramus_comm *c, int to, const void *data, size_t size);
bool ramus_comm_arrived(ramus_comm *c, int *from); // whether there is one, of whom
void ramus_comm_receive(ramus_comm *c, int from, ramus_buffer *message);

/* Seconds that this rank has spent in the functions above. */
double ramus_comm_seconds(const ramus_comm *c);

/* The table of ramus-mpi.so: the same functions. It ends the job itself where it cannot continue.
 */
typedef struct ramus_transport ramus_transport;
struct ramus_transport {
    int rank, ranks;
    void (*start_sum)(ramus_transport *t, float *x, size_t n);
    void (*poll)(ramus_transport *t);
    void (*wait)(ramus_transport *t);
    void (*sum)(ramus_transport *t, double *x, int n);
    void (*max)(ramus_transport *t, double *x, int n);
    void (*broadcast)(ramus_transport *t, void *data, size_t size, int from);
    void (*send)(ramus_transport *t, int to, const void *data, size_t size);
    bool (*arrived)(ramus_transport *t, int *from);
    size_t (*next_size)(ramus_transport *t, int from); // then receive() takes that many bytes
    void (*receive)(ramus_transport *t, int from, void *data, size_t size);
    void (*end)(ramus_transport *t); // all ranks, at once
    void (*close)(ramus_transport *t);
};

/* The one function in it. The answer is NULL where MPI could not be started. */
#define RAMUS_TRANSPORT_OPEN "ramus_transport_open"
typedef ramus_transport *ramus_transport_open_fn(void);

#endif
