/* One function per kind of line and field, called with each member of the JSON object. */
#include "report/log_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- start ------------------------------------------------------------------------------------ */

static const char *const corpus_keys[RAMUS_CORPUS_VALUES] = {
    [RAMUS_CORPUS_READ] = "read",
    [RAMUS_CORPUS_KEPT] = "kept",
    [RAMUS_CORPUS_EMPTY] = "empty",
    [RAMUS_CORPUS_TOO_LONG] = "too_long",
    [RAMUS_CORPUS_RATIO] = "ratio",
    [RAMUS_CORPUS_NOT_UTF8] = "not_utf8",
    [RAMUS_CORPUS_SOURCE_TOKENS] = "source_tokens",
    [RAMUS_CORPUS_TARGET_TOKENS] = "target_tokens",
    [RAMUS_CORPUS_WEIGHT] = "weight",
};

static void free_start(ramus_log *log)
{
    for (int i = 0; i < log->n_settings; i++) {
        free(log->settings[i].name);
        free(log->settings[i].value);
    }
    for (int i = 0; i < log->n_corpora; i++)
        free(log->corpora[i].files);
    free(log->settings);
    free(log->corpora);
    free(log->version);
    log->settings = NULL;
    log->corpora = NULL;
    log->version = NULL;
    log->n_settings = log->n_corpora = 0;
    log->parameters = log->threads = log->updates_per_epoch = (double)NAN;
}

static ramus_status add_note(ramus_log_reader *r, char *text)
{
    ramus_log *log = r->log;
    ramus_log_note *notes = ramus_log_grow(log->notes, log->n_notes, sizeof *notes);
    if (!notes) return ramus_fail_memory(r->err, "a log");
    log->notes = notes;
    notes[log->n_notes++] = (ramus_log_note){r->update, text};
    return RAMUS_OK;
}

static ramus_status start_begin(ramus_log_reader *r)
{
    ramus_log *log = r->log;
    free_start(log);
    log->ended = false;
    return log->n_starts++ > 0 ? add_note(r, NULL) : RAMUS_OK;
}

static ramus_status setting_member(ramus_log_reader *r)
{
    ramus_log *log = r->log;
    ramus_log_setting *settings = ramus_log_grow(log->settings, log->n_settings, sizeof *settings);
    if (!settings) return ramus_fail_memory(r->err, "a log");
    log->settings = settings;
    ramus_log_setting *s = &settings[log->n_settings++];
    s->name = strdup(r->key.data);
    return s->name ? ramus_log_text(r, &s->value) : ramus_fail_memory(r->err, "a log");
}

static ramus_status corpus_member(ramus_log_reader *r)
{
    ramus_log_corpus *c = &r->log->corpora[r->log->n_corpora - 1];
    if (ramus_log_key_is(r, "files")) return ramus_log_text(r, &c->files);
    for (int i = 0; i < RAMUS_CORPUS_VALUES; i++)
        if (ramus_log_key_is(r, corpus_keys[i])) return ramus_log_number(r, &c->values[i]);
    return ramus_log_skip(r);
}

static ramus_status corpus_element(ramus_log_reader *r, int i)
{
    (void)i;
    ramus_log *log = r->log;
    ramus_log_corpus *corpora = ramus_log_grow(log->corpora, log->n_corpora, sizeof *corpora);
    if (!corpora) return ramus_fail_memory(r->err, "a log");
    log->corpora = corpora;
    for (int v = 0; v < RAMUS_CORPUS_VALUES; v++)
        corpora[log->n_corpora].values[v] = (double)NAN;
    log->n_corpora++;
    return ramus_log_object(r, corpus_member);
}

