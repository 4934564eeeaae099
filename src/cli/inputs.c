/* The first file is open from the start; of the others, those that can be read twice are opened
 * once to look at them. Progress counts in lines if all files can tell theirs, else in bytes. */
#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ramus_inputs {
    const ramus_texts *files;
    ramus_lines *lines; // of the file before `next`
    int next;
    ramus_lines_amount before; // in the files before it
    ramus_lines_amount total;  // -1: nobody knows
};

static const ramus_texts standard = {.items = {"-"}, .n = 1};

bool ramus_inputs_is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool ramus_inputs_is_text(const ramus_options *o)
{
    return o->n_arguments > 0 &&
           !(o->n_arguments == 1 && ramus_inputs_is_standard(o->arguments[0]));
}

ramus_status ramus_inputs_check(const ramus_texts *files, const ramus_options *o, ramus_error *err)
{
    if (files->n && o->n_arguments)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "both -i FILE and text are given: expected one of them");
    return RAMUS_OK;
}

static ramus_status open_arguments(ramus_inputs *in, const ramus_options *o, ramus_error *err)
{
    ramus_buffer text = {0};
    for (int i = 0; i < o->n_arguments; i++) {
        if (i) ramus_buffer_text(&text, " ");
        ramus_buffer_text(&text, o->arguments[i]);
    }
    ramus_buffer_text(&text, "\n");
    ramus_status st = ramus_buffer_check(&text, err);
    if (!st) st = ramus_lines_open_text(&in->lines, text.data, text.size, err);
    ramus_buffer_free(&text);
    return st;
}

static bool is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int64_t sum(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a + b;
}

/* Opens all files and keeps the first. A pipe that is not the first waits for its turn. */
static ramus_status look(ramus_inputs *in, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < in->files->n && !st; i++) {
        ramus_lines *file = NULL;
        ramus_lines_amount amount = {-1, -1};
        const char *path = in->files->items[i];
        if (i == 0 || is_regular(path) || (!ramus_inputs_is_standard(path) && access(path, F_OK)))
            st = ramus_lines_open(&file, path, err);
        if (file) amount = ramus_lines_total(file);
        in->total.lines = sum(in->total.lines, amount.lines);
        in->total.bytes = sum(in->total.bytes, amount.bytes);
        if (i == 0)
            in->lines = file;
        else
            ramus_lines_close(file);
    }
    return st;
}

ramus_status ramus_inputs_open(ramus_inputs **out, const ramus_texts *files, const ramus_options *o,
                               ramus_error *err)
{
    ramus_inputs *in = calloc(1, sizeof *in);
    if (!in) return ramus_fail_memory(err, "the input");
    in->files = files->n || ramus_inputs_is_text(o) ? files : &standard;
    if (!files->n && !o->n_arguments) ramus_command_note_waiting(o);
    const ramus_status st = ramus_inputs_is_text(o) ? open_arguments(in, o, err) : look(in, err);
    if (st)
        ramus_inputs_close(in);
    else
        *out = in;
    return st;
}

void ramus_inputs_close(ramus_inputs *in)
{
    if (!in) return;
    ramus_lines_close(in->lines);
    free(in);
}

const char *ramus_inputs_peek(const ramus_inputs *in, size_t *size)
{
    return ramus_lines_peek(in->lines, size);
}

static ramus_lines_amount add(ramus_lines_amount a, ramus_lines_amount b)
{
    return (ramus_lines_amount){a.lines + b.lines, a.bytes + b.bytes};
}

ramus_status ramus_inputs_next(ramus_inputs *in, ramus_lines **lines, const char **name,
                               ramus_error *err)
{
    const int n = in->files->n;
    ramus_status st = RAMUS_OK;
    if (in->next > 0 && in->lines) {
        in->before = add(in->before, ramus_lines_done(in->lines));
        ramus_lines_close(in->lines);
        in->lines = NULL;
    }
    if (!in->lines && in->next < n)
        st = ramus_lines_open(&in->lines, in->files->items[in->next], err);
    *lines = in->lines;
    *name = in->next < n ? in->files->items[in->next] : "the text";
    in->next++;
    return st;
}

static ramus_lines_amount done(const ramus_inputs *in)
{
    return in->lines ? add(in->before, ramus_lines_done(in->lines)) : in->before;
}

static bool counts_bytes(const ramus_inputs *in)
{
    return in->total.lines < 0 && in->total.bytes >= 0;
}

double ramus_inputs_done(const ramus_inputs *in)
{
    const ramus_lines_amount all = done(in);
    return (double)(counts_bytes(in) ? all.bytes : all.lines);
}

const char *ramus_inputs_extent(const ramus_inputs *in, double *total)
{
    const int64_t all = counts_bytes(in) ? in->total.bytes : in->total.lines;
    *total = all > 0 ? (double)all : 0;
    return counts_bytes(in) ? "bytes" : "lines";
}
