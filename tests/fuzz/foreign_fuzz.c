/* Fuzz target (libFuzzer) for text/foreign.h: the first byte says which vocabulary reads the text.
 *
 *     foreign_fuzz FOLDER
 *
 * A finding is a crash, a sanitizer report, a time-out or a broken law (abort). */
#include "base/utf8.h"
#include "text/foreign.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static bool is_border(const char *text, size_t size, size_t at)
{
    return at == size || (text[at] & 0xC0) != 0x80;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {GOLDEN "/text/bpe-4k.model",
                                        GOLDEN "/text/unigram-8k.model", GOLDEN "/text/zh-4k.model",
                                        GOLDEN "/text/word.model"};
    static ramus_vocab *vocabs[4];
    if (size == 0) return 0;
    const int k = data[0] % 4;
    if (!vocabs[k]) require(ramus_vocab_load(&vocabs[k], names[k], NULL) == RAMUS_OK);

    const char *text = (const char *)data + 1;
    size--;
    const bool valid = size == 0 || ramus_utf8_check(text, size) == size;
    size_t at = 0;
    for (ramus_foreign f = {0}; ramus_foreign_next(vocabs[k], text, size, at, &f);
         at = f.at + f.size) {
        require(k < 3 && f.at >= at && f.size > 0 && f.at < size && f.size <= size - f.at);
        require(!valid || (is_border(text, size, f.at) && is_border(text, size, f.at + f.size)));
        ramus_foreign again = {0}; // what is foreign is so by itself
        require(ramus_foreign_next(vocabs[k], text + f.at, f.size, 0, &again));
        require(again.at == 0 && again.size == f.size && again.word == f.word);
    }
    return 0;
}
