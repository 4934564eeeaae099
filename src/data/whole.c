/* A file that is neither packed nor a pipe is mapped as it is. All others are copied to a temporary
 * file, with the reader of lines to unpack them. */
#include "data/whole.h"

#include "data/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_packed(const ramus_file *file)
{
    return (file->size > 2 && memcmp(file->data, "\x1F\x8B", 2) == 0) ||
           (file->size > 5 && memcmp(file->data,
                                     "\xFD"
                                     "7zXZ",
                                     5) == 0);
}

/* Writes all lines of `in` to an open file. */
static ramus_status copy_lines(ramus_lines *in, const char *from, FILE *to, const char *path,
                               ramus_error *err)
{
    for (size_t all = 0;;) {
        char *line = NULL;
        size_t size = 0;
        const ramus_status st = ramus_lines_next(in, &line, &size, err);
        if (st || !line) return st;
        size += line[size] == '\n';
        all += size;
        if (all > RAMUS_WHOLE_BYTES)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: more than %zu MB, expected less", from,
                              RAMUS_WHOLE_BYTES >> 20);
        if (fwrite(line, 1, size, to) != size) return ramus_fail_errno(err, path, "write");
    }
}

static ramus_status spool(ramus_file *out, const char *from, ramus_error *err)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    ramus_lines *in = NULL;
    (void)snprintf(path, sizeof path, "%s/ramus-XXXXXX", folder && *folder ? folder : "/tmp");
    ramus_status st = ramus_lines_open(&in, from, err);
    if (st) return st;
    const int file = mkstemp(path);
    FILE *to = file < 0 ? NULL : fdopen(file, "wb");
    if (!to) {
        st = ramus_fail_errno(err, path, "create");
        if (file >= 0) (void)close(file);
    } else {
        st = copy_lines(in, from, to, path, err);
        if (fclose(to) && !st) st = ramus_fail_errno(err, path, "write");
        if (!st) st = ramus_file_map(out, path, err);
    }
    if (file >= 0) (void)unlink(path);
    ramus_lines_close(in);
    return st;
}

ramus_status ramus_whole_read(ramus_file *out, const char *path, ramus_error *err)
{
    struct stat is;
    if (strcmp(path, "-") == 0 || (stat(path, &is) == 0 && S_ISFIFO(is.st_mode)))
        return spool(out, path, err);
    const ramus_status st = ramus_file_map(out, path, err);
    if (st || !is_packed(out)) return st;
    ramus_file_unmap(out);
    return spool(out, path, err);
}
