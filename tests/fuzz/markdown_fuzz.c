/* Fuzz target (libFuzzer) for Markdown: the laws of document_law.h. The law of the same blocks does
 * not hold for what an escape hid from other markup. */
#include "document_other.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    require_laws("markdown", NULL, (const char *)data, size, false);
    spread_marks("markdown", (const char *)data, size);
    return 0;
}
