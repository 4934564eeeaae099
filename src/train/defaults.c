/* The tables are copies of the usual ones with other defaults. What depends on the corpus is auto
 * until its size is known. */
#include "train/defaults.h"

#include <math.h>
#include <string.h>

/* What `ramus train` does not take as the tables have it, and what preset `paper` makes of it. */
static const struct {
    const char *name, *ours, *paper, *help; // help NULL: as it is
} differences[] = {
    // clang-format off
    {"norm",           "pre",    "post",         NULL},
    {"alike",          "on",     "off",          NULL},
    {"own-rate",       "0.1",    "1",            NULL},
    {"entropy-weight", "0",      "0.1",          NULL},
    {"schedule",       "cosine", "inverse-sqrt", NULL},
    {"rate",           "auto",   "7e-4",         "largest learning rate; auto: by the width, and small with --init"},
    {"warmup",         "auto",   "4000",         "updates over which the learning rate rises; auto: a tenth of all, at most 800"},
    {"clip",           "auto",   "0",            "largest norm of the gradient; 0: any; auto: 1 with moe, else any"},
    {"dropout",        "auto",   "0.1",          "on embeddings and sublayer outputs; auto: by the size of the corpus"},
    {"batch-tokens",   "auto",   "65536",        "tokens of either side in an update; auto: by the size of the corpus"},
    {"updates",        "auto",   "10000",        "end after this many updates; auto: by the size of the corpus, or what --epochs need"},
    {"vocab-size",     "auto",   "37056",        "pieces of the vocabulary that is made without --vocab; auto: by the size of the corpus"},
    // clang-format on
};

/* By the pairs of the corpus: the first row that holds them. */
static const struct {
    double most; // pairs
    int pieces;  // of a vocabulary
    double dropout;
    int batch_tokens, updates;
} sizes[] = {
    // clang-format off
    {  60e3,  6000, 0.25, 2048,   8000},
    { 200e3,  8000, 0.15, 2048,  30000},
    {   1e6,  8000, 0.1,  4096,  60000},
    {INFINITY, 16000, 0,  8192, 100000},
    // clang-format on
};

#define WIDTH_RATE     0.512 // rate times width: 4e-3 for tiny, 2e-3 for small
#define MOST_RATE      4e-3
#define INIT_RATE      1e-4 // of weights that are good already
#define INIT_UPDATES   500
#define LONGEST_WARMUP 800

static int size_row(double pairs)
{
    int i = 0;
    while (pairs > sizes[i].most)
        i++;
    return i;
}

static void usual_tables(ramus_settings out[RAMUS_TRAIN_TABLES], ramus_train_spec *spec)
{
    out[0] = ramus_arch_settings(&spec->arch);
    out[1] = ramus_objective_settings(&spec->objective);
    out[2] = ramus_optimizer_settings(&spec->optimizer);
    out[3] = ramus_training_settings(&spec->training);
}

static void set(ramus_settings tables[RAMUS_TRAIN_TABLES], const char *name, const char *value)
{
    for (int i = 0; i < RAMUS_TRAIN_TABLES; i++) {
        const ramus_setting *row = ramus_setting_find(&tables[i], name);
        if (!row) continue;
        const ramus_status st = ramus_setting_set(&tables[i], row, value, NULL);
        RAMUS_ASSERT(st == RAMUS_OK);
    }
}

/* `target` is the arch of a spec: its first member. */
static void choose_preset(void *target)
{
    ramus_train_spec *spec = target;
    ramus_settings tables[RAMUS_TRAIN_TABLES];
    usual_tables(tables, spec);
    ramus_setting_find(&tables[0], "preset")->chosen(&spec->arch);
    if (spec->arch.preset != RAMUS_PRESET_PAPER) return;
    for (int i = 0; i < RAMUS_COUNT(differences); i++)
        set(tables, differences[i].name, differences[i].paper);
}

void ramus_train_tables_init(ramus_train_tables *out, ramus_train_spec *spec)
{
    int found = 0;
    usual_tables(out->tables, spec);
    for (int i = 0; i < RAMUS_TRAIN_TABLES; i++) {
        ramus_settings *s = &out->tables[i];
        RAMUS_ASSERT(s->n <= RAMUS_TRAIN_ROWS);
        memcpy(out->rows[i], s->rows, (size_t)s->n * sizeof *s->rows);
        s->rows = out->rows[i];
        for (int j = 0; j < s->n; j++) {
            ramus_setting *row = &out->rows[i][j];
            if (row->chosen) row->chosen = choose_preset; // the preset is the only one
            for (int k = 0; k < RAMUS_COUNT(differences); k++) {
                if (strcmp(row->name, differences[k].name) != 0) continue;
                row->fallback = differences[k].ours;
                if (differences[k].help) row->help = differences[k].help;
                found++;
            }
        }
    }
    RAMUS_ASSERT(found == RAMUS_COUNT(differences));
}

void ramus_train_settle_vocab(ramus_train_spec *spec, double pairs)
{
    int *size = &spec->training.vocab_size;
    if (*size == RAMUS_AUTO) *size = sizes[size_row(pairs)].pieces;
}

static void choose_int(int *value, double choice, const char *name, ramus_buffer *chosen)
{
    if (*value != RAMUS_AUTO) return;
    *value = (int)fmin(choice, INT_MAX);
    ramus_buffer_print(chosen, ", %s %d", name, *value);
}

static void choose_real(double *value, double choice, const char *name, ramus_buffer *chosen)
{
    if (!ramus_real_is_auto(*value)) return;
    *value = choice;
    if (choice == 0) return;
    ramus_buffer_print(chosen, ", %s %g", name, choice);
}

static double choose_updates(const ramus_training *t, int size, double tokens)
{
    if (t->epochs) return fmax(t->epochs * ceil(tokens / t->batch_tokens), 1);
    return t->init ? INIT_UPDATES : sizes[size].updates;
}

void ramus_train_settle(ramus_train_spec *spec, double pairs, double tokens, ramus_buffer *chosen)
{
    ramus_training *t = &spec->training;
    ramus_optimizer_options *o = &spec->optimizer;
    const int size = size_row(pairs);
    const bool moe = spec->arch.routing == RAMUS_MOE;
    const double widest = fmin(MOST_RATE, WIDTH_RATE / spec->arch.width) * (moe ? 0.5 : 1);
    choose_real(&spec->objective.dropout, sizes[size].dropout, "dropout", chosen);
    choose_int(&t->batch_tokens, sizes[size].batch_tokens, "batch-tokens", chosen);
    choose_int(&t->updates, choose_updates(t, size, tokens), "updates", chosen);
    choose_real(&o->rate, t->init ? INIT_RATE : widest, "rate", chosen);
    choose_int(&o->warmup, fmin(t->updates / 10, LONGEST_WARMUP), "warmup", chosen);
    choose_real(&o->clip, moe, "clip", chosen);
}
