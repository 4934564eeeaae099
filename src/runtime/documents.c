/* The blocks of all documents of a call are one list of texts for the session. */
#include "runtime/documents.h"

#include "base/list.h"
#include "runtime/assemble.h"
#include "text/language.h"

#include <stdint.h>
#include <stdlib.h>

#define LANGUAGE_BYTES 4096 // of the text of a document that tell its language

/* Notes blocks [first, last) of a document if their text is in another language. */
static void note_language(ramus_session *s, int first, int last)
{
    const ramus_block *b = s->blocks.items;
    if (first == last || s->cutting.bare) return;
    size_t size = b[last - 1].text + b[last - 1].size - b[first].text;
    if (size > LANGUAGE_BYTES) size = LANGUAGE_BYTES;
    if (ramus_language_differs(s->parts.language, s->blocks.texts.data + b[first].text, size))
        s->jobs[first].notes |= RAMUS_NOTE_LANGUAGE;
}

/* Translates s->blocks; `ends` are those of the blocks of each document. */
static ramus_status run_blocks(ramus_session *s, const int *ends, ramus_error *err)
{
    const int n = s->blocks.n;
    s->ends = ends;
    ramus_status st = RAMUS_LIST_RESERVE(s->marked, s->marked_room, (size_t)n, "the texts", err);
    for (int i = 0; i < n && !st; i++)
        s->marked[i] = ramus_blocks_marked(&s->blocks, i);
    if (!st) st = ramus_session_run(s, s->marked, n, err);
    if (!st && s->options.details) st = ramus_session_list_begin(s, err);
    return st;
}

/* Who is told of notes about blocks. */
typedef struct {
    ramus_note_fn *tell;
    void *arg;
} listener;

static void add_sums(ramus_translation *out, const ramus_translation *one)
{
    out->score += one->score;
    out->log_prob += one->log_prob;
    out->sentences += one->sentences;
    out->notes |= one->notes;
    out->n_source += one->n_source;
    out->n_target += one->n_target;
}

/* Adds translation j of blocks [first, last) of document `text`, and what stands around them. */
static ramus_status write_blocks(ramus_session *s, ramus_document *d, int first, int last, int j,
                                 int text, const listener *l, ramus_buffer *to,
                                 ramus_translation *out, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    const bool details = s->options.details;
    int before = 0; // source tokens
    for (int i = first; i < last && !st; i++) {
        const ramus_job *t = &s->jobs[i];
        ramus_translation one = {0};
        st = ramus_session_assemble(s, t, j, &one, err);
        if (!st && (t->text.n_marks || s->assembly.n_kept)) st = ramus_session_place(s, t, err);
        if (!st && details) ramus_session_list_target(s, t, j, before, out);
        if (!st && details && j == 0) st = ramus_session_list_pairs(s, i, text, err);
        if (st) return st;
        ramus_document_write(d, &s->blocks.items[i], &s->assembly.marked, to);
        if (one.notes && l) l->tell(l->arg, s->blocks.items[i].from, one.notes);
        add_sums(out, &one);
        before += one.n_source;
    }
    ramus_document_write_rest(d, to);
    return ramus_buffer_check(to, err);
}

/* Whether document blocks [first, last) have a j-th translation. */
static bool has(const ramus_session *s, int first, int last, int j)
{
    for (int i = first; i < last; i++)
        if (ramus_session_has(s, &s->jobs[i], j)) return true;
    return j == 0;
}

static ramus_status write_document(ramus_session *s, ramus_document *d, int first, int last,
                                   int text, ramus_translation *out, ramus_error *err)
{
    ramus_translation shared = {0};
    ramus_status st = RAMUS_OK;
    note_language(s, first, last);
    for (int i = first; i < last && s->options.details; i++)
        ramus_session_list_source(s, &s->jobs[i], &shared);
    for (int j = 0; j < s->how.n_best && !st; j++) {
        const size_t start = s->documents.size;
        out[j] = shared;
        if (!has(s, first, last, j)) continue;
        d->written = 0;
        st = write_blocks(s, d, first, last, j, text, NULL, &s->documents, &out[j], err);
        out[j].text = "";
        out[j].size = s->documents.size - start;
        ramus_buffer_add(&s->documents, "", 1);
    }
    return st ? st : ramus_buffer_check(&s->documents, err);
}

ramus_status ramus_session_documents(ramus_session *s, const ramus_text *texts, int n,
                                     ramus_translation *out, ramus_error *err)
{
    const size_t n_best = (size_t)s->how.n_best;
    ramus_status st = RAMUS_OK;
    ramus_document **all = calloc((size_t)n + 1, sizeof *all);
    int *ends = calloc((size_t)n + 1, sizeof *ends); // of the blocks of each document
    if (!all || !ends) st = ramus_fail_memory(err, "the documents");
    ramus_blocks_clear(&s->blocks);
    ramus_buffer_clear(&s->documents);
    for (int i = 0; i < n && !st; i++) {
        const char *data = texts[i].data ? texts[i].data : "";
        st = ramus_document_open(&all[i], s->format, data, texts[i].size, &s->format_options, err);
        if (!st) st = ramus_document_read(all[i], &s->blocks, SIZE_MAX, err);
        ends[i] = s->blocks.n;
    }
    if (!st) st = run_blocks(s, ends, err);
    for (int i = 0; i < n && !st; i++)
        st = write_document(s, all[i], i ? ends[i - 1] : 0, ends[i], i, out + (size_t)i * n_best,
                            err);
    for (int i = 0; i < n && all; i++)
        ramus_document_close(all[i]);
    free(all);
    free(ends);
    if (st) return st;
    const char *text = s->documents.data;
    for (size_t i = 0; i < (size_t)n * n_best; i++)
        if (out[i].text) {
            out[i].text = text;
            text += out[i].size + 1;
        }
    return RAMUS_OK;
}

ramus_status ramus_session_continue(ramus_session *s, ramus_document *d, size_t bytes,
                                    const ramus_translate_options *options, ramus_note_fn *tell,
                                    void *arg, ramus_buffer *to, ramus_error *err)
{
    const listener l = {tell, arg};
    ramus_translation sums = {0};
    ramus_status st = ramus_session_begin(s, options, err);
    if (st) return st;
    s->format = d->format;
    s->cutting.ends = true;
    ramus_blocks_clear(&s->blocks);
    st = ramus_document_read(d, &s->blocks, bytes, err);
    if (!st) st = run_blocks(s, &s->blocks.n, err);
    if (!st) note_language(s, 0, s->blocks.n);
    if (!st) st = write_blocks(s, d, 0, s->blocks.n, 0, 0, &l, to, &sums, err);
    ramus_session_end(s);
    return st;
}
