/* Our own dialect: what `ramus translate --json` prints, at once or sentence by sentence; and what
 * those who run a server look at. */
#include "serve/dialects/write.h"

#include "base/clock.h"
#include "data/translation_json.h"

#include <string.h>

static const ramus_dialect own = {"ramus", ramus_error_simple, 413, 401, false};

/* As a stream of events, or as lines of JSON. */
typedef enum { WHOLE, EVENTS, LINES } manner;

static manner manner_of(const ramus_exchange *x, const ramus_fields *f)
{
    if (strstr(x->accept, "text/event-stream")) return EVENTS;
    if (strstr(x->accept, "application/x-ndjson")) return LINES;
    return ramus_fields_switch(f, "stream", false) ? LINES : WHOLE;
}

/* Adds what comes before and behind each object of a stream. */
static void begin_piece(const ramus_exchange *x, ramus_buffer *out, const char *event)
{
    if (strstr(x->accept, "text/event-stream")) ramus_buffer_print(out, "event: %s\ndata: ", event);
}

static void end_piece(const ramus_exchange *x, ramus_buffer *out)
{
    ramus_buffer_text(out, strstr(x->accept, "text/event-stream") ? "\n\n" : "\n");
}

/* Called by a worker. */
static void tell_sentence(void *exchange, int item, const ramus_sentence_pair *pair)
{
    ramus_exchange *x = exchange;
    ramus_buffer out = {0};
    begin_piece(x, &out, "sentence");
    ramus_buffer_print(&out, "{\"text\": %d, \"sentence\": %d, \"source\": ", item, x->told++);
    ramus_write_text(&out, pair->source);
    ramus_buffer_text(&out, ", \"target\": ");
    ramus_write_text(&out, pair->target);
    ramus_buffer_print(&out, ", \"log_prob\": %.9g, \"notes\": ", pair->log_prob);
    ramus_notes_json(&out, pair->notes);
    ramus_buffer_text(&out, "}");
    end_piece(x, &out);
    ramus_http_send(x, out.data, out.size);
    ramus_buffer_free(&out);
}

/* The row of that name; NULL: "lines", or none. */
static const char *find_format(const char *name)
{
    for (int i = 0; ramus_format_name(i); i++)
        if (strcmp(ramus_format_name(i), name) == 0) return ramus_format_name(i);
    return NULL;
}

/* Reads the options; false: the error is answered. */
static bool read_ask(ramus_server *s, ramus_exchange *x, ramus_ask *ask)
{
    ramus_error err = {0};
    const ramus_fields *f = &x->fields;
    const char *format = ramus_fields_string(f, "format");
    const int most = s->settings->beam > s->settings->max_alternatives + 1
                         ? s->settings->beam
                         : s->settings->max_alternatives + 1;
    int n_best = 1;
    ramus_status st = ramus_fields_whole(f, "n_best", &n_best, &err);
    if (st == RAMUS_OK || st == RAMUS_NOT_FOUND)
        st = ramus_fields_whole(f, "beam", &ask->beam, &err);
    ask->alternatives = n_best - 1;
    ask->from = ramus_fields_string(f, "from");
    ask->to = ramus_fields_string(f, "to");
    ask->prefix = ramus_fields_string(f, "prefix");
    ask->glossary = ramus_fields_string(f, "glossary");
    ask->details = ramus_fields_switch(f, "details", false);
    ask->unprotected = ramus_fields_switch(f, "unprotected", false);
    ask->whole_lines = ramus_fields_switch(f, "whole_lines", false);
    if (format && *format) ask->format = find_format(format);
    if (st && st != RAMUS_NOT_FOUND)
        ramus_answer_error(s, x, 400, "%s", err.message);
    else if (st == RAMUS_OK && (ask->beam < 1 || ask->beam > most))
        ramus_answer_error(s, x, 400, "beam is %d, expected 1 to %d", ask->beam, most);
    else if (ask->beam && n_best > ask->beam)
        ramus_answer_error(s, x, 400, "n_best is %d, expected at most the beam, %d", n_best,
                           ask->beam);
    else if (format && *format && !ask->format && strcmp(format, "lines") != 0)
        ramus_answer_error(s, x, 400, "format %.20s is unknown", format);
    else if (ask->format && (strcmp(ask->format, "docx") == 0 || strcmp(ask->format, "odt") == 0))
        ramus_answer_error(s, x, 400, "%s is an archive: send it to /v2/document", ask->format);
    else
        return true;
    return false;
}

