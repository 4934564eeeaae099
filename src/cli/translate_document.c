/* Documents are translated in windows of some text, each written before the next is read, so that
 * memory does not grow with them. Notes are told with the line they are about. */
#include "cli/translate_document.h"

#include "cli/progress.h"
#include "cli/stop.h"

#include "data/office.h"
#include "data/output.h"
#include "data/text_check.h"
#include "data/translation_json.h"
#include "data/whole.h"
#include "runtime/documents.h"

#include <string.h>

#define WINDOW      (256 * 1024) // bytes of text that are translated together
#define SHOWN_NOTES 10

/* A document that is being translated. */
typedef struct {
    ramus_session *session;
    const ramus_translate_settings *s;
    const ramus_options *o;
    ramus_output *out;
    ramus_progress progress;

    const char *name; // of the input
    const char *part; // of an archive; NULL: it is none
    const char *data; // of the document that notes are about
    size_t told;      // up to here its lines are counted
    long long line;
    int notes;
    const ramus_document *document;
    size_t before; // bytes of the document before the window
} task;

ramus_status ramus_translate_format(const ramus_format **out, const ramus_translate_settings *s,
                                    const ramus_options *o, ramus_error *err)
{
    const char *name = s->format ? s->format : s->how.document ? "text" : NULL;
    *out = NULL;
    if (name && strcmp(name, "lines") == 0) return RAMUS_OK;
    if (name) {
        *out = ramus_format_find(name);
        if (*out) return RAMUS_OK;
        ramus_buffer list = {0};
        for (int i = 0; ramus_format_name(i); i++)
            ramus_buffer_print(&list, " %s", ramus_format_name(i));
        const ramus_status st =
            ramus_fail(err, RAMUS_BAD_ARGUMENT, "--format %s is unknown: expected lines%s", name,
                       list.data ? list.data : "");
        ramus_buffer_free(&list);
        return st;
    }
    if (s->inputs.n == 0 || o->n_arguments) return RAMUS_OK;
    *out = ramus_format_of_path(s->inputs.items[0]);
    if (*out == ramus_format_find("text"))
        *out = NULL; // a line stays a line unless it is asked for
    for (int i = 1; i < s->inputs.n; i++)
        if (ramus_format_of_path(s->inputs.items[i]) != ramus_format_of_path(s->inputs.items[0]))
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "%s and %s have formats of their own: translate one after the other, "
                              "or say --format",
                              s->inputs.items[0], s->inputs.items[i]);
    return RAMUS_OK;
}

static void tell_note(void *arg, size_t at, unsigned notes)
{
    task *t = arg;
    for (; t->told < at; t->told++)
        t->line += t->data[t->told] == '\n';
    for (unsigned bit = 1; bit; bit <<= 1) {
        const char *sentence = ramus_note_sentence(notes & bit);
        if (sentence && t->notes++ < SHOWN_NOTES)
            ramus_command_note(t->o, "%s%s%s: line %lld %s", t->name, t->part ? ": " : "",
                               t->part ? t->part : "", t->line, sentence);
    }
}

/* The document cannot be translated, or a signal asks to stop. */
static ramus_status fail_in(const char *name, ramus_status st, ramus_error *err)
{
    return ramus_stop_asked(NULL) ? ramus_stop_check(err) : ramus_fail_in(err, st, name);
}

static void show_progress(void *arg, int done, int all)
{
    task *t = arg;
    const double part = (double)(t->document->at - t->before) * done / all;
    ramus_progress_update(&t->progress, (double)t->before + part);
}

/* Translates a document that is no archive into *to or, where that is NULL, to the output. */
static ramus_status translate_text(task *t, const ramus_format *format, const char *data,
                                   size_t size, ramus_buffer *to, ramus_error *err)
{
    const ramus_format_options options = {.wrapped = t->s->how.wrapped,
                                          .columns = t->s->how.columns};
    ramus_translate_options how = t->s->how;
    ramus_buffer window = {0};
    ramus_document *d = NULL;
    how.n_best = 1;
    how.cancel = ramus_stop_asked;
    how.progress = show_progress;
    how.arg = t;
    t->data = data;
    t->told = 0;
    t->line = 1;
    ramus_status st = ramus_document_open(&d, format, data, size, &options, err);
    if (st) return fail_in(t->part ? t->part : t->name, st, err);
    while (!st && !ramus_document_ended(d)) {
        ramus_buffer *out = to ? to : &window;
        t->document = d;
        t->before = d->at;
        st = ramus_session_continue(t->session, d, WINDOW, &how, tell_note, t, out, err);
        if (!to) {
            if (!st) st = ramus_output_write(t->out, window.data, window.size, err);
            if (!st) st = ramus_output_flush(t->out, err);
            ramus_buffer_clear(&window);
            ramus_progress_update(&t->progress, (double)d->at);
        }
    }
    if (st && ramus_stop_asked(NULL)) st = ramus_stop_check(err);
    ramus_document_close(d);
    ramus_buffer_free(&window);
    return st;
}

