/* Markdown: CommonMark with GitHub's tables, footnotes and front matter. A line goes through the
 * open quotes and list items first, as the specification says; what is left of it goes on with the
 * leaf that is open (a paragraph, a table, code) or begins one. A paragraph is read as a whole and
 * given to markdown_text.c. Code, definitions of links and rules are copied. */
#include "document/formats.h"
#include "document/markdown_lines.h"

#include <string.h>

typedef struct container {
    bool is_quote, has_content;
    int indent; // of the lines of a list item
} container;

typedef enum { NO_LEAF, PARAGRAPH, TABLE, FENCE, RAW, HTML } leaf_kind;

typedef struct markdown {
    container open[RAMUS_MD_DEPTH];
    int depth;
    leaf_kind leaf;
    ramus_md_fence fence;
    int raw_kind;
    size_t front_end;
    bool in_line, copies; // d->at is within a line; the rest of it is copied
    enum { NO_DEFINITION, DEFINED, NO_PLACE } definition; // on the line before
    ramus_md_labels labels;
    ramus_md_text text;
} markdown;

static ramus_status open_markdown(ramus_document *d, ramus_error *err)
{
    (void)err;
    markdown *m = d->state;
    ramus_md_labels_find(&m->labels, d->data, d->size);
    m->text.parser.labels = &m->labels;
    m->front_end = ramus_md_front_end(d->data, d->size);
    return RAMUS_OK;
}

static void close_markdown(ramus_document *d)
{
    markdown *m = d->state;
    ramus_md_text_free(&m->text);
}

/* Goes through the open containers; returns how many the line is in. */
static int match(const markdown *m, ramus_md_cursor *c)
{
    int i = 0;
    for (; i < m->depth; i++) {
        const container *open = &m->open[i];
        const int indent = ramus_md_indent(c);
        if (open->is_quote) {
            ramus_md_cursor line = *c;
            ramus_md_skip_space(&line);
            if (indent > 3 || line.at >= line.end || line.data[line.at] != '>') break;
            *c = line;
            ramus_md_skip_columns(c, 1);
            if (ramus_md_indent(c) > 0) ramus_md_skip_columns(c, 1);
        } else if (ramus_md_is_blank(c)) {
            if (!open->has_content) break;
        } else if (indent >= open->indent) {
            ramus_md_skip_columns(c, open->indent);
        } else {
            break;
        }
    }
    return i;
}

static ramus_md_start classify(const markdown *m, const ramus_md_cursor *c, bool in_paragraph)
{
    const ramus_md_start start = ramus_md_classify(c, in_paragraph);
    const bool contains = start == RAMUS_MD_QUOTE || start == RAMUS_MD_ITEM;
    return contains && m->depth == RAMUS_MD_DEPTH ? RAMUS_MD_TEXT_LINE : start;
}

/* Opens the quotes and items that the line begins; returns what is behind them. */
static ramus_md_start open_containers(markdown *m, ramus_md_cursor *c)
{
    ramus_md_start start;
    while (start = classify(m, c, false), start == RAMUS_MD_QUOTE || start == RAMUS_MD_ITEM) {
        container *new = &m->open[m->depth++];
        *new = (container){.is_quote = start == RAMUS_MD_QUOTE};
        if (new->is_quote) {
            ramus_md_skip_space(c);
            ramus_md_skip_columns(c, 1);
            if (ramus_md_indent(c) > 0) ramus_md_skip_columns(c, 1);
        } else {
            new->indent = ramus_md_skip_marker(c);
        }
    }
    for (int i = 0; i < m->depth && start != RAMUS_MD_BLANK; i++)
        m->open[i].has_content = true;
    return start;
}

static void copy(ramus_document *d, const ramus_md_cursor *c)
{
    markdown *m = d->state;
    d->at = c->next;
    m->in_line = c->partial;
    m->copies = true;
}

static void add_blocks(const ramus_document *d, ramus_blocks *out, int form)
{
    markdown *m = d->state;
    if (!ramus_md_blocks(&m->text, d, out, form)) out->failed = true;
}

static void read_stretch(const ramus_document *d, ramus_blocks *out, size_t from, size_t to,
                         int form)
{
    markdown *m = d->state;
    while (from < to && ramus_md_is_space(d->data[from]))
        from++;
    while (to > from && ramus_md_is_space(d->data[to - 1]))
        to--;
    ramus_md_text_clear(&m->text);
    ramus_md_text_add(&m->text, d, from, to);
    add_blocks(d, out, form);
}

static void read_heading(const ramus_document *d, ramus_md_cursor c, ramus_blocks *out)
{
    ramus_md_skip_space(&c);
    size_t from = c.at, to = c.end;
    while (from < to && d->data[from] == '#')
        from++;
    while (to > from && ramus_md_is_space(d->data[to - 1]))
        to--;
    size_t mark = to; // the closing one
    while (mark > from && d->data[mark - 1] == '#')
        mark--;
    if (mark == from || ramus_md_is_space(d->data[mark - 1])) to = mark;
    read_stretch(d, out, from, to, 0);
}

