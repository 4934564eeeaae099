/* split_law.c - checks the law of text/sentences.h on files, and measures how well known ends of
 * sentences are found.
 *
 *     split_law                               the cases of the test
 *     split_law [-l LANGUAGE] FILE...         the law on each file; prints the number of sentences
 *     split_law [-l LANGUAGE] -r [-j JOIN] [-w] FILE...
 *         FILE has one sentence a line. Joins 50 lines to a paragraph with JOIN (one space), splits
 *         it again and compares. Recall: of the line ends behind a sentence mark, how many were
 *         found. Precision: of the ends found inside paragraphs, how many are ends of lines. Lines
 *         may hold several sentences, so precision counts true ends as false. -w writes the text
 *         around missed (-) and added (+) ends. */
#include "base/buffer.h"
#include "base/map.h"
#include "text/sentences.h"
#include "text/sentences_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 50 // of a paragraph
#define LIMIT 40 // tokens of a piece: words, in this check

static int count_words(void *arg, const char *text, size_t size)
{
    int words = 0;
    (void)arg;
    for (size_t i = 0; i < size; i++)
        words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    return words;
}

/* Returns how many pieces there are, or -1 if they are not the text. */
static long check_law(const char *language, const char *text, size_t size, int limit)
{
    ramus_sentences s;
    ramus_sentence one;
    long n = 0;

    ramus_sentences_init(&s, language, text, size);
    if (limit) ramus_sentences_limit(&s, limit, count_words, NULL);
    size_t at = s.leading;
    while (ramus_sentences_next(&s, &one)) {
        if (one.start != at || one.size == 0) return -1;
        if (limit && count_words(NULL, text + at, one.size) > limit) return -1;
        at += one.size + one.separator;
        n++;
    }
    return at == size ? n : -1;
}

static int check_text(const char *name, const char *language, const char *text, size_t size)
{
    const long sentences = check_law(language, text, size, 0);
    const long pieces = check_law(language, text, size, LIMIT);
    if (name) printf("%s: %zu bytes, %ld sentences, %ld pieces\n", name, size, sentences, pieces);
    if (sentences >= 0 && pieces >= 0) return 0;
    fprintf(stderr, "the law is broken: %s\n", name ? name : text);
    return 1;
}

static int check_cases(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof cases_en / sizeof cases_en[0]; i++)
        failed += check_text(NULL, "en", cases_en[i], strlen(cases_en[i]));
    for (size_t i = 0; i < sizeof cases_de / sizeof cases_de[0]; i++)
        failed += check_text(NULL, "de", cases_de[i], strlen(cases_de[i]));
    for (size_t i = 0; i < sizeof cases_zh / sizeof cases_zh[0]; i++)
        failed += check_text(NULL, "zh", cases_zh[i], strlen(cases_zh[i]));
    for (size_t i = 0; i < sizeof cases_other / sizeof cases_other[0]; i++)
        failed += check_text(NULL, cases_other[i].language, cases_other[i].text,
                             strlen(cases_other[i].text));
    printf("the law holds for all but %d cases\n", failed);
    return failed;
}

typedef struct measure {
    long lines, marked; // ends of lines inside paragraphs, and those behind a sentence mark
    long found, marked_found, added;
} measure;

static bool ends_marked(const char *line, size_t size)
{
    static const char *const closers[] = {"\"", "'", ")",  "]",  "”",  "“",  "’", "‘",
                                          "»",  "«", "」", "』", "）", "》", " "};
    static const char *const marks[] = {".", "?", "!", "…", "。", "！", "？"};
    for (size_t i = 0; i < sizeof closers / sizeof closers[0]; i++) {
        const size_t n = strlen(closers[i]);
        if (size > n && memcmp(line + size - n, closers[i], n) == 0) size -= n, i = (size_t)-1;
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const size_t n = strlen(marks[i]);
        if (size >= n && memcmp(line + size - n, marks[i], n) == 0) return true;
    }
    return false;
}

