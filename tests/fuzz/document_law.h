/* document_law.h - the laws of a format as a fuzz target (libFuzzer).
 *
 * A document that is not refused is the same bytes when it is written as it is. Written with
 * itself for a translation, it can be read again. `again`: the blocks are then the same. */
#ifndef TESTS_FUZZ_DOCUMENT_LAW_H
#define TESTS_FUZZ_DOCUMENT_LAW_H

#include "document/format.h"

#include <stdlib.h>
#include <string.h>

static inline void require(bool condition)
{
    if (!condition) abort();
}

/* Reads in steps of `bytes`; the texts of blocks come to *texts. false: it was refused. */
static inline bool pass(const char *format, const ramus_format_options *options, const char *data,
                        size_t size, size_t bytes, bool translate, ramus_buffer *texts,
                        ramus_buffer *out)
{
    ramus_document *d = NULL;
    ramus_blocks b = {0};
    ramus_error err = {0};
    ramus_status st = ramus_document_open(&d, ramus_format_find(format), data, size, options, &err);
    while (!st && !ramus_document_ended(d)) {
        ramus_blocks_clear(&b);
        st = ramus_document_read(d, &b, bytes, &err);
        for (int i = 0; i < b.n && !st; i++) {
            const ramus_marked m = ramus_blocks_marked(&b, i);
            require(m.size > 0 && m.size <= RAMUS_BLOCK_BYTES);
            ramus_buffer_add(texts, m.text, m.size);
            ramus_buffer_add(texts, "\n", 1);
            ramus_document_write(d, &b.items[i], translate ? &m : NULL, out);
        }
        if (!st) ramus_document_write_rest(d, out);
    }
    require(!st || err.message[0]);
    ramus_document_close(d);
    ramus_blocks_free(&b);
    return !st;
}

static inline bool same(const ramus_buffer *a, const char *data, size_t size)
{
    return a->size == size && (size == 0 || memcmp(a->data, data, size) == 0);
}

static inline void require_laws(const char *format, const ramus_format_options *options,
                                const char *data, size_t size, bool again)
{
    ramus_buffer texts = {0}, copy = {0}, blocks = {0};
    if (pass(format, options, data, size, 1, false, &texts, &copy)) {
        require(same(&copy, data, size));
        ramus_buffer_clear(&copy);
        require(pass(format, options, data, size, 100000, true, &blocks, &copy));
        require(same(&blocks, texts.data, texts.size));
        char *exact = malloc(copy.size ? copy.size : 1);
        require(exact != NULL);
        memcpy(exact, copy.data ? copy.data : "", copy.size);
        ramus_buffer_clear(&blocks);
        size = copy.size;
        ramus_buffer_clear(&copy);
        require(pass(format, options, exact, size, 1, false, &blocks, &copy) &&
                same(&copy, exact, size));
        require(!again || same(&blocks, texts.data, texts.size));
        free(exact);
    }
    ramus_buffer_free(&texts);
    ramus_buffer_free(&copy);
    ramus_buffer_free(&blocks);
}

#endif
