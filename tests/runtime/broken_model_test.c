/* Broken model files, one fault each: RAMUS_BAD_FORMAT and a sentence that names file and thing. */
#include "runtime/model.h"

#include "runtime/models.h"

static const char *const shape[] = {"width",
                                    "20",
                                    "filter",
                                    "27",
                                    "heads",
                                    "2",
                                    "encoder-layers",
                                    "1",
                                    "decoder-layers",
                                    "1",
                                    "branches",
                                    "3",
                                    "routing",
                                    "dmb",
                                    "top-k",
                                    "1",
                                    "source-vocab",
                                    "37",
                                    "tie",
                                    "target",
                                    "target-vocab",
                                    "41",
                                    NULL};
static const char *const words[] = {"source-vocab", "1000", "target-vocab", "4000", NULL};

static ramus_error err;
static uint8_t *kept_bytes;

/* What a copy does with an entry. */
typedef enum {
    KEEP,
    DROP,
    REAL,
    NUMBER,
    TEXT,
    BLOB,
    SHAPE,
    DTYPE,
    FLAT,
    I8,
    BYTE,
    INFINITE,
    EXTRA,
    NEW
} change;

typedef struct {
    const char *name; // of a key or a tensor
    change change;
    uint32_t number;
    const void *bytes;
    size_t size;
} edit;

static char good[64], bad[64];

static ramus_export_type type = RAMUS_EXPORT_I8; // of the good file

static void make_good(const char *const *settings, const char *const vocabs[2])
{
    const ramus_export_spec spec = {
        .type = type, .source_language = "en", .target_language = "de", .name = "test"};
    const ramus_arch a = model_arch(shape, settings);
    ramus_checkpoint c = model_make(&a);
    for (int i = 0; i < 2; i++)
        if (vocabs && vocabs[i]) model_vocab(&c, i, vocabs[i]);
    (void)snprintf(good, sizeof good, "%s", model_path("good"));
    (void)snprintf(bad, sizeof bad, "%s", model_path("bad"));
    REQUIRE_OK(ramus_export(&c, &spec, good, &err), err);
    model_free(&c);
}

static void remove_files(void)
{
    (void)unlink(good);
    (void)unlink(bad);
}

static ramus_status copy_value(ramus_gguf_writer *w, const ramus_gguf_value *v, const edit *e)
{
    const bool named = strcmp(v->key, e->name) == 0;
    if (strcmp(v->key, "general.alignment") == 0) return RAMUS_OK; // the writer's own
    switch (named ? e->change : KEEP) {
    case DROP:
        return RAMUS_OK;
    case REAL:
        return ramus_gguf_add_real(w, v->key, 1, &err);
    case NUMBER:
        return ramus_gguf_add_uint(w, v->key, e->number, &err);
    case TEXT:
        return ramus_gguf_add_text(w, v->key, e->bytes, e->size, &err);
    case BLOB:
        return ramus_gguf_add_blob(w, v->key, e->bytes, e->size, &err);
    default:
        break;
    }
    if (v->is_array) return ramus_gguf_add_blob(w, v->key, v->data, v->size, &err);
    if (v->type == RAMUS_GGUF_STRING) return ramus_gguf_add_text(w, v->key, v->data, v->size, &err);
    if (v->type == RAMUS_GGUF_BOOL)
        return ramus_gguf_add_bool(w, v->key, ramus_gguf_uint_at(v, 0) != 0, &err);
    return ramus_gguf_add_uint(w, v->key, (uint32_t)ramus_gguf_uint_at(v, 0), &err);
}

/* The tensor with the byte at `at` changed to -128, or to what has these bits. */
static ramus_status add_with_byte(ramus_gguf_writer *w, const ramus_gguf_tensor *t, const edit *e)
{
    const uint32_t at = e->number;
    ramus_gguf_tensor copy = *t;
    uint8_t *bytes = malloc(t->size);
    memcpy(bytes, t->data, t->size);
    bytes[at] = 0x80;
    if (e->change == INFINITE) memcpy(bytes + at, e->bytes, e->size);
    copy.data = bytes;
    const ramus_status st = ramus_gguf_add_tensor(w, &copy, &err);
    kept_bytes = bytes; // until the file is written
    return st;
}

