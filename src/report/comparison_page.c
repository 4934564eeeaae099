/* Each section of the page is a function that adds HTML to the buffer. Tables keep their columns
 * and scroll beside their first one where the screen is narrow. */
#include "report/comparison.h"

#include "report/bar.h"
#include "report/chart.h"
#include "report/comparison_curves.h"
#include "report/html.h"
#include "report/training_gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIGNIFICANT 0.05

static const char style[] = RAMUS_BAR_STYLE
    ".across{overflow-x:auto;padding:4px 0;width:fit-content;max-width:100%}\n"
    ".across.sites{width:auto}\n"
    ".across th,.across td{padding:6px 14px;overflow-wrap:normal;white-space:nowrap}\n"
    ".across th:first-child,.across td:first-child{position:sticky;left:0;padding-left:14px;"
    "background:var(--card);font-weight:400;max-width:44vw;overflow-wrap:anywhere;"
    "border-right:1px solid var(--line)}\n"
    ".across tbody th{color:var(--text);font-size:14px;border-bottom:1px solid var(--grid)}\n"
    ".across tr:last-child th{border-bottom:0}\n"
    ".across thead th{vertical-align:bottom}\n"
    ".left td,.left th{text-align:left}.left td{white-space:normal}\n"
    ".run{display:inline-block;max-width:min(44vw,340px);overflow:hidden;text-overflow:ellipsis;"
    "white-space:nowrap;vertical-align:bottom}\n"
    ".value{display:inline-block;width:max-content;max-width:min(340px,60vw);max-height:7.5em;"
    "overflow-y:auto;overflow-wrap:anywhere}\n"
    ".run svg{display:inline-block;margin-right:8px;vertical-align:middle}\n"
    ".best{font-weight:650}.best .soft{font-weight:400}\n"
    ".texts{display:flex;flex-wrap:wrap;gap:0 14px}.texts>div{max-width:100%}\n"
    ".signature{margin:4px 0 8px;font-size:12px}\n"
    ".sites td{min-width:190px}.sites td span{font-size:12px;color:var(--soft)}\n"
    ".sites td .starving{color:var(--warn)}\n"
    ".sites .bar{margin:3px 0 1px;border:1px solid var(--line)}\n"
    "caption{padding:8px 14px 2px;text-align:left;font-weight:600}\n"
    "caption span{font-weight:400;color:var(--soft);font-size:13px}\n";

/* The name of a run with a piece of its line. */
static void write_run(ramus_buffer *out, const ramus_runs *runs, int r)
{
    ramus_buffer_print(out, "<span class=\"run c%d\" title=\"", r % RAMUS_CHART_COLOURS);
    ramus_html_text(out, runs->items[r].name);
    ramus_buffer_print(
        out, "\"><svg width=\"26\" height=\"8\"><path class=\"l%s\" d=\"M0 4h26\"/></svg>",
        r >= RAMUS_CHART_COLOURS ? " dash" : "");
    ramus_html_text(out, runs->items[r].name);
    ramus_buffer_text(out, "</span>");
}

/* --- runs ------------------------------------------------------------------------------------- */

typedef void format_fn(ramus_buffer *out, double value);

static void write_number(ramus_buffer *out, double value, double update, format_fn *format,
                         bool best)
{
    ramus_buffer_print(out, "<td%s>", best ? " class=\"best\"" : "");
    format(out, value);
    if (isfinite(update)) {
        ramus_buffer_text(out, " <span class=\"soft\">at ");
        ramus_html_count(out, update);
        ramus_buffer_text(out, "</span>");
    }
    ramus_buffer_text(out, "</td>");
}

/* What the log of a run says that is one number, and the update that had it. */
typedef struct {
    double value, update;
} number;

static number bleu_of(const ramus_log *log)
{
    const ramus_curve *c = &log->values[RAMUS_LOG_BLEU];
    return (number){c->high, c->high_update};
}

static number nll_of(const ramus_log *log)
{
    const ramus_curve *c = &log->values[RAMUS_LOG_VALID_NLL];
    return (number){c->low, c->low_update};
}

static number parameters_of(const ramus_log *log)
{
    return (number){log->parameters, (double)NAN};
}

static number updates_of(const ramus_log *log)
{
    return (number){log->update, (double)NAN};
}