static void translate(ramus_server *s, ramus_exchange *x)
{
    ramus_ask ask = {.field = "text", .scores = true};
    const manner how = manner_of(x, &x->fields);
    if (!read_ask(s, x, &ask)) return;
    ask.streaming = how != WHOLE;
    ask.sentence = ask.streaming ? tell_sentence : NULL;
    if (ask.streaming && ramus_is_list(&x->fields, "text")) {
        ramus_answer_error(s, x, 400, "a stream has one text: send no list");
        return;
    }
    ramus_translate_start(s, x, &ask);
    if (!x->streaming) return;
    x->answer_type =
        how == EVENTS ? "text/event-stream; charset=utf-8" : "application/x-ndjson; charset=utf-8";
    ramus_exchange_head(x, "Cache-Control", "no-cache");
}

/* Members of a translation without details. */
static void write_members(ramus_buffer *out, const ramus_item *item)
{
    const ramus_found *f = &item->found;
    ramus_buffer_text(out, "\"text\": ");
    ramus_write_text(out, ramus_item_text(item, 0));
    ramus_buffer_print(out, ", \"score\": %.9g, \"log_prob\": %.9g, \"sentences\": %d", f->score,
                       f->log_prob, f->sentences);
    ramus_buffer_text(out, ", \"notes\": ");
    ramus_notes_json(out, f->notes);
    if (item->work->how.details) // of a text that was copied
        ramus_buffer_text(out, ", \"tokens\": [], \"log_probs\": [], \"alignment\": [], "
                               "\"source_tokens\": [], \"source_gates\": [], \"gates\": [], "
                               "\"source_places\": [], \"places\": [], \"pairs\": []");
    if (item->work->how.n_best == 1) return;
    ramus_buffer_text(out, ", \"n_best\": [");
    for (int j = 0; j < ramus_item_count(item); j++) {
        ramus_buffer_text(out, j ? ", {\"text\": " : "{\"text\": ");
        ramus_write_text(out, ramus_item_text(item, j));
        ramus_buffer_text(out, "}");
    }
    ramus_buffer_text(out, "]");
}

static void write_item(ramus_buffer *out, const ramus_item *item)
{
    ramus_buffer_text(out, "{\"source\": ");
    ramus_write_text(out, item->source);
    ramus_buffer_text(out, ", ");
    if (item->found.details.size)
        ramus_buffer_add(out, item->found.details.data, item->found.details.size);
    else
        write_members(out, item);
    ramus_buffer_print(out, ", \"from\": \"%s\", \"to\": \"%s\"", item->from, item->work->to);
    if (item->work->detected) ramus_buffer_print(out, ", \"certainty\": %.4f", item->certainty);
    if (item->n_steps == 2) ramus_buffer_print(out, ", \"pivot\": \"%s\"", item->steps[0]->to);
    for (int i = 0; i < item->n_steps; i++) {
        ramus_buffer_text(out, i ? ", \"second_model\": " : ", \"model\": ");
        ramus_write_string(out, item->steps[i]->name);
    }
}

static void finish(ramus_server *s, ramus_exchange *x)
{
    const ramus_work *w = x->work;
    ramus_buffer out = {0};
    const bool streaming = x->streaming;
    const bool done = !x->gone && !x->late && ramus_translate_done(s, x);
    const double ms = (ramus_clock_now() - x->begun) * 1e3;
    if (done && (ramus_is_list(&w->fields, "text") || w->n > 1)) {
        ramus_buffer_text(&out, "{\"translations\": [");
        for (int i = 0; i < w->n; i++) {
            if (i) ramus_buffer_text(&out, ", ");
            write_item(&out, &w->items[i]);
            ramus_buffer_text(&out, "}");
        }
        ramus_buffer_print(&out, "], \"ms\": %.3f}", ms);
    } else if (done) {
        write_item(&out, &w->items[0]);
        ramus_buffer_print(&out, ", \"ms\": %.3f}", ms);
    }
    if (!done && !streaming) return; // the error is answered
    if (!done) ramus_buffer_add(&out, x->answer.data, x->answer.size);
    ramus_buffer_free(&x->answer);
    if (streaming) begin_piece(x, &x->answer, done ? "done" : "error");
    ramus_buffer_add(&x->answer, out.data, out.size);
    if (streaming) end_piece(x, &x->answer);
    ramus_buffer_free(&out);
    x->ended = true;
    if (done && !streaming) ramus_answer_json(x);
}

