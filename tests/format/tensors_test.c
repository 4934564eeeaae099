/* Files of tensors of three formats: what PyTorch wrote, arrays and pickles put together here, and
 * those that a stranger might send. */
#include "format/tensors.h"

#include "convert/archives.h"

#include <stdint.h>

static const float six[] = {1, 2, 3, 4, 5, 6};
static ramus_error err;

/* Bytes at a multiple of 8, as a mapped file has them. */
static ramus_status open_bytes(ramus_tensors **out, const ramus_buffer *b)
{
    static uint64_t room[8192];
    *out = NULL;
    RAMUS_ASSERT(b->size <= sizeof room);
    memset(room, 0, sizeof room);
    memcpy(room, b->data, b->size);
    return ramus_tensors_open_memory(out, room, b->size, &err);
}

static archive arrays(const char *header, size_t size)
{
    archive a = {.n = 0};
    archive_add_array(&a, "first.npy",
                      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }  \n", six, 12);
    archive_add_array(&a, "x.npy", header, six, size);
    archive_end(&a);
    return a;
}

static void arrays_are_read_in_place(void)
{
    archive a = arrays("{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}", 24);
    ramus_tensors *t = NULL;
    REQUIRE_OK(open_bytes(&t, &a.data), err);
    const ramus_safetensor *x = ramus_tensors_find(t, "x");
    EXPECT_INT(ramus_tensors_count(t), 2, "arrays");
    EXPECT(x && x->rank == 2 && x->shape[0] == 2 && x->shape[1] == 3 && x->count == 6 &&
               x->dtype == RAMUS_SAFETENSOR_F32,
           "shape and type");
    if (x) EXPECT_BYTES(x->data, six, sizeof six, "values");
    EXPECT(!ramus_tensors_find(t, "y") && ramus_tensors_at(t, 1) == x, "names");
    ramus_tensors_close(t);
    archive_free(&a);
}

static void wrong_arrays_are_refused(void)
{
    static const struct {
        const char *header;
        const char *part;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", "header"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }", "header"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }", "header"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", "header"},
        {"{'descr': '<f4', 'fortran_order': False, }", "header"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3), }", "header"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3", "header"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x", "header"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "header"},
        {"", "header"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }", "expected 32 bytes"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", "expected 48 bytes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
         "more values than memory has addresses"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999, 3), }",
         "header"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        archive a = arrays(cases[i].header, 24);
        ramus_tensors *t = NULL;
        EXPECT_FAILS(open_bytes(&t, &a.data), err, cases[i].part);
        archive_free(&a);
    }
}

