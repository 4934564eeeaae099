/* Fuzz target (libFuzzer) for the format xliff: the laws of document_law.h. Units that were
 * translated are none to translate any more. */
#include "document_law.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    require_laws("xliff", NULL, (const char *)data, size, false);
    return 0;
}
