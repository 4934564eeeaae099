/* Fuzz target (libFuzzer) for text/spans.h: both halves of the input are texts, and all of it.
 *
 *     spans_fuzz FOLDER
 *
 * A finding is a crash, a sanitizer report, a time-out or a broken law (abort). */
#include "base/utf8.h"
#include "text/spans.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static bool is_border(const char *text, size_t size, size_t at)
{
    return at == size || (text[at] & 0xC0) != 0x80;
}

static void scan(const char *text, size_t size)
{
    const bool valid = size == 0 || ramus_utf8_check(text, size) == size;
    size_t at = 0;

    for (ramus_span s = {0}; ramus_span_next(text, size, at, &s); at = s.at + s.size) {
        require(s.at >= at && s.size > 0 && s.at < size && s.size <= size - s.at);
        require(s.kind < RAMUS_SPAN_KINDS);
        require(!valid || (is_border(text, size, s.at) && is_border(text, size, s.at + s.size)));
        ramus_span again = {0}; // from where it begins, and from before it
        require(ramus_span_next(text, size, s.at, &again));
        require(again.at == s.at && again.size == s.size && again.kind == s.kind);
        const size_t between = at + (s.at - at) / 2;
        require(ramus_span_next(text, size, between, &again));
        require(again.at == s.at && again.size == s.size && again.kind == s.kind);
    }
    require(ramus_span_marker(text, size) <= size);
    require(ramus_numbers_kept(text, size, text, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    scan(text, size / 2);
    scan(text + size / 2, size - size / 2);
    scan(text, size);
    ramus_numbers_kept(text, size / 2, text + size / 2, size - size / 2);
    return 0;
}
