/* blocks.h - what a document has to translate: blocks, each a stretch of text with marks in it.
 *
 * A reader (format.h) adds blocks in the order of the document: begins one, adds text and marks as
 * it meets them, ends it. Texts, marks and what is written for marks lie in shared memory, which is
 * kept when the list is cleared. Nothing borrows the document.
 *
 *     ramus_blocks_begin(b, at);                        // <p>See <a href="x">this</a>!</p>
 *     ramus_blocks_text(b, "See ", 4);
 *     ramus_blocks_mark(b, RAMUS_MARK_OPEN, "<a href=\"x\">", 12);
 *     ramus_blocks_text(b, "this", 4);
 *     ramus_blocks_mark(b, RAMUS_MARK_CLOSE, "</a>", 4);
 *     ramus_blocks_text(b, "!", 1);
 *     ramus_blocks_end(b, at, 0);
 *
 * Running out of memory is remembered: ramus_blocks_check() tells. */
#ifndef RAMUS_DOCUMENT_BLOCKS_H
#define RAMUS_DOCUMENT_BLOCKS_H

#include "base/buffer.h"

typedef enum ramus_mark_kind {
    RAMUS_MARK_OPEN,  // begins what its pair ends: "<b>". Goes around the same words as in the
                      // source
    RAMUS_MARK_CLOSE, // its pair: "</b>"
    RAMUS_MARK_POINT, // stands alone: "<img>". Goes beside the same word as in the source
    RAMUS_MARK_CUT,   // divides the text: the lines between two subtitles. All keep their order and
                      // stand between words, for the white space there
    RAMUS_MARK_KEEP   // `size` bytes of the text that are not translated: code, a placeholder
} ramus_mark_kind;

typedef struct ramus_mark {
    ramus_mark_kind kind;
    int pair;             // OPEN, CLOSE: the number of the other one among the marks of the block
    size_t at, size;      // the byte of the text that it stands before; size: 0 but for KEEP
    size_t raw, raw_size; // what is written for it as it is: bytes of ramus_blocks.raws
} ramus_mark;

typedef struct ramus_block {
    size_t from, to;         // bytes of the document that the translation takes the place of
    size_t text, size;       // bytes of ramus_blocks.texts
    int first_mark, n_marks; // of ramus_blocks.marks, in the order in which they stand
    int form;                // how the format writes it; a number of the format's own
} ramus_block;

typedef struct ramus_blocks {
    ramus_buffer texts, raws;
    ramus_block *items;
    int n;
    ramus_mark *marks;
    int n_marks;

    size_t item_room, mark_room; // its own
    bool failed;
} ramus_blocks;

void ramus_blocks_free(ramus_blocks *b); // back to {0}
void ramus_blocks_clear(ramus_blocks *b);
RAMUS_CHECKED ramus_status ramus_blocks_check(const ramus_blocks *b, ramus_error *err);

/* Begins a block whose place in the document begins at byte `from`; the one before has ended. */
void ramus_blocks_begin(ramus_blocks *b, size_t from);

/* Adds to the text of the block: UTF-8 as a reader sees it, without escapes. */
void ramus_blocks_text(ramus_blocks *b, const char *text, size_t size);

/* Adds a mark at the end of the text. CLOSE pairs with the last OPEN that has no pair yet, and is a
 * POINT where there is none. */
void ramus_blocks_mark(ramus_blocks *b, ramus_mark_kind kind, const char *raw, size_t size);

/* Adds `size` bytes that are not translated to the text, with a mark that writes `raw` for them. */
void ramus_blocks_keep(ramus_blocks *b, const char *text, size_t size, const char *raw,
                       size_t raw_size);

/* Ends the block, whose place ends before byte `to`. Marks at its very beginning and end, and white
 * space there, had better not be in it. OPENs without a pair become POINTs. A block without a
 * letter outside of KEEP marks has nothing to translate: it is taken back, and false returned. */
bool ramus_blocks_end(ramus_blocks *b, size_t to, int form);

/* A text with marks: that of a block, or its translation. */
typedef struct ramus_marked {
    const char *text;
    size_t size;
    const ramus_mark *marks; // in the order in which they are written
    int n_marks;
    const char *raws; // that the marks point into
} ramus_marked;

ramus_marked ramus_blocks_marked(const ramus_blocks *b, int block);

/* Writes a marked text: `escape` writes stretches of text, marks write their raw bytes. The bytes
 * of the text that a KEEP stands for are left out. escape NULL: text is written as it is. */
void ramus_marked_write(const ramus_marked *m,
                        void (*escape)(ramus_buffer *out, const char *text, size_t size),
                        ramus_buffer *out);

#endif