static ramus_status start_member(ramus_log_reader *r)
{
    ramus_log *log = r->log;
    double time = 0;
    if (ramus_log_key_is(r, "version")) return ramus_log_text(r, &log->version);
    if (ramus_log_key_is(r, "parameters")) return ramus_log_number(r, &log->parameters);
    if (ramus_log_key_is(r, "threads")) return ramus_log_number(r, &log->threads);
    if (ramus_log_key_is(r, "updates_per_epoch"))
        return ramus_log_number(r, &log->updates_per_epoch);
    if (ramus_log_key_is(r, "settings")) return ramus_log_object(r, setting_member);
    if (ramus_log_key_is(r, "corpora")) return ramus_log_array(r, corpus_element);
    if (ramus_log_key_is(r, "time"))
        return ramus_log_number(r, log->n_starts == 1 ? &log->started : &time);
    return ramus_log_skip(r);
}

/* --- train, valid ----------------------------------------------------------------------------- */

static const char *const value_keys[RAMUS_LOG_VALUES] = {
    [RAMUS_LOG_LOSS] = "loss",
    [RAMUS_LOG_NLL] = "nll",
    [RAMUS_LOG_RATE] = "rate",
    [RAMUS_LOG_GRADIENT_NORM] = "gradient_norm",
    [RAMUS_LOG_SPEED] = "tokens_per_second",
    [RAMUS_LOG_EPOCH] = "epoch",
    [RAMUS_LOG_SECONDS] = "seconds",
    [RAMUS_LOG_TARGET_TOKENS] = "target_tokens",
    [RAMUS_LOG_SKIPPED] = "skipped",
    [RAMUS_LOG_VALID_NLL] = "nll",
    [RAMUS_LOG_PERPLEXITY] = "perplexity",
    [RAMUS_LOG_BLEU] = "bleu",
};

#define FIRST_VALID RAMUS_LOG_VALID_NLL // the values before it are those of train lines

static ramus_status values_begin(ramus_log_reader *r)
{
    for (int i = 0; i < RAMUS_LOG_VALUES; i++)
        r->found[i] = (double)NAN;
    r->best = false;
    return RAMUS_OK;
}

static ramus_status value_member(ramus_log_reader *r, int begin, int end)
{
    for (int i = begin; i < end; i++)
        if (ramus_log_key_is(r, value_keys[i])) return ramus_log_number(r, &r->found[i]);
    return ramus_log_skip(r);
}

static void add_values(ramus_log_reader *r, int begin, int end)
{
    if (isnan(r->update)) return;
    for (int i = begin; i < end; i++)
        ramus_curve_add(&r->log->values[i], r->update, r->found[i]);
}

static ramus_status loss_member(ramus_log_reader *r)
{
    ramus_log *log = r->log;
    int i = 0;
    while (i < log->n_losses && !ramus_log_key_is(r, log->losses[i].name))
        i++;
    if (i == RAMUS_LOG_LOSSES) return ramus_log_skip(r);
    if (i == log->n_losses) {
        ramus_log_loss *losses = ramus_log_grow(log->losses, i, sizeof *losses);
        if (!losses) return ramus_fail_memory(r->err, "a log");
        log->losses = losses;
        losses[i].name = strdup(r->key.data);
        if (!losses[i].name) return ramus_fail_memory(r->err, "a log");
        ramus_curve_init(&losses[i].curve, RAMUS_CURVE_POINTS, log->end);
        log->n_losses++;
    }
    double value = 0;
    const ramus_status st = ramus_log_number(r, &value);
    if (!st && !isnan(r->update)) ramus_curve_add(&log->losses[i].curve, r->update, value);
    return st;
}

/* --- gates ------------------------------------------------------------------------------------ */

static ramus_status share_element(ramus_log_reader *r, int i)
{
    double share = 0;
    const ramus_status st = ramus_log_number(r, &share);
    if (i < RAMUS_LOG_BRANCHES) r->shares[i] = share;
    r->n_shares = i + 1;
    return st;
}

