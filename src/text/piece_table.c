/* The table is a protobuf message in a field of a number that SentencePiece leaves to others. The
 * vocabulary that is read has the words of the table, and inside of it the one that cuts. */
#include "text/piece_table.h"

#include "text/proto.h"
#include "text/segment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define WORD 1 // fields of the message
#define EOS  2
#define UNK  3
#define PAD  4

static void add_varint(ramus_buffer *out, uint64_t x)
{
    for (; x >= 0x80; x >>= 7)
        ramus_buffer_add(out, &(unsigned char){(unsigned char)(x | 0x80)}, 1);
    ramus_buffer_add(out, &(unsigned char){(unsigned char)x}, 1);
}

static void add_bytes(ramus_buffer *out, uint32_t field, const void *data, size_t size)
{
    add_varint(out, (uint64_t)field << 3 | RAMUS_PROTO_BYTES);
    add_varint(out, size);
    ramus_buffer_add(out, data, size);
}

static void add_number(ramus_buffer *out, uint32_t field, int number)
{
    add_varint(out, (uint64_t)field << 3 | RAMUS_PROTO_VARINT);
    add_varint(out, (uint64_t)number);
}

ramus_status ramus_piece_table_write(const ramus_piece_table *t, const void *model, size_t size,
                                     ramus_buffer *out, ramus_error *err)
{
    ramus_buffer table = {0};
    for (int i = 0; i < t->n; i++)
        add_bytes(&table, WORD, t->words[i], strlen(t->words[i]));
    add_number(&table, EOS, t->eos);
    add_number(&table, UNK, t->unk);
    if (t->pad >= 0) add_number(&table, PAD, t->pad);
    ramus_status st = ramus_buffer_check(&table, err);
    if (!st) {
        ramus_buffer_add(out, model, size);
        add_bytes(out, RAMUS_PIECE_TABLE_FIELD, table.data, table.size);
        st = ramus_buffer_check(out, err);
    }
    ramus_buffer_free(&table);
    return st;
}

static ramus_status fail_table(ramus_error *err)
{
    return ramus_fail(err, RAMUS_BAD_FORMAT, "its table of pieces is not a message");
}

static ramus_status count_words(ramus_vocab *v, const unsigned char *data, size_t size,
                                ramus_error *err)
{
    ramus_proto p = {data, data + size, false};
    ramus_proto_field f;
    int64_t eos = -1, unk = -1, pad = -1;
    while (ramus_proto_next(&p, &f)) {
        const bool number = f.wire == RAMUS_PROTO_VARINT && f.number < INT_MAX;
        if (f.id == WORD && f.wire == RAMUS_PROTO_BYTES) v->n_pieces++;
        if (f.id == EOS && number) eos = (int64_t)f.number;
        if (f.id == UNK && number) unk = (int64_t)f.number;
        if (f.id == PAD && number) pad = (int64_t)f.number;
    }
    if (p.failed) return fail_table(err);
    const int64_t n = v->n_pieces;
    if (eos < 0 || unk < 0 || eos >= n || unk >= n || pad >= n || eos == unk || eos == pad ||
        unk == pad)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "its table has %d pieces, of which number %d is </s>, %d <unk>, %d <pad>",
                          v->n_pieces, (int)eos, (int)unk, (int)pad);
    v->eos = (int)eos;
    v->unk = (int)unk;
    v->pad = (int)pad;
    return RAMUS_OK;
}

static int kind_of(const ramus_vocab *v, int id, size_t size)
{
    if (id == v->unk) return RAMUS_PIECE_UNKNOWN;
    return id == v->eos || id == v->pad || size == 0 ? RAMUS_PIECE_CONTROL : RAMUS_PIECE_NORMAL;
}

static ramus_status read_words(ramus_vocab *v, const unsigned char *data, size_t size,
                               ramus_error *err)
{
    ramus_proto p = {data, data + size, false};
    ramus_proto_field f;
    char *to = v->texts;
    int id = 0;
    while (ramus_proto_next(&p, &f)) {
        if (f.id != WORD || f.wire != RAMUS_PROTO_BYTES) continue;
        if (f.size >= RAMUS_PIECE_MOST || (f.size && memchr(f.data, 0, f.size)))
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "piece %d of its table has %zu bytes, expected less than %d and no "
                              "zero byte",
                              id, f.size, RAMUS_PIECE_MOST);
        if (f.size == 0 && (id == v->eos || id == v->unk || id == v->pad))
            return ramus_fail(err, RAMUS_BAD_FORMAT, "special piece %d of its table is empty", id);
        const int kind = kind_of(v, id, f.size);
        if (f.size) memcpy(to, f.data, f.size);
        to[f.size] = '\0';
        v->pieces[id++] = (ramus_piece){to, 0, (int16_t)f.size, (uint8_t)kind, (uint8_t)kind};
        to += f.size + 1;
    }
    return RAMUS_OK;
}

/* Where the pieces that cut text are in the table. */
static ramus_status map_pieces(ramus_vocab *v, ramus_error *err)
{
    const ramus_vocab *cuts = v->cuts;
    v->words = malloc(((size_t)cuts->n_pieces + 1) * sizeof *v->words);
    if (!v->words) return ramus_fail_memory(err, "a table of pieces");
    for (int i = 0; i < cuts->n_pieces; i++)
        v->words[i] = ramus_vocab_lookup(v, cuts->pieces[i].text, (size_t)cuts->pieces[i].size);
    return RAMUS_OK;
}

ramus_status ramus_piece_table_read(ramus_vocab *v, const unsigned char *data, size_t size,
                                    ramus_error *err)
{
    const ramus_vocab *cuts = v->cuts;
    if (cuts->byte_fallback || cuts->denormalises || cuts->has_user || cuts->has_unused)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "a table of pieces goes with normal pieces, but the SentencePiece model "
                          "has %s",
                          cuts->byte_fallback  ? "byte fallback"
                          : cuts->denormalises ? "denormalisation"
                          : cuts->has_user     ? "user-defined pieces"
                                               : "unused pieces");
    v->type = cuts->type;
    v->normaliser.dummy_prefix = cuts->normaliser.dummy_prefix;
    v->normaliser.remove_extra_spaces = cuts->normaliser.remove_extra_spaces;
    v->bos = -1;
    ramus_status st = count_words(v, data, size, err);
    if (st) return st;
    v->pieces = calloc((size_t)v->n_pieces, sizeof *v->pieces);
    v->texts = malloc(size + 1); // a field has more bytes than its text and a zero
    v->unk_surface = calloc(1, 1);
    if (!v->pieces || !v->texts || !v->unk_surface)
        return ramus_fail_memory(err, "a table of pieces");
    st = read_words(v, data, size, err);
    if (!st) st = ramus_vocab_index(v, err);
    return st ? st : map_pieces(v, err);
}