/* An entry of an archive. */
static ramus_status translate_part(void *arg, const char *part, const ramus_format *format,
                                   const char *data, size_t size, ramus_buffer *out,
                                   ramus_error *err)
{
    task *t = arg;
    t->part = part;
    return translate_text(t, format, data, size, out, err);
}

static ramus_status translate_archive(task *t, const char *data, size_t size, ramus_error *err)
{
    ramus_buffer out = {0};
    ramus_status st = ramus_office_write(data, size, translate_part, t, &out, err);
    if (st)
        st = fail_in(t->name, st, err);
    else
        st = ramus_output_write(t->out, out.data, out.size, err);
    ramus_buffer_free(&out);
    return st;
}

/* All of it at once, as one JSON object. */
static ramus_status translate_json(task *t, const ramus_format *format, const char *data,
                                   size_t size, ramus_error *err)
{
    const ramus_translate_style style = {
        .json = true, .feed = true, .n_best = t->s->how.n_best ? t->s->how.n_best : 1};
    const ramus_text text = {data, size};
    ramus_translation found[64];
    ramus_translate_options how = t->s->how;
    ramus_buffer out = {0};
    how.format = format->name;
    how.n_best = style.n_best;
    how.cancel = ramus_stop_asked;
    ramus_status st = ramus_translate_all(t->session, &text, 1, &how, found, err);
    if (st) return fail_in(t->name, st, err);
    ramus_translate_print(&out, &style, &text, found, 0);
    st = ramus_buffer_check(&out, err);
    if (!st) st = ramus_output_write(t->out, out.data, out.size, err);
    ramus_buffer_free(&out);
    return st;
}

static ramus_status translate_any(task *t, const ramus_format *format, const char *data,
                                  size_t size, ramus_error *err)
{
    if (ramus_office_is(format)) {
        if (!t->o->common.json) return translate_archive(t, data, size, err);
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "--json has no archives: %s is %s", t->name,
                          format->name);
    }
    const ramus_status st = ramus_text_check(t->name, data, size, err);
    if (st) return st;
    return t->o->common.json ? translate_json(t, format, data, size, err)
                             : translate_text(t, format, data, size, NULL, err);
}

static ramus_status translate_file(task *t, const ramus_format *format, const char *path,
                                   ramus_file *file, ramus_error *err)
{
    t->name = ramus_inputs_is_standard(path) ? "standard input" : path;
    ramus_status st = file->data ? RAMUS_OK : ramus_whole_read(file, path, err);
    t->progress.total = (double)file->size;
    ramus_progress_start(&t->progress);
    if (!st)
        st = translate_any(t, format, file->data ? (const char *)file->data : "", file->size, err);
    ramus_progress_end(&t->progress, (double)file->size);
    ramus_file_unmap(file);
    return st;
}

/* The arguments, joined by spaces. */
static ramus_status translate_arguments(task *t, const ramus_format *format, ramus_error *err)
{
    ramus_buffer text = {0};
    for (int i = 0; i < t->o->n_arguments; i++)
        ramus_buffer_print(&text, "%s%s", i ? " " : "", t->o->arguments[i]);
    ramus_buffer_text(&text, "\n");
    ramus_status st = ramus_buffer_check(&text, err);
    t->name = "the text";
    if (!st) st = translate_any(t, format, text.data, text.size, err);
    ramus_buffer_free(&text);
    return st;
}

ramus_status ramus_translate_document(ramus_session *session, const ramus_format *format,
                                      const ramus_translate_settings *s, const ramus_options *o,
                                      ramus_file *first, ramus_error *err)
{
    task t = {.session = session,
              .s = s,
              .o = o,
              .progress = {.what = "translating", .unit = "bytes", .quiet = o->common.quiet}};
    ramus_status st = ramus_output_open(&t.out, s->output, err);
    if (!st && ramus_inputs_is_text(o)) st = translate_arguments(&t, format, err);
    if (!st && !ramus_inputs_is_text(o) && s->inputs.n == 0)
        st = translate_file(&t, format, "-", first, err);
    for (int i = 0; i < s->inputs.n && !st; i++)
        st = translate_file(&t, format, s->inputs.items[i], first, err);
    if (t.notes > SHOWN_NOTES)
        ramus_command_note(o, "and %d more notes of this kind", t.notes - SHOWN_NOTES);
    if (!st) st = ramus_output_commit(t.out, err);
    ramus_output_close(t.out);
    return st;
}
