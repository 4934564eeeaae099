/* Each step appends to the part file, syncs it, then appends a line with a hash to the state.
 * Opening reads the whole lines of the state and cuts the part file to the length of the last
 * one. */
#include "ranks/part_file.h"

#include "base/buffer.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "ramus-part-1"

struct ramus_part_file {
    ramus_buffer path, part, state; // names
    int part_fd, state_fd;          // -1: not open
    int n_numbers;
    int64_t size;  // bytes of the steps so far
    bool finished; // the last line says that there are no more
};

static ramus_status write_all(int fd, const void *data, size_t size, const char *path,
                              ramus_error *err)
{
    const char *at = data;
    while (size > 0) {
        const ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return ramus_fail_errno(err, path, "write");
        at += n;
        size -= (size_t)n;
    }
    return fsync(fd) ? ramus_fail_errno(err, path, "sync") : RAMUS_OK;
}

static ramus_status read_all(ramus_buffer *out, int fd, const char *path, ramus_error *err)
{
    char block[4096];
    ssize_t n = 0;
    while ((n = read(fd, block, sizeof block)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return ramus_fail_errno(err, path, "read");
        ramus_buffer_add(out, block, (size_t)n);
    }
    return ramus_buffer_check(out, err);
}

/* Makes sure that files which were made, renamed or removed beside `path` stay so. Some file
 * systems cannot sync a folder: not our failure. */
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    ramus_buffer folder = {0};
    ramus_buffer_add(&folder, slash ? path : "./", slash ? (size_t)(slash + 1 - path) : 2);
    const int fd = folder.failed ? -1 : open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    ramus_buffer_free(&folder);
}

/* Ends a line of the state with a hash of it and writes it. */
static ramus_status write_line(ramus_part_file *p, ramus_buffer *line, ramus_error *err)
{
    ramus_status st = ramus_buffer_check(line, err);
    if (!st) {
        ramus_buffer_print(line, " %016" PRIx64 "\n", ramus_hash(0, line->data, line->size));
        st = ramus_buffer_check(line, err);
    }
    if (!st) st = write_all(p->state_fd, line->data, line->size, p->state.data, err);
    ramus_buffer_free(line);
    return st;
}

/* The line at `text` if it is whole; sets *size without its hash and *next behind it. */
static bool whole_line(const char *text, size_t *size, const char **next)
{
    const char *end = strchr(text, '\n');
    if (!end || end - text < 18) return false;
    *size = (size_t)(end - text) - 17;
    *next = end + 1;
    return strtoull(end - 16, NULL, 16) == ramus_hash(0, text, *size);
}

static void print_keys(ramus_buffer *out, const ramus_part_key *keys)
{
    ramus_buffer_text(out, MAGIC);
    for (; keys->other; keys++)
        ramus_buffer_print(out, " %016" PRIx64, keys->value);
}

static ramus_status check_keys(const ramus_part_file *p, const char *line, size_t size,
                               const ramus_part_key *keys, ramus_error *err)
{
    size_t at = sizeof MAGIC - 1;
    const bool ours = size >= at && memcmp(line, MAGIC, at) == 0;
    for (; ours && keys->other && size - at >= 17; keys++, at += 17)
        if (strtoull(line + at, NULL, 16) != keys->value)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "%s was begun with %s: go on with what it was begun with, or remove "
                              "%s to begin anew",
                              p->part.data, keys->other, p->state.data);
    if (ours && !keys->other && at == size) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: not written by this version; remove it",
                      p->state.data);
}

/* Reads a line of a step: its size, the numbers, and whether it is the last. */
static void read_step(ramus_part_file *p, const char *line, int64_t *numbers)
{
    char *at = NULL;
    p->finished = line[0] == 'e';
    p->size = strtoll(line + 5, &at, 10); // behind "step " or "end  "
    for (int i = 0; i < p->n_numbers; i++)
        numbers[i] = strtoll(at, &at, 10);
}

static ramus_status write_step(ramus_part_file *p, const int64_t *numbers, ramus_error *err)
{
    ramus_buffer line = {0};
    ramus_buffer_print(&line, "%-4s %" PRId64, p->finished ? "end" : "step", p->size);
    for (int i = 0; i < p->n_numbers; i++)
        ramus_buffer_print(&line, " %" PRId64, numbers[i]);
    return write_line(p, &line, err);
}

/* Reads the lines that are whole and cuts off the rest; *fresh: there are none. */
static ramus_status read_state(ramus_part_file *p, const ramus_part_key *keys, int64_t *numbers,
                               bool *fresh, ramus_error *err)
{
    ramus_buffer text = {0};
    size_t size = 0;
    ramus_status st = read_all(&text, p->state_fd, p->state.data, err);
    const char *start = text.data ? text.data : "", *line = start, *next = NULL;
    *fresh = !whole_line(line, &size, &next);
    if (!st && !*fresh) st = check_keys(p, line, size, keys, err);
    if (!*fresh) line = next;
    while (!st && !*fresh && whole_line(line, &size, &next)) {
        read_step(p, line, numbers);
        line = next;
    }
    if (!st && (ftruncate(p->state_fd, line - start) || lseek(p->state_fd, 0, SEEK_END) < 0))
        st = ramus_fail_errno(err, p->state.data, "cut");
    ramus_buffer_free(&text);
    return st;
}

