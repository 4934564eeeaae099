/* Lists the files FROM-TO.gguf of the folder of models and takes the one that --from and --to
 * ask for; then another one, if the language of the text is clear and asks for that. */
#include "cli/model_choice.h"

#include "base/folder.h"
#include "text/language.h"
#include "text/language_names.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".gguf"
#define FIRST  "en-de" SUFFIX // of several
#define AUTO   "auto"         // --from: by the text alone

// clang-format off
#define AT(field) offsetof(ramus_model_choice, field)
static const ramus_setting rows[] = {
    {"model", RAMUS_SETTING_TEXT, AT(model), "model file, checkpoint, or folder of a training run: its best checkpoint (also -m; default: the model that ships)", NULL, 0, 0, ramus_setting_file, NULL},
    {"to",    RAMUS_SETTING_TEXT, AT(to), "without -m: the language to translate to, as de, de_AT, German or Deutsch; `ramus models` lists those that there are. With -m: of a model with several target languages, its code of one", NULL, 0, 0, ramus_setting_language, NULL},
    {"from",  RAMUS_SETTING_TEXT, AT(from), "without -m: the language to translate from; auto: that of the text, which must be clear (default: that of the text if a model fits, else en)", NULL, 0, 0, ramus_setting_language, NULL},
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

/* Sets *path to a folder with a model of a direction, NULL for any language, and `name` to that
 * model, or to "" when there is none. */
static ramus_status find_folder(ramus_buffer *path, char name[NAME_MAX + 1], const char *from,
                                const char *to, ramus_error *err)
{
    static const char *const beside[] = {"/models", "/../share/ramus/models"};
    char program[PATH_MAX];
    *name = '\0';
    const char *folder = getenv("RAMUS_MODELS");
    if (folder && !*folder) folder = NULL;
    ramus_program_folder(program, sizeof program);
    for (int i = 0; i < (folder ? 1 : RAMUS_COUNT(beside)) && !*name; i++) {
        ramus_buffer_clear(path);
        ramus_buffer_print(path, "%s%s", folder ? folder : program, folder ? "" : beside[i]);
        const ramus_status st = ramus_buffer_check(path, err);
        if (st) return st;
        search(name, path->data, from, to);
    }
    return RAMUS_OK;
}

static ramus_status find_file(ramus_buffer *path, const char *from, const char *to,
                              ramus_error *err)
{
    char name[NAME_MAX + 1];
    const ramus_status st = find_folder(path, name, from, to, err);
    if (st) return st;
    if (*name)
        ramus_buffer_print(path, "/%s", name);
    else
        ramus_buffer_clear(path);
    return ramus_buffer_check(path, err);
}

/* "de" of "German" or "de_AT"; a word that is no language stays. */
static const char *code_of(const char *word)
{
    const char *code = word ? ramus_language_find(word) : NULL;
    return code ? code : word;
}

/* Sets *path to the model of a direction, or to "" when there is none. Files may be named by any
 * words, so those given are tried first. */
static ramus_status find(ramus_buffer *path, const char *from, const char *to, ramus_error *err)
{
    const ramus_status st = find_file(path, from, to, err);
    return st || path->size ? st : find_file(path, code_of(from), code_of(to), err);
}

static int is_model(const struct dirent *file)
{
    return fits(file->d_name, NULL, NULL);
}

int ramus_model_list(struct dirent ***files, const char *folder)
{
    const int n = scandir(folder, files, is_model, alphasort);
    return n < 0 ? 0 : n;
}

void ramus_model_list_free(struct dirent **files, int n)
{
    for (int i = 0; i < n; i++)
        free(files[i]);
    if (n) free(files);
}

/* Adds the names of the models in `folder` without their ends. */
static void name_others(ramus_buffer *out, const char *folder)
{
    struct dirent **files = NULL;
    const int n = ramus_model_list(&files, folder);
    for (int i = 0; i < n; i++)
        ramus_buffer_print(out, "%s%.*s", i ? ", " : ", which has ",
                           (int)(strlen(files[i]->d_name) - strlen(SUFFIX)), files[i]->d_name);
    ramus_model_list_free(files, n);
}

static ramus_status fail_nowhere(const char *from, const char *to, ramus_error *err)
{
    const char *told = getenv("RAMUS_MODELS");
    char name[NAME_MAX + 1];
    ramus_buffer folder = {0}, others = {0};
    ramus_status st = find_folder(&folder, name, NULL, NULL, err);
    if (!st && *name) name_others(&others, folder.data);
    if (!st)
        st = ramus_fail(err, RAMUS_NOT_FOUND,
                        "no model %s-%s" SUFFIX
                        " in %s%s: expected -m MODEL, or such a file in the folder RAMUS_MODELS",
                        from ? code_of(from) : "*", to ? code_of(to) : "*",
                        *name || (told && *told)
                            ? folder.data
                            : "the models beside the program or in its share/ramus",
                        others.size ? others.data : "");
    ramus_buffer_free(&folder);
    ramus_buffer_free(&others);
    return st;
}

ramus_status ramus_model_folder(ramus_buffer *path, ramus_error *err)
{
    char name[NAME_MAX + 1];
    const ramus_status st = find_folder(path, name, NULL, NULL, err);
    return st || *name ? st : fail_nowhere(NULL, NULL, err);
}

static bool is_auto(const ramus_model_choice *c)
{
    return c->from && strcmp(c->from, AUTO) == 0;
}

ramus_status ramus_model_choice_check(const ramus_model_choice *c, ramus_error *err)
{
    if (c->model && c->from)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "both -m MODEL and --from are given: expected one of them");
    return RAMUS_OK;
}

