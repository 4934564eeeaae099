/* vocab.h - a SentencePiece vocabulary: pieces of text, their ids, scores and kinds.
 *
 * Read from a `.model` file as SentencePiece writes it: unigram, BPE, word or character model, with
 * its normalisation rules. Ids are the file's own. A vocabulary is read-only once loaded and shared
 * by any number of threads; text becomes ids with a tokenizer (tokenizer.h), ids become text here.
 * Results equal those of SentencePiece 0.1.97, id by id and byte by byte. */
#ifndef RAMUS_TEXT_VOCAB_H
#define RAMUS_TEXT_VOCAB_H

#include "base/buffer.h"
#include "base/status.h"
#include "text/ids.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ramus_vocab ramus_vocab;

/* The numbers are those of the file. */
typedef enum ramus_piece_kind {
    RAMUS_PIECE_NORMAL = 1,
    RAMUS_PIECE_UNKNOWN = 2, // exactly one: stands for text that no piece covers
    RAMUS_PIECE_CONTROL = 3, // <s>, </s>: never made from text, invisible in text
    RAMUS_PIECE_USER = 4,    // user-defined: always one piece, no normalisation inside
    RAMUS_PIECE_UNUSED = 5,  // cut into its parts again; one character (BPE) or a word stays
    RAMUS_PIECE_BYTE = 6     // <0x00> .. <0xFF>: byte fallback for unknown text
} ramus_piece_kind;

/* Loads a file, or parses the bytes of one. Nothing of `data` is kept. The caller ends *out with
 * ramus_vocab_destroy(). */
RAMUS_CHECKED ramus_status ramus_vocab_load(ramus_vocab **out, const char *path, ramus_error *err);
RAMUS_CHECKED ramus_status ramus_vocab_parse(ramus_vocab **out, const void *data, size_t size,
                                             ramus_error *err);
void ramus_vocab_destroy(ramus_vocab *v); // NULL is fine

/* Whether both make the same ids of every text and the same text of all ids. */
bool ramus_vocab_equal(const ramus_vocab *a, const ramus_vocab *b);

int ramus_vocab_count(const ramus_vocab *v);        // ids are 0 .. count - 1
const char *ramus_vocab_type(const ramus_vocab *v); // "unigram", "bpe", "word", "char"

/* The id of a special piece; -1 where the vocabulary has none. There always is an unknown one. */
int ramus_vocab_unk(const ramus_vocab *v);
int ramus_vocab_bos(const ramus_vocab *v);
int ramus_vocab_eos(const ramus_vocab *v);
int ramus_vocab_pad(const ramus_vocab *v);

/* Of an id in range. The text is the vocabulary's and ends with a zero; U+2581 in it is a space. */
const char *ramus_vocab_piece(const ramus_vocab *v, int id);
ramus_piece_kind ramus_vocab_kind(const ramus_vocab *v, int id);
float ramus_vocab_score(const ramus_vocab *v, int id);

/* The id of a piece by its text, -1 when there is none. */
int ramus_vocab_find(const ramus_vocab *v, const char *piece, size_t size);

/* Adds the text of n ids to *out. An id out of range is an error, and nothing is added. */
RAMUS_CHECKED ramus_status ramus_vocab_decode(const ramus_vocab *v, const int *ids, int n,
                                              ramus_buffer *out, ramus_error *err);

/* As ramus_vocab_decode(), and adds to *ends, for each id, where its text ends in what is added to
 * *out. The text of an id begins at the end of the one before. A character of several byte pieces
 * belongs to the last of them; what a denormalisation rule makes of the text of several ids belongs
 * to the first of them. */
RAMUS_CHECKED ramus_status ramus_vocab_decode_ends(const ramus_vocab *v, const int *ids, int n,
                                                   ramus_buffer *out, ramus_ids *ends,
                                                   ramus_error *err);

/* Adds the text of pieces that stand between single spaces, as ramus_tokenizer_encode_pieces()
 * writes them. What is not a piece of the vocabulary is taken as it stands. */
RAMUS_CHECKED ramus_status ramus_vocab_decode_pieces(const ramus_vocab *v, const char *pieces,
                                                     size_t size, ramus_buffer *out,
                                                     ramus_error *err);

#endif