static ramus_status begin(ramus_part_file *p, const ramus_part_key *keys, int64_t *numbers,
                          ramus_error *err)
{
    ramus_buffer line = {0};
    memset(numbers, 0, (size_t)p->n_numbers * sizeof *numbers);
    p->size = 0;
    p->finished = false;
    if (ftruncate(p->state_fd, 0) || lseek(p->state_fd, 0, SEEK_SET) < 0)
        return ramus_fail_errno(err, p->state.data, "empty");
    print_keys(&line, keys);
    return write_line(p, &line, err);
}

/* Whether a kill came between the last line of the state and its removal. */
static bool has_name(const ramus_part_file *p)
{
    struct stat info;
    return p->finished && access(p->part.data, F_OK) && !stat(p->path.data, &info) &&
           info.st_size == p->size;
}

/* Opens the part file and cuts off what belongs to no step. */
static ramus_status open_part(ramus_part_file *p, ramus_error *err)
{
    struct stat info;
    p->part_fd = open(p->part.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (p->part_fd < 0 || fstat(p->part_fd, &info))
        return ramus_fail_errno(err, p->part.data, "open");
    if (info.st_size < p->size)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "%s has %lld bytes, %s speaks of %lld: remove both to begin anew",
                          p->part.data, (long long)info.st_size, p->state.data, (long long)p->size);
    if (ftruncate(p->part_fd, p->size) || lseek(p->part_fd, 0, SEEK_END) < 0)
        return ramus_fail_errno(err, p->part.data, "cut");
    sync_folder(p->path.data);
    return RAMUS_OK;
}

/* Opens the state and makes this process the only one. */
static ramus_status open_state(ramus_part_file *p, ramus_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat info;
    p->state_fd = open(p->state.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (p->state_fd < 0) return ramus_fail_errno(err, p->state.data, "open");
    const bool taken = fcntl(p->state_fd, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN);
    if (taken || fstat(p->state_fd, &info) || info.st_nlink == 0)
        return ramus_fail(err, RAMUS_IO, "%s: another process is writing it", p->path.data);
    return RAMUS_OK;
}

ramus_status ramus_part_file_open(ramus_part_file **out, const char *path,
                                  const ramus_part_key *keys, int64_t *numbers, int n,
                                  ramus_error *err)
{
    RAMUS_ASSERT(n <= RAMUS_PART_NUMBERS);
    bool fresh = false;
    ramus_part_file *p = calloc(1, sizeof *p);
    if (!p) return ramus_fail_memory(err, "a file");
    p->part_fd = p->state_fd = -1;
    p->n_numbers = n;
    memset(numbers, 0, (size_t)n * sizeof *numbers);
    ramus_buffer_print(&p->path, "%s", path);
    ramus_buffer_print(&p->part, "%s.part", path);
    ramus_buffer_print(&p->state, "%s.state", path);
    ramus_status st = ramus_buffer_check(&p->path, err);
    if (!st) st = ramus_buffer_check(&p->part, err);
    if (!st) st = ramus_buffer_check(&p->state, err);
    if (!st) st = open_state(p, err);
    if (!st) st = read_state(p, keys, numbers, &fresh, err);
    const bool named = !st && has_name(p);
    if (!st && (fresh || (p->finished && !named && access(p->part.data, F_OK))))
        st = begin(p, keys, numbers, err);
    if (!st && !named) st = open_part(p, err);
    if (st)
        ramus_part_file_close(p);
    else
        *out = p;
    return st;
}

void ramus_part_file_close(ramus_part_file *p)
{
    if (!p) return;
    if (p->part_fd >= 0) (void)close(p->part_fd);
    if (p->state_fd >= 0) (void)close(p->state_fd);
    ramus_buffer_free(&p->path);
    ramus_buffer_free(&p->part);
    ramus_buffer_free(&p->state);
    free(p);
}

ramus_status ramus_part_file_add(ramus_part_file *p, const void *data, size_t size,
                                 const int64_t *numbers, ramus_error *err)
{
    RAMUS_ASSERT(!p->finished);
    const ramus_status st = write_all(p->part_fd, data, size, p->part.data, err);
    if (st) return st;
    p->size += (int64_t)size;
    return write_step(p, numbers, err);
}

ramus_status ramus_part_file_finish(ramus_part_file *p, const int64_t *numbers, ramus_error *err)
{
    if (!p->finished) {
        p->finished = true;
        const ramus_status st = write_step(p, numbers, err);
        if (st) return st;
    }
    if (p->part_fd >= 0 && rename(p->part.data, p->path.data))
        return ramus_fail_errno(err, p->path.data, "replace");
    sync_folder(p->path.data);
    if (unlink(p->state.data)) return ramus_fail_errno(err, p->state.data, "remove");
    return RAMUS_OK;
}
