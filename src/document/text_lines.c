/* What a line is made of is read in one pass. Lines join where wrapping alone explains the break:
 * the next word had no room, and the sentence goes on. Where there is a doubt they do not: a
 * paragraph in pieces costs little, a poem or an address in one piece is spoiled. */
#include "document/text_lines.h"

#include <string.h>

#define MAX_WIDTH  120 // columns; longer lines are paragraphs of their own
#define MIN_WIDTH  40  // columns; narrower lines are verses, addresses, labels
#define SURE_WIDTH 55  // columns of a line that may be wrapped although only one follows

static size_t skip_blanks(const char *data, size_t size, size_t at)
{
    ramus_char_at c = ramus_char_read(data, size, at);
    while (c.kind == RAMUS_CHAR_SPACE) {
        at += (size_t)c.size;
        c = ramus_char_read(data, size, at);
    }
    return at;
}

/* Sets stop, next and page. */
static void find_end(ramus_text_line *l, const char *data, size_t size)
{
    size_t at = l->start, cut = 0;
    for (;;) {
        const ramus_char_at c = ramus_char_read(data, size, at);
        if (c.kind == RAMUS_CHAR_END || c.kind == RAMUS_CHAR_LINE || c.kind == RAMUS_CHAR_PAGE) {
            l->stop = at;
            l->next = at + (size_t)c.size;
            if (c.code == '\r' && l->next < size && data[l->next] == '\n') l->next++;
            l->page = c.kind == RAMUS_CHAR_PAGE;
            return;
        }
        if (at + (size_t)c.size - l->start > RAMUS_BLOCK_BYTES) break;
        at += (size_t)c.size;
        if (c.kind == RAMUS_CHAR_SPACE || c.kind == RAMUS_CHAR_STOP) cut = at;
    }
    l->stop = l->next = cut > l->start + RAMUS_BLOCK_BYTES / 2 ? cut : at;
    l->page = true;
}

ramus_text_line ramus_text_line_read(const char *data, size_t size, size_t at)
{
    ramus_text_line l = {.start = at};
    find_end(&l, data, size);
    at = skip_blanks(data, l.stop, at);
    while (at < l.stop && data[at] == '>') {
        l.quotes++;
        at = skip_blanks(data, l.stop, at + 1);
    }
    l.content = l.cell = at;
    l.end = l.stop;
    for (ramus_char_at c; l.end > at; l.end -= (size_t)c.size) {
        c = ramus_char_back(data, at, l.end);
        if (c.kind != RAMUS_CHAR_SPACE) break;
    }
    return l;
}

int ramus_text_columns(const char *data, size_t from, size_t to, int column)
{
    const int start = column;
    while (from < to) {
        const ramus_char_at c = ramus_char_read(data, to, from);
        column += c.code == '\t' ? 8 - column % 8 : ramus_char_columns(c);
        from += (size_t)c.size;
    }
    return column - start;
}

size_t ramus_text_gap(const char *data, size_t from, size_t to, int least, size_t *end)
{
    for (size_t at = from; at < to; at++) {
        if (data[at] != ' ' && data[at] != '\t') continue;
        const size_t start = at;
        bool tab = false;
        for (; at < to && (data[at] == ' ' || data[at] == '\t'); at++)
            tab |= data[at] == '\t';
        *end = at;
        if (tab || at - start >= (size_t)least) return start;
    }
    *end = to;
    return to;
}

/* The columns of the first word of a text; of a script without spaces, two characters. */
static int first_word(const char *data, size_t from, size_t to)
{
    int columns = 0;
    while (from < to) {
        const ramus_char_at c = ramus_char_read(data, to, from);
        if (ramus_char_is_space(c.kind)) break;
        columns += ramus_char_columns(c);
        if (c.kind == RAMUS_CHAR_WIDE && columns >= 4) break;
        from += (size_t)c.size;
    }
    return columns;
}