static void detect(ramus_server *s, ramus_exchange *x)
{
    const ramus_field *field = ramus_fields_find(&x->fields, "text");
    double certainty = 0;
    if (!field || field->type != RAMUS_FIELD_TEXT) {
        ramus_answer_error(s, x, 400, "text is missing");
        return;
    }
    const ramus_text text = ramus_field_text(&x->fields, field);
    const char *code = ramus_detect_language(text.data, text.size, &certainty);
    ramus_buffer_print(&x->answer, "{\"language\": \"%s\", \"certainty\": %.4f}",
                       code ? code : "und", certainty);
    ramus_answer_json(x);
}

static void info(ramus_server *s, ramus_exchange *x)
{
    ramus_model_file **files = NULL;
    int n = 0;
    ramus_buffer *out = &x->answer;
    const ramus_serve_settings *set = s->settings;
    if (ramus_models_list(s->models, &files, &n, NULL)) n = 0;
    ramus_buffer_print(out, "{\"program\": \"ramus\", \"version\": \"%s\", \"models\": [",
                       ramus_version());
    for (int i = 0; i < n; i++) {
        ramus_buffer_text(out, i ? ", {\"file\": " : "{\"file\": ");
        ramus_write_string(out, files[i]->name);
        ramus_buffer_print(out, ", \"from\": \"%s\", \"to\": \"%s\", \"bytes\": %zu, \"name\": ",
                           files[i]->from, files[i]->to, files[i]->bytes);
        ramus_write_string(out, files[i]->title);
        ramus_buffer_text(out, ", \"license\": ");
        ramus_write_string(out, files[i]->license);
        ramus_buffer_text(out, "}");
    }
    if (files) ramus_models_release_all(s->models, files, n);
    ramus_buffer_text(out, "], \"formats\": [");
    for (int i = 0; ramus_format_name(i); i++)
        ramus_buffer_print(out, "%s\"%s\"", i ? ", " : "", ramus_format_name(i));
    ramus_buffer_print(out,
                       "], \"limits\": {\"body\": %.0f, \"upload\": %.0f, \"characters\": %d, "
                       "\"texts\": %d, \"alternatives\": %d, \"seconds\": %g}, \"key\": %s}",
                       set->max_body * 1e3, set->max_upload * 1e6, set->max_characters,
                       set->max_texts, set->max_alternatives, set->timeout,
                       ramus_keys_needed(s->keys) ? "true" : "false");
    ramus_answer_json(x);
}

static void ready(ramus_server *s, ramus_exchange *x)
{
    const bool full = ramus_queue_waiting(s->queue) >= s->settings->queue;
    if (atomic_load(&s->draining) || full) {
        ramus_answer_error(s, x, 503, full ? "the queue is full" : "the server ends");
        return;
    }
    ramus_buffer_text(&x->answer, "{\"status\": \"ready\"}");
    ramus_answer_json(x);
}

static void metrics(ramus_server *s, ramus_exchange *x)
{
    ramus_gauges now = {.queue_sentences = ramus_queue_waiting(s->queue),
                        .works = ramus_queue_works(s->queue),
                        .connections = ramus_http_connections(x->http),
                        .models_open = ramus_models_count_open(s->models),
                        .cache_bytes = ramus_cache_bytes(s->cache)};
    ramus_metrics_print(s->metrics, &now, &x->answer);
    x->code = 200;
    x->answer_type = "text/plain; version=0.0.4; charset=utf-8";
}

// clang-format off
static const ramus_route rows[] = {
    {"/v1/translate", RAMUS_METHOD_POST, &own, false, false, translate, finish},
    {"/v1/detect",    RAMUS_METHOD_POST, &own, false, false, detect, NULL},
    {"/v1/info",      RAMUS_METHOD_GET,  &own, true,  false, info, NULL},
    {"/ready",        RAMUS_METHOD_GET,  &own, true,  false, ready, NULL},
    {"/metrics",      RAMUS_METHOD_GET,  &own, true,  false, metrics, NULL},
};
// clang-format on

const ramus_routes ramus_routes_own = {rows, RAMUS_COUNT(rows)};
