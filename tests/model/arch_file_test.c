/* Architectures as files have them: today's shipped models and a table with settings that came
 * later, files that need what this program lacks, files that lack what every file has. */
#include "model/arch_file.h"

#include "convert/checkpoint.h"
#include "format/values.h"
#include "runtime/model.h"
#include "runtime/models.h"

#define FIRST_FORMAT 15 // settings that every file has
#define MODELS       GOLDEN "/../../models"

static ramus_error err;

/* An architecture of the future: what it is now, a kind of mixer and its kernel. */
typedef struct {
    ramus_arch arch;
    int mixer, kernel;
} later;

static const char *const mixers[] = {"softmax", "lsra", NULL};

// clang-format off
static const ramus_setting later_rows[] = {
    {"mixer", RAMUS_SETTING_CHOICE, offsetof(later, mixer), "", "softmax", 0, 0, mixers, NULL},
    {"kernel-size", RAMUS_SETTING_INT, offsetof(later, kernel), "", "3", 1, 99, NULL, NULL},
};
// clang-format on

static ramus_settings later_table(later *l)
{
    static ramus_setting rows[64];
    const ramus_settings now = ramus_arch_settings(&l->arch);
    const int n = RAMUS_COUNT(later_rows);
    memcpy(rows, now.rows, (size_t)now.n * sizeof *rows);
    memcpy(rows + now.n, later_rows, sizeof later_rows);
    return (ramus_settings){rows, now.n + n, l};
}

static void expect_same(const ramus_arch *got, const ramus_arch *want)
{
    ramus_arch a = *got, b = *want;
    ramus_buffer left = {0}, right = {0};
    const ramus_settings s = ramus_arch_settings(&a), t = ramus_arch_settings(&b);
    ramus_settings_print(&s, NULL, &left);
    ramus_settings_print(&t, NULL, &right);
    EXPECT_TEXT(left.data, right.data);
    ramus_buffer_free(&left);
    ramus_buffer_free(&right);
}

static void expect_later_reads(const ramus_values_reader *from, const ramus_arch *want)
{
    later l = {.mixer = -1, .kernel = -1};
    const ramus_settings table = later_table(&l);
    REQUIRE_OK(ramus_arch_read_table(&table, from, &err), err);
    expect_same(&l.arch, want);
    EXPECT(l.mixer == 0 && l.kernel == 3, "defaults: %d, %d", l.mixer, l.kernel);
}

static void a_table_with_later_settings_opens_todays_models(void)
{
    static const char *const paths[] = {MODELS "/en-de.gguf", MODELS "/de-en.gguf"};
    for (int i = 0; i < RAMUS_COUNT(paths); i++) {
        ramus_gguf *file = NULL;
        ramus_model *m = NULL;
        REQUIRE_OK(ramus_gguf_open(&file, paths[i], &err), err);
        REQUIRE_OK(ramus_model_open(&m, paths[i], &err), err);
        const ramus_values_reader values = ramus_gguf_values(file);
        expect_later_reads(&values, &m->arch);
        ramus_model_close(m);
        ramus_gguf_close(file);
    }
}

/* The settings of a table as a file, written and open again. */
typedef struct {
    bool gguf;
    ramus_gguf *g;
    ramus_safetensors *s;
    ramus_values_reader values;
} stored;

static stored store(const ramus_settings *table, bool gguf)
{
    stored f = {.gguf = gguf};
    const char *path = model_path("arch");
    ramus_gguf_writer *g = NULL;
    ramus_safetensors_writer *s = NULL;
    if (gguf) {
        REQUIRE_OK(ramus_gguf_create(&g, 64, &err), err);
        const ramus_values_writer to = ramus_gguf_values_to(g);
        REQUIRE_OK(ramus_arch_write_table(table, &to, &err), err);
        REQUIRE_OK(ramus_gguf_save(g, path, &err), err);
        REQUIRE_OK(ramus_gguf_open(&f.g, path, &err), err);
        f.values = ramus_gguf_values(f.g);
    } else {
        REQUIRE_OK(ramus_safetensors_create(&s, &err), err);
        const ramus_values_writer to = ramus_safetensors_values_to(s);
        REQUIRE_OK(ramus_arch_write_table(table, &to, &err), err);
        REQUIRE_OK(ramus_safetensors_save(s, path, &err), err);
        REQUIRE_OK(ramus_safetensors_open(&f.s, path, &err), err);
        f.values = ramus_safetensors_values(f.s);
    }
    ramus_gguf_destroy(g);
    ramus_safetensors_destroy(s);
    (void)unlink(path);
    return f;
}

static void stored_free(stored *f)
{
    ramus_gguf_close(f->g);
    ramus_safetensors_close(f->s);
}