static number epochs_of(const ramus_log *log)
{
    return (number){log->values[RAMUS_LOG_EPOCH].last, (double)NAN};
}

static number tokens_of(const ramus_log *log)
{
    return (number){log->values[RAMUS_LOG_TARGET_TOKENS].last, (double)NAN};
}

static number time_of(const ramus_log *log)
{
    return (number){log->values[RAMUS_LOG_SECONDS].last, (double)NAN};
}

static void write_bleu(ramus_buffer *out, double value)
{
    if (isfinite(value))
        ramus_buffer_print(out, "%.2f", value);
    else
        ramus_html_count(out, value);
}

static void write_nll(ramus_buffer *out, double value)
{
    if (isfinite(value))
        ramus_buffer_print(out, "%.4f", value);
    else
        ramus_html_count(out, value);
}

static void write_epochs(ramus_buffer *out, double value)
{
    if (isfinite(value))
        ramus_buffer_print(out, "%.1f", value);
    else
        ramus_html_count(out, value);
}

static const struct {
    const char *title;
    number (*of)(const ramus_log *log);
    format_fn *format;
    int sign; // 1: more is better, -1: less is, 0: neither
} columns[] = {
    {"best BLEU", bleu_of, write_bleu, 1},
    {"lowest nll", nll_of, write_nll, -1},
    {"parameters", parameters_of, ramus_html_short, 0},
    {"updates", updates_of, ramus_html_count, 0},
    {"epochs", epochs_of, write_epochs, 0},
    {"target tokens", tokens_of, ramus_html_short, 0},
    {"time", time_of, ramus_html_duration, 0},
};

/* Whether no run has a better value; never where there is only one run. */
static bool is_best(const ramus_runs *runs, int r, int column)
{
    const double value = columns[column].of(runs->items[r].log).value;
    const int sign = columns[column].sign;
    bool best = sign != 0 && isfinite(value) && runs->n > 1;
    for (int i = 0; i < runs->n; i++)
        if (sign * columns[column].of(runs->items[i].log).value > sign * value) best = false;
    return best;
}

static bool differs(const ramus_runs *runs, const char *name)
{
    const char *first = ramus_run_setting(&runs->items[0], name);
    for (int r = 1; r < runs->n; r++) {
        const char *other = ramus_run_setting(&runs->items[r], name);
        if (!first != !other || (first && strcmp(first, other) != 0)) return true;
    }
    return false;
}

/* Validation sets, or ways to measure on them, that are not the same. */
static void write_measures(ramus_buffer *out, const ramus_runs *runs)
{
    static const char *const measures[] = {"valid",      "columns",        "vocab",
                                           "max-length", "valid-tokenize", "valid-lowercase",
                                           "valid-beam"};
    const char *comma = "<div class=\"warnings\"><p>BLEU and nll may not compare, for the runs "
                        "differ in ";
    for (int i = 0; i < RAMUS_COUNT(measures); i++) {
        if (!differs(runs, measures[i])) continue;
        ramus_buffer_print(out, "%s%s", comma, measures[i]);
        comma = ", ";
    }
    if (*comma == ',') ramus_buffer_text(out, ".</p></div>\n");
}

static void write_runs(ramus_buffer *out, const ramus_runs *runs)
{
    ramus_buffer_text(out, "<p class=\"soft\">BLEU and nll, the cross-entropy in nats per target "
                           "token, are those of the validation set, with the update that had "
                           "them. The best of a column is bold.</p>\n");
    write_measures(out, runs);
    ramus_buffer_text(out, "<div class=\"sheet across\"><table><thead><tr><th>run</th>");
    for (int i = 0; i < RAMUS_COUNT(columns); i++)
        ramus_buffer_print(out, "<th>%s</th>", columns[i].title);
    ramus_buffer_text(out, "<th>state</th></tr></thead>\n<tbody>\n");
    for (int r = 0; r < runs->n; r++) {
        const ramus_log *log = runs->items[r].log;
        ramus_buffer_text(out, "<tr><th>");
        write_run(out, runs, r);
        ramus_buffer_text(out, "</th>");
        for (int i = 0; i < RAMUS_COUNT(columns); i++) {
            const number n = columns[i].of(log);
            write_number(out, n.value, n.update, columns[i].format, is_best(runs, r, i));
        }
        ramus_buffer_print(out, "<td>%s", log->ended ? "ended" : "not ended");
        if (log->n_starts > 1) ramus_buffer_print(out, ", resumed %d&#215;", log->n_starts - 1);
        ramus_buffer_text(out, "</td></tr>\n");
    }
    ramus_buffer_text(out, "</tbody></table></div>\n");
}

