/* Files are put together byte by byte, as the specification of GGUF says, then damaged in every
 * place: each damage is refused with a sentence or changes nothing. */
#include "format/gguf.h"

#include "base/buffer.h"
#include "base/rng.h"
#include "base/utf8.h"

#include "check.h"

#include <stdint.h>

/* Little-endian numbers below 256 as literals of bytes, and a text of one letter. */
#define N32(byte)   byte "\0\0\0"
#define N64(byte)   byte "\0\0\0\0\0\0\0"
#define LETTER(c)   N64("\1") c
#define BYTES(text) text, sizeof(text) - 1

#define BIG32 "\xFF\xFF\xFF\xFF"
#define BIG64 BIG32 BIG32
#define K64   "\0\0\1\0\0\0\0\0" // 2^16

static const char zeros[1 << 17];

/* A file with this many tensors and keys: their entries, zeros up to a multiple of 32, and data. */
static ramus_buffer compose(const char *n_tensors, const char *n_values, const char *entries,
                            size_t size, size_t data_size)
{
    ramus_buffer b = {0};
    ramus_error err = {0};
    ramus_buffer_add(&b, BYTES("GGUF" N32("\3")));
    ramus_buffer_add(&b, n_tensors, 8);
    ramus_buffer_add(&b, n_values, 8);
    ramus_buffer_add(&b, entries, size);
    if (data_size) ramus_buffer_add(&b, zeros, (32 - b.size % 32) % 32);
    ramus_buffer_add(&b, zeros, data_size);
    REQUIRE_OK(ramus_buffer_check(&b, &err), err);
    return b;
}

static void touch_value(const ramus_gguf *g, const ramus_gguf_value *v)
{
    double sum = 0;
    EXPECT(ramus_gguf_value_find(g, v->key) == v, "%s found", v->key);
    EXPECT(v->is_array || v->count == 1, "%s: %zu values", v->key, v->count);
    for (size_t i = 0; i < v->count; i++) {
        size_t size = 0;
        const char *text = NULL;
        switch (v->type) {
        case RAMUS_GGUF_STRING:
            text = ramus_gguf_text_at(v, i, &size);
            EXPECT(ramus_utf8_check(text, size) == size, "%s", v->key);
            break;
        case RAMUS_GGUF_FLOAT32:
        case RAMUS_GGUF_FLOAT64:
            sum += ramus_gguf_real_at(v, i);
            break;
        case RAMUS_GGUF_BOOL:
            EXPECT(ramus_gguf_uint_at(v, i) <= 1, "%s", v->key);
            break;
        case RAMUS_GGUF_INT8:
        case RAMUS_GGUF_INT16:
        case RAMUS_GGUF_INT32:
        case RAMUS_GGUF_INT64:
            sum += (double)ramus_gguf_int_at(v, i);
            break;
        default:
            sum += (double)ramus_gguf_uint_at(v, i);
        }
    }
    volatile double used = sum;
    (void)used;
}

/* Opens a copy of exactly `size` bytes, so that asan sees a read behind it, and reads all of it. */
static ramus_status touch(const void *bytes, size_t size, ramus_error *err)
{
    ramus_gguf *g = NULL;
    unsigned char *copy = malloc(size ? size : 1);
    const unsigned char *end = copy; // of the tensor before
    volatile unsigned sum = 0;
    RAMUS_ASSERT(copy);
    if (size) memcpy(copy, bytes, size);
    const ramus_status st = ramus_gguf_open_memory(&g, copy, size, "mem", err);
    EXPECT((st == RAMUS_OK) == (g != NULL), "a result on success only");
    for (int i = 0; !st && i < ramus_gguf_count(g); i++) {
        const ramus_gguf_tensor *t = ramus_gguf_at(g, i);
        const unsigned char *data = t->data;
        EXPECT(data >= end && t->size <= size - (size_t)(data - copy), "%s in bounds", t->name);
        EXPECT((size_t)(data - copy) % ramus_gguf_alignment(g) == 0, "%s aligned", t->name);
        EXPECT(t->size == t->count * ramus_gguf_dtype_size(t->dtype), "size of %s", t->name);
        for (size_t k = 0; k < t->size; k++)
            sum += data[k];
        EXPECT(ramus_gguf_find(g, t->name) == t, "%s found", t->name);
        end = data + t->size;
    }
    for (int i = 0; !st && i < ramus_gguf_value_count(g); i++)
        touch_value(g, ramus_gguf_value_at(g, i));
    ramus_gguf_close(g);
    free(copy);
    return st;
}

static void expect_refused(const ramus_buffer *b, const char *sentence)
{
    ramus_error err = {0};
    EXPECT_FAILS(touch(b->data, b->size, &err), err, sentence);
    EXPECT(strncmp(err.message, "mem: ", 5) == 0, "begins with the label: %s", err.message);
    EXPECT_INT(err.status, RAMUS_BAD_FORMAT, sentence);
    EXPECT(touch(b->data, b->size, NULL) == RAMUS_BAD_FORMAT, "an error may be NULL");
}

/* One key, the bytes of its entry given. */
static void expect_value_refused(const char *entry, size_t size, const char *sentence)
{
    ramus_buffer b = compose(N64("\0"), N64("\1"), entry, size, 0);
    expect_refused(&b, sentence);
    ramus_buffer_free(&b);
}

/* Tensors, the bytes of their entries given, and some data. */
static void expect_tensors_refused(char n, const char *entries, size_t size, size_t data_size,
                                   const char *sentence)
{
    const char count[8] = {n};
    ramus_buffer b = compose(count, N64("\0"), entries, size, data_size);
    expect_refused(&b, sentence);
    ramus_buffer_free(&b);
}