static int stored_count(const stored *f)
{
    return f->gguf ? ramus_gguf_value_count(f->g) - 1 // general.alignment
                   : ramus_safetensors_metadata_count(f->s);
}

static void expect_value(const stored *f, const char *key, const char *want)
{
    ramus_buffer text = {0};
    bool found = false;
    const ramus_setting_type type =
        strcmp(key, "ramus.kernel_size") == 0 ? RAMUS_SETTING_INT : RAMUS_SETTING_TEXT;
    REQUIRE_OK(f->values.read(f->values.file, key, type, &text, &found, &err), err);
    EXPECT(found == (want != NULL), "%s is %s", key, found ? "there" : "not there");
    if (found && want) EXPECT_TEXT(text.data, want);
    ramus_buffer_free(&text);
}

static later make_later(int mixer, int kernel)
{
    static const char *const dmb[] = {"routing", "dmb", "source-vocab", "50", "target-vocab",
                                      "50",      NULL};
    return (later){model_arch(NULL, dmb), mixer, kernel};
}

static void later_settings_stand_in_a_file_where_they_differ(void)
{
    for (int gguf = 0; gguf < 2; gguf++) {
        later l = make_later(0, 3), back = {0};
        const ramus_settings table = later_table(&l);
        stored f = store(&table, gguf);
        EXPECT_INT(stored_count(&f), FIRST_FORMAT, "values: what today's files have");
        expect_value(&f, "ramus.mixer", NULL);
        expect_value(&f, "ramus.features", NULL);
        expect_later_reads(&f.values, &l.arch);
        stored_free(&f);

        l = make_later(1, 5);
        f = store(&table, gguf);
        EXPECT_INT(stored_count(&f), FIRST_FORMAT + 3, "values");
        expect_value(&f, "ramus.mixer", "lsra");
        expect_value(&f, "ramus.kernel_size", "5");
        expect_value(&f, "ramus.features", "mixer=lsra,kernel_size");
        const ramus_settings other = later_table(&back);
        REQUIRE_OK(ramus_arch_read_table(&other, &f.values, &err), err);
        expect_same(&back.arch, &l.arch);
        EXPECT(back.mixer == 1 && back.kernel == 5, "%d, %d", back.mixer, back.kernel);
        stored_free(&f);
    }
}

static void a_feature_that_is_not_there_is_told(void)
{
    for (int gguf = 0; gguf < 2; gguf++) {
        later l = make_later(1, 3);
        ramus_arch now = {.width = 77};
        const ramus_settings table = later_table(&l);
        stored f = store(&table, gguf);
        EXPECT_FAILS(ramus_arch_read(&now, &f.values, &err), err,
                     "needs feature 'mixer=lsra', which this version of ramus does not have");
        EXPECT(err.status == RAMUS_BAD_FORMAT && now.width == 77, "no result");
        stored_free(&f);

        l = make_later(0, 9);
        f = store(&table, gguf);
        EXPECT_FAILS(ramus_arch_read(&now, &f.values, &err), err, "needs feature 'kernel_size'");
        stored_free(&f);
    }
}

/* A list of numbers is a feature, a number alone is what it was. */
static void lists_are_features(void)
{
    static const char *const settings[] = {
        "source-vocab",   "50", "target-vocab", "50",  "filter",        "7,9,9", "heads", "2",
        "decoder-filter", "5",  "cross-layers", "1,2", "decoder-heads", "0,4",   NULL};
    for (int gguf = 0; gguf < 2; gguf++) {
        later l = {model_arch(NULL, settings), 0, 3}, back = {0};
        const ramus_settings table = later_table(&l), other = later_table(&back);
        stored f = store(&table, gguf);
        expect_value(&f, "ramus.filter", "7,9,9");
        expect_value(&f, "ramus.cross_layers", "1,2");
        expect_value(&f, "ramus.features",
                     "filter=list,decoder_filter,decoder_heads=list,cross_layers=list");
        REQUIRE_OK(ramus_arch_read_table(&other, &f.values, &err), err);
        expect_same(&back.arch, &l.arch);
        stored_free(&f);
    }
}

/* A reader of values of its own: what `under` has, with one key hidden or given another text. */
typedef struct {
    const ramus_values_reader *under;
    const char *key, *text; // text NULL: hidden
} mask;

static ramus_status read_masked(const void *file, const char *key, ramus_setting_type type,
                                ramus_buffer *text, bool *found, ramus_error *e)
{
    const mask *m = file;
    if (strcmp(key, m->key) != 0) return m->under->read(m->under->file, key, type, text, found, e);
    *found = m->text != NULL;
    if (m->text) ramus_buffer_text(text, m->text);
    return RAMUS_OK;
}

