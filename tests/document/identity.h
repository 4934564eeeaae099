/* identity.h - the law of formats: a document that is read and written as it is stays the same.
 *
 * It holds for a good document, for each of its prefixes and for mutations of it. A format that
 * checks its documents may refuse some with a message. */
#ifndef TESTS_DOCUMENT_IDENTITY_H
#define TESTS_DOCUMENT_IDENTITY_H

#include "documents.h"

#include <stdint.h>

/* Reads and writes a document in steps of `bytes`. false: it was refused. */
static inline bool pass_document(const char *format, const ramus_format_options *options,
                                 const char *data, size_t size, size_t bytes, written_as how,
                                 ramus_buffer *copy)
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
            EXPECT(m.size > 0 && m.size <= RAMUS_BLOCK_BYTES, "a block of %zu bytes", m.size);
            ramus_document_write(d, &b.items[i], how == AS_IT_IS ? NULL : &m, copy);
        }
        if (!st) ramus_document_write_rest(d, copy);
    }
    EXPECT(!st || err.message[0], "refused without a message");
    ramus_document_close(d);
    ramus_blocks_free(&b);
    return !st;
}

/* Expects the law of data[0 .. size), at small and at large steps; false: it was refused. */
static inline bool expect_identity(const char *format, const ramus_format_options *options,
                                   const char *data, size_t size)
{
    ramus_buffer copy = {0}, other = {0};
    char *exact = malloc(size ? size : 1); // so that a sanitizer sees what is read behind the end
    bool passed = true;
    if (!exact) abort();
    memcpy(exact, data, size);
    for (size_t step = 1; step < 100000 && passed; step += 99000) {
        ramus_buffer_clear(&copy);
        ramus_buffer_clear(&other);
        passed = pass_document(format, options, exact, size, step, AS_IT_IS, &copy);
        if (!passed) break;
        EXPECT(copy.size == size && (!size || memcmp(copy.data, exact, size) == 0),
               "%s: other bytes at step %zu of \"%.*s\"", format, step, (int)size, exact);
        EXPECT(pass_document(format, options, exact, size, step, AS_ITSELF, &other), "refused");
    }
    free(exact);
    ramus_buffer_free(&copy);
    ramus_buffer_free(&other);
    return passed;
}

/* Expects the law of every prefix and of 2,000 mutations; returns how many were not refused. */
static inline int expect_identity_of_many(const char *format, const ramus_format_options *options,
                                          const char *data, size_t size)
{
    static const char letters[] = "\"\"\\\\\n\n\r\t <>/&;,:=[]{}#~_-.0u1aZ\xC3\xA4\xFF";
    uint64_t x = check_seed();
    int passed = 0;
    ramus_buffer b = {0};
    for (size_t n = 0; n <= size; n++)
        passed += expect_identity(format, options, data, n);
    for (int i = 0; i < 2000; i++) {
        ramus_buffer_clear(&b);
        ramus_buffer_add(&b, data, size);
        for (int k = 0; k <= i % 4; k++) { // a byte is changed, taken out or doubled
            x = x * 6364136223846793005u + 1442695040888963407u;
            const size_t at = (size_t)(x >> 33) % b.size;
            const unsigned what = (unsigned)(x >> 20) % 4;
            if (what < 2)
                b.data[at] = letters[(x >> 24) % (sizeof letters - 1)];
            else if (what == 2 && b.size > 1)
                memmove(b.data + at, b.data + at + 1, --b.size - at);
            else
                ramus_buffer_add(&b, (const char[]){b.data[at]}, 1);
        }
        passed += expect_identity(format, options, b.data, b.size);
    }
    ramus_buffer_free(&b);
    return passed;
}

#endif
