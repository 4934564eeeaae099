#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static ramus_status fail_errno(ramus_error *err, const char *path, const char *doing)
{
    return ramus_fail(err, RAMUS_IO, "%s: cannot %s: %s", path, doing, strerror(errno));
}

ramus_status ramus_file_map(ramus_file *out, const char *path, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait for a writer
    if (fd < 0) return fail_errno(err, path, "open");

    struct stat info;
    if (fstat(fd, &info)) {
        st = fail_errno(err, path, "stat");
        goto done;
    }
    if (!S_ISREG(info.st_mode)) {
        st = ramus_fail(err, RAMUS_IO, "%s: not a regular file", path);
        goto done;
    }
    ramus_file file = {NULL, (size_t)info.st_size};
    if (file.size > 0) {
        void *data = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            st = fail_errno(err, path, "map");
            goto done;
        }
        file.data = data;
    }
    *out = file;
done:
    (void)close(fd);
    return st;
}

void ramus_file_unmap(ramus_file *file)
{
    if (file->data) (void)munmap((void *)file->data, file->size);
    *file = (ramus_file){0};
}

void ramus_program_folder(char *folder, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    folder[n > 0 && (size_t)n < size - 1 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
}

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
        const ramus_status st = fail_errno(err, path, "create");
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
        if (n < 0) return fail_errno(err, w->path, "write");
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
    if (fsync(w->fd)) return fail_errno(err, w->path, "sync");
    const int fd = w->fd;
    w->fd = -1;
    if (close(fd)) return fail_errno(err, w->path, "close");
    if (rename(w->temporary, w->path)) return fail_errno(err, w->path, "replace");
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
