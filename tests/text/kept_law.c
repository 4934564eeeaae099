/* kept_law.c - checks that a translation has each span (text/spans.h) of its source as often.
 *
 *     kept_law SOURCE TRANSLATION   line by line; prints how many lines and spans of each kind, and
 *                                   the lines that break the law; exit 1 if there are any
 *
 * What counts is how often the bytes of a span stand in the translation, and in all spans of the
 * source. */
#include "base/map.h"
#include "text/spans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SPANS 1000 // of a line

typedef struct {
    const char *data;
    size_t size;
} line;

static line next_line(const ramus_file *file, size_t *at)
{
    const char *data = (const char *)file->data + *at;
    const char *feed = memchr(data, '\n', file->size - *at);
    const size_t size = feed ? (size_t)(feed - data) : file->size - *at;
    *at += size + (feed != NULL);
    return (line){data, size};
}

static int count(const char *text, size_t size, const char *part, size_t n)
{
    int found = 0;
    for (size_t i = 0; i + n <= size; i++)
        found += memcmp(text + i, part, n) == 0;
    return found;
}

/* Counts the spans of a line; false: one is not there as often. */
static bool check(line source, line translation, long *spans)
{
    static ramus_span all[MOST_SPANS];
    ramus_span span = {0};
    int n = 0;
    for (size_t at = 0; n < MOST_SPANS && ramus_span_next(source.data, source.size, at, &span);
         at = span.at + span.size)
        all[n++] = span;
    for (int i = 0; i < n; i++) {
        const char *part = source.data + all[i].at;
        int wanted = 0;
        for (int j = 0; j < n; j++)
            wanted += count(source.data + all[j].at, all[j].size, part, all[i].size);
        if (count(translation.data, translation.size, part, all[i].size) != wanted) return false;
        spans[all[i].kind]++;
    }
    return true;
}

int main(int argc, char **argv)
{
    ramus_file source = {0}, translation = {0};
    ramus_error err = {0};
    long lines = 0, broken = 0, spans[RAMUS_SPAN_KINDS] = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: kept_law SOURCE TRANSLATION\n");
        return 2;
    }
    if (ramus_file_map(&source, argv[1], &err) || ramus_file_map(&translation, argv[2], &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    size_t at = 0, to = 0;
    for (; at < source.size && to < translation.size; lines++) {
        const line a = next_line(&source, &at), b = next_line(&translation, &to);
        if (check(a, b, spans)) continue;
        broken++;
        printf("line %ld\n  %.*s\n  %.*s\n", lines + 1, (int)a.size, a.data, (int)b.size, b.data);
    }
    if (at < source.size || to < translation.size) {
        printf("the files have different numbers of lines\n");
        broken++;
    }
    printf("%ld lines, %ld broken;", lines, broken);
    for (int i = 0; i < RAMUS_SPAN_KINDS; i++)
        printf(" %s %ld", ramus_span_name((ramus_span_kind)i), spans[i]);
    printf("\n");
    ramus_file_unmap(&source);
    ramus_file_unmap(&translation);
    return broken > 0;
}