/* A word that this table has not is a feature of its own; many are told one by one. */
static void features_are_read_as_a_list(void)
{
    static const struct {
        const char *text, *part; // NULL: fine
    } cases[] = {
        {"", NULL},
        {"routing=dmb", NULL},
        {"mixer=softmax", NULL},
        {"mixer=lsra,kernel_size", NULL},
        {"mixer=conv", "needs feature 'mixer=conv'"},
        {"mixer=lsra,kernel_size,depth", "needs feature 'depth'"},
        {"filter=list,heads=list", NULL},
        {"filter=lists", "needs feature 'filter=lists'"},
        {"width=list", "needs feature 'width=list'"},
        {"kernel_size=3", "needs feature 'kernel_size=3'"},
        {"mixer=lsra,,kernel_size", "needs feature ''"},
        {"mixer=", "needs feature 'mixer='"},
    };
    later l = make_later(0, 3);
    const ramus_settings table = later_table(&l);
    stored f = store(&table, true);
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        const mask m = {&f.values, RAMUS_ARCH_FEATURES, cases[i].text};
        const ramus_values_reader from = {&m, read_masked};
        if (cases[i].part)
            EXPECT_FAILS(ramus_arch_read_table(&table, &from, &err), err, cases[i].part);
        else
            REQUIRE_OK(ramus_arch_read_table(&table, &from, &err), err);
    }
    stored_free(&f);
}

/* The settings that came after the first format. */
static bool is_later(const char *name)
{
    static const char *const names[] = {"attention",
                                        "decoder",
                                        "activation",
                                        "decoder-filter",
                                        "decoder-heads",
                                        "positions",
                                        "output-bias",
                                        "embedding-scale",
                                        "embedding-norm",
                                        "start-token",
                                        "norm-epsilon",
                                        "decoder-width",
                                        "cross-heads",
                                        "cross-layers",
                                        "attention-width",
                                        "position-width",
                                        "convolution",
                                        "decoder-convolution",
                                        "convolution-width",
                                        "convolution-heads",
                                        "decoder-convolution-heads",
                                        "taps",
                                        "decoder-taps",
                                        "first-position",
                                        "source-bias",
                                        "start-excluded",
                                        "mixer",
                                        "kernel-size"};
    for (int i = 0; i < RAMUS_COUNT(names); i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static void every_setting_of_the_first_format_is_required(void)
{
    later l = make_later(0, 3);
    const ramus_settings table = later_table(&l);
    stored f = store(&table, true);
    int required = 0;
    for (int i = 0; i < table.n; i++) {
        if (table.rows[i].chosen) continue;
        ramus_buffer key = {0};
        char part[64];
        ramus_buffer_text(&key, RAMUS_ARCH_PREFIX);
        ramus_setting_key(&table.rows[i], &key);
        (void)snprintf(part, sizeof part, "it has no key '%s'", key.data);
        const mask m = {&f.values, key.data, NULL};
        const ramus_values_reader from = {&m, read_masked};
        if (is_later(table.rows[i].name))
            REQUIRE_OK(ramus_arch_read_table(&table, &from, &err), err);
        else
            EXPECT_FAILS(ramus_arch_read_table(&table, &from, &err), err, part);
        required += !is_later(table.rows[i].name);
        ramus_buffer_free(&key);
    }
    EXPECT_INT(required, FIRST_FORMAT, "settings");
    stored_free(&f);
}

/* A setting is left out of a file by its text, so a default is written as it prints. */
static void defaults_print_as_they_are_written(void)
{
    later l = {0};
    const ramus_settings table = later_table(&l);
    for (int i = 0; i < table.n; i++) {
        ramus_buffer text = {0};
        if (!table.rows[i].fallback) continue;
        REQUIRE_OK(ramus_setting_set(&table, &table.rows[i], table.rows[i].fallback, &err), err);
        ramus_setting_print(&table, &table.rows[i], &text);
        EXPECT_TEXT(text.data, table.rows[i].fallback);
        ramus_buffer_free(&text);
    }
}

CHECK_MAIN({"a_table_with_later_settings_opens_todays_models",
            a_table_with_later_settings_opens_todays_models},
           {"later_settings_stand_in_a_file_where_they_differ",
            later_settings_stand_in_a_file_where_they_differ},
           {"lists_are_features", lists_are_features},
           {"a_feature_that_is_not_there_is_told", a_feature_that_is_not_there_is_told},
           {"features_are_read_as_a_list", features_are_read_as_a_list},
           {"every_setting_of_the_first_format_is_required",
            every_setting_of_the_first_format_is_required},
           {"defaults_print_as_they_are_written", defaults_print_as_they_are_written})
