/* Checkpoints are found by the pattern of their names. Pruning reads the score in each, sorts,
 * and removes what the rule does not keep. */
#include "train/run_folder.h"

#include "base/folder.h"
#include "base/map.h"
#include "base/writer.h"
#include "convert/checkpoints.h"
#include "train/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    int update;
    double score; // larger is better
    bool has_score, readable;
} scored;

static void read_file_score(scored *s, const char *path, bool by_bleu)
{
    ramus_safetensors *file = NULL;
    ramus_state state = {0};
    if (!ramus_safetensors_open(&file, path, NULL) && !ramus_state_read_place(&state, file, NULL)) {
        const double value = by_bleu ? state.place.valid_bleu : state.place.valid_loss;
        s->readable = true;
        s->has_score = value >= 0;
        s->score = by_bleu ? value : -value;
    }
    ramus_safetensors_close(file);
}

static ramus_status read_score(scored *s, const char *folder, const ramus_keep_rule *rule,
                               ramus_error *err)
{
    ramus_buffer path = {0};
    const ramus_status st = ramus_checkpoints_path(&path, folder, s->update, err);
    if (!st) read_file_score(s, path.data, rule->by_bleu);
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

/* Whether a file is one that ramus_writer had not finished, NAME.tmp-PROCESS, or a trial. */
static bool is_temporary(const char *name)
{
    if (strcmp(name, RAMUS_RUN_TRIAL) == 0) return true;
    const char *mark = strstr(name, ".tmp-");
    return mark && mark > name && mark[5] && strspn(mark + 5, "0123456789") == strlen(mark + 5);
}

void ramus_run_folder_clean(const char *folder)
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

ramus_status ramus_run_folder_prune(const char *folder, const ramus_keep_rule *rule,
                                    ramus_error *err)
{
    int *updates = NULL, n = 0;
    ramus_buffer path = {0};
    ramus_status st = ramus_checkpoints_list(&updates, &n, folder, err);
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
        if (!list[i].readable || list[i].update == rule->update) continue;
        if (list[i].has_score && rank_of(list, n, i) < rule->best) continue;
        st = ramus_checkpoints_path(&path, folder, list[i].update, err);
        if (!st && unlink(path.data)) st = ramus_fail_errno(err, path.data, "remove");
    }
    ramus_buffer_free(&path);
    free(list);
    free(updates);
    return st;
}

/* The new name replaces the old one in one step. A file system without hard links gets a copy. */
static ramus_status name_best(const char *from, const char *to, ramus_error *err)
{
    ramus_buffer beside = {0};
    ramus_file file = {0};
    ramus_writer *w = NULL;
    ramus_buffer_print(&beside, "%s.tmp-%ld", to, (long)getpid());
    ramus_status st = ramus_buffer_check(&beside, err);
    if (st) goto done;
    (void)unlink(beside.data);
    if (link(from, beside.data) == 0) {
        if (rename(beside.data, to)) st = ramus_fail_errno(err, to, "replace");
        (void)unlink(beside.data); // where both were names of one file, rename() does nothing
        goto done;
    }
    st = ramus_file_map(&file, from, err);
    if (!st) st = ramus_writer_create(&w, to, err);
    if (!st) st = ramus_writer_write(w, file.data, file.size, err);
    if (!st) st = ramus_writer_commit(w, err);
    ramus_writer_destroy(w);
    ramus_file_unmap(&file);
done:
    ramus_buffer_free(&beside);
    return st;
}

ramus_status ramus_run_folder_best(const char *folder, int update, bool by_bleu, ramus_error *err)
{
    ramus_buffer from = {0}, to = {0};
    scored now = {.update = update}, best = {0};
    ramus_status st = ramus_checkpoints_path(&from, folder, update, err);
    if (!st) st = ramus_folder_path(&to, folder, RAMUS_BEST_CHECKPOINT, err);
    if (!st) {
        read_file_score(&now, from.data, by_bleu);
        read_file_score(&best, to.data, by_bleu);
        if (best.has_score ? now.has_score && now.score > best.score : now.readable)
            st = name_best(from.data, to.data, err);
    }
    ramus_buffer_free(&from);
    ramus_buffer_free(&to);
    return st;
}

ramus_status ramus_run_folder_save(const char *folder, const char *name, const char *text,
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
        return ramus_fail_errno(err, path, "read");
    return RAMUS_OK;
}

ramus_status ramus_run_folder_lock(int *fd, const char *folder, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_folder_path(&path, folder, "lock", err);
    if (st) return st;
    const int file = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (file < 0)
        st = ramus_fail_errno(err, path.data, "open");
    else if (fcntl(file, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN))
        st = ramus_fail(err, RAMUS_IO, "%s: another training run is using this folder", folder);
    if (st && file >= 0) (void)close(file);
    if (!st) *fd = file;
    ramus_buffer_free(&path);
    return st;
}

ramus_status ramus_run_folder_log(FILE **out, const char *folder, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_folder_path(&path, folder, "log.jsonl", err);
    if (st) return st;
    FILE *f = fopen(path.data, "a+");
    st = f ? drop_half_line(f, path.data, err) : ramus_fail_errno(err, path.data, "open");
    if (st && f) (void)fclose(f);
    if (!st) *out = f;
    ramus_buffer_free(&path);
    return st;
}