static ramus_gguf *open_small(void)
{
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    REQUIRE_OK(ramus_gguf_open(&g, GOLDEN "/gguf/small.gguf", &err), err);
    return g;
}

/* The whole file by hand: 24 bytes, keys to byte 63, the tensor's entry to 105, data at 128. */
static void the_bytes_of_the_format_are_read(void)
{
    static const char entries[] = LETTER("k") N32("\7") "\1"                      // bool
        N64("\3") "t.x" N32("\10") N64("\2") "\xC3\xA4"                           // string
        N64("\2") "\xC3\xB6" N32("\2") N64("\2") N64("\3") N32("\x19") N64("\0"); // I16
    static const char data[12] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, (char)0x80};
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    ramus_buffer b = compose(N64("\1"), N64("\2"), BYTES(entries), sizeof data);
    memcpy(b.data + 128, data, sizeof data);
    EXPECT_INT(b.size, 140, "bytes");
    REQUIRE_OK(ramus_gguf_open_memory(&g, b.data, b.size, "mem", &err), err);
    EXPECT_INT(ramus_gguf_alignment(g), 32, "alignment");
    EXPECT_INT(ramus_gguf_count(g), 1, "tensors");
    EXPECT_INT(ramus_gguf_value_count(g), 2, "values");
    const ramus_gguf_tensor *t = ramus_gguf_find(g, "\xC3\xB6");
    RAMUS_ASSERT(t);
    EXPECT(t == ramus_gguf_at(g, 0), "the tensor");
    EXPECT(t->dtype == RAMUS_GGUF_I16 && t->n_dims == 2 && t->dims[0] == 2 && t->dims[1] == 3,
           "its shape");
    EXPECT(t->count == 6 && t->size == 12, "its size");
    EXPECT((const char *)t->data == b.data + 128, "its data is used in place");
    EXPECT_BYTES(t->data, data, 12, "its data");
    const ramus_gguf_value *k = ramus_gguf_value_find(g, "k"), *x = ramus_gguf_value_find(g, "t.x");
    EXPECT(k == ramus_gguf_value_at(g, 0) && x == ramus_gguf_value_at(g, 1), "values");
    EXPECT(k->type == RAMUS_GGUF_BOOL && ramus_gguf_uint_at(k, 0) == 1, "a bool");
    EXPECT(x->type == RAMUS_GGUF_STRING && x->size == 2 && !memcmp(x->data, "\xC3\xA4", 2), "text");
    EXPECT(!ramus_gguf_find(g, "k") && !ramus_gguf_value_find(g, "t"), "others are not found");
    ramus_gguf_close(g);
    ramus_gguf_close(NULL);
    ramus_buffer_free(&b);
}

/* What tests/golden/gguf/make.py wrote. */
static void every_type_of_tensor_is_read(void)
{
    static const struct {
        const char *name, *dtype;
        int n_dims, size;
        size_t dims[4], count;
    } rows[] = {
        {"f32", "F32", 2, 4, {3, 2}, 6},      {"f16", "F16", 1, 2, {5}, 5},
        {"i8", "I8", 4, 1, {7, 1, 2, 3}, 42}, {"i16", "I16", 1, 2, {1}, 1},
        {"i32", "I32", 3, 4, {2, 2, 5}, 20},  {"i64", "I64", 1, 8, {9}, 9},
        {"f64", "F64", 0, 8, {0}, 1},         {"bf16", "BF16", 1, 2, {33}, 33},
    };
    ramus_gguf *g = open_small();
    EXPECT_INT(ramus_gguf_count(g), RAMUS_COUNT(rows), "tensors");
    EXPECT_INT(ramus_gguf_alignment(g), 64, "alignment");
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        const ramus_gguf_tensor *t = ramus_gguf_at(g, i);
        EXPECT_TEXT(t->name, rows[i].name);
        EXPECT_TEXT(ramus_gguf_dtype_name(t->dtype), rows[i].dtype);
        EXPECT_INT(ramus_gguf_dtype_size(t->dtype), rows[i].size, rows[i].name);
        EXPECT_INT(t->n_dims, rows[i].n_dims, rows[i].name);
        EXPECT_BYTES(t->dims, rows[i].dims, sizeof t->dims, "dims of %s", t->name);
        EXPECT_INT(t->count, rows[i].count, rows[i].name);
        EXPECT_INT(t->size, rows[i].count * (size_t)rows[i].size, rows[i].name);
        EXPECT((uintptr_t)t->data % 64 == 0, "%s aligned", t->name);
    }
    const float *f32 = ramus_gguf_find(g, "f32")->data;
    const int8_t *i8 = ramus_gguf_find(g, "i8")->data;
    const int32_t *i32 = ramus_gguf_find(g, "i32")->data;
    const int64_t *i64 = ramus_gguf_find(g, "i64")->data;
    EXPECT(f32[0] == 1 && f32[5] == 6 && i8[41] == 42 && i32[19] == 20 && i64[8] == 9, "values");
    EXPECT(*(const double *)ramus_gguf_find(g, "f64")->data == 1, "a double");
    EXPECT(((const uint16_t *)ramus_gguf_find(g, "f16")->data)[1] == 0x4000, "2 in half precision");
    EXPECT(((const uint16_t *)ramus_gguf_find(g, "bf16")->data)[32] == 33, "16 bits");
    ramus_gguf_close(g);
}

