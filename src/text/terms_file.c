/* Rows of a file become entries and the keys of two tries. Sorting the keys brings equal sources
 * together: a repeated row is dropped, one that contradicts another is an error with both lines. */
#include "text/terms_set.h"

#include "base/list.h"
#include "base/map.h"
#include "base/utf8.h"
#include "text/case.h"
#include "text/sentences_chars.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 1000 // of a source or target: bounds the steps that matching takes at a letter
#define COLUMNS    3

/* A source as a key of a trie. */
typedef struct key {
    size_t at, size; // bytes of the builder's keys
    int entry, line;
    bool exact;
    const char *text; // of them, once all are there
} key;

typedef struct builder {
    ramus_terms *terms;
    ramus_buffer cells[COLUMNS], keys;
    key *items;
    int n;
    size_t room;
    int line;
    bool known, tabs; // what separates columns
} builder;

static const char *const rules[] = {"any", "fixed", "exact"};

static ramus_status fail_row(const builder *b, const char *what, ramus_error *err)
{
    return ramus_fail(err, RAMUS_BAD_FORMAT, "line %d: %s", b->line, what);
}

/* Cuts white space off both ends. */
static void trim(const char **text, size_t *size)
{
    while (*size > 0) {
        const ramus_char_at c = ramus_char_read(*text, *size, 0);
        if (!ramus_char_is_space(c.kind)) break;
        *text += c.size;
        *size -= (size_t)c.size;
    }
    while (*size > 0) {
        const ramus_char_at c = ramus_char_back(*text, 0, *size);
        if (!ramus_char_is_space(c.kind)) break;
        *size -= (size_t)c.size;
    }
}

/* Adds the column at the beginning of row[0 .. size) to `cell`; returns its bytes, quotes counted.
 * With commas, a column may stand in quotes, and two quotes in it are one. */
static size_t read_cell(const builder *b, const char *row, size_t size, ramus_buffer *cell,
                        bool *open)
{
    const char separator = b->tabs ? '\t' : ',';
    size_t at = 0;
    *open = false;
    while (at < size && row[at] == ' ')
        at++;
    for (; at < size && (*open || row[at] != separator); at++) {
        const bool quote = row[at] == '"' && !b->tabs;
        if (quote && *open && at + 1 < size && row[at + 1] == '"')
            ramus_buffer_add(cell, &row[at++], 1);
        else if (quote && (*open || cell->size == 0))
            *open = !*open;
        else
            ramus_buffer_add(cell, &row[at], 1);
    }
    return at;
}

static ramus_status read_cells(builder *b, const char *row, size_t size, int *n, ramus_error *err)
{
    bool open = false;
    *n = 0;
    for (int i = 0; i < COLUMNS; i++)
        ramus_buffer_clear(&b->cells[i]);
    for (size_t at = 0; at <= size; at++) {
        if (*n == COLUMNS) return fail_row(b, "more than three columns", err);
        at += read_cell(b, row + at, size - at, &b->cells[(*n)++], &open);
    }
    if (open) return fail_row(b, "a quote begins that does not end on its line", err);
    for (int i = 0; i < COLUMNS; i++) {
        const ramus_status st = ramus_buffer_check(&b->cells[i], err);
        if (st) return st;
    }
    return RAMUS_OK;
}

/* What no source and no target may hold: other letters than UTF-8, line breaks, too much. */
static ramus_status check_text(const builder *b, const char *text, size_t size, ramus_error *err)
{
    if (size > MOST_BYTES)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "line %d: a term of %zu bytes, expected at most %d", b->line, size,
                          MOST_BYTES);
    for (size_t at = 0; at < size;) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        if (c.code < ' ' || c.kind == RAMUS_CHAR_LINE || c.kind == RAMUS_CHAR_PAGE)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "line %d: a control character (U+%04X) in a column, expected "
                              "text on one line",
                              b->line, (unsigned)c.code);
        at += (size_t)c.size;
    }
    return RAMUS_OK;
}

/* Adds the target with these capitals. */
static void add_put(ramus_buffer *out, const char *text, size_t size, ramus_capitals capitals)
{
    for (size_t at = 0; at < size;) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        uint32_t codes[RAMUS_CASE_MOST] = {c.code};
        int n = 1;
        if (capitals == RAMUS_CAPITALS_ALL) n = ramus_case_upper(codes, c.code);
        if (capitals == RAMUS_CAPITALS_FIRST && at == 0) n = ramus_case_title(codes, c.code);
        for (int i = 0; i < n; i++) {
            char bytes[4];
            ramus_buffer_add(out, bytes, (size_t)ramus_utf8_encode(bytes, codes[i]));
        }
        at += (size_t)c.size;
    }
}

