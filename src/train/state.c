/* The place is a settings table, so that it is written and read as metadata row by row. Moments
 * and raw weights are tensors beside those of the model. */
#include "train/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PREFIX     "ramus.train."
#define CORPUS_KEY PREFIX "corpus"

// clang-format off
#define AT(field) offsetof(ramus_place, field)
#define MOST 9007199254740992.0 // 2^53
static const ramus_setting rows[] = {
    {"update",         RAMUS_SETTING_INT,  AT(update), "updates done", "0", 0, 2147483647, NULL, NULL},
    {"seed",           RAMUS_SETTING_INT,  AT(seed), "seed of the run", "0", 0, 2147483647, NULL, NULL},
    {"epoch",          RAMUS_SETTING_REAL, AT(epoch), "epoch of the next update", "0", 0, MOST, NULL, NULL},
    {"pool",           RAMUS_SETTING_REAL, AT(pool), "pool in the epoch", "0", 0, MOST, NULL, NULL},
    {"pool-update",    RAMUS_SETTING_REAL, AT(pool_update), "update in the pool", "0", 0, MOST, NULL, NULL},
    {"steps",          RAMUS_SETTING_INT,  AT(steps), "updates of the weights", "0", 0, 2147483647, NULL, NULL},
    {"skipped",        RAMUS_SETTING_INT,  AT(skipped), "updates that were skipped", "0", 0, 2147483647, NULL, NULL},
    {"skipped-in-row", RAMUS_SETTING_INT,  AT(skipped_in_row), "the last of them in a row", "0", 0, 2147483647, NULL, NULL},
    {"seconds",        RAMUS_SETTING_REAL, AT(seconds), "time", "0", 0, MOST, NULL, NULL},
    {"source-tokens",  RAMUS_SETTING_REAL, AT(source_tokens), "learned from", "0", 0, MOST, NULL, NULL},
    {"target-tokens",  RAMUS_SETTING_REAL, AT(target_tokens), "learned from", "0", 0, MOST, NULL, NULL},
    {"valid-loss",     RAMUS_SETTING_REAL, AT(valid_loss), "at this update", "-1", -1, MOST, NULL, NULL},
    {"valid-bleu",     RAMUS_SETTING_REAL, AT(valid_bleu), "at this update", "-1", -1, MOST, NULL, NULL},
    {"best",           RAMUS_SETTING_REAL, AT(best), "loss or BLEU", "-1", -1, MOST, NULL, NULL},
    {"best-update",    RAMUS_SETTING_INT,  AT(best_update), "where it was reached", "0", 0, 2147483647, NULL, NULL},
    {"waited",         RAMUS_SETTING_INT,  AT(waited), "validations since then", "0", 0, 2147483647, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_place_settings(ramus_place *p)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), p};
}

ramus_cursor ramus_place_cursor(const ramus_place *p)
{
    return (ramus_cursor){(int64_t)p->epoch, (int64_t)p->pool, (int64_t)p->pool_update};
}

static void place_key(const ramus_setting *row, ramus_buffer *key)
{
    ramus_buffer_clear(key);
    ramus_buffer_text(key, PREFIX);
    ramus_setting_key(row, key);
}

static ramus_status add_place(ramus_safetensors_writer *w, const ramus_state *s, ramus_error *err)
{
    ramus_place place = s->place;
    const ramus_settings table = ramus_place_settings(&place);
    ramus_buffer key = {0}, value = {0};
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < table.n && !st; i++) {
        place_key(&table.rows[i], &key);
        ramus_buffer_clear(&value);
        ramus_setting_print(&table, &table.rows[i], &value);
        st = ramus_buffer_check(&key, err);
        if (!st) st = ramus_buffer_check(&value, err);
        if (!st) st = ramus_safetensors_add_metadata(w, key.data, value.data, err);
    }
    char corpus[32];
    (void)snprintf(corpus, sizeof corpus, "%016" PRIx64, s->corpus_key);
    if (!st) st = ramus_safetensors_add_metadata(w, CORPUS_KEY, corpus, err);
    ramus_buffer_free(&value);
    ramus_buffer_free(&key);
    return st;
}

