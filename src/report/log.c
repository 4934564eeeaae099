/* Two passes over the mapped file: the first lists the lines and drops those that a resume
 * undoes, the second reads the rest into curves. */
#include "report/log.h"

#include "base/list.h"
#include "base/map.h"
#include "report/log_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A line that is JSON and of a known kind. */
typedef struct line {
    size_t at, size; // its bytes in the file
    const ramus_log_kind *kind;
    double update; // NAN when missing
} line;

typedef struct line_list {
    line *lines;
    size_t n, room;
} line_list;

/* Checks the JSON of a whole line and reads its kind (NULL: unknown) and update. */
static ramus_status read_head(ramus_log_reader *r, line *l, ramus_error *err)
{
    ramus_json *j = &r->json;
    bool more = false;
    l->kind = NULL;
    l->update = (double)NAN;
    ramus_status st = ramus_json_enter(j, RAMUS_JSON_OBJECT, err);
    while (!st) {
        st = ramus_json_member(j, &more, &r->key, err);
        if (st || !more) break;
        const ramus_json_type type = ramus_json_peek(j);
        if (type == RAMUS_JSON_STRING && strcmp(r->key.data, "kind") == 0) {
            st = ramus_json_string(j, &r->text, err);
            if (!st) l->kind = ramus_log_kind_find(r->text.data);
        } else if (type == RAMUS_JSON_NUMBER && strcmp(r->key.data, "update") == 0) {
            st = ramus_json_number(j, &r->text, err);
            const double update = st ? -1 : strtod(r->text.data, NULL);
            l->update = update >= 0 && update <= RAMUS_CURVE_END ? update : (double)NAN;
        } else {
            st = ramus_json_skip(j, err);
        }
    }
    return st ? st : ramus_json_end(j, err);
}

static ramus_status add_line(line_list *list, const line *l, ramus_error *err)
{
    const ramus_status st = RAMUS_LIST_RESERVE(list->lines, list->room, list->n + 1, "a log", err);
    if (!st) list->lines[list->n++] = *l;
    return st;
}

/* Lists the lines of known kinds. A broken one is an error only once a line follows that is not a
 * start line: until then a killed process may have left it. */
static ramus_status list_lines(ramus_log_reader *r, const ramus_file *file, line_list *list,
                               ramus_error *err)
{
    const char *text = (const char *)file->data;
    size_t broken = 0; // the number of the line before, if that was broken
    ramus_error why = {0};
    size_t at = 0;
    for (size_t number = 1; at < file->size; number++) {
        const char *feed = memchr(text + at, '\n', file->size - at);
        line l = {.at = at, .size = feed ? (size_t)(feed - text) - at : file->size - at};
        ramus_error found = {0};
        ramus_json_init(&r->json, text + l.at, 0, l.size);
        ramus_status st = read_head(r, &l, &found);
        if (broken && (st || !l.kind || strcmp(l.kind->name, "start") != 0))
            return ramus_fail(err, RAMUS_BAD_FORMAT, "line %zu: %s", broken, why.message);
        broken = st == RAMUS_BAD_FORMAT ? number : 0;
        why = found;
        if (!st && l.kind) st = add_line(list, &l, &found);
        if (st && !broken) return ramus_fail(err, st, "%s", found.message);
        at += l.size + 1;
    }
    return RAMUS_OK;
}

/* Takes out the lines that a later start line undoes, and finds the last update. */
static void drop_undone(line_list *list, double *end)
{
    double earliest = (double)INFINITY; // start line behind the current line
    *end = 0;
    for (size_t i = list->n; i-- > 0;) {
        line *l = &list->lines[i];
        if (l->kind->undone && l->update > earliest)
            l->kind = NULL;
        else if (l->kind->undone && l->update > *end)
            *end = l->update;
        else if (strcmp(l->kind->name, "start") == 0 && l->update < earliest)
            earliest = l->update;
    }
}

static ramus_status read_lines(ramus_log_reader *r, const ramus_file *file, const line_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const line *l = &list->lines[i];
        if (!l->kind) continue;
        ramus_json_init(&r->json, (const char *)file->data + l->at, 0, l->size);
        r->update = l->update;
        const ramus_status st = ramus_log_line_read(r, l->kind);
        if (st) return st;
        const bool tells = strcmp(l->kind->name, "note") != 0; // it may be about an earlier one
        if (tells && !isnan(l->update)) r->log->update = l->update;
    }
    return RAMUS_OK;
}

static void init_log(ramus_log *log, double end)
{
    const double missing = (double)NAN;
    log->end = end;
    log->update = log->started = log->parameters = log->threads = missing;
    log->updates_per_epoch = missing;
    log->saved = log->best = missing;
    for (int i = 0; i < RAMUS_LOG_VALUES; i++)
        ramus_curve_init(&log->values[i], RAMUS_CURVE_POINTS, end);
}

ramus_status ramus_log_load(ramus_log **out, const char *path, ramus_error *err)
{
    ramus_file file = {0};
    line_list list = {0};
    ramus_log_reader r = {0};
    double end = 0;
    ramus_log *log = calloc(1, sizeof *log);
    if (!log) return ramus_fail_memory(err, "a log");

    ramus_status st = ramus_file_map(&file, path, err);
    if (st) goto done;
    st = list_lines(&r, &file, &list, err);
    if (!st) {
        drop_undone(&list, &end);
        init_log(log, end);
        r.log = log;
        r.err = err;
        st = read_lines(&r, &file, &list);
    }
    if (st) {
        st = ramus_fail_in(err, st, path);
        goto done;
    }
    *out = log;
    log = NULL;
done:
    free(r.name);
    ramus_buffer_free(&r.key);
    ramus_buffer_free(&r.text);
    free(list.lines);
    ramus_log_destroy(log);
    ramus_file_unmap(&file);
    return st;
}

void ramus_log_destroy(ramus_log *log)
{
    if (!log) return;
    for (int i = 0; i < log->n_settings; i++) {
        free(log->settings[i].name);
        free(log->settings[i].value);
    }
    for (int i = 0; i < log->n_corpora; i++)
        free(log->corpora[i].files);
    for (int i = 0; i < log->n_losses; i++)
        free(log->losses[i].name);
    for (int i = 0; i < log->n_gates; i++) {
        free(log->gates[i].name);
        free(log->gates[i].shares);
    }
    for (int i = 0; i < log->n_samples; i++) {
        ramus_log_sample *s = &log->samples[i];
        for (int j = 0; j < s->n; j++)
            free(s->translations[j].text);
        free(s->translations);
        free(s->source);
        free(s->reference);
    }
    for (int i = 0; i < log->n_notes; i++)
        free(log->notes[i].text);
    free(log->settings);
    free(log->corpora);
    free(log->losses);
    free(log->gates);
    free(log->samples);
    free(log->notes);
    free(log->version);
    free(log->reason);
    free(log->model);
    free(log);
}
