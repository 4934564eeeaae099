/* The law of chunks, run alone and by mpirun: results are written once each and in order, whoever
 * worked on them and however slow; a failure of any rank is that of all. */
#include "ranks/chunks.h"

#include "base/rng.h"

#include "check.h"

#include <time.h>

#define CHUNKS 40
#define LARGE  300000 // bytes: more than MPI sends unasked

static ramus_comm *comm;

/* A job whose chunk i is the number i and some bytes; what fails is -1: nothing, or a chunk. */
typedef struct {
    int read, written, worked;
    int bad_read, bad_work, bad_write;
    int slow; // the rank that takes 20 times as long
} job;

static char letter(int64_t i)
{
    return (char)('a' + i % 26);
}

static size_t size_of(int64_t i)
{
    return i % 7 == 3 ? LARGE : (size_t)(i % 3);
}

static ramus_status read_chunk(void *arg, ramus_parcel *chunk, ramus_error *err)
{
    job *j = arg;
    const int64_t i = j->read;
    EXPECT(chunk->head.size == 0 && chunk->body.size == 0, "chunk %d begins empty", j->read);
    if (j->read == j->bad_read) return ramus_fail(err, RAMUS_IO, "cannot read");
    if (j->read == CHUNKS) return RAMUS_OK;
    j->read++;
    ramus_buffer_add(&chunk->head, &i, sizeof i);
    static char bytes[LARGE];
    memset(bytes, letter(i), sizeof bytes);
    ramus_buffer_add(&chunk->body, bytes, size_of(i));
    return RAMUS_OK;
}

static ramus_status work_chunk(void *arg, const ramus_parcel *chunk, ramus_parcel *result,
                               ramus_error *err)
{
    job *j = arg;
    int64_t i = 0;
    memcpy(&i, chunk->head.data, sizeof i);
    const ramus_rng rng = {.seed = check_seed(), .op = 3};
    const int times = ramus_comm_rank(comm) == j->slow ? 20 : 1;
    const struct timespec pause = {.tv_nsec =
                                       times * (long)(ramus_rng_bits(&rng, (uint64_t)i) % 2000000)};
    (void)nanosleep(&pause, NULL);
    j->worked++;
    if (i == j->bad_work) return ramus_fail(err, RAMUS_BAD_FORMAT, "cannot work");
    ramus_buffer_add(&result->head, &i, sizeof i);
    ramus_buffer_add(&result->body, chunk->body.data, chunk->body.size);
    ramus_buffer_text(&result->body, "!");
    return RAMUS_OK;
}

static ramus_status write_chunk(void *arg, const ramus_parcel *result, ramus_error *err)
{
    job *j = arg;
    int64_t i = -1;
    memcpy(&i, result->head.data, sizeof i);
    EXPECT_INT(i, j->written, "the next one is written");
    const size_t size = size_of(i);
    bool same = result->body.size == size + 1 && result->body.data[size] == '!';
    for (size_t k = 0; k < size && same; k++)
        same = result->body.data[k] == letter(i);
    EXPECT(same, "chunk %d has its own bytes", (int)i);
    if (j->written == j->bad_write) return ramus_fail(err, RAMUS_IO, "cannot write");
    j->written++;
    return RAMUS_OK;
}

static ramus_status run(job *j, ramus_error *err)
{
    const ramus_chunk_work work = {read_chunk, work_chunk, write_chunk, j};
    return ramus_chunks_run(comm, &work, err);
}

static const job all_is_well = {.bad_read = -1, .bad_work = -1, .bad_write = -1, .slow = -1};

static void results_are_written_in_order(void)
{
    const int ranks = ramus_comm_ranks(comm), rank = ramus_comm_rank(comm);
    for (int slow = 0; slow <= ranks; slow++) {
        ramus_error err = {0};
        job j = all_is_well;
        j.slow = slow;
        REQUIRE_OK(run(&j, &err), err);
        EXPECT_INT(j.written, rank ? 0 : CHUNKS, "written");
        double worked = j.worked;
        ramus_comm_sum(comm, &worked, 1);
        EXPECT_INT(worked, CHUNKS, "each chunk is worked on once");
    }
}

static void a_failure_ends_the_work_of_all(void)
{
    for (int which = 0; which < 3; which++) {
        static const char *const sentences[] = {"cannot read", "cannot work", "cannot write"};
        for (int at = 0; at < CHUNKS; at += 23) {
            ramus_error err = {0};
            job j = all_is_well;
            *(which == 0 ? &j.bad_read : which == 1 ? &j.bad_work : &j.bad_write) = at;
            const ramus_status st = run(&j, &err);
            EXPECT_INT(st, which == 1 ? RAMUS_BAD_FORMAT : RAMUS_IO, "the status");
            EXPECT(strstr(err.message, sentences[which]), "%s: '%s'", sentences[which],
                   err.message);
            EXPECT(j.written <= at, "%d written, %d failed", j.written, at);
        }
    }
    ramus_error err = {0};
    job j = all_is_well;
    REQUIRE_OK(run(&j, &err), err);
}

int main(int argc, char **argv)
{
    static const check_fact facts[] = {
        {"results_are_written_in_order", results_are_written_in_order},
        {"a_failure_ends_the_work_of_all", a_failure_ends_the_work_of_all},
    };
    ramus_error err = {0};
    REQUIRE_OK(ramus_comm_open(&comm, &err), err);
    const int code = check_run(argc, argv, facts, RAMUS_COUNT(facts));
    ramus_comm_close(comm);
    return code;
}
