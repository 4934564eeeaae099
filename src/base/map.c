/* Only regular files are mapped. The descriptor is closed at once: a mapping outlives it. */
#include "base/map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

ramus_status ramus_file_map(ramus_file *out, const char *path, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait for a writer
    if (fd < 0) return ramus_fail_errno(err, path, "open");

    struct stat info;
    if (fstat(fd, &info)) {
        st = ramus_fail_errno(err, path, "stat");
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
            st = ramus_fail_errno(err, path, "map");
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
