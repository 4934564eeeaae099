/* proto.h - the protobuf wire format, read field by field from memory.
 *
 * Only what a SentencePiece model needs: no schema, nothing is copied. A field whose wire type is
 * not the expected one is the caller's to skip, as protobuf does with fields it does not know. */
#ifndef RAMUS_TEXT_PROTO_H
#define RAMUS_TEXT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum ramus_proto_wire {
    RAMUS_PROTO_VARINT = 0, // integers, bool, enum: `number`
    RAMUS_PROTO_FIXED64 = 1,
    RAMUS_PROTO_BYTES = 2, // strings, messages: `data`, `size`
    RAMUS_PROTO_GROUP = 3, // skipped whole
    RAMUS_PROTO_FIXED32 = 5
} ramus_proto_wire;

typedef struct ramus_proto_field {
    uint32_t id;
    ramus_proto_wire wire;
    uint64_t number;           // of a varint, or the bits of a fixed value
    const unsigned char *data; // borrowed from the message
    size_t size;
} ramus_proto_field;

/* A message being read. Starts as {data, data + size, false}. */
typedef struct ramus_proto {
    const unsigned char *at, *end;
    bool failed; // the bytes are not protobuf; `at` is the field that is not one, and `end` too
} ramus_proto;

/* The bits of a fixed32 value. */
static inline uint32_t ramus_proto_bits(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* ramus_proto_next() for every kind of field. */
bool ramus_proto_next_any(ramus_proto *message, ramus_proto_field *field);

/* Reads the next field. Returns false at the end of the message and where it is broken. Nearly all
 * fields have a small id and are short strings or fixed32: these are read here. */
static inline bool ramus_proto_next(ramus_proto *message, ramus_proto_field *field)
{
    const unsigned char *at = message->at;
    const size_t left = (size_t)(message->end - at);
    if (left < 5 || at[0] < 8 || at[0] >= 0x80)
        return left > 0 && ramus_proto_next_any(message, field);
    const uint32_t id = at[0] >> 3, wire = at[0] & 7;
    if (wire == RAMUS_PROTO_BYTES && at[1] < 0x80 && at[1] <= left - 2) {
        *field = (ramus_proto_field){id, RAMUS_PROTO_BYTES, at[1], at + 2, at[1]};
        message->at = at + 2 + at[1];
        return true;
    }
    if (wire != RAMUS_PROTO_FIXED32) return ramus_proto_next_any(message, field);
    *field = (ramus_proto_field){id, RAMUS_PROTO_FIXED32, ramus_proto_bits(at + 1), NULL, 0};
    message->at = at + 5;
    return true;
}

/* The bits of a fixed32 field as the number they are. */
static inline float ramus_proto_float(const ramus_proto_field *field)
{
    const uint32_t bits = (uint32_t)field->number;
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
