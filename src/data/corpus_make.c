/* Pairs are read in chunks. Threads tokenise pieces of a chunk and judge its pairs; then the
 * kept ones are written in order. */
#include "data/corpus_make.h"

#include "base/utf8.h"
#include "data/pair_lines.h"
#include "eval/category.h"
#include "text/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>

#define CHUNK_PAIRS 16384
#define CHUNK_BYTES ((size_t)16 << 20) // of text; ends a chunk of long lines early
#define PIECE_PAIRS 256                // what a thread takes at a time
#define N_PIECES    (CHUNK_PAIRS / PIECE_PAIRS)

/* Why a pair is dropped; the order is that of the checks. */
typedef enum verdict { KEPT, EMPTY, TOO_LONG, RATIO } verdict;

/* A pair of the chunk: its text, target behind source, and what became of it. */
typedef struct chunk_pair {
    size_t text_at, source_size, target_size;
    int source_length, target_length;
    verdict verdict;
    bool not_utf8;
} chunk_pair;

/* The ids of the kept pairs of a piece, one behind the other. */
typedef struct piece {
    ramus_ids ids;
    ramus_status status;
    ramus_error err;
} piece;

typedef struct side {
    ramus_tokenizer *tokenizer;
    int eos;
} side;

typedef struct maker {
    const ramus_corpus_spec *spec;
    ramus_pair_lines *lines;
    ramus_corpus_writer *out;
    ramus_corpus_counts counts;
    ramus_buffer text;
    chunk_pair *pairs; // [CHUNK_PAIRS]
    int n;
    piece *pieces; // [N_PIECES]
    int threads;
    side (*sides)[2]; // [threads]: source, target
} maker;

static bool is_blank(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, text + at, size - at);
        if (!ramus_category_is_space(code)) return false;
        at += (size_t)n; // not 0: bytes that are not UTF-8 are no space
    }
    return true;
}

static bool is_utf8(const char *text, size_t size)
{
    return ramus_utf8_check(text, size) == size;
}

/* Adds the ids of a text and EOS; *length says how many they are, 0 for an empty text. */
static ramus_status encode_side(const side *s, const char *text, size_t size, ramus_ids *ids,
                                int *length, ramus_error *err)
{
    const int before = ids->n;
    *length = 0;
    if (is_blank(text, size)) return RAMUS_OK;
    ramus_status st = ramus_tokenizer_encode(s->tokenizer, text, size, ids, err);
    if (st || ids->n == before) return st;
    st = ramus_ids_add(ids, s->eos, err);
    if (!st) *length = ids->n - before;
    return st;
}

static verdict judge(const ramus_corpus_spec *spec, int source_length, int target_length)
{
    if (source_length == 0 || target_length == 0) return EMPTY;
    if (source_length > spec->max_length || target_length > spec->max_length) return TOO_LONG;
    const int longer = source_length > target_length ? source_length : target_length;
    const int shorter = source_length < target_length ? source_length : target_length;
    return spec->max_ratio > 0 && longer > spec->max_ratio * shorter ? RATIO : KEPT;
}

static void encode_piece(void *arg, int index, int thread)
{
    const maker *m = arg;
    const side *sides = m->sides[thread];
    piece *p = &m->pieces[index];
    const int end = (index + 1) * PIECE_PAIRS < m->n ? (index + 1) * PIECE_PAIRS : m->n;
    p->ids.n = 0;
    p->status = RAMUS_OK;
    for (int i = index * PIECE_PAIRS; i < end && !p->status; i++) {
        chunk_pair *c = &m->pairs[i];
        const char *text = m->text.data + c->text_at;
        const int before = p->ids.n;
        c->not_utf8 =
            !is_utf8(text, c->source_size) || !is_utf8(text + c->source_size, c->target_size);
        p->status =
            encode_side(&sides[0], text, c->source_size, &p->ids, &c->source_length, &p->err);
        if (!p->status)
            p->status = encode_side(&sides[1], text + c->source_size, c->target_size, &p->ids,
                                    &c->target_length, &p->err);
        if (p->status) {
            const int64_t line = m->counts.read - m->n + i + 1;
            char where[32];
            (void)snprintf(where, sizeof where, "line %lld", (long long)line);
            (void)ramus_fail_in(&p->err, p->status, where);
        }
        c->verdict = judge(m->spec, c->source_length, c->target_length);
        if (c->verdict != KEPT) p->ids.n = before;
    }
}

static ramus_status write_pair(maker *m, const chunk_pair *c, const int *ids, ramus_error *err)
{
    const char *text = m->text.data + c->text_at;
    const ramus_pair pair = {ids, ids + c->source_length, c->source_length, c->target_length};
    const ramus_pair_text texts = {text, text + c->source_size, c->source_size, c->target_size};
    m->counts.kept++;
    m->counts.source_tokens += c->source_length;
    m->counts.target_tokens += c->target_length;
    return ramus_corpus_writer_add(m->out, &pair, &texts, err);
}

