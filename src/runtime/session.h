/* session.h - text to text, within the library: texts become parts (parts.h), parts batches,
 * batches go through searches (search.h), and their results become texts (assemble.c). The public
 * interface is ramus/ramus.h. */
#ifndef RAMUS_RUNTIME_SESSION_H
#define RAMUS_RUNTIME_SESSION_H

#include "base/buffer.h"
#include "base/pool.h"
#include "base/thread.h"
#include "document/format.h"
#include "runtime/batcher.h"
#include "runtime/model.h"
#include "runtime/parts.h"
#include "runtime/place.h"
#include "runtime/search.h"

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
    ramus_marked text;
    int first_part, n_parts;
    int first_keep, n_keeps;
    unsigned notes;
} ramus_job;

/* Translations while they are put together. */
typedef struct {
    ramus_buffer text;   // all translations of the call, a zero behind each
    ramus_marked marked; // the last one, and its place in `text`
    size_t start;
    ramus_stretch *stretches; // of the last one; they and `links` where cutting.ends is set
    ramus_link *links;        // of each token and each copied word
    ramus_mark *kept;
    int n_stretches, n_links, n_kept;
    int keep; // the first one of the job that was not yet copied
    size_t stretch_room, link_room, kept_room;
    ramus_buffer decoded;
    ramus_ids ends;
    ramus_placing placing;
} ramus_assembly;

/* How far s->how.sentence was told. */
typedef struct {
    int order;  // parts of the order that were told
    int job;    // that the next one is in
    int text;   // of the call, that this is from
    int first;  // part of the sentence that is not yet whole
    bool begun; // there is one
} ramus_telling;

/* What a thread of the session has. */
typedef struct {
    ramus_search *search;
    ramus_hypothesis *results; // [batch * beam]
    ramus_source *sources;     // [batch]
    int *lengths;              // [batch]
    int *numbers;              // [batch] of the parts that are translated together
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
    int n_gates, n_source_gates;   // of each token, with details
    int symbol_ids[RAMUS_SYMBOLS]; // of the target; parts.symbols of them

    /* The call that is running. */
    ramus_translate_options how;
    ramus_search_options search;
    ramus_cutting cutting;
    const ramus_format *format; // NULL: the texts are no documents
    ramus_format_options format_options;
    ramus_ids prefix;
    ramus_parts parts;
    ramus_memory job_memory, memory, token_memory;
    ramus_job *jobs;
    int n_jobs;
    const int *ends; // of documents: number of jobs up to the end of each; NULL: a text is a job
    ramus_batch_item *order; // parts that are translated, longest first
    int *batches;            // where each begins in `order`, and the end
    int n_batches;
    ramus_outcome *outcomes; // [parts, n_best]
    int *source_gates;       // [ids of the parts, n_source_gates]
    ramus_assembly assembly;
    ramus_token *tokens; // with details: of all texts and translations
    ramus_range *ranges; // of the tokens
    int n_tokens;
    ramus_blocks blocks;  // of documents
    ramus_marked *marked; // the texts, or the blocks of documents
    size_t marked_room;
    ramus_buffer documents;     // translated, a zero behind each
    ramus_sentence_pair *pairs; // with details, of the best translations
    size_t *pair_places;        // where their targets begin in assembly.text
    int n_pairs;
    size_t pair_room, place_room;

    ramus_lock lock; // of what follows
    int done;
    ramus_telling tell;
    ramus_status status;
    ramus_error error;
    atomic_bool stopped;

    atomic_bool busy; // a call is running
};

/* A call begins: the session is taken, its options are read and checked. On success the caller ends
 * it. */
RAMUS_CHECKED ramus_status ramus_session_begin(ramus_session *s,
                                               const ramus_translate_options *options,
                                               ramus_error *err);
void ramus_session_end(ramus_session *s);

/* Empties `m` and makes sure that it has `size` bytes. */
RAMUS_CHECKED ramus_status ramus_memory_prepare(ramus_memory *m, size_t size, ramus_error *err);

/* Translates texts with marks, each by itself, as s->how says, which has been read and checked. */
RAMUS_CHECKED ramus_status ramus_session_run(ramus_session *s, const ramus_marked *texts, int n,
                                             ramus_error *err);

/* Tells s->how.sentence of the sentences that are whole now that parts order[first .. first + n)
 * are done; no parts before them are left. */
RAMUS_CHECKED ramus_status ramus_session_tell(ramus_session *s, int first, int n, ramus_error *err);

#endif
