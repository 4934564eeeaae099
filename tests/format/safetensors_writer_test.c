/* What is written is compared with bytes laid out by hand, and read back; a write that fails leaves
 * the old file. */
#include "base/map.h"
#include "format/safetensors.h"

#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

static ramus_safetensors_writer *make_writer(void)
{
    ramus_error err = {0};
    ramus_safetensors_writer *w = NULL;
    (void)snprintf(folder, sizeof folder, "safetensors_test.XXXXXX");
    RAMUS_ASSERT(mkdtemp(folder));
    REQUIRE_OK(ramus_safetensors_create(&w, &err), err);
    return w;
}

static void end_writer(ramus_safetensors_writer *w)
{
    ramus_safetensors_destroy(w);
    (void)unlink(in_folder("x"));
    EXPECT(rmdir(folder) == 0, "%s is empty at the end", folder);
}

static ramus_safetensor vector(const char *name, ramus_safetensor_dtype dtype, size_t n,
                               const void *data)
{
    return (ramus_safetensor){.name = name, .dtype = dtype, .rank = 1, .shape = {n}, .data = data};
}

static void add(ramus_safetensors_writer *w, ramus_safetensor t)
{
    ramus_error err = {0};
    REQUIRE_OK(ramus_safetensors_add_tensor(w, &t, &err), err);
}

/* The whole file by hand: 8 bytes of length, a header of 248 (so that data begins at 256), data. */
static void the_bytes_are_those_of_the_format(void)
{
    static const char want[] = "\xF8\0\0\0\0\0\0\0"
                               "{\"__metadata__\":{\"k\\n\":\"\xC3\xA4\\\"\",\"a\":\"\"},"
                               "\"d\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]},"
                               "\"b\":{\"dtype\":\"U16\",\"shape\":[2,1],\"data_offsets\":[8,12]},"
                               "\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[12,15]}}"
                               "                                                "
                               "\0\0\0\0\0\0\xF0\xBF\1\2\3\4\xFF\0\7";
    static const int8_t a[] = {-1, 0, 7};
    static const uint16_t b[] = {0x0201, 0x0403};
    static const double d = -1;
    ramus_error err = {0};
    ramus_file file = {0};
    ramus_safetensors_writer *w = make_writer();
    char name[] = "a";
    add(w, vector(name, RAMUS_SAFETENSOR_I8, 3, a));
    name[0] = '?'; // was copied
    add(w, (ramus_safetensor){.name = "d", .dtype = RAMUS_SAFETENSOR_F64, .data = &d});
    add(w, (ramus_safetensor){
               .name = "b", .dtype = RAMUS_SAFETENSOR_U16, .rank = 2, .shape = {2, 1}, .data = b});
    REQUIRE_OK(ramus_safetensors_add_metadata(w, "k\n", "\xC3\xA4\"", &err), err);
    REQUIRE_OK(ramus_safetensors_add_metadata(w, "a", "", &err), err);
    for (int i = 0; i < 2; i++) { // the same bytes each time
        REQUIRE_OK(ramus_safetensors_save(w, in_folder("x"), &err), err);
        REQUIRE_OK(ramus_file_map(&file, in_folder("x"), &err), err);
        EXPECT_INT(file.size, sizeof want - 1, "size");
        EXPECT(file.size == sizeof want - 1 && memcmp(file.data, want, file.size) == 0, "bytes: %s",
               (const char *)file.data + 8);
        ramus_file_unmap(&file);
    }
    end_writer(w);
}

static void what_was_saved_is_opened(void)
{
    enum { N = 40 };
    static const unsigned char data[512] = {3, 1, 4, 1, 5, 9, 2, 6};
    static char names[N][32];
    ramus_error err = {0};
    ramus_safetensors *s = NULL;
    ramus_safetensors_writer *w = make_writer();
    REQUIRE_OK(ramus_safetensors_add_metadata(w, "", "\x01\x7F\t/\\ \xF0\x9F\x98\x80", &err), err);
    for (int i = 0; i < N; i++) {
        (void)snprintf(names[i], sizeof names[i], "\"%d\"\n\xC3\xA4", i);
        ramus_safetensor t = vector(names[i], (ramus_safetensor_dtype)(i % 13), 1, data + i);
        t.rank = i % 9;
        for (int d = 0; d < t.rank; d++)
            t.shape[d] = i == 20 ? 0 : d == t.rank - 1 ? 5 : 1;
        add(w, t);
    }
    REQUIRE_OK(ramus_safetensors_save(w, in_folder("x"), &err), err);
    REQUIRE_OK(ramus_safetensors_open(&s, in_folder("x"), &err), err);
    EXPECT_INT(ramus_safetensors_count(s), N, "tensors");
    EXPECT_TEXT(ramus_safetensors_metadata_find(s, ""), "\x01\x7F\t/\\ \xF0\x9F\x98\x80");
    EXPECT((uintptr_t)ramus_safetensors_at(s, 0)->data % 64 == 0, "the data is aligned to 64");
    for (int i = 0; i < N; i++) {
        const ramus_safetensor *t = ramus_safetensors_find(s, names[i]);
        EXPECT(t && (int)t->dtype == i % 13 && t->rank == i % 9, "tensor %d", i);
        if (!t) continue;
        EXPECT_INT(t->count, i == 20 ? 0 : t->rank ? 5 : 1, "count");
        EXPECT(t->rank == 0 || t->shape[t->rank - 1] == t->count, "shape of tensor %d", i);
        EXPECT_BYTES(t->data, data + i, t->size, "data of tensor %d", i);
    }
    ramus_safetensors_close(s);
    end_writer(w);
}

