/* Fuzz target (libFuzzer) for the format json: the laws of document_law.h. Blocks stay the same. */
#include "document_law.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    require_laws("json", NULL, (const char *)data, size, true);
    return 0;
}