/* Commas as in a file of values: two or more, and none has a space behind it. */
static bool has_fields(const char *data, size_t from, size_t to)
{
    int n = 0;
    for (size_t at = from; at + 1 < to; at++) {
        if (data[at] != ',' && data[at] != ';') continue;
        if (data[at + 1] == ' ') return false;
        n++;
    }
    return n >= 2;
}

static bool is_around(ramus_char kind)
{
    return kind == RAMUS_CHAR_OPEN || kind == RAMUS_CHAR_CLOSE || kind == RAMUS_CHAR_QUOTE ||
           kind == RAMUS_CHAR_JOIN;
}

/* Sets what follows from the text of the line, when its marker is out of it. */
static void measure(ramus_text_line *l, const char *data)
{
    size_t at = l->content, gap = 0;
    l->indent = l->cell_indent = ramus_text_columns(data, l->start, l->content, 0);
    l->columns = l->indent + ramus_text_columns(data, l->content, l->end, l->indent);
    l->word = first_word(data, l->content, l->end);
    l->cell = l->content;
    while (ramus_text_gap(data, l->cell, l->end, RAMUS_TEXT_GAP, &gap) < l->end)
        l->cell = gap;
    if (l->cell > l->content) l->cell_indent = ramus_text_columns(data, l->start, l->cell, 0);
    l->fields = l->cell > l->content || has_fields(data, l->content, l->end);
    for (ramus_char_at c; at < l->end; at += (size_t)c.size) {
        c = ramus_char_read(data, l->end, at);
        l->words |= ramus_char_is_letter(c.kind) || c.kind == RAMUS_CHAR_DIGIT;
        l->lower |= c.kind == RAMUS_CHAR_LOWER;
    }
    at = l->cell;
    do {
        l->first = ramus_char_read(data, l->end, at);
        at += (size_t)l->first.size;
    } while (is_around(l->first.kind));
    at = l->end;
    do {
        l->last = ramus_char_back(data, l->content, at);
        at -= (size_t)l->last.size;
    } while (is_around(l->last.kind));
}

/* Takes the marker out of the text of line i. "3." is none where nothing has the number before or
 * behind it. */
static void take_marker(ramus_text_line *lines, int n, int i, const char *data, size_t size,
                        int *number)
{
    ramus_text_line *l = &lines[i];
    ramus_marker m = ramus_marker_read(data, size, l->content);
    bool counted = m.kind != RAMUS_MARKER_NUMBER || m.number <= 1 || m.number == *number + 1;
    for (int k = i + 1; k < n && k < i + 8 && !counted; k++)
        counted = ramus_marker_read(data, size, lines[k].content).number == m.number + 1;
    if (l->content + m.size >= l->end || !counted) m = (ramus_marker){0};
    if (m.kind == RAMUS_MARKER_NONE) return;
    if (m.number >= 0) *number = m.number;
    l->marker = m;
    l->content = l->cell = skip_blanks(data, l->end, l->content + m.size);
}

/* Where text begins at a column of the line, two or more spaces behind other text; 0: nowhere. */
static size_t find_cell(const ramus_text_line *l, const char *data, int column)
{
    int here = l->cell_indent;
    for (size_t at = l->cell; at < l->end && here <= column;) {
        const ramus_char_at c = ramus_char_read(data, l->end, at);
        if (here == column)
            return at >= l->cell + 3 && c.code != ' ' && data[at - 1] == ' ' && data[at - 2] == ' '
                       ? at
                       : 0;
        here += ramus_char_columns(c);
        at += (size_t)c.size;
    }
    return 0;
}

/* Whether b stands where the text of `a` goes on. The second line of a paragraph may be indented
 * more or less than the first one; the others are as it is. Where b stands below a part of the
 * first line, that part becomes its last cell: "-f   reads a" over "     file". */