static void read_row(const ramus_document *d, ramus_md_cursor c, ramus_blocks *out)
{
    ramus_md_skip_space(&c);
    size_t from = c.at;
    for (size_t i = from; i <= c.end; i++) {
        if (i < c.end && d->data[i] == '\\') {
            i++;
        } else if (i == c.end || d->data[i] == '|') {
            read_stretch(d, out, from, i, ramus_md_form_escaping('|'));
            from = i + 1;
        }
    }
    if (from < c.end) read_stretch(d, out, from, c.end, ramus_md_form_escaping('|'));
}

/* The line behind a paragraph: does it go on (true), and what else is it? */
static bool goes_on(const ramus_document *d, ramus_md_cursor *c, ramus_md_start *start, bool *lazy)
{
    const markdown *m = d->state;
    *start = RAMUS_MD_BLANK;
    if (d->at == d->size) return false;
    *c = ramus_md_read_line(d->data, d->size, d->at);
    *lazy = match(m, c) < m->depth;
    *start = classify(m, c, !*lazy);
    return *start == RAMUS_MD_TEXT_LINE || (*start == RAMUS_MD_INDENTED && *lazy);
}

/* Whether line `c` makes the line before it, which is the last of the text, the head of a table. */
static bool begins_table(const ramus_md_cursor *c, const ramus_md_cursor *head)
{
    const char *row = c->data + c->at;
    const size_t size = c->end - c->at;
    return ramus_md_is_delimiter_row(row, size) &&
           ramus_md_count_cells(row, size) ==
               ramus_md_count_cells(head->data + head->at, head->end - head->at);
}

static void read_paragraph(ramus_document *d, ramus_md_cursor c, ramus_blocks *out, int form)
{
    markdown *m = d->state;
    ramus_md_text *t = &m->text;
    ramus_md_text_clear(t);
    for (;;) {
        ramus_md_cursor next;
        ramus_md_start start;
        bool lazy = false;
        ramus_md_skip_space(&c);
        ramus_md_text_add(t, d, c.at, c.end);
        d->at = c.next;
        m->in_line = c.partial;
        m->copies = false;
        m->leaf = PARAGRAPH;
        if (c.partial || t->text.size >= RAMUS_MD_LINE_BYTES) break;
        if (!goes_on(d, &next, &start, &lazy)) {
            m->leaf = NO_LEAF;
            if (start == RAMUS_MD_UNDERLINE) d->at = next.next;
            break;
        }
        if (!lazy && !next.partial && begins_table(&next, &c)) {
            t->text.size = t->lines[--t->n_lines].at;
            if (t->n_lines) t->text.size--;
            if (t->n_lines) add_blocks(d, out, form);
            read_row(d, c, out);
            copy(d, &next);
            m->leaf = TABLE;
            return;
        }
        if (lazy) form |= RAMUS_MD_LAZY;
        c = next;
    }
    add_blocks(d, out, form);
}

static void read_html(ramus_document *d, ramus_md_cursor c, ramus_blocks *out)
{
    markdown *m = d->state;
    ramus_md_text_clear(&m->text);
    for (;;) {
        ramus_md_skip_space(&c);
        ramus_md_text_add(&m->text, d, c.at, c.end);
        d->at = c.next;
        m->in_line = c.partial;
        m->copies = false;
        m->leaf = HTML;
        if (c.partial || m->text.text.size >= RAMUS_MD_LINE_BYTES) break;
        m->leaf = NO_LEAF;
        if (d->at == d->size) break;
        c = ramus_md_read_line(d->data, d->size, d->at);
        if (match(m, &c) < m->depth || ramus_md_is_blank(&c)) break;
    }
    add_blocks(d, out, RAMUS_MD_HTML);
    if (m->text.parser.in_raw) {
        m->leaf = RAW;
        m->raw_kind = 1;
    }
}

/* The rest of a line that was too long to be read at once. */
static void read_rest(ramus_document *d, ramus_blocks *out)
{
    markdown *m = d->state;
    const ramus_md_cursor c = ramus_md_read_line(d->data, d->size, d->at);
    if (!m->copies)
        read_stretch(d, out, c.begin, c.end, m->leaf == HTML ? RAMUS_MD_HTML : 0);
    else if (m->leaf == RAW && ramus_md_ends_raw(&c, c.begin, m->raw_kind))
        m->leaf = NO_LEAF;
    d->at = c.next;
    m->in_line = c.partial;
}

