/* HTML pages and fragments. Between two tags that end a text stands a paragraph. It is read as
 * pieces: texts, tags of inline elements, elements that are kept. Pieces around its words are left
 * out, then it becomes a block. Attributes of its tags become blocks as well. Each call reads one
 * paragraph, or passes over one tag. */
#include "document/charset.h"
#include "document/html_attributes.h"
#include "document/html_tree.h"
#include "document/markup_pieces.h"

#include "document/formats.h"

#include <string.h>

#define PARAGRAPH_BYTES (4 * RAMUS_BLOCK_BYTES) // of the document, at most

typedef struct html {
    ramus_html_tree tree;
    int base; // elements of the tree that were open before the paragraph
    bool xml; // the document says that it is XML
    bool ascii;
    ramus_pieces pieces;
    ramus_html_written written;
    ramus_buffer ascii_text;
} html;

/* A token; with content and end tag where the content is no markup. */
typedef struct item {
    ramus_markup_token token;
    size_t content, content_end, to;
    const ramus_html_element *element; // of a tag
} item;

static bool is_start(const item *i)
{
    return i->token.kind == RAMUS_MARKUP_OPEN || i->token.kind == RAMUS_MARKUP_EMPTY;
}

static item next_item(const ramus_document *d, size_t at)
{
    const html *h = d->state;
    const bool foreign = ramus_html_tree_foreign(&h->tree);
    const ramus_markup markup = h->xml || foreign ? RAMUS_XML : RAMUS_HTML;
    item i = {.token = ramus_markup_next(d->data, d->size, at, markup)};
    const ramus_markup_token *t = &i.token;
    i.content = i.content_end = i.to = t->to;
    if (!is_start(&i) && t->kind != RAMUS_MARKUP_CLOSE) return i;
    i.element = ramus_html_element_find(d->data + t->name, t->name_size);
    if (!is_start(&i) || foreign || (h->xml && t->kind == RAMUS_MARKUP_EMPTY)) return i;
    if (i.element->kind != RAMUS_HTML_RAW && i.element->kind != RAMUS_HTML_TITLE) return i;
    i.content_end = ramus_html_content_end(d->data, d->size, t);
    i.to = ramus_markup_next(d->data, d->size, i.content_end, RAMUS_HTML).to;
    return i;
}

/* Whether a start tag opens an element that an end tag may close. */
static bool opens(const html *h, const item *i)
{
    const bool xml = h->xml || ramus_html_tree_foreign(&h->tree);
    const int kind = i->element->kind;
    return is_start(i) && !(xml && i->token.kind == RAMUS_MARKUP_EMPTY) &&
           kind != RAMUS_HTML_POINT && kind != RAMUS_HTML_BREAK && kind != RAMUS_HTML_RAW &&
           kind != RAMUS_HTML_TITLE;
}

/* Opens or closes an element. */
static void follow(html *h, const ramus_document *d, const item *i, int number)
{
    if (i->token.kind == RAMUS_MARKUP_CLOSE) {
        const int match = ramus_html_tree_match(&h->tree, d->data, &i->token);
        if (match >= 0) h->tree.n = match;
    } else if (is_start(i)) {
        ramus_html_tree_imply(&h->tree, i->element);
        if (opens(h, i)) ramus_html_tree_push(&h->tree, d->data, &i->token, number);
    }
    if (h->base > h->tree.n) h->base = h->tree.n;
}

/* Moves *to over the element that `first`, a start tag, begins. False: a block or something that is
 * translated is in it, or it is too long. */
static bool pass_element(html *h, const ramus_document *d, const item *first, size_t *to)
{
    const int depth = h->tree.n, base = h->base;
    const bool drawing = first->element->kind == RAMUS_HTML_DRAWING;
    bool whole = true;
    *to = first->to;
    if (!opens(h, first)) return true;
    follow(h, d, first, -1);
    while (whole && h->tree.n > depth && *to < d->size) {
        const item i = next_item(d, *to);
        *to = i.to;
        whole = (drawing || !i.element || i.element->kind < RAMUS_HTML_BLOCK) &&
                *to - first->token.from <= RAMUS_BLOCK_BYTES;
        follow(h, d, &i, -1);
        if (h->tree.n < depth) whole = false;
        if (h->tree.n > depth && ramus_html_tree_translate(&h->tree) == RAMUS_HTML_YES)
            whole = false;
    }
    h->tree.n = depth;
    h->base = base;
    return whole;
}