static bool stands_below(ramus_text_line *a, bool is_first, const ramus_text_line *b,
                         const char *data)
{
    if (a->quotes != b->quotes || a->page || !a->words || !b->words || b->fields ||
        b->marker.kind != RAMUS_MARKER_NONE || a->marker.kind == RAMUS_MARKER_HEADING)
        return false;
    if (b->indent == a->cell_indent) return true;
    if (!is_first) return false;
    if (a->marker.kind != RAMUS_MARKER_NONE) return b->indent < a->indent;
    const size_t cell = b->indent > a->cell_indent ? find_cell(a, data, b->indent) : 0;
    if (cell) {
        a->cell = cell;
        a->cell_indent = b->indent;
    }
    return cell > 0 || !a->fields;
}

typedef enum {
    FLOW_NO,
    FLOW_MAYBE, // the end of a sentence, or a word that is always written with a capital
    FLOW_SURE   // in the middle of a sentence
} flow;

static bool is_sign_of_code(uint32_t code)
{
    return code > 0 && code < 0x80 && strchr("\\|{}=<&", (int)code);
}

static flow flow_over(const ramus_text_line *a, const ramus_text_line *b)
{
    const ramus_char last = a->last.kind, first = b->first.kind;
    if (is_sign_of_code(a->last.code)) return FLOW_NO;
    const bool ended = last >= RAMUS_CHAR_POINT && last <= RAMUS_CHAR_STOP;
    const bool colon = a->last.code == ':' || a->last.code == ';' || a->last.code == 0xFF1A;
    if (first == RAMUS_CHAR_LOWER) return ended || colon ? FLOW_MAYBE : FLOW_SURE;
    if (colon) return FLOW_NO;
    if (first == RAMUS_CHAR_UPPER && !a->lower && !b->lower && a->columns >= SURE_WIDTH)
        return ended ? FLOW_MAYBE : FLOW_SURE; // all of it is in capitals
    const bool wide = last == RAMUS_CHAR_WIDE || (last == RAMUS_CHAR_WEAK && a->last.code > 0x2E80);
    if (wide && first == RAMUS_CHAR_WIDE) return FLOW_SURE;
    return last == RAMUS_CHAR_LETTER && first == RAMUS_CHAR_LETTER ? FLOW_SURE : FLOW_MAYBE;
}

/* Whether the first word of b had no room at the end of `a`. `ragged`: or hardly any, since not
 * all who wrap lines fill them. */
static bool is_full(const ramus_text_line *a, const ramus_text_line *b, int width, bool ragged)
{
    const bool wide = a->last.code >= 0x2E80 && b->first.code >= 0x2E80;
    return a->columns + !wide + b->word > width - (ragged ? width / 8 : 0);
}

static bool ends_sentence(const ramus_text_line *l)
{
    return (l->last.kind >= RAMUS_CHAR_POINT && l->last.kind <= RAMUS_CHAR_STOP) ||
           l->last.code == ':' || l->last.code == 0xFF1A;
}

/* How many of n lines, whose breaks may all be those of wrapping, make a paragraph; 1: none.
 * flows[i] is that from line i - 1 to line i. */
static int count_prose(const ramus_text_line *lines, const flow *flows, int n)
{
    int n_sure = 0, width = 0;
    for (int i = 0; i < n; i++)
        if (lines[i].columns > width) width = lines[i].columns;
    /* A short last line with a capital at its start and no end of a sentence is a name, a title. */
    while (n > 1 && flows[n - 1] != FLOW_SURE && !ends_sentence(&lines[n - 1]) &&
           3 * lines[n - 1].columns < 2 * width)
        n--;
    for (int i = 1; i < n; i++)
        n_sure += flows[i] == FLOW_SURE;
    const bool sure = 3 * n_sure >= n - 1 && n_sure > 0;
    return sure && width >= (n == 2 ? SURE_WIDTH : MIN_WIDTH) ? n : 1;
}

static bool is_one_word(const ramus_text_line *l)
{
    return l->columns == l->indent + l->word;
}

/* Whether b is nothing but a path or the address of a page. */
static bool is_path(const ramus_text_line *b, const char *data)
{
    return is_one_word(b) && memchr(data + b->content, '/', b->end - b->content);
}

