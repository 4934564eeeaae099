/* span_law.c - checks the law of text/spans.h on files, and measures which spans translators keep.
 *
 *     span_law FILE...              the law on each file; prints how many spans of each kind
 *     span_law -p FILE...           FILE has a pair of sentences a line, with a tab between. Of the
 *                                   spans of both sides: how many stand on the other side too,
 *                                   and how many but for spaces and the sign of the decimal
 *     span_law -w KIND FILE...      also writes the spans of this kind with the text around them:
 *                                   "=" kept, "!" not kept, or "?" without -p */
#include "base/buffer.h"
#include "base/map.h"
#include "base/utf8.h"
#include "text/spans.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct measure {
    long lines, with_spans, broken; // lines with a span, or that break the law
    long numbers, numbers_missing;  // lines with a digit; of them, those without a number's other
    long spans[RAMUS_SPAN_KINDS], kept[RAMUS_SPAN_KINDS], loosely[RAMUS_SPAN_KINDS];
} measure;

static bool found_in(const char *text, size_t size, const char *part, size_t n)
{
    for (size_t i = 0; n > 0 && i + n <= size; i++)
        if (text[i] == part[0] && memcmp(text + i, part, n) == 0) return true;
    return false;
}

/* The next character at *at without white space, a comma as a point; 0 at the end. */
static uint32_t next_loosely(const char *text, size_t size, size_t *at)
{
    while (*at < size) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, text + *at, size - *at);
        *at += n ? (size_t)n : 1;
        if (code == ',') return '.';
        if (code != ' ' && code != 0xA0 && code != 0x2009 && code != 0x202F) return code;
    }
    return 0;
}

/* The same, but for white space and the sign of the decimal. */
static bool found_loosely(const char *text, size_t size, const char *part, size_t n)
{
    for (size_t start = 0; start < size; start++) {
        size_t at = start, in_part = 0;
        uint32_t want = next_loosely(part, n, &in_part);
        while (want && next_loosely(text, size, &at) == want)
            want = next_loosely(part, n, &in_part);
        if (!want) return true;
    }
    return false;
}

static bool is_border(const char *text, size_t size, size_t at)
{
    return at == size || (text[at] & 0xC0) != 0x80;
}

/* Spans of the text, which `other` translates; other NULL: there is none. */
static void measure_text(measure *m, const char *text, size_t size, const char *other,
                         size_t other_size, const char *write)
{
    const bool valid = ramus_utf8_check(text, size) == size;
    size_t at = 0;
    ramus_span s = {0};
    long n = 0;

    for (; ramus_span_next(text, size, at, &s); at = s.at + s.size, n++) {
        const bool kept = other && found_in(other, other_size, text + s.at, s.size);
        const size_t end = s.at + s.size;
        if (s.at < at || s.size == 0 || end > size ||
            (valid && !(is_border(text, size, s.at) && is_border(text, size, end)))) {
            fprintf(stderr, "the law is broken: %.*s\n", (int)size, text);
            m->broken++;
            return;
        }
        m->spans[s.kind]++;
        m->kept[s.kind] += kept;
        m->loosely[s.kind] +=
            kept || (other && found_loosely(other, other_size, text + s.at, s.size));
        if (!write || strcmp(write, ramus_span_name(s.kind)) != 0) continue;
        size_t from = s.at > 30 ? s.at - 30 : 0, to = end + 20 < size ? end + 20 : size;
        while (!is_border(text, size, from))
            from--;
        while (!is_border(text, size, to))
            to++;
        printf("%c %.*s[[%.*s]]%.*s\n", other ? kept ? '=' : '!' : '?', (int)(s.at - from),
               text + from, (int)s.size, text + s.at, (int)(to - end), text + end);
    }
    m->lines++;
    m->with_spans += n > 0;
    if (!other) return;
    bool digit = false;
    for (size_t i = 0; i < size; i++)
        digit |= text[i] >= '0' && text[i] <= '9';
    const bool missing = !ramus_numbers_kept(text, size, other, other_size);
    m->numbers += digit;
    m->numbers_missing += missing;
    if (missing && write && strcmp(write, "number") == 0)
        printf("! %.*s\n  %.*s\n", (int)size, text, (int)other_size, other);
}

static void measure_file(measure *m, const ramus_file *file, bool pairs, const char *write)
{
    const char *text = (const char *)file->data;

    for (size_t at = 0; at < file->size;) {
        const char *end = memchr(text + at, '\n', file->size - at);
        const size_t next = end ? (size_t)(end - text) : file->size;
        const char *tab = pairs ? memchr(text + at, '\t', next - at) : NULL;
        if (tab) {
            const size_t first = (size_t)(tab - text) - at, second = next - at - first - 1;
            measure_text(m, text + at, first, tab + 1, second, write);
            measure_text(m, tab + 1, second, text + at, first, write);
        } else {
            measure_text(m, text + at, next - at, NULL, 0, write);
        }
        at = next + 1;
    }
}

int main(int argc, char **argv)
{
    const char *write = NULL;
    bool pairs = false;
    long broken = 0;
    int i = 1;

    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "-p") == 0) pairs = true;
        if (strcmp(argv[i], "-w") == 0 && i + 1 < argc) write = argv[++i];
    }
    for (; i < argc; i++) {
        ramus_error err = {0};
        ramus_file file = {0};
        measure m = {0};
        if (ramus_file_map(&file, argv[i], &err)) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        measure_file(&m, &file, pairs, write);
        printf("%s: %ld lines, %ld with spans", argv[i], m.lines, m.with_spans);
        if (pairs)
            printf("; %ld with numbers, of %ld one is missing", m.numbers, m.numbers_missing);
        printf("\n");
        for (int k = 0; k < RAMUS_SPAN_KINDS; k++)
            if (m.spans[k])
                printf("    %-12s %8ld %8ld kept %8ld loosely\n",
                       ramus_span_name((ramus_span_kind)k), m.spans[k], m.kept[k], m.loosely[k]);
        broken += m.broken;
        ramus_file_unmap(&file);
    }
    return broken > 0;
}