static ramus_status copy_tensor(ramus_gguf_writer *w, const ramus_gguf_tensor *t, const edit *e)
{
    ramus_gguf_tensor copy = *t;
    const change what = strcmp(t->name, e->name) == 0 ? e->change : KEEP;
    if (what == DROP) return RAMUS_OK;
    if (what == SHAPE) copy.dims[t->n_dims - 1]--; // one output or branch less
    if (what == DTYPE && t->dtype == RAMUS_GGUF_F32) copy.dtype = RAMUS_GGUF_I32;
    if (what == DTYPE && t->dtype == RAMUS_GGUF_F16) copy.dtype = RAMUS_GGUF_BF16;
    if (what == FLAT) { // the same numbers in a row
        copy.n_dims = 1;
        copy.dims[0] = t->count;
    }
    if (what == DTYPE && t->dtype == RAMUS_GGUF_I8) {
        copy.dtype = RAMUS_GGUF_F32; // the same bytes
        copy.dims[0] = 1;
    }
    if (what == BYTE || what == INFINITE) return add_with_byte(w, t, e);
    if (what == I8) { // as [3, 20] would be
        static const int8_t tiles[320];
        copy.data = tiles;
        copy.dtype = RAMUS_GGUF_I8;
        copy.n_dims = 4;
        copy.dims[0] = 4, copy.dims[1] = 16, copy.dims[2] = 5, copy.dims[3] = 1;
    }
    if (what == EXTRA) {
        ramus_gguf_tensor more = *t;
        more.name = "one.more";
        if (ramus_gguf_add_tensor(w, &more, &err)) return err.status;
    }
    return ramus_gguf_add_tensor(w, &copy, &err);
}

/* Writes `bad`: the good file with one change. */
static void write_bad(const ramus_gguf *g, const edit *e)
{
    ramus_gguf_writer *w = NULL;
    REQUIRE_OK(ramus_gguf_create(&w, 64, &err), err);
    for (int i = 0; i < ramus_gguf_value_count(g); i++)
        REQUIRE_OK(copy_value(w, ramus_gguf_value_at(g, i), e), err);
    if (e->change == NEW) REQUIRE_OK(ramus_gguf_add_text(w, e->name, e->bytes, e->size, &err), err);
    for (int i = 0; i < ramus_gguf_count(g); i++)
        REQUIRE_OK(copy_tensor(w, ramus_gguf_at(g, i), e), err);
    REQUIRE_OK(ramus_gguf_save(w, bad, &err), err);
    ramus_gguf_destroy(w);
    free(kept_bytes);
    kept_bytes = NULL;
}

/* The changed file is refused with a sentence that names it and has `part` in it. */
static void expect_refused(const ramus_gguf *g, const edit *e, const char *part)
{
    ramus_model *m = NULL;
    write_bad(g, e);
    err = (ramus_error){0};
    const ramus_status st = ramus_model_open(&m, bad, &err);
    EXPECT(st == RAMUS_BAD_FORMAT && !m, "%s, change %d: status %d, %s", e->name, e->change, st,
           err.message);
    EXPECT(strncmp(err.message, bad, strlen(bad)) == 0 && strstr(err.message, part) &&
               !strstr(err.message + strlen(bad), bad),
           "%s, change %d: \"%s\", expected %s once and %s", e->name, e->change, err.message, bad,
           part);
    ramus_model_close(m);
}

static void expect_opens(const ramus_gguf *g, const edit *e)
{
    ramus_model *m = NULL;
    write_bad(g, e);
    REQUIRE_OK(ramus_model_open(&m, bad, &err), err);
    ramus_model_close(m);
}

