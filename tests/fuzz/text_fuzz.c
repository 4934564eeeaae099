/* Fuzz target for plain text. The first byte says which lines are joined; where none are, reading
 * again gives the same blocks. */
#include "document_law.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const ramus_format_options options = {.wrapped = (ramus_wrapped)(data[0] % 3)};
    require_laws("text", &options, (const char *)data + 1, size - 1,
                 options.wrapped == RAMUS_WRAPPED_NO);
    return 0;
}