static ramus_status gate_member(ramus_log_reader *r)
{
    if (ramus_log_key_is(r, "name")) return ramus_log_text(r, &r->name);
    if (ramus_log_key_is(r, "share")) return ramus_log_array(r, share_element);
    if (ramus_log_key_is(r, "entropy")) return ramus_log_number(r, &r->entropy);
    return ramus_log_skip(r);
}

static ramus_status create_gate(ramus_log_reader *r)
{
    ramus_log *log = r->log;
    ramus_log_gate *gates = ramus_log_grow(log->gates, log->n_gates, sizeof *gates);
    if (!gates) return ramus_fail_memory(r->err, "a log");
    log->gates = gates;
    ramus_log_gate *g = &gates[log->n_gates];
    g->shares = malloc((size_t)r->n_shares * sizeof *g->shares);
    if (!g->shares) return ramus_fail_memory(r->err, "a log");
    g->n_branches = r->n_shares;
    for (int b = 0; b < g->n_branches; b++)
        ramus_curve_init(&g->shares[b], RAMUS_LOG_GATE_POINTS, log->end);
    ramus_curve_init(&g->entropy, RAMUS_LOG_GATE_POINTS, log->end);
    g->name = r->name;
    r->name = NULL;
    log->n_gates++;
    return RAMUS_OK;
}

/* The gate of r->name; n_gates when it is new. `hint`: lines mostly list the same gates. */
static int find_gate(const ramus_log_reader *r, int hint)
{
    const ramus_log *log = r->log;
    if (hint < log->n_gates && strcmp(log->gates[hint].name, r->name) == 0) return hint;
    int i = 0;
    while (i < log->n_gates && strcmp(log->gates[i].name, r->name) != 0)
        i++;
    return i;
}

static ramus_status gate_element(ramus_log_reader *r, int i)
{
    ramus_log *log = r->log;
    free(r->name);
    r->name = NULL;
    r->n_shares = 0;
    r->entropy = (double)NAN;
    ramus_status st = ramus_log_object(r, gate_member);
    if (st || !r->name || isnan(r->update)) return st;
    const int at = find_gate(r, i);
    if (at == log->n_gates) {
        const bool fits = r->n_shares > 0 && r->n_shares <= RAMUS_LOG_BRANCHES;
        if (!fits || at == RAMUS_LOG_GATES) return RAMUS_OK;
        st = create_gate(r);
        if (st) return st;
    }
    ramus_log_gate *g = &log->gates[at];
    bool whole = r->n_shares == g->n_branches;
    for (int b = 0; whole && b < g->n_branches; b++)
        whole = r->shares[b] >= 0 && r->shares[b] <= 1.001; // rounded
    for (int b = 0; b < g->n_branches; b++)
        ramus_curve_add(&g->shares[b], r->update, whole ? r->shares[b] : (double)NAN);
    ramus_curve_add(&g->entropy, r->update, r->entropy);
    return RAMUS_OK;
}

/* --- lines ------------------------------------------------------------------------------------ */

static ramus_status train_member(ramus_log_reader *r)
{
    if (ramus_log_key_is(r, "losses")) return ramus_log_object(r, loss_member);
    if (ramus_log_key_is(r, "gates")) return ramus_log_array(r, gate_element);
    return value_member(r, 0, FIRST_VALID);
}

static ramus_status train_finish(ramus_log_reader *r)
{
    add_values(r, 0, FIRST_VALID);
    return RAMUS_OK;
}

static ramus_status sample_member(ramus_log_reader *r)
{
    ramus_log_sample *s = &r->log->samples[r->sample];
    if (ramus_log_key_is(r, "source")) return ramus_log_text(r, &s->source);
    if (ramus_log_key_is(r, "reference")) return ramus_log_text(r, &s->reference);
    return ramus_log_key_is(r, "text") ? ramus_log_text(r, &r->name) : ramus_log_skip(r);
}