/* --- scores ----------------------------------------------------------------------------------- */

static void write_score(ramus_buffer *out, const ramus_compared *c, const ramus_scores *s, int r)
{
    ramus_buffer_text(out, "<tr><th>");
    write_run(out, c->runs, r);
    ramus_buffer_text(out, "</th>");
    if (s->states[r] != RAMUS_SCORE_THERE) {
        ramus_buffer_text(out, "<td colspan=\"4\" class=\"soft\">");
        if (s->states[r] == RAMUS_SCORE_MISSING) {
            ramus_buffer_text(out, "keeps no ");
            ramus_html_text(out, s->file);
        } else {
            ramus_buffer_text(out, "another reference");
        }
        ramus_buffer_text(out, "</td></tr>\n");
        return;
    }
    ramus_buffer_print(out, "<td>%.2f</td><td>&#177; %.2f</td>", s->bleu[r], s->ci[r]);
    if (r == s->baseline)
        ramus_buffer_text(out, "<td class=\"soft\">baseline</td><td></td></tr>\n");
    else
        ramus_buffer_print(out, "<td>%+.2f</td><td%s>%.4f</td></tr>\n",
                           s->bleu[r] - s->bleu[s->baseline],
                           s->p_values[r] < SIGNIFICANT ? " class=\"best\"" : "", s->p_values[r]);
}

static void write_text(ramus_buffer *out, const ramus_compared *c, int i)
{
    const ramus_scores *s = &c->scores[i];
    ramus_buffer_text(out, "<div><div class=\"sheet across\"><table><caption>");
    if (i == 0)
        ramus_buffer_text(out, "Validation set, translated by the best checkpoint");
    else
        ramus_html_text(out, s->file);
    ramus_buffer_text(out, " <span>");
    ramus_html_count(out, s->n_lines);
    ramus_buffer_text(out, " lines</span></caption>\n<thead><tr><th>run</th><th>BLEU</th>"
                           "<th>95&#160;% interval</th><th>difference</th><th>p</th></tr></thead>\n"
                           "<tbody>\n");
    for (int r = 0; r < c->runs->n; r++)
        write_score(out, c, s, r);
    ramus_buffer_text(out, "</tbody></table></div>\n<p class=\"soft signature\">");
    ramus_html_text(out, s->signature);
    ramus_buffer_text(out, "</p></div>\n");
}

static void write_scores(ramus_buffer *out, const ramus_compared *c)
{
    int n = 0;
    ramus_buffer_text(out, "<h2>Scores</h2>\n");
    for (int i = 0; i < c->n_scores; i++)
        n = c->scores[i].n > n ? c->scores[i].n : n;
    if (n > 1)
        ramus_buffer_text(out, "<p class=\"soft\">Paired bootstrap over the lines of each text. p "
                               "is the chance of a difference this large between equal systems; "
                               "below 0.05 it is bold. The interval holds 95&#160;% of the "
                               "resamples of one system alone.</p>\n");
    for (int i = 0; i < c->n_scores; i++) {
        if (c->scores[i].n > 0) continue;
        if (i == 0) {
            ramus_buffer_text(out, "<p>No run keeps the translations of its validation set (" //
                              RAMUS_BEST_TRANSLATIONS " and " RAMUS_BEST_REFERENCE
                                   "), so their BLEU is not tested for significance.</p>\n");
        } else {
            ramus_buffer_text(out, "<p>No run has a file ");
            ramus_html_text(out, c->scores[i].file);
            ramus_buffer_text(out, ".</p>\n");
        }
    }
    ramus_buffer_text(out, "<div class=\"texts\">\n");
    for (int i = 0; i < c->n_scores; i++)
        if (c->scores[i].n > 0) write_text(out, c, i);
    ramus_buffer_text(out, "</div>\n");
}

