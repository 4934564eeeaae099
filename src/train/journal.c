/* Each line is put together in a buffer and written at once, so that a kill leaves at most one
 * broken line. The page is made from the log by report/. */
#include "train/journal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

static void add_text(ramus_buffer *b, const char *text)
{
    ramus_buffer_json(b, text, strlen(text));
}

/* JSON has no infinity and no NaN: null. */
static void add_number(ramus_buffer *b, const char *name, double value)
{
    if (isfinite(value))
        ramus_buffer_print(b, ",\"%s\":%.8g", name, value);
    else
        ramus_buffer_print(b, ",\"%s\":null", name);
}

static ramus_status write_line(FILE *log, ramus_buffer *b, ramus_error *err)
{
    ramus_buffer_text(b, "}\n");
    ramus_status st = ramus_buffer_check(b, err);
    if (!st && (fwrite(b->data, 1, b->size, log) != b->size || fflush(log))) {
        st = ramus_fail(err, RAMUS_IO, "cannot write the log: %s", strerror(errno));
        clearerr(log);
    }
    ramus_buffer_free(b);
    return st;
}

/* "name = value" lines as an object. */
static void add_settings(ramus_buffer *b, const char *settings)
{
    const char *comma = "";
    ramus_buffer_text(b, ",\"settings\":{");
    while (*settings) {
        const char *end = strchr(settings, '\n'), *equals = strstr(settings, " = ");
        if (!end || !equals || equals > end) break;
        ramus_buffer_text(b, comma);
        ramus_buffer_json(b, settings, (size_t)(equals - settings));
        ramus_buffer_text(b, ":");
        ramus_buffer_json(b, equals + 3, (size_t)(end - equals - 3));
        settings = end + 1;
        comma = ",";
    }
    ramus_buffer_text(b, "}");
}

static void add_corpora(ramus_buffer *b, const ramus_dataset *data)
{
    ramus_buffer_text(b, ",\"corpora\":[");
    for (int i = 0; i < data->n; i++) {
        const ramus_corpus_files *f = &data->files[i];
        const ramus_corpus_counts *n = ramus_corpus_count(data->corpora[i]);
        ramus_buffer files = {0};
        ramus_buffer_print(&files, "%s%s%s", f->source, f->target ? " " : "",
                           f->target ? f->target : "");
        ramus_buffer_print(b, "%s{\"files\":", i ? "," : "");
        add_text(b, files.data ? files.data : "");
        add_number(b, "read", (double)n->read);
        add_number(b, "kept", (double)n->kept);
        add_number(b, "empty", (double)n->empty);
        add_number(b, "too_long", (double)n->too_long);
        add_number(b, "ratio", (double)n->ratio);
        add_number(b, "not_utf8", (double)n->not_utf8);
        add_number(b, "source_tokens", (double)n->source_tokens);
        add_number(b, "target_tokens", (double)n->target_tokens);
        add_number(b, "weight", f->weight);
        ramus_buffer_text(b, "}");
        ramus_buffer_free(&files);
    }
    ramus_buffer_text(b, "]");
}

ramus_status ramus_journal_start(FILE *log, const ramus_place *place, const ramus_dataset *data,
                                 const char *settings, size_t parameters, int threads,
                                 double updates_per_epoch, ramus_error *err)
{
    ramus_buffer b = {0};
    ramus_buffer_print(&b, "{\"kind\":\"start\",\"time\":%.0f,\"update\":%d,\"version\":",
                       (double)time(NULL), place->update);
    add_text(&b, ramus_version());
    add_number(&b, "parameters", (double)parameters);
    add_number(&b, "threads", threads);
    add_number(&b, "updates_per_epoch", updates_per_epoch);
    add_settings(&b, settings);
    add_corpora(&b, data);
    return write_line(log, &b, err);
}