static ramus_status sample_element(ramus_log_reader *r, int i)
{
    ramus_log *log = r->log;
    if (i >= RAMUS_LOG_SAMPLES || isnan(r->update)) return ramus_log_skip(r);
    if (i == log->n_samples) {
        ramus_log_sample *samples = ramus_log_grow(log->samples, i, sizeof *samples);
        if (!samples) return ramus_fail_memory(r->err, "a log");
        log->samples = samples;
        log->n_samples++;
    }
    r->sample = i;
    const ramus_status st = ramus_log_object(r, sample_member);
    ramus_log_sample *s = &log->samples[i];
    if (st || !r->name) return st;
    ramus_log_translation *t = ramus_log_grow(s->translations, s->n, sizeof *t);
    if (!t) return ramus_fail_memory(r->err, "a log");
    s->translations = t;
    t[s->n++] = (ramus_log_translation){r->update, r->name};
    r->name = NULL;
    return RAMUS_OK;
}

static ramus_status valid_member(ramus_log_reader *r)
{
    if (ramus_log_key_is(r, "samples")) return ramus_log_array(r, sample_element);
    if (ramus_log_key_is(r, "loss")) return ramus_log_number(r, &r->loss);

    if (ramus_log_key_is(r, "best") && ramus_json_peek(&r->json) == RAMUS_JSON_BOOL)
        return ramus_json_bool(&r->json, &r->best, r->err);
    return value_member(r, FIRST_VALID, RAMUS_LOG_VALUES);
}

static ramus_status valid_begin(ramus_log_reader *r)
{
    r->loss = (double)NAN;
    return values_begin(r);
}

static ramus_status valid_finish(ramus_log_reader *r)
{
    double *nll = &r->found[RAMUS_LOG_VALID_NLL];
    if (isnan(*nll)) *nll = r->loss; // its only name in older logs
    add_values(r, FIRST_VALID, RAMUS_LOG_VALUES);
    if (r->best) r->log->best = r->update;
    return RAMUS_OK;
}

static ramus_status save_finish(ramus_log_reader *r)
{
    r->log->saved = r->update;
    return RAMUS_OK;
}

static ramus_status note_member(ramus_log_reader *r)
{
    return ramus_log_key_is(r, "text") ? ramus_log_text(r, &r->name) : ramus_log_skip(r);
}

static ramus_status note_finish(ramus_log_reader *r)
{
    if (!r->name) return RAMUS_OK;
    const ramus_status st = add_note(r, r->name);
    if (!st) r->name = NULL;
    return st;
}

static ramus_status end_begin(ramus_log_reader *r)
{
    r->log->ended = true;
    free(r->log->reason);
    free(r->log->model);
    r->log->reason = r->log->model = NULL;
    return RAMUS_OK;
}

static ramus_status end_member(ramus_log_reader *r)
{
    if (ramus_log_key_is(r, "model")) return ramus_log_text(r, &r->log->model);
    return ramus_log_key_is(r, "reason") ? ramus_log_text(r, &r->log->reason) : ramus_log_skip(r);
}

static ramus_status nothing(ramus_log_reader *r)
{
    (void)r;
    return RAMUS_OK;
}

static const ramus_log_kind kinds[] = {
    {"start", false, start_begin, start_member, nothing},
    {"train", true, values_begin, train_member, train_finish},
    {"valid", true, valid_begin, valid_member, valid_finish},
    {"save", true, nothing, ramus_log_skip, save_finish},
    {"note", false, nothing, note_member, note_finish},
    {"end", false, end_begin, end_member, nothing},
};

const ramus_log_kind *ramus_log_kind_find(const char *name)
{
    for (int i = 0; i < RAMUS_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

ramus_status ramus_log_line_read(ramus_log_reader *r, const ramus_log_kind *kind)
{
    free(r->name);
    r->name = NULL;
    ramus_status st = kind->begin(r);
    if (!st) st = ramus_log_object(r, kind->member);
    return st ? st : kind->finish(r);
}