static void every_type_of_metadata_is_read(void)
{
    static const char *const names[] = {"uint8",  "int8",    "uint16", "int16",  "uint32",
                                        "int32",  "float32", "bool",   "string", NULL,
                                        "uint64", "int64",   "float64"};
    ramus_gguf *g = open_small();
    EXPECT_INT(ramus_gguf_value_count(g), 2 * 11 + 7, "values");
    EXPECT_TEXT(ramus_gguf_value_at(g, 0)->key, "general.architecture");
    for (int i = 0; i < RAMUS_COUNT(names); i++) {
        char key[32];
        if (!names[i]) continue;
        (void)snprintf(key, sizeof key, "all.%s", names[i]);
        const ramus_gguf_value *all = ramus_gguf_value_find(g, key);
        RAMUS_ASSERT(all);
        EXPECT((int)all->type == i && all->is_array, "%s", key);
        EXPECT_TEXT(ramus_gguf_type_name(all->type), names[i]);
        if (i == RAMUS_GGUF_STRING) continue;
        (void)snprintf(key, sizeof key, "one.%s", names[i]);
        const ramus_gguf_value *one = ramus_gguf_value_find(g, key);
        RAMUS_ASSERT(one);
        EXPECT((int)one->type == i && !one->is_array && one->count == 1, "%s", key);
        EXPECT_BYTES(one->data, all->data, one->size, "%s", key); // the first of all
    }
    ramus_gguf_close(g);
}

static void elements_of_arrays_are_read(void)
{
    ramus_gguf *g = open_small();
#define ALL(type) ramus_gguf_value_find(g, "all." #type)
    EXPECT(ALL(uint8)->count == 3 && ramus_gguf_uint_at(ALL(uint8), 2) == 255, "uint8");
    EXPECT(ramus_gguf_int_at(ALL(int8), 0) == -128 && ramus_gguf_int_at(ALL(int8), 1) == -1 &&
               ramus_gguf_int_at(ALL(int8), 2) == 127,
           "int8");
    EXPECT(ramus_gguf_uint_at(ALL(uint16), 0) == 65535, "uint16");
    EXPECT(ramus_gguf_int_at(ALL(int16), 0) == -32768, "int16");
    EXPECT(ramus_gguf_uint_at(ALL(uint32), 0) == UINT32_MAX, "uint32");
    EXPECT(ramus_gguf_int_at(ALL(int32), 0) == INT32_MIN, "int32");
    EXPECT(ramus_gguf_int_at(ALL(int32), 2) == -3, "int32");
    EXPECT(ramus_gguf_uint_at(ALL(uint64), 0) == UINT64_MAX, "uint64");
    EXPECT(ramus_gguf_int_at(ALL(int64), 0) == INT64_MIN, "int64");
    EXPECT(ramus_gguf_int_at(ALL(int64), 1) == INT64_MAX, "int64");
    EXPECT(ramus_gguf_real_at(ALL(float32), 0) == -0.5, "float32");
    EXPECT(ramus_gguf_real_at(ALL(float32), 1) == (double)1.0e-3f, "float32");
    EXPECT(ramus_gguf_real_at(ALL(float64), 0) == 0.1, "float64");
    EXPECT(ramus_gguf_real_at(ALL(float64), 1) == -2.0e300, "float64");
    EXPECT(ramus_gguf_uint_at(ALL(bool), 0) == 1 && ramus_gguf_uint_at(ALL(bool), 1) == 0, "bool");
    static const char *const texts[] = {"", "a", "\xC3\xA4\xF0\x9F\x98\x80", "two\nlines"};
    EXPECT_INT(ALL(string)->count, 4, "texts");
    for (size_t i = 0; i < 4; i++) {
        size_t size = 99;
        const char *text = ramus_gguf_text_at(ALL(string), i, &size);
        EXPECT_INT(size, strlen(texts[i]), texts[i]);
        EXPECT_BYTES(text, texts[i], size, "%s", texts[i]);
    }
#undef ALL
    ramus_gguf_close(g);
}

