/* Every run's file is read beside the reference; runs are compared once all rows of counts are
 * there. */
#include "report/scores.h"

#include "base/folder.h"
#include "base/map.h"
#include "data/lines.h"
#include "eval/bleu.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Reads both files to their ends. */
static ramus_status score_lines(ramus_bleu *b, ramus_lines *lines, ramus_lines *refs,
                                const char *path, const char *reference, ramus_error *err)
{
    for (int n = 0;; n++) {
        char *line = NULL, *ref = NULL;
        size_t size = 0, ref_size = 0;
        ramus_status st = ramus_lines_next(lines, &line, &size, err);
        if (!st) st = ramus_lines_next(refs, &ref, &ref_size, err);
        if (st) return st;
        if (!line != !ref)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "%s has %s lines than %s: files must match line by line", path,
                              line ? "more" : "fewer", reference);
        if (!line) break;
        const ramus_line references[] = {{ref, ref_size}};
        st = ramus_bleu_add(b, (ramus_line){line, size}, references, 1, err);
        if (st) return st;
    }
    if (ramus_bleu_stats(b)->n_lines > 0) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "%s has no lines", path);
}

static ramus_status score_run(ramus_bleu **out, const ramus_bleu_options *options, const char *path,
                              const char *reference, ramus_error *err)
{
    ramus_lines *lines = NULL, *refs = NULL;
    ramus_status st = ramus_bleu_create(out, options, err);
    if (!st) st = ramus_lines_open(&lines, path, err);
    if (!st) st = ramus_lines_open(&refs, reference, err);
    if (!st) st = score_lines(*out, lines, refs, path, reference, err);
    ramus_lines_close(lines);
    ramus_lines_close(refs);
    return st;
}

/* How the validation of a run cuts words. */
static ramus_bleu_options options_of(const ramus_report_run *run)
{
    const char *name = ramus_run_setting(run, "valid-tokenize");
    const char *lowercase = ramus_run_setting(run, "valid-lowercase");
    const ramus_tokenization *cut = ramus_tokenization_find(name ? name : "13a");
    return (ramus_bleu_options){.tokenization = cut ? cut : ramus_tokenization_at(0),
                                .lowercase = lowercase && strcmp(lowercase, "on") == 0};
}

/* Sets *same to whether two files have the same bytes. */
static ramus_status compare_files(bool *same, const char *path, const char *other, ramus_error *err)
{
    ramus_file a = {0}, b = {0};
    ramus_status st = ramus_file_map(&a, path, err);
    if (!st) st = ramus_file_map(&b, other, err);
    if (!st) *same = a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
    ramus_file_unmap(&a);
    ramus_file_unmap(&b);
    return st;
}

typedef struct {
    ramus_scores *out;
    const ramus_runs *runs;
    const char *reference;     // that was given, or NULL
    ramus_buffer path, theirs; // of the run at hand: its file and its reference
    ramus_buffer first;        // the baseline's reference
    ramus_bleu *bleu[RAMUS_RUNS_MAX];
} scoring;

static ramus_status score_one(scoring *s, int r, ramus_error *err)
{
    ramus_scores *out = s->out;
    const ramus_report_run *run = &s->runs->items[r];
    ramus_status st = ramus_folder_path(&s->path, run->folder, out->file, err);
    if (!st) st = ramus_folder_path(&s->theirs, run->folder, RAMUS_BEST_REFERENCE, err);
    if (st || access(s->path.data, F_OK)) return st;
    if (!s->reference && access(s->theirs.data, F_OK)) return RAMUS_OK;
    const char *reference = s->reference ? s->reference : s->theirs.data;
    if (out->n == 0) {
        out->baseline = r;
        ramus_buffer_text(&s->first, reference);
        st = ramus_buffer_check(&s->first, err);
    } else if (!s->reference) {
        bool same = false;
        st = compare_files(&same, s->first.data, reference, err);
        if (!st && !same) {
            out->states[r] = RAMUS_SCORE_ELSEWHERE;
            return RAMUS_OK;
        }
    }
    const ramus_bleu_options options = options_of(&s->runs->items[out->baseline]);
    if (!st) st = score_run(&s->bleu[r], &options, s->path.data, reference, err);
    if (st) return st;
    out->states[r] = RAMUS_SCORE_THERE;
    out->cut = ramus_tokenization_name(options.tokenization);
    out->n++;
    return RAMUS_OK;
}

static ramus_status compare(scoring *s, ramus_pool *pool, ramus_error *err)
{
    ramus_scores *out = s->out;
    const ramus_stats *stats[RAMUS_RUNS_MAX];
    ramus_comparison compared[RAMUS_RUNS_MAX];
    const ramus_bootstrap test = {
        .n_resamples = RAMUS_BOOTSTRAP_RESAMPLES, .seed = RAMUS_BOOTSTRAP_SEED, .pool = pool};
    int n = 0;
    for (int r = 0; r < s->runs->n; r++)
        if (s->bleu[r]) stats[n++] = ramus_bleu_stats(s->bleu[r]);
    if (n == 0) return RAMUS_OK;
    const ramus_status st = ramus_bootstrap_compare(compared, stats, n, &test, err);
    for (int r = 0, i = 0; r < s->runs->n && !st; r++) {
        if (!s->bleu[r]) continue;
        out->bleu[r] = compared[i].score;
        out->ci[r] = compared[i].ci;
        out->p_values[r] = compared[i++].p_value;
    }
    out->n_lines = stats[0]->n_lines;
    ramus_bleu_signature(out->signature, s->bleu[out->baseline], n > 1 ? &test : NULL);
    return st;
}

ramus_status ramus_scores_compute(ramus_scores *out, const ramus_runs *runs, const char *file,
                                  const char *reference, ramus_pool *pool, ramus_error *err)
{
    scoring s = {.out = out, .runs = runs, .reference = reference};
    ramus_status st = RAMUS_OK;
    *out = (ramus_scores){.file = file};
    for (int r = 0; r < runs->n && !st; r++)
        st = score_one(&s, r, err);
    if (!st) st = compare(&s, pool, err);
    for (int r = 0; r < runs->n; r++)
        ramus_bleu_destroy(s.bleu[r]);
    ramus_buffer_free(&s.path);
    ramus_buffer_free(&s.theirs);
    ramus_buffer_free(&s.first);
    return st;
}