static void a_file_may_be_empty_or_have_metadata_only(void)
{
    ramus_error err = {0};
    ramus_safetensors_writer *w = make_writer();
    for (int n = 0; n < 2; n++) {
        ramus_safetensors *s = NULL;
        if (n) REQUIRE_OK(ramus_safetensors_add_metadata(w, "a", "b", &err), err);
        REQUIRE_OK(ramus_safetensors_save(w, in_folder("x"), &err), err);
        REQUIRE_OK(ramus_safetensors_open(&s, in_folder("x"), &err), err);
        EXPECT_INT(ramus_safetensors_count(s), 0, "tensors");
        EXPECT_INT(ramus_safetensors_metadata_count(s), n, "metadata");
        ramus_safetensors_close(s);
    }
    end_writer(w);
    ramus_safetensors_destroy(NULL);
}

static void what_no_reader_would_take_is_refused(void)
{
    ramus_error err = {0};
    ramus_safetensors_writer *w = make_writer();
    ramus_safetensor t = vector("", RAMUS_SAFETENSOR_U8, 1, "x");
    EXPECT_FAILS(ramus_safetensors_add_tensor(w, &t, &err), err, "no tensor can be called ''");
    EXPECT_INT(err.status, RAMUS_BAD_ARGUMENT, "status");
    t.name = "__metadata__";
    EXPECT_FAILS(ramus_safetensors_add_tensor(w, &t, &err), err, "can be called '__metadata__'");
    t.name = "a\xFFz";
    EXPECT_FAILS(ramus_safetensors_add_tensor(w, &t, &err), err,
                 "tensor 'a': byte 1 is 0xFF, expected UTF-8");
    EXPECT_FAILS(ramus_safetensors_add_metadata(w, "\xC3", "", &err), err,
                 "metadata key '': byte 0 is 0xC3, expected UTF-8");
    EXPECT_FAILS(ramus_safetensors_add_metadata(w, "", "b\x80", &err), err,
                 "metadata value 'b': byte 1 is 0x80, expected UTF-8");
    t = vector("big", RAMUS_SAFETENSOR_F32, SIZE_MAX / 2, "x");
    EXPECT_FAILS(ramus_safetensors_add_tensor(w, &t, &err), err,
                 "tensor 'big': its shape has more values than memory has addresses");
    REQUIRE_OK(ramus_safetensors_save(w, in_folder("x"), &err), err); // what was refused is not in
    struct stat info;
    EXPECT(stat(in_folder("x"), &info) == 0 && info.st_size == 64, "an empty file");
    end_writer(w);
}

static void names_added_twice_are_refused_and_the_old_file_stays(void)
{
    ramus_error err = {0};
    ramus_safetensors *s = NULL;
    ramus_safetensors_writer *w = make_writer();
    add(w, vector("a", RAMUS_SAFETENSOR_U8, 1, "1"));
    add(w, vector("b", RAMUS_SAFETENSOR_U8, 1, "2"));
    REQUIRE_OK(ramus_safetensors_save(w, in_folder("x"), &err), err);
    add(w, vector("a", RAMUS_SAFETENSOR_F32, 0, NULL));
    EXPECT_FAILS(ramus_safetensors_save(w, in_folder("x"), &err), err,
                 "/x: tensor 'a' was added twice");
    ramus_safetensors_destroy(w);

    REQUIRE_OK(ramus_safetensors_create(&w, &err), err);
    REQUIRE_OK(ramus_safetensors_add_metadata(w, "k", "1", &err), err);
    REQUIRE_OK(ramus_safetensors_add_metadata(w, "k", "2", &err), err);
    EXPECT_FAILS(ramus_safetensors_save(w, in_folder("x"), &err), err,
                 "/x: metadata 'k' was added twice");
    EXPECT_INT(n_files(), 1, "files");
    REQUIRE_OK(ramus_safetensors_open(&s, in_folder("x"), &err), err);
    EXPECT_INT(ramus_safetensors_count(s), 2, "tensors of the old file");
    ramus_safetensors_close(s);
    end_writer(w);
}