static void what_is_asked_for_must_be_there(void)
{
    ramus_error err = {0};
    ramus_gguf *g = open_small();
    uint64_t u = 0;
    int64_t n = 0;
    double x = 0;
    bool yes = false;
    size_t size = 0;
    const char *text = NULL;
    const ramus_gguf_value *v = NULL;
    REQUIRE_OK(ramus_gguf_get_uint(g, "general.alignment", &u, &err), err);
    EXPECT_INT(u, 64, "a whole number");
    REQUIRE_OK(ramus_gguf_get_uint(g, "one.uint64", &u, &err), err);
    EXPECT(u == UINT64_MAX, "the largest");
    REQUIRE_OK(ramus_gguf_get_int(g, "one.int64", &n, &err), err);
    EXPECT(n == INT64_MIN, "the least");
    REQUIRE_OK(ramus_gguf_get_int(g, "one.uint32", &n, &err), err);
    EXPECT(n == UINT32_MAX, "an unsigned one");
    REQUIRE_OK(ramus_gguf_get_real(g, "one.float32", &x, &err), err);
    EXPECT(x == -0.5, "a real number");
    REQUIRE_OK(ramus_gguf_get_real(g, "one.float64", &x, &err), err);
    EXPECT(x == 0.1, "a wide real number");
    REQUIRE_OK(ramus_gguf_get_bool(g, "one.bool", &yes, &err), err);
    EXPECT(yes, "a bool");
    REQUIRE_OK(ramus_gguf_get_text(g, "general.architecture", &text, &size, &err), err);
    EXPECT(size == 5 && memcmp(text, "other", 5) == 0, "a text");
    REQUIRE_OK(ramus_gguf_get_text(g, "zero.string", &text, &size, &err), err);
    EXPECT(size == 3 && memcmp(text, "a\0b", 3) == 0, "a text with a zero");
    REQUIRE_OK(ramus_gguf_get_array(g, "long.uint8", RAMUS_GGUF_UINT8, &v, &err), err);
    EXPECT(v->count == 1000 && v->size == 1000, "a blob");
    for (int i = 0; i < 1000; i++)
        EXPECT(((const unsigned char *)v->data)[i] == i % 251, "byte %d of the blob", i);
    REQUIRE_OK(ramus_gguf_get_array(g, "none.string", RAMUS_GGUF_STRING, &v, &err), err);
    EXPECT_INT(v->count, 0, "an array of nothing");

    EXPECT_FAILS(ramus_gguf_get_uint(g, "width", &u, &err), err, "it has no key 'width'");
    EXPECT_INT(err.status, RAMUS_BAD_FORMAT, "status");
    EXPECT_FAILS(ramus_gguf_get_uint(g, "one.int8", &u, &err), err,
                 "'one.int8' is -128, expected at least 0");
    EXPECT_FAILS(ramus_gguf_get_int(g, "one.uint64", &n, &err), err,
                 "'one.uint64' is 18446744073709551615, expected less than 2^63");
    EXPECT_FAILS(ramus_gguf_get_uint(g, "one.float32", &u, &err), err,
                 "'one.float32' is float32, expected a whole number");
    EXPECT_FAILS(ramus_gguf_get_int(g, "one.bool", &n, &err), err,
                 "'one.bool' is bool, expected a whole number");
    EXPECT_FAILS(ramus_gguf_get_int(g, "all.int32", &n, &err), err,
                 "'all.int32' is an array of int32, expected a whole number");
    EXPECT_FAILS(ramus_gguf_get_real(g, "one.int32", &x, &err), err,
                 "'one.int32' is int32, expected float32 or float64");
    EXPECT_FAILS(ramus_gguf_get_bool(g, "one.uint8", &yes, &err), err,
                 "'one.uint8' is uint8, expected bool");
    EXPECT_FAILS(ramus_gguf_get_text(g, "all.string", &text, &size, &err), err,
                 "'all.string' is an array of string, expected string");
    EXPECT_FAILS(ramus_gguf_get_array(g, "one.uint8", RAMUS_GGUF_UINT8, &v, &err), err,
                 "'one.uint8' is uint8, expected an array of uint8");
    EXPECT_FAILS(ramus_gguf_get_array(g, "all.int8", RAMUS_GGUF_UINT8, &v, &err), err,
                 "'all.int8' is an array of int8, expected an array of uint8");
    ramus_gguf_close(g);
}

static void files_that_begin_otherwise_are_refused(void)
{
    static const char head[] = "GGUF" N32("\3") N64("\0") N64("\0");
    static const struct {
        int at;
        const char *bytes;
        size_t size;
        const char *sentence;
    } rows[] = {
        {0, BYTES("ggml"), "mem: begins with 67 67 6D 6C, expected GGUF"},
        {3, BYTES("\0"), "mem: begins with 47 47 55 00, expected GGUF"},
        {4, BYTES("\0"), "mem: GGUF version 0, expected 3"},
        {4, BYTES("\1"), "mem: GGUF version 1, expected 3"},
        {4, BYTES("\2"), "mem: GGUF version 2, expected 3"},
        {4, BYTES("\4"), "mem: GGUF version 4, expected 3"},
        {4, BYTES("\0\0\0\3"), "mem: a big-endian GGUF file, expected little-endian"},
        {8, BYTES("\1"), "mem: the number of tensors is 1, a file of 24 bytes has at most 0"},
        {8, BYTES(BIG64), "the number of tensors is 18446744073709551615, a file of 24 bytes"},
        {16, BYTES("\1"), "mem: the number of keys is 1, a file of 24 bytes has at most 0"},
        {16, BYTES(BIG64), "the number of keys is 18446744073709551615, a file of 24 bytes"},
    };
    ramus_error err = {0};
    REQUIRE_OK(touch(BYTES(head), &err), err);
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        ramus_buffer b = {0};
        ramus_buffer_add(&b, BYTES(head));
        memcpy(b.data + rows[i].at, rows[i].bytes, rows[i].size);
        expect_refused(&b, rows[i].sentence);
        ramus_buffer_free(&b);
    }
    EXPECT_FAILS(touch("", 0, &err), err, "mem: 0 bytes, a GGUF file has at least 24");
    EXPECT_FAILS(touch(head, 23, &err), err, "mem: 23 bytes, a GGUF file has at least 24");
}

