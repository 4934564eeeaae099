/* Files are put together by hand as the specification says, then damaged: overlaps, holes, wrong
 * sizes, broken JSON. Each is refused with a sentence. */
#include "format/safetensors.h"

#include "base/buffer.h"
#include "base/rng.h"

#include "check.h"

#include <stdint.h>

/* A file as others write it: length, header padded with spaces to a multiple of 8, data. */
static ramus_buffer compose(const char *header, const void *data, size_t size)
{
    ramus_buffer b = {0};
    ramus_error err = {0};
    const size_t length = (strlen(header) + 7) / 8 * 8;
    const unsigned char bytes[8] = {length & 0xFF, length >> 8 & 0xFF, length >> 16 & 0xFF};
    ramus_buffer_add(&b, bytes, 8);
    ramus_buffer_text(&b, header);
    while (b.size < 8 + length)
        ramus_buffer_text(&b, " ");
    ramus_buffer_add(&b, data, size);
    REQUIRE_OK(ramus_buffer_check(&b, &err), err);
    return b;
}

/* Opens a copy of exactly `size` bytes, so that asan sees a read behind it, and reads all of it. */
static ramus_status touch(const void *bytes, size_t size, ramus_error *err)
{
    ramus_safetensors *s = NULL;
    unsigned char *copy = malloc(size ? size : 1);
    size_t total = 0;
    volatile unsigned sum = 0;
    RAMUS_ASSERT(copy);
    if (size) memcpy(copy, bytes, size);
    const ramus_status st = ramus_safetensors_open_memory(&s, copy, size, "mem", err);
    EXPECT((st == RAMUS_OK) == (s != NULL), "a result on success only");
    for (int i = 0; !st && i < ramus_safetensors_count(s); i++) {
        const ramus_safetensor *t = ramus_safetensors_at(s, i);
        const unsigned char *data = t->data;
        EXPECT(data >= copy && t->size <= size - (size_t)(data - copy), "%s in bounds", t->name);
        EXPECT((uintptr_t)data % ramus_safetensor_dtype_size(t->dtype) == 0, "%s aligned", t->name);
        for (size_t k = 0; k < t->size; k++)
            sum += data[k];
        total += t->size;
        EXPECT(ramus_safetensors_find(s, t->name) == t, "%s found", t->name);
    }
    for (int i = 0; !st && i < ramus_safetensors_metadata_count(s); i++) {
        const ramus_safetensors_metadata *m = ramus_safetensors_metadata_at(s, i);
        EXPECT(ramus_safetensors_metadata_find(s, m->key) == m->value, "%s found", m->key);
        sum += (unsigned)strlen(m->value);
    }
    EXPECT(total <= size, "no more data than bytes");
    ramus_safetensors_close(s);
    free(copy);
    return st;
}

static void expect_refused(const char *header, size_t size, const char *sentence)
{
    static const unsigned char zeros[64];
    ramus_error err = {0};
    ramus_buffer b = compose(header, zeros, size);
    EXPECT_FAILS(touch(b.data, b.size, &err), err, sentence);
    EXPECT(strncmp(err.message, "mem: ", 5) == 0, "begins with the label: %s", err.message);
    EXPECT_INT(err.status, RAMUS_BAD_FORMAT, header);
    EXPECT(touch(b.data, b.size, NULL) == RAMUS_BAD_FORMAT, "an error may be NULL");
    ramus_buffer_free(&b);
}

/* The members of a tensor in the order and spacing of the common writer (Rust), of Python's json
 * module, and in another order. */
