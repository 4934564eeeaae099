/* tokenizer.h - text to ids: the memory that encoding needs, reused from text to text.
 *
 * One tokenizer has one thread. It borrows its vocabulary, which must outlive it. Its memory grows
 * to the longest text it has seen; after that, encoding allocates nothing.
 *
 *     ramus_ids ids = {0};
 *     st = ramus_tokenizer_encode(tok, line, strlen(line), &ids, err);   // ids.data[0 .. ids.n)
 *     ...
 *     ramus_ids_free(&ids); */
#ifndef RAMUS_TEXT_TOKENIZER_H
#define RAMUS_TEXT_TOKENIZER_H

#include "base/buffer.h"
#include "base/rng.h"
#include "base/status.h"
#include "text/ids.h"
#include "text/vocab.h"

#include <stddef.h>

typedef struct ramus_tokenizer ramus_tokenizer;

RAMUS_CHECKED ramus_status ramus_tokenizer_create(ramus_tokenizer **out, const ramus_vocab *vocab,
                                                  ramus_error *err);
void ramus_tokenizer_destroy(ramus_tokenizer *t); // NULL is fine

/* Puts a word of a piece table, such as a language code, before the ids of every text that has any
 * and does not begin with a code itself; -1: none. */
void ramus_tokenizer_lead(ramus_tokenizer *t, int id);

/* Adds the ids of `text` to *ids, without BOS and EOS. Any bytes will do: what is not UTF-8 counts
 * as U+FFFD. Fails, adding nothing, when memory is out or the text exceeds 256 MB. */
RAMUS_CHECKED ramus_status ramus_tokenizer_encode(ramus_tokenizer *t, const char *text, size_t size,
                                                  ramus_ids *ids, ramus_error *err);

/* As ramus_tokenizer_encode(), and adds to *ends, for each id, the byte of `text` at which it ends.
 * An id covers the text from the end of the id before it; the first id covers it from the start.
 * White space belongs to the id that has the space symbol, white space that is dropped at the end
 * of the text to none. A character belongs to one id: to the last of its bytes, or of the pieces
 * that normalisation has made of it. The others are empty. Ends are those of SentencePiece. */
RAMUS_CHECKED ramus_status ramus_tokenizer_encode_ranges(ramus_tokenizer *t, const char *text,
                                                         size_t size, ramus_ids *ids,
                                                         ramus_ids *ends, ramus_error *err);

/* How a segmentation is drawn. Unigram: with probability proportional to its own to the power
 * `alpha` (0: all alike; large: the best one). BPE: each merge is left out with probability `alpha`
 * (BPE-dropout). Elements 0, 1, .. of `rng` are used up, so each text wants a key of its own. */
typedef struct ramus_sampling {
    double alpha; // in [0, 1e6]
    ramus_rng rng;
} ramus_sampling;

/* As ramus_tokenizer_encode(), with a random segmentation. Word and character vocabularies cannot
 * sample and fail. */
RAMUS_CHECKED ramus_status ramus_tokenizer_sample(ramus_tokenizer *t, const char *text, size_t size,
                                                  const ramus_sampling *how, ramus_ids *ids,
                                                  ramus_error *err);

/* Adds the pieces of `text` with single spaces between them; unknown text stands for itself, so
 * that ramus_vocab_decode_pieces() gives it back. */
RAMUS_CHECKED ramus_status ramus_tokenizer_encode_pieces(ramus_tokenizer *t, const char *text,
                                                         size_t size, ramus_buffer *out,
                                                         ramus_error *err);

#endif
