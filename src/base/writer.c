/* The temporary file lies beside the final one, so that the rename stays on one file system. It is
 * synced before the rename and the folder after it. What is no regular file is opened as it is. */
#include "base/writer.h"

#include "base/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40 // of a chain, as in Linux

struct ramus_writer {
    char *name;      // as the caller has it, for messages
    char *path;      // what links lead to
    char *temporary; // NULL: bytes go to `path` at once
    int fd;          // -1 once closed
    bool committed;
};

static const struct {
    const char *name, *spoken;
    int fd;
} streams[] = {{"-", "standard output", STDOUT_FILENO},
               {"/dev/stdout", "standard output", STDOUT_FILENO},
               {"/dev/stderr", "standard error", STDERR_FILENO}};

static ramus_status open_stream(ramus_writer *w, int fd, ramus_error *err)
{
    w->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return w->fd < 0 ? ramus_fail_errno(err, w->name, "open") : RAMUS_OK;
}

/* A pipe or a device: nothing that can be replaced. */
static ramus_status open_directly(ramus_writer *w, ramus_error *err)
{
    w->fd = open(w->name, O_WRONLY | O_CLOEXEC);
    return w->fd < 0 ? ramus_fail_errno(err, w->name, "open") : RAMUS_OK;
}

/* The path that links lead to, or NULL without memory. The caller frees it. */
static char *follow_links(const char *path)
{
    char to[PATH_MAX];
    ssize_t n = 0;
    char *at = strdup(path);
    for (int links = 0; at && links < MOST_LINKS && (n = readlink(at, to, sizeof to)) > 0;
         links++) {
        const char *slash = to[0] == '/' ? NULL : strrchr(at, '/'); // else it begins in its folder
        const size_t folder = slash ? (size_t)(slash + 1 - at) : 0;
        char *next = malloc(folder + (size_t)n + 1);
        if (next) {
            memcpy(next, at, folder);
            memcpy(next + folder, to, (size_t)n);
            next[folder + (size_t)n] = '\0';
        }
        free(at);
        at = next;
    }
    return at;
}

/* `old` is the file that will be replaced; NULL: there is none. */
static ramus_status open_beside(ramus_writer *w, const struct stat *old, ramus_error *err)
{
    w->path = follow_links(w->name);
    if (!w->path) return ramus_fail_memory(err, "a file writer");
    if (old && access(w->path, W_OK)) return ramus_fail_errno(err, w->name, "write");
    const size_t size = strlen(w->path) + 32;
    w->temporary = malloc(size);
    if (!w->temporary) return ramus_fail_memory(err, "a file writer");
    (void)snprintf(w->temporary, size, "%s.tmp-%ld", w->path, (long)getpid());
    w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (w->fd < 0) return ramus_fail_errno(err, w->name, "create");
    if (old) { // who may read it stays the same, as far as the system lets us
        if (fchown(w->fd, old->st_uid, old->st_gid)) errno = 0;
        (void)fchmod(w->fd, old->st_mode & 0777);
    }
    return RAMUS_OK;
}

ramus_status ramus_writer_create(ramus_writer **out, const char *path, ramus_error *err)
{
    struct stat info;
    int stream = 0;
    while (stream < RAMUS_COUNT(streams) && strcmp(streams[stream].name, path) != 0)
        stream++;
    const bool is_stream = stream < RAMUS_COUNT(streams);
    ramus_writer *w = calloc(1, sizeof *w);
    if (w) w->fd = -1;
    if (w) w->name = strdup(is_stream ? streams[stream].spoken : path);
    if (!w || !w->name) {
        ramus_writer_destroy(w);
        return ramus_fail_memory(err, "a file writer");
    }
    ramus_status st = RAMUS_OK;
    if (is_stream)
        st = open_stream(w, streams[stream].fd, err);
    else if (stat(path, &info) == 0)
        st = S_ISREG(info.st_mode) ? open_beside(w, &info, err) : open_directly(w, err);
    else
        st = open_beside(w, NULL, err);
    if (st)
        ramus_writer_destroy(w);
    else
        *out = w;
    return st;
}

ramus_status ramus_writer_write(ramus_writer *w, const void *data, size_t size, ramus_error *err)
{
    const char *p = data;
    while (size > 0) {
        const size_t part = size < INT_MAX ? size : INT_MAX;
        const ssize_t n = write(w->fd, p, part);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return ramus_fail_errno(err, w->name, "write");
        p += n;
        size -= (size_t)n;
    }
    return RAMUS_OK;
}

const char *ramus_writer_beside(const ramus_writer *w)
{
    return w->temporary;
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
    if (w->temporary && fsync(w->fd)) return ramus_fail_errno(err, w->name, "sync");
    const int fd = w->fd;
    w->fd = -1;
    if (close(fd)) return ramus_fail_errno(err, w->name, "close");
    if (!w->temporary) return RAMUS_OK;
    if (rename(w->temporary, w->path)) return ramus_fail_errno(err, w->name, "replace");
    w->committed = true;
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
    free(w->name);
    free(w);
}