/* Makes an item a piece of a paragraph; false: it ends the paragraph. */
static bool read_piece(html *h, const ramus_document *d, const item *i, ramus_piece *p)
{
    *p = (ramus_piece){.kind = RAMUS_PIECE_POINT, .from = i->token.from, .to = i->to, .pair = -1};
    if (p->to - p->from > RAMUS_BLOCK_BYTES) return false;
    if (i->token.kind == RAMUS_MARKUP_TEXT) p->kind = RAMUS_PIECE_TEXT;
    if (!i->element) return true;
    if (i->element->kind >= RAMUS_HTML_BLOCK) return false;
    if (!is_start(i)) {
        const int match = ramus_html_tree_match(&h->tree, d->data, &i->token);
        if (match > 0 && h->tree.items[match - 1].translate != RAMUS_HTML_YES) return false;
        if (match >= h->base) {
            p->kind = RAMUS_PIECE_CLOSE;
            p->pair = h->tree.items[match].piece;
        }
        return true;
    }
    p->own = ramus_html_tree_translate_tag(&h->tree, d->data, &i->token) == RAMUS_HTML_YES;
    if (!opens(h, i)) return true;
    p->kind = RAMUS_PIECE_OPEN;
    if (p->own) return true;
    const bool svg = ramus_markup_is(d->data + i->token.name, i->token.name_size, "svg");
    p->kind = svg ? RAMUS_PIECE_POINT : RAMUS_PIECE_KEEP;
    p->text_from = p->from;
    const bool whole = pass_element(h, d, i, &p->to);
    p->text_to = p->to;
    return whole;
}

/* Reads the pieces of a paragraph at d->at, and gives where it ends. */
static ramus_status read_pieces(html *h, const ramus_document *d, size_t *to, ramus_error *err)
{
    size_t text = 0;
    h->base = h->tree.n;
    *to = d->at;
    while (*to < d->size && *to - d->at < PARAGRAPH_BYTES) {
        const item i = next_item(d, *to);
        ramus_piece p;
        if (!read_piece(h, d, &i, &p)) break;
        if (p.kind == RAMUS_PIECE_TEXT || p.kind == RAMUS_PIECE_KEEP) text += p.to - p.from;
        if (text > RAMUS_BLOCK_BYTES) break;
        const int number = h->pieces.n;
        const ramus_status st = ramus_pieces_add(&h->pieces, &p, err);
        if (st) return st;
        if (p.kind == RAMUS_PIECE_OPEN || i.token.kind == RAMUS_MARKUP_CLOSE)
            follow(h, d, &i, number);
        *to = p.to;
    }
    return RAMUS_OK;
}

/* Adds blocks for the attributes of the pieces lo .. hi - 1. `inside`: as in html_attributes.h. */
static void add_attributes(const html *h, ramus_blocks *out, int lo, int hi, size_t inside)
{
    const char *data = h->pieces.data;
    for (int k = lo; k < hi; k++) {
        const ramus_piece *p = &h->pieces.items[k];
        if (!p->own) continue;
        const ramus_markup_token tag = ramus_markup_next(data, p->to, p->from, RAMUS_HTML);
        ramus_attribute a = {0};
        while (ramus_html_attribute_next(&a, data, &tag))
            ramus_html_attribute_add(out, data, &a, inside);
    }
}

/* Adds a block for the words of the pieces lo .. hi - 1, and blocks for their attributes. */
static void add_block(html *h, ramus_blocks *out, int lo, int hi)
{
    const int first = lo, last = hi;
    ramus_pieces_trim(&h->pieces, &lo, &hi);
    add_attributes(h, out, first, lo, 0);
    if (lo < hi) {
        size_t from = 0, to = 0;
        ramus_pieces_place(&h->pieces, lo, hi, &from, &to);
        const int text = out->n;
        const bool words = ramus_pieces_put(&h->pieces, lo, hi, from, to, 0, out);
        add_attributes(h, out, lo, hi, words ? from + 1 : 0);
        if (words && out->n > text + 1) { // those come first
            const ramus_block moved = out->items[text];
            memmove(&out->items[text], &out->items[text + 1],
                    (size_t)(out->n - 1 - text) * sizeof moved);
            out->items[out->n - 1] = moved;
        }
    }
    add_attributes(h, out, hi, last, 0);
}

/* Whether there are several links with no words between them: a menu, not a sentence. */
static bool is_menu(html *h, int lo, int hi)
{
    int links = 0;
    for (int k = lo; k < hi; k++) {
        const ramus_piece *p = &h->pieces.items[k];
        if (p->kind == RAMUS_PIECE_KEEP) return false;
        if (p->kind != RAMUS_PIECE_OPEN || p->pair < 0) continue;
        const ramus_markup_token t = ramus_markup_next(h->pieces.data, p->to, p->from, RAMUS_HTML);
        links += ramus_markup_is(h->pieces.data + t.name, t.name_size, "a");
        k = p->pair;
    }
    return links > 1 && !ramus_pieces_have_words_outside(&h->pieces, lo, hi);
}