ramus_status ramus_state_save(const ramus_state *s, const ramus_checkpoint *model,
                              const char *settings, const char *path, ramus_error *err)
{
    const ramus_optimizer_state *o = s->optimizer;
    ramus_checkpoint used = *model;
    used.weights = o->average ? o->average : s->weights;
    ramus_safetensors_writer *w = NULL;
    ramus_status st = ramus_safetensors_create(&w, err);
    if (!st) st = ramus_checkpoint_add(w, &used, err);
    if (!st) st = add_place(w, s, err);
    if (!st) st = ramus_safetensors_add_metadata(w, "ramus.settings", settings, err);
    if (!st && o->average) st = ramus_checkpoint_add_weights(w, "train.raw.", s->weights, err);
    if (!st && o->first) st = ramus_checkpoint_add_weights(w, "train.first.", o->first, err);
    if (!st && o->second) st = ramus_checkpoint_add_weights(w, "train.second.", o->second, err);
    if (!st) st = ramus_safetensors_save(w, path, err);
    ramus_safetensors_destroy(w);
    return st;
}

/* What counts updates counts no more of them than there were, so that counting on cannot overflow.
 */
static ramus_status check_place(const ramus_place *p, ramus_error *err)
{
    const struct {
        const char *what;
        double n;
    } counts[] = {{"steps", p->steps},
                  {"epoch", p->epoch}, // each has an update at least
                  {"pool_update", p->pool_update},
                  {"skipped", p->skipped},
                  {"skipped_in_row", p->skipped_in_row},
                  {"best_update", p->best_update},
                  {"waited", p->waited}};
    for (int i = 0; i < RAMUS_COUNT(counts); i++)
        if (counts[i].n > p->update)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "its " PREFIX "%s is %.0f, expected at most the %d updates done",
                              counts[i].what, counts[i].n, p->update);
    return RAMUS_OK;
}

ramus_status ramus_state_read_place(ramus_state *s, const ramus_safetensors *file, ramus_error *err)
{
    ramus_place place = {0};
    const ramus_settings table = ramus_place_settings(&place);
    const char *corpus = ramus_safetensors_metadata_find(file, CORPUS_KEY);
    if (!corpus)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "it holds a model but no training run that could go on (--init starts a "
                          "new one with its weights)");
    ramus_buffer key = {0};
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < table.n && !st; i++) {
        place_key(&table.rows[i], &key);
        st = ramus_buffer_check(&key, err);
        if (st) break;
        const char *value = ramus_safetensors_metadata_find(file, key.data);
        st = value ? ramus_setting_set(&table, &table.rows[i], value, err)
                   : ramus_fail(err, RAMUS_BAD_FORMAT, "its metadata has no %s", key.data);
    }
    ramus_buffer_free(&key);
    if (!st) st = check_place(&place, err);
    if (st) return st;
    s->place = place;
    s->corpus_key = strtoull(corpus, NULL, 16);
    return RAMUS_OK;
}

ramus_status ramus_state_read(ramus_state *s, const ramus_safetensors *file, ramus_error *err)
{
    ramus_optimizer_state *o = s->optimizer;
    ramus_status st = ramus_state_read_place(s, file, err);
    if (!st)
        st = ramus_checkpoint_read_weights(s->weights, file, o->average ? "train.raw." : "", err);
    if (!st && o->average) st = ramus_checkpoint_read_weights(o->average, file, "", err);
    if (!st && o->first) st = ramus_checkpoint_read_weights(o->first, file, "train.first.", err);
    if (!st && o->second) st = ramus_checkpoint_read_weights(o->second, file, "train.second.", err);
    if (!st) o->steps = s->place.steps;
    return st;
}