static void keys_that_are_wrong_are_refused(void)
{
    static const struct {
        const char *entry;
        size_t size;
        const char *sentence;
    } rows[] = {
        {BYTES(N64("\0") N32("\0") "\1\1"), "mem: byte 24: a key of 0 bytes, expected 1 to 65535"},
        {BYTES(N64("\7") "abcdef"), "mem: byte 32: a key takes 7 bytes, but only 6 follow"},
        {BYTES(BIG64 "abcdef"), "a key takes 18446744073709551615 bytes, but only 6 follow"},
        {BYTES(N64("\2") "a\xFF" N32("\0") "\1"), "byte 33: found 0xFF, expected UTF-8"},
        {BYTES(N64("\2") "a\0" N32("\0") "\1"), "byte 33: found a zero byte in a key, expected"},
        {BYTES(N64("\3") "abc\0\0\0"), "mem: key 'abc': byte 35: its type takes 4 bytes, but only"},
        {BYTES(LETTER("k") N32("\15") "\1"), "mem: key 'k': its type is 13, expected 0 to 12"},
        {BYTES(LETTER("k") BIG32 "\1"), "key 'k': its type is 4294967295, expected 0 to 12"},
        {BYTES(N64("\3") "\x1B[m" BIG32 "\1"), "mem: key '?[m': its type is"},
        {BYTES(LETTER("k") N32("\4") "\1\2\3"),
         "key 'k': it has 1 uint32, but only 3 bytes follow"},
        {BYTES(LETTER("k") N32("\14") "\1\2\3"), "key 'k': it has 1 float64, but only 3 bytes"},
        {BYTES(LETTER("k") N32("\7") "\2"), "key 'k': byte 37: found 2, a bool is 0 or 1"},
        {BYTES(LETTER("k") N32("\10") "\1\0\0"), "key 'k': it has 1 string, but only 3 bytes"},
        {BYTES(LETTER("k") N32("\10") N64("\2") "a"),
         "key 'k': byte 45: a text takes 2 bytes, but only 1 follow"},
        {BYTES(LETTER("k") N32("\10") N64("\1") "\x80"),
         "key 'k': byte 45: found 0x80, expected UTF-8"},
        {BYTES(LETTER("k") N32("\11") "\0\0\0"),
         "the type of its elements takes 4 bytes, but only"},
        {BYTES(LETTER("k") N32("\11") N32("\0") "\0\0\0"),
         "key 'k': byte 41: the number of its elements takes 8 bytes, but only 3 follow"},
        {BYTES(LETTER("k") N32("\11") N32("\11") N64("\0")),
         "key 'k': it is an array of arrays, expected one of numbers, bools or strings"},
        {BYTES(LETTER("k") N32("\11") N32("\15") N64("\0")), "key 'k': its type is 13, expected 0"},
        {BYTES(LETTER("k") N32("\11") N32("\2") N64("\2") "\1\2\3"),
         "key 'k': it has 2 uint16, but only 3 bytes follow"},
        {BYTES(LETTER("k") N32("\11") N32("\0") BIG64 "\1"),
         "key 'k': it has 18446744073709551615 uint8, but only 1 bytes follow"},
        {BYTES(LETTER("k") N32("\11") N32("\14") "\0\0\0\0\0\0\0\x20"), // 2^61 of 8 bytes
         "key 'k': it has 2305843009213693952 float64, but only 0 bytes follow"},
        {BYTES(LETTER("k") N32("\11") N32("\10") BIG64 N64("\0")),
         "key 'k': it has 18446744073709551615 string, but only 8 bytes follow"},
        {BYTES(LETTER("k") N32("\11") N32("\10") N64("\2") N64("\1") "a1234567"),
         "a length takes 8 bytes, but only 7 follow"},
        {BYTES(LETTER("k") N32("\11") N32("\7") N64("\3") "\0\1\7"),
         "key 'k': byte 51: found 7, a bool is 0 or 1"},
        {BYTES(LETTER("k") N32("\0") "? garbage garbage garbage garbage"),
         "mem: 6 bytes follow the last tensor and its padding, expected none"},
    };
    for (int i = 0; i < RAMUS_COUNT(rows); i++)
        expect_value_refused(rows[i].entry, rows[i].size, rows[i].sentence);

    static const char entries[] = LETTER("k") N32("\0") "\1" LETTER("j") N32("\0") "\1" //
        LETTER("k") N32("\1") "\1";
    ramus_buffer twice = compose(N64("\0"), N64("\3"), BYTES(entries), 0);
    expect_refused(&twice, "mem: key 'k' appears twice");
    ramus_buffer_free(&twice);
}

static void keys_may_have_65535_bytes(void)
{
    for (int size = 65535; size <= 65536; size++) {
        ramus_error err = {0};
        ramus_buffer entry = {0};
        const char length[8] = {(char)(size & 0xFF), (char)(size >> 8 & 0xFF), (char)(size >> 16)};
        ramus_buffer_add(&entry, length, 8);
        for (int i = 0; i < size; i++)
            ramus_buffer_text(&entry, "k");
        ramus_buffer_add(&entry, BYTES(N32("\0") "\1"));
        ramus_buffer b = compose(N64("\0"), N64("\1"), entry.data, entry.size, 0);
        if (size == 65535)
            REQUIRE_OK(touch(b.data, b.size, &err), err);
        else
            expect_refused(&b, "byte 24: a key of 65536 bytes, expected 1 to 65535");
        ramus_buffer_free(&b);
        ramus_buffer_free(&entry);
    }
}