static void add_paragraph(html *h, ramus_blocks *out)
{
    const int n = h->pieces.n;
    int lo = 0, hi = n;
    ramus_pieces_trim(&h->pieces, &lo, &hi);
    if (!is_menu(h, lo, hi)) {
        add_block(h, out, 0, n);
        return;
    }
    for (int k = 0; k < n; k++) {
        const int close = h->pieces.items[k].pair;
        add_attributes(h, out, k, k + 1, 0);
        if (k < lo || k >= hi || close <= k) continue;
        add_block(h, out, k + 1, close);
        k = close;
    }
}

/* Passes over one item outside of texts. */
static ramus_status pass_item(html *h, const ramus_document *d, ramus_blocks *out, size_t *to,
                              ramus_error *err)
{
    const item i = next_item(d, d->at);
    ramus_status st = RAMUS_OK;
    if (is_start(&i)) {
        ramus_html_tree_imply(&h->tree, i.element);
        if (ramus_html_tree_translate_tag(&h->tree, d->data, &i.token) == RAMUS_HTML_YES) {
            const bool title = i.element->kind == RAMUS_HTML_TITLE &&
                               i.content_end - i.content <= RAMUS_BLOCK_BYTES;
            const ramus_piece tag = {.kind = RAMUS_PIECE_POINT,
                                     .from = i.token.from,
                                     .to = i.content,
                                     .pair = -1,
                                     .own = 1};
            const ramus_piece text = {
                .kind = RAMUS_PIECE_TEXT, .from = i.content, .to = i.content_end, .pair = -1};
            st = ramus_pieces_add(&h->pieces, &tag, err);
            if (!st && title) st = ramus_pieces_add(&h->pieces, &text, err);
            if (!st) add_block(h, out, 0, h->pieces.n);
        }
    }
    follow(h, d, &i, -1);
    *to = i.to;
    return st;
}

static ramus_status read_html(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    html *h = d->state;
    size_t to = d->at;
    ramus_status st = RAMUS_OK;
    h->pieces.n = 0;
    if (ramus_html_tree_translate(&h->tree) == RAMUS_HTML_YES) st = read_pieces(h, d, &to, err);
    if (!st && h->pieces.n)
        add_paragraph(h, out);
    else if (!st)
        st = pass_item(h, d, out, &to, err);
    if (st) return st;
    d->at = to;
    return ramus_blocks_check(&h->pieces.scratch, err);
}

static void write_text(const html *h, const ramus_document *d, const ramus_marked *m,
                       ramus_buffer *out)
{
    for (int i = 0; i <= m->n_marks; i++) {
        size_t from = 0, to = 0;
        ramus_markup_span(m, i, &from, &to);
        ramus_markup_escape_html(out, m->text + from, to - from);
        if (i == m->n_marks) return;
        const char *raw = m->raws + m->marks[i].raw;
        if (m->marks[i].kind == RAMUS_MARK_KEEP)
            ramus_buffer_add(out, raw, m->marks[i].raw_size);
        else
            ramus_html_tag_write(&h->written, d, raw, m->marks[i].raw_size, out);
    }
}

static void write_html(const ramus_document *d, const ramus_block *block,
                       const ramus_marked *translation, ramus_buffer *out)
{
    html *h = d->state;
    const size_t start = out->size;
    if (!ramus_html_attribute_write(&h->written, d, block, translation, out))
        write_text(h, d, translation, out);
    if (h->ascii && out->size > start) ramus_charset_make_ascii(out, start, &h->ascii_text);
}

static ramus_status open_html(ramus_document *d, ramus_error *err)
{
    html *h = d->state;
    const ramus_status st =
        ramus_charset_read(&h->ascii, d->data, d->size, &d->at, RAMUS_HTML, err);
    h->pieces.data = d->data;
    h->pieces.markup = RAMUS_HTML;
    h->xml = d->size - d->at > 5 && memcmp(d->data + d->at, "<?xml", 5) == 0;
    return st;
}

static void close_html(ramus_document *d)
{
    html *h = d->state;
    ramus_pieces_free(&h->pieces);
    ramus_buffer_free(&h->ascii_text);
    ramus_html_written_free(&h->written);
}

const ramus_format ramus_format_html = {
    .name = "html",
    .extensions = "html htm xhtml xht",
    .state_size = sizeof(html),
    .open = open_html,
    .read = read_html,
    .write = write_html,
    .close = close_html,
};
