/* The reader of protocol buffers against the examples of the encoding guide, and against cut bytes.
 */
#include "text/proto.h"

#include "check.h"

static ramus_proto message(const char *bytes, size_t size)
{
    const unsigned char *data = (const unsigned char *)bytes;
    return (ramus_proto){data, data + size, false};
}

/* The examples of the protobuf encoding guide: 150 and "testing". */
static void reads_the_fields_of_the_encoding_guide(void)
{
    static const char bytes[] = "\x08\x96\x01"
                                "\x12\x07testing"
                                "\x1D\x00\x00\x80\xBF"
                                "\x21\x01\x02\x03\x04\x05\x06\x07\x08"
                                "\x2B\x08\x01\x33\x12\x01x\x34\x2C"
                                "\x30\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01";
    ramus_proto p = message(bytes, sizeof bytes - 1);
    ramus_proto_field f;
    EXPECT(ramus_proto_next(&p, &f) && f.id == 1 && f.number == 150, "varint");
    EXPECT(ramus_proto_next(&p, &f) && f.id == 2 && f.size == 7, "string");
    EXPECT_BYTES(f.data, "testing", 7, "bytes of the string");
    EXPECT(ramus_proto_next(&p, &f) && f.id == 3 && ramus_proto_float(&f) == -1.0f, "float");
    EXPECT(ramus_proto_next(&p, &f) && f.number == 0x0807060504030201u, "fixed64");
    EXPECT(ramus_proto_next(&p, &f) && f.id == 5 && f.wire == RAMUS_PROTO_GROUP, "group");
    EXPECT(ramus_proto_next(&p, &f) && f.id == 6 && f.number == ~0ull, "-1");
    EXPECT(!ramus_proto_next(&p, &f) && !p.failed, "the end");
}

static void stops_at_what_is_no_field(void)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *what;
    } cases[] = {
        {"\x00\x01", 2, "field 0"},
        {"\x08", 1, "no value"},
        {"\x08\xFF", 2, "half a varint"},
        {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 12, "a varint of eleven bytes"},
        {"\x12\x05test", 6, "a string beyond the end"},
        {"\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11, "a string of 2^64 - 1 bytes"},
        {"\x1D\x00\x00\x80", 4, "three bytes of a fixed32"},
        {"\x21\x00\x00\x00\x00\x00\x00\x00", 8, "seven bytes of a fixed64"},
        {"\x0E\x00", 2, "wire type 6"},
        {"\x0F\x00", 2, "wire type 7"},
        {"\x0C", 1, "the end of no group"},
        {"\x0B\x08\x01", 3, "a group without end"},
        {"\xF8\xFF\xFF\xFF\xFF\x01\x00", 7, "a field number above 2^29"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ramus_proto p = message(cases[i].bytes, cases[i].size);
        ramus_proto_field f;
        EXPECT(!ramus_proto_next(&p, &f) && p.failed, "%s", cases[i].what);
        EXPECT(!ramus_proto_next(&p, &f) && p.failed, "%s, again", cases[i].what);
    }
    char deep[300];
    memset(deep, 0x0B, sizeof deep);
    ramus_proto p = message(deep, sizeof deep);
    ramus_proto_field f;
    EXPECT(!ramus_proto_next(&p, &f) && p.failed, "300 groups in each other");
}

CHECK_MAIN({"reads_the_fields_of_the_encoding_guide", reads_the_fields_of_the_encoding_guide},
           {"stops_at_what_is_no_field", stops_at_what_is_no_field})