/* A tensor of one byte, so that the data begins at a multiple of the alignment. */
static void alignments_are_powers_of_two(void)
{
    static const char key[] = N64("\x11") "general.alignment";
    static const struct {
        const char *value;
        size_t size, alignment;
        const char *sentence; // NULL: fine
    } rows[] = {
        {BYTES(N32("\4") N32("\10")), 8, NULL},
        {BYTES(N32("\4") N32("\x40")), 64, NULL},
        {BYTES(N32("\4") "\0\0\1\0"), 65536, NULL},
        {BYTES(N32("\4") N32("\0")), 0, "'general.alignment': it is 0, expected a power of two, 8"},
        {BYTES(N32("\4") N32("\4")), 0, "it is 4, expected a power of two, 8 to 65536"},
        {BYTES(N32("\4") N32("\x30")), 0, "it is 48, expected a power of two"},
        {BYTES(N32("\4") "\0\0\2\0"), 0, "it is 131072, expected a power of two, 8 to 65536"},
        {BYTES(N32("\4") BIG32), 0, "it is 4294967295, expected a power of two"},
        {BYTES(N32("\5") N32("\x40")), 0, "'general.alignment': it is int32, expected uint32"},
        {BYTES(N32("\12") N64("\x40")), 0, "it is uint64, expected uint32"},
        {BYTES(N32("\10") N64("\2") "64"), 0, "it is string, expected uint32"},
        {BYTES(N32("\11") N32("\4") N64("\1") N32("\x40")), 0,
         "it is an array of uint32, expected uint32"},
    };
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        ramus_error err = {0};
        ramus_gguf *g = NULL;
        ramus_buffer entries = {0};
        ramus_buffer_add(&entries, BYTES(key));
        ramus_buffer_add(&entries, rows[i].value, rows[i].size);
        ramus_buffer_add(&entries, BYTES(LETTER("t") N32("\0") N32("\x18") N64("\0")));
        ramus_buffer b = compose(N64("\1"), N64("\1"), entries.data, entries.size, 0);
        ramus_buffer_free(&entries);
        if (rows[i].sentence) {
            expect_refused(&b, rows[i].sentence);
            ramus_buffer_free(&b);
            continue;
        }
        while (b.size % rows[i].alignment != 0)
            ramus_buffer_add(&b, "", 1);
        expect_refused(&b, "tensor 't': it has 1 bytes of data at 0, the file has 0 bytes of data");
        const size_t at = b.size;
        ramus_buffer_add(&b, "\7", 1);
        REQUIRE_OK(ramus_gguf_open_memory(&g, b.data, b.size, "mem", &err), err);
        EXPECT_INT(ramus_gguf_alignment(g), rows[i].alignment, "alignment");
        EXPECT((const char *)ramus_gguf_at(g, 0)->data == b.data + at, "the place of the data");
        ramus_gguf_close(g);
        ramus_buffer_free(&b);
    }
}

static void tensors_that_are_wrong_are_refused(void)
{
    static const struct {
        const char *entry;
        size_t size;
        const char *sentence;
    } rows[] = {
        {BYTES(N64("\0") N32("\0") N32("\x18") N64("\0")), "byte 24: a name of 0 bytes, expected"},
        {BYTES(N64("\1") "\xFF" N32("\0") N32("\x18") N64("\0")), "found 0xFF, expected UTF-8"},
        {BYTES(N64("\1") "\0" N32("\0") N32("\x18") N64("\0")), "found a zero byte in a name"},
        {BYTES(LETTER("t") N32("\5") N32("\x18") N64("\0")),
         "mem: tensor 't': it has 5 dimensions, expected at most 4"},
        {BYTES(LETTER("t") BIG32 N32("\x18") N64("\0")), "it has 4294967295 dimensions, expected"},
        {BYTES(LETTER("t") N32("\1") N64("\0") N32("\x18") N64("\0")),
         "tensor 't': its dimension 0 is 0, expected at least 1"},
        {BYTES(LETTER("t") N32("\2") N64("\1") N64("\0") N32("\x18") N64("\0")),
         "tensor 't': its dimension 1 is 0, expected at least 1"},
        {BYTES(LETTER("t") N32("\2") BIG64 N64("\2") N32("\x18") N64("\0")),
         "tensor 't': its dimensions have more values than memory has addresses"},
        {BYTES(LETTER("t") N32("\1") "\1\0\0\0\0\0\0\x20" N32("\x1C") N64("\0")), // 8 * (2^61 + 1)
         "tensor 't': its dimensions have more values than memory has addresses"},
        {BYTES(LETTER("t") N32("\4") K64 K64 K64 K64 N32("\x18") N64("\0")), // 2^64
         "tensor 't': its dimensions have more values than memory has addresses"},
        {BYTES(LETTER("t") N32("\0") N32("\x0C") N64("\0")),
         "tensor 't': its type Q4_K is not supported, expected F32, F16, BF16, F64, I8, I16"},
        {BYTES(LETTER("t") N32("\0") N32("\4") N64("\0")), "its type Q4_2 is not supported"},
        {BYTES(LETTER("t") N32("\0") N32("\x27") N64("\0")), "its type MXFP4 is not supported"},
        {BYTES(LETTER("t") N32("\0") N32("\x63") N64("\0")),
         "tensor 't': its type is 99, expected that of F32, F16"},
        {BYTES(LETTER("t") N32("\0") BIG32 N64("\0")), "its type is 4294967295, expected"},
        {BYTES(LETTER("t") N32("\0") N32("\x18") N64("\1")),
         "tensor 't': its data is at 1, expected a multiple of 32"},
        {BYTES(LETTER("t") N32("\0") N32("\x18") N64("\x20")),
         "tensor 't': its data is at 32, expected 0, without a hole"},
        {BYTES(LETTER("t") N32("\0") N32("\x18") "\xE0" BIG32 "\xFF\xFF\xFF"),
         "tensor 't': its data is at 18446744073709551584, expected 0, without a hole"},
        {BYTES(LETTER("t") N32("\1") N64("\x41") N32("\x18") N64("\0")), // 65 of 64
         "tensor 't': it has 65 bytes of data at 0, the file has 64 bytes of data"},
        {BYTES(LETTER("t") N32("\1") "\0\0\0\0\0\0\0\x7F" N32("\x18") N64("\0")),
         "tensor 't': it has 9151314442816847872 bytes of data at 0, more than the file"},
        {BYTES(LETTER("t") N32("\1") N64("\x20") N32("\x18") N64("\0")), // 32 of 64
         "mem: 32 bytes follow the last tensor and its padding, expected none"},
    };
    for (int i = 0; i < RAMUS_COUNT(rows); i++)
        expect_tensors_refused(1, rows[i].entry, rows[i].size, 64, rows[i].sentence);
    expect_tensors_refused(0, "", 0, 64, "64 bytes follow the last tensor and its padding");
    expect_tensors_refused(1, BYTES(N64("\7") "abcdefg" N32("\1") "\1\0\0\0\0\0"), 0,
                           "tensor 'abcdefg': byte 43: a dimension takes 8 bytes, but only 6");
    expect_tensors_refused(1, BYTES(N64("\20") "abcdefghijklmnopq"), 0,
                           "byte 48: the number of its dimensions takes 4 bytes, but only 1");
}

