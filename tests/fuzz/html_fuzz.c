/* Fuzz target (libFuzzer) for the format html: the laws of document_law.h. Blocks stay the same,
 * but for a byte order mark in the text: it may come to the beginning and is then none of the text.
 */
#include "document_law.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_mark(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i++)
        if (memcmp(data + i, "\xEF\xBB\xBF", 3) == 0) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    require_laws("html", NULL, (const char *)data, size, !has_mark(data, size));
    return 0;
}
