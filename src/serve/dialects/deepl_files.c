/* DeepL, version 2: glossaries and documents. */
#include "serve/dialects/deepl.h"
#include "serve/dialects/write.h"
#include "serve/languages.h"

#include <string.h>

static void write_glossary(ramus_buffer *out, const ramus_glossary *g)
{
    ramus_buffer_print(out, "{\"glossary_id\": \"%s\", \"name\": ", g->id);
    ramus_write_string(out, g->name);
    ramus_buffer_print(out,
                       ", \"ready\": true, \"source_lang\": \"%s\", \"target_lang\": \"%s\", "
                       "\"creation_time\": \"%s\", \"entry_count\": %d}",
                       g->from, g->to, g->created, g->n_entries);
}

static void create_glossary(ramus_server *s, ramus_exchange *x)
{
    ramus_error err = {0};
    ramus_glossary *g = NULL;
    char from[RAMUS_LANGUAGE_ROOM], to[RAMUS_LANGUAGE_ROOM];
    const ramus_fields *f = &x->fields;
    const char *name = ramus_fields_string(f, "name");
    const char *source = ramus_fields_string(f, "source_lang");
    const char *target = ramus_fields_string(f, "target_lang");
    const char *format = ramus_fields_string(f, "entries_format");
    const ramus_field *entries = ramus_fields_find(f, "entries");
    if (!name || !source || !target || !entries || entries->type != RAMUS_FIELD_TEXT) {
        ramus_answer_error(s, x, 400,
                           "expected name, source_lang, target_lang, entries_format and entries");
        return;
    }
    if (!ramus_language_code(from, source, strlen(source)) ||
        !ramus_language_code(to, target, strlen(target)) || !ramus_models_reads(s->models, from) ||
        !ramus_models_writes(s->models, to)) {
        ramus_answer_error(s, x, 400, "Value for 'source_lang' or 'target_lang' not supported.");
        return;
    }
    const ramus_status st =
        ramus_glossaries_add(s->glossaries, name, from, to, format ? format : "tsv",
                             ramus_field_text(f, entries), &g, &err);
    if (st) {
        ramus_answer_error(s, x, st == RAMUS_FAILED ? 456 : 400, "Invalid glossary entries: %s",
                           err.message);
        return;
    }
    write_glossary(&x->answer, g);
    ramus_glossaries_release(s->glossaries, g);
    ramus_answer_json(x);
    x->code = 201;
}

static void add_glossary(void *arg, const ramus_glossary *g)
{
    ramus_buffer *out = arg;
    if (out->data[out->size - 1] == '}') ramus_buffer_text(out, ", ");
    write_glossary(out, g);
}

static void list_glossaries(ramus_server *s, ramus_exchange *x)
{
    ramus_buffer_text(&x->answer, "{\"glossaries\": [");
    ramus_glossaries_visit(s->glossaries, add_glossary, &x->answer);
    ramus_buffer_text(&x->answer, "]}");
    ramus_answer_json(x);
}

static void one_glossary(ramus_server *s, ramus_exchange *x)
{
    char id[RAMUS_ID_ROOM] = "";
    const char *rest = x->path + strlen("/v2/glossaries/");
    const size_t size = strcspn(rest, "/");
    if (size == sizeof id - 1) memcpy(id, rest, size + 1);
    id[sizeof id - 1] = '\0';
    const bool entries = strcmp(rest + size, "/entries") == 0;
    ramus_glossary *g = ramus_glossaries_find(s->glossaries, id);
    if (!g || (rest[size] && !entries)) {
        ramus_answer_error(s, x, 404, "Glossary not found.");
    } else if (x->method == RAMUS_METHOD_DELETE) {
        (void)ramus_glossaries_delete(s->glossaries, id);
        x->code = 204;
    } else if (entries) {
        ramus_buffer_add(&x->answer, g->entries.data, g->entries.size);
        x->code = 200;
        x->answer_type = "text/tab-separated-values; charset=utf-8";
    } else {
        write_glossary(&x->answer, g);
        ramus_answer_json(x);
    }
    ramus_glossaries_release(s->glossaries, g);
}

static void glossary_pairs(ramus_server *s, ramus_exchange *x)
{
    ramus_model_file **files = NULL;
    ramus_error err = {0};
    int n = 0;
    if (ramus_models_list(s->models, &files, &n, &err)) {
        ramus_answer_error(s, x, 503, "%s", err.message);
        return;
    }
    ramus_buffer_text(&x->answer, "{\"supported_languages\": [");
    for (int i = 0; i < n; i++)
        ramus_buffer_print(&x->answer, "%s{\"source_lang\": \"%s\", \"target_lang\": \"%s\"}",
                           i ? ", " : "", files[i]->from, files[i]->to);
    ramus_buffer_text(&x->answer, "]}");
    ramus_models_release_all(s->models, files, n);
    ramus_answer_json(x);
}