/* Tensors a and b, 32 bytes of data each, and the places given. */
static void tensors_lie_one_behind_the_other(void)
{
#define TENSOR(name, bytes, at) LETTER(name) N32("\1") N64(bytes) N32("\x18") N64(at)
    static const struct {
        const char *entries;
        size_t size, data_size;
        const char *sentence; // NULL: fine
    } rows[] = {
        {BYTES(TENSOR("a", "\x20", "\0") TENSOR("b", "\x20", "\x20")), 64, NULL},
        {BYTES(TENSOR("a", "\1", "\0") TENSOR("b", "\1", "\x20")), 64, NULL},
        {BYTES(TENSOR("a", "\1", "\0") TENSOR("b", "\1", "\x20")), 33, NULL}, // not padded
        {BYTES(TENSOR("a", "\1", "\0") TENSOR("b", "\1", "\x20")), 65,
         "mem: 1 bytes follow the last tensor"},
        {BYTES(TENSOR("a", "\1", "\0") TENSOR("b", "\1", "\x20")), 32,
         "tensor 'b': it has 1 bytes of data at 32, the file has 32 bytes of data"},
        {BYTES(TENSOR("a", "\1", "\0") TENSOR("b", "\1", "\x20")), 31,
         "tensor 'b': it has 1 bytes of data at 32, the file has 31 bytes of data"},
        {BYTES(TENSOR("a", "\x20", "\0") TENSOR("b", "\x20", "\0")), 64,
         "tensor 'b': its data is at 0, expected 32, behind that of the tensors before it"},
        {BYTES(TENSOR("a", "\x21", "\0") TENSOR("b", "\x20", "\x20")), 96,
         "tensor 'b': its data is at 32, expected 64, behind that of the tensors before it"},
        {BYTES(TENSOR("a", "\x20", "\x20") TENSOR("b", "\x20", "\0")), 64,
         "tensor 'a': its data is at 32, expected 0, without a hole"},
        {BYTES(TENSOR("a", "\x20", "\0") TENSOR("b", "\x20", "\x40")), 96,
         "tensor 'b': its data is at 64, expected 32, without a hole"},
        {BYTES(TENSOR("a", "\x20", "\0") TENSOR("a", "\x20", "\x20")), 64,
         "mem: tensor 'a' appears twice"},
    };
#undef TENSOR
    for (int i = 0; i < RAMUS_COUNT(rows); i++) {
        ramus_error err = {0};
        ramus_buffer b =
            compose(N64("\2"), N64("\0"), rows[i].entries, rows[i].size, rows[i].data_size);
        if (rows[i].sentence)
            expect_refused(&b, rows[i].sentence);
        else
            REQUIRE_OK(touch(b.data, b.size, &err), err);
        ramus_buffer_free(&b);
    }
}

static void put_whole(ramus_buffer *b, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        const char byte = (char)(value >> 8 * i & 0xFF);
        ramus_buffer_add(b, &byte, 1);
    }
}

static void put_text(ramus_buffer *b, const char *text)
{
    put_whole(b, strlen(text), 8);
    ramus_buffer_text(b, text);
}

static void a_hundred_thousand_entries_are_opened_and_found(void)
{
    enum { N = 100000 };
    ramus_buffer b = {0};
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    char name[16];
    ramus_buffer_add(&b, BYTES("GGUF" N32("\3")));
    put_whole(&b, N, 8);
    put_whole(&b, N + 1, 8);
    for (int i = 0; i < N; i++) { // not in the order of names
        (void)snprintf(name, sizeof name, "k%d", (int)((long long)i * 54321 % N));
        put_text(&b, name);
        put_whole(&b, RAMUS_GGUF_INT32, 4);
        put_whole(&b, (uint64_t)i, 4);
    }
    put_text(&b, "texts");
    put_whole(&b, RAMUS_GGUF_ARRAY, 4);
    put_whole(&b, RAMUS_GGUF_STRING, 4);
    put_whole(&b, N, 8);
    for (int i = 0; i < N; i++) {
        (void)snprintf(name, sizeof name, "%d", i);
        put_text(&b, name);
    }
    for (int i = 0; i < N; i++) {
        (void)snprintf(name, sizeof name, "t%d", (int)((long long)i * 54321 % N));
        put_text(&b, name);
        put_whole(&b, 0, 4);
        put_whole(&b, RAMUS_GGUF_I32, 4);
        put_whole(&b, (uint64_t)i * 32, 8);
    }
    ramus_buffer_add(&b, zeros, (32 - b.size % 32) % 32);
    for (int i = 0; i < N; i++) {
        put_whole(&b, (uint64_t)i, 4);
        ramus_buffer_add(&b, zeros, 28);
    }
    REQUIRE_OK(ramus_gguf_open_memory(&g, b.data, b.size, "mem", &err), err);
    const ramus_gguf_value *texts = ramus_gguf_value_find(g, "texts");
    for (int i = 0; i < N; i++) {
        size_t size = 0;
        (void)snprintf(name, sizeof name, "t%d", (int)((long long)i * 54321 % N));
        const ramus_gguf_tensor *t = ramus_gguf_find(g, name);
        EXPECT(t && *(const int32_t *)t->data == i, "%s", name);
        name[0] = 'k';
        const ramus_gguf_value *v = ramus_gguf_value_find(g, name);
        EXPECT(v && ramus_gguf_int_at(v, 0) == i, "%s", name);
        (void)snprintf(name, sizeof name, "%d", i);
        const char *text = ramus_gguf_text_at(texts, (size_t)i, &size);
        EXPECT(size == strlen(name) && memcmp(text, name, size) == 0, "text %d", i);
    }
    ramus_gguf_close(g);
    ramus_buffer_free(&b);
}