static void tensors_and_metadata_are_read(void)
{
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"pt\",\"\":\"\",\"k\\u00e4\":\"a\\nb\"},"
        "\"w\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]}, "
        "\"last\" : {\"data_offsets\": [14, 15], \"shape\": [], \"dtype\": \"BOOL\"},\n"
        "\"none\": {\"dtype\": \"I16\", \"shape\": [0, 3], \"data_offsets\": [8, 8]},"
        "\"\\u00e4\\\"/\": {\"dtype\": \"BF16\", \"shape\": [1,1,1,1,1,1,1,3], "
        "\"data_offsets\": [8, 14]}}";
    static const unsigned char data[15] = {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0, 1, 2, 3, 4, 5, 6, 1};
    ramus_error err = {0};
    ramus_safetensors *s = NULL;
    ramus_buffer b = compose(header, data, sizeof data);
    REQUIRE_OK(ramus_safetensors_open_memory(&s, b.data, b.size, "mem", &err), err);

    EXPECT_INT(ramus_safetensors_count(s), 4, "tensors");
    static const char *const order[] = {"w", "none", "\xC3\xA4\"/", "last"};
    for (int i = 0; i < 4; i++)
        EXPECT_TEXT(ramus_safetensors_at(s, i)->name, order[i]);
    const ramus_safetensor *w = ramus_safetensors_find(s, "w");
    EXPECT(w && w->dtype == RAMUS_SAFETENSOR_F32 && w->rank == 2 && w->shape[0] == 2 &&
               w->shape[1] == 1 && w->size == 8 && w->count == 2,
           "w");
    EXPECT(((const float *)w->data)[0] == 1 && ((const float *)w->data)[1] == -2, "values of w");
    const ramus_safetensor *none = ramus_safetensors_find(s, "none");
    EXPECT(none && none->size == 0 && none->count == 0 && none->rank == 2, "an empty tensor");
    const ramus_safetensor *eight = ramus_safetensors_find(s, "\xC3\xA4\"/");
    EXPECT(eight && eight->rank == 8 && eight->shape[7] == 3 && eight->count == 3, "rank 8");
    EXPECT(memcmp(eight->data, data + 8, 6) == 0, "values at rank 8");
    const ramus_safetensor *last = ramus_safetensors_find(s, "last");
    EXPECT(last && last->rank == 0 && last->count == 1 && last->size == 1, "a single value");
    EXPECT(!ramus_safetensors_find(s, "W") && !ramus_safetensors_find(s, "__metadata__"), "others");

    EXPECT_INT(ramus_safetensors_metadata_count(s), 3, "metadata");
    EXPECT_TEXT(ramus_safetensors_metadata_at(s, 0)->key, "format");
    EXPECT_TEXT(ramus_safetensors_metadata_find(s, "format"), "pt");
    EXPECT_TEXT(ramus_safetensors_metadata_find(s, ""), "");
    EXPECT_TEXT(ramus_safetensors_metadata_find(s, "k\xC3\xA4"), "a\nb");
    EXPECT(!ramus_safetensors_metadata_find(s, "w"), "a tensor is no metadata");
    ramus_safetensors_close(s);
    ramus_safetensors_close(NULL);
    ramus_buffer_free(&b);
}

static void every_dtype_has_its_size(void)
{
    static const struct {
        const char *name;
        int size;
    } rows[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4}, {"I16", 2},
                {"I8", 1},  {"U64", 8}, {"U32", 4}, {"U16", 2},  {"U8", 1},  {"BOOL", 1}};
    static const unsigned char zeros[24];
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        char header[100];
        ramus_error err = {0};
        ramus_safetensors *s = NULL;
        (void)snprintf(header, sizeof header,
                       "{\"x\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%d]}}",
                       rows[i].name, 3 * rows[i].size);
        ramus_buffer b = compose(header, zeros, 3 * (size_t)rows[i].size);
        REQUIRE_OK(ramus_safetensors_open_memory(&s, b.data, b.size, "mem", &err), err);
        EXPECT_TEXT(ramus_safetensor_dtype_name(ramus_safetensors_at(s, 0)->dtype), rows[i].name);
        EXPECT_INT(ramus_safetensors_at(s, 0)->dtype, i, rows[i].name);
        ramus_safetensors_close(s);
        ramus_buffer_free(&b);
    }
}

static void files_without_tensors_are_read(void)
{
    static const char *const headers[] = {"{}", "{\"__metadata__\":{}}", "{ \n }   "};
    for (int i = 0; i < RAMUS_COUNT(headers); i++) {
        ramus_error err = {0};
        ramus_buffer b = compose(headers[i], NULL, 0);
        REQUIRE_OK(touch(b.data, b.size, &err), err);
        ramus_buffer_free(&b);
    }
}

