/* One object per run, then what is common to all. A number that is missing is null. */
#include "report/comparison.h"
#include "report/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_text(ramus_buffer *out, const char *text)
{
    if (text)
        ramus_buffer_json(out, text, strlen(text));
    else
        ramus_buffer_text(out, "null");
}

static void write_number(ramus_buffer *out, double value)
{
    if (isfinite(value))
        ramus_buffer_print(out, "%.10g", value);
    else
        ramus_buffer_text(out, "null");
}

static void write_member(ramus_buffer *out, const char *name, double value)
{
    ramus_buffer_print(out, ", \"%s\": ", name);
    write_number(out, value);
}

/* Points as [update, target tokens, hours, value]. */
static void write_curve(ramus_buffer *out, const ramus_log *log, const ramus_curve *curve)
{
    const ramus_curve *tokens = &log->values[RAMUS_LOG_TARGET_TOKENS];
    const ramus_curve *seconds = &log->values[RAMUS_LOG_SECONDS];
    const char *comma = "";
    ramus_buffer_text(out, "[");
    for (int i = 0; i < curve->n_points; i++) {
        const ramus_curve_point *p = &curve->points[i];
        if (p->n == 0) continue;
        ramus_buffer_print(out, "%s[%.10g, ", comma, p->update);
        write_number(out, ramus_curve_at(tokens, p->update));
        ramus_buffer_text(out, ", ");
        write_number(out, ramus_curve_at(seconds, p->update) / 3600);
        ramus_buffer_text(out, ", ");
        write_number(out, p->mean);
        ramus_buffer_text(out, "]");
        comma = ", ";
    }
    ramus_buffer_text(out, "]");
}

static void write_gates(ramus_buffer *out, const ramus_log *log)
{
    ramus_buffer_text(out, ", \"gates\": [");
    for (int i = 0; i < log->n_gates; i++) {
        const ramus_log_gate *g = &log->gates[i];
        ramus_buffer_text(out, i ? ", {\"name\": " : "{\"name\": ");
        write_text(out, g->name);
        ramus_buffer_text(out, ", \"shares\": [");
        for (int b = 0; b < g->n_branches; b++) {
            ramus_buffer_text(out, b ? ", " : "");
            write_number(out, g->shares[b].last);
        }
        ramus_buffer_text(out, "]");
        write_member(out, "entropy", g->entropy.last);
        ramus_buffer_text(out, "}");
    }
    ramus_buffer_text(out, "]");
}

static void write_run(ramus_buffer *out, const ramus_report_run *run)
{
    const ramus_log *log = run->log;
    const ramus_curve *v = log->values;
    ramus_buffer_text(out, "{\"name\": ");
    write_text(out, run->name);
    ramus_buffer_text(out, ", \"folder\": ");
    write_text(out, run->folder);
    ramus_buffer_text(out, ", \"version\": ");
    write_text(out, log->version);
    ramus_buffer_print(out, ", \"ended\": %s, \"starts\": %d", log->ended ? "true" : "false",
                       log->n_starts);
    write_member(out, "parameters", log->parameters);
    write_member(out, "updates", log->update);
    write_member(out, "target_tokens", v[RAMUS_LOG_TARGET_TOKENS].last);
    write_member(out, "seconds", v[RAMUS_LOG_SECONDS].last);
    write_member(out, "best_bleu", v[RAMUS_LOG_BLEU].high);
    write_member(out, "best_bleu_update", v[RAMUS_LOG_BLEU].high_update);
    write_member(out, "lowest_validation_nll", v[RAMUS_LOG_VALID_NLL].low);
    write_member(out, "lowest_validation_nll_update", v[RAMUS_LOG_VALID_NLL].low_update);
    ramus_buffer_text(out, ", \"settings\": {");
    for (int i = 0; i < log->n_settings; i++) {
        ramus_buffer_text(out, i ? ", " : "");
        write_text(out, log->settings[i].name);
        ramus_buffer_text(out, ": ");
        write_text(out, log->settings[i].value);
    }
    ramus_buffer_text(out, "}, \"curves\": {");
    for (int i = 0; i < ramus_report_n_values; i++) {
        ramus_buffer_print(out, "%s\"%s\": ", i ? ", " : "", ramus_report_values[i].key);
        write_curve(out, log, &v[ramus_report_values[i].value]);
    }
    ramus_buffer_text(out, "}");
    write_gates(out, log);
    ramus_buffer_text(out, "}");
}

static ramus_status write_differing(ramus_buffer *out, const ramus_runs *runs, ramus_error *err)
{
    ramus_runs_setting *list = NULL;
    int n = 0;
    const char *comma = "";
    const ramus_status st = ramus_runs_settings(&list, &n, runs, err);
    if (st) return st;
    ramus_buffer_text(out, "], \"settings_that_differ\": [");
    for (int i = 0; i < n; i++) {
        if (!list[i].differs) continue;
        ramus_buffer_text(out, comma);
        write_text(out, list[i].name);
        comma = ", ";
    }
    free(list);
    return RAMUS_OK;
}

static void write_scores(ramus_buffer *out, const ramus_scores *s, const ramus_runs *runs)
{
    const char *comma = "";
    ramus_buffer_text(out, "{\"file\": ");
    write_text(out, s->file);
    ramus_buffer_print(out, ", \"lines\": %d, \"signature\": ", s->n_lines);
    write_text(out, s->n > 0 ? s->signature : NULL);
    ramus_buffer_text(out, ", \"runs\": [");
    for (int r = 0; r < runs->n; r++) {
        if (s->states[r] != RAMUS_SCORE_THERE) continue;
        ramus_buffer_print(out, "%s{\"name\": ", comma);
        write_text(out, runs->items[r].name);
        write_member(out, "bleu", s->bleu[r]);
        write_member(out, "ci", s->ci[r]);
        write_member(out, "p_value", s->p_values[r]);
        ramus_buffer_text(out, "}");
        comma = ", ";
    }
    ramus_buffer_text(out, "]}");
}

ramus_status ramus_comparison_json(ramus_buffer *out, const ramus_compared *c, ramus_error *err)
{
    ramus_buffer_text(out, "{\"runs\": [");
    for (int r = 0; r < c->runs->n; r++) {
        ramus_buffer_text(out, r ? ", " : "");
        write_run(out, &c->runs->items[r]);
    }
    const ramus_status st = write_differing(out, c->runs, err);
    ramus_buffer_text(out, "], \"scores\": [");
    for (int i = 0; i < c->n_scores; i++) {
        ramus_buffer_text(out, i ? ", " : "");
        write_scores(out, &c->scores[i], c->runs);
    }
    ramus_buffer_text(out, "]}\n");
    return st ? st : ramus_buffer_check(out, err);
}