static ramus_buffer read_small(void)
{
    ramus_error err = {0};
    ramus_buffer b = {0};
    char part[4096];
    FILE *f = fopen(GOLDEN "/gguf/small.gguf", "rb");
    RAMUS_ASSERT(f);
    for (size_t n = 0; (n = fread(part, 1, sizeof part, f)) > 0;)
        ramus_buffer_add(&b, part, n);
    RAMUS_ASSERT(fclose(f) == 0);
    REQUIRE_OK(ramus_buffer_check(&b, &err), err);
    return b;
}

/* The last tensor has 66 bytes, behind which only padding can be missing. */
static void a_file_cut_off_anywhere_is_refused(void)
{
    ramus_error err = {0};
    ramus_buffer b = read_small();
    const size_t needed = b.size - 128 + 66;
    for (size_t size = 0; size < b.size; size++) {
        err.message[0] = '\0';
        const ramus_status st = touch(b.data, size, &err);
        EXPECT_INT(st, size < needed ? RAMUS_BAD_FORMAT : RAMUS_OK, "status");
        EXPECT(size >= needed || strlen(err.message) > 10, "%zu bytes: no sentence", size);
    }
    ramus_buffer_free(&b);
}

/* Changes one place of b: a bit, a byte, one more, one less, mostly where there is no data. */
static void mutate(ramus_buffer *b, const uint32_t bits[3])
{
    static const unsigned char bytes[] = {0,  1,  2,  3,  4,    8,    9,   12,
                                          13, 24, 32, 64, 0x7F, 0x80, 0xFF};
    const size_t at = bits[0] % b->size;
    const char byte = (char)bytes[bits[1] % sizeof bytes];
    switch (bits[2] % 16) {
    case 0: // cut off
        b->size = at ? at : 1;
        break;
    case 1: // one less
        memmove(b->data + at, b->data + at + 1, b->size - at - 1);
        if (b->size > 1) b->size--;
        break;
    case 2: // one more
        ramus_buffer_add(b, "", 1);
        memmove(b->data + at + 1, b->data + at, b->size - at - 1);
        b->data[at] = byte;
        break;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
        b->data[at] ^= (char)(1 << bits[1] % 8);
        break;
    default:
        b->data[at] = byte;
    }
}

static void damaged_files_are_refused_or_sound(void)
{
    const ramus_rng rng = {check_seed(), 0, 0, 0};
    ramus_error err = {0};
    ramus_buffer whole = read_small(), b = {0};
    int n_sound = 0, n_refused = 0;
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
    static const char path[] = "gguf_test.bad";
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    EXPECT_FAILS(ramus_gguf_open(&g, path, &err), err, "gguf_test.bad: cannot open");
    FILE *f = fopen(path, "wb");
    RAMUS_ASSERT(f && fclose(f) == 0);
    EXPECT_FAILS(ramus_gguf_open(&g, path, &err), err, "gguf_test.bad: 0 bytes, a GGUF file");
    f = fopen(path, "wb");
    RAMUS_ASSERT(f && fwrite(zeros, 1, 24, f) == 24 && fclose(f) == 0);
    EXPECT_FAILS(ramus_gguf_open(&g, path, &err), err, "gguf_test.bad: begins with 00 00 00 00");
    EXPECT(!g, "no result");
    (void)remove(path);
}

CHECK_MAIN({"the_bytes_of_the_format_are_read", the_bytes_of_the_format_are_read},
           {"every_type_of_tensor_is_read", every_type_of_tensor_is_read},
           {"every_type_of_metadata_is_read", every_type_of_metadata_is_read},
           {"elements_of_arrays_are_read", elements_of_arrays_are_read},
           {"what_is_asked_for_must_be_there", what_is_asked_for_must_be_there},
           {"files_that_begin_otherwise_are_refused", files_that_begin_otherwise_are_refused},
           {"keys_that_are_wrong_are_refused", keys_that_are_wrong_are_refused},
           {"keys_may_have_65535_bytes", keys_may_have_65535_bytes},
           {"alignments_are_powers_of_two", alignments_are_powers_of_two},
           {"tensors_that_are_wrong_are_refused", tensors_that_are_wrong_are_refused},
           {"tensors_lie_one_behind_the_other", tensors_lie_one_behind_the_other},
           {"a_hundred_thousand_entries_are_opened_and_found",
            a_hundred_thousand_entries_are_opened_and_found},
           {"a_file_cut_off_anywhere_is_refused", a_file_cut_off_anywhere_is_refused},
           {"damaged_files_are_refused_or_sound", damaged_files_are_refused_or_sound},
           {"open_names_the_file", open_names_the_file})