static void lengths_that_do_not_fit_are_refused(void)
{
    ramus_error err = {0};
    EXPECT_FAILS(touch("", 0, &err), err, "mem: 0 bytes, a safetensors file has at least 8");
    EXPECT_FAILS(touch("\2\0\0\0\0\0\0", 7, &err), err, "mem: 7 bytes, a safetensors file has");
    EXPECT_FAILS(touch("\0\0\0\0\0\0\0\0", 8, &err), err, "mem: the header does not begin with");
    EXPECT_FAILS(touch("\3\0\0\0\0\0\0\0{}", 10, &err), err,
                 "mem: a header of 3 bytes, but only 2 follow");
    EXPECT_FAILS(touch("\x01\xE1\xF5\x05\0\0\0\0{}", 10, &err), err,
                 "mem: a header of 100000001 bytes, a safetensors file has at most 100000000");
    EXPECT_FAILS(touch("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10, &err), err,
                 "mem: is neither GGUF nor safetensors");
    EXPECT_FAILS(touch("\3\0\0\0\0\0\0\0 {}", 11, &err), err, "does not begin with '{'");
    REQUIRE_OK(touch("\2\0\0\0\0\0\0\0{}", 10, &err), err);
}

static void headers_that_are_no_json_are_refused(void)
{
    expect_refused("[]", 0, "mem: the header does not begin with '{'");
    expect_refused("{", 0, "byte 16: found the end, expected '\"'");
    expect_refused("{}}", 0, "mem: byte 10: found '}', expected the end");
    expect_refused("{} {}", 0, "byte 11: found '{', expected the end");
    expect_refused("{\"a\":{\"dtype\":\"F32\",}}", 0, "tensor 'a': byte 28: found '}'");
    expect_refused("{\"a\xFF\":{}}", 0, "byte 11: found 0xFF, expected UTF-8");
    expect_refused("{\"a\":{\"dtype\":\"\xC3\"}}", 0,
                   "tensor 'a': byte 23: found 0xC3, expected UTF-8");
    expect_refused("{\"a\":[]}", 0, "tensor 'a': byte 13: found '[', expected '{'");
    expect_refused("{\"a\":null}", 0, "tensor 'a': byte 13: found 'n', expected '{'");
    ramus_error err = {0};
    EXPECT_FAILS(touch("\3\0\0\0\0\0\0\0{}\0", 11, &err), err, "byte 10: found 0x00, expected the");
}

static void names_must_be_there_and_differ(void)
{
    static const char a[] = "\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]";
    static const char b[] = "\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]";
    static const struct {
        const char *first, *second, *sentence;
    } rows[] = {
        {"", "x", "byte 12: a tensor has an empty name"},
        {"x", "x", "tensor 'x': its name appears twice"},
        {"x", "\\u0078", "tensor 'x': its name appears twice"},
        {"x", "x\\u0000", "'x' is followed by a zero byte"},
        {"\\u0000", "x", "'' is followed by a zero byte"},
        {"x", "__metadata__\\u0000", "'__metadata__' is followed by a zero byte"},
        {"\\u001b[2J\\n", "\\u001b[2J\\n", "tensor '?[2J?': its name appears twice"},
    };
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        char header[256];
        (void)snprintf(header, sizeof header, "{\"%s\":{%s},\"%s\":{%s}}", rows[i].first, a,
                       rows[i].second, b);
        expect_refused(header, 2, rows[i].sentence);
    }
}

static void long_names_leave_room_for_the_reason(void)
{
    ramus_buffer header = {0};
    ramus_buffer_text(&header, "{\"x");
    for (int i = 0; i < 1000; i++)
        ramus_buffer_text(&header, "\xC3\xA4");
    ramus_buffer_text(&header, "\":{}}");
    expect_refused(header.data, 0, "\xC3\xA4?': it has no dtype"); // cut inside a letter
    ramus_buffer_free(&header);
}

