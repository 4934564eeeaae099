/* The text of the file is kept, its lines cut into words. */
#include "serve/keys.h"

#include "base/list.h"
#include "base/map.h"
#include "serve/ids.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *text;
    char **items;
    size_t room;
    int n;
} key_list;

struct ramus_keys {
    const char *path;
    pthread_mutex_t lock;
    key_list list;
};

static void free_list(key_list *list)
{
    free(list->text);
    free(list->items);
    *list = (key_list){0};
}

static ramus_status read_lines(key_list *list, ramus_error *err)
{
    char *rest = NULL;
    ramus_status st = RAMUS_OK;
    for (char *line = strtok_r(list->text, "\r\n", &rest); line && !st;
         line = strtok_r(NULL, "\r\n", &rest)) {
        char *end = NULL, *key = strtok_r(line, " \t", &end);
        if (!key || *key == '#') continue;
        st = RAMUS_LIST_RESERVE(list->items, list->room, (size_t)list->n + 1, "the keys", err);
        if (!st) list->items[list->n++] = key;
    }
    return st;
}

static ramus_status read_file(key_list *list, const char *path, ramus_error *err)
{
    ramus_file file = {0};
    ramus_status st = ramus_file_map(&file, path, err);
    if (st) return st;
    list->text = malloc(file.size + 1);
    if (list->text) {
        if (file.size) memcpy(list->text, file.data, file.size);
        list->text[file.size] = '\0';
    }
    ramus_file_unmap(&file);
    st = list->text ? read_lines(list, err) : ramus_fail_memory(err, "the keys");
    if (!st && list->n == 0)
        st = ramus_fail(err, RAMUS_BAD_FORMAT, "%s: no key in it, expected one on each line", path);
    if (st) free_list(list);
    return st;
}

ramus_status ramus_keys_create(ramus_keys **out, const char *path, ramus_error *err)
{
    ramus_keys *k = calloc(1, sizeof *k);
    if (!k) return ramus_fail_memory(err, "the keys");
    k->path = path;
    (void)pthread_mutex_init(&k->lock, NULL);
    const ramus_status st = path ? read_file(&k->list, path, err) : RAMUS_OK;
    if (st)
        ramus_keys_destroy(k);
    else
        *out = k;
    return st;
}

void ramus_keys_destroy(ramus_keys *k)
{
    if (!k) return;
    free_list(&k->list);
    (void)pthread_mutex_destroy(&k->lock);
    free(k);
}

ramus_status ramus_keys_reload(ramus_keys *k, ramus_error *err)
{
    key_list fresh = {0};
    if (!k->path) return RAMUS_OK;
    const ramus_status st = read_file(&fresh, k->path, err);
    if (st) return st;
    (void)pthread_mutex_lock(&k->lock);
    const key_list old = k->list;
    k->list = fresh;
    fresh = old;
    (void)pthread_mutex_unlock(&k->lock);
    free_list(&fresh);
    return RAMUS_OK;
}

bool ramus_keys_needed(ramus_keys *k)
{
    return k->path != NULL;
}

bool ramus_keys_has(ramus_keys *k, const char *key)
{
    bool found = false;
    (void)pthread_mutex_lock(&k->lock);
    for (int i = 0; i < k->list.n; i++) // all of them, wherever it is
        found |= ramus_secret_equal(k->list.items[i], key);
    (void)pthread_mutex_unlock(&k->lock);
    return found;
}
