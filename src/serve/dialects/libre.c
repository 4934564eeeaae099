/* LibreTranslate, as its app.py of July 2026 reads and answers. */
#include "document/format.h"
#include "serve/dialects/mtran.h"
#include "serve/dialects/write.h"
#include "serve/languages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const ramus_dialect libre = {"libretranslate", ramus_error_simple, 400, 403, false};

static void write_detected(ramus_buffer *out, const ramus_item *item)
{
    ramus_buffer_print(out, "{\"confidence\": %.0f, \"language\": ", round(item->certainty * 100));
    ramus_write_string(out, item->from);
    ramus_buffer_text(out, "}");
}

static bool same(ramus_text a, ramus_text b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* All but the best, without what is empty or was there before. */
static void write_alternatives(ramus_buffer *out, const ramus_item *item)
{
    const bool html = item->work->how.format && strcmp(item->work->how.format, "html") == 0;
    const char *comma = "";
    ramus_buffer_text(out, "[");
    for (int j = 1; j < ramus_item_count(item) && !html; j++) {
        const ramus_text text = ramus_item_text(item, j);
        bool is_new = text.size > 0;
        for (int k = 0; k < j && is_new; k++)
            is_new = !same(text, ramus_item_text(item, k));
        if (!is_new) continue;
        ramus_buffer_text(out, comma);
        ramus_write_text(out, text);
        comma = ", ";
    }
    ramus_buffer_text(out, "]");
}

static void write_translation(ramus_buffer *out, const ramus_item *item)
{
    ramus_write_text(out, ramus_item_text(item, 0));
}

/* Adds a member: what `write` says of the one item, or the list of all. */
static void write_each(ramus_exchange *x, const char *key,
                       void (*write)(ramus_buffer *out, const ramus_item *item))
{
    const ramus_work *w = x->work;
    const bool list = ramus_is_list(&w->fields, "q") || w->n > 1; // a form may have several
    ramus_buffer_print(&x->answer, "%s\"%s\": %s", x->answer.size > 1 ? ", " : "", key,
                       list ? "[" : "");
    for (int i = 0; i < w->n; i++) {
        if (i) ramus_buffer_text(&x->answer, ", ");
        write(&x->answer, &w->items[i]);
    }
    if (list) ramus_buffer_text(&x->answer, "]");
}

static void finish_translate(ramus_server *s, ramus_exchange *x)
{
    if (!ramus_translate_done(s, x)) return;
    ramus_buffer_text(&x->answer, "{");
    write_each(x, "translatedText", write_translation);
    if (x->work->detected) write_each(x, "detectedLanguage", write_detected);
    if (x->work->how.n_best > 1) write_each(x, "alternatives", write_alternatives);
    ramus_buffer_text(&x->answer, "}");
    ramus_answer_json(x);
}

/* The fields that a translation needs; NULL, or the name of the one that is missing. */
static const char *find_missing(const ramus_exchange *x)
{
    static const char *const needed[] = {"q", "source", "target"};
    for (int i = 0; i < RAMUS_COUNT(needed); i++) {
        const ramus_field *f = ramus_fields_find(&x->fields, needed[i]);
        if (!f || f->type == RAMUS_FIELD_NULL) return needed[i];
    }
    return NULL;
}

static void translate(ramus_server *s, ramus_exchange *x)
{
    ramus_error err = {0};
    ramus_ask ask = {.field = "q", .format = "text"};
    if (!ramus_fields_find(&x->fields, "q") && ramus_fields_find(&x->fields, "text")) {
        x->route = &ramus_route_mtran_translate; // the same address, other fields
        x->route->handle(s, x);
        return;
    }
    const char *missing = find_missing(x), *format = ramus_fields_string(&x->fields, "format");
    const ramus_status st = ramus_fields_whole(&x->fields, "alternatives", &ask.alternatives, &err);
    if (missing) {
        ramus_answer_error(s, x, 400, "Invalid request: missing %s parameter", missing);
    } else if (st && st != RAMUS_NOT_FOUND) {
        ramus_answer_error(s, x, 400, "Invalid request: %s", err.message);
    } else if (format && strcmp(format, "text") != 0 && strcmp(format, "html") != 0) {
        ramus_answer_error(s, x, 400, "%.20s format is not supported", format);
    } else {
        if (format && strcmp(format, "html") == 0) ask.format = "html";
        ask.from = ramus_fields_string(&x->fields, "source");
        ask.to = ramus_fields_string(&x->fields, "target");
        ramus_translate_start(s, x, &ask);
    }
}

static void detect(ramus_server *s, ramus_exchange *x)
{
    const ramus_field *q = ramus_fields_find(&x->fields, "q");
    double certainty = 0;
    if (!q || q->type != RAMUS_FIELD_TEXT) {
        ramus_answer_error(s, x, 400, "Invalid request: missing q parameter");
        return;
    }
    const ramus_text text = ramus_field_text(&x->fields, q);
    const char *code = ramus_detect_language(text.data, text.size, &certainty);
    ramus_buffer_print(&x->answer,
                       "[{\"confidence\": %.0f, \"language\": ", code ? round(certainty * 100) : 0);
    ramus_write_string(&x->answer, code ? code : "en");
    ramus_buffer_text(&x->answer, "}]");
    ramus_answer_json(x);
}

/* A list of languages with their targets, while it is written. */
typedef struct {
    ramus_server *server;
    ramus_buffer *out;
    const char *source;
    const char *comma;
} listing;

static void write_target(void *arg, const char *code)
{
    listing *l = arg;
    ramus_model_file *steps[2];
    if (strcmp(code, l->source) == 0) return; // it is there already
    const int n = ramus_models_route(l->server->models, l->source, code, steps);
    for (int i = 0; i < n; i++)
        ramus_models_release(l->server->models, steps[i]);
    if (n == 0) return;
    ramus_buffer_text(l->out, ", ");
    ramus_write_string(l->out, code);
}

static void write_language(listing *l, const char *code)
{
    listing targets = {l->server, l->out, code, ""};
    ramus_buffer_print(l->out, "%s{\"code\": ", l->comma);
    ramus_write_string(l->out, code);
    ramus_buffer_text(l->out, ", \"name\": ");
    ramus_write_string(l->out, ramus_language_title(code));
    ramus_buffer_text(l->out, ", \"targets\": [");
    ramus_write_string(l->out, code);
    ramus_visit_languages(l->server, false, write_target, &targets);
    ramus_buffer_text(l->out, "]}");
    l->comma = ", ";
}

static void write_source(void *arg, const char *code)
{
    write_language(arg, code);
}

/* Clients look every target up in the same list. */
static void write_only_target(void *arg, const char *code)
{
    listing *l = arg;
    if (!ramus_models_reads(l->server->models, code)) write_language(l, code);
}

static void languages(ramus_server *s, ramus_exchange *x)
{
    listing l = {s, &x->answer, NULL, ""};
    ramus_buffer_text(&x->answer, "[");
    ramus_visit_languages(s, true, write_source, &l);
    ramus_visit_languages(s, false, write_only_target, &l);
    ramus_buffer_text(&x->answer, "]");
    ramus_answer_json(x);
}

static void health(ramus_server *s, ramus_exchange *x)
{
    (void)s;
    ramus_buffer_text(&x->answer, "{\"status\": \"ok\"}");
    ramus_answer_json(x);
}

static void first_language(void *arg, const char *code)
{
    char *first = arg;
    if (!*first || strcmp(code, "en") == 0) memcpy(first, code, strlen(code) + 1);
}

static void first_other(void *arg, const char *code)
{
    char *first = arg; // the source lies behind it
    if (!*first && strcmp(code, first + RAMUS_LANGUAGE_ROOM) != 0)
        memcpy(first, code, strlen(code) + 1);
}

static void settings(ramus_server *s, ramus_exchange *x)
{
    char codes[2 * RAMUS_LANGUAGE_ROOM] = ""; // target, source
    char *target = codes, *source = codes + RAMUS_LANGUAGE_ROOM;
    const bool keys = ramus_keys_needed(s->keys);
    const int most = s->settings->max_characters;
    ramus_buffer *out = &x->answer;
    ramus_visit_languages(s, true, first_language, source);
    ramus_visit_languages(s, false, first_other, target);
    ramus_buffer_print(out,
                       "{\"apiKeys\": %s, \"charLimit\": %d, \"filesTranslation\": true, "
                       "\"frontendTimeout\": 500, \"keyRequired\": %s, \"suggestions\": false, "
                       "\"supportedFilesFormat\": [",
                       keys ? "true" : "false", most ? most : -1, keys ? "true" : "false");
    int n = 0;
    const ramus_format *const *formats = ramus_formats(&n);
    const char *comma = "";
    for (int i = 0; i < n; i++) {
        const char *word = formats[i]->extensions;
        while (*word) {
            const int size = (int)strcspn(word, " ");
            ramus_buffer_print(out, "%s\".%.*s\"", comma, size, word);
            comma = ", ";
            word += size + (word[size] != '\0');
        }
    }
    ramus_buffer_print(out, "], \"language\": {\"source\": {\"code\": \"%s\", \"name\": \"%s\"}, ",
                       source, ramus_language_title(source));
    ramus_buffer_print(out, "\"target\": {\"code\": \"%s\", \"name\": \"%s\"}}}", target,
                       ramus_language_title(target));
    ramus_answer_json(x);
}

static void translate_file(ramus_server *s, ramus_exchange *x)
{
    ramus_ask ask = {0};
    const char *name = NULL, *wrong = ramus_read_file_field(x, &ask, &name);
    ask.from = ramus_fields_string(&x->fields, "source");
    ask.to = ramus_fields_string(&x->fields, "target");
    if (wrong)
        ramus_answer_error(s, x, 400, "Invalid request: %s", wrong);
    else if (!ask.from || !ask.to)
        ramus_answer_error(s, x, 400, "Invalid request: missing %s parameter",
                           ask.from ? "target" : "source");
    else
        ramus_translate_start(s, x, &ask);
}

static void finish_file(ramus_server *s, ramus_exchange *x)
{
    ramus_error err = {0};
    ramus_upload *u = NULL;
    if (!ramus_translate_done(s, x)) return;
    const ramus_fields *f = &x->work->fields;
    const char *name = f->bytes.data + ramus_fields_find(f, "file")->file.start;
    if (ramus_documents_add(s->documents, name, x->work, &u, &err)) {
        ramus_answer_error(s, x, 503, "%s", err.message);
        return;
    }
    x->work = NULL; // the list of documents holds it
    ramus_buffer url = {0};
    ramus_buffer_print(&url, "%s://%s/download_file/%s.%s", x->secure ? "https" : "http", x->host,
                       u->id, u->name);
    ramus_buffer_text(&x->answer, "{\"translatedFileUrl\": ");
    ramus_write_string(&x->answer, url.data ? url.data : "");
    ramus_buffer_text(&x->answer, "}");
    ramus_buffer_free(&url);
    ramus_answer_json(x);
}

static void download_file(ramus_server *s, ramus_exchange *x)
{
    const char *id = x->path + strlen("/download_file/");
    const ramus_upload *u =
        strlen(id) < RAMUS_ID_ROOM - 1 ? NULL : ramus_documents_find(s->documents, id, NULL);
    if (u)
        ramus_answer_file(x, u);
    else
        ramus_answer_error(s, x, 404, "there is no such file, or its hour is over");
}

static void suggest(ramus_server *s, ramus_exchange *x)
{
    ramus_answer_error(s, x, 403, "Suggestions are disabled on this server.");
}

static void spec(ramus_server *s, ramus_exchange *x)
{
    (void)s;
    ramus_buffer_print(&x->answer,
                       "{\"swagger\": \"2.0\", \"info\": {\"title\": \"LibreTranslate\", "
                       "\"description\": \"ramus\", \"version\": \"%s\"}, \"paths\": {",
                       ramus_version());
    for (int i = 0; i < ramus_routes_libre.n; i++) {
        const ramus_route *r = &ramus_routes_libre.rows[i];
        ramus_buffer_print(
            &x->answer,
            "%s\"%s\": {\"%s\": {\"tags\": [\"translate\"], \"responses\": {\"200\": "
            "{\"description\": \"OK\"}}}}",
            i ? ", " : "", r->path, r->methods & RAMUS_METHOD_POST ? "post" : "get");
    }
    ramus_buffer_text(&x->answer, "}}");
    ramus_answer_json(x);
}

// clang-format off
static const ramus_route rows[] = {
    {"/translate",         RAMUS_METHOD_POST, &libre, false, false, translate, finish_translate},
    {"/detect",            RAMUS_METHOD_POST, &libre, false, false, detect, NULL},
    {"/languages",         RAMUS_METHOD_GET,  &libre, true,  false, languages, NULL},
    {"/health",            RAMUS_METHOD_GET,  &libre, true,  false, health, NULL},
    {"/frontend/settings", RAMUS_METHOD_GET,  &libre, true,  false, settings, NULL},
    {"/translate_file",    RAMUS_METHOD_POST, &libre, false, true,  translate_file, finish_file},
    {"/download_file/*",   RAMUS_METHOD_GET,  &libre, true,  false, download_file, NULL},
    {"/suggest",           RAMUS_METHOD_POST, &libre, false, false, suggest, NULL},
    {"/spec",              RAMUS_METHOD_GET,  &libre, true,  false, spec, NULL},
};
// clang-format on

const ramus_routes ramus_routes_libre = {rows, RAMUS_COUNT(rows)};
