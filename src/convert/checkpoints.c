/* The names in a folder that match the pattern, sorted by update. */
#include "convert/checkpoints.h"

#include "base/folder.h"
#include "base/list.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECKPOINT_NAME "checkpoint-%08d.safetensors"

ramus_status ramus_checkpoints_path(ramus_buffer *path, const char *folder, int update,
                                    ramus_error *err)
{
    char name[64];
    (void)snprintf(name, sizeof name, CHECKPOINT_NAME, update);
    return ramus_folder_path(path, folder, name, err);
}

static int rising(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

/* The update in the name of a checkpoint; -1: it is not the name of one. */
static int update_of(const char *file)
{
    char name[64];
    const size_t prefix = strlen("checkpoint-");
    if (strncmp(file, "checkpoint-", prefix) != 0) return -1;
    const long update = strtol(file + prefix, NULL, 10);
    if (update < 0 || update > INT_MAX) return -1;
    (void)snprintf(name, sizeof name, CHECKPOINT_NAME, (int)update);
    return strcmp(name, file) == 0 ? (int)update : -1;
}

ramus_status ramus_checkpoints_list(int **updates, int *n, const char *folder, ramus_error *err)
{
    DIR *dir = opendir(folder);
    if (!dir) return ramus_fail_errno(err, folder, "open");
    int *list = NULL, count = 0;
    size_t room = 0;
    ramus_status st = RAMUS_OK;
    for (const struct dirent *e = readdir(dir); e && !st; e = readdir(dir)) {
        const int update = update_of(e->d_name);
        if (update < 0) continue;
        st = RAMUS_LIST_RESERVE(list, room, (size_t)count + 1, "a list of checkpoints", err);
        if (!st) list[count++] = update;
    }
    (void)closedir(dir);
    if (st) {
        free(list);
        return st;
    }
    if (count) qsort(list, (size_t)count, sizeof *list, rising);
    *updates = list;
    *n = count;
    return RAMUS_OK;
}

ramus_status ramus_checkpoints_find(ramus_buffer *path, const char *name, ramus_error *err)
{
    struct stat info;
    int *updates = NULL, n = 0;
    if (stat(name, &info) || !S_ISDIR(info.st_mode)) {
        ramus_buffer_clear(path);
        ramus_buffer_text(path, name);
        return ramus_buffer_check(path, err);
    }
    ramus_status st = ramus_folder_path(path, name, RAMUS_BEST_CHECKPOINT, err);
    if (st || access(path->data, F_OK) == 0) return st;
    st = ramus_checkpoints_list(&updates, &n, name, err);
    if (!st && n == 0)
        st = ramus_fail(err, RAMUS_NOT_FOUND, "%s: the folder holds no checkpoints", name);
    if (!st) st = ramus_checkpoints_path(path, name, updates[n - 1], err);
    free(updates);
    return st;
}
