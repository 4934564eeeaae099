/* Runs of ASCII are copied as they are; other bytes go through the decoder. Lower case comes
 * from ranges of code points, with the final sigma as the one rule that looks around. */
#include "eval/line.h"

#include "base/utf8.h"
#include "eval/lowercase_table.inc"

#include <stdbool.h>
#include <string.h>

#define CAPITAL_SIGMA 0x3A3u
#define FINAL_SIGMA   0x3C2u
#define SMALL_SIGMA   0x3C3u
#define DOTTED_I      0x130u
#define DOT_ABOVE     0x307u

ramus_line ramus_line_of(const char *text)
{
    return (ramus_line){text, strlen(text)};
}

ramus_status ramus_line_check(ramus_line line, ramus_error *err)
{
    if (line.size <= RAMUS_LINE_LIMIT) return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_ARGUMENT, "a line of %zu bytes, at most %d can be scored",
                      line.size, RAMUS_LINE_LIMIT);
}

/* How many bytes from `at` on are ASCII. */
static size_t ascii_run(ramus_line line, size_t at)
{
    const size_t start = at;
    for (uint64_t eight = 0; at + sizeof eight <= line.size; at += sizeof eight) {
        memcpy(&eight, line.data + at, sizeof eight);
        if (eight & UINT64_C(0x8080808080808080)) break;
    }
    while (at < line.size && (unsigned char)line.data[at] < 0x80)
        at++;
    return at - start;
}

size_t ramus_line_copy(char *out, ramus_line line)
{
    size_t written = 0;
    for (size_t at = 0; at < line.size;) {
        const size_t run = ascii_run(line, at);
        memcpy(out + written, line.data + at, run);
        written += run;
        at += run;
        while (at < line.size && (unsigned char)line.data[at] >= 0x80) {
            uint32_t code = 0;
            const int n = ramus_utf8_decode(&code, line.data + at, line.size - at);
            written += (size_t)ramus_utf8_encode(out + written, code);
            at += n ? (size_t)n : 1;
        }
    }
    return written;
}

static uint32_t lower_of(uint32_t code)
{
    int low = 0, high = RAMUS_COUNT(lower_ranges);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (lower_ranges[middle].last < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == RAMUS_COUNT(lower_ranges)) return code;
    const ramus_lower_range *r = &lower_ranges[low];
    if (code < r->first || (code - r->first) % r->step) return code;
    return (uint32_t)((int32_t)code + r->difference);
}

/* The code point that ends at `end` > 0; *start is where it begins. */
static uint32_t decode_before(ramus_line line, size_t end, size_t *start)
{
    uint32_t code = 0;
    for (size_t n = 1; n <= 4 && n <= end; n++) {
        *start = end - n;
        if ((size_t)ramus_utf8_decode(&code, line.data + end - n, n) == n) return code;
    }
    *start = end - 1;
    return RAMUS_UTF8_REPLACEMENT;
}

static uint32_t decode_at(ramus_line line, size_t *at)
{
    uint32_t code = 0;
    const int n = ramus_utf8_decode(&code, line.data + *at, line.size - *at);
    *at += n ? (size_t)n : 1;
    return code;
}

/* Unicode's condition Final_Sigma for the sigma at [start, end): a cased letter stands before it
 * and none after it, ignorable code points aside. The searches end at the next sigma at the latest,
 * so a line takes linear time. */
static bool is_final_sigma(ramus_line line, size_t start, size_t end)
{
    uint32_t code = RAMUS_UTF8_REPLACEMENT;
    while (start > 0) {
        code = decode_before(line, start, &start);
        if (!ramus_code_range_has(ignorable, RAMUS_COUNT(ignorable), code)) break;
        code = RAMUS_UTF8_REPLACEMENT;
    }
    if (!ramus_code_range_has(cased, RAMUS_COUNT(cased), code)) return false;
    while (end < line.size) {
        code = decode_at(line, &end);
        if (!ramus_code_range_has(ignorable, RAMUS_COUNT(ignorable), code))
            return !ramus_code_range_has(cased, RAMUS_COUNT(cased), code);
    }
    return true;
}

size_t ramus_line_lower(char *out, ramus_line line)
{
    size_t written = 0;
    for (size_t at = 0; at < line.size;) {
        const unsigned char byte = (unsigned char)line.data[at];
        if (byte < 0x80) {
            out[written++] = (char)(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
            at++;
            continue;
        }
        const size_t start = at;
        uint32_t code = decode_at(line, &at);
        if (code == DOTTED_I) {
            out[written++] = 'i';
            code = DOT_ABOVE;
        } else if (code == CAPITAL_SIGMA) {
            code = is_final_sigma(line, start, at) ? FINAL_SIGMA : SMALL_SIGMA;
        } else {
            code = lower_of(code);
        }
        written += (size_t)ramus_utf8_encode(out + written, code);
    }
    return written;
}
