/* piece_table.h - words of a model whose ids are not those of its SentencePiece model: the model
 * cuts text, and a list of pieces numbers them.
 *
 * Marian models are so. Source and target have SentencePiece models of their own and one list. A
 * piece that the list lacks is the unknown word; text that the SentencePiece model does not know is
 * looked up in the list as it stands. The list follows the bytes of the .model file as one more
 * field, so the two are one file (docs/FORMAT.md), which ramus_vocab_parse() reads like any other.
 *
 * Two kinds of word stand in text as themselves, as in Hugging Face's tokenizer: the special words,
 * anywhere; and a language code, `>>deu<<` (transformers 4.46). The code is the first word if the
 * text begins with it; it is dropped wherever it stands. */
#ifndef RAMUS_TEXT_PIECE_TABLE_H
#define RAMUS_TEXT_PIECE_TABLE_H

#include "base/buffer.h"
#include "base/status.h"

#include <stddef.h>

typedef struct ramus_piece_table {
    const char *const *words; // [n] by id, each UTF-8; "" has no text and is never made from text
    int n;
    int eos, unk;
    int pad; // -1: none
} ramus_piece_table;

/* Adds the bytes of a .model file and the table to *out. */
RAMUS_CHECKED ramus_status ramus_piece_table_write(const ramus_piece_table *t, const void *model,
                                                   size_t size, ramus_buffer *out,
                                                   ramus_error *err);

#endif