static void wrong_archives_are_refused(void)
{
    ramus_tensors *t = NULL;
    archive packed = {.method = 8};
    archive_add(&packed, "x.npy", six, sizeof six);
    archive_end(&packed);
    EXPECT_FAILS(open_bytes(&t, &packed.data), err, "packed or encrypted");
    archive other = {.n = 0};
    archive_add(&other, "readme.txt", six, sizeof six);
    archive_end(&other);
    EXPECT_FAILS(open_bytes(&t, &other.data), err, "names that end with .npy");
    archive twice = {.n = 0};
    for (int i = 0; i < 2; i++)
        archive_add_array(&twice, "x.npy",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", six, 4);
    archive_end(&twice);
    EXPECT_FAILS(open_bytes(&t, &twice.data), err, "appears twice");
    archive_free(&packed);
    archive_free(&other);
    archive_free(&twice);

    /* Every beginning of a good archive, and every byte of it changed, is no harm. */
    archive good = arrays("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
    const size_t size = good.data.size;
    for (size_t i = 0; i < size; i++) {
        good.data.size = i;
        EXPECT(open_bytes(&t, &good.data), "%zu of %zu bytes", i, size);
    }
    good.data.size = size;
    for (size_t i = 0; i < size * 2; i++) {
        const char was = good.data.data[i / 2];
        good.data.data[i / 2] = i % 2 ? (char)0xff : (char)(was ^ 1);
        if (!open_bytes(&t, &good.data)) ramus_tensors_close(t);
        good.data.data[i / 2] = was;
    }
    archive_free(&good);
}

static const pickled good = {
    "torch._utils\n_rebuild_tensor_v2\n", "torch\nFloatStorage\n", 0, 2, 3, 3};

/* The archive of a pickle; the caller frees it. */
static archive pickle_archive(const ramus_buffer *pickle)
{
    archive a = {.n = 0};
    archive_add(&a, "model/data.pkl", pickle->data, pickle->size);
    archive_add(&a, "model/data/0", six, sizeof six);
    archive_add(&a, "model/version", "3\n", 2);
    archive_end(&a);
    return a;
}

static ramus_status open_pickle(ramus_tensors **out, const pickled *p)
{
    ramus_buffer b = pickle_of(p);
    archive a = pickle_archive(&b);
    const ramus_status st = open_bytes(out, &a.data);
    archive_free(&a);
    ramus_buffer_free(&b);
    return st;
}

static void pickles_give_tensors(void)
{
    ramus_tensors *t = NULL;
    REQUIRE_OK(open_pickle(&t, &good), err);
    const ramus_safetensor *x = ramus_tensors_find(t, "x");
    EXPECT(x && x->rank == 2 && x->shape[0] == 2 && x->shape[1] == 3, "shape");
    if (x) EXPECT_BYTES(x->data, six, sizeof six, "values");
    ramus_tensors_close(t);
    pickled part = good;
    part.offset = 3;
    part.rows = 1;
    REQUIRE_OK(open_pickle(&t, &part), err);
    x = ramus_tensors_find(t, "x");
    if (x) EXPECT_BYTES(x->data, six + 3, 12, "values behind the first");
    ramus_tensors_close(t);
}

/* tests/golden/pickle/README.md has what PyTorch was told. */
static void what_pytorch_wrote_is_read(void)
{
    const struct {
        const char *name;
        ramus_safetensor_dtype dtype;
        int rank;
        size_t count, size;
        const void *data;
    } want[] = {
        {"0.weight", RAMUS_SAFETENSOR_F32, 2, 6, 24,
         (float[]){-0.5f, -0.25f, 0, 0.25f, 0.5f, 0.75f}},
        {"0.bias", RAMUS_SAFETENSOR_F32, 1, 2, 8, (float[]){1.5f, -2}},
        {"1.weight", RAMUS_SAFETENSOR_F32, 1, 2, 8, (float[]){1, 1}},
        {"1.bias", RAMUS_SAFETENSOR_F32, 1, 2, 8, (float[]){0, 0}},
        {"tied", RAMUS_SAFETENSOR_F32, 2, 6, 24, (float[]){-0.5f, -0.25f, 0, 0.25f, 0.5f, 0.75f}},
        {"half", RAMUS_SAFETENSOR_F16, 2, 2, 4, (uint16_t[]){0x3800, 0xbd00}},
        {"whole", RAMUS_SAFETENSOR_I64, 1, 2, 16, (int64_t[]){7, -9}},
        {"one", RAMUS_SAFETENSOR_F32, 0, 1, 4, (float[]){3.25f}},
        {"row", RAMUS_SAFETENSOR_F32, 1, 3, 12, (float[]){0.25f, 0.5f, 0.75f}},
        {"bf", RAMUS_SAFETENSOR_BF16, 1, 2, 4, (uint16_t[]){0x3f80, 0xc040}},
        {"double", RAMUS_SAFETENSOR_F64, 1, 1, 8, (double[]){0.125}},
    };
    static const char *const files[] = {GOLDEN "/pickle/small.bin", GOLDEN "/pickle/old.bin"};
    ramus_tensors *t = NULL;
    for (int f = 0; f < RAMUS_COUNT(files); f++) {
        REQUIRE_OK(ramus_tensors_open(&t, files[f], &err), err);
        EXPECT_INT(ramus_tensors_count(t), RAMUS_COUNT(want), "tensors");
        for (int i = 0; i < RAMUS_COUNT(want); i++) {
            const ramus_safetensor *x = ramus_tensors_find(t, want[i].name);
            EXPECT(x && x->dtype == want[i].dtype && x->rank == want[i].rank &&
                       x->count == want[i].count && x->size == want[i].size,
                   "%s", want[i].name);
            if (x) EXPECT_BYTES(x->data, want[i].data, want[i].size, "values of %s", want[i].name);
        }
        ramus_tensors_close(t);
    }
    EXPECT_FAILS(ramus_tensors_open(&t, GOLDEN "/pickle/transposed.bin", &err), err,
                 "do not follow each other");
}

/* Of the old format every beginning is refused, and no changed byte does harm. */
static void old_files_are_checked(void)
{
    static uint64_t room[1024];
    FILE *f = fopen(GOLDEN "/pickle/old.bin", "rb");
    ramus_tensors *t = NULL;
    if (!f) exit(1);
    const size_t size = fread(room, 1, sizeof room, f);
    (void)fclose(f);
    unsigned char *data = (unsigned char *)room;
    REQUIRE_OK(ramus_tensors_open_memory(&t, room, size, &err), err);
    ramus_tensors_close(t);
    for (size_t i = 0; i < size; i++)
        EXPECT(ramus_tensors_open_memory(&t, room, i, &err), "%zu of %zu bytes", i, size);
    EXPECT(ramus_tensors_open_memory(&t, room, size + 1, &err), "a byte more");
    for (size_t i = 0; i < size * 2; i++) {
        const unsigned char was = data[i / 2];
        data[i / 2] = i % 2 ? 0xff : was ^ 1;
        if (!ramus_tensors_open_memory(&t, room, size, &err)) ramus_tensors_close(t);
        data[i / 2] = was;
    }
}

static void pickles_that_do_anything_else_are_refused(void)
{
    static const struct {
        pickled p;
        const char *part;
    } cases[] = {
        {{"os\nsystem\n", "torch\nFloatStorage\n", 0, 2, 3, 3}, "calls os.system"},
        {{"builtins\neval\n", "torch\nFloatStorage\n", 0, 2, 3, 3}, "nothing was executed"},
        {{"torch._utils\n_rebuild_tensor_v2\n", "os\nsystem\n", 0, 2, 3, 3}, "calls os.system"},
        {{"collections\nOrderedDict\n", "torch\nFloatStorage\n", 0, 2, 3, 3}, "makes no tensor"},
        {{"torch\nFloatStorage\n", "torch\nFloatStorage\n", 0, 2, 3, 3}, "makes no tensor"},
        {{"torch._utils\n_rebuild_parameter\n", "torch\nFloatStorage\n", 0, 2, 3, 3},
         "without a tensor"},
        {{"torch._utils\n_rebuild_tensor_v2\n", "collections\nOrderedDict\n", 0, 2, 3, 3},
         "no storage"},
        {{"torch._utils\n_rebuild_tensor_v2\n", "torch\nFloatStorage\n", 0, 2, 3, 1},
         "do not follow each other"},
        {{"torch._utils\n_rebuild_tensor_v2\n", "torch\nFloatStorage\n", 7, 1, 1, 1},
         "outside its storage"},
        {{"torch._utils\n_rebuild_tensor_v2\n", "torch\nFloatStorage\n", -1, 1, 1, 1},
         "outside its storage"},
        {{"torch._utils\n_rebuild_tensor_v2\n", "torch\nFloatStorage\n", 1, 2, 3, 3},
         "expected 24 bytes"},
        {{"torch._utils\n_rebuild_tensor_v2\n", "torch\nDoubleStorage\n", 0, 2, 3, 3},
         "expected 48 bytes"},
        {{"torch._utils\n_rebuild_tensor_v2\n", "torch\nFloatStorage\n", 0, 2147483647, 2147483647,
          2147483647},
         "tensor"},
    };
    ramus_tensors *t = NULL;
    for (int i = 0; i < RAMUS_COUNT(cases); i++)
        EXPECT_FAILS(open_pickle(&t, &cases[i].p), err, cases[i].part);
}

/* Programs of a few bytes. */
static void broken_pickles_are_refused(void)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *part;
    } cases[] = {
        {"", 0, "the end"},
        {"\x80\x04}.", 4, "protocol"},
        {"\x80\x02}", 3, "the end"},
        {"cos\nsystem\nX\x02\0\0\0ls\x85R.", 21, "calls os.system"},
        {"cos\nsystem", 10, "without end"},
        {"c__builtin__\nexec\n.", 19, "calls __builtin__.exec"},
        {"ios\nsystem\n.", 12, "instruction 0x69"},  // INST
        {"(oX.", 4, "instruction 0x6f"},             // OBJ
        {"\x93.", 2, "instruction 0x93"},            // STACK_GLOBAL
        {"\x82\x01.", 3, "instruction 0x82"},        // EXT1
        {"}h\x05.", 4, "not there"},                 // BINGET
        {"}r\xff\xff\xff\x7f.", 7, "without value"}, // LONG_BINPUT
        {"X\xff\xff\xff\xff.", 6, "without end"},    // a text of 4 GB
        {"\x8a\xff.", 3, "too large"},               // LONG1 of 255 bytes
        {"t.", 2, "more than there is"},
        {"\x87.", 2, "more than there is"},
        {"(((t.", 5, ""},
        {"R.", 2, "without a name"},
        {"u.", 2, "no dictionary"},
        {"K\x01K\x02s.", 6, "no dictionary"},
        {"a.", 2, "no list"},
        {"Nb.", 3, "no dictionary"},
        {"Q.", 2, "no storage"},
        {"(q\x00.", 4, "without value"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_buffer b = {0};
        ramus_tensors *t = NULL;
        ramus_buffer_add(&b, cases[i].bytes, cases[i].size);
        ramus_buffer_add(&b, "", 0);
        archive a = pickle_archive(&b);
        if (*cases[i].part)
            EXPECT_FAILS(open_bytes(&t, &a.data), err, cases[i].part);
        else if (!open_bytes(&t, &a.data))
            ramus_tensors_close(t);
        archive_free(&a);
        ramus_buffer_free(&b);
    }
}

/* Tuples of tuples: memory grows with the file, not with what it stands for. */
static void nested_pickles_stay_small(void)
{
    ramus_buffer b = {0};
    ramus_tensors *t = NULL;
    ramus_buffer_text(&b, ")");
    for (int i = 0; i < 5000; i++) { // each holds the one before it twice
        ramus_buffer_add(&b, "q\x00h\x00\x86", 5);
    }
    ramus_buffer_text(&b, ".");
    archive a = pickle_archive(&b);
    REQUIRE_OK(open_bytes(&t, &a.data), err);
    EXPECT_INT(ramus_tensors_count(t), 0, "tensors");
    ramus_tensors_close(t);
    archive_free(&a);
    ramus_buffer_free(&b);
}

CHECK_MAIN({"arrays_are_read_in_place", arrays_are_read_in_place},
           {"wrong_arrays_are_refused", wrong_arrays_are_refused},
           {"wrong_archives_are_refused", wrong_archives_are_refused},
           {"pickles_give_tensors", pickles_give_tensors},
           {"what_pytorch_wrote_is_read", what_pytorch_wrote_is_read},
           {"old_files_are_checked", old_files_are_checked},
           {"pickles_that_do_anything_else_are_refused", pickles_that_do_anything_else_are_refused},
           {"broken_pickles_are_refused", broken_pickles_are_refused},
           {"nested_pickles_stay_small", nested_pickles_stay_small})
