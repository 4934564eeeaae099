/* What `ramus train` takes where nothing is said, and what preset `paper` makes of it. */
#include "train/defaults.h"

#include "check.h"

#include <math.h>

typedef struct {
    ramus_train_spec spec;
    ramus_train_tables tables;
} fixture;

static void begin(fixture *f)
{
    *f = (fixture){.spec = {.seed = 1}};
    ramus_train_tables_init(&f->tables, &f->spec);
    for (int i = 0; i < RAMUS_TRAIN_TABLES; i++)
        ramus_settings_default(&f->tables.tables[i]);
}

static void set(fixture *f, const char *name, const char *value)
{
    ramus_error err = {0};
    for (int i = 0; i < RAMUS_TRAIN_TABLES; i++) {
        const ramus_setting *row = ramus_setting_find(&f->tables.tables[i], name);
        if (row) REQUIRE_OK(ramus_setting_set(&f->tables.tables[i], row, value, &err), err);
    }
}

static const char *value(const ramus_settings tables[RAMUS_TRAIN_TABLES], const char *name)
{
    static char text[2][64];
    static int turn;
    ramus_buffer b = {0};
    for (int i = 0; i < RAMUS_TRAIN_TABLES; i++) {
        const ramus_setting *row = ramus_setting_find(&tables[i], name);
        if (row) ramus_setting_print(&tables[i], row, &b);
    }
    turn = !turn;
    snprintf(text[turn], sizeof text[turn], "%s", b.data ? b.data : "");
    ramus_buffer_free(&b);
    return text[turn];
}

#define EXPECT_VALUE(f, name, want)                                                                \
    EXPECT(strcmp(value((f)->tables.tables, name), want) == 0, "%s is %s, expected %s", name,      \
           value((f)->tables.tables, name), want)

static void nothing_said_gives_what_was_measured_best(void)
{
    static const char *const want[][2] = {
        {"preset", "tiny"},  {"width", "128"},      {"norm", "pre"},
        {"alike", "on"},     {"own-rate", "0.1"},   {"entropy-weight", "0"},
        {"rate", "auto"},    {"warmup", "auto"},    {"schedule", "cosine"},
        {"dropout", "auto"}, {"updates", "auto"},   {"batch-tokens", "auto"},
        {"clip", "auto"},    {"vocab-size", "auto"}};
    fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        EXPECT_VALUE(&f, want[i][0], want[i][1]);
}

/* The settings of Tan et al. 2022, as recipes/wmt14-ende has them; the rest as the tables that all
 * programs share. */
static void preset_paper_is_the_paper(void)
{
    static const char *const paper[][2] = {{"norm", "post"},
                                           {"alike", "off"},
                                           {"own-rate", "1"},
                                           {"entropy-weight", "0.1"},
                                           {"dropout", "0.1"},
                                           {"label-smoothing", "0.1"},
                                           {"optimizer", "adam"},
                                           {"beta2", "0.98"},
                                           {"rate", "0.0007"},
                                           {"warmup", "4000"},
                                           {"updates", "10000"},
                                           {"batch-tokens", "65536"},
                                           {"clip", "0"},
                                           {"vocab-size", "37056"},
                                           {"schedule", "inverse-sqrt"}};
    static const char *const other[] = {"preset", "updates", "batch-tokens", "vocab-size"};
    fixture f;
    begin(&f);
    set(&f, "preset", "paper");
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++)
        EXPECT_VALUE(&f, paper[i][0], paper[i][1]);
    ramus_train_spec usual = {.seed = 1};
    const ramus_settings tables[RAMUS_TRAIN_TABLES] = {
        ramus_arch_settings(&usual.arch), ramus_objective_settings(&usual.objective),
        ramus_optimizer_settings(&usual.optimizer), ramus_training_settings(&usual.training)};
    for (int i = 0; i < RAMUS_TRAIN_TABLES; i++) {
        ramus_settings_default(&tables[i]);
        for (int j = 0; j < tables[i].n; j++) {
            const char *name = tables[i].rows[j].name;
            bool differs = false;
            for (size_t k = 0; k < sizeof other / sizeof *other; k++)
                differs = differs || strcmp(name, other[k]) == 0;
            if (!differs) EXPECT_VALUE(&f, name, value(tables, name));
        }
    }
    set(&f, "rate", "0.5"); // what is said later wins
    EXPECT_VALUE(&f, "rate", "0.5");
}

