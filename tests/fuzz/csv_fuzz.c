/* Fuzz target (libFuzzer) for the format csv: the laws of document_law.h. Where quotes are wrong, a
 * translation that sets them right may leave another separator in the first line. */
#include "document_law.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    require_laws("csv", NULL, (const char *)data, size, false);
    return 0;
}