/* One tensor 'x' in 16 bytes of data, with the members given. */
static void entries_that_are_wrong_are_refused(void)
{
    static const struct {
        const char *members, *sentence;
    } rows[] = {
        {"", "tensor 'x': it has no dtype"},
        {"'shape':[16],'data_offsets':[0,16]", "tensor 'x': it has no dtype"},
        {"'dtype':'U8','data_offsets':[0,16]", "tensor 'x': it has no shape"},
        {"'dtype':'U8','shape':[16]", "tensor 'x': it has no data_offsets"},
        {"'dtype':'U8','dtype':'U8','shape':[16],'data_offsets':[0,16]", "it has two dtype"},
        {"'dtype':'U8','shape':[16],'shape':[16],'data_offsets':[0,16]", "it has two shape"},
        {"'dtype':'U8','shape':[16],'data_offsets':[0,16],'data_offsets':[0,16]",
         "tensor 'x': it has two data_offsets, expected one"},
        {"'dtype':'U8','shape':[16],'data_offsets':[0,16],'other':1",
         "tensor 'x': it has the key 'other', expected dtype, shape and data_offsets"},
        {"'dtype\\u0000':'U8','shape':[16],'data_offsets':[0,16]", "it has the key 'dtype'"},
        {"'dtype':'F8_E4M3','shape':[16],'data_offsets':[0,16]",
         "tensor 'x': its dtype is 'F8_E4M3', expected one of F64, F32, F16, BF16, I64, I32"},
        {"'dtype':'f32','shape':[4],'data_offsets':[0,16]", "its dtype is 'f32'"},
        {"'dtype':'F32\\u0000','shape':[4],'data_offsets':[0,16]", "its dtype is 'F32', expected"},
        {"'dtype':'','shape':[4],'data_offsets':[0,16]", "its dtype is ''"},
        {"'dtype':5,'shape':[4],'data_offsets':[0,16]", "found '5', expected '\"'"},
        {"'dtype':'U8','shape':16,'data_offsets':[0,16]", "found '1', expected '['"},
        {"'dtype':'U8','shape':[-16],'data_offsets':[0,16]",
         "tensor 'x': its shape has -16, expected 0 to"},
        {"'dtype':'U8','shape':[16.0],'data_offsets':[0,16]", "found 16.0, expected a whole"},
        {"'dtype':'U8','shape':['16'],'data_offsets':[0,16]", "found '\"', expected a number"},
        {"'dtype':'U8','shape':[9223372036854775808],'data_offsets':[0,16]",
         "tensor 'x': byte 36: found 9223372036854775808, expected a whole number below 2^63"},
        {"'dtype':'U8','shape':[4294967296,4294967296],'data_offsets':[0,16]",
         "tensor 'x': its shape has more values than memory has addresses"},
        {"'dtype':'F64','shape':[2305843009213693954],'data_offsets':[0,16]", // 2^61 + 2
         "tensor 'x': its shape has more values than memory has addresses"},
        {"'dtype':'U8','shape':[0,4294967296,4294967296],'data_offsets':[0,0]",
         "tensor 'x': its shape has more values than memory has addresses"},
        {"'dtype':'U8','shape':[16,1,1,1,1,1,1,1,1],'data_offsets':[0,16]",
         "tensor 'x': its shape has more than 8 numbers"},
        {"'dtype':'U8','shape':[15],'data_offsets':[0,16]",
         "tensor 'x': its data_offsets hold 16 bytes, its dtype and shape need 15"},
        {"'dtype':'U16','shape':[16],'data_offsets':[0,16]", "hold 16 bytes, its dtype and shape"},
        {"'dtype':'U8','shape':[],'data_offsets':[0,16]", "its dtype and shape need 1"},
        {"'dtype':'U8','shape':[0],'data_offsets':[0,16]", "its dtype and shape need 0"},
        {"'dtype':'U8','shape':[16],'data_offsets':[16,0]",
         "tensor 'x': its data_offsets run backwards, 16 to 0"},
        {"'dtype':'U8','shape':[17],'data_offsets':[0,17]",
         "tensor 'x': its data_offsets are 0 to 17, the file has 16 bytes of data"},
        {"'dtype':'U8','shape':[1],'data_offsets':[9223372036854775806,9223372036854775807]",
         "the file has 16 bytes of data"},
        {"'dtype':'U8','shape':[16],'data_offsets':[-16,0]", "its data_offsets has -16, expected"},
        {"'dtype':'U8','shape':[16],'data_offsets':[0]", "its data_offsets has 1 numbers"},
        {"'dtype':'U8','shape':[16],'data_offsets':[0,16,16]", "data_offsets has more than 2"},
        {"'dtype':'U8','shape':[15],'data_offsets':[0,15]",
         "mem: the tensors have 15 bytes of data, the file has 16"},
        {"'dtype':'U8','shape':[15],'data_offsets':[1,16]",
         "tensor 'x': its data begins at 1, expected 0: a hole"},
        {"'dtype':'U8','shape':[0],'data_offsets':[8,8]", "begins at 8, expected 0: a hole"},
    };
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        char header[256];
        const int size = snprintf(header, sizeof header, "{\"x\":{%s}}", rows[i].members);
        RAMUS_ASSERT(size < (int)sizeof header);
        for (char *c = header; *c; c++)
            if (*c == '\'') *c = '"';
        expect_refused(header, 16, rows[i].sentence);
    }
    expect_refused("{}", 16, "the tensors have 0 bytes of data, the file has 16");
}

