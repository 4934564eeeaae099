/* segment.h - what vocabularies and tokenizers are made of; for the files of this folder only. */
#ifndef RAMUS_TEXT_SEGMENT_H
#define RAMUS_TEXT_SEGMENT_H

#include "text/normalise.h"
#include "text/tokenizer.h"
#include "text/trie.h"
#include "text/vocab.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ramus_piece {
    const char *text; // in ramus_vocab.texts, with a zero behind it
    float score;
    int16_t size;
    uint8_t kind;
    uint8_t text_kind; // of the piece that this text names: special pieces hide normal ones
} ramus_piece;

/* A type of vocabulary: how normalised text is cut. */
typedef struct ramus_vocab_type_row {
    const char *name;
    /* Fills t->segments from t->text, size > 0. */
    ramus_status (*segment)(ramus_tokenizer *t, ramus_error *err);
    /* The same at random; NULL where there is no such thing. */
    ramus_status (*sample)(ramus_tokenizer *t, const ramus_sampling *how, ramus_error *err);
} ramus_vocab_type_row;

#define RAMUS_PIECE_MOST                                                                           \
    8000 // bytes; the limit of later SentencePiece versions, bounds every search
#define RAMUS_PIECE_TABLE_FIELD 200 // of a model file: the first that is left to others

struct ramus_vocab {
    const ramus_vocab_type_row *type;
    ramus_vocab *cuts; // the one that cuts text, where these are the words of a piece table; NULL:
                       // this one
    int *words;        // then: the words of the pieces of `cuts`
    ramus_piece *pieces;
    int n_pieces;
    char *texts;
    int unk, bos, eos, pad;
    bool byte_fallback;
    int byte_ids[256];

    ramus_trie normal;   // normal, user-defined and unused pieces
    ramus_trie special;  // unknown, control and byte pieces
    ramus_trie user;     // user-defined pieces once more; empty without any
    bool has_user;       // user-defined pieces
    bool has_unused;     // unused pieces
    bool words_separate; // no piece reaches over the start (as a suffix: the end) of a word

    float least_score, most_score; // of the normal pieces
    ramus_normaliser normaliser, denormaliser;
    bool denormalises;
    char *unk_surface;
};

/* The piece that text[previous end .. end) became. */
typedef struct ramus_segment {
    int32_t id, end;
} ramus_segment;

/* Memory that grows and keeps nothing. */
typedef struct ramus_scratch {
    void *data;
    size_t size;
} ramus_scratch;

struct ramus_tokenizer {
    const ramus_vocab *vocab; // that cuts
    const ramus_vocab *words; // whose ids are given; NULL: those of `vocab`
    int lead;                 // word before every text; -1: none
    ramus_buffer plain;       // text without language codes
    ramus_buffer text;        // normalised; a zero behind it, which no piece contains
    int text_size;
    ramus_ids origins;       // of the bytes of `text`, where ranges are asked for
    ramus_segment *segments; // in segment_memory
    int n_segments;
    ramus_scratch segment_memory;
    ramus_scratch paths, nodes;  // unigram
    ramus_scratch symbols, heap; // bpe
    ramus_scratch splits;        // bpe with unused pieces
};

/* Grows `s` to at least n items of `item` bytes and returns them; NULL when memory is out. What was
 * in it is kept. */
void *ramus_scratch_reserve(ramus_scratch *s, size_t n, size_t item);

/* Bytes of the UTF-8 character that this byte begins, as SentencePiece counts: 1 for any byte that
 * begins none. */
static inline int ramus_lead_size(unsigned char byte)
{
    return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/* Fills the tries of v->pieces. Empty pieces have no place there. */
RAMUS_CHECKED ramus_status ramus_vocab_index(ramus_vocab *v, ramus_error *err);

/* Fills v, which has nothing but `cuts`, from the message of a piece table. */
RAMUS_CHECKED ramus_status ramus_piece_table_read(ramus_vocab *v, const unsigned char *data,
                                                  size_t size, ramus_error *err);

/* The id of a text: special pieces first; the unknown id when there is none. */
int ramus_vocab_lookup(const ramus_vocab *v, const char *text, size_t size);

/* The size of the user-defined piece or else of the character at the start of `text`. */
static inline int ramus_vocab_symbol_size(const ramus_vocab *v, const char *text, int size,
                                          bool *user)
{
    const int found = v->has_user ? (int)ramus_trie_longest(&v->user, text, (size_t)size) : 0;
    *user = found > 0;
    if (found > 0) return found;
    const int length = ramus_lead_size((unsigned char)*text);
    return length < size ? length : size;
}

ramus_status ramus_unigram_segment(ramus_tokenizer *t, ramus_error *err);
ramus_status ramus_unigram_sample(ramus_tokenizer *t, const ramus_sampling *how, ramus_error *err);
ramus_status ramus_bpe_segment(ramus_tokenizer *t, ramus_error *err);
ramus_status ramus_bpe_sample(ramus_tokenizer *t, const ramus_sampling *how, ramus_error *err);
ramus_status ramus_word_segment(ramus_tokenizer *t, ramus_error *err);
ramus_status ramus_char_segment(ramus_tokenizer *t, ramus_error *err);

#endif
