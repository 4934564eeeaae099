/* One write for each line, so that lines of several writers stay whole. */
#include "serve/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct ramus_log {
    const char *path;
    int file; // -1: none
    pthread_mutex_t lock;
};

static ramus_status open_file(int *out, const char *path, ramus_error *err)
{
    *out = strcmp(path, "-") == 0 ? dup(STDOUT_FILENO)
                                  : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    return *out < 0 ? ramus_fail_errno(err, path, "open") : RAMUS_OK;
}

ramus_status ramus_log_open(ramus_log **out, const char *path, ramus_error *err)
{
    ramus_log *l = calloc(1, sizeof *l);
    if (!l) return ramus_fail_memory(err, "the log");
    l->path = path;
    l->file = -1;
    (void)pthread_mutex_init(&l->lock, NULL);
    const ramus_status st = path ? open_file(&l->file, path, err) : RAMUS_OK;
    if (st)
        ramus_log_close(l);
    else
        *out = l;
    return st;
}

void ramus_log_close(ramus_log *l)
{
    if (!l) return;
    if (l->file >= 0) (void)close(l->file);
    (void)pthread_mutex_destroy(&l->lock);
    free(l);
}

ramus_status ramus_log_reopen(ramus_log *l, ramus_error *err)
{
    int file = -1;
    if (!l->path) return RAMUS_OK;
    const ramus_status st = open_file(&file, l->path, err);
    if (st) return st;
    (void)pthread_mutex_lock(&l->lock);
    (void)close(l->file);
    l->file = file;
    (void)pthread_mutex_unlock(&l->lock);
    return RAMUS_OK;
}

void ramus_log_write(ramus_log *l, const ramus_log_entry *e)
{
    struct timespec now;
    struct tm utc;
    char when[32];
    ramus_buffer line = {0};
    if (!l->path) return;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    ramus_buffer_print(&line, "{\"time\": \"%s.%03ldZ\", \"peer\": \"%s\", \"dialect\": \"%s\"",
                       when, now.tv_nsec / 1000000, e->peer, e->dialect);
    ramus_buffer_text(&line, ", \"path\": ");
    ramus_buffer_json(&line, e->path, strlen(e->path));
    ramus_buffer_print(&line, ", \"code\": %d, \"texts\": %d, \"characters\": %d, \"ms\": %.3f",
                       e->code, e->texts, e->characters, e->seconds * 1e3);
    if (e->text.data) {
        ramus_buffer_text(&line, ", \"text\": ");
        ramus_buffer_json(&line, e->text.data, e->text.size);
    }
    ramus_buffer_text(&line, "}\n");
    (void)pthread_mutex_lock(&l->lock);
    if (!line.failed && write(l->file, line.data, line.size) < 0) {
        // a full disk must not stop the server
    }
    (void)pthread_mutex_unlock(&l->lock);
    ramus_buffer_free(&line);
}
