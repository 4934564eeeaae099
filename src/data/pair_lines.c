/* One or two line readers. When two files end at different lines, the rest is counted for the
 * message. */
#include "data/pair_lines.h"

#include "data/lines.h"

#include <stdlib.h>

struct ramus_pair_lines {
    const ramus_corpus_spec *spec;
    ramus_lines *source, *target; // target is NULL when both are columns of source
    int64_t n;                    // pairs read
    const char *line;             // the last one, of two columns
    size_t size;
};

ramus_status ramus_pair_lines_open(ramus_pair_lines **out, const ramus_corpus_spec *spec,
                                   ramus_error *err)
{
    ramus_pair_lines *l = calloc(1, sizeof *l);
    if (!l) return ramus_fail_memory(err, "a reader");
    l->spec = spec;
    ramus_status st = ramus_lines_open(&l->source, spec->source, err);
    if (!st && spec->target) st = ramus_lines_open(&l->target, spec->target, err);
    if (st)
        ramus_pair_lines_close(l);
    else
        *out = l;
    return st;
}

void ramus_pair_lines_close(ramus_pair_lines *l)
{
    if (!l) return;
    ramus_lines_close(l->source);
    ramus_lines_close(l->target);
    free(l);
}

static ramus_status next_line(ramus_lines *l, const char **line, size_t *size, ramus_error *err)
{
    char *start = NULL;
    const ramus_status st = ramus_lines_next(l, &start, size, err);
    if (start && *size > 0 && start[*size - 1] == '\r') --*size;
    *line = start;
    return st;
}

static ramus_status next_columns(ramus_pair_lines *l, ramus_pair_text *text, ramus_error *err)
{
    const ramus_corpus_spec *spec = l->spec;
    const char *line = NULL;
    size_t size = 0;
    const ramus_status st = next_line(l->source, &line, &size, err);
    *text = (ramus_pair_text){0};
    if (st || !line) return st;
    l->line = line;
    l->size = size;
    text->source = ramus_lines_field(line, size, spec->source_column, &text->source_size);
    text->target = ramus_lines_field(line, size, spec->target_column, &text->target_size);
    if (text->source && text->target) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: line %lld has no column %d", spec->source,
                      (long long)l->n + 1,
                      text->source ? spec->target_column : spec->source_column);
}

/* One file has ended before the other: counts the rest of both for the message. */
static ramus_status fail_unequal(ramus_pair_lines *l, const ramus_pair_text *text, ramus_error *err)
{
    int64_t counts[2] = {l->n + (text->source != NULL), l->n + (text->target != NULL)};
    ramus_lines *const lines[2] = {l->source, l->target};
    for (int side = 0; side < 2; side++)
        for (;;) {
            char *line = NULL;
            size_t size = 0;
            const ramus_status st = ramus_lines_next(lines[side], &line, &size, err);
            if (st) return st;
            if (!line) break;
            counts[side]++;
        }
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "%s has %lld lines and %s has %lld; they are not parallel", l->spec->source,
                      (long long)counts[0], l->spec->target, (long long)counts[1]);
}

static ramus_status next_of_two(ramus_pair_lines *l, ramus_pair_text *text, ramus_error *err)
{
    *text = (ramus_pair_text){0};
    ramus_status st = next_line(l->source, &text->source, &text->source_size, err);
    if (!st) st = next_line(l->target, &text->target, &text->target_size, err);
    if (!st && !text->source != !text->target) st = fail_unequal(l, text, err);
    return st;
}

ramus_status ramus_pair_lines_next(ramus_pair_lines *l, ramus_pair_text *text, ramus_error *err)
{
    const ramus_status st = l->target ? next_of_two(l, text, err) : next_columns(l, text, err);
    if (!st && text->source) l->n++;
    return st;
}

const char *ramus_pair_lines_whole(const ramus_pair_lines *l, size_t *size)
{
    *size = l->size;
    return l->line;
}
