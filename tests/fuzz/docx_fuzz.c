/* Fuzz target (libFuzzer) for the XML of docx: the laws of document_law.h for both of its rows. */
#include "document_law.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    require_laws("docx", NULL, (const char *)data, size, false);
    require_laws("docx-outer", NULL, (const char *)data, size, false);
    return 0;
}
