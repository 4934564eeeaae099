/* format.h - documents of known formats: read as blocks to translate, written with translations.
 *
 *     st = ramus_document_open(&d, ramus_format_find("html"), data, size, NULL, err);
 *     while (!st && !ramus_document_ended(d)) {
 *         ramus_blocks_clear(&blocks);
 *         st = ramus_document_read(d, &blocks, 1 << 20, err);
 *         for (int i = 0; i < blocks.n; i++)
 *             ramus_document_write(d, &blocks.items[i], &translations[i], &out);
 *         ramus_document_write_rest(d, &out);
 *     }
 *
 * The law: blocks written with NULL for a translation give the document byte for byte. Blocks come
 * in order and do not overlap; what is between them is copied. A format is one row of the table in
 * format.c. A document has one thread. It borrows its data. */
#ifndef RAMUS_DOCUMENT_FORMAT_H
#define RAMUS_DOCUMENT_FORMAT_H

#include "document/blocks.h"

#define RAMUS_BLOCK_BYTES (64 * 1024) // a reader ends a block that has so much text

typedef struct ramus_document ramus_document;

/* What a user may choose about formats. Starts as {0}. */
typedef struct ramus_format_options {
    ramus_wrapped wrapped; // of text
    const char *columns;   // of csv and tsv, "2" or "1,3" or names of the first line; NULL: all
} ramus_format_options;

typedef struct ramus_format {
    const char *name;       // "html"
    const char *extensions; // "html htm xhtml"
    bool alone;             // documents one after the other are none
    size_t state_size;      // bytes that the reader keeps from call to call; they begin as zeros

    /* Looks at the options and the beginning of the document; NULL: nothing to do. */
    ramus_status (*open)(ramus_document *d, ramus_error *err);

    /* Reads on from d->at, which it moves, and adds the blocks found, none or a few. What it does
     * at each call is little: one paragraph, one tag, one cue. */
    ramus_status (*read)(ramus_document *d, ramus_blocks *out, ramus_error *err);

    /* Writes the bytes that take the place of the block. */
    void (*write)(const ramus_document *d, const ramus_block *block,
                  const ramus_marked *translation, ramus_buffer *out);

    void (*close)(ramus_document *d); // frees what the state owns; NULL: nothing to do
} ramus_format;

struct ramus_document {
    const ramus_format *format;
    const ramus_format_options *options; // never NULL
    const char *data;
    size_t size;
    size_t at; // up to here it is read
    size_t written;
    void *state;
};

/* The rows that a user may ask for, n of them, in the order in which help lists them. */
const ramus_format *const *ramus_formats(int *n);

/* The row of a name; NULL: there is none. */
const ramus_format *ramus_format_find(const char *name);

/* The row that the extension of a file name stands for, in any case, ".gz" and ".xz" left out of
 * account; NULL: none. */
const ramus_format *ramus_format_of_path(const char *path);

/* `options` NULL: {0}. They and the data stay the caller's and must outlive the document. */
RAMUS_CHECKED ramus_status ramus_document_open(ramus_document **out, const ramus_format *format,
                                               const char *data, size_t size,
                                               const ramus_format_options *options,
                                               ramus_error *err);
void ramus_document_close(ramus_document *d); // NULL is fine

bool ramus_document_ended(const ramus_document *d);

/* Adds blocks to `out` until they have `bytes` of text and of marks, or 16 times as much of the
 * document is read, or it ends. */
RAMUS_CHECKED ramus_status ramus_document_read(ramus_document *d, ramus_blocks *out, size_t bytes,
                                               ramus_error *err);

/* Adds to `out` what stands before the block, then its translation. NULL: the block as it is. */
void ramus_document_write(ramus_document *d, const ramus_block *block,
                          const ramus_marked *translation, ramus_buffer *out);

/* Adds what is left of that which was read. */
void ramus_document_write_rest(ramus_document *d, ramus_buffer *out);

#endif