/* --- settings --------------------------------------------------------------------------------- */

/* The head of a table with a column for each run, or for each that has gates. */
static void write_head(ramus_buffer *out, const ramus_runs *runs, const char *first, bool gates)
{
    ramus_buffer_print(out, "<thead><tr><th>%s</th>", first);
    for (int r = 0; r < runs->n; r++) {
        if (gates && runs->items[r].log->n_gates == 0) continue;
        ramus_buffer_text(out, "<th>");
        write_run(out, runs, r);
        ramus_buffer_text(out, "</th>");
    }
    ramus_buffer_text(out, "</tr></thead>\n");
}

static void write_setting(ramus_buffer *out, const ramus_runs *runs, const ramus_runs_setting *s)
{
    ramus_buffer_text(out, "<tr><th>");
    ramus_html_text(out, s->name);
    ramus_buffer_text(out, "</th>");
    for (int r = 0; r < runs->n; r++) {
        ramus_buffer_text(out, "<td><span class=\"value\">");
        if (s->values[r])
            ramus_html_text(out, s->values[r]);
        else
            ramus_buffer_text(out, "&#8211;");
        ramus_buffer_text(out, "</span></td>");
    }
    ramus_buffer_text(out, "</tr>\n");
}

static void write_same(ramus_buffer *out, const ramus_runs_setting *list, int n, int n_same)
{
    if (n_same == 0) return;
    ramus_buffer_print(out,
                       "<details><summary>Settings that are the same <span class=\"soft\">(%d)"
                       "</span></summary>\n<dl class=\"settings\">\n",
                       n_same);
    for (int i = 0; i < n; i++)
        if (!list[i].differs) ramus_html_setting(out, list[i].name, list[i].values[0]);
    ramus_buffer_text(out, "</dl></details>\n");
}

static ramus_status write_settings(ramus_buffer *out, const ramus_runs *runs, ramus_error *err)
{
    ramus_runs_setting *list = NULL;
    int n = 0, n_same = 0;
    const ramus_status st = ramus_runs_settings(&list, &n, runs, err);
    if (st) return st;
    for (int i = 0; i < n; i++)
        n_same += !list[i].differs;
    ramus_buffer_text(out, "<h2>Settings that differ</h2>\n");
    if (n == 0) {
        ramus_buffer_text(out, "<p>No log has settings.</p>\n");
    } else if (n_same == n) {
        ramus_buffer_text(out, "<p>None: the runs have the same settings.</p>\n");
    } else {
        ramus_buffer_text(out, "<div class=\"sheet across left\"><table>");
        write_head(out, runs, "setting", false);
        ramus_buffer_text(out, "<tbody>\n");
        for (int i = 0; i < n; i++)
            if (list[i].differs) write_setting(out, runs, &list[i]);
        ramus_buffer_text(out, "</tbody></table></div>\n");
    }
    write_same(out, list, n, n_same);
    free(list);
    return RAMUS_OK;
}

/* --- gates ------------------------------------------------------------------------------------ */

/* The last shares of a gate as a bar, and its last entropy. */
static void write_site(ramus_buffer *out, const ramus_log_gate *g)
{
    if (!g || g->shares[0].n == 0) {
        ramus_buffer_text(out, "<td class=\"soft\">&#8211;</td>");
        return;
    }
    ramus_buffer_text(out, "<td><div class=\"bar\">");
    for (int b = 0; b < g->n_branches; b++)
        ramus_bar_part(out, b, g->shares[b].last);
    ramus_buffer_text(out, "</div><span>");
    for (int b = 0; b < g->n_branches; b++)
        ramus_buffer_print(out, "%s%.0f", b ? " " : "", 100 * g->shares[b].last);
    ramus_buffer_text(out, "&#160;%");
    if (g->entropy.n > 0)
        ramus_buffer_print(out, ", <span class=\"run\">entropy %.2f of %.2f</span>",
                           g->entropy.last, log(g->n_branches));
    ramus_buffer_text(out, "</span>");
    const char *comma = " <span class=\"starving\">starving: ";
    for (int b = 0; b < g->n_branches; b++) {
        if (!ramus_gate_is_starving(g, b)) continue;
        ramus_buffer_print(out, "%s%d", comma, b);
        comma = ", ";
    }
    if (*comma == ',') ramus_buffer_text(out, "</span>");
    ramus_buffer_text(out, "</td>");
}

