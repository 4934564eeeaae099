/* session.h - text to text, within the library: texts become parts (parts.h), parts batches,
 * batches go through searches (search.h), and their results become texts (assemble.c). The public
 * interface is ramus/ramus.h. */
#ifndef RAMUS_RUNTIME_SESSION_H
#define RAMUS_RUNTIME_SESSION_H

#include "base/buffer.h"
#include "base/pool.h"
#include "runtime/batcher.h"
#include "runtime/model.h"
#include "runtime/parts.h"
#include "runtime/search.h"

#include <pthread.h>
#include <stdatomic.h>

#define RAMUS_EXTRA_LENGTH 50 // tokens that a translation may have beyond ratio * source tokens

/* One search result of a part, copied. */
typedef struct {
    int length; // without EOS; -1: there is none
    int *ids;
    ramus_real *log_probs;
    int *alignment, *gates;
    double score, log_prob;
    unsigned notes;
} ramus_outcome;

/* A text while it is being translated. */
typedef struct {
    ramus_text text;
    int first_part, n_parts;
    size_t leading;
    unsigned notes;
} ramus_job;

/* What a thread of the session has. */
typedef struct {
    ramus_search *search;
    ramus_hypothesis *results; // [batch * beam]
    ramus_source *sources;     // [batch]
    int *lengths;              // [batch]
} ramus_worker;

/* Memory that is emptied for each call and grows to the largest one. */
typedef struct {
    ramus_arena *arena;
    size_t size;
} ramus_memory;

struct ramus_session {
    const ramus_model *model;
    ramus_session_options options;
    ramus_search_limits limits;
    ramus_tokenizer *tokenizer, *prefix_tokenizer; // the second from the first prefix on
    ramus_pool *pool;
    ramus_worker *workers;
    int n_gates, n_source_gates; // of each token, with details

    /* The call that is running. */
    ramus_translate_options how;
    ramus_search_options search;
    ramus_ids prefix;
    ramus_parts parts;
    ramus_memory job_memory, memory;
    ramus_job *jobs;
    ramus_batch_item *order; // parts that have ids, longest first
    int *batches;            // where each begins in `order`, and the end
    int n_batches;
    ramus_outcome *outcomes; // [parts, n_best]
    int *source_gates;       // [ids of the parts, n_source_gates]
    ramus_token *tokens;     // the next one that is free
    ramus_buffer text;       // all translations, a zero behind each
    pthread_mutex_t lock;    // of what follows
    int done;
    ramus_status status;
    ramus_error error;
    atomic_bool stopped;

    atomic_bool busy; // a call is running
};

/* Makes the translations of n texts from the results of the searches. */
RAMUS_CHECKED ramus_status ramus_session_assemble(ramus_session *s, int n, ramus_translation *out,
                                                  ramus_error *err);

#endif
