/* `ramus models`: opens each model of the folder and prints what its file says. */
#include "cli/command.h"
#include "cli/inspect.h"
#include "cli/model_choice.h"

#include "base/map.h"
#include "text/language_names.h"
#include <ramus/ramus.h>

#include <string.h>

/* What the files say, by the names of ramus_model_info(); JSON has all of them. */
static const char *const keys[] = {"source_language", "target_language", "name",
                                   "description",     "scores",          "license"};

typedef struct {
    ramus_model *m;
    const char *path;
    size_t bytes;
} entry;

static void print_json(ramus_buffer *out, const entry *e)
{
    ramus_buffer_text(out, "{\"file\": ");
    ramus_buffer_json(out, e->path, strlen(e->path));
    ramus_buffer_print(out, ", \"bytes\": %zu, \"type\": \"%s\"", e->bytes,
                       ramus_inspect_type(e->m));
    for (int i = 0; i < RAMUS_COUNT(keys); i++) {
        const char *value = ramus_model_info(e->m, keys[i]);
        ramus_buffer_print(out, ", \"%s\": ", keys[i]);
        if (value)
            ramus_buffer_json(out, value, strlen(value));
        else
            ramus_buffer_text(out, "null");
    }
    ramus_buffer_text(out, "}");
}

/* "en (English)" */
static void put_language(ramus_buffer *out, const ramus_model *m, const char *key)
{
    const char *code = ramus_model_info(m, key);
    const char *name = code ? ramus_language_name(code, strlen(code)) : NULL;
    ramus_buffer_print(out, name ? "%s (%s)" : "%s", code ? code : "?", name);
}

static void print_text(ramus_buffer *out, const entry *e)
{
    const char *license = ramus_model_info(e->m, "license");
    const char *scores = ramus_model_info(e->m, "scores");
    put_language(out, e->m, "source_language");
    ramus_buffer_text(out, " to ");
    put_language(out, e->m, "target_language");
    ramus_buffer_print(out, ", %s, %.1f MB\n  %s\n", ramus_inspect_type(e->m),
                       (double)e->bytes / 1e6, e->path);
    if (scores) ramus_buffer_print(out, "  scores: %s\n", scores);
    ramus_buffer_print(out, "  licence: %s\n", license ? license : "the file does not say");
}

static ramus_status print_model(ramus_buffer *out, const char *path, bool json, ramus_error *err)
{
    ramus_file file = {0};
    entry e = {.path = path};
    ramus_status st = ramus_file_map(&file, path, err);
    e.bytes = file.size;
    ramus_file_unmap(&file);
    if (!st) st = ramus_model_open(&e.m, path, err);
    if (!st) (json ? print_json : print_text)(out, &e);
    ramus_model_close(e.m);
    return st;
}

/* All that can be opened; the first that cannot is the error. */
static ramus_status print_models(ramus_buffer *out, bool json, ramus_error *err)
{
    ramus_buffer path = {0};
    struct dirent **files = NULL;
    ramus_status st = ramus_model_folder(&path, err);
    const int n = st ? 0 : ramus_model_list(&files, path.data);
    const size_t folder = path.size;
    const char *comma = "";
    if (json && !st) ramus_buffer_text(out, "{\"models\": [");
    for (int i = 0; i < n; i++) {
        path.size = folder;
        ramus_buffer_print(&path, "/%s", files[i]->d_name);
        ramus_buffer one = {0};
        const ramus_status opened = print_model(&one, path.data, json, st ? NULL : err);
        if (!opened) ramus_buffer_print(out, "%s%s", comma, one.data);
        if (!opened && json) comma = ", ";
        if (!st) st = opened;
        ramus_buffer_free(&one);
    }
    if (json && n) ramus_buffer_text(out, "]}\n");
    ramus_model_list_free(files, n);
    ramus_buffer_free(&path);
    return st;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    ramus_error err = {0};
    ramus_buffer out = {0};
    int code = RAMUS_EXIT_DONE;
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    if (o.n_arguments) {
        (void)ramus_fail(&err, RAMUS_BAD_ARGUMENT, "unexpected argument '%s'", o.arguments[0]);
        code = ramus_command_misuse(command, &err);
    } else {
        const ramus_status st = print_models(&out, o.common.json, &err);
        code = ramus_command_print(command, &out);
        if (st) code = ramus_command_fail(command, &err);
    }
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_models = {
    "models",
    "the models that are used without -m",
    "[--json]",
    "  ramus models\n"
    "  RAMUS_MODELS=/srv/models ramus models --json\n",
    .run = run,
    .without = "threads seed",
};
