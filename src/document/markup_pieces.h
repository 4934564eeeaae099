/* markup_pieces.h - a text of a document in pieces: stretches of text, and tags between them.
 *
 * A reader adds pieces as it meets them and tells which tags are pairs. What stands before the
 * first word and after the last one is then left out, and the rest becomes the text of a block. */
#ifndef RAMUS_DOCUMENT_MARKUP_PIECES_H
#define RAMUS_DOCUMENT_MARKUP_PIECES_H

#include "document/markup.h"

typedef enum ramus_piece_kind {
    RAMUS_PIECE_TEXT,
    RAMUS_PIECE_CDATA, // text without references
    RAMUS_PIECE_OPEN,
    RAMUS_PIECE_CLOSE,
    RAMUS_PIECE_POINT,
    RAMUS_PIECE_KEEP
} ramus_piece_kind;

typedef struct ramus_piece {
    ramus_piece_kind kind;
    size_t from, to;           // bytes of the document
    size_t text_from, text_to; // CDATA, KEEP: where its text is, with tags that are passed over
    int pair;                  // OPEN, CLOSE: the number of the other one; -1: it has none
    unsigned char own;         // the caller's
} ramus_piece;

/* Starts as {0} but for the first three. */
typedef struct ramus_pieces {
    const char *data; // the document
    ramus_markup markup;
    bool lines; // line breaks in texts are CUT marks
    ramus_piece *items;
    int n;
    size_t room; // its own, as the rest
    ramus_blocks scratch;
} ramus_pieces;

void ramus_pieces_free(ramus_pieces *p);

/* A CLOSE whose `pair` is set becomes the pair of that OPEN, too. */
RAMUS_CHECKED ramus_status ramus_pieces_add(ramus_pieces *p, const ramus_piece *piece,
                                            ramus_error *err);

/* Whether the texts among pieces lo .. hi - 1 have words, those in pairs of tags left out. */
bool ramus_pieces_have_words_outside(ramus_pieces *p, int lo, int hi);

/* Leaves out pieces before and after the words, and tags that are around them all. */
void ramus_pieces_trim(const ramus_pieces *p, int *lo, int *hi);

/* The place of pieces lo .. hi - 1, lo < hi, without the white space around them. */
void ramus_pieces_place(const ramus_pieces *p, int lo, int hi, size_t *from, size_t *to);

/* Adds a block with the pieces lo .. hi - 1 in that place; false: it has no words. */
bool ramus_pieces_put(ramus_pieces *p, int lo, int hi, size_t from, size_t to, int form,
                      ramus_blocks *out);

#endif