/* A limit on the size of files stands for the disk that is full: it is met in the header, in the
 * first tensor and in the second. */
static void a_failed_save_keeps_the_old_file(void)
{
    static const unsigned char data[100] = {1};
    ramus_error err = {0};
    struct rlimit before;
    ramus_safetensors_writer *w = make_writer();
    add(w, vector("old", RAMUS_SAFETENSOR_U8, 1, data));
    REQUIRE_OK(ramus_safetensors_save(w, in_folder("x"), &err), err);
    add(w, vector("new", RAMUS_SAFETENSOR_U8, 100, data));
    RAMUS_ASSERT(getrlimit(RLIMIT_FSIZE, &before) == 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    static const rlim_t limits[] = {0, 100, 128, 200, 228};
    for (int i = 0; i < RAMUS_COUNT(limits); i++) {
        const struct rlimit few = {limits[i], before.rlim_max};
        ramus_safetensors *s = NULL;
        RAMUS_ASSERT(setrlimit(RLIMIT_FSIZE, &few) == 0);
        const ramus_status st = ramus_safetensors_save(w, in_folder("x"), &err);
        RAMUS_ASSERT(setrlimit(RLIMIT_FSIZE, &before) == 0);
        EXPECT(st == RAMUS_IO && strstr(err.message, "/x: cannot write"), "%s", err.message);
        EXPECT_INT(n_files(), 1, "files");
        REQUIRE_OK(ramus_safetensors_open(&s, in_folder("x"), &err), err);
        EXPECT(ramus_safetensors_find(s, "old") && !ramus_safetensors_find(s, "new"), "the old");
        ramus_safetensors_close(s);
    }
    EXPECT_FAILS(ramus_safetensors_save(w, in_folder("missing/x"), &err), err,
                 "/missing/x: cannot create");
    EXPECT_FAILS(ramus_safetensors_save(w, folder, &err), err, ": cannot open: Is a directory");
    REQUIRE_OK(ramus_safetensors_save(w, in_folder("x"), &err), err);
    EXPECT_INT(n_files(), 1, "files");
    end_writer(w);
}

/* A checkpoint is rewritten from tensors of the one it replaces. */
static void an_open_file_can_be_replaced_by_its_own_tensors(void)
{
    ramus_error err = {0};
    ramus_safetensors *s = NULL;
    ramus_safetensors_writer *w = make_writer();
    add(w, vector("a", RAMUS_SAFETENSOR_U8, 5, "hello"));
    REQUIRE_OK(ramus_safetensors_save(w, in_folder("x"), &err), err);
    ramus_safetensors_destroy(w);
    for (int round = 0; round < 2; round++) {
        REQUIRE_OK(ramus_safetensors_open(&s, in_folder("x"), &err), err);
        EXPECT(ramus_safetensors_count(s) == 1, "tensors");
        EXPECT_BYTES(ramus_safetensors_find(s, "a")->data, "hello", 5, "round %d", round);
        REQUIRE_OK(ramus_safetensors_create(&w, &err), err);
        add(w, *ramus_safetensors_at(s, 0));
        REQUIRE_OK(ramus_safetensors_save(w, in_folder("x"), &err), err);
        ramus_safetensors_close(s);
        if (round == 0) ramus_safetensors_destroy(w);
    }
    EXPECT_INT(n_files(), 1, "files");
    end_writer(w);
}

CHECK_MAIN({"the_bytes_are_those_of_the_format", the_bytes_are_those_of_the_format},
           {"what_was_saved_is_opened", what_was_saved_is_opened},
           {"a_file_may_be_empty_or_have_metadata_only", a_file_may_be_empty_or_have_metadata_only},
           {"what_no_reader_would_take_is_refused", what_no_reader_would_take_is_refused},
           {"names_added_twice_are_refused_and_the_old_file_stays",
            names_added_twice_are_refused_and_the_old_file_stays},
           {"a_failed_save_keeps_the_old_file", a_failed_save_keeps_the_old_file},
           {"an_open_file_can_be_replaced_by_its_own_tensors",
            an_open_file_can_be_replaced_by_its_own_tensors})