/* A line of text that begins a paragraph, or belongs to the definition of a link. */
static void read_text_line(ramus_document *d, const ramus_md_cursor *c, ramus_blocks *out)
{
    markdown *m = d->state;
    const char *from = c->data + c->at, *end = c->data + c->end;
    while (from < end && ramus_md_is_space(*from))
        from++;
    while (end > from && ramus_md_is_space(end[-1]))
        end--;
    const bool quoted = end - from >= 2 && (*from == '"' || *from == '\'') && end[-1] == *from;
    if (!c->partial && (m->definition == NO_PLACE || (m->definition == DEFINED && quoted))) {
        m->definition = m->definition == NO_PLACE ? DEFINED : NO_DEFINITION;
        copy(d, c);
    } else if (!c->partial && ramus_md_is_definition(c)) {
        m->definition = end[-1] == ':' ? NO_PLACE : DEFINED;
        copy(d, c);
    } else {
        m->definition = NO_DEFINITION;
        read_paragraph(d, *c, out, RAMUS_MD_FIRST);
    }
}

/* The line goes on with the leaf that is open. Returns false where it does not. */
static bool read_in_leaf(ramus_document *d, const ramus_md_cursor *c, bool inside,
                         ramus_blocks *out)
{
    markdown *m = d->state;
    ramus_md_cursor next;
    ramus_md_start start;
    bool lazy;
    switch (inside || m->leaf == PARAGRAPH ? m->leaf : NO_LEAF) {
    case FENCE:
        if (ramus_md_closes_fence(c, &m->fence)) m->leaf = NO_LEAF;
        copy(d, c);
        return true;
    case RAW:
        if (ramus_md_ends_raw(c, c->at, m->raw_kind)) m->leaf = NO_LEAF;
        copy(d, c);
        return true;
    case HTML:
        if (ramus_md_is_blank(c)) break;
        read_html(d, *c, out);
        return true;
    case TABLE:
        if (c->partial || classify(m, c, true) != RAMUS_MD_TEXT_LINE) break;
        read_row(d, *c, out);
        copy(d, c);
        return true;
    case PARAGRAPH:
        if (goes_on(d, &next, &start, &lazy)) {
            read_paragraph(d, next, out, RAMUS_MD_LINE);
            return true;
        }
        if (start != RAMUS_MD_UNDERLINE) break;
        m->leaf = NO_LEAF;
        copy(d, &next);
        return true;
    case NO_LEAF:
        break;
    }
    m->leaf = NO_LEAF;
    return false;
}

static void read_line(ramus_document *d, ramus_blocks *out)
{
    markdown *m = d->state;
    ramus_md_cursor c = ramus_md_read_line(d->data, d->size, d->at);
    const int depth = match(m, &c);
    if (read_in_leaf(d, &c, depth == m->depth, out)) return;
    m->depth = depth;
    const ramus_md_start start = open_containers(m, &c);
    if (start == RAMUS_MD_TEXT_LINE) {
        read_text_line(d, &c, out);
        return;
    }
    m->definition = NO_DEFINITION;
    switch (start) {
    case RAMUS_MD_HTML_LINE:
        read_html(d, c, out);
        return;
    case RAMUS_MD_HEADING:
        read_heading(d, c, out);
        break;
    case RAMUS_MD_FENCE:
        m->leaf = FENCE;
        m->fence = ramus_md_read_fence(&c);
        break;
    case RAMUS_MD_RAW_LINE:
        m->raw_kind = ramus_md_raw_kind(&c);
        if (!ramus_md_ends_raw(&c, c.at, m->raw_kind)) m->leaf = RAW;
        break;
    default:
        break;
    }
    copy(d, &c);
}

static ramus_status read_markdown(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    markdown *m = d->state;
    (void)err;
    if (d->at == 0 && d->size >= 3 && memcmp(d->data, "\xEF\xBB\xBF", 3) == 0) {
        d->at = 3;
    } else if (d->at < m->front_end) {
        const char *feed = memchr(d->data + d->at, '\n', m->front_end - d->at);
        const size_t end = feed ? (size_t)(feed - d->data) : m->front_end;
        if (d->data[0] != '+') ramus_md_front_line(d, d->at, end, out);
        d->at = feed ? end + 1 : end;
    } else if (m->in_line) {
        read_rest(d, out);
    } else {
        read_line(d, out);
    }
    return RAMUS_OK;
}

static void write_markdown(const ramus_document *d, const ramus_block *block,
                           const ramus_marked *translation, ramus_buffer *out)
{
    markdown *m = d->state;
    if (block->form & (RAMUS_MD_PLAIN | RAMUS_MD_SINGLE | RAMUS_MD_DOUBLE))
        ramus_md_front_write(block, translation, out);
    else
        ramus_md_write(&m->text, block, translation, out);
}

const ramus_format ramus_format_markdown = {
    .name = "markdown",
    .extensions = "md markdown mdown",
    .state_size = sizeof(markdown),
    .open = open_markdown,
    .read = read_markdown,
    .write = write_markdown,
    .close = close_markdown,
};