static void add_gates(ramus_buffer *b, const ramus_learner *l)
{
    ramus_buffer_text(b, ",\"gates\":[");
    for (int i = 0; i < l->n_gates; i++) {
        const ramus_gate_use *use = &l->gates[i];
        ramus_buffer_print(b, "%s{\"name\":\"%s\",\"share\":[", i ? "," : "", use->name);
        for (int j = 0; j < use->branches; j++)
            ramus_buffer_print(b, "%s%.4g", j ? "," : "", use->share[j]);
        ramus_buffer_text(b, "]");
        add_number(b, "entropy", use->entropy);
        ramus_buffer_text(b, "}");
    }
    ramus_buffer_text(b, "]");
}

ramus_status ramus_journal_train(FILE *log, const ramus_place *place, const ramus_learner *l,
                                 const ramus_journal_window *window, ramus_error *err)
{
    ramus_buffer b = {0};
    ramus_buffer_print(&b, "{\"kind\":\"train\",\"update\":%d", place->update);
    add_number(&b, "epoch", window->epochs);
    add_number(&b, "seconds", place->seconds);
    add_number(&b, "loss", ramus_learner_loss(l, 0));
    add_number(&b, "nll", ramus_learner_nll(l));
    for (int i = 1; i < l->n_losses; i++) {
        ramus_buffer_print(&b, "%s\"%s\":", i == 1 ? ",\"losses\":{" : ",", l->losses[i]);
        const double loss = ramus_learner_loss(l, i);
        if (isfinite(loss))
            ramus_buffer_print(&b, "%.8g", loss);
        else
            ramus_buffer_text(&b, "null");
    }
    if (l->n_losses > 1) ramus_buffer_text(&b, "}");
    add_number(&b, "rate", window->rate);
    add_number(&b, "gradient_norm", window->gradient_norm);
    add_number(&b, "target_tokens", place->target_tokens);
    add_number(&b, "tokens_per_second", window->tokens_per_second);
    add_number(&b, "skipped", place->skipped);
    if (l->n_gates) add_gates(&b, l);
    return write_line(log, &b, err);
}

static void add_line(ramus_buffer *b, const char *name, ramus_line line)
{
    ramus_buffer_text(b, name);
    ramus_buffer_json(b, line.data, line.size);
}

static void add_samples(ramus_buffer *b, const ramus_validation *validation)
{
    ramus_sample samples[RAMUS_SAMPLES];
    const int n = ramus_validation_samples(validation, samples);
    if (n == 0) return;
    ramus_buffer_text(b, ",\"samples\":[");
    for (int i = 0; i < n; i++) {
        add_line(b, i ? ",{\"source\":" : "{\"source\":", samples[i].source);
        add_line(b, ",\"reference\":", samples[i].reference);
        add_line(b, ",\"text\":", samples[i].text);
        ramus_buffer_text(b, "}");
    }
    ramus_buffer_text(b, "]");
}

ramus_status ramus_journal_valid(FILE *log, const ramus_place *place, const ramus_validated *v,
                                 const ramus_validation *validation, ramus_error *err)
{
    ramus_buffer b = {0};
    ramus_buffer_print(&b, "{\"kind\":\"valid\",\"update\":%d", place->update);
    add_number(&b, "loss", v->nll);
    add_number(&b, "nll", v->nll);
    add_number(&b, "perplexity", v->perplexity);
    if (v->bleu >= 0) add_number(&b, "bleu", v->bleu);
    add_number(&b, "seconds", v->seconds);
    add_samples(&b, validation);
    ramus_buffer_print(&b, ",\"best\":%s", place->best_update == place->update ? "true" : "false");
    return write_line(log, &b, err);
}

ramus_status ramus_journal_text(FILE *log, const char *kind, int update, const char *name,
                                const char *text, ramus_error *err)
{
    ramus_buffer b = {0};
    ramus_buffer_print(&b, "{\"kind\":\"%s\",\"update\":%d,\"%s\":", kind, update, name);
    add_text(&b, text);
    return write_line(log, &b, err);
}

ramus_status ramus_journal_end(FILE *log, int update, const char *reason, const char *model,
                               ramus_error *err)
{
    ramus_buffer b = {0};
    ramus_buffer_print(&b, "{\"kind\":\"end\",\"update\":%d,\"reason\":", update);
    add_text(&b, reason);
    ramus_buffer_text(&b, ",\"model\":");
    add_text(&b, model);
    return write_line(log, &b, err);
}