/* The names of the runs without gates as a sentence. */
static void write_gateless(ramus_buffer *out, const ramus_runs *runs)
{
    const char *comma = "<p>Without gates: ";
    for (int r = 0; r < runs->n; r++) {
        if (runs->items[r].log->n_gates > 0) continue;
        ramus_buffer_text(out, comma);
        write_run(out, runs, r);
        comma = ", ";
    }
    if (*comma == ',') ramus_buffer_text(out, ".</p>\n");
}

static void write_key(ramus_buffer *out, const ramus_runs *runs)
{
    int branches = 0;
    for (int r = 0; r < runs->n; r++)
        for (int i = 0; i < runs->items[r].log->n_gates; i++)
            if (runs->items[r].log->gates[i].n_branches > branches)
                branches = runs->items[r].log->gates[i].n_branches;
    ramus_buffer_text(out, "<p class=\"keys\">");
    for (int b = 0; b < branches && b < RAMUS_HTML_COLOURS; b++) {
        ramus_buffer_text(out, "<span class=\"key ");
        ramus_bar_classes(out, b);
        ramus_buffer_print(out, "\"><i></i>branch %d%s</span>", b,
                           b + RAMUS_HTML_COLOURS < branches ? ", .." : "");
    }
    ramus_buffer_text(out, "</p>\n");
}

static ramus_status write_gates(ramus_buffer *out, const ramus_runs *runs, ramus_error *err)
{
    const char **names = NULL;
    int n = 0;
    const ramus_status st = ramus_runs_gates(&names, &n, runs, err);
    if (st || n == 0) {
        free(names);
        return st;
    }
    ramus_buffer_text(out, "<h2>Gates</h2>\n<p class=\"soft\">The share of the tokens that each "
                           "branch got at the end of the log, from branch 0 on the left, and the "
                           "entropy of the gate in nats. A branch with less than a tenth of its "
                           "fair share is starving.</p>\n");
    write_gateless(out, runs);
    write_key(out, runs);
    ramus_buffer_text(out, "<div class=\"sheet across left sites\"><table>");
    write_head(out, runs, "sublayer", true);
    ramus_buffer_text(out, "<tbody>\n");
    for (int i = 0; i < n; i++) {
        ramus_buffer_text(out, "<tr><th>");
        ramus_html_gate(out, names[i]);
        ramus_buffer_text(out, "</th>");
        for (int r = 0; r < runs->n; r++)
            if (runs->items[r].log->n_gates > 0)
                write_site(out, ramus_run_gate(&runs->items[r], names[i]));
        ramus_buffer_text(out, "</tr>\n");
    }
    ramus_buffer_text(out, "</tbody></table></div>\n");
    free(names);
    return RAMUS_OK;
}

/* --- the page --------------------------------------------------------------------------------- */

ramus_status ramus_comparison_page(ramus_buffer *out, const ramus_compared *c, ramus_error *err)
{
    const ramus_runs *runs = c->runs;
    ramus_buffer title = {0}, all = {0};
    for (int r = 0; r < runs->n; r++)
        ramus_buffer_print(&title, "%s%s", r ? ", " : "", runs->items[r].name);
    ramus_buffer_print(&all, "%s%s", style, ramus_comparison_curves_style);
    ramus_status st = ramus_buffer_check(&title, err);
    if (!st) st = ramus_buffer_check(&all, err);
    if (!st) {
        ramus_html_open(out, title.data ? title.data : "", all.data);
        ramus_buffer_print(out, "<h1>%d training run%s compared</h1>\n", runs->n,
                           runs->n == 1 ? "" : "s");
        write_runs(out, runs);
        write_scores(out, c);
        st = write_settings(out, runs, err);
    }
    ramus_buffer_text(out, "<h2>Curves</h2>\n");
    if (!st) st = ramus_comparison_curves(out, runs, err);
    if (!st) st = write_gates(out, runs, err);
    ramus_html_close(out);
    ramus_buffer_free(&title);
    ramus_buffer_free(&all);
    return st ? st : ramus_buffer_check(out, err);
}
