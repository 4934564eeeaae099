/* DeepL, version 2: texts, languages and usage. Clients retry after 429 and from 500 on. */
#include "serve/dialects/deepl.h"
#include "serve/dialects/write.h"
#include "serve/languages.h"

#include <stdio.h>
#include <string.h>

#define NO_LIMIT 1000000000000LL // characters: clients want a number

static void write_error(ramus_buffer *out, int code, const char *message)
{
    (void)code;
    ramus_buffer_text(out, "{\"message\": ");
    ramus_write_string(out, message);
    ramus_buffer_text(out, "}");
}

const ramus_dialect ramus_dialect_deepl = {"deepl", write_error, 413, 403, false};

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* Checks a field that has a few values; false: the error is answered. */
static bool check_choice(ramus_server *s, ramus_exchange *x, const char *name,
                         const char *const *words)
{
    const char *value = ramus_fields_string(&x->fields, name);
    if (!value || is_one_of(value, words)) return true;
    ramus_answer_error(s, x, 400, "Value for '%s' not supported.", name);
    return false;
}

static void translate(ramus_server *s, ramus_exchange *x)
{
    static const char *const tags[] = {"", "html", "xml", NULL};
    static const char *const formalities[] = {"", "default", "prefer_more", "prefer_less", NULL};
    static const char *const splits[] = {"", "0", "1", "nonewlines", NULL};
    ramus_ask ask = {.field = "text", .format = "text"};
    if (!check_choice(s, x, "tag_handling", tags) ||
        !check_choice(s, x, "formality", formalities) ||
        !check_choice(s, x, "split_sentences", splits))
        return;
    const char *tag = ramus_fields_string(&x->fields, "tag_handling");
    const char *split = ramus_fields_string(&x->fields, "split_sentences");
    if (tag && *tag) {
        ask.format = "html";
    } else if (split && strcmp(split, "0") == 0) {
        ask.format = NULL;
        ask.whole_lines = true;
    }
    ask.from = ramus_fields_string(&x->fields, "source_lang");
    ask.to = ramus_fields_string(&x->fields, "target_lang");
    ask.glossary = ramus_fields_string(&x->fields, "glossary_id");
    if (!ask.to)
        ramus_answer_error(s, x, 400, "Value for 'target_lang' not supported.");
    else if (ask.glossary && (!ask.from || !*ask.from))
        ramus_answer_error(s, x, 400, "Use of a glossary requires the source_lang parameter.");
    else
        ramus_translate_start(s, x, &ask);
}

static void finish(ramus_server *s, ramus_exchange *x)
{
    const ramus_work *w = x->work;
    if (!ramus_translate_done(s, x)) return;
    const bool billed = ramus_fields_switch(&w->fields, "show_billed_characters", false);
    ramus_buffer_text(&x->answer, "{\"translations\": [");
    for (int i = 0; i < w->n; i++) {
        ramus_buffer_print(&x->answer, "%s{\"detected_source_language\": ", i ? ", " : "");
        ramus_write_capitals(&x->answer, w->items[i].from);
        ramus_buffer_text(&x->answer, ", \"text\": ");
        ramus_write_text(&x->answer, ramus_item_text(&w->items[i], 0));
        if (billed)
            ramus_buffer_print(&x->answer, ", \"billed_characters\": %d",
                               ramus_characters(w->items[i].source));
        ramus_buffer_text(&x->answer, "}");
    }
    ramus_buffer_text(&x->answer, "]}");
    ramus_answer_json(x);
}

/* A list of languages while it is written. */
typedef struct {
    ramus_buffer *out;
    bool targets;
    const char *comma;
} listing;

static void write_entry(listing *l, const char *code, const char *region, const char *name)
{
    char full[2 * RAMUS_LANGUAGE_ROOM];
    (void)snprintf(full, sizeof full, "%s%s", code, region);
    ramus_buffer_print(l->out, "%s{\"language\": ", l->comma);
    ramus_write_capitals(l->out, full);
    ramus_buffer_print(l->out, ", \"name\": \"%s%s\"", ramus_language_title(code), name);
    if (l->targets) ramus_buffer_text(l->out, ", \"supports_formality\": false");
    ramus_buffer_text(l->out, "}");
    l->comma = ", ";
}

/* As targets, clients know English and Portuguese by region alone. */
static void write_language(void *arg, const char *code)
{
    static const char *const regions[][3] = {{"en", "-GB", " (British)"},
                                             {"en", "-US", " (American)"},
                                             {"pt", "-BR", " (Brazilian)"},
                                             {"pt", "-PT", " (European)"}};
    listing *l = arg;
    bool found = false;
    for (int i = 0; i < RAMUS_COUNT(regions) && l->targets; i++)
        if (strcmp(regions[i][0], code) == 0) {
            write_entry(l, code, regions[i][1], regions[i][2]);
            found = true;
        }
    if (!found) write_entry(l, code, "", "");
}

static void languages(ramus_server *s, ramus_exchange *x)
{
    static const char *const types[] = {"source", "target", NULL};
    if (!check_choice(s, x, "type", types)) return;
    const char *type = ramus_fields_string(&x->fields, "type");
    listing l = {&x->answer, type && strcmp(type, "target") == 0, ""};
    ramus_buffer_text(&x->answer, "[");
    ramus_visit_languages(s, !l.targets, write_language, &l);
    ramus_buffer_text(&x->answer, "]");
    ramus_answer_json(x);
}

static void usage(ramus_server *s, ramus_exchange *x)
{
    ramus_buffer_print(&x->answer, "{\"character_count\": %ld, \"character_limit\": %lld}",
                       ramus_metrics_read(s->metrics, RAMUS_METRIC_CHARACTERS), NO_LIMIT);
    ramus_answer_json(x);
}

// clang-format off
#define DEEPL &ramus_dialect_deepl
static const ramus_route rows[] = {
    {"/v2/translate", RAMUS_METHOD_POST, DEEPL, false, false, translate, finish},
    {"/deepl",        RAMUS_METHOD_POST, DEEPL, false, false, translate, finish},
    {"/v2/languages", RAMUS_METHOD_GET | RAMUS_METHOD_POST, DEEPL, false, false, languages, NULL},
    {"/v2/usage",     RAMUS_METHOD_GET | RAMUS_METHOD_POST, DEEPL, false, false, usage, NULL},
};
// clang-format on

const ramus_routes ramus_routes_deepl = {rows, RAMUS_COUNT(rows)};
