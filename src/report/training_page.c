/* Each section of the page is a function that adds HTML to the buffer; write_page() calls them
 * in their order. */
#include "report/training_page.h"

#include "base/buffer.h"
#include "base/writer.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/runs.h"
#include "report/training_gates.h"
#include "report/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES      100 // the newest ones; the log has them all
#define SHOWN      6   // translations of a sentence
#define FEW_POINTS 10  // too few to be worth a closer look

static bool has_points(const ramus_log *log)
{
    for (int i = 0; i < RAMUS_LOG_VALUES; i++)
        if (log->values[i].n > 0) return true;
    return log->n_losses > 0 || log->n_gates > 0;
}

/* --- status ----------------------------------------------------------------------------------- */

static void write_state(ramus_buffer *out, const ramus_log *log)
{
    ramus_buffer_print(out, "<p><span class=\"state%s",
                       log->ended ? " ended\">ended" : "\">running");
    if (log->ended && log->reason) {
        ramus_buffer_text(out, ": ");
        ramus_html_text(out, log->reason);
    }
    ramus_buffer_text(out, "</span><span class=\"soft\">");
    if (isfinite(log->started)) {
        ramus_buffer_text(out, " &#183; started ");
        ramus_html_time(out, log->started);
    }
    if (log->n_starts == 2) ramus_buffer_text(out, " &#183; resumed once");
    if (log->n_starts > 2) ramus_buffer_print(out, " &#183; resumed %d times", log->n_starts - 1);
    if (log->version) {
        ramus_buffer_text(out, " &#183; ramus ");
        ramus_html_text(out, log->version);
    }
    if (isfinite(log->parameters)) {
        ramus_buffer_text(out, " &#183; ");
        ramus_html_count(out, log->parameters);
        ramus_buffer_text(out, " parameters");
    }
    if (isfinite(log->threads))
        ramus_buffer_print(out, " &#183; %.0f thread%s", log->threads,
                           log->threads == 1 ? "" : "s");
    ramus_buffer_text(out, "</span></p>\n");
}

typedef void format_fn(ramus_buffer *out, double value);

/* One number of the status and, when `more` is one, a second below it as "before more after". */
typedef struct tile {
    const char *title;
    double value;
    format_fn *format;
    const char *before;
    double more;
    format_fn *format_more;
    const char *after;
} tile;

static void write_tile(ramus_buffer *out, const tile *t)
{
    if (!isfinite(t->value)) return;
    ramus_buffer_print(out, "<div><dt>%s</dt><dd>", t->title);
    t->format(out, t->value);
    ramus_buffer_text(out, "</dd>");
    if (t->format_more && isfinite(t->more)) {
        ramus_buffer_print(out, "<dd>%s", t->before);
        t->format_more(out, t->more);
        ramus_buffer_print(out, "%s</dd>", t->after);
    }
    ramus_buffer_text(out, "</div>\n");
}

