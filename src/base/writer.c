/* The temporary file lies beside the final one, so that the rename stays on one file system. It is
 * synced before the rename and the folder after it. */
#include "base/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ramus_writer {
    char *path, *temporary;
    int fd; // -1 once closed
    int committed;
};

ramus_status ramus_writer_create(ramus_writer **out, const char *path, ramus_error *err)
{
    const size_t size = strlen(path) + 32;
    ramus_writer *w = calloc(1, sizeof *w);
    if (!w) return ramus_fail_memory(err, "a file writer");
    w->fd = -1;
    w->path = malloc(size);
    w->temporary = malloc(size);
    if (!w->path || !w->temporary) {
        ramus_writer_destroy(w);
        return ramus_fail_memory(err, "a file writer");
    }
    (void)snprintf(w->path, size, "%s", path);
    (void)snprintf(w->temporary, size, "%s.tmp-%ld", path, (long)getpid());
    w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (w->fd < 0) {
        const ramus_status st = ramus_fail_errno(err, path, "create");
        ramus_writer_destroy(w);
        return st;
    }
    *out = w;
    return RAMUS_OK;
}

ramus_status ramus_writer_write(ramus_writer *w, const void *data, size_t size, ramus_error *err)
{
    const char *p = data;
    while (size > 0) {
        const size_t part = size < INT_MAX ? size : INT_MAX;
        const ssize_t n = write(w->fd, p, part);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return ramus_fail_errno(err, w->path, "write");
        p += n;
        size -= (size_t)n;
    }
    return RAMUS_OK;
}

/* Makes the new name itself durable. Some file systems cannot sync a folder: not our failure. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == folder)
        slash[1] = '\0';
    else if (slash)
        *slash = '\0';
    else
        (void)snprintf(folder, sizeof folder, ".");
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

ramus_status ramus_writer_commit(ramus_writer *w, ramus_error *err)
{
    if (fsync(w->fd)) return ramus_fail_errno(err, w->path, "sync");
    const int fd = w->fd;
    w->fd = -1;
    if (close(fd)) return ramus_fail_errno(err, w->path, "close");
    if (rename(w->temporary, w->path)) return ramus_fail_errno(err, w->path, "replace");
    w->committed = 1;
    sync_folder(w->path);
    return RAMUS_OK;
}

void ramus_writer_destroy(ramus_writer *w)
{
    if (!w) return;
    if (w->fd >= 0) (void)close(w->fd);
    if (w->temporary && !w->committed) (void)unlink(w->temporary);
    free(w->temporary);
    free(w->path);
    free(w);
}
