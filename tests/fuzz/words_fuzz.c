/* Fuzz target (libFuzzer) for lists of pieces: vocab.json, or with a first byte of # a .yml; and
 * for the vocabulary that such a list makes with a model of a few letters. */
#include "convert/import/words.h"
#include "text/tokenizer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Pieces <unk> (kind 2), a, b, _a (kind 1), with a score of 0. */
static const char model[] = "\n\t\n\x05<unk>\x18\x02\n\x03\n\x01"
                            "a\n\x03\n\x01"
                            "b\n\x06\n\x04\xe2\x96\x81"
                            "a";

static void use(const ramus_vocab *v, const char *text, size_t size)
{
    ramus_error err = {0};
    ramus_tokenizer *t = NULL;
    ramus_ids ids = {0}, ends = {0};
    ramus_buffer back = {0};
    if (ramus_tokenizer_create(&t, v, &err)) abort();
    if (!ramus_tokenizer_encode_ranges(t, text, size, &ids, &ends, &err)) {
        if (ends.n != ids.n) abort();
        for (int i = 0; i < ids.n; i++)
            if (ids.data[i] < 0 || ids.data[i] >= ramus_vocab_count(v) ||
                ends.data[i] < (i ? ends.data[i - 1] : 0) || (size_t)ends.data[i] > size)
                abort();
        ends.n = 0;
        if (ramus_vocab_decode_ends(v, ids.data, ids.n, &back, &ends, &err)) abort();
        for (int i = 0; i < ends.n; i++)
            if (ends.data[i] < (i ? ends.data[i - 1] : 0) || (size_t)ends.data[i] > back.size)
                abort();
    }
    ramus_tokenizer_destroy(t);
    ramus_ids_free(&ids);
    ramus_ids_free(&ends);
    ramus_buffer_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ramus_error err = {0};
    ramus_words words = {.most = 1000};
    ramus_buffer file = {0};
    ramus_vocab *v = NULL;
    const char *text = (const char *)data;
    const bool yml = size && *text == '#';
    const ramus_status st = yml ? ramus_words_read_yml(&words, text + 1, size - 1, &err)
                                : ramus_words_read_json(&words, text, size, &err);
    if (!st &&
        !ramus_words_write(&words, words.n + 2, 0, words.n - 1, model, sizeof model - 1, &file,
                           &err) &&
        !ramus_vocab_parse(&v, file.data, file.size, &err)) {
        use(v, text, size);
        use(v, "a >>x<< b </s> ab\n>>a<<", 24);
        ramus_vocab_destroy(v);
    }
    ramus_buffer_free(&file);
    ramus_words_free(&words);
    return 0;
}