static void write_status(ramus_buffer *out, const ramus_log *log)
{
    const ramus_curve *v = log->values;
    const ramus_curve *bleu = &v[RAMUS_LOG_BLEU], *valid = &v[RAMUS_LOG_VALID_NLL];
    const double epoch = v[RAMUS_LOG_EPOCH].last, skipped = v[RAMUS_LOG_SKIPPED].last;
    const tile tiles[] = {
        {"Update", log->update, ramus_html_count, "", epoch, ramus_html_number, " epochs"},
        {"Training nll", v[RAMUS_LOG_NLL].last, ramus_html_number, "at update ",
         v[RAMUS_LOG_NLL].last_update, ramus_html_count, ""},
        {"Validation nll", valid->last, ramus_html_number, "perplexity ",
         v[RAMUS_LOG_PERPLEXITY].last, ramus_html_number, ""},
        {"Best validation nll", valid->low, ramus_html_number, "at update ", valid->low_update,
         ramus_html_count, ""},
        {"Best BLEU", bleu->high, ramus_html_number, "at update ", bleu->high_update,
         ramus_html_count, ""},
        {"Training time", v[RAMUS_LOG_SECONDS].last, ramus_html_duration, "", 0, NULL, ""},
        {"Tokens/s", v[RAMUS_LOG_SPEED].last, ramus_html_count, "", v[RAMUS_LOG_TARGET_TOKENS].last,
         ramus_html_short, " tokens"},
        {"Skipped updates", skipped > 0 ? skipped : (double)NAN, ramus_html_count, "", 0, NULL, ""},
        {"Last checkpoint", log->saved, ramus_html_count, "best: ", log->best, ramus_html_count,
         ""},
    };
    if (!has_points(log)) return;
    ramus_buffer_text(out, "<dl class=\"tiles\">\n");
    for (int i = 0; i < RAMUS_COUNT(tiles); i++)
        write_tile(out, &tiles[i]);
    ramus_buffer_text(out, "</dl>\n");
}

/* --- settings, corpora ------------------------------------------------------------------------ */

static void write_settings(ramus_buffer *out, const ramus_log *log)
{
    if (log->n_settings == 0) return;
    ramus_buffer_print(out,
                       "<details><summary>Settings <span class=\"soft\">(%d)</span></summary>\n"
                       "<dl class=\"settings\">\n",
                       log->n_settings);
    for (int i = 0; i < log->n_settings; i++)
        ramus_html_setting(out, log->settings[i].name, log->settings[i].value);
    ramus_buffer_text(out, "</dl></details>\n");
}

static const struct {
    const char *title;
    ramus_corpus_value value;
    format_fn *format;
} corpus_columns[] = {
    {"pairs read", RAMUS_CORPUS_READ, ramus_html_count},
    {"kept", RAMUS_CORPUS_KEPT, ramus_html_count},
    {"empty", RAMUS_CORPUS_EMPTY, ramus_html_count},
    {"too long", RAMUS_CORPUS_TOO_LONG, ramus_html_count},
    {"length ratio", RAMUS_CORPUS_RATIO, ramus_html_count},
    {"not UTF-8", RAMUS_CORPUS_NOT_UTF8, ramus_html_count},
    {"source tokens", RAMUS_CORPUS_SOURCE_TOKENS, ramus_html_count},
    {"target tokens", RAMUS_CORPUS_TARGET_TOKENS, ramus_html_count},
    {"weight", RAMUS_CORPUS_WEIGHT, ramus_html_number},
};

#define DROPPED_COLUMN 2 // computed: stands before the reasons

static void write_corpus(ramus_buffer *out, const ramus_log_corpus *c)
{
    ramus_buffer_text(out, "<tr><td>");
    ramus_html_text(out, c->files ? c->files : "");
    ramus_buffer_text(out, "</td>");
    for (int i = 0; i < RAMUS_COUNT(corpus_columns); i++) {
        if (i == DROPPED_COLUMN) {
            const double read = c->values[RAMUS_CORPUS_READ];
            const double dropped = read - c->values[RAMUS_CORPUS_KEPT];
            ramus_buffer_text(out, "<td data-label=\"dropped\"><span>");
            ramus_html_count(out, dropped);
            if (read > 0 && isfinite(dropped)) {
                ramus_buffer_text(out, " (");
                ramus_html_percent(out, dropped / read);
                ramus_buffer_text(out, ")");
            }
            ramus_buffer_text(out, "</span></td>");
        }
        ramus_buffer_print(out, "<td data-label=\"%s\"><span>", corpus_columns[i].title);
        corpus_columns[i].format(out, c->values[corpus_columns[i].value]);
        ramus_buffer_text(out, "</span></td>");
    }
    ramus_buffer_text(out, "</tr>\n");
}

