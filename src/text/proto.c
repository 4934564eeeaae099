/* A tag, then what its wire type says. Groups are skipped by reading fields until the end tag of
 * the same depth. proto.h has a shorter way for most fields. */
#include "text/proto.h"

#include <string.h>

#define MAX_DEPTH 100 // of nested groups; protobuf's own recursion limit

static bool read_varint(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) { // ten bytes at most
        if (*at == end) return false;
        const uint64_t byte = *(*at)++;
        value |= (byte & 0x7F) << (shift < 64 ? shift : 63);
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

static bool read_fixed(const unsigned char **at, const unsigned char *end, int size, uint64_t *out)
{
    if (end - *at < size) return false;
    uint64_t value = 0;
    for (int i = size; i > 0; i--)
        value = value << 8 | (*at)[i - 1];
    *at += size;
    *out = value;
    return true;
}

/* Reads one tag and what follows it. Wire type 4 ends a group: the caller knows whether one is
 * open. */
static bool read_field(const unsigned char **at, const unsigned char *end, ramus_proto_field *f)
{
    uint64_t tag = 0;
    if (!read_varint(at, end, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) return false;
    *f = (ramus_proto_field){.id = (uint32_t)(tag >> 3), .wire = (ramus_proto_wire)(tag & 7)};
    switch (tag & 7) {
    case 0:
        return read_varint(at, end, &f->number);
    case 1:
        return read_fixed(at, end, 8, &f->number);
    case 2:
        if (!read_varint(at, end, &f->number) || f->number > (uint64_t)(end - *at)) return false;
        f->data = *at;
        f->size = (size_t)f->number;
        *at += f->size;
        return true;
    case 3:
    case 4:
        return true;
    case 5:
        return read_fixed(at, end, 4, &f->number);
    default:
        return false;
    }
}

static bool skip_group(const unsigned char **at, const unsigned char *end)
{
    int depth = 1;
    while (depth > 0) {
        ramus_proto_field f;
        if (!read_field(at, end, &f)) return false;
        if ((int)f.wire == 3 && ++depth > MAX_DEPTH) return false;
        if ((int)f.wire == 4) depth--;
    }
    return true;
}

bool ramus_proto_next_any(ramus_proto *message, ramus_proto_field *field)
{
    const unsigned char *at = message->at;
    if (!read_field(&at, message->end, field) || (int)field->wire == 4 ||
        (field->wire == RAMUS_PROTO_GROUP && !skip_group(&at, message->end))) {
        message->failed = true;
        message->end = message->at;
        return false;
    }
    message->at = at;
    return true;
}
