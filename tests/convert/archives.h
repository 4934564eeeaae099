/* archives.h - archives of stored entries, arrays of NumPy and pickles of PyTorch, written by plain
 * code for tests. */
#ifndef RAMUS_TESTS_CONVERT_ARCHIVES_H
#define RAMUS_TESTS_CONVERT_ARCHIVES_H

#include "base/buffer.h"

#include "check.h"

typedef struct archive {
    ramus_buffer data, list;
    int n;
    int method; // of the next entry: 0 stored, 8 packed
} archive;

static inline void put(ramus_buffer *b, unsigned long long x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        ramus_buffer_add(b, &(unsigned char){(unsigned char)(i < 8 ? x >> 8 * i : 0)}, 1);
}

static inline void archive_add(archive *a, const char *name, const void *data, size_t size)
{
    const size_t at = a->data.size, length = strlen(name);
    put(&a->data, 0x04034b50, 4);
    put(&a->data, 20, 2);
    put(&a->data, 0, 2);
    put(&a->data, (unsigned)a->method, 2);
    put(&a->data, 0, 8); // time, checksum
    put(&a->data, size, 4);
    put(&a->data, size, 4);
    put(&a->data, length, 2);
    put(&a->data, 0, 2);
    ramus_buffer_add(&a->data, name, length);
    ramus_buffer_add(&a->data, data, size);
    put(&a->list, 0x02014b50, 4);
    put(&a->list, 20, 4);
    put(&a->list, 0, 2);
    put(&a->list, (unsigned)a->method, 2);
    put(&a->list, 0, 8);
    put(&a->list, size, 4);
    put(&a->list, size, 4);
    put(&a->list, length, 2);
    put(&a->list, 0, 12); // extra, comment, disk, attributes
    put(&a->list, at, 4);
    ramus_buffer_add(&a->list, name, length);
    a->n++;
}

static inline void archive_end(archive *a)
{
    const size_t at = a->data.size;
    ramus_buffer_add(&a->data, a->list.data, a->list.size);
    put(&a->data, 0x06054b50, 4);
    put(&a->data, 0, 4);
    put(&a->data, (unsigned)a->n, 2);
    put(&a->data, (unsigned)a->n, 2);
    put(&a->data, a->list.size, 4);
    put(&a->data, at, 4);
    put(&a->data, 0, 2);
}

static inline void archive_free(archive *a)
{
    ramus_buffer_free(&a->data);
    ramus_buffer_free(&a->list);
}

/* An array with this header and these bytes as entry `name`. */
static inline void archive_add_array(archive *a, const char *name, const char *header,
                                     const void *data, size_t size)
{
    ramus_buffer b = {0};
    ramus_buffer_add(&b, "\x93NUMPY\x01\x00", 8);
    put(&b, strlen(header), 2);
    ramus_buffer_text(&b, header);
    ramus_buffer_add(&b, data, size);
    archive_add(a, name, b.data, b.size);
    ramus_buffer_free(&b);
}

/* The pickle of {"x": tensor} as torch.save() writes it: storage '0' of `values` floats, a tensor
 * of rows by columns from value `offset` on, with this distance between rows. */
typedef struct pickled {
    const char *call, *type; // "torch._utils\n_rebuild_tensor_v2\n", "torch\nFloatStorage\n"
    int offset, rows, columns, stride;
} pickled;

static inline void put_text(ramus_buffer *b, const char *text)
{
    ramus_buffer_add(b, "X", 1);
    put(b, strlen(text), 4);
    ramus_buffer_text(b, text);
}

static inline void put_whole(ramus_buffer *b, int x)
{
    ramus_buffer_add(b, "J", 1);
    put(b, (unsigned)x, 4);
}

static inline ramus_buffer pickle_of(const pickled *p)
{
    ramus_buffer b = {0};
    ramus_buffer_add(&b, "\x80\x02}q\x00(", 6);
    put_text(&b, "x");
    ramus_buffer_print(&b, "c%s((", p->call);
    put_text(&b, "storage");
    ramus_buffer_print(&b, "c%s", p->type);
    put_text(&b, "0");
    put_text(&b, "cpu");
    put_whole(&b, 6);
    ramus_buffer_text(&b, "tQ");
    put_whole(&b, p->offset);
    put_whole(&b, p->rows);
    put_whole(&b, p->columns);
    ramus_buffer_add(&b, "\x86", 1);
    put_whole(&b, p->stride);
    put_whole(&b, 1);
    ramus_buffer_add(&b,
                     "\x86\x89"
                     "ccollections\nOrderedDict\n)RtRu.",
                     33);
    return b;
}

#endif
