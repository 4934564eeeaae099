/* translated.h - what a format writes for a translation whose marks stand elsewhere.
 *
 * A translation is written out: "Siehe {0}das{1} Buch" has the block's marks 0 and 1. */
#ifndef TESTS_DOCUMENT_TRANSLATED_H
#define TESTS_DOCUMENT_TRANSLATED_H

#include "documents.h"

static inline const char *text_of(const ramus_buffer *b)
{
    return b->data ? b->data : "";
}

/* Marks and text of `spelled`, for a block with the marks of `source`. */
static inline ramus_marked spell_translation(const ramus_marked *source, const char *spelled,
                                             char *text, ramus_mark *marks)
{
    ramus_marked m = {.text = text, .marks = marks, .raws = source->raws};
    int place[64] = {0}; // of each mark of the source
    for (const char *c = spelled; *c; c++) {
        if (*c != '{') {
            text[m.size++] = *c;
            continue;
        }
        const int i = (int)strtol(c + 1, NULL, 10);
        place[i] = m.n_marks;
        marks[m.n_marks] = source->marks[i];
        marks[m.n_marks].at = m.size;
        marks[m.n_marks++].size = 0;
        c = strchr(c, '}');
    }
    text[m.size] = '\0';
    for (int i = 0; i < m.n_marks; i++)
        if (marks[i].pair >= 0) marks[i].pair = place[marks[i].pair];
    return m;
}

/* Expects that a document comes out as `want` with translations for its blocks, in order, up to
 * NULL. */
static inline void expect_translated(const char *format, const char *data,
                                     const char *const *translations, const char *want)
{
    ramus_document *d = NULL;
    ramus_blocks b = {0};
    ramus_buffer out = {0};
    ramus_error err = {0};
    char text[1000];
    ramus_mark marks[64];
    const size_t size = strlen(data);
    REQUIRE_OK(ramus_document_open(&d, ramus_format_find(format), data, size, NULL, &err), err);
    REQUIRE_OK(ramus_document_read(d, &b, 100000, &err), err);
    for (int i = 0; i < b.n; i++) {
        const ramus_marked source = ramus_blocks_marked(&b, i);
        EXPECT(translations[i] != NULL, "\"%s\" has %d blocks", data, b.n);
        if (!translations[i]) break;
        const ramus_marked m = spell_translation(&source, translations[i], text, marks);
        ramus_document_write(d, &b.items[i], &m, &out);
    }
    ramus_document_write_rest(d, &out);
    EXPECT_TEXT(text_of(&out), want);
    ramus_document_close(d);
    ramus_blocks_free(&b);
    ramus_buffer_free(&out);
}

/* Expects the blocks of a document, a line each. */
static inline void expect_blocks(const char *format, const char *data, const char *want)
{
    ramus_buffer blocks = {0}, copy = {0};
    read_document(format, NULL, data, strlen(data), 1, AS_ITSELF, &blocks, &copy);
    EXPECT(strcmp(text_of(&blocks), want) == 0, "\"%s\": got \"%s\", want \"%s\"", data,
           text_of(&blocks), want);
    EXPECT_TEXT(text_of(&copy), data);
    ramus_buffer_free(&blocks);
    ramus_buffer_free(&copy);
}

/* The content of a golden document. */
static inline ramus_buffer load_document(const char *name)
{
    char path[1000], part[4096];
    ramus_buffer b = {0};
    snprintf(path, sizeof path, GOLDEN "/documents/%s", name);
    FILE *f = fopen(path, "rb");
    EXPECT(f != NULL, "%s cannot be opened", path);
    for (size_t n = 0; f && (n = fread(part, 1, sizeof part, f)) > 0;)
        ramus_buffer_add(&b, part, n);
    if (f) fclose(f);
    return b;
}

#endif
