/* The list of files is made anew by each reload; files that are in use live on. One lock guards
 * the list, the counts and the opening, which takes milliseconds. */
#include "serve/models.h"

#include "base/list.h"
#include "serve/languages.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".gguf"

typedef struct {
    ramus_model_file **items;
    int n;
    size_t room;
} file_list;

struct ramus_models {
    const ramus_texts *files;
    const char *folder;
    pthread_mutex_t lock;
    file_list list;
    long serials; // that were given
};

static void free_file(ramus_model_file *f)
{
    if (!f) return;
    ramus_model_close(f->model);
    ramus_file_unmap(&f->bytes_held);
    free(f->path);
    free(f->title);
    free(f->license);
    free(f);
}

/* With the lock held. */
static void release(ramus_model_file *f)
{
    if (--f->references == 0) free_file(f);
}

static char *copy_info(const ramus_model *model, const char *key)
{
    const char *text = ramus_model_info(model, key);
    return strdup(text ? text : "");
}

/* What an open model says of its languages, as codes without a region. */
static ramus_status read_languages(ramus_model_file *f, const ramus_model *model, ramus_error *err)
{
    const char *from = ramus_model_info(model, "source_language");
    const char *to = ramus_model_info(model, "target_language");
    if (from && to && ramus_language_code(f->from, from, strlen(from)) &&
        ramus_language_code(f->to, to, strlen(to)))
        return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "%s: the model does not say which languages it is for (ramus export "
                      "--source-language --target-language)",
                      f->path);
}

static ramus_status read_file(ramus_model_file **out, const char *path, ramus_error *err)
{
    ramus_model *model = NULL;
    struct stat about;
    ramus_model_file *f = calloc(1, sizeof *f);
    if (!f || !(f->path = strdup(path))) {
        free(f);
        return ramus_fail_memory(err, "a model");
    }
    const char *slash = strrchr(f->path, '/');
    f->name = slash ? slash + 1 : f->path;
    f->references = 1;
    ramus_status st = ramus_model_open(&model, path, err);
    if (!st) st = read_languages(f, model, err);
    if (!st && stat(path, &about) != 0) st = ramus_fail_errno(err, path, "read");
    if (!st) {
        f->bytes = (size_t)about.st_size;
        f->title = copy_info(model, "name");
        f->license = copy_info(model, "license");
        if (!f->title || !f->license) st = ramus_fail_memory(err, "a model");
    }
    ramus_model_close(model);
    if (st) {
        free_file(f);
        return st;
    }
    *out = f;
    return RAMUS_OK;
}

static ramus_status add_file(file_list *list, const char *path, ramus_error *err)
{
    ramus_status st =
        RAMUS_LIST_RESERVE(list->items, list->room, (size_t)list->n + 1, "the models", err);
    if (!st) st = read_file(&list->items[list->n], path, err);
    if (!st) list->n++;
    return st;
}

static bool is_model_name(const char *name)
{
    const size_t size = strlen(name), suffix = strlen(SUFFIX);
    return size > suffix && strcmp(name + size - suffix, SUFFIX) == 0;
}

static int compare_names(const void *a, const void *b)
{
    const ramus_model_file *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static ramus_status read_folder(file_list *list, const char *folder, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    DIR *files = opendir(folder);
    if (!files) return ramus_fail_errno(err, folder, "list");
    for (struct dirent *file; !st && (file = readdir(files));) {
        if (!is_model_name(file->d_name)) continue;
        ramus_buffer path = {0};
        ramus_error why = {0};
        ramus_buffer_print(&path, "%s/%s", folder, file->d_name);
        st = ramus_buffer_check(&path, err);
        if (!st && add_file(list, path.data, &why))
            (void)fprintf(stderr, "ramus serve: left out: %s\n", why.message);
        ramus_buffer_free(&path);
    }
    closedir(files);
    if (list->n > 0) qsort(list->items, (size_t)list->n, sizeof *list->items, compare_names);
    return st;
}

static ramus_status read_all(const ramus_models *m, file_list *list, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < m->files->n && !st; i++)
        st = add_file(list, m->files->items[i], err);
    if (!st && m->folder) st = read_folder(list, m->folder, err);
    if (!st && list->n == 0)
        st = ramus_fail(err, RAMUS_NOT_FOUND, "%s: no model in it, expected files FROM-TO" SUFFIX,
                        m->folder ? m->folder : "no folder");
    return st;
}

/* With the lock held, or before there are threads. */
static void number_files(ramus_models *m)
{
    for (int i = 0; i < m->list.n; i++)
        m->list.items[i]->serial = ++m->serials;
}

static void free_list(file_list *list)
{
    for (int i = 0; i < list->n; i++)
        release(list->items[i]);
    free(list->items);
    *list = (file_list){0};
}

ramus_status ramus_models_create(ramus_models **out, const ramus_texts *files, const char *folder,
                                 ramus_error *err)
{
    ramus_models *m = calloc(1, sizeof *m);
    if (!m) return ramus_fail_memory(err, "the models");
    m->files = files;
    m->folder = folder;
    (void)pthread_mutex_init(&m->lock, NULL);
    const ramus_status st = read_all(m, &m->list, err);
    if (st) {
        ramus_models_destroy(m);
        return st;
    }
    number_files(m);
    *out = m;
    return RAMUS_OK;
}

