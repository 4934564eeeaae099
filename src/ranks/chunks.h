/* chunks.h - a long text that is worked on in chunks, by one process or by all ranks.
 *
 * Rank 0 reads chunks, gives one to each rank that has none, takes the results in any order and
 * writes them in the order of the chunks. It works on chunks itself, in a second thread. A slow
 * rank gets fewer chunks; the others continue until a bounded number of results waits for one of
 * its own. A chunk's result must not depend on the rank. */
#ifndef RAMUS_RANKS_CHUNKS_H
#define RAMUS_RANKS_CHUNKS_H

#include "base/buffer.h"
#include "ranks/comm.h"

/* A chunk, or its result: a head of the caller's, and text. */
typedef struct ramus_parcel {
    ramus_buffer head, body;
} ramus_parcel;

typedef struct ramus_chunk_work {
    /* The next chunk, into a parcel that is empty and stays so at the end; on rank 0. */
    ramus_status (*read)(void *arg, ramus_parcel *chunk, ramus_error *err);
    /* Adds the result of a chunk to an empty parcel; on any rank. On rank 0 of several it runs
     * beside read and write. */
    ramus_status (*work)(void *arg, const ramus_parcel *chunk, ramus_parcel *result,
                         ramus_error *err);
    /* The next result, in order; on rank 0. */
    ramus_status (*write)(void *arg, const ramus_parcel *result, ramus_error *err);
    void *arg;
} ramus_chunk_work;

/* Works until there are no more chunks, or one of the three fails on any rank, which all then
 * return: what was written before stays. */
RAMUS_CHECKED ramus_status ramus_chunks_run(ramus_comm *comm, const ramus_chunk_work *work,
                                            ramus_error *err);

#endif
