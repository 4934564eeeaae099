/* MTranServer's own dialect. */
#include "serve/dialects/mtran.h"
#include "serve/dialects/write.h"

static const ramus_dialect mtran = {"mtranserver", ramus_error_simple, 413, 401, false};

static void start(ramus_server *s, ramus_exchange *x, const char *field)
{
    const bool html = ramus_fields_switch(&x->fields, "html", false);
    const ramus_ask ask = {.field = field,
                           .format = html ? "html" : "text",
                           .from = ramus_fields_string(&x->fields, "from"),
                           .to = ramus_fields_string(&x->fields, "to")};
    ramus_translate_start(s, x, &ask);
}

static void translate(ramus_server *s, ramus_exchange *x)
{
    start(s, x, "text");
}

static void translate_batch(ramus_server *s, ramus_exchange *x)
{
    start(s, x, "texts");
}

static void finish(ramus_server *s, ramus_exchange *x)
{
    if (!ramus_translate_done(s, x)) return;
    ramus_buffer_text(&x->answer, "{\"result\": ");
    ramus_write_text(&x->answer, ramus_item_text(&x->work->items[0], 0));
    ramus_buffer_text(&x->answer, "}");
    ramus_answer_json(x);
}

static void finish_batch(ramus_server *s, ramus_exchange *x)
{
    if (!ramus_translate_done(s, x)) return;
    ramus_buffer_text(&x->answer, "{\"results\": [");
    for (int i = 0; i < x->work->n; i++) {
        if (i) ramus_buffer_text(&x->answer, ", ");
        ramus_write_text(&x->answer, ramus_item_text(&x->work->items[i], 0));
    }
    ramus_buffer_text(&x->answer, "]}");
    ramus_answer_json(x);
}

static void version(ramus_server *s, ramus_exchange *x)
{
    (void)s;
    ramus_buffer_print(&x->answer, "{\"version\": \"%s\"}", ramus_version());
    ramus_answer_json(x);
}

const ramus_route ramus_route_mtran_translate = {"/translate", RAMUS_METHOD_POST, &mtran, false,
                                                 false,        translate,         finish};

// clang-format off
static const ramus_route rows[] = {
    {"/translate/batch", RAMUS_METHOD_POST, &mtran, false, false, translate_batch, finish_batch},
    {"/version",         RAMUS_METHOD_GET,  &mtran, true,  false, version, NULL},
};
// clang-format on

const ramus_routes ramus_routes_mtran = {rows, RAMUS_COUNT(rows)};