ramus_status ramus_model_choose(ramus_model_choice *c, ramus_error *err)
{
    if (c->model) return RAMUS_OK;
    const char *from = is_auto(c) ? NULL : c->from;
    const ramus_status st = find(&c->path, from, c->to, err);
    if (st) return st;
    if (!c->path.size) return fail_nowhere(from, c->to, err);
    c->model = c->path.data;
    return RAMUS_OK;
}

static void take(ramus_model_choice *c, ramus_buffer *path)
{
    const ramus_buffer before = c->path;
    c->path = *path;
    *path = before;
    c->model = c->path.data;
}

/* The text is in `language`, and the options ask for another one: whether they are meant so. */
static void set_hint(ramus_model_choice *c, const char *language, const char *path)
{
    const char *name = strrchr(path, '/') + 1, *to = strchr(name, '-') + 1;
    ramus_buffer_print(&c->hint, "this looks like %s: did you mean --from %s --to %.*s?",
                       ramus_language_name(language, strlen(language)), language,
                       (int)(strlen(to) - strlen(SUFFIX)), to);
}

/* Of a text whose language is clear; `path` is room for a name. */
static ramus_status choose_language(ramus_model_choice *c, const char *language, ramus_buffer *path,
                                    ramus_error *err)
{
    const bool open = !c->from || is_auto(c);
    ramus_status st = RAMUS_OK;
    if (begins_with(strrchr(c->path.data, '/') + 1, language)) return RAMUS_OK;
    if (open) st = find(path, language, c->to, err);
    if (!st && path->size) {
        take(c, path);
        return RAMUS_OK;
    }
    if (!st && is_auto(c)) return fail_nowhere(language, c->to, err);
    if (!st) st = find(path, language, NULL, err);
    if (!st && path->size) set_hint(c, language, path->data);
    return st;
}

ramus_status ramus_model_choose_by_text(ramus_model_choice *c, const char *text, size_t size,
                                        ramus_error *err)
{
    double certainty = 0;
    ramus_buffer path = {0};
    const char *language = ramus_language_guess(text, size, &certainty);
    if (certainty < RAMUS_LANGUAGE_SURE) language = NULL;
    if (!language)
        return is_auto(c) ? ramus_fail(err, RAMUS_NOT_FOUND,
                                       "cannot tell the language of the text: expected --from "
                                       "LANGUAGE or -m MODEL")
                          : RAMUS_OK;
    const ramus_status st = choose_language(c, language, &path, err);
    ramus_buffer_free(&path);
    return st;
}

void ramus_model_choice_free(ramus_model_choice *c)
{
    ramus_buffer_free(&c->path);
    ramus_buffer_free(&c->hint);
}
