/* Fuzz target (libFuzzer) for glossaries: the reader of files and the matcher.
 *
 * The input is a file and, behind its first zero byte, a text. Laws: each term lies behind the one
 * before, and a search that begins anew, there or where the last one ended, finds the same. */
#include "text/terms.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

/* A term found from elsewhere: it has nothing in common with the search that found `want`. */
static void require_same(const ramus_terms *t, const char *text, size_t size, size_t from,
                         const ramus_term *want)
{
    ramus_term got = {0};
    require(ramus_terms_next(t, text, size, from, &got));
    require(got.at == want->at && got.size == want->size && got.put == want->put &&
            got.put_size == want->put_size);
}

static void go_through(const ramus_terms *t, const char *text, size_t size)
{
    ramus_term term = {0};
    size_t from = 0;
    while (ramus_terms_next(t, text, size, from, &term)) {
        require(term.at >= from && term.size > 0 && term.size <= size - term.at);
        require_same(t, text, size, term.at, &term);
        require_same(t, text, size, from, &term);
        size_t sum = 0; // of the bytes that it becomes: all can be read
        for (size_t i = 0; term.put && i < term.put_size; i++)
            sum += (unsigned char)term.put[i];
        require(sum < SIZE_MAX);
        from = term.at + term.size;
    }
    ramus_term none = {0};
    require(!ramus_terms_next(t, text, size, from, &none));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ramus_error err = {0};
    ramus_terms *t = NULL;
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    const size_t file_size = zero ? (size_t)(zero - data) : size;
    char *file =
        malloc(file_size ? file_size : 1); // each has memory of its own: a byte too many is seen
    require(file != NULL);
    memcpy(file, size ? (const void *)data : "", file_size);
    const ramus_status st = ramus_terms_open_memory(&t, file, file_size, &err);
    free(file);
    if (st) {
        require(!t && err.message[0]);
        return 0;
    }
    const size_t text_size = size - file_size - (zero != NULL);
    char *text = malloc(text_size ? text_size : 1);
    require(text != NULL);
    memcpy(text, zero ? zero + 1 : (const void *)"", text_size);
    go_through(t, text, text_size);
    require(!ramus_terms_keep(t, "[0-9]+(-[a-z]+)?|\xC3\xA4.?x", &err));
    go_through(t, text, text_size);
    free(text);
    ramus_terms_close(t);
    return 0;
}
