/* proto.h - the protobuf wire format, read field by field from memory.
 *
 * Only what a SentencePiece model needs: no schema, nothing is copied. A field whose wire type is
 * not the expected one is the caller's to skip, as protobuf does with fields it does not know. */
#ifndef RAMUS_TEXT_PROTO_H
#define RAMUS_TEXT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    bool failed; // the bytes are not protobuf; `at` is the field that is not one
} ramus_proto;

/* Reads the next field. Returns false at the end of the message and where it is broken. */
bool ramus_proto_next(ramus_proto *message, ramus_proto_field *field);

/* The bits of a fixed32 field as the number they are. */
float ramus_proto_float(const ramus_proto_field *field);

#endif
