/* Lists of languages are short: looking through them twice is no cost. */
#include "serve/dialects/write.h"

#include "data/office.h"

#include <stdio.h>
#include <string.h>

#define MOST_LANGUAGES 256

void ramus_write_text(ramus_buffer *out, ramus_text text)
{
    ramus_buffer_json(out, text.data, text.size);
}

void ramus_write_string(ramus_buffer *out, const char *text)
{
    ramus_buffer_json(out, text, strlen(text));
}

void ramus_write_capitals(ramus_buffer *out, const char *code)
{
    char text[RAMUS_LANGUAGE_ROOM];
    size_t n = 0;
    for (; code[n] && n + 1 < sizeof text; n++)
        text[n] = (char)(code[n] >= 'a' && code[n] <= 'z' ? code[n] - 'a' + 'A' : code[n]);
    ramus_buffer_json(out, text, n);
}

bool ramus_is_list(const ramus_fields *f, const char *name)
{
    const ramus_field *field = ramus_fields_find(f, name);
    return field && field->type == RAMUS_FIELD_LIST;
}

void ramus_visit_languages(ramus_server *s, bool source, void (*each)(void *arg, const char *code),
                           void *arg)
{
    ramus_model_file **files = NULL;
    const char *seen[MOST_LANGUAGES];
    int n = 0, n_seen = 0;
    if (ramus_models_list(s->models, &files, &n, NULL)) return;
    for (int i = 0; i < n && n_seen < MOST_LANGUAGES; i++) {
        const char *code = source ? files[i]->from : files[i]->to;
        int k = 0;
        while (k < n_seen && strcmp(seen[k], code) != 0)
            k++;
        if (k < n_seen) continue;
        seen[n_seen++] = code;
        each(arg, code);
    }
    ramus_models_release_all(s->models, files, n);
}

const char *ramus_read_file_field(const ramus_exchange *x, ramus_ask *ask, const char **name)
{
    const ramus_field *file = ramus_fields_find(&x->fields, "file");
    const char *wanted = ramus_fields_string(&x->fields, "filename");
    if (!file || file->type != RAMUS_FIELD_FILE) return "the form has no file";
    *name = wanted ? wanted : x->fields.bytes.data + file->file.start;
    const ramus_format *format = ramus_format_of_path(*name);
    if (!format) return "the extension of the file stands for no format that can be translated";
    ask->field = "file";
    ask->format = format->name;
    ask->bulk = true;
    ask->office = ramus_office_is(format);
    return NULL;
}

void ramus_answer_file(ramus_exchange *x, const ramus_upload *u)
{
    char disposition[200];
    const ramus_text text = ramus_item_text(&u->work->items[0], 0);
    (void)snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", u->name);
    ramus_buffer_add(&x->answer, text.data, text.size);
    ramus_exchange_head(x, "Content-Disposition", disposition);
    ramus_exchange_head(x, "X-Content-Type-Options", "nosniff");
    x->code = 200;
    x->answer_type = "application/octet-stream";
}
