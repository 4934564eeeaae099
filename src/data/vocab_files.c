/* The library asks for one text after the other: fields of a line, lines of a file, files. */
#include "data/vocab_files.h"

#include "data/lines.h"

typedef struct {
    const ramus_vocab_files *in;
    ramus_lines *lines;
    int file;          // the one that is open, or to be opened next
    int field, fields; // which field of the line comes next, how many there are
    int passed;        // lines since the last that was taken
    char *line;
    size_t size;
    double n_texts;
    ramus_status st; // a failure waits here until the library has come back
    ramus_error error;
} reader;

/* The next line of the next file, or false at the end of all or after a failure. */
static bool next_line(reader *r)
{
    while (!r->st && r->file < r->in->n) {
        if (!r->lines) r->st = ramus_lines_open(&r->lines, r->in->files[r->file].path, &r->error);
        if (!r->st) r->st = ramus_lines_next(r->lines, &r->line, &r->size, &r->error);
        if (r->st) break;
        if (r->line && ++r->passed < r->in->every) continue;
        r->passed = 0;
        if (r->line) return true;
        ramus_lines_close(r->lines);
        r->lines = NULL;
        r->file++;
    }
    return false;
}

static const char *next_text(void *arg, size_t *size)
{
    reader *r = arg;
    for (;;) {
        while (r->field < r->fields) {
            const char *text = ramus_lines_field(r->line, r->size, ++r->field, size);
            if (!text || *size == 0) continue;
            r->n_texts++;
            if (r->in->progress) r->in->progress(r->in->arg, r->n_texts);
            return text;
        }
        if (!next_line(r)) return NULL;
        const bool columns = ramus_lines_have_columns(r->in->files[r->file].path);
        const int column = r->in->files[r->file].column;
        r->field = columns && column ? column - 1 : columns ? 0 : -1; // -1: the whole line
        r->fields = columns && column ? column : columns ? 1 : 0;
        for (size_t i = 0; columns && !column && i < r->size; i++)
            r->fields += r->line[i] == '\t';
    }
}

ramus_status ramus_vocab_train_files(ramus_buffer *out, double *n_texts,
                                     const ramus_vocab_files *files,
                                     const ramus_vocab_training *how, ramus_error *err)
{
    reader r = {.in = files};
    ramus_vocab_training training = *how;
    training.next = next_text;
    training.arg = &r;
    ramus_status st = ramus_vocab_train(out, &training, err);
    ramus_lines_close(r.lines);
    *n_texts = r.n_texts;
    if (r.st) {
        *err = r.error;
        return r.st;
    }
    if (r.file == files->n && r.n_texts == 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: the input has no text", files->files[0].path);
    return st;
}
