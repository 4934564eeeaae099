/* The language is that of the beginning of the input: of lines what their reader shows, of a
 * document the text of its first blocks. That is read but once, since it may be a pipe. */
#include "cli/translate_model.h"

#include "data/office.h"
#include "data/whole.h"

#define SAMPLE (64 * 1024) // bytes of a document's text

typedef struct {
    const ramus_format_options *options;
    ramus_buffer text;
} sample;

/* Adds the text of blocks, each on a line. What a reader refuses is told when it is translated. */
static void add_document(sample *s, const ramus_format *format, const char *data, size_t size)
{
    ramus_blocks blocks = {0};
    ramus_document *d = NULL;
    if (s->text.size < SAMPLE && !ramus_document_open(&d, format, data, size, s->options, NULL) &&
        !ramus_document_read(d, &blocks, SAMPLE, NULL))
        for (int i = 0; i < blocks.n; i++) {
            ramus_buffer_add(&s->text, blocks.texts.data + blocks.items[i].text,
                             blocks.items[i].size);
            ramus_buffer_text(&s->text, "\n");
        }
    ramus_document_close(d);
    ramus_blocks_free(&blocks);
}

/* An entry of an archive, which stays as it is. */
static ramus_status add_part(void *arg, const char *part, const ramus_format *format,
                             const char *data, size_t size, ramus_buffer *out, ramus_error *err)
{
    (void)part;
    add_document(arg, format, data, size);
    ramus_buffer_add(out, data, size);
    return ramus_buffer_check(out, err);
}

static void add_file(sample *s, const ramus_format *format, const ramus_file *file)
{
    ramus_buffer out = {0};
    const char *data = file->data ? (const char *)file->data : "";
    if (!ramus_office_is(format))
        add_document(s, format, data, file->size);
    else if (ramus_office_write(data, file->size, add_part, s, &out, NULL))
        ramus_buffer_clear(&s->text);
    ramus_buffer_free(&out);
}

static ramus_status choose_by_document(ramus_translate_settings *t, const ramus_options *o,
                                       const ramus_format *format, ramus_file *first,
                                       ramus_error *err)
{
    const ramus_format_options options = {.wrapped = t->how.wrapped, .columns = t->how.columns};
    sample s = {.options = &options};
    if (ramus_inputs_is_text(o)) {
        ramus_buffer text = {0};
        for (int i = 0; i < o->n_arguments; i++)
            ramus_buffer_print(&text, "%s%s", i ? " " : "", o->arguments[i]);
        add_document(&s, format, text.data ? text.data : "", text.size);
        ramus_buffer_free(&text);
    } else {
        const ramus_status st =
            ramus_whole_read(first, t->inputs.n ? t->inputs.items[0] : "-", err);
        if (st) return st;
        add_file(&s, format, first);
    }
    ramus_status st = ramus_buffer_check(&s.text, err);
    if (!st) st = ramus_model_choose_by_text(&t->model, s.text.data, s.text.size, err);
    ramus_buffer_free(&s.text);
    return st;
}

ramus_status ramus_translate_model(ramus_translate_settings *s, const ramus_options *o,
                                   const ramus_format *format, bool tells,
                                   ramus_translate_input **in, ramus_file *first, ramus_error *err)
{
    const bool given = s->model.model;
    size_t size = 0;
    ramus_status st = ramus_model_choose(&s->model, err);
    if (st || given) return st;
    if (format) {
        st = choose_by_document(s, o, format, first, err);
    } else if (!(st = ramus_translate_input_open(in, s, o, err))) {
        const char *text = ramus_inputs_peek(ramus_translate_input_files(*in), &size);
        st = ramus_model_choose_by_text(&s->model, text, size, err);
    }
    if (tells && s->model.hint.size) ramus_command_note(o, "%s", s->model.hint.data);
    return st;
}
