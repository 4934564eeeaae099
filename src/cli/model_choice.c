/* Lists the files FROM-TO.gguf of the folder of models and takes the one that --from and --to
 * ask for. */
#include "cli/model_choice.h"

#include "base/folder.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".gguf"
#define FIRST  "en-de" SUFFIX // of several

// clang-format off
#define AT(field) offsetof(ramus_model_choice, field)
static const ramus_setting rows[] = {
    {"model", RAMUS_SETTING_TEXT, AT(model), "model file, or a checkpoint of a training run (also -m; default: the model that ships)", NULL, 0, 0, ramus_setting_file, NULL},
    {"to",    RAMUS_SETTING_TEXT, AT(to), "without -m: the language to translate to, as de or en", NULL, 0, 0, NULL, NULL},
    {"from",  RAMUS_SETTING_TEXT, AT(from), "without -m: the language to translate from", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_model_options(ramus_model_choice *c)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), c};
}

static bool begins_with(const char *name, const char *language)
{
    const size_t n = strlen(language);
    return strncmp(name, language, n) == 0 && name[n] == '-';
}

static bool ends_with(const char *stem, size_t size, const char *language)
{
    const size_t n = strlen(language);
    return size > n + 1 && stem[size - n - 1] == '-' && strncmp(stem + size - n, language, n) == 0;
}

static bool fits(const char *name, const char *from, const char *to)
{
    const size_t size = strlen(name), suffix = strlen(SUFFIX);
    if (size <= suffix || strcmp(name + size - suffix, SUFFIX) != 0) return false;
    if (!from && !to) return strchr(name, '-') != NULL;
    return (!from || begins_with(name, from)) && (!to || ends_with(name, size - suffix, to));
}

static bool comes_before(const char *name, const char *other)
{
    if (!*other || strcmp(name, FIRST) == 0) return true;
    return strcmp(other, FIRST) != 0 && strcmp(name, other) < 0;
}

/* Sets `best` to the name of the file in `folder`, or to "". */
static void search(char best[NAME_MAX + 1], const char *folder, const char *from, const char *to)
{
    *best = '\0';
    DIR *files = opendir(folder);
    if (!files) return;
    for (struct dirent *file; (file = readdir(files));)
        if (strlen(file->d_name) <= NAME_MAX && fits(file->d_name, from, to) &&
            comes_before(file->d_name, best))
            memcpy(best, file->d_name, strlen(file->d_name) + 1);
    closedir(files);
}

static ramus_status fail_nowhere(const ramus_model_choice *c, const char *folder, ramus_error *err)
{
    return ramus_fail(err, RAMUS_NOT_FOUND,
                      "no model %s-%s" SUFFIX
                      " in %s: expected -m MODEL, or such a file in the folder RAMUS_MODELS",
                      c->from ? c->from : "*", c->to ? c->to : "*",
                      folder ? folder : "the models beside the program or in its share/ramus");
}

static ramus_status find(ramus_model_choice *c, ramus_error *err)
{
    static const char *const beside[] = {"/models", "/../share/ramus/models"};
    char program[PATH_MAX], name[NAME_MAX + 1] = "";
    const char *folder = getenv("RAMUS_MODELS");
    if (folder && !*folder) folder = NULL;
    ramus_program_folder(program, sizeof program);
    for (int i = 0; i < (folder ? 1 : RAMUS_COUNT(beside)) && !*name; i++) {
        ramus_buffer_clear(&c->path);
        ramus_buffer_print(&c->path, "%s%s", folder ? folder : program, folder ? "" : beside[i]);
        const ramus_status st = ramus_buffer_check(&c->path, err);
        if (st) return st;
        search(name, c->path.data, c->from, c->to);
    }
    if (!*name) return fail_nowhere(c, folder, err);
    ramus_buffer_print(&c->path, "/%s", name);
    c->model = c->path.data;
    return ramus_buffer_check(&c->path, err);
}

ramus_status ramus_model_choice_check(const ramus_model_choice *c, ramus_error *err)
{
    if (c->model && (c->from || c->to))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "both -m MODEL and --%s are given: expected one of them",
                          c->to ? "to" : "from");
    return RAMUS_OK;
}

ramus_status ramus_model_choose(ramus_model_choice *c, ramus_error *err)
{
    return c->model ? RAMUS_OK : find(c, err);
}

void ramus_model_choice_free(ramus_model_choice *c)
{
    ramus_buffer_free(&c->path);
}