static void show(char sign, const char *text, size_t size, size_t at)
{
    size_t from = at > 60 ? at - 60 : 0, to = at + 40 < size ? at + 40 : size;
    while (from > 0 && (text[from] & 0xC0) == 0x80)
        from--;
    while (to < size && (text[to] & 0xC0) == 0x80)
        to++;
    printf("%c %.*s|%.*s\n", sign, (int)(at - from), text + from, (int)(to - at), text + at);
}

/* Some lines, joined. */
typedef struct paragraph {
    ramus_buffer text;
    size_t ends[LINES];
    bool marked[LINES];
    int n;
} paragraph;

/* Splits the paragraph. The end of its last line is no question. */
static void measure_paragraph(measure *m, const char *language, const paragraph *p, bool write)
{
    const ramus_buffer *text = &p->text;
    ramus_sentences s;
    ramus_sentence one;
    int line = 0;

    ramus_sentences_init(&s, language, text->data, text->size);
    while (ramus_sentences_next(&s, &one)) {
        const size_t end = one.start + one.size;
        for (; line < p->n && p->ends[line] < end; line++)
            if (p->marked[line] && write) show('-', text->data, text->size, p->ends[line]);
        const bool known = line < p->n && p->ends[line] == end;
        if (end + one.separator == text->size) break;
        m->found += known;
        m->marked_found += known && p->marked[line];
        m->added += !known;
        if (!known && write) show('+', text->data, text->size, end);
        line += known;
    }
    m->lines += p->n - 1;
    for (int i = 0; i < p->n - 1; i++)
        m->marked += p->marked[i];
}

static void measure_text(measure *m, const char *language, const char *join, const ramus_file *file,
                         bool write)
{
    const char *text = (const char *)file->data;
    paragraph p = {0};

    for (size_t at = 0; at < file->size;) {
        const char *end = memchr(text + at, '\n', file->size - at);
        const size_t next = end ? (size_t)(end - text) + 1 : file->size;
        size_t first = at, last = end ? next - 1 : next;
        while (first < last && (text[first] == ' ' || text[first] == '\r'))
            first++;
        while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\r'))
            last--;
        at = next;
        if (last > first) {
            if (p.n > 0) ramus_buffer_text(&p.text, join);
            ramus_buffer_add(&p.text, text + first, last - first);
            p.ends[p.n] = p.text.size;
            p.marked[p.n++] = ends_marked(text + first, last - first);
        }
        if (p.n == LINES || (at >= file->size && p.n > 0)) {
            measure_paragraph(m, language, &p, write);
            ramus_buffer_clear(&p.text);
            p.n = 0;
        }
    }
    ramus_buffer_free(&p.text);
}

int main(int argc, char **argv)
{
    const char *language = NULL, *join = " ";
    bool restore = false, write = false;
    int failed = 0, i = 1;

    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "-r") == 0) restore = true;
        if (strcmp(argv[i], "-w") == 0) write = true;
        if (strcmp(argv[i], "-l") == 0 && i + 1 < argc) language = argv[++i];
        if (strcmp(argv[i], "-j") == 0 && i + 1 < argc) join = argv[++i];
    }
    if (i == argc) return check_cases() > 0;
    for (; i < argc; i++) {
        ramus_file file = {0};
        ramus_error err = {0};
        if (ramus_file_map(&file, argv[i], &err)) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        if (restore) {
            measure m = {0};
            measure_text(&m, language, join, &file, write);
            printf("%s: lines %ld, marked %ld; found %ld, added %ld; precision %.2f recall %.2f\n",
                   argv[i], m.lines, m.marked, m.marked_found, m.added,
                   100.0 * (double)m.found / (double)(m.found + m.added ? m.found + m.added : 1),
                   100.0 * (double)m.marked_found / (double)(m.marked ? m.marked : 1));
        } else {
            failed += check_text(argv[i], language, (const char *)file.data, file.size);
        }
        ramus_file_unmap(&file);
    }
    return failed > 0;
}
