/* Fuzz target (libFuzzer) for subtitles: the laws of document_law.h, for SubRip where the first byte
 * is odd, and else for WebVTT. */
#include "document_law.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size) require_laws(data[0] % 2 ? "srt" : "vtt", (const char *)data + 1, size - 1, false);
    return 0;
}