static ramus_status write_piece(maker *m, int index, ramus_error *err)
{
    const piece *p = &m->pieces[index];
    const int *ids = p->ids.data;
    if (p->status) {
        if (err) *err = p->err;
        return ramus_fail_in(err, p->status, m->spec->source);
    }
    for (int i = index * PIECE_PAIRS; i < (index + 1) * PIECE_PAIRS && i < m->n; i++) {
        const chunk_pair *c = &m->pairs[i];
        ramus_status st = RAMUS_OK;
        m->counts.not_utf8 += c->not_utf8;
        switch (c->verdict) {
        case EMPTY:
            m->counts.empty++;
            break;
        case TOO_LONG:
            m->counts.too_long++;
            break;
        case RATIO:
            m->counts.ratio++;
            break;
        case KEPT:
            st = write_pair(m, c, ids, err);
            ids += c->source_length + c->target_length;
        }
        if (st) return st;
    }
    return RAMUS_OK;
}

/* Reads the next pairs; none at the end. */
static ramus_status read_chunk(maker *m, ramus_error *err)
{
    m->n = 0;
    ramus_buffer_clear(&m->text);
    while (m->n < CHUNK_PAIRS && m->text.size < CHUNK_BYTES) {
        ramus_pair_text text;
        const ramus_status st = ramus_pair_lines_next(m->lines, &text, err);
        if (st) return st;
        if (!text.source) break;
        m->pairs[m->n++] = (chunk_pair){.text_at = m->text.size,
                                        .source_size = text.source_size,
                                        .target_size = text.target_size};
        ramus_buffer_add(&m->text, text.source, text.source_size);
        ramus_buffer_add(&m->text, text.target, text.target_size);
    }
    m->counts.read += m->n;
    return ramus_buffer_check(&m->text, err);
}

static ramus_status make_all(maker *m, ramus_error *err)
{
    for (;;) {
        ramus_status st = read_chunk(m, err);
        if (st || m->n == 0) return st;
        const int n_pieces = (m->n + PIECE_PAIRS - 1) / PIECE_PAIRS;
        ramus_pool_for(m->spec->pool, n_pieces, encode_piece, m);
        for (int i = 0; i < n_pieces && !st; i++)
            st = write_piece(m, i, err);
        if (st) return st;
        if (m->spec->progress) m->spec->progress(m->spec->arg, (double)m->counts.read);
    }
}

static ramus_status fail_nothing(const maker *m, ramus_error *err)
{
    const ramus_corpus_counts *c = &m->counts;
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "%s: no pair is left of %lld: %lld have an empty side, %lld are longer than "
                      "%d tokens, %lld have sides too different in length",
                      m->spec->source, (long long)c->read, (long long)c->empty,
                      (long long)c->too_long, m->spec->max_length, (long long)c->ratio);
}

static ramus_status maker_init(maker *m, const ramus_corpus_spec *spec, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    m->spec = spec;
    m->threads = ramus_pool_threads(spec->pool);
    m->pairs = malloc(CHUNK_PAIRS * sizeof *m->pairs);
    m->pieces = calloc(N_PIECES, sizeof *m->pieces);
    m->sides = calloc((size_t)m->threads, sizeof *m->sides);
    if (!m->pairs || !m->pieces || !m->sides) return ramus_fail_memory(err, "a corpus");
    for (int i = 0; i < 2 * m->threads && !st; i++) {
        const ramus_vocab *vocab = i % 2 ? spec->target_vocab : spec->source_vocab;
        side *to = &m->sides[i / 2][i % 2];
        to->eos = ramus_vocab_eos(vocab);
        st = ramus_tokenizer_create(&to->tokenizer, vocab, err);
    }
    return st;
}

static void maker_free(maker *m)
{
    for (int i = 0; m->sides && i < 2 * m->threads; i++)
        ramus_tokenizer_destroy(m->sides[i / 2][i % 2].tokenizer);
    for (int i = 0; m->pieces && i < N_PIECES; i++)
        ramus_ids_free(&m->pieces[i].ids);
    free(m->sides);
    free(m->pieces);
    free(m->pairs);
    ramus_buffer_free(&m->text);
    ramus_corpus_writer_destroy(m->out);
    ramus_pair_lines_close(m->lines);
}

ramus_status ramus_corpus_make(const char *path, uint64_t key, const ramus_corpus_spec *spec,
                               ramus_error *err)
{
    maker m = {0};
    ramus_status st = maker_init(&m, spec, err);
    if (!st) st = ramus_pair_lines_open(&m.lines, spec, err);
    if (!st) st = ramus_corpus_writer_create(&m.out, path, spec->text, err);
    if (!st) st = make_all(&m, err);
    if (!st && m.counts.kept == 0) st = fail_nothing(&m, err);
    if (!st) st = ramus_corpus_writer_commit(m.out, key, &m.counts, err);
    maker_free(&m);
    return st;
}
