/* mkdir from the top down, paths joined in a buffer, and /proc/self/exe for the folder of the
 * program. */
#include "base/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ramus_status ramus_folder_make(const char *folder, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_buffer_text(&path, folder);
    ramus_status st = ramus_buffer_check(&path, err);
    for (char *c = path.data; !st && c;) {
        c = strchr(c + 1, '/');
        if (c) *c = '\0';
        if (mkdir(path.data, 0777) && errno != EEXIST)
            st = ramus_fail_errno(err, path.data, "make");
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

void ramus_program_folder(char *folder, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    folder[n > 0 && (size_t)n < size - 1 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
}