/* Tensors a and b in 16 bytes of data. */
static void tensors_that_do_not_tile_the_data_are_refused(void)
{
    static const struct {
        const char *dtype[2];
        int n[2], begin[2], end[2];
        const char *sentence; // NULL: fine
    } rows[] = {
        {{"U8", "U8"}, {8, 8}, {0, 8}, {8, 16}, NULL},
        {{"U8", "U8"}, {8, 8}, {8, 0}, {16, 8}, NULL},
        {{"U8", "F32"}, {4, 3}, {0, 4}, {4, 16}, NULL},
        {{"U8", "U8"}, {16, 0}, {0, 16}, {16, 16}, NULL},
        {{"U8", "U8"}, {0, 16}, {0, 0}, {0, 16}, NULL},
        {{"U8", "U8"}, {9, 8}, {0, 8}, {9, 16}, "'b': its data begins at 8, inside that of 'a'"},
        {{"U8", "U8"}, {16, 16}, {0, 0}, {16, 16}, "'b': its data begins at 0, inside that of 'a'"},
        {{"U8", "U8"}, {16, 4}, {0, 4}, {16, 8}, "'b': its data begins at 4, inside that of 'a'"},
        {{"U8", "U8"}, {16, 0}, {0, 4}, {16, 4}, "'b': its data begins at 4, inside that of 'a'"},
        {{"U8", "U8"}, {8, 7}, {0, 9}, {8, 16}, "'b': its data begins at 9, expected 8: a hole"},
        {{"U8", "U8"}, {8, 7}, {0, 8}, {8, 15}, "tensors have 15 bytes of data, the file has 16"},
        {{"U8", "F32"},
         {2, 3},
         {0, 2},
         {2, 14},
         "tensor 'b': its data is at byte 122 of the file, F32 needs a multiple of 4"},
        {{"U8", "I64"}, {10, 0}, {0, 10}, {10, 10}, "I64 needs a multiple of 4"},
        {{"U8", "BF16"}, {1, 7}, {0, 1}, {1, 15}, "BF16 needs a multiple of 2"},
    };
    static const unsigned char zeros[16];
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        char header[256];
        (void)snprintf(header, sizeof header,
                       "{\"a\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[%d,%d]},"
                       "\"b\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[%d,%d]}}",
                       rows[i].dtype[0], rows[i].n[0], rows[i].begin[0], rows[i].end[0],
                       rows[i].dtype[1], rows[i].n[1], rows[i].begin[1], rows[i].end[1]);
        if (rows[i].sentence) {
            expect_refused(header, 16, rows[i].sentence);
            continue;
        }
        ramus_error err = {0};
        ramus_buffer b = compose(header, zeros, 16);
        REQUIRE_OK(touch(b.data, b.size, &err), err);
        ramus_buffer_free(&b);
    }
}

/* A header that is not padded puts numbers where the CPU may not read them. */
static void data_after_an_odd_header_must_be_bytes(void)
{
    static const char header[] =
        "{\"x\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}} ";
    ramus_error err = {0};
    ramus_buffer b = compose(header, "", 0);
    const size_t length = sizeof header - 1;
    RAMUS_ASSERT(length % 2 == 1);
    b.data[0] = (char)length;
    EXPECT_FAILS(touch(b.data, 8 + length + 4, &err), err, "F16 needs a multiple of 2");
    ramus_buffer_free(&b);
}

