/* The page of the browser: its files, the list of models, and the models, which it can run by
 * itself. No path goes to the file system: each is sought in a list. */
#include "serve/page.h"

#include "serve/dialects/write.h"
#include "serve/routes.h"

#include <string.h>

static const ramus_dialect page = {"page", ramus_error_simple, 413, 401, false};

static const char missing[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>ramus serve</title>"
    "<h1>ramus serve</h1><p>This server translates, but was built without its page. <code>make "
    "web</code> builds the page, and <code>make</code> then puts it into the program.</p><p>Try: "
    "<code>curl -d q='Where is the station?' -d source=en -d target=de "
    "http://127.0.0.1:5000/translate</code></p></html>\n";

static const char *type_of(const char *path)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".wasm", "application/wasm"},
        {".json", RAMUS_JSON_TYPE},
        {".webmanifest", "application/manifest+json"},
    };
    const char *dot = strrchr(path, '.');
    for (int i = 0; i < RAMUS_COUNT(types) && dot; i++)
        if (strcmp(types[i][0], dot) == 0) return types[i][1];
    return "application/octet-stream";
}

static void send_constant(ramus_exchange *x, const char *path, ramus_text text)
{
    x->code = 200;
    x->answer_type = type_of(path);
    x->constant = text;
    ramus_exchange_head(x, "X-Content-Type-Options", "nosniff");
    ramus_exchange_head(x, "Cache-Control", "no-cache");
}

static void list_models(ramus_server *s, ramus_exchange *x)
{
    ramus_model_file **files = NULL;
    int n = 0;
    if (ramus_models_list(s->models, &files, &n, NULL)) return;
    ramus_buffer_text(&x->answer, "[");
    for (int i = 0; i < n; i++) {
        ramus_buffer_text(&x->answer, i ? ", {\"file\": " : "{\"file\": ");
        ramus_write_string(&x->answer, files[i]->name);
        ramus_buffer_print(&x->answer,
                           ", \"from\": \"%s\", \"to\": \"%s\", \"bytes\": %zu, \"name\": ",
                           files[i]->from, files[i]->to, files[i]->bytes);
        ramus_write_string(&x->answer, files[i]->title);
        ramus_buffer_text(&x->answer, "}");
    }
    ramus_buffer_text(&x->answer, "]");
    ramus_models_release_all(s->models, files, n);
    ramus_answer_json(x);
}

/* Sends the model file of that name; false: there is none. */
static bool send_model(ramus_server *s, ramus_exchange *x, const char *name)
{
    ramus_model_file **files = NULL;
    int n = 0;
    if (ramus_models_list(s->models, &files, &n, NULL)) return false;
    for (int i = 0; i < n && !x->code; i++) {
        const ramus_file *file = &files[i]->bytes_held;
        if (strcmp(files[i]->name, name) != 0) continue;
        if (!file->data) {
            file = &x->file;
            if (ramus_file_map(&x->file, files[i]->path, NULL)) continue;
        }
        send_constant(x, name, (ramus_text){(const char *)file->data, file->size});
    }
    ramus_models_release_all(s->models, files, n);
    return x->code != 0;
}

static void show(ramus_server *s, ramus_exchange *x)
{
    const char *path = strcmp(x->path, "/") == 0 ? "/index.html" : x->path;
    for (int i = 0; i < ramus_page_n_files; i++)
        if (strcmp(ramus_page_files[i].path, path) == 0) {
            const ramus_text file = {(const char *)ramus_page_files[i].data,
                                     ramus_page_files[i].size};
            send_constant(x, path, file);
            return;
        }
    if (strcmp(path, "/models.json") == 0)
        list_models(s, x);
    else if (ramus_page_n_files == 0 && strcmp(path, "/index.html") == 0)
        send_constant(x, path, (ramus_text){missing, sizeof missing - 1});
    else if (!send_model(s, x, path + 1))
        ramus_answer_error(s, x, 404, "nothing is at this address");
}

// clang-format off
static const ramus_route rows[] = {
    {"/*", RAMUS_METHOD_GET, &page, true, false, show, NULL}, // the last row of all
};
// clang-format on

const ramus_routes ramus_routes_page = {rows, RAMUS_COUNT(rows)};