static ramus_gguf *open_good(void)
{
    ramus_gguf *g = NULL;
    REQUIRE_OK(ramus_gguf_open(&g, good, &err), err);
    return g;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "ramus.encoder_layers" is told as encoder-layers. */
static const char *setting_name(const char *key)
{
    static char name[64];
    (void)snprintf(name, sizeof name, "%s", key + strlen("ramus."));
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
    return name;
}

static void a_copy_opens(void)
{
    make_good(NULL, NULL);
    ramus_gguf *g = open_good();
    expect_opens(g, &(edit){.name = ""});
    expect_opens(g, &(edit){.name = "ramus.source_language", .change = DROP});
    expect_opens(g, &(edit){.name = "general.name", .change = DROP});
    expect_opens(g, &(edit){"ramus.mixer", NEW, 0, "lsra", 4}); // not said to matter
    expect_opens(g, &(edit){"ramus.attention", NEW, 0, "softmax", 7});
    expect_refused(g, &(edit){"ramus.attention", NEW, 0, "conv", 4}, "attention is 'conv'");
    expect_opens(g, &(edit){"ramus.features", NEW, 0, "norm=pre", 8});
    ramus_gguf_close(g);
    remove_files();
}

static void every_key_is_checked(void)
{
    make_good(NULL, NULL);
    ramus_gguf *g = open_good();
    int numbers = 0, texts = 0;
    for (int i = 0; i < ramus_gguf_value_count(g); i++) {
        const ramus_gguf_value *v = ramus_gguf_value_at(g, i);
        const bool language = strstr(v->key, "_language") != NULL;
        if (starts(v->key, RAMUS_MODEL_CHECKSUM)) continue; // and ..SUMS: of --verify
        if (!starts(v->key, "ramus.") && strcmp(v->key, "general.architecture") != 0) continue;
        if (!language) expect_refused(g, &(edit){v->key, DROP, 0, NULL, 0}, v->key);
        expect_refused(g, &(edit){v->key, REAL, 0, NULL, 0}, v->key);
        if (v->type == RAMUS_GGUF_UINT32) {
            expect_refused(g, &(edit){v->key, NUMBER, 0, NULL, 0}, setting_name(v->key));
            expect_refused(g, &(edit){v->key, NUMBER, 4000000000u, NULL, 0}, setting_name(v->key));
            numbers++;
        } else if (v->type == RAMUS_GGUF_STRING && !language) {
            const char *part = strrchr(v->key, '.') + 1;
            expect_refused(g, &(edit){v->key, TEXT, 0, "other", 5}, part);
            expect_refused(g, &(edit){v->key, TEXT, 0, "", 0}, part);
            char zero[64] = {0}; // the good text with a zero behind it
            memcpy(zero, v->data, v->size);
            expect_refused(g, &(edit){v->key, TEXT, 0, zero, v->size + 1}, part);
            texts++;
        } else if (language) {
            expect_refused(g, &(edit){v->key, TEXT, 0, "e\0n", 3}, v->key);
        }
    }
    EXPECT(numbers == 9 && texts == 6, "%d numbers, %d texts", numbers, texts);
    ramus_gguf_close(g);
    remove_files();
}

/* A number that could be, of another model. */
static void hyper_parameters_must_fit_the_tensors(void)
{
    static const struct {
        const char *key;
        uint32_t number;
        const char *part;
    } cases[] = {
        {"ramus.width", 22, "source.weight"},
        {"ramus.width", 21, "width is 21, expected an even number"},
        {"ramus.heads", 3, "width 20 cannot be divided among 3 heads"},
        {"ramus.filter", 28, "encoder.0.ffn.in.weight"},
        {"ramus.encoder_layers", 2, "encoder.1.attention"},
        {"ramus.decoder_layers", 200, "decoder.1.attention"},
        {"ramus.branches", 4, "encoder.0.attention.gate"},
        {"ramus.branches", 1024, "encoder.0.attention.gate"},
        {"ramus.source_vocab", 38, "source.weight"},
        {"ramus.source_vocab", 10000000, "source.weight"},
        {"ramus.target_vocab", 49, "target.weight"}, // 48 has the tiles of 41, but not the scales
        {"ramus.target_vocab", 48, "target.weight.scale"},
    };
    make_good(NULL, NULL);
    ramus_gguf *g = open_good();
    for (int i = 0; i < RAMUS_COUNT(cases); i++)
        expect_refused(g, &(edit){cases[i].key, NUMBER, cases[i].number, NULL, 0}, cases[i].part);
    expect_refused(g, &(edit){"ramus.routing", TEXT, 0, "dense", 5}, "encoder.0.attention.q");
    expect_refused(g, &(edit){"ramus.routed", TEXT, 0, "ffn", 3}, "encoder.0.attention.q");
    expect_refused(g, &(edit){"ramus.norm", TEXT, 0, "pre", 3}, "encoder.norm");
    expect_refused(g, &(edit){"ramus.tie", TEXT, 0, "none", 4}, "softmax.weight");
    expect_refused(g, &(edit){"ramus.tie", TEXT, 0, "all", 3}, "tie is all but");
    expect_refused(g, &(edit){"general.architecture", TEXT, 0, "llama", 5},
                   "general.architecture is 'llama', expected ramus");
    expect_refused(g, &(edit){"ramus.layout", TEXT, 0, "tile8x8", 7},
                   "ramus.layout is 'tile8x8', expected tile16x4");
    expect_refused(g, &(edit){"ramus.features", NEW, 0, "attention=conv", 14},
                   "needs feature 'attention=conv', which this version of ramus does not have");
    expect_refused(g, &(edit){"ramus.features", NEW, 0, "norm", 5}, "zero byte");
    ramus_gguf_close(g);
    remove_files();
}

static void every_tensor_is_checked(void)
{
    make_good(NULL, NULL);
    ramus_gguf *g = open_good();
    for (int i = 0; i < ramus_gguf_count(g); i++) {
        const char *name = ramus_gguf_at(g, i)->name;
        expect_refused(g, &(edit){name, DROP, 0, NULL, 0}, name);
        expect_refused(g, &(edit){name, SHAPE, 0, NULL, 0}, name);
        expect_refused(g, &(edit){name, DTYPE, 0, NULL, 0}, name);
    }
    expect_refused(g, &(edit){"encoder.0.attention.q.bias", I8, 0, NULL, 0},
                   "encoder.0.attention.q.bias is of type I8, expected F32");
    char part[64];
    (void)snprintf(part, sizeof part, "has %d tensors, expected %d", ramus_gguf_count(g) + 1,
                   ramus_gguf_count(g));
    expect_refused(g, &(edit){"source_bias", EXTRA, 0, NULL, 0}, part);
    EXPECT(ramus_gguf_count(g) > 50, "%d tensors", ramus_gguf_count(g));
    ramus_gguf_close(g);
    remove_files();
}

/* Rows of kernels would answer otherwise: the first byte of a matrix, its last, and padding. */
static void a_weight_of_minus_128_is_refused(void)
{
    make_good(NULL, NULL);
    ramus_gguf *g = open_good();
    int matrices = 0;
    for (int i = 0; i < ramus_gguf_count(g); i++) {
        const ramus_gguf_tensor *t = ramus_gguf_at(g, i);
        const uint32_t places[] = {0, (uint32_t)t->size / 2, (uint32_t)t->size - 1};
        if (t->dtype != RAMUS_GGUF_I8) continue;
        matrices++;
        char part[128];
        (void)snprintf(part, sizeof part, "%s has a weight of -128, expected -127 to 127", t->name);
        for (int p = 0; p < RAMUS_COUNT(places); p++)
            expect_refused(g, &(edit){t->name, BYTE, places[p], NULL, 0}, part);
    }
    EXPECT_INT(matrices, 2 * 6 + 4 + 2, "matrices"); // q, k, v, o, in, out; cross; words
    ramus_gguf_close(g);
    remove_files();
}

/* The first number of a tensor, one in the middle, the last one. */
static void numbers_that_are_none_are_refused(void)
{
    static const uint8_t floats[3][4] = {{0, 0, 0x80, 0x7f},
                                         {0, 0, 0x80, 0xff},
                                         {1, 0, 0x80, 0x7f}},
                         halves[3][2] = {{0, 0x7c}, {0, 0xfc}, {1, 0x7c}}; // inf, -inf, NaN
    static const uint8_t most[4] = {0xff, 0xff, 0x7f, 0xff}, most_half[2] = {0xff, 0xfb};
    int seen[2] = {0};
    for (int kind = 0; kind < 2; kind++) {
        type = kind ? RAMUS_EXPORT_I4 : RAMUS_EXPORT_I8;
        make_good(NULL, NULL);
        type = RAMUS_EXPORT_I8;
        ramus_gguf *g = open_good();
        for (int i = 0; i < ramus_gguf_count(g); i++) {
            const ramus_gguf_tensor *t = ramus_gguf_at(g, i);
            const bool half = t->dtype == RAMUS_GGUF_F16;
            const uint32_t size = half ? 2 : 4, n = (uint32_t)t->count;
            const uint32_t places[] = {0, n / 2 * size, (n - 1) * size};
            if (t->dtype == RAMUS_GGUF_I8) continue;
            seen[half]++;
            char part[128];
            (void)snprintf(part, sizeof part, "%s has a number that is infinite or NaN", t->name);
            for (int p = 0; p < RAMUS_COUNT(places); p++)
                expect_refused(
                    g, &(edit){t->name, INFINITE, places[p], half ? halves[p] : floats[p], size},
                    part);
            expect_opens(g, &(edit){t->name, INFINITE, 0, half ? most_half : most, size});
        }
        ramus_gguf_close(g);
        remove_files();
    }
    EXPECT(seen[0] > 60 && seen[1] == 16, "%d tensors of floats, %d of halves", seen[0], seen[1]);
}

/* Every kind of tensor of a file with 4 bits: tiles of 4 and of 8 bits, their scales. */
static void matrices_of_4_bits_are_checked(void)
{
    type = RAMUS_EXPORT_I4;
    make_good(NULL, NULL);
    type = RAMUS_EXPORT_I8;
    ramus_gguf *g = open_good();
    int halves = 0;
    expect_opens(g, &(edit){.name = ""});
    for (int i = 0; i < ramus_gguf_count(g); i++) {
        const ramus_gguf_tensor *t = ramus_gguf_at(g, i);
        expect_refused(g, &(edit){t->name, DROP, 0, NULL, 0}, t->name);
        expect_refused(g, &(edit){t->name, SHAPE, 0, NULL, 0}, t->name);
        expect_refused(g, &(edit){t->name, DTYPE, 0, NULL, 0}, t->name);
        if (t->n_dims > 1) expect_refused(g, &(edit){t->name, FLAT, 0, NULL, 0}, t->name);
        halves += t->dtype == RAMUS_GGUF_F16;
    }
    EXPECT_INT(halves, 2 * 6 + 4, "matrices of the layers"); // q, k, v, o, in, out; cross
    expect_opens(g, &(edit){"encoder.0.attention.q.weight", BYTE, 0, NULL, 0}); // 0x80: -8 and 0
    expect_refused(g, &(edit){"ramus.layout", TEXT, 0, "tile16x4", 8},
                   "encoder.0.attention.q.weight has 4 bits, which the key ramus.layout does not");
    expect_refused(g, &(edit){"ramus.width", NUMBER, 22, NULL, 0}, "source.weight");
    expect_refused(g, &(edit){"ramus.filter", NUMBER, 65, NULL, 0}, "encoder.0.ffn");
    ramus_gguf_close(g);
    remove_files();
}

static void vocabularies_are_checked(void)
{
    static const char *const both[] = {"identity", "bpe-4k"};
    static const char source[] = "ramus.vocab.source", target[] = "ramus.vocab.target";
    ramus_checkpoint others = {0};
    make_good(words, both);
    ramus_gguf *g = open_good();
    const ramus_gguf_value *v = ramus_gguf_value_find(g, source);
    expect_opens(g, &(edit){.name = ""});
    expect_refused(g, &(edit){source, DROP, 0, NULL, 0}, source);
    expect_refused(g, &(edit){target, DROP, 0, NULL, 0}, target);
    expect_refused(g, &(edit){source, TEXT, 0, "text", 4}, source);
    expect_refused(g, &(edit){source, BLOB, 0, "", 0}, source);
    expect_refused(g, &(edit){source, BLOB, 0, v->data, v->size / 2}, source);
    expect_refused(g, &(edit){source, BLOB, 0, v->data, v->size - 1}, source);
    expect_refused(g, &(edit){target, BLOB, 0, v->data, v->size},
                   "the target vocabulary has 1000 pieces, the model 4000 words");
    model_vocab(&others, 0, "zh-4k");
    expect_refused(g, &(edit){target, BLOB, 0, others.vocabs[0].data, others.vocabs[0].size},
                   "the target vocabulary has no piece for the end of a sentence");
    model_free(&others);
    ramus_gguf_close(g);
    remove_files();
}

/* The file's first `size` bytes, where the sanitizer knows their end; maybe with one byte changed.
 */
static ramus_status open_part(const ramus_file *file, size_t size, size_t changed)
{
    unsigned char *bytes = malloc(size + (size == 0));
    ramus_model *m = NULL;
    if (size) memcpy(bytes, file->data, size);
    if (changed < size) bytes[changed] ^= 0xFF;
    err = (ramus_error){0};
    const ramus_status st = ramus_model_open_memory(&m, bytes, size, &err);
    EXPECT(!st == (m != NULL), "a model exactly when there is no error");
    EXPECT(!st || starts(err.message, "the model in memory: "), "%s", err.message);
    ramus_model_close(m);
    free(bytes);
    return st;
}

static void a_file_that_was_cut_off_is_refused(void)
{
    static const char *const one[] = {"identity", "bpe-4k"};
    for (int with_words = 0; with_words < 2; with_words++) {
        ramus_file file = {0};
        make_good(with_words ? words : NULL, with_words ? one : NULL);
        REQUIRE_OK(ramus_file_map(&file, good, &err), err);
        for (size_t size = 0; size + 64 < file.size; size += 97) // its padding may be missing
            EXPECT(open_part(&file, size, size) == RAMUS_BAD_FORMAT, "%zu bytes: %s", size,
                   err.message);
        EXPECT_INT(open_part(&file, file.size, file.size), RAMUS_OK, "the whole file");
        ramus_file_unmap(&file);
        remove_files();
    }
}

/* Every byte before the weights: whatever it makes of the file, nothing but a status comes of it.
 */
static void a_changed_byte_does_no_harm(void)
{
    ramus_file file = {0};
    make_good(NULL, NULL);
    REQUIRE_OK(ramus_file_map(&file, good, &err), err);
    ramus_gguf *g = open_good();
    size_t data = 0;
    for (int i = 0; i < ramus_gguf_count(g); i++)
        data += (ramus_gguf_at(g, i)->size + 63) / 64 * 64;
    ramus_gguf_close(g);
    int refused = 0;
    for (size_t at = 0; at < file.size - data; at++) {
        const ramus_status st = open_part(&file, file.size, at);
        EXPECT(st == RAMUS_OK || st == RAMUS_BAD_FORMAT, "byte %zu: status %d", at, st);
        refused += st != RAMUS_OK;
    }
    EXPECT(refused > 3000, "%d refused", refused);
    ramus_file_unmap(&file);
    remove_files();
}

CHECK_MAIN({"a_copy_opens", a_copy_opens}, {"every_key_is_checked", every_key_is_checked},
           {"hyper_parameters_must_fit_the_tensors", hyper_parameters_must_fit_the_tensors},
           {"every_tensor_is_checked", every_tensor_is_checked},
           {"a_weight_of_minus_128_is_refused", a_weight_of_minus_128_is_refused},
           {"numbers_that_are_none_are_refused", numbers_that_are_none_are_refused},
           {"matrices_of_4_bits_are_checked", matrices_of_4_bits_are_checked},
           {"vocabularies_are_checked", vocabularies_are_checked},
           {"a_file_that_was_cut_off_is_refused", a_file_that_was_cut_off_is_refused},
           {"a_changed_byte_does_no_harm", a_changed_byte_does_no_harm})