static void write_corpora(ramus_buffer *out, const ramus_log *log)
{
    if (log->n_corpora == 0) return;
    ramus_buffer_text(out, "<h2>Corpora</h2>\n<div class=\"sheet\"><table "
                           "class=\"stacked\"><thead><tr><th>files</th>");
    for (int i = 0; i < RAMUS_COUNT(corpus_columns); i++)
        ramus_buffer_print(out, "%s<th>%s</th>", i == DROPPED_COLUMN ? "<th>dropped</th>" : "",
                           corpus_columns[i].title);
    ramus_buffer_text(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < log->n_corpora; i++)
        write_corpus(out, &log->corpora[i]);
    ramus_buffer_text(out, "</tbody></table></div>\n");
}

/* --- curves, notes ---------------------------------------------------------------------------- */

/* The second half of the run, where the fall at the start does not flatten it. */
static void write_late_nll(ramus_buffer *out, const ramus_log *log)
{
    ramus_curve train, valid;
    if (log->end < 2) return;
    ramus_curve_tail(&train, &log->values[RAMUS_LOG_NLL], log->end / 2);
    ramus_curve_tail(&valid, &log->values[RAMUS_LOG_VALID_NLL], log->end / 2);
    if (train.n < FEW_POINTS) return;
    const ramus_chart chart = {
        .title = "Cross-entropy",
        .unit = "second half",
        .scale = RAMUS_AXIS_ROUND,
        .lines = {{"training", &train, false, false}, {"validation", &valid, true, true}},
    };
    ramus_chart_write(out, &chart);
}

static void write_curves(ramus_buffer *out, const ramus_log *log)
{
    const ramus_curve *v = log->values;
    const ramus_chart nll = {
        // training: with dropout
        .title = "Cross-entropy (nll)",
        .unit = "nats per target token",
        .scale = RAMUS_AXIS_ROUND,
        .wide = true,
        .lines = {{"training", &v[RAMUS_LOG_NLL], false, false},
                  {"validation", &v[RAMUS_LOG_VALID_NLL], true, true}},
    };
    ramus_buffer_text(out, "<h2>Curves</h2>\n");
    if (!has_points(log)) {
        ramus_buffer_text(out, "<p class=\"soft\">nothing yet</p>\n");
        return;
    }
    if (v[RAMUS_LOG_LOSS].n > RAMUS_CURVE_POINTS)
        ramus_buffer_text(out,
                          "<p class=\"soft\">Lines are means over a range of updates; the pale "
                          "bands go from the least to the greatest value.</p>\n");
    ramus_buffer_text(out, "<div class=\"charts\">\n");
    ramus_chart_write(out, &nll);
    write_late_nll(out, log);
    for (int i = 0; i < ramus_report_n_values; i++) {
        const ramus_report_value *r = &ramus_report_values[i];
        if (r->value == RAMUS_LOG_NLL || r->value == RAMUS_LOG_VALID_NLL) continue; // above
        const ramus_chart chart = {
            .title = r->title,
            .unit = r->unit,
            .scale = r->scale,
            .lines = {{r->name, &v[r->value], r->valid, r->valid}},
            .first_colour = r->valid ? 1 : 0,
        };
        ramus_chart_write(out, &chart);
    }
    for (int i = 0; i < log->n_losses; i++) {
        const ramus_chart chart = {
            .title = "Auxiliary loss",
            .unit = log->losses[i].name,
            .scale = RAMUS_AXIS_FROM_ZERO,
            .lines = {{log->losses[i].name, &log->losses[i].curve, false, false}},
            .first_colour = 2,
        };
        ramus_chart_write(out, &chart);
    }
    ramus_buffer_text(out, "</div>\n");
}

static void write_sample_row(ramus_buffer *out, const char *what, const char *text)
{
    ramus_buffer_print(out, "<li><b>%s</b><span>", what);
    ramus_html_text(out, text ? text : "");
    ramus_buffer_text(out, "</span></li>\n");
}

