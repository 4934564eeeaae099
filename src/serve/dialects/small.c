/* Dialects of one address: Immersive Translate, Kiss Translator, DeepLX. */
#include "serve/dialects/write.h"

#include <string.h>

static void write_code_error(ramus_buffer *out, int code, const char *message)
{
    ramus_buffer_print(out, "{\"code\": %d, \"message\": ", code);
    ramus_write_string(out, message);
    ramus_buffer_text(out, "}");
}

static const ramus_dialect immersive = {"immersive", ramus_error_simple, 413, 401, true};
static const ramus_dialect kiss = {"kiss", ramus_error_simple, 413, 401, false};
static const ramus_dialect deeplx = {"deeplx", write_code_error, 413, 401, false};

/* The source is a wish: pages have parts in other languages. */
static void translate_immersive(ramus_server *s, ramus_exchange *x)
{
    const ramus_ask ask = {.field = "text_list",
                           .format = "text",
                           .to = ramus_fields_string(&x->fields, "target_lang")};
    ramus_translate_start(s, x, &ask);
}

/* {"KEY": [{"detected..": code, "text": ..}]} */
static void write_list(ramus_exchange *x, const char *code_key)
{
    ramus_buffer_text(&x->answer, "{\"translations\": [");
    for (int i = 0; i < x->work->n; i++) {
        const ramus_item *item = &x->work->items[i];
        ramus_buffer_print(&x->answer, "%s{\"%s\": ", i ? ", " : "", code_key);
        ramus_write_string(&x->answer, item->from);
        ramus_buffer_text(&x->answer, ", \"text\": ");
        ramus_write_text(&x->answer, ramus_item_text(item, 0));
        ramus_buffer_text(&x->answer, "}");
    }
    ramus_buffer_text(&x->answer, "]}");
    ramus_answer_json(x);
}

static void finish_immersive(ramus_server *s, ramus_exchange *x)
{
    if (ramus_translate_done(s, x)) write_list(x, "detected_source_lang");
}

static void translate_kiss(ramus_server *s, ramus_exchange *x)
{
    const bool many = ramus_fields_find(&x->fields, "texts") != NULL;
    const ramus_ask ask = {.field = many ? "texts" : "text",
                           .format = "text",
                           .from = ramus_fields_string(&x->fields, "from"),
                           .to = ramus_fields_string(&x->fields, "to")};
    ramus_translate_start(s, x, &ask);
}

static void finish_kiss(ramus_server *s, ramus_exchange *x)
{
    if (!ramus_translate_done(s, x)) return;
    if (ramus_fields_find(&x->work->fields, "texts")) {
        write_list(x, "src");
        return;
    }
    const ramus_item *item = &x->work->items[0];
    ramus_buffer_text(&x->answer, "{\"text\": ");
    ramus_write_text(&x->answer, ramus_item_text(item, 0));
    ramus_buffer_text(&x->answer, ", \"src\": ");
    ramus_write_string(&x->answer, item->from);
    ramus_buffer_text(&x->answer, "}");
    ramus_answer_json(x);
}

static void translate_deeplx(ramus_server *s, ramus_exchange *x)
{
    const ramus_ask ask = {.field = "text",
                           .format = "text",
                           .alternatives = s->settings->max_alternatives,
                           .from = ramus_fields_string(&x->fields, "source_lang"),
                           .to = ramus_fields_string(&x->fields, "target_lang")};
    ramus_translate_start(s, x, &ask);
}

static void finish_deeplx(ramus_server *s, ramus_exchange *x)
{
    if (!ramus_translate_done(s, x)) return;
    const ramus_item *item = &x->work->items[0];
    ramus_buffer *out = &x->answer;
    ramus_buffer_print(out, "{\"code\": 200, \"id\": %ld, \"data\": ", x->number);
    ramus_write_text(out, ramus_item_text(item, 0));
    ramus_buffer_text(out, ", \"alternatives\": [");
    for (int j = 1; j < ramus_item_count(item); j++) {
        if (j > 1) ramus_buffer_text(out, ", ");
        ramus_write_text(out, ramus_item_text(item, j));
    }
    ramus_buffer_text(out, "], \"source_lang\": ");
    ramus_write_capitals(out, item->from);
    ramus_buffer_text(out, ", \"target_lang\": ");
    ramus_write_capitals(out, x->work->to);
    ramus_buffer_text(out, ", \"method\": \"Free\"}");
    ramus_answer_json(x);
}

// clang-format off
static const ramus_route rows[] = {
    {"/imme",   RAMUS_METHOD_POST, &immersive, false, false, translate_immersive, finish_immersive},
    {"/kiss",   RAMUS_METHOD_POST, &kiss,      false, false, translate_kiss, finish_kiss},
    {"/deeplx", RAMUS_METHOD_POST, &deeplx,    false, false, translate_deeplx, finish_deeplx},
};
// clang-format on

const ramus_routes ramus_routes_small = {rows, RAMUS_COUNT(rows)};