static void metadata_must_be_distinct_texts(void)
{
    static const struct {
        const char *value, *sentence;
    } rows[] = {
        {"null", "__metadata__: byte 24: found 'n', expected '{'"},
        {"[]", "__metadata__: byte 24: found '[', expected '{'"},
        {"{\"a\":1}", "__metadata__: byte 29: found '1', expected '\"'"},
        {"{\"a\":{}}", "__metadata__: byte 29: found '{', expected '\"'"},
        {"{\"a\":\"\",\"b\":\"\",\"a\":\"\"}", "__metadata__: the key 'a' appears twice"},
        {"{\"a\\u0000\":\"\"}", "__metadata__: byte 35: 'a' is followed by a zero byte"},
        {"{\"a\":\"b\\u0000\"}", "__metadata__: byte 38: 'b' is followed by a zero byte"},
        {"{},\"__metadata__\":{}", "mem: the header has two __metadata__, expected one"},
    };
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        char header[128];
        (void)snprintf(header, sizeof header, "{\"__metadata__\":%s}", rows[i].value);
        expect_refused(header, 0, rows[i].sentence);
    }
}

static void a_hundred_thousand_tensors_are_opened_and_found(void)
{
    enum { N = 100000 };
    ramus_buffer header = {0};
    ramus_error err = {0};
    ramus_safetensors *s = NULL;
    unsigned char *data = calloc(N, 1);
    RAMUS_ASSERT(data);
    for (int i = 0; i < N; i++) { // neither in the order of names nor in that of places
        const int k = (int)((long long)i * 54321 % N);
        ramus_buffer_print(&header,
                           "%c\"t%d\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[%d,%d]}",
                           i ? ',' : '{', i, k, k + 1);
        data[k] = (unsigned char)i;
    }
    ramus_buffer_text(&header, "}");
    ramus_buffer b = compose(header.data, data, N);
    REQUIRE_OK(ramus_safetensors_open_memory(&s, b.data, b.size, "mem", &err), err);
    EXPECT_INT(ramus_safetensors_count(s), N, "tensors");
    for (int i = 0; i < N; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "t%d", i);
        const ramus_safetensor *t = ramus_safetensors_find(s, name);
        EXPECT(t && *(const unsigned char *)t->data == (unsigned char)i, "%s", name);
    }
    ramus_safetensors_close(s);
    ramus_buffer_free(&b);
    ramus_buffer_free(&header);
    free(data);
}

/* Changes one place of b: a bit, a letter of the header's own alphabet, one more, one less. */
static void mutate(ramus_buffer *b, const uint32_t bits[3])
{
    static const char letters[] = "0123456789-+.eE{}[]\",:\\u \xC3\xFF"
                                  "FIUB_";
    const size_t at = bits[0] % b->size;
    const char letter = letters[bits[1] % (sizeof letters - 1)];
    switch (bits[2] % 16) {
    case 0: // cut off
        b->size = at ? at : 1;
        break;
    case 1:
    case 2: // one less
        memmove(b->data + at, b->data + at + 1, b->size - at - 1);
        if (b->size > 1) b->size--;
        break;
    case 3:
    case 4: // one more
        ramus_buffer_add(b, "", 1);
        memmove(b->data + at + 1, b->data + at, b->size - at - 1);
        b->data[at] = letter;
        break;
    case 5:
    case 6:
    case 7:
    case 8: // in the first half, so that a short header is changed as often as data
        b->data[at / 2] ^= (char)(1 << bits[1] % 8);
        break;
    default:
        b->data[at] = letter;
    }
}

static void damaged_files_are_refused_or_sound(void)
{
    static const char header[] =
        "{\"__metadata__\":{\"a\":\"\\u00e4\\ud83d\\ude00\",\"b\":\"\"},"
        "\"x\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
        "\"y\":{\"dtype\":\"I16\",\"shape\":[],\"data_offsets\":[8,10]},"
        "\"e\":{\"dtype\":\"U8\",\"shape\":[0,9],\"data_offsets\":[10,10]},"
        "\"z\":{\"dtype\":\"I8\",\"shape\":[2,3],\"data_offsets\":[10,16]}}";
    static const unsigned char zeros[16];
    const ramus_rng rng = {check_seed(), 0, 0, 0};
    ramus_error err = {0};
    ramus_buffer whole = compose(header, zeros, sizeof zeros), b = {0};
    int n_sound = 0, n_refused = 0;
    REQUIRE_OK(touch(whole.data, whole.size, &err), err);
    for (uint64_t round = 0; round < 20000; round++) {
        uint32_t bits[12];
        ramus_rng_fill(&rng, bits, 12 * round, 12);
        ramus_buffer_clear(&b);
        ramus_buffer_add(&b, whole.data, whole.size);
        for (uint64_t i = 0; i < 1 + round % 4; i++)
            mutate(&b, bits + 3 * i);
        err.message[0] = '\0';
        const ramus_status st = touch(b.data, b.size, &err);
        if (st) EXPECT(strlen(err.message) > 5, "round %d: no sentence", (int)round);
        n_sound += st == RAMUS_OK;
        n_refused += st == RAMUS_BAD_FORMAT;
    }
    EXPECT_INT(n_sound + n_refused, 20000, "files");
    EXPECT(n_sound > 100 && n_refused > 100, "%d sound, %d refused", n_sound, n_refused);
    ramus_buffer_free(&whole);
    ramus_buffer_free(&b);
}

