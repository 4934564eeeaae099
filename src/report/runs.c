/* Lists over several runs keep the order of the first run that has an item. */
#include "report/runs.h"

#include "base/folder.h"
#include "base/list.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *ramus_run_name(char *out, size_t room, const char *folder)
{
    char here[PATH_MAX];
    if (strcmp(folder, ".") == 0 && getcwd(here, sizeof here)) folder = here;
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && folder[begin - 1] != '/')
        begin--;
    (void)snprintf(out, room, "%.*s", (int)(end - begin), folder + begin);
    return out;
}

static ramus_status load_run(ramus_report_run *run, const char *folder, ramus_error *err)
{
    ramus_buffer path = {0};
    run->folder = folder;
    (void)ramus_run_name(run->name, sizeof run->name, folder);
    ramus_status st = ramus_folder_path(&path, folder, "log.jsonl", err);
    if (!st) st = ramus_log_load(&run->log, path.data, err);
    if (!st && run->log->n_starts == 0)
        st = ramus_fail(err, RAMUS_BAD_FORMAT,
                        "%s: no line says that a run started: expected the log of `ramus train`",
                        path.data);
    ramus_buffer_free(&path);
    return st;
}

/* Runs that share a name are called by their folders. */
static void name_apart(ramus_runs *runs)
{
    bool shared[RAMUS_RUNS_MAX] = {false};
    for (int i = 0; i < runs->n; i++)
        for (int j = 0; j < runs->n; j++)
            if (i != j && strcmp(runs->items[i].name, runs->items[j].name) == 0) shared[i] = true;
    for (int i = 0; i < runs->n; i++)
        if (shared[i])
            (void)snprintf(runs->items[i].name, sizeof runs->items[i].name, "%s",
                           runs->items[i].folder);
}

ramus_status ramus_runs_load(ramus_runs *out, const char *const *folders, int n, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    *out = (ramus_runs){0};
    if (n > RAMUS_RUNS_MAX)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d runs, at most %d can be told apart", n,
                          RAMUS_RUNS_MAX);
    for (; out->n < n && !st; out->n++)
        st = load_run(&out->items[out->n], folders[out->n], err);
    if (st)
        ramus_runs_free(out);
    else
        name_apart(out);
    return st;
}

void ramus_runs_free(ramus_runs *runs)
{
    for (int i = 0; i < runs->n; i++)
        ramus_log_destroy(runs->items[i].log);
    *runs = (ramus_runs){0};
}

const char *ramus_run_setting(const ramus_report_run *run, const char *name)
{
    for (int i = 0; i < run->log->n_settings; i++)
        if (strcmp(run->log->settings[i].name, name) == 0) return run->log->settings[i].value;
    return NULL;
}

/* Settings that change where a run keeps its files or how it is started, not what it learns. */
static bool is_place(const char *name)
{
    static const char *const places[] = {"out", "cache", "resume", "bucket-mb"};
    for (int i = 0; i < RAMUS_COUNT(places); i++)
        if (strcmp(name, places[i]) == 0) return true;
    return false;
}

static bool is_listed(const ramus_runs_setting *list, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0) return true;
    return false;
}

ramus_status ramus_runs_settings(ramus_runs_setting **out, int *n, const ramus_runs *runs,
                                 ramus_error *err)
{
    size_t room = 0;
    ramus_runs_setting *list = NULL;
    *n = 0;
    for (int r = 0; r < runs->n; r++) {
        const ramus_log *log = runs->items[r].log;
        for (int i = 0; i < log->n_settings; i++) {
            const char *name = log->settings[i].name;
            if (is_place(name) || is_listed(list, *n, name)) continue;
            const ramus_status st =
                RAMUS_LIST_RESERVE(list, room, (size_t)*n + 1, "a list of settings", err);
            if (st) {
                free(list);
                return st;
            }
            ramus_runs_setting *s = &list[(*n)++];
            *s = (ramus_runs_setting){.name = name};
            for (int j = 0; j < runs->n; j++)
                s->values[j] = ramus_run_setting(&runs->items[j], name);
            for (int j = 1; j < runs->n; j++)
                if (!s->values[j] || !s->values[0] || strcmp(s->values[j], s->values[0]) != 0)
                    s->differs = true;
        }
    }
    *out = list;
    return RAMUS_OK;
}

const ramus_log_gate *ramus_run_gate(const ramus_report_run *run, const char *name)
{
    for (int i = 0; i < run->log->n_gates; i++)
        if (strcmp(run->log->gates[i].name, name) == 0) return &run->log->gates[i];
    return NULL;
}

ramus_status ramus_runs_gates(const char ***out, int *n, const ramus_runs *runs, ramus_error *err)
{
    int most = 0;
    for (int r = 0; r < runs->n; r++)
        most += runs->items[r].log->n_gates;
    const char **names = calloc((size_t)most + 1, sizeof *names);
    if (!names) return ramus_fail_memory(err, "a list of gates");
    *n = 0;
    for (int r = 0; r < runs->n; r++)
        for (int i = 0; i < runs->items[r].log->n_gates; i++) {
            const char *name = runs->items[r].log->gates[i].name;
            bool before = false;
            for (int j = 0; j < r && !before; j++)
                before = ramus_run_gate(&runs->items[j], name) != NULL;
            if (!before) names[(*n)++] = name;
        }
    *out = names;
    return RAMUS_OK;
}

/* What a gate has to say at a point, or NAN. */
typedef double of_gate_fn(const ramus_log_gate *g, int point);

static double entropy_of(const ramus_log_gate *g, int point)
{
    const ramus_curve_point *p = &g->entropy.points[point];
    return p->n > 0 && g->n_branches > 1 ? p->mean / log(g->n_branches) : (double)NAN;
}

static double least_of(const ramus_log_gate *g, int point)
{
    double least = (double)NAN;
    for (int b = 0; b < g->n_branches; b++)
        if (g->shares[b].points[point].n > 0)
            least = fmin(least, g->shares[b].points[point].mean); // passes over NAN
    return least * g->n_branches;
}

static void mean_of_gates(ramus_curve *out, const ramus_report_run *run, of_gate_fn *of_gate)
{
    ramus_curve_init(out, RAMUS_LOG_GATE_POINTS, run->log->end);
    for (int point = 0; point < RAMUS_LOG_GATE_POINTS; point++) {
        double sum = 0, update = 0;
        int n = 0;
        for (int i = 0; i < run->log->n_gates; i++) {
            const ramus_log_gate *g = &run->log->gates[i];
            const ramus_curve_point *share = &g->shares[0].points[point];
            const double value = of_gate(g, point);
            if (isnan(value)) continue;
            sum += value;
            update = share->n > 0 ? share->update : g->entropy.points[point].update;
            n++;
        }
        if (n > 0) ramus_curve_add(out, update, sum / n);
    }
}

void ramus_run_gate_entropy(ramus_curve *out, const ramus_report_run *run)
{
    mean_of_gates(out, run, entropy_of);
}

void ramus_run_gate_least(ramus_curve *out, const ramus_report_run *run)
{
    mean_of_gates(out, run, least_of);
}