static void nobody_waits(void *waiter)
{
    (void)waiter;
}

static void create_document(ramus_server *s, ramus_exchange *x)
{
    ramus_error err = {0};
    ramus_ask ask = {.from = ramus_fields_string(&x->fields, "source_lang"),
                     .to = ramus_fields_string(&x->fields, "target_lang"),
                     .glossary = ramus_fields_string(&x->fields, "glossary_id")};
    ramus_work *w = NULL;
    ramus_upload *u = NULL;
    const char *name = NULL, *wrong = ramus_read_file_field(x, &ask, &name);
    if (wrong) {
        ramus_answer_error(s, x, 400, "Invalid file: %s", wrong);
        return;
    }
    ramus_translate_prepare(s, x, &ask, &w);
    if (!w) return;
    w->done = nobody_waits;
    if (ramus_documents_add(s->documents, name, w, &u, &err)) {
        ramus_queue_release(s->queue, w);
        ramus_answer_error(s, x, 429, "%s", err.message);
        return;
    }
    if (ramus_queue_add(s->queue, w, u, &err)) {
        ramus_documents_remove(s->documents, u);
        ramus_answer_error(s, x, 503, "%s", err.message);
        return;
    }
    ramus_buffer_print(&x->answer, "{\"document_id\": \"%s\", \"document_key\": \"%s\"}", u->id,
                       u->key);
    ramus_answer_json(x);
}

static void write_status(ramus_server *s, ramus_exchange *x, const ramus_upload *u)
{
    const ramus_work *w = u->work;
    const ramus_item *item = &w->items[0];
    const bool done = ramus_queue_done(s->queue, w);
    ramus_buffer_print(&x->answer, "{\"document_id\": \"%s\", ", u->id);
    if (!done && atomic_load(&w->progress) == 0)
        ramus_buffer_text(&x->answer, "\"status\": \"queued\"}");
    else if (!done)
        ramus_buffer_text(&x->answer, "\"status\": \"translating\", \"seconds_remaining\": 1}");
    else if (item->status)
        ramus_buffer_print(&x->answer,
                           "\"status\": \"error\", \"message\": \"the document cannot be "
                           "translated\", \"error_message\": \"the document cannot be "
                           "translated\"}");
    else
        ramus_buffer_print(&x->answer, "\"status\": \"done\", \"billed_characters\": %d}",
                           w->characters);
    ramus_answer_json(x);
}

static void one_document(ramus_server *s, ramus_exchange *x)
{
    const char *id = x->path + strlen("/v2/document/");
    const char *key = ramus_fields_string(&x->fields, "document_key");
    ramus_upload *u =
        strlen(id) >= RAMUS_ID_ROOM - 1 && key ? ramus_documents_find(s->documents, id, key) : NULL;
    const char *rest = u ? id + RAMUS_ID_ROOM - 1 : "";
    if (!u || (*rest && strcmp(rest, "/result") != 0)) {
        ramus_answer_error(s, x, 404, "Document not found.");
    } else if (!*rest) {
        write_status(s, x, u);
    } else if (!ramus_queue_done(s->queue, u->work)) {
        ramus_answer_error(s, x, 503, "Document not ready.");
    } else if (u->work->items[0].status) {
        ramus_answer_error(s, x, 404, "The document could not be translated.");
    } else {
        ramus_answer_file(x, u);
        ramus_documents_remove(s->documents, u); // it can be fetched once
    }
}

// clang-format off
#define DEEPL &ramus_dialect_deepl
#define GET_OR_DELETE (RAMUS_METHOD_GET | RAMUS_METHOD_DELETE)
static const ramus_route rows[] = {
    {"/v2/glossaries",              RAMUS_METHOD_POST, DEEPL, false, true,  create_glossary, NULL},
    {"/v2/glossaries",              RAMUS_METHOD_GET,  DEEPL, false, false, list_glossaries, NULL},
    {"/v2/glossaries/*",            GET_OR_DELETE,     DEEPL, false, false, one_glossary, NULL},
    {"/v2/glossary-language-pairs", RAMUS_METHOD_GET,  DEEPL, false, false, glossary_pairs, NULL},
    {"/v2/document",                RAMUS_METHOD_POST, DEEPL, false, true,  create_document, NULL},
    {"/v2/document/*",              RAMUS_METHOD_POST, DEEPL, false, false, one_document, NULL},
};
// clang-format on

const ramus_routes ramus_routes_deepl_files = {rows, RAMUS_COUNT(rows)};
