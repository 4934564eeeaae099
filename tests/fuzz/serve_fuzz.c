/* Fuzz target (libFuzzer) for requests of every dialect: the first two bytes choose address and
 * way of writing, the rest is the body. Nothing is translated: a text is its own translation. The
 * law: each request gets an answer, which is JSON where it says so, and nothing is left of it. */
#include "base/json.h"
#include "serve/page.h"
#include "serve/routes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The build has no page here. */
const ramus_page_file ramus_page_files[] = {{0}};
const int ramus_page_n_files = 0;

static const char *const paths[] = {
    "/translate",
    "/detect",
    "/translate_file",
    "/v2/translate",
    "/v2/glossaries",
    "/v2/document",
    "/imme",
    "/kiss",
    "/deeplx",
    "/v1/translate",
    "/language/translate/v2",
    "/translate_a/single",
    "/translate/batch",
    "/v1/detect",
    "/deepl",
    "/v2/languages",
    "/v2/glossaries/x",
    "/v2/document/xx",
    "/frontend/settings",
    "/languages",
    "/v2/usage",
    "/metrics",
    "/v1/info",
    "/spec",
};
static const char *const types[] = {"application/json", "application/x-www-form-urlencoded",
                                    "multipart/form-data; boundary=b", ""};

static void require(int good, const char *what)
{
    if (good) return;
    (void)fprintf(stderr, "broken law: %s\n", what);
    abort();
}

static ramus_server *server_create(void)
{
    static ramus_texts files;
    static const ramus_serve_settings settings = {.folder = MODELS,
                                                  .beam = 4,
                                                  .batch = 8,
                                                  .queue = 100,
                                                  .timeout = 60,
                                                  .max_body = 1000,
                                                  .max_upload = 1,
                                                  .max_characters = 1000,
                                                  .max_texts = 50,
                                                  .max_alternatives = 3,
                                                  .max_glossaries = 5,
                                                  .max_documents = 5};
    static ramus_server s = {.settings = &settings};
    require(!ramus_models_create(&s.models, &files, MODELS, NULL), "models");
    require(!ramus_glossaries_create(&s.glossaries, 5, NULL), "glossaries");
    require(!ramus_queue_create(&s.queue, 100, s.models, s.glossaries, NULL), "queue");
    require(!ramus_documents_create(&s.documents, s.queue, 5, NULL), "documents");
    require(!ramus_cache_create(&s.cache, 0, NULL), "cache");
    require(!ramus_metrics_create(&s.metrics, NULL), "metrics");
    require(!ramus_keys_create(&s.keys, NULL, NULL), "keys");
    require(!ramus_rates_create(&s.rates, 0, 0, NULL), "rates");
    require(!ramus_log_open(&s.log, "/dev/null", NULL), "log");
    require(!ramus_watch_create(&s.watch, ramus_routes_notice, NULL), "watch");
    return &s;
}

/* What workers do, without a model. */
static void work(ramus_server *s)
{
    const ramus_wish wish = {1, 1, true, 0};
    ramus_item *item = NULL;
    while (ramus_queue_take(s->queue, &wish, &item) > 0) {
        for (int j = 0; j < item->work->how.n_best; j++)
            ramus_found_add(&item->found, item->source.data, item->source.size);
        ramus_queue_finish(s->queue, item);
    }
}

static void check_answer(const ramus_exchange *x)
{
    ramus_json j;
    require(x->code >= 200 && x->code < 600, "there is a code");
    if (x->streaming || !x->answer_type || strcmp(x->answer_type, RAMUS_JSON_TYPE) != 0) return;
    ramus_json_init(&j, x->answer.data, 0, x->answer.size);
    require(!ramus_json_skip(&j, NULL) && !ramus_json_end(&j, NULL), "the answer is JSON");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ramus_server *s;
    static int ends[2]; // of a pipe: for the watch
    if (!s) {
        s = server_create();
        require(pipe(ends) == 0, "a pipe");
    }
    if (size < 2) return 0;
    const ramus_http_handler *h = &ramus_routes_handler;
    const char *path = paths[data[0] % RAMUS_COUNT(paths)];
    ramus_exchange x = {.path = path,
                        .method = data[1] & 4 ? RAMUS_METHOD_GET : RAMUS_METHOD_POST,
                        .authorization = "",
                        .type = types[data[1] & 3],
                        .accept = data[1] & 8 ? "text/event-stream" : "",
                        .host = "x",
                        .origin = "",
                        .peer = "x",
                        .socket = ends[0]};
    h->begin(s, &x);
    x.body_size = size - 2;
    ramus_buffer_add(&x.body, data + 2, size - 2);
    if (x.method == RAMUS_METHOD_GET && !x.code) // the fields of an address
        (void)ramus_fields_form(&x.fields, x.body.data, x.body.size, NULL);
    if (!x.code) h->handle(s, &x);
    const bool waits = x.pending || x.streaming;
    work(s);
    if (waits) h->resume(s, &x);
    check_answer(&x);
    h->end(s, &x);
    ramus_fields_free(&x.fields);
    ramus_buffer_free(&x.body);
    ramus_buffer_free(&x.answer);
    require(ramus_queue_works(s->queue) == 0 && ramus_queue_waiting(s->queue) == 0,
            "nothing is left");
    return 0;
}