/* Whether the last word of a line is one: the next path belongs to a list of files. */
static bool ends_in_path(const ramus_text_line *a, const char *data)
{
    size_t word = a->end;
    while (word > a->content && data[word - 1] != ' ')
        word--;
    return memchr(data + word, '/', a->end - word) != NULL;
}

#define MAX_RUN 256 // lines that are looked at together; a longer paragraph comes in parts

/* Joins the lines at the beginning of `lines` that are one flow, and returns how many they are. */
static int join_first(ramus_text_line *lines, int n, const char *data)
{
    flow flows[MAX_RUN] = {FLOW_NO};
    int width = 0, most = 1, run = 1;
    bool prose = false; // a sentence goes on over one of the breaks
    if (lines[0].columns > MAX_WIDTH) return 1;
    if (n > MAX_RUN) n = MAX_RUN;
    for (; most < n; most++) { // all that could be of one paragraph
        if (!stands_below(&lines[most - 1], most == 1, &lines[most], data)) break;
        if (lines[most].columns > MAX_WIDTH) break;
    }
    for (int i = 0; i < most; i++)
        if (lines[i].columns > width && !is_one_word(&lines[i])) width = lines[i].columns;
    for (; run < most; run++) {
        const ramus_text_line *a = &lines[run - 1], *b = &lines[run];
        flows[run] = flow_over(a, b);
        if (is_path(b, data) && flows[run] != FLOW_NO)
            flows[run] = ends_in_path(a, data) ? FLOW_NO : FLOW_MAYBE;
        prose |= flows[run] == FLOW_SURE;
        if (flows[run] == FLOW_NO || !is_full(a, b, width, prose)) break;
    }
    run = count_prose(lines, flows, run);
    for (int i = 1; i < run; i++)
        lines[i].joins = true;
    return run;
}

void ramus_text_lines_join(ramus_text_line *lines, int n, const char *data, size_t size,
                           ramus_wrapped how, int *number)
{
    for (int i = 0; i < n; i++) {
        take_marker(lines, n, i, data, size, number);
        measure(&lines[i], data);
    }
    if (how == RAMUS_WRAPPED_AUTO) {
        for (int i = 0; i < n;)
            i += join_first(lines + i, n - i, data);
    }
    if (how == RAMUS_WRAPPED_YES)
        for (int i = 1; i < n; i++)
            lines[i].joins = stands_below(&lines[i - 1], !lines[i - 1].joins, &lines[i], data);
}

/* Words before which a hyphen stands for the rest of a word: "Haus- und Hoftiere". */
static bool is_hyphen_word(const char *data, size_t from, size_t to)
{
    static const char *const words[] = {"und", "oder", "bzw", "bis", "sowie", "and", "or", "to"};
    size_t size = 0;
    while (from + size < to && data[from + size] >= 'a' && data[from + size] <= 'z')
        size++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == size && memcmp(words[i], data + from, size) == 0) return true;
    return false;
}

const char *ramus_text_glue(const ramus_text_line *a, const ramus_text_line *b, const char *data,
                            size_t *drops)
{
    const ramus_char_at last = ramus_char_back(data, a->content, a->end);
    const ramus_char_at first = ramus_char_read(data, b->end, b->content);
    *drops = 0;
    if (last.code >= 0x2E80 && first.code >= 0x2E80 && last.kind != RAMUS_CHAR_LETTER &&
        first.kind != RAMUS_CHAR_LETTER)
        return "";
    const bool in_word =
        first.kind == RAMUS_CHAR_LOWER &&
        ramus_char_is_letter(ramus_char_back(data, a->content, a->end - (size_t)last.size).kind);
    if (in_word && (last.code == 0xAD || last.code == 0x2010)) { // as layout programs divide words
        *drops = (size_t)last.size;
        return "";
    }
    return in_word && last.code == '-' && !is_hyphen_word(data, b->content, b->end) ? "" : " ";
}