void ramus_models_destroy(ramus_models *m)
{
    if (!m) return;
    free_list(&m->list);
    (void)pthread_mutex_destroy(&m->lock);
    free(m);
}

ramus_status ramus_models_reload(ramus_models *m, ramus_error *err)
{
    file_list fresh = {0};
    const ramus_status st = read_all(m, &fresh, err);
    (void)pthread_mutex_lock(&m->lock);
    if (!st) {
        const file_list old = m->list;
        m->list = fresh;
        fresh = old;
        number_files(m);
    }
    free_list(&fresh);
    (void)pthread_mutex_unlock(&m->lock);
    return st;
}

ramus_status ramus_models_hold(ramus_models *m, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < m->list.n && !st; i++) {
        ramus_model_file *f = m->list.items[i];
        st = ramus_model_open(&f->model, f->path, err);
        if (!st) f->users++; // one who never leaves
        if (!st) st = ramus_file_map(&f->bytes_held, f->path, err);
    }
    return st;
}

/* With the lock held. */
static ramus_model_file *find(const ramus_models *m, const char *from, const char *to)
{
    for (int i = 0; i < m->list.n; i++)
        if (strcmp(m->list.items[i]->from, from) == 0 && strcmp(m->list.items[i]->to, to) == 0)
            return m->list.items[i];
    return NULL;
}

/* With the lock held. English is the common language where it can be. */
static int find_route(const ramus_models *m, const char *from, const char *to,
                      ramus_model_file *steps[2])
{
    steps[0] = find(m, from, to);
    if (steps[0]) return 1;
    steps[0] = find(m, from, "en");
    steps[1] = find(m, "en", to);
    for (int i = 0; i < m->list.n && !(steps[0] && steps[1]); i++)
        if (strcmp(m->list.items[i]->from, from) == 0) {
            steps[0] = m->list.items[i];
            steps[1] = find(m, steps[0]->to, to);
        }
    return steps[0] && steps[1] ? 2 : 0;
}

int ramus_models_route(ramus_models *m, const char *from, const char *to,
                       ramus_model_file *steps[2])
{
    (void)pthread_mutex_lock(&m->lock);
    const int n = find_route(m, from, to, steps);
    for (int i = 0; i < n; i++)
        steps[i]->references++;
    (void)pthread_mutex_unlock(&m->lock);
    return n;
}

ramus_status ramus_models_list(ramus_models *m, ramus_model_file ***out, int *n, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    (void)pthread_mutex_lock(&m->lock);
    ramus_model_file **files = calloc((size_t)m->list.n + 1, sizeof(ramus_model_file *));
    if (!files) st = ramus_fail_memory(err, "the models");
    for (int i = 0; i < m->list.n && files; i++) {
        files[i] = m->list.items[i];
        files[i]->references++;
    }
    *n = m->list.n;
    (void)pthread_mutex_unlock(&m->lock);
    if (!st) *out = files;
    return st;
}

void ramus_models_release_all(ramus_models *m, ramus_model_file **files, int n)
{
    for (int i = 0; i < n; i++)
        ramus_models_release(m, files[i]);
    free(files);
}

void ramus_models_retain(ramus_models *m, ramus_model_file *file)
{
    (void)pthread_mutex_lock(&m->lock);
    file->references++;
    (void)pthread_mutex_unlock(&m->lock);
}

void ramus_models_release(ramus_models *m, ramus_model_file *file)
{
    (void)pthread_mutex_lock(&m->lock);
    release(file);
    (void)pthread_mutex_unlock(&m->lock);
}

ramus_status ramus_models_open(ramus_models *m, ramus_model_file *file, ramus_model **out,
                               ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    (void)pthread_mutex_lock(&m->lock);
    if (!file->model) st = ramus_model_open(&file->model, file->path, err);
    if (!st) {
        file->users++;
        file->references++;
        *out = file->model;
    }
    (void)pthread_mutex_unlock(&m->lock);
    return st;
}

void ramus_models_close(ramus_models *m, ramus_model_file *file)
{
    (void)pthread_mutex_lock(&m->lock);
    if (--file->users == 0) {
        ramus_model_close(file->model);
        file->model = NULL;
    }
    release(file);
    (void)pthread_mutex_unlock(&m->lock);
}

int ramus_models_count_open(ramus_models *m)
{
    int n = 0;
    (void)pthread_mutex_lock(&m->lock);
    for (int i = 0; i < m->list.n; i++)
        n += m->list.items[i]->model != NULL;
    (void)pthread_mutex_unlock(&m->lock);
    return n;
}

static bool any(ramus_models *m, const char *code, bool writes)
{
    bool found = false;
    (void)pthread_mutex_lock(&m->lock);
    for (int i = 0; i < m->list.n && !found; i++)
        found = strcmp(writes ? m->list.items[i]->to : m->list.items[i]->from, code) == 0;
    (void)pthread_mutex_unlock(&m->lock);
    return found;
}

bool ramus_models_reads(ramus_models *m, const char *code)
{
    return any(m, code, false);
}

bool ramus_models_writes(ramus_models *m, const char *code)
{
    return any(m, code, true);
}
