/* What is written is compared with bytes laid out by hand, and read back; a write that fails leaves
 * the old file. */
#include "base/map.h"
#include "format/gguf.h"

#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#define N32(byte) byte "\0\0\0"
#define N64(byte) byte "\0\0\0\0\0\0\0"

static char folder[64]; // in the current folder, removed at the end of a fact

static const char *in_folder(const char *name)
{
    static char path[sizeof folder + 64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int n_files(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    RAMUS_ASSERT(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n - 2; // "." and ".."
}

static ramus_gguf_writer *make_writer(size_t alignment)
{
    ramus_error err = {0};
    ramus_gguf_writer *w = NULL;
    (void)snprintf(folder, sizeof folder, "gguf_test.XXXXXX");
    RAMUS_ASSERT(mkdtemp(folder));
    REQUIRE_OK(ramus_gguf_create(&w, alignment, &err), err);
    return w;
}

static void end_writer(ramus_gguf_writer *w)
{
    ramus_gguf_destroy(w);
    (void)unlink(in_folder("x"));
    EXPECT(rmdir(folder) == 0, "%s is empty at the end", folder);
}

static ramus_gguf_tensor vector(const char *name, ramus_gguf_dtype dtype, size_t n,
                                const void *data)
{
    return (ramus_gguf_tensor){
        .name = name, .dtype = dtype, .n_dims = 1, .dims = {n}, .data = data};
}

static void add(ramus_gguf_writer *w, ramus_gguf_tensor t)
{
    ramus_error err = {0};
    REQUIRE_OK(ramus_gguf_add_tensor(w, &t, &err), err);
}

/* The whole file by hand: keys to byte 262, entries of tensors to 328, data at 384 and 448. */
static void the_bytes_are_those_of_the_format(void)
{
    // clang-format off
    static const char want[] =
        "GGUF" N32("\3") N64("\2") N64("\x09")                                    // to byte 24
        N64("\x11") "general.alignment" N32("\4") N32("\x40")                     // 57
        N64("\1") "u" N32("\4") "\xEF\xCD\xAB\x89"                                // 74
        N64("\1") "r" N32("\6") "\0\0\0\xC0"                                      // 91
        N64("\1") "b" N32("\7") "\1"                                              // 105
        N64("\2") "\xC3\xA4" N32("\10") N64("\3") "a\0b"                          // 130
        N64("\1") "T" N32("\11") N32("\10") N64("\2") N64("\0") N64("\1") "x"     // 172
        N64("\1") "I" N32("\11") N32("\5") N64("\2") "\xFF\xFF\xFF\xFF" N32("\2") // 205
        N64("\1") "R" N32("\11") N32("\6") N64("\1") "\0\0\x80\x3F"               // 234
        N64("\1") "B" N32("\11") N32("\0") N64("\3") "\1\2\3"                     // 262
        N64("\1") "w" N32("\2") N64("\3") N64("\1") N32("\x19") N64("\0")         // 303
        N64("\1") "s" N32("\0") N32("\x1C") N64("\x40");                          // 328
    // clang-format on
    static const int16_t data[] = {1, -1, 2};
    static const double one = 1;
    static const char *const texts[] = {"", "x"};
    static const int32_t ints[] = {-1, 2};
    static const float reals[] = {1};
    ramus_error err = {0};
    ramus_file file = {0};
    ramus_gguf_writer *w = make_writer(64);
    char name[] = "w";
    add(w, (ramus_gguf_tensor){
               .name = name, .dtype = RAMUS_GGUF_I16, .n_dims = 2, .dims = {3, 1}, .data = data});
    name[0] = '?'; // was copied
    add(w, (ramus_gguf_tensor){.name = "s", .dtype = RAMUS_GGUF_F64, .data = &one});
    REQUIRE_OK(ramus_gguf_add_uint(w, "u", 0x89ABCDEF, &err), err);
    REQUIRE_OK(ramus_gguf_add_real(w, "r", -2, &err), err);
    REQUIRE_OK(ramus_gguf_add_bool(w, "b", true, &err), err);
    REQUIRE_OK(ramus_gguf_add_text(w, "\xC3\xA4", "a\0b", 3, &err), err);
    REQUIRE_OK(ramus_gguf_add_texts(w, "T", texts, 2, &err), err);
    REQUIRE_OK(ramus_gguf_add_ints(w, "I", ints, 2, &err), err);
    REQUIRE_OK(ramus_gguf_add_reals(w, "R", reals, 1, &err), err);
    REQUIRE_OK(ramus_gguf_add_blob(w, "B", "\1\2\3", 3, &err), err);
    char whole[512] = {0};
    EXPECT_INT(sizeof want - 1, 328, "bytes before the data");
    memcpy(whole, want, sizeof want - 1);
    memcpy(whole + 384, "\1\0\xFF\xFF\2\0", 6);
    memcpy(whole + 448, "\0\0\0\0\0\0\xF0\x3F", 8);
    for (int i = 0; i < 2; i++) { // the same bytes each time
        REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
        REQUIRE_OK(ramus_file_map(&file, in_folder("x"), &err), err);
        EXPECT_INT(file.size, sizeof whole, "size");
        for (size_t at = 0; at < file.size && at < sizeof whole; at++)
            EXPECT((char)file.data[at] == whole[at], "byte %zu is %02X", at, file.data[at]);
        ramus_file_unmap(&file);
    }
    end_writer(w);
}

static void what_was_saved_is_opened(void)
{
    enum { N = 40 };
    static const ramus_gguf_dtype dtypes[] = {
        RAMUS_GGUF_F32, RAMUS_GGUF_F16, RAMUS_GGUF_I8,  RAMUS_GGUF_I16,
        RAMUS_GGUF_I32, RAMUS_GGUF_I64, RAMUS_GGUF_F64, RAMUS_GGUF_BF16,
    };
    static const size_t alignments[] = {8, 32, 64, 65536};
    static const unsigned char data[4096] = {3, 1, 4, 1, 5, 9, 2, 6};
    static char names[N][64];
    for (int a = 0; a < RAMUS_COUNT(alignments); a++) {
        ramus_error err = {0};
        ramus_gguf *g = NULL;
        ramus_gguf_writer *w = make_writer(alignments[a]);
        REQUIRE_OK(ramus_gguf_add_uint(w, "k", 7, &err), err);
        for (int i = 0; i < N; i++) {
            (void)snprintf(names[i], sizeof names[i], "\"%d\"\n\xC3\xA4", i);
            ramus_gguf_tensor t = vector(names[i], dtypes[i % 8], 1, data + i);
            t.n_dims = i % 5;
            for (int d = 0; d < t.n_dims; d++)
                t.dims[d] = (size_t)(1 + (i + d) % 4);
            add(w, t);
        }
        REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
        REQUIRE_OK(ramus_gguf_open(&g, in_folder("x"), &err), err);
        EXPECT_INT(ramus_gguf_count(g), N, "tensors");
        EXPECT_INT(ramus_gguf_alignment(g), alignments[a], "alignment");
        for (int i = 0; i < N; i++) {
            const ramus_gguf_tensor *t = ramus_gguf_find(g, names[i]);
            EXPECT(t && t == ramus_gguf_at(g, i) && t->dtype == dtypes[i % 8], "tensor %d", i);
            size_t count = 1;
            for (int d = 0; d < t->n_dims; d++) {
                EXPECT_INT(t->dims[d], 1 + (i + d) % 4, names[i]);
                count *= t->dims[d];
            }
            EXPECT_INT(t->n_dims, i % 5, names[i]);
            EXPECT_INT(t->count, count, names[i]);
            EXPECT_BYTES(t->data, data + i, t->size, "data of tensor %d", i);
            EXPECT((uintptr_t)t->data % (alignments[a] < 4096 ? alignments[a] : 4096) == 0,
                   "tensor %d is aligned", i);
        }
        ramus_gguf_close(g);
        end_writer(w);
    }
}

static void values_come_back(void)
{
    enum { N = 1000 };
    static int32_t ints[N];
    static float reals[N];
    static const char *texts[N];
    static char storage[N][16];
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    const ramus_gguf_value *v = NULL;
    ramus_gguf_writer *w = make_writer(64);
    for (int i = 0; i < N; i++) {
        ints[i] = (i - N / 2) * 4000037;
        reals[i] = 1.0f / (float)(i + 1);
        (void)snprintf(storage[i], sizeof storage[i], "%.*s", i % 12,
                       "\xC3\xA4"
                       "bcdefghijk");
        texts[i] = i % 12 == 1 ? "" : storage[i]; // half a letter is no UTF-8
    }
    REQUIRE_OK(ramus_gguf_add_text(w, "empty", "", 0, &err), err);
    REQUIRE_OK(ramus_gguf_add_texts(w, "texts", texts, N, &err), err);
    REQUIRE_OK(ramus_gguf_add_ints(w, "ints", ints, N, &err), err);
    REQUIRE_OK(ramus_gguf_add_reals(w, "reals", reals, N, &err), err);
    REQUIRE_OK(ramus_gguf_add_blob(w, "blob", ints, sizeof ints, &err), err);
    REQUIRE_OK(ramus_gguf_add_texts(w, "no texts", NULL, 0, &err), err);
    REQUIRE_OK(ramus_gguf_add_ints(w, "no ints", NULL, 0, &err), err);
    REQUIRE_OK(ramus_gguf_add_blob(w, "no blob", NULL, 0, &err), err);
    REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_gguf_open(&g, in_folder("x"), &err), err);
    EXPECT_INT(ramus_gguf_value_count(g), 9, "values");
    EXPECT_TEXT(ramus_gguf_value_at(g, 0)->key, "general.alignment");
    REQUIRE_OK(ramus_gguf_get_array(g, "ints", RAMUS_GGUF_INT32, &v, &err), err);
    for (size_t i = 0; i < N; i++)
        EXPECT_INT(ramus_gguf_int_at(v, i), ints[i], "an int");
    REQUIRE_OK(ramus_gguf_get_array(g, "reals", RAMUS_GGUF_FLOAT32, &v, &err), err);
    for (size_t i = 0; i < N; i++)
        EXPECT(ramus_gguf_real_at(v, i) == (double)reals[i], "real %zu", i);
    REQUIRE_OK(ramus_gguf_get_array(g, "texts", RAMUS_GGUF_STRING, &v, &err), err);
    for (size_t i = 0; i < N; i++) {
        size_t size = 0;
        const char *text = ramus_gguf_text_at(v, i, &size);
        EXPECT(size == strlen(texts[i]) && memcmp(text, texts[i], size) == 0, "text %zu", i);
    }
    REQUIRE_OK(ramus_gguf_get_array(g, "blob", RAMUS_GGUF_UINT8, &v, &err), err);
    EXPECT(v->count == sizeof ints && memcmp(v->data, ints, sizeof ints) == 0, "a blob");
    static const char *const none[] = {"no texts", "no ints", "no blob"};
    for (int i = 0; i < 3; i++)
        EXPECT_INT(ramus_gguf_value_find(g, none[i])->count, 0, none[i]);
    EXPECT_INT(ramus_gguf_value_find(g, "empty")->size, 0, "an empty text");
    ramus_gguf_close(g);
    end_writer(w);
    ramus_gguf_destroy(NULL);
}

static void what_no_reader_would_take_is_refused(void)
{
    static const char *const bad[] = {"fine", "b\x80"};
    static char longest[65537];
    memset(longest, 'k', 65536);
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    ramus_gguf_writer *w = make_writer(64);
    ramus_gguf_tensor t = vector("", RAMUS_GGUF_I8, 1, "x");
    EXPECT_FAILS(ramus_gguf_add_tensor(w, &t, &err), err,
                 "tensor '' has 0 bytes, expected 1 to 63");
    EXPECT_INT(err.status, RAMUS_BAD_ARGUMENT, "status");
    t.name = longest + 65536 - 64;
    EXPECT_FAILS(ramus_gguf_add_tensor(w, &t, &err), err, "kkk' has 64 bytes, expected 1 to 63");
    t.name = "a\xFFz";
    EXPECT_FAILS(ramus_gguf_add_tensor(w, &t, &err), err,
                 "tensor 'a': byte 1 is 0xFF, expected UTF-8");
    t = vector("big", RAMUS_GGUF_F32, SIZE_MAX / 2, "x");
    EXPECT_FAILS(ramus_gguf_add_tensor(w, &t, &err), err,
                 "tensor 'big': its dimensions have more values than memory has addresses");
    EXPECT_INT(err.status, RAMUS_BAD_ARGUMENT, "status");
    t = vector("none", RAMUS_GGUF_F32, 0, "x");
    EXPECT_FAILS(ramus_gguf_add_tensor(w, &t, &err), err,
                 "tensor 'none': its dimension 0 is 0, expected at least 1");
    EXPECT_FAILS(ramus_gguf_add_uint(w, "", 1, &err), err,
                 "key '' has 0 bytes, expected 1 to 65535");
    EXPECT_FAILS(ramus_gguf_add_bool(w, longest, true, &err), err,
                 "has 65536 bytes, expected 1 to");
    EXPECT_FAILS(ramus_gguf_add_real(w, "\xC3", 1, &err), err,
                 "key '': byte 0 is 0xC3, expected UTF-8");
    EXPECT_FAILS(ramus_gguf_add_text(w, "k", "b\x80", 2, &err), err,
                 "text 'b': byte 1 is 0x80, expected UTF-8");
    EXPECT_FAILS(ramus_gguf_add_texts(w, "k", bad, 2, &err), err,
                 "text 'b': byte 1 is 0x80, expected UTF-8");
    EXPECT_FAILS(ramus_gguf_add_blob(w, "", "x", 1, &err), err, "key '' has 0 bytes");
    REQUIRE_OK(ramus_gguf_add_uint(w, longest + 1, 1, &err), err);
    t = vector(longest + 65536 - 63, RAMUS_GGUF_I8, 1, "x");
    REQUIRE_OK(ramus_gguf_add_tensor(w, &t, &err), err);
    REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err); // what was refused is not in
    REQUIRE_OK(ramus_gguf_open(&g, in_folder("x"), &err), err);
    EXPECT_INT(ramus_gguf_count(g), 1, "tensors");
    EXPECT_INT(ramus_gguf_value_count(g), 2, "values");
    ramus_gguf_close(g);
    end_writer(w);
}

static void names_added_twice_are_refused_and_the_old_file_stays(void)
{
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    ramus_gguf_writer *w = make_writer(64);
    add(w, vector("a", RAMUS_GGUF_I8, 1, "1"));
    add(w, vector("b", RAMUS_GGUF_I8, 1, "2"));
    REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
    add(w, vector("a", RAMUS_GGUF_F32, 1, "1234"));
    EXPECT_FAILS(ramus_gguf_save(w, in_folder("x"), &err), err, "/x: tensor 'a' was added twice");
    EXPECT_INT(err.status, RAMUS_BAD_ARGUMENT, "status");
    ramus_gguf_destroy(w);

    REQUIRE_OK(ramus_gguf_create(&w, 64, &err), err);
    REQUIRE_OK(ramus_gguf_add_uint(w, "k", 1, &err), err);
    REQUIRE_OK(ramus_gguf_add_text(w, "k", "2", 1, &err), err);
    EXPECT_FAILS(ramus_gguf_save(w, in_folder("x"), &err), err, "/x: key 'k' was added twice");
    ramus_gguf_destroy(w);

    REQUIRE_OK(ramus_gguf_create(&w, 64, &err), err);
    REQUIRE_OK(ramus_gguf_add_uint(w, "general.alignment", 32, &err), err);
    EXPECT_FAILS(ramus_gguf_save(w, in_folder("x"), &err), err,
                 "/x: key 'general.alignment' was added twice");
    EXPECT_INT(n_files(), 1, "files");
    REQUIRE_OK(ramus_gguf_open(&g, in_folder("x"), &err), err);
    EXPECT_INT(ramus_gguf_count(g), 2, "tensors of the old file");
    ramus_gguf_close(g);
    end_writer(w);
}

/* A limit on the size of files stands for the disk that is full: it is met in the header, in a
 * tensor, in padding. */
static void a_failed_save_keeps_the_old_file(void)
{
    static const unsigned char data[100] = {1};
    ramus_error err = {0};
    struct rlimit before;
    ramus_gguf_writer *w = make_writer(64);
    add(w, vector("old", RAMUS_GGUF_I8, 1, data));
    REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
    add(w, vector("new", RAMUS_GGUF_I8, 100, data));
    RAMUS_ASSERT(getrlimit(RLIMIT_FSIZE, &before) == 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    static const rlim_t limits[] = {0, 100, 128, 129, 192, 200, 292, 319}; // of 320
    for (int i = 0; i < RAMUS_COUNT(limits); i++) {
        const struct rlimit few = {limits[i], before.rlim_max};
        ramus_gguf *g = NULL;
        RAMUS_ASSERT(setrlimit(RLIMIT_FSIZE, &few) == 0);
        const ramus_status st = ramus_gguf_save(w, in_folder("x"), &err);
        RAMUS_ASSERT(setrlimit(RLIMIT_FSIZE, &before) == 0);
        EXPECT(st == RAMUS_IO && strstr(err.message, "/x: cannot write"), "%s", err.message);
        EXPECT_INT(n_files(), 1, "files");
        REQUIRE_OK(ramus_gguf_open(&g, in_folder("x"), &err), err);
        EXPECT(ramus_gguf_find(g, "old") && !ramus_gguf_find(g, "new"), "the old");
        ramus_gguf_close(g);
    }
    EXPECT_FAILS(ramus_gguf_save(w, in_folder("missing/x"), &err), err,
                 "/missing/x: cannot create");
    EXPECT_FAILS(ramus_gguf_save(w, folder, &err), err, ": cannot open: Is a directory");
    REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
    EXPECT_INT(n_files(), 1, "files");
    end_writer(w);
}

/* Opens a copy in memory; false where opening or the checksum tells that it is damaged. */
static bool is_whole(const ramus_file *copy)
{
    ramus_gguf *g = NULL;
    bool found = false;
    if (ramus_gguf_open_memory(&g, copy->data, copy->size, "a copy", NULL)) return false;
    const bool whole = !ramus_gguf_verify(g, "sum", &found, NULL) && found;
    ramus_gguf_close(g);
    return whole;
}

static void a_checksum_finds_every_changed_bit(void)
{
    ramus_error err = {0};
    ramus_file file = {0};
    ramus_gguf_writer *w = make_writer(8);
    REQUIRE_OK(ramus_gguf_add_text(w, "name", "x", 1, &err), err);
    REQUIRE_OK(ramus_gguf_add_checksum(w, "sum", &err), err);
    add(w, vector("a", RAMUS_GGUF_I8, 8, "good day"));
    add(w, vector("b", RAMUS_GGUF_I8, 16, "good day to you!"));
    REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_file_map(&file, in_folder("x"), &err), err);
    ramus_file copy = {malloc(file.size), file.size};
    RAMUS_ASSERT(copy.data);
    unsigned char *bytes = (void *)copy.data;
    memcpy(bytes, file.data, file.size);
    EXPECT(is_whole(&copy), "what was saved");
    for (size_t i = 0; i < 8 * file.size; i++) {
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        EXPECT(!is_whole(&copy), "bit %zu of byte %zu was changed", i % 8, i / 8);
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    free(bytes);
    ramus_file_unmap(&file);
    end_writer(w);
}

/* With and without the checksum of the whole file. */
static void checksums_of_tensors_name_the_damaged_one(void)
{
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    bool found = false;
    ramus_gguf_writer *w = make_writer(8);
    add(w, vector("first", RAMUS_GGUF_I8, 8, "good day"));
    add(w, vector("second", RAMUS_GGUF_I8, 5, "to you"));
    REQUIRE_OK(ramus_gguf_add_tensor_checksums(w, "sums", &err), err);
    REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_gguf_open(&g, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_gguf_verify_tensors(g, "sums", &found, &err), err);
    EXPECT(found, "they are there");
    const size_t starts[] = {(size_t)((const char *)ramus_gguf_at(g, 0)->data),
                             (size_t)((const char *)ramus_gguf_at(g, 1)->data)};
    REQUIRE_OK(ramus_gguf_verify_tensors(g, "none", &found, &err), err);
    EXPECT(!found, "they are not there");
    EXPECT_FAILS(ramus_gguf_verify_tensors(g, "general.alignment", &found, &err), err,
                 "'general.alignment' is no list of 2 checksums");
    ramus_gguf_close(g);
    ramus_file file = {0};
    REQUIRE_OK(ramus_file_map(&file, in_folder("x"), &err), err);
    char *bytes = malloc(file.size);
    RAMUS_ASSERT(bytes);
    memcpy(bytes, file.data, file.size);
    const size_t at[] = {file.size - 16, file.size - 8}; // of the data; 8 is the alignment
    EXPECT_INT(starts[1] - starts[0], at[1] - at[0], "distance of the tensors");
    for (int i = 0; i < 13 * 8; i++) {
        char *byte = bytes + (i / 8 < 8 ? at[0] + (size_t)i / 8 : at[1] + (size_t)i / 8 - 8);
        *byte = (char)(*byte ^ 1 << i % 8);
        REQUIRE_OK(ramus_gguf_open_memory(&g, bytes, file.size, "a copy", &err), err);
        EXPECT_FAILS(ramus_gguf_verify_tensors(g, "sums", &found, &err), err,
                     i / 8 < 8 ? "is damaged: first has the checksum "
                               : "is damaged: second has the checksum ");
        ramus_gguf_close(g);
        *byte = (char)(*byte ^ 1 << i % 8);
    }
    free(bytes);
    ramus_file_unmap(&file);
    end_writer(w);
}

static void checksums_are_of_one_form(void)
{
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    bool found = true;
    ramus_gguf_writer *w = make_writer(8);
    REQUIRE_OK(ramus_gguf_add_text(w, "short", "12", 2, &err), err);
    REQUIRE_OK(ramus_gguf_add_uint(w, "number", 7, &err), err);
    REQUIRE_OK(ramus_gguf_add_checksum(w, "sum", &err), err); // without a tensor
    REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_gguf_open(&g, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_gguf_verify(g, "sum", &found, &err), err);
    EXPECT(found, "it is there");
    EXPECT_FAILS(ramus_gguf_verify(g, "short", &found, &err), err, "no text of 16 characters");
    EXPECT_FAILS(ramus_gguf_verify(g, "number", &found, &err), err, "no text of 16 characters");
    REQUIRE_OK(ramus_gguf_verify(g, "none", &found, &err), err);
    EXPECT(!found, "it is not there");
    ramus_gguf_close(g);
    end_writer(w);
}

static void an_open_file_can_be_replaced_by_its_own_tensors(void)
{
    ramus_error err = {0};
    ramus_gguf *g = NULL;
    ramus_gguf_writer *w = make_writer(64);
    add(w, vector("a", RAMUS_GGUF_I8, 5, "hello"));
    for (int round = 0; round < 2; round++) {
        REQUIRE_OK(ramus_gguf_save(w, in_folder("x"), &err), err);
        ramus_gguf_destroy(w);
        ramus_gguf_close(g);
        REQUIRE_OK(ramus_gguf_open(&g, in_folder("x"), &err), err);
        EXPECT_BYTES(ramus_gguf_find(g, "a")->data, "hello", 5, "round %d", round);
        REQUIRE_OK(ramus_gguf_create(&w, 64, &err), err);
        add(w, *ramus_gguf_at(g, 0));
    }
    ramus_gguf_close(g);
    EXPECT_INT(n_files(), 1, "files");
    end_writer(w);
}

CHECK_MAIN({"the_bytes_are_those_of_the_format", the_bytes_are_those_of_the_format},
           {"what_was_saved_is_opened", what_was_saved_is_opened},
           {"values_come_back", values_come_back},
           {"what_no_reader_would_take_is_refused", what_no_reader_would_take_is_refused},
           {"names_added_twice_are_refused_and_the_old_file_stays",
            names_added_twice_are_refused_and_the_old_file_stays},
           {"a_failed_save_keeps_the_old_file", a_failed_save_keeps_the_old_file},
           {"a_checksum_finds_every_changed_bit", a_checksum_finds_every_changed_bit},
           {"checksums_of_tensors_name_the_damaged_one", checksums_of_tensors_name_the_damaged_one},
           {"checksums_are_of_one_form", checksums_are_of_one_form},
           {"an_open_file_can_be_replaced_by_its_own_tensors",
            an_open_file_can_be_replaced_by_its_own_tensors})
