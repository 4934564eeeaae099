/* inlines.h - what stands in a paragraph of an office document (docx, odt) before it is a block.
 *
 * The reader of a format lists the contents of a paragraph: text, and what becomes marks. The block
 * is what stands between the first and the last word, with pairs that end or begin in there. */
#ifndef RAMUS_DOCUMENT_INLINES_H
#define RAMUS_DOCUMENT_INLINES_H

#include "document/format.h"

typedef enum ramus_inline_kind {
    RAMUS_INLINE_TEXT,
    RAMUS_INLINE_MARK, // POINT, CUT or KEEP
    RAMUS_INLINE_OPEN,
    RAMUS_INLINE_CLOSE
} ramus_inline_kind;

typedef struct ramus_inline {
    ramus_inline_kind kind;
    ramus_mark_kind mark;       // of RAMUS_INLINE_MARK
    size_t from, to;            // its bytes of the document
    size_t text, size;          // of TEXT and KEEP: bytes of the document
    size_t raw, raw_size;       // of marks: bytes of ramus_inlines.raws
    int pair;                   // of OPEN: its CLOSE, and the other way round; -1: none
    bool word;                  // text that is not only white space
    bool space;                 // of MARK: it looks like a space
    bool line;                  // of CUT: a line break, over which a sentence may go on
    size_t run, run_to;         // of docx: the run that it stands in; 0, 0: none
    size_t format, format_size; // of docx: how text looks; bytes of ramus_inlines.formats
} ramus_inline;

typedef struct ramus_inlines {
    ramus_inline *items;
    int n;
    ramus_buffer raws, formats;
    bool failed;
    bool strange; // a paragraph that had better stay as it is

    size_t room; // its own
    int open;    // the last OPEN without a pair, which has the one before it as its pair
} ramus_inlines;

void ramus_inlines_free(ramus_inlines *l); // back to {0}
void ramus_inlines_clear(ramus_inlines *l);

/* Adds an item with `raw`; NULL: there is no memory. */
ramus_inline *ramus_inlines_add(ramus_inlines *l, ramus_inline_kind kind, size_t from, size_t to,
                                const char *raw, size_t raw_size);

/* Adds an OPEN, or a CLOSE for the last OPEN that has no pair; a POINT if there is none. */
ramus_inline *ramus_inlines_open(ramus_inlines *l, size_t from, size_t to, const char *raw,
                                 size_t raw_size);
ramus_inline *ramus_inlines_close(ramus_inlines *l, size_t from, size_t to, const char *raw,
                                  size_t raw_size);

/* The last OPEN without a pair; NULL: there is none. */
ramus_inline *ramus_inlines_last_open(ramus_inlines *l);

/* Makes the last OPEN without a pair a POINT. */
void ramus_inlines_drop_open(ramus_inlines *l);

/* What stands for a CUT in the text of the block: an empty line, or a space where the next text
 * begins with a small letter behind a line break. */
const char *ramus_inlines_cut(const ramus_document *d, const ramus_inlines *l,
                              const ramus_inline *cut);

/* Sets *first and *last to the items that are to be in the block; false: there are no words. OPENs
 * without a pair become POINTs. */
bool ramus_inlines_trim(ramus_inlines *l, int *first, int *last);

/* Finds paragraphs: elements with one of the names, up to NULL. One that has others in it comes
 * after them: `outer` finds those that have some and stand in no other, else those that have none
 * are found. Elements called `skipped` (may be NULL) are passed over. */
typedef struct ramus_paragraphs {
    const char *names[5];
    const char *skipped;
    bool outer;
} ramus_paragraphs;

/* Moves d->at behind the next paragraph, and *from, *to to its contents. false: there is none, and
 * d->at is the end. */
bool ramus_paragraphs_next(const ramus_paragraphs *p, ramus_document *d, size_t *from, size_t *to);

/* Refuses what is an archive: documents of Word and Writer hold several files of XML. */
RAMUS_CHECKED ramus_status ramus_paragraphs_check(const ramus_document *d, ramus_error *err);

/* The end of the element that begins with the tag at byte `at`; `size` if it has none. */
size_t ramus_element_end(const char *data, size_t size, size_t at);

#endif