/* Adds the key of a source: white space as one space, and folded unless it is exact. */
static void add_key(builder *b, const char *source, size_t size, bool exact)
{
    ramus_buffer *out = &b->keys;
    key *k = &b->items[b->n++];
    *k = (key){.at = out->size, .entry = b->terms->n - 1, .line = b->line, .exact = exact};
    for (size_t at = 0; at < size;) {
        const ramus_char_at c = ramus_char_read(source, size, at);
        char fold[RAMUS_FOLD_BYTES];
        if (ramus_char_is_space(c.kind)) {
            ramus_buffer_add(out, " ", 1);
            at = ramus_char_skip_space(source, size, at);
            continue;
        }
        if (exact)
            ramus_buffer_add(out, source + at, (size_t)c.size);
        else
            ramus_buffer_add(out, fold, (size_t)ramus_terms_fold(fold, c.code));
        at += (size_t)c.size;
    }
    k->size = out->size - k->at;
}

static ramus_status add_term(builder *b, const char *const text[COLUMNS],
                             const size_t size[COLUMNS], ramus_error *err)
{
    ramus_terms *t = b->terms;
    int rule = 0;
    while (size[2] > 0 &&
           (strlen(rules[rule]) != size[2] || memcmp(rules[rule], text[2], size[2]) != 0))
        if (++rule == RAMUS_COUNT(rules))
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "line %d: the third column is '%.*s', expected any, fixed or exact",
                              b->line, (int)(size[2] < 40 ? size[2] : 40), text[2]);
    ramus_status st = check_text(b, text[0], size[0], err);
    if (!st) st = check_text(b, text[1], size[1], err);
    if (!st)
        st = RAMUS_LIST_RESERVE(t->entries, t->entry_room, (size_t)t->n + 1, "a glossary", err);
    if (!st) st = RAMUS_LIST_RESERVE(b->items, b->room, (size_t)b->n + 1, "a glossary", err);
    if (st) return st;

    ramus_term_entry *e = &t->entries[t->n++];
    *e = (ramus_term_entry){.capitals = ramus_terms_capitals(text[0], size[0])};
    e->kept = size[1] == 0 || (size[0] == size[1] && memcmp(text[0], text[1], size[0]) == 0);
    e->follows = rule == 0;
    for (int c = 0; c < RAMUS_CAPITALS; c++) {
        e->puts[c] = t->targets.size;
        if (!e->kept) add_put(&t->targets, text[1], size[1], (ramus_capitals)c);
    }
    e->puts[RAMUS_CAPITALS] = t->targets.size;
    add_key(b, text[0], size[0], rule == 2);
    return RAMUS_OK;
}

/* Reads a line without its end. */
static ramus_status read_line(builder *b, const char *line, size_t size, ramus_error *err)
{
    const char *text[COLUMNS] = {line};
    size_t sizes[COLUMNS] = {size};
    int n = 0;
    trim(&text[0], &sizes[0]);
    if (sizes[0] == 0 || *text[0] == '#') return RAMUS_OK;
    if (ramus_utf8_check(line, size) < size) return fail_row(b, "it is not UTF-8", err);
    if (!b->known) b->tabs = memchr(line, '\t', size) != NULL;
    b->known = true;

    ramus_status st = read_cells(b, line, size, &n, err);
    if (st) return st;
    for (int i = 0; i < COLUMNS; i++) {
        text[i] = b->cells[i].size ? b->cells[i].data : "";
        sizes[i] = b->cells[i].size;
        trim(&text[i], &sizes[i]);
    }
    if (n == 1)
        return fail_row(b,
                        b->tabs ? "one column, expected a source, a tab and a target"
                                : "one column, expected a source, a tab or comma, and a target",
                        err);
    if (sizes[0] == 0) return fail_row(b, "the source is empty", err);
    return add_term(b, text, sizes, err);
}

static ramus_status read_lines(builder *b, const char *data, size_t size, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (size_t at = 0; at < size && !st;) {
        const char *feed = memchr(data + at, '\n', size - at);
        const size_t n = feed ? (size_t)(feed - data) - at : size - at;
        b->line++;
        st = read_line(b, data + at, n, err);
        at += n + 1;
    }
    if (!st) st = ramus_buffer_check(&b->keys, err);
    return st ? st : ramus_buffer_check(&b->terms->targets, err);
}