static void other_presets_keep_their_shapes(void)
{
    static const char *const shapes[][4] = {{"tiny", "128", "512", "8"},
                                            {"small", "256", "1024", "8"},
                                            {"base", "512", "2048", "8"},
                                            {"big", "1024", "4096", "16"},
                                            {"paper", "128", "512", "8"}};
    fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        set(&f, "preset", shapes[i][0]);
        EXPECT_VALUE(&f, "width", shapes[i][1]);
        EXPECT_VALUE(&f, "filter", shapes[i][2]);
        EXPECT_VALUE(&f, "heads", shapes[i][3]);
        if (i < 4) EXPECT_VALUE(&f, "norm", "pre");
    }
}

static void the_size_of_the_corpus_decides(void)
{
    static const struct {
        double pairs, dropout;
        int pieces, tokens, updates;
    } want[] = {{1, 0.25, 6000, 2048, 8000},
                {60000, 0.25, 6000, 2048, 8000},
                {60001, 0.15, 8000, 2048, 30000},
                {1e6, 0.1, 8000, 4096, 60000},
                {1e8, 0, 16000, 8192, 100000}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        fixture f;
        ramus_buffer chosen = {0};
        begin(&f);
        ramus_train_settle_vocab(&f.spec, want[i].pairs);
        ramus_train_settle(&f.spec, want[i].pairs, 30 * want[i].pairs, &chosen);
        EXPECT_NEAR(f.spec.objective.dropout, want[i].dropout, 0, "dropout");
        EXPECT_INT(f.spec.training.vocab_size, want[i].pieces, "pieces");
        EXPECT_INT(f.spec.training.batch_tokens, want[i].tokens, "tokens of an update");
        EXPECT_INT(f.spec.training.updates, want[i].updates, "updates");
        EXPECT_NEAR(f.spec.optimizer.rate, 4e-3, 1e-12, "rate");
        EXPECT_INT(f.spec.optimizer.warmup, 800, "warm-up");
        EXPECT(strstr(chosen.data, ", updates "), "it tells what it chose: %s", chosen.data);
        ramus_buffer_free(&chosen);
    }
}

static ramus_train_spec settled(const char *const *pairs)
{
    fixture f;
    ramus_buffer chosen = {0};
    begin(&f);
    for (; *pairs; pairs += 2)
        set(&f, pairs[0], pairs[1]);
    ramus_train_settle(&f.spec, 29000, 400000, &chosen);
    ramus_buffer_free(&chosen);
    return f.spec;
}

#define SETTLED(...) settled((const char *const[]){__VA_ARGS__, NULL})

static void what_is_said_decides_the_rest(void)
{
    EXPECT_NEAR(SETTLED("preset", "small").optimizer.rate, 2e-3, 1e-12, "a wider model");
    EXPECT_NEAR(SETTLED("width", "32").optimizer.rate, 4e-3, 1e-12, "a narrow one");
    const ramus_train_spec moe = SETTLED("routing", "moe"), init = SETTLED("init", "x");
    EXPECT_NEAR(moe.optimizer.rate, 2e-3, 1e-12, "moe falls apart at the rate of the others");
    EXPECT_NEAR(moe.optimizer.clip, 1, 0, "moe");
    EXPECT_NEAR(init.optimizer.rate, 1e-4, 1e-12, "weights that are good already");
    EXPECT_INT(init.training.updates, 500, "fine-tuning");
    const ramus_train_spec said = SETTLED("updates", "3000", "dropout", "0", "rate", "1");
    EXPECT_INT(said.training.updates, 3000, "updates");
    EXPECT_INT(said.optimizer.warmup, 300, "a tenth");
    EXPECT_NEAR(said.objective.dropout, 0, 0, "dropout");
    EXPECT_NEAR(said.optimizer.rate, 1, 0, "rate");
    EXPECT_INT(SETTLED("epochs", "3").training.updates, 3 * 196, "as many as the epochs have");
}

static void auto_is_a_value_only_where_it_is_the_default(void)
{
    fixture f;
    ramus_error err = {0};
    begin(&f);
    set(&f, "dropout", "0.5");
    set(&f, "dropout", "auto");
    EXPECT(ramus_real_is_auto(f.spec.objective.dropout), "dropout");
    EXPECT_VALUE(&f, "dropout", "auto");
    const ramus_settings *s = &f.tables.tables[1];
    EXPECT(ramus_setting_set(s, ramus_setting_find(s, "relu-dropout"), "auto", &err),
           "relu-dropout has no auto");
}

CHECK_MAIN({"nothing_said_gives_what_was_measured_best", nothing_said_gives_what_was_measured_best},
           {"preset_paper_is_the_paper", preset_paper_is_the_paper},
           {"other_presets_keep_their_shapes", other_presets_keep_their_shapes},
           {"the_size_of_the_corpus_decides", the_size_of_the_corpus_decides},
           {"what_is_said_decides_the_rest", what_is_said_decides_the_rest},
           {"auto_is_a_value_only_where_it_is_the_default",
            auto_is_a_value_only_where_it_is_the_default})