/* Sentences of the validation set, each with up to SHOWN of its translations, the last one among
 * them. */
static void write_samples(ramus_buffer *out, const ramus_log *log)
{
    if (log->n_samples == 0) return;
    ramus_buffer_text(out, "<h2>Translations over time</h2>\n");
    for (int i = 0; i < log->n_samples; i++) {
        const ramus_log_sample *s = &log->samples[i];
        const int shown = s->n < SHOWN ? s->n : SHOWN;
        ramus_buffer_text(out, "<div class=\"sheet\"><ul class=\"notes\">\n");
        write_sample_row(out, "source", s->source);
        for (int k = 1; k <= shown; k++) {
            const ramus_log_translation *t = &s->translations[k * s->n / shown - 1];
            char update[32];
            (void)snprintf(update, sizeof update, "%.0f", t->update);
            write_sample_row(out, update, t->text);
        }
        write_sample_row(out, "reference", s->reference);
        ramus_buffer_text(out, "</ul></div>\n");
    }
}

static void write_notes(ramus_buffer *out, const ramus_log *log)
{
    if (log->n_notes == 0) return;
    const int first = log->n_notes > NOTES ? log->n_notes - NOTES : 0;
    ramus_buffer_text(out, "<h2>Notes</h2>\n<div class=\"sheet\">");
    if (first > 0)
        ramus_buffer_print(out, "<p class=\"soft\">The last %d of %d; the log has them all.</p>\n",
                           NOTES, log->n_notes);
    ramus_buffer_text(out, "<ul class=\"notes\">\n");
    for (int i = first; i < log->n_notes; i++) {
        ramus_buffer_text(out, "<li><b>");
        ramus_html_count(out, log->notes[i].update);
        ramus_buffer_text(out, "</b><span>");
        ramus_html_text(out, log->notes[i].text ? log->notes[i].text : "resumed");
        ramus_buffer_text(out, "</span></li>\n");
    }
    ramus_buffer_text(out, "</ul></div>\n");
}

static void write_page(ramus_buffer *out, const ramus_log *log, const char *name)
{
    ramus_html_open(out, name, NULL);
    ramus_buffer_text(out, "<h1>");
    ramus_html_text(out, name);
    ramus_buffer_text(out, "</h1>\n");
    if (log->n_starts > 0 || has_points(log)) {
        write_state(out, log);
        write_status(out, log);
        write_settings(out, log);
        write_corpora(out, log);
        write_curves(out, log);
        ramus_report_gates(out, log);
    } else {
        ramus_buffer_text(out, "<p class=\"soft\">nothing yet</p>\n");
    }
    write_samples(out, log);
    write_notes(out, log);
    ramus_html_close(out);
}

ramus_status ramus_report_save(const char *folder, ramus_error *err)
{
    char name[256];
    ramus_buffer path = {0}, page = {0};
    ramus_log *log = NULL;
    ramus_writer *writer = NULL;

    ramus_buffer_print(&path, "%s/log.jsonl", folder);
    ramus_status st = ramus_buffer_check(&path, err);
    if (st) goto done;
    st = ramus_log_load(&log, path.data, err);
    if (st) goto done;
    write_page(&page, log, ramus_run_name(name, sizeof name, folder));
    st = ramus_buffer_check(&page, err);
    if (st) goto done;

    ramus_buffer_clear(&path);
    ramus_buffer_print(&path, "%s/report.html", folder);
    st = ramus_buffer_check(&path, err);
    if (st) goto done;
    st = ramus_writer_create(&writer, path.data, err);
    if (st) goto done;
    st = ramus_writer_write(writer, page.data, page.size, err);
    if (st) goto done;
    st = ramus_writer_commit(writer, err);
done:
    ramus_writer_destroy(writer);
    ramus_log_destroy(log);
    ramus_buffer_free(&page);
    ramus_buffer_free(&path);
    return st;
}