static int compare_texts(const key *x, const key *y)
{
    const int order = memcmp(x->text, y->text, x->size < y->size ? x->size : y->size);
    if (order) return order;
    return (x->size > y->size) - (x->size < y->size);
}

static int compare_keys(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->exact != y->exact) return x->exact ? 1 : -1;
    const int order = compare_texts(x, y);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Whether two rows of one source ask for the same. */
static bool agree(const ramus_terms *t, const key *x, const key *y)
{
    const ramus_term_entry *e = &t->entries[x->entry], *f = &t->entries[y->entry];
    const size_t e_size = e->puts[1] - e->puts[0], f_size = f->puts[1] - f->puts[0];
    return e->kept == f->kept && e->follows == f->follows && e_size == f_size &&
           (e_size == 0 ||
            memcmp(t->targets.data + e->puts[0], t->targets.data + f->puts[0], e_size) == 0);
}

/* Sorts the keys and leaves one of each. */
static ramus_status drop_repeated(builder *b, ramus_error *err)
{
    int n = 0;
    for (int i = 0; i < b->n; i++)
        b->items[i].text = b->keys.data + b->items[i].at;
    if (b->n > 0) qsort(b->items, (size_t)b->n, sizeof *b->items, compare_keys);
    for (int i = 0; i < b->n; i++) {
        const key *k = &b->items[i], *last = &b->items[n > 0 ? n - 1 : 0];
        if (n > 0 && k->exact == last->exact && compare_texts(k, last) == 0) {
            if (agree(b->terms, k, last)) continue;
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "line %d: its source is on line %d with another target or rule",
                              k->line, last->line);
        }
        b->items[n++] = *k;
    }
    b->n = n;
    return RAMUS_OK;
}

/* Builds the trie of the keys whose `exact` is this. */
static ramus_status build(ramus_trie *out, const builder *b, bool exact, ramus_error *err)
{
    int n = 0;
    ramus_trie_entry *entries = malloc(((size_t)b->n + 1) * sizeof *entries);
    if (!entries) return ramus_fail_memory(err, "a glossary");
    for (int i = 0; i < b->n; i++)
        if (b->items[i].exact == exact)
            entries[n++] = (ramus_trie_entry){b->items[i].text, (int)b->items[i].size,
                                              b->items[i].entry, NULL};
    const ramus_status st = ramus_trie_build(out, entries, n, err);
    free(entries);
    return st;
}

ramus_status ramus_terms_open_memory(ramus_terms **out, const void *data, size_t size,
                                     ramus_error *err)
{
    static const char mark[] = "\xEF\xBB\xBF"; // of byte order
    builder b = {0};
    const char *text = data;
    ramus_status st = ramus_check_given((const void *)out, "where the glossary goes", err);
    if (!st && size > 0) st = ramus_check_given(data, "the glossary in memory", err);
    if (!st) st = ramus_terms_create(&b.terms, err);
    if (st) return st;

    const size_t skip = size >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    if (size > 0) st = read_lines(&b, text + skip, size - skip, err);
    if (!st) st = drop_repeated(&b, err);
    if (!st) st = build(&b.terms->any, &b, false, err);
    if (!st) st = build(&b.terms->exact, &b, true, err);
    if (!st) {
        *out = b.terms;
        b.terms = NULL;
    } else if (err) {
        ramus_utf8_clean(err->message); // texts come from strangers
    }
    ramus_terms_close(b.terms);
    for (int i = 0; i < COLUMNS; i++)
        ramus_buffer_free(&b.cells[i]);
    ramus_buffer_free(&b.keys);
    free(b.items);
    return st;
}

ramus_status ramus_terms_open(ramus_terms **out, const char *path, ramus_error *err)
{
    ramus_file file = {0};
    ramus_status st = ramus_check_given((const void *)out, "where the glossary goes", err);
    if (!st) st = ramus_check_given(path, "the path of the glossary", err);
    if (!st) st = ramus_file_map(&file, path, err);
    if (st) return st;
    st = ramus_terms_open_memory(out, file.data, file.size, err);
    if (st) st = ramus_fail_in(err, st, path);
    ramus_file_unmap(&file);
    return st;
}
