/* Google Translate: version 2 of its interface, and the address that its old page asks. */
#include "serve/dialects/write.h"

#include <string.h>

static const char *word_of(int code)
{
    switch (code) {
    case 401:
    case 403:
        return "forbidden";
    case 413:
        return "uploadTooLarge";
    case 429:
        return "rateLimitExceeded";
    case 500:
    case 503:
        return "backendError";
    default:
        return "invalid";
    }
}

static void write_error(ramus_buffer *out, int code, const char *message)
{
    ramus_buffer_print(out, "{\"error\": {\"code\": %d, \"message\": ", code);
    ramus_write_string(out, message);
    ramus_buffer_text(out, ", \"errors\": [{\"message\": ");
    ramus_write_string(out, message);
    ramus_buffer_print(out, ", \"domain\": \"global\", \"reason\": \"%s\"}]}}", word_of(code));
}

static const ramus_dialect google = {"google", write_error, 413, 403, false};

static void translate(ramus_server *s, ramus_exchange *x)
{
    const char *format = ramus_fields_string(&x->fields, "format");
    const bool html = format && strcmp(format, "html") == 0;
    const ramus_ask ask = {.field = "q",
                           .format = html ? "html" : "text",
                           .from = ramus_fields_string(&x->fields, "source"),
                           .to = ramus_fields_string(&x->fields, "target")};
    if (format && !html && strcmp(format, "text") != 0)
        ramus_answer_error(s, x, 400, "Invalid Value: format");
    else
        ramus_translate_start(s, x, &ask);
}

static void finish(ramus_server *s, ramus_exchange *x)
{
    if (!ramus_translate_done(s, x)) return;
    ramus_buffer_text(&x->answer, "{\"data\": {\"translations\": [");
    for (int i = 0; i < x->work->n; i++) {
        ramus_buffer_print(&x->answer, "%s{\"translatedText\": ", i ? ", " : "");
        ramus_write_text(&x->answer, ramus_item_text(&x->work->items[i], 0));
        if (x->work->detected) {
            ramus_buffer_text(&x->answer, ", \"detectedSourceLanguage\": ");
            ramus_write_string(&x->answer, x->work->items[i].from);
        }
        ramus_buffer_text(&x->answer, "}");
    }
    ramus_buffer_text(&x->answer, "]}}");
    ramus_answer_json(x);
}

static void translate_page(ramus_server *s, ramus_exchange *x)
{
    const ramus_ask ask = {.field = "q",
                           .format = "text",
                           .from = ramus_fields_string(&x->fields, "sl"),
                           .to = ramus_fields_string(&x->fields, "tl")};
    ramus_translate_start(s, x, &ask);
}

static void finish_page(ramus_server *s, ramus_exchange *x)
{
    if (!ramus_translate_done(s, x)) return;
    const ramus_item *item = &x->work->items[0];
    ramus_buffer_text(&x->answer, "[[[");
    ramus_write_text(&x->answer, ramus_item_text(item, 0));
    ramus_buffer_text(&x->answer, ", ");
    ramus_write_text(&x->answer, item->source);
    ramus_buffer_text(&x->answer, ", null, null, 1]], null, ");
    ramus_write_string(&x->answer, item->from);
    ramus_buffer_text(&x->answer, ", null, null, null, null, []]");
    ramus_answer_json(x);
}

// clang-format off
#define BOTH (RAMUS_METHOD_GET | RAMUS_METHOD_POST)
static const ramus_route rows[] = {
    {"/google/language/translate/v2", BOTH, &google, false, false, translate, finish},
    {"/language/translate/v2",        BOTH, &google, false, false, translate, finish},
    {"/google/translate_a/single",    BOTH, &google, false, false, translate_page, finish_page},
    {"/translate_a/single",           BOTH, &google, false, false, translate_page, finish_page},
};
// clang-format on

const ramus_routes ramus_routes_google = {rows, RAMUS_COUNT(rows)};
