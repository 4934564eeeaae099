/* A document of standard input to standard output, "translated" in a simple way, or its blocks, one
 * a line. For scripts that let other programs judge the structure of what formats write.
 *
 *     document_copy FORMAT as-it-is|as-itself|in-capitals|blocks <IN >OUT */
#include "documents.h"

#include <stdlib.h>

#define STEP ((size_t)1 << 20) // bytes of text that are read before they are written

static int fail(const char *message)
{
    fprintf(stderr, "document_copy: %s\n", message);
    return 1;
}

static bool read_all(FILE *in, ramus_buffer *out)
{
    static char part[1 << 16];
    for (size_t n = 0; (n = fread(part, 1, sizeof part, in)) > 0;)
        ramus_buffer_add(out, part, n);
    return !ferror(in) && !out->failed;
}

static void write_block(ramus_document *d, const ramus_blocks *b, int i, const char *how,
                        ramus_buffer *text, ramus_buffer *out)
{
    ramus_marked m = ramus_blocks_marked(b, i);
    if (strcmp(how, "blocks") == 0) {
        show_block(b, i, out);
        return;
    }
    if (strcmp(how, "in-capitals") == 0) {
        ramus_buffer_clear(text);
        ramus_buffer_add(text, m.text, m.size);
        for (size_t k = 0; k < m.size; k++)
            if (text->data[k] >= 'a' && text->data[k] <= 'z') text->data[k] -= 32;
        m.text = text->data;
    }
    ramus_document_write(d, &b->items[i], strcmp(how, "as-it-is") == 0 ? NULL : &m, out);
}

static ramus_status copy(ramus_document *d, const char *how, ramus_error *err)
{
    ramus_blocks blocks = {0};
    ramus_buffer text = {0}, out = {0};
    ramus_status st = RAMUS_OK;
    while (!st && !ramus_document_ended(d)) {
        ramus_blocks_clear(&blocks);
        ramus_buffer_clear(&out);
        st = ramus_document_read(d, &blocks, STEP, err);
        for (int i = 0; i < blocks.n && !st; i++)
            write_block(d, &blocks, i, how, &text, &out);
        if (strcmp(how, "blocks") != 0)
            ramus_document_write_rest(d, &out);
        else
            d->written = d->at;
        if (!st) st = ramus_buffer_check(&out, err);
        if (!st && out.size && fwrite(out.data, 1, out.size, stdout) != out.size)
            st = ramus_fail_errno(err, "standard output", "write");
    }
    ramus_blocks_free(&blocks);
    ramus_buffer_free(&text);
    ramus_buffer_free(&out);
    return st;
}

int main(int argc, char **argv)
{
    ramus_buffer in = {0};
    ramus_document *d = NULL;
    ramus_error err = {0};
    if (argc != 3) return fail("usage: document_copy FORMAT as-it-is|as-itself|in-capitals|blocks");
    const ramus_format *format = ramus_format_find(argv[1]);
    if (!format) return fail("no such format");
    if (!read_all(stdin, &in)) return fail("cannot read standard input");
    ramus_status st = ramus_document_open(&d, format, in.data ? in.data : "", in.size, NULL, &err);
    if (!st) st = copy(d, argv[2], &err);
    ramus_document_close(d);
    ramus_buffer_free(&in);
    return st ? fail(err.message) : 0;
}
