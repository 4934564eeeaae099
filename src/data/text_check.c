/* A row per kind of file: its first bytes and what to do about it. UTF-16 without a mark and
 * binary files of other kinds show by their zero bytes. */
#include "data/text_check.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LOOKED_AT 4096 // bytes

#define UTF_16 "text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"

static const struct {
    const char *start; // a '?' is any byte
    size_t size;
    const char *kind, *advice;
} kinds[] = {
    {"\xFF\xFE\0\0", 4, "text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8"},
    {"\0\0\xFE\xFF", 4, "text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8"},
    {"\xFF\xFE", 2, UTF_16},
    {"\xFE\xFF", 2, UTF_16},
    {"BZh?1AY&SY", 10, "packed with bzip2", "unpack it: bunzip2"},
    {"\x28\xB5\x2F\xFD", 4, "packed with zstd", "unpack it: unzstd"},
    {"7z\xBC\xAF\x27\x1C", 6, "a 7z archive", "unpack it: 7z x"},
    {"PK\x03\x04", 4, "a zip archive, as .docx and .odt are",
     "save the document as text; translate takes --format docx or odt"},
    {"%PDF-", 5, "a PDF", "make text of it: pdftotext"},
    {"\x7F"
     "ELF",
     4, "a program", "is it the right file?"},
};

static bool begins(const unsigned char *data, size_t size, const char *start, size_t start_size)
{
    if (size < start_size) return false;
    for (size_t i = 0; i < start_size; i++)
        if (start[i] != '?' && data[i] != (unsigned char)start[i]) return false;
    return true;
}

static ramus_status refuse(const char *name, const char *kind, const char *advice, ramus_error *err)
{
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "%.300s: is %s, expected text in UTF-8, plain or packed as .gz or .xz; %s",
                      name, kind, advice);
}

ramus_status ramus_text_check(const char *name, const void *data, size_t size, ramus_error *err)
{
    const unsigned char *bytes = data;
    size_t zeros[2] = {0}; // at even and odd places
    for (int i = 0; i < RAMUS_COUNT(kinds); i++)
        if (begins(bytes, size, kinds[i].start, kinds[i].size))
            return refuse(name, kinds[i].kind, kinds[i].advice, err);
    if (size > LOOKED_AT) size = LOOKED_AT;
    for (size_t i = 0; i < size; i++)
        zeros[i % 2] += bytes[i] == 0;
    if (!zeros[0] && !zeros[1]) return RAMUS_OK;
    const size_t few = zeros[0] < zeros[1] ? zeros[0] : zeros[1];
    if (!few && zeros[0] + zeros[1] > size / 4) return refuse(name, UTF_16, err);
    return refuse(name, "binary: it has zero bytes",
                  "or, if it is text, remove them: tr -d '\\000'", err);
}
