/* document_other.h - a document is written with its marks in other places, evenly spread over the
 * text of each block, and read again: no law but that nothing crashes. */
#ifndef TESTS_FUZZ_DOCUMENT_OTHER_H
#define TESTS_FUZZ_DOCUMENT_OTHER_H

#include "document_law.h"

static inline void spread_marks(const char *format, const char *data, size_t size)
{
    ramus_document *d = NULL;
    ramus_blocks b = {0};
    ramus_buffer out = {0}, texts = {0}, copy = {0};
    ramus_error err = {0};
    require(!ramus_document_open(&d, ramus_format_find(format), data, size, NULL, &err));
    require(!ramus_document_read(d, &b, size + 1, &err));
    for (int i = 0; i < b.n; i++) {
        ramus_marked m = ramus_blocks_marked(&b, i);
        ramus_mark *marks = calloc((size_t)m.n_marks + 1, sizeof *marks);
        require(marks != NULL);
        for (int k = 0; k < m.n_marks; k++) {
            marks[k] = m.marks[k];
            marks[k].at = m.size * (size_t)(k + 1) / (size_t)(m.n_marks + 1);
            marks[k].size = 0;
        }
        m.marks = marks;
        ramus_document_write(d, &b.items[i], &m, &out);
        free(marks);
    }
    while (!ramus_document_ended(d)) { // without a block
        ramus_document_write_rest(d, &out);
        ramus_blocks_clear(&b);
        require(!ramus_document_read(d, &b, 1, &err));
    }
    require(pass(format, NULL, out.data ? out.data : "", out.size, 1, false, &texts, &copy));
    require(same(&copy, out.data, out.size));
    ramus_document_close(d);
    ramus_blocks_free(&b);
    ramus_buffer_free(&out);
    ramus_buffer_free(&texts);
    ramus_buffer_free(&copy);
}

#endif
