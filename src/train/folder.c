#include "train/folder.h"

#include "base/file.h"
#include "train/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECKPOINT_NAME "checkpoint-%08d.safetensors"

static ramus_status fail_errno(ramus_error *err, const char *path, const char *verb)
{
    return ramus_fail(err, RAMUS_IO, "%s: cannot %s: %s", path, verb, strerror(errno));
}

ramus_status ramus_folder_make(const char *folder, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_buffer_text(&path, folder);
    ramus_status st = ramus_buffer_check(&path, err);
    for (char *c = path.data; !st && c;) {
        c = strchr(c + 1, '/');
        if (c) *c = '\0';
        if (mkdir(path.data, 0777) && errno != EEXIST) st = fail_errno(err, path.data, "make");
        if (c) *c = '/';
    }
    struct stat info;
    if (!st && (stat(folder, &info) || !S_ISDIR(info.st_mode)))
        st = ramus_fail(err, RAMUS_IO, "%s: is not a folder", folder);
    ramus_buffer_free(&path);
    return st;
}

ramus_status ramus_folder_path(ramus_buffer *path, const char *folder, const char *name,
                               ramus_error *err)
{
    ramus_buffer_clear(path);
    ramus_buffer_print(path, "%s/%s", folder, name);
    return ramus_buffer_check(path, err);
}

ramus_status ramus_folder_checkpoint(ramus_buffer *path, const char *folder, int update,
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

ramus_status ramus_folder_list(int **updates, int *n, const char *folder, ramus_error *err)
{
    DIR *dir = opendir(folder);
    if (!dir) return fail_errno(err, folder, "open");
    int *list = NULL, count = 0, capacity = 0;
    ramus_status st = RAMUS_OK;
    for (const struct dirent *e = readdir(dir); e && !st; e = readdir(dir)) {
        const int update = update_of(e->d_name);
        if (update < 0) continue;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 16;
            int *grown = realloc(list, (size_t)capacity * sizeof *grown);
            if (!grown) {
                st = ramus_fail_memory(err, "a list of checkpoints");
                break;
            }
            list = grown;
        }
        list[count++] = update;
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

typedef struct {
    int update;
    double score; // larger is better
    bool has_score, readable;
} scored;

static ramus_status read_score(scored *s, const char *folder, const ramus_keep_rule *rule,
                               ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_safetensors *file = NULL;
    ramus_state state = {0};
    ramus_status st = ramus_folder_checkpoint(&path, folder, s->update, err);
    if (!st && !ramus_safetensors_open(&file, path.data, NULL) &&
        !ramus_state_read_place(&state, file, NULL)) {
        const double value = rule->by_bleu ? state.place.valid_bleu : state.place.valid_loss;
        s->readable = true;
        s->has_score = value >= 0;
        s->score = rule->by_bleu ? value : -value;
    }
    ramus_safetensors_close(file);
    ramus_buffer_free(&path);
    return st;
}

/* How many have a better score; of equal ones the earlier is better. */
static int rank_of(const scored *list, int n, int i)
{
    int rank = 0;
    for (int j = 0; j < n; j++)
        rank += list[j].has_score &&
                (list[j].score > list[i].score || (j < i && list[j].score == list[i].score));
    return rank;
}

/* Whether a file is one that ramus_writer had not finished: NAME.tmp-PROCESS */
static bool is_temporary(const char *name)
{
    const char *mark = strstr(name, ".tmp-");
    return mark && mark > name && mark[5] && strspn(mark + 5, "0123456789") == strlen(mark + 5);
}

void ramus_folder_clean(const char *folder)
{
    ramus_buffer path = {0};
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
        if (is_temporary(e->d_name) && !ramus_folder_path(&path, folder, e->d_name, NULL))
            (void)unlink(path.data);
    (void)closedir(dir);
    ramus_buffer_free(&path);
}

ramus_status ramus_folder_prune(const char *folder, const ramus_keep_rule *rule, ramus_error *err)
{
    int *updates = NULL, n = 0;
    ramus_buffer path = {0};
    ramus_status st = ramus_folder_list(&updates, &n, folder, err);
    if (st) return st;
    scored *list = calloc((size_t)n + 1, sizeof *list);
    if (!list) {
        free(updates);
        return ramus_fail_memory(err, "a list of checkpoints");
    }
    for (int i = 0; i < n && !st; i++) {
        list[i].update = updates[i];
        st = read_score(&list[i], folder, rule, err);
    }
    for (int i = 0; i < n - rule->last && !st; i++) {
        if (!list[i].readable) continue;
        if (list[i].has_score && rank_of(list, n, i) < rule->best) continue;
        st = ramus_folder_checkpoint(&path, folder, list[i].update, err);
        if (!st && unlink(path.data)) st = fail_errno(err, path.data, "remove");
    }
    ramus_buffer_free(&path);
    free(list);
    free(updates);
    return st;
}

ramus_status ramus_folder_save(const char *folder, const char *name, const char *text,
                               ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_writer *w = NULL;
    ramus_status st = ramus_folder_path(&path, folder, name, err);
    if (!st) st = ramus_writer_create(&w, path.data, err);
    if (!st) st = ramus_writer_write(w, text, strlen(text), err);
    if (!st) st = ramus_writer_commit(w, err);
    ramus_writer_destroy(w);
    ramus_buffer_free(&path);
    return st;
}

/* Cuts the file behind its last line feed. */
static ramus_status drop_half_line(FILE *f, const char *path, ramus_error *err)
{
    long keep = 0;
    rewind(f);
    for (int c = fgetc(f); c != EOF; c = fgetc(f))
        if (c == '\n') keep = ftell(f);
    if (keep < 0 || ferror(f) || fseek(f, 0, SEEK_END) || ftruncate(fileno(f), keep) ||
        fseek(f, 0, SEEK_END))
        return fail_errno(err, path, "read");
    return RAMUS_OK;
}

ramus_status ramus_folder_lock(int *fd, const char *folder, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_folder_path(&path, folder, "lock", err);
    if (st) return st;
    const int file = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (file < 0)
        st = fail_errno(err, path.data, "open");
    else if (fcntl(file, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN))
        st = ramus_fail(err, RAMUS_IO, "%s: another training run is using this folder", folder);
    if (st && file >= 0) (void)close(file);
    if (!st) *fd = file;
    ramus_buffer_free(&path);
    return st;
}

ramus_status ramus_folder_log(FILE **out, const char *folder, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_folder_path(&path, folder, "log.jsonl", err);
    if (st) return st;
    FILE *f = fopen(path.data, "a+");
    st = f ? drop_half_line(f, path.data, err) : fail_errno(err, path.data, "open");
    if (st && f) (void)fclose(f);
    if (!st) *out = f;
    ramus_buffer_free(&path);
    return st;
}
