/* Fuzz target (libFuzzer) for vocabularies and tokenizers.
 *
 *     sentencepiece_fuzz FOLDER                      the input is a .model file
 *     RAMUS_FUZZ_MODEL=x.model sentencepiece_fuzz    the input is text for this model
 *
 * A finding is a crash, a sanitizer report, a time-out or a broken law (abort). */
#include "base/utf8.h"
#include "text/tokenizer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ramus_vocab *fixed;

static void require(bool condition)
{
    if (!condition) abort();
}

/* Ends are in order and within `size`. */
static void require_ends(const ramus_ids *ends, int n, size_t size)
{
    require(ends->n == n);
    for (int i = 0; i < n; i++)
        require(ends->data[i] >= (i > 0 ? ends->data[i - 1] : 0) && (size_t)ends->data[i] <= size);
}

/* Special words of a piece table stand in text as themselves. */
static bool contains(const char *text, size_t size, const char *piece)
{
    const size_t n = strlen(piece);
    for (size_t at = 0; at + n <= size; at++)
        if (memcmp(text + at, piece, n) == 0) return true;
    return false;
}

/* Encodes, decodes, encodes pieces, decodes pieces, samples. */
static void use(const ramus_vocab *v, const char *text, size_t size)
{
    ramus_error err = {0};
    ramus_tokenizer *t = NULL;
    ramus_ids ids = {0}, ends = {0};
    ramus_buffer back = {0}, pieces = {0}, back_from_pieces = {0};
    const ramus_sampling how = {0.3, {size, 0, 0, 0}};

    require(!ramus_tokenizer_create(&t, v, &err));
    if (ramus_tokenizer_encode(t, text, size, &ids, &err)) goto done;
    for (int i = 0; i < ids.n; i++) {
        require(ids.data[i] >= 0 && ids.data[i] < ramus_vocab_count(v));
        require(ramus_vocab_kind(v, ids.data[i]) != RAMUS_PIECE_CONTROL ||
                contains(text, size, ramus_vocab_piece(v, ids.data[i])));
    }
    require(!ramus_vocab_decode_ends(v, ids.data, ids.n, &back, &ends, &err));
    require_ends(&ends, ids.n, back.size);
    require(ids.n == 0 || (size_t)ends.data[ids.n - 1] == back.size);
    require(!ramus_tokenizer_encode_pieces(t, text, size, &pieces, &err));
    require(!ramus_vocab_decode_pieces(v, pieces.data, pieces.size, &back_from_pieces, &err));
    if (fixed) { // a sane model: encoding is a function, and what it decodes to is UTF-8
        const int n = ids.n;
        require(!ramus_tokenizer_encode(t, text, size, &ids, &err));
        require(ids.n == 2 * n && (n == 0 || memcmp(ids.data, ids.data + n, (size_t)n * 4) == 0));
        require(back.size == 0 || ramus_utf8_check(back.data, back.size) == back.size);
    }
    ids.n = ends.n = 0;
    require(!ramus_tokenizer_encode_ranges(t, text, size, &ids, &ends, &err));
    require_ends(&ends, ids.n, size);
    ids.n = 0;
    (void)!ramus_tokenizer_sample(t, text, size, &how, &ids, &err);
done:
    ramus_buffer_free(&back_from_pieces);
    ramus_buffer_free(&pieces);
    ramus_buffer_free(&back);
    ramus_ids_free(&ids);
    ramus_ids_free(&ends);
    ramus_tokenizer_destroy(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] =
        " The ca\xCC\x80t\t\xFF sits\xE2\x96\x81 <tag>\xE4\xB8\xAD  abcdx ab\0 ";
    ramus_error err = {0};
    ramus_vocab *v = NULL;
    const char *path = getenv("RAMUS_FUZZ_MODEL");

    if (path && !fixed) require(!ramus_vocab_load(&fixed, path, &err));
    if (fixed) {
        use(fixed, (const char *)data, size);
        return 0;
    }
    if (ramus_vocab_parse(&v, data, size, &err)) {
        require(!v && err.message[0]);
        return 0;
    }
    use(v, text, sizeof text - 1);
    for (int id = 0; id < ramus_vocab_count(v); id += 1 + ramus_vocab_count(v) / 16) {
        const char *piece = ramus_vocab_piece(v, id); // the vocabulary's own pieces as text
        require(ramus_vocab_find(v, piece, strlen(piece)) >= 0);
        use(v, piece, strlen(piece));
    }
    ramus_vocab_destroy(v);
    return 0;
}
