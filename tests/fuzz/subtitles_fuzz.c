/* Fuzz target (libFuzzer) for subtitles: the laws of document_law.h, for SubRip where the first
 * byte is odd, and else for WebVTT. */
#include "document_other.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    const char *format = data[0] % 2 ? "srt" : "vtt", *text = (const char *)data + 1;
    require_laws(format, NULL, text, size - 1, false);
    spread_marks(format, text, size - 1);
    return 0;
}
