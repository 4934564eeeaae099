/* model.h - .model files put together field by field, for tests of vocabularies and tokenizers. */
#ifndef RAMUS_TESTS_TEXT_MODEL_H
#define RAMUS_TESTS_TEXT_MODEL_H

#include "base/buffer.h"
#include "text/vocab.h"

#include <stdint.h>
#include <string.h>

static inline void add_varint(ramus_buffer *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        ramus_buffer_add(b, &(unsigned char){(unsigned char)(value | 0x80)}, 1);
    ramus_buffer_add(b, &(unsigned char){(unsigned char)value}, 1);
}

static inline void add_number(ramus_buffer *b, uint32_t field, uint64_t value)
{
    add_varint(b, field << 3);
    add_varint(b, value);
}

static inline void add_bytes(ramus_buffer *b, uint32_t field, const void *data, size_t size)
{
    add_varint(b, field << 3 | 2);
    add_varint(b, size);
    ramus_buffer_add(b, data, size);
}

static inline void add_piece_bytes(ramus_buffer *b, const char *text, size_t size, float score,
                                   int kind)
{
    ramus_buffer piece = {0};
    unsigned char bits[4];
    memcpy(bits, &score, 4);
    add_bytes(&piece, 1, text, size);
    add_varint(&piece, 2 << 3 | 5);
    ramus_buffer_add(&piece, bits, 4);
    if (kind != 0) add_number(&piece, 3, (uint64_t)kind);
    add_bytes(b, 1, piece.data, piece.size);
    ramus_buffer_free(&piece);
}

static inline void add_piece(ramus_buffer *b, const char *text, float score, int kind)
{
    add_piece_bytes(b, text, strlen(text), score, kind);
}

/* Unknown, "a", "b", "ab". */
static inline ramus_buffer small_model(void)
{
    ramus_buffer b = {0};
    add_piece(&b, "<unk>", 0, RAMUS_PIECE_UNKNOWN);
    add_piece(&b, "a", -2, 0);
    add_piece(&b, "b", -2, RAMUS_PIECE_NORMAL);
    add_piece(&b, "ab", -3, RAMUS_PIECE_NORMAL);
    return b;
}

#endif
