/* An archive (docx, odt) written with its texts "translated" in a simple way, for office.py.
 *
 *     document_office_copy as-it-is|as-itself|in-capitals IN OUT */
#include "data/office.h"
#include "data/zip.h"
#include "documents.h"

#include <stdio.h>

static ramus_status translate(void *arg, const char *part, const ramus_format *format,
                              const char *data, size_t size, ramus_buffer *out, ramus_error *err)
{
    const written_as *how = arg;
    ramus_buffer blocks = {0};
    (void)part;
    read_document(format->name, NULL, data, size, 1, *how, &blocks, out);
    ramus_buffer_free(&blocks);
    return ramus_buffer_check(out, err);
}

static bool read_file(const char *path, ramus_buffer *out)
{
    static char part[1 << 16];
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    for (size_t n = 0; (n = fread(part, 1, sizeof part, f)) > 0;)
        ramus_buffer_add(out, part, n);
    return fclose(f) == 0 && !out->failed;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"as-it-is", "as-itself", "in-capitals"};
    static const written_as hows[] = {AS_IT_IS, AS_ITSELF, IN_CAPITALS};
    written_as how = AS_IT_IS;
    ramus_buffer in = {0}, out = {0};
    ramus_error err = {0};
    for (int i = 0; i < 3 && argc == 4; i++)
        if (strcmp(argv[1], names[i]) == 0) how = hows[i];
    if (argc != 4 || !read_file(argv[2], &in)) {
        fprintf(stderr, "usage: document_office_copy as-it-is|as-itself|in-capitals IN OUT\n");
        return 2;
    }
    if (ramus_office_write(in.data, in.size, translate, &how, &out, &err)) {
        fprintf(stderr, "error: %s\n", err.message);
        return 1;
    }
    FILE *f = fopen(argv[3], "wb");
    const bool fine = f && fwrite(out.data, 1, out.size, f) == out.size && fclose(f) == 0;
    ramus_buffer_free(&in);
    ramus_buffer_free(&out);
    return !fine || check_failures > 0;
}
