#include "text/spans.h"
#include <string.h>
bool ramus_span_next(const char *text, size_t size, size_t from, ramus_span *out)
{
    for (size_t i = from; i + 7 < size; i++)
        if (memcmp(text + i, "http://", 7) == 0) {
            size_t e = i;
            while (e < size && text[e] != ' ') e++;
            if (text[e - 1] == '.') e--;
            *out = (ramus_span){i, e - i, 0};
            return true;
        }
    return false;
}
bool ramus_span_is_loose(ramus_span_kind kind) { (void)kind; return false; }
size_t ramus_span_marker(const char *text, size_t size)
{
    return size > 2 && text[0] == '-' && text[1] == ' ' ? 2 : 0;
}
bool ramus_numbers_kept(const char *source, size_t source_size, const char *target, size_t target_size)
{ (void)source; (void)source_size; (void)target; (void)target_size; return true; }