static void open_names_the_file(void)
{
    static const char path[] = "safetensors_test.bad";
    ramus_error err = {0};
    ramus_safetensors *s = NULL;
    EXPECT_FAILS(ramus_safetensors_open(&s, path, &err), err, "safetensors_test.bad: cannot open");
    FILE *f = fopen(path, "wb");
    RAMUS_ASSERT(f && fclose(f) == 0);
    EXPECT_FAILS(ramus_safetensors_open(&s, path, &err), err, "safetensors_test.bad: 0 bytes, a");
    f = fopen(path, "wb");
    RAMUS_ASSERT(f && fwrite("\2\0\0\0\0\0\0\0[]", 1, 10, f) == 10 && fclose(f) == 0);
    EXPECT_FAILS(ramus_safetensors_open(&s, path, &err), err, "safetensors_test.bad: the header");
    EXPECT(!s, "no result");
    (void)remove(path);
}

/* As programs that order by name write it: 8-byte values behind 4-byte ones. */
static void wide_tensors_at_multiples_of_4_are_copied(void)
{
    static const char bytes[] = "\x98\0\0\0\0\0\0\0"
                                "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                                "\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[4,12]},"
                                "\"c\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[12,13]}}"
                                "      \0\0\x80\x3F\1\2\3\4\5\6\7\10\7";
    ramus_error err = {0};
    ramus_safetensors *s = NULL;
    uint64_t aligned[(sizeof bytes + 7) / 8];
    memcpy(aligned, bytes, sizeof bytes);
    const size_t length = strlen(bytes + 8);
    ((char *)aligned)[0] = (char)length;
    REQUIRE_OK(ramus_safetensors_open_memory(&s, aligned, sizeof bytes - 1, "bytes", &err), err);
    const int64_t *b = ramus_safetensors_find(s, "b")->data;
    EXPECT((uintptr_t)b % 8 == 0 && *b == 0x0807060504030201, "a long");
    EXPECT(*(const float *)ramus_safetensors_find(s, "a")->data == 1, "a float, in place");
    EXPECT_INT(*(const char *)ramus_safetensors_find(s, "c")->data, 7, "a byte, in place");
    ramus_safetensors_close(s);
}

CHECK_MAIN({"tensors_and_metadata_are_read", tensors_and_metadata_are_read},
           {"every_dtype_has_its_size", every_dtype_has_its_size},
           {"files_without_tensors_are_read", files_without_tensors_are_read},
           {"lengths_that_do_not_fit_are_refused", lengths_that_do_not_fit_are_refused},
           {"headers_that_are_no_json_are_refused", headers_that_are_no_json_are_refused},
           {"names_must_be_there_and_differ", names_must_be_there_and_differ},
           {"long_names_leave_room_for_the_reason", long_names_leave_room_for_the_reason},
           {"entries_that_are_wrong_are_refused", entries_that_are_wrong_are_refused},
           {"tensors_that_do_not_tile_the_data_are_refused",
            tensors_that_do_not_tile_the_data_are_refused},
           {"data_after_an_odd_header_must_be_bytes", data_after_an_odd_header_must_be_bytes},
           {"metadata_must_be_distinct_texts", metadata_must_be_distinct_texts},
           {"a_hundred_thousand_tensors_are_opened_and_found",
            a_hundred_thousand_tensors_are_opened_and_found},
           {"damaged_files_are_refused_or_sound", damaged_files_are_refused_or_sound},
           {"wide_tensors_at_multiples_of_4_are_copied", wide_tensors_at_multiples_of_4_are_copied},
           {"open_names_the_file", open_names_the_file})
