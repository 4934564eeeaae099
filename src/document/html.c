/* HTML pages and fragments. Between two tags that end a text stands a paragraph. It is read as
 * pieces: texts, tags of inline elements, elements that are kept. Pieces around its words are left
 * out, then it becomes a block. Attributes of its tags become blocks as well. Each call reads one
 * paragraph, or passes over one tag. */
#include "document/html_attributes.h"
#include "document/html_charset.h"
#include "document/html_tree.h"

#include "base/list.h"
#include "document/formats.h"

#include <stdlib.h>
#include <string.h>

#define PARAGRAPH_BYTES (4 * RAMUS_BLOCK_BYTES) // of the document, at most

typedef enum { TEXT, OPEN, CLOSE, POINT, KEEP } piece_kind;

typedef struct piece {
    piece_kind kind;
    size_t from, to;
    int pair;        // OPEN, CLOSE: the number of the other piece; -1: there is none
    bool translated; // its tag's attributes
} piece;

typedef struct html {
    ramus_html_tree tree;
    int base; // elements of the tree that were open before the paragraph
    bool xml; // the document says that it is XML
    bool ascii;
    piece *pieces;
    int n;
    size_t room;
    ramus_blocks scratch;
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
static bool read_piece(html *h, const ramus_document *d, const item *i, piece *p)
{
    *p = (piece){.kind = POINT, .from = i->token.from, .to = i->to, .pair = -1};
    if (p->to - p->from > RAMUS_BLOCK_BYTES) return false;
    if (i->token.kind == RAMUS_MARKUP_TEXT) p->kind = TEXT;
    if (!i->element) return true;
    if (i->element->kind >= RAMUS_HTML_BLOCK) return false;
    if (!is_start(i)) {
        const int match = ramus_html_tree_match(&h->tree, d->data, &i->token);
        if (match > 0 && h->tree.items[match - 1].translate != RAMUS_HTML_YES) return false;
        if (match >= h->base) {
            p->kind = CLOSE;
            p->pair = h->tree.items[match].piece;
        }
        return true;
    }
    p->translated = ramus_html_tree_translate_tag(&h->tree, d->data, &i->token) == RAMUS_HTML_YES;
    if (!opens(h, i)) return true;
    p->kind = OPEN;
    if (p->translated) return true;
    const bool svg = ramus_markup_is(d->data + i->token.name, i->token.name_size, "svg");
    p->kind = svg ? POINT : KEEP;
    return pass_element(h, d, i, &p->to);
}

/* Reads the pieces of a paragraph at d->at, and gives where it ends. */
static ramus_status read_pieces(html *h, const ramus_document *d, size_t *to, ramus_error *err)
{
    size_t text = 0;
    h->n = 0;
    h->base = h->tree.n;
    *to = d->at;
    while (*to < d->size && *to - d->at < PARAGRAPH_BYTES) {
        const item i = next_item(d, *to);
        piece p;
        if (!read_piece(h, d, &i, &p)) break;
        if (p.kind == TEXT || p.kind == KEEP) text += p.to - p.from;
        if (text > RAMUS_BLOCK_BYTES) break;
        const ramus_status st =
            RAMUS_LIST_RESERVE(h->pieces, h->room, (size_t)h->n + 1, "a paragraph", err);
        if (st) return st;
        if (p.kind == CLOSE) h->pieces[p.pair].pair = h->n;
        if (p.kind == OPEN || i.token.kind == RAMUS_MARKUP_CLOSE) follow(h, d, &i, h->n);
        h->pieces[h->n++] = p;
        *to = p.to;
    }
    return RAMUS_OK;
}

/* Whether a text is white space, or a tag stands alone among the pieces lo .. hi - 1. */
static bool has_no_words(const html *h, const ramus_document *d, int k, int lo, int hi)
{
    const piece *p = &h->pieces[k];
    if (p->kind == KEEP) return false;
    if (p->kind != TEXT) return p->pair < lo || p->pair >= hi;
    for (size_t i = p->from; i < p->to; i++)
        if (!ramus_markup_is_space(d->data[i])) return false;
    return true;
}

/* Whether the pair of tags at pieces lo and hi - 1 has no words in it. */
static bool is_empty_pair(const html *h, const ramus_document *d, int lo, int hi)
{
    if (h->pieces[lo].kind != OPEN || h->pieces[lo].pair != hi - 1) return false;
    for (int k = lo + 1; k < hi - 1; k++)
        if ((h->pieces[k].kind == TEXT || h->pieces[k].kind == KEEP) &&
            !has_no_words(h, d, k, lo, hi))
            return false;
    return true;
}

/* Leaves out pieces before and after the words, and tags that are around them all. */
static void trim(const html *h, const ramus_document *d, int *lo, int *hi)
{
    for (;;) {
        while (*lo < *hi && has_no_words(h, d, *lo, *lo, *hi))
            ++*lo;
        while (*lo < *hi && has_no_words(h, d, *hi - 1, *lo, *hi))
            --*hi;
        if (*lo == *hi) return;
        const int close = h->pieces[*lo].pair, open = h->pieces[*hi - 1].pair;
        if (open == *lo)
            ++*lo, --*hi;
        else if (close >= 0 && is_empty_pair(h, d, *lo, close + 1))
            *lo = close + 1;
        else if (open >= 0 && is_empty_pair(h, d, open, *hi))
            *hi = open;
        else
            return;
    }
}

/* Adds blocks for the attributes of the pieces lo .. hi - 1. `inside`: as in html_attributes.h. */
static void add_attributes(const html *h, const ramus_document *d, ramus_blocks *out, int lo,
                           int hi, size_t inside)
{
    for (int k = lo; k < hi; k++) {
        if (!h->pieces[k].translated) continue;
        const ramus_markup_token tag =
            ramus_markup_next(d->data, d->size, h->pieces[k].from, RAMUS_HTML);
        ramus_attribute a = {0};
        while (ramus_html_attribute_next(&a, d->data, &tag))
            ramus_html_attribute_add(out, d->data, &a, inside);
    }
}

/* The text of a piece that is kept goes to h->scratch.texts. */
static void read_kept(html *h, const ramus_document *d, const piece *p)
{
    ramus_blocks_clear(&h->scratch);
    ramus_blocks_begin(&h->scratch, 0);
    ramus_markup_text text = {.blocks = &h->scratch, .markup = RAMUS_HTML, .collapse = true};
    for (size_t at = p->from; at < p->to;) {
        const ramus_markup_token t = ramus_markup_next(d->data, p->to, at, RAMUS_HTML);
        if (t.kind == RAMUS_MARKUP_TEXT)
            ramus_markup_text_add(&text, d->data + t.from, t.to - t.from);
        at = t.to;
    }
}

/* Adds a tag or the like. A picture between two spaces takes the second one with it, as white space
 * beside marks stands once in the text. */
static void add_mark(const html *h, const ramus_document *d, ramus_markup_text *text, int lo,
                     int hi, const piece *p)
{
    const bool paired = p->pair >= lo && p->pair < hi;
    size_t size = p->to - p->from;
    const bool last = p == &h->pieces[hi - 1], spaced = text->space || !text->word;
    if (!paired && !last && spaced && ramus_markup_is_space(d->data[p->to])) size++;
    ramus_markup_text_mark(text,
                           !paired           ? RAMUS_MARK_POINT
                           : p->kind == OPEN ? RAMUS_MARK_OPEN
                                             : RAMUS_MARK_CLOSE,
                           d->data + p->from, size);
}

static void add_piece(html *h, const ramus_document *d, ramus_markup_text *text, int lo, int hi,
                      const piece *p)
{
    const char *raw = d->data + p->from;
    const size_t size = p->to - p->from;
    if (p->kind == KEEP) read_kept(h, d, p);
    if (p->kind == TEXT)
        ramus_markup_text_add(text, raw, size);
    else if (p->kind == KEEP && h->scratch.texts.size)
        ramus_markup_text_keep(text, h->scratch.texts.data, h->scratch.texts.size, raw, size);
    else
        add_mark(h, d, text, lo, hi, p);
}

/* Adds a block for the words of the pieces lo .. hi - 1, and blocks for their attributes. */
static void add_block(html *h, const ramus_document *d, ramus_blocks *out, int lo, int hi)
{
    const int first = lo, last = hi;
    trim(h, d, &lo, &hi);
    add_attributes(h, d, out, first, lo, 0);
    if (lo < hi) {
        size_t from = h->pieces[lo].from, to = h->pieces[hi - 1].to;
        while (ramus_markup_is_space(d->data[from]))
            from++;
        while (ramus_markup_is_space(d->data[to - 1]))
            to--;
        ramus_markup_text text = {.blocks = out, .markup = RAMUS_HTML, .collapse = true};
        const int block = out->n;
        ramus_blocks_begin(out, from);
        for (int k = lo; k < hi; k++)
            add_piece(h, d, &text, lo, hi, &h->pieces[k]);
        const bool words = ramus_blocks_end(out, to, 0);
        add_attributes(h, d, out, lo, hi, words ? from + 1 : 0);
        if (words && out->n > block + 1) { // attributes come first
            const ramus_block moved = out->items[block];
            memmove(&out->items[block], &out->items[block + 1],
                    (size_t)(out->n - 1 - block) * sizeof moved);
            out->items[out->n - 1] = moved;
        }
    }
    add_attributes(h, d, out, hi, last, 0);
}

/* Whether there are several links with no words between them: a menu, not a sentence. */
static bool is_menu(html *h, const ramus_document *d, int lo, int hi)
{
    int links = 0;
    ramus_blocks_clear(&h->scratch);
    ramus_blocks_begin(&h->scratch, 0);
    ramus_markup_text text = {.blocks = &h->scratch, .markup = RAMUS_HTML, .collapse = true};
    for (int k = lo; k < hi; k++) {
        const piece *p = &h->pieces[k];
        if (p->kind == KEEP) return false;
        if (p->kind == TEXT) ramus_markup_text_add(&text, d->data + p->from, p->to - p->from);
        if (p->kind != OPEN || p->pair < 0) continue;
        const ramus_markup_token t = ramus_markup_next(d->data, d->size, p->from, RAMUS_HTML);
        links += ramus_markup_is(d->data + t.name, t.name_size, "a");
        k = p->pair;
    }
    return links > 1 && !ramus_blocks_end(&h->scratch, 0, 0);
}

static void add_paragraph(html *h, const ramus_document *d, ramus_blocks *out)
{
    int lo = 0, hi = h->n;
    trim(h, d, &lo, &hi);
    if (!is_menu(h, d, lo, hi)) {
        add_block(h, d, out, 0, h->n);
        return;
    }
    for (int k = 0; k < h->n; k++) {
        const int close = h->pieces[k].pair;
        add_attributes(h, d, out, k, k + 1, 0);
        if (k < lo || k >= hi || close <= k) continue;
        add_block(h, d, out, k + 1, close);
        k = close;
    }
}

/* Passes over one item outside of texts. */
static void pass_item(html *h, const ramus_document *d, ramus_blocks *out, size_t *to)
{
    const item i = next_item(d, d->at);
    if (is_start(&i)) {
        ramus_html_tree_imply(&h->tree, i.element);
        if (ramus_html_tree_translate_tag(&h->tree, d->data, &i.token) == RAMUS_HTML_YES) {
            h->pieces[0] = (piece){.from = i.token.from, .pair = -1, .translated = true};
            add_attributes(h, d, out, 0, 1, 0);
            h->pieces[0] =
                (piece){.kind = TEXT, .from = i.content, .to = i.content_end, .pair = -1};
            if (i.element->kind == RAMUS_HTML_TITLE &&
                i.content_end - i.content <= RAMUS_BLOCK_BYTES)
                add_block(h, d, out, 0, 1);
        }
    }
    follow(h, d, &i, -1);
    *to = i.to;
}

static ramus_status read_html(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    html *h = d->state;
    size_t to = d->at;
    h->n = 0;
    ramus_status st = RAMUS_LIST_RESERVE(h->pieces, h->room, 1, "a paragraph", err);
    if (!st && ramus_html_tree_translate(&h->tree) == RAMUS_HTML_YES)
        st = read_pieces(h, d, &to, err);
    if (st) return st;
    if (h->n)
        add_paragraph(h, d, out);
    else
        pass_item(h, d, out, &to);
    d->at = to;
    return ramus_blocks_check(&h->scratch, err);
}

static void write_html(const ramus_document *d, const ramus_block *block,
                       const ramus_marked *translation, ramus_buffer *out)
{
    html *h = d->state;
    const size_t start = out->size;
    if (!ramus_html_attribute_write(&h->written, d, block, translation, out)) {
        const ramus_marked *m = translation;
        size_t at = 0;
        for (int i = 0; i < m->n_marks; i++) {
            const ramus_mark *mark = &m->marks[i];
            const char *raw = m->raws + mark->raw;
            ramus_markup_escape_html(out, m->text + at, mark->at - at);
            if (mark->kind == RAMUS_MARK_KEEP)
                ramus_buffer_add(out, raw, mark->raw_size);
            else
                ramus_html_tag_write(&h->written, d, raw, mark->raw_size, out);
            at = mark->at + mark->size;
        }
        ramus_markup_escape_html(out, m->text + at, m->size - at);
    }
    if (h->ascii && out->size > start) ramus_html_make_ascii(out, start, &h->ascii_text);
}

static ramus_status open_html(ramus_document *d, ramus_error *err)
{
    html *h = d->state;
    if (d->size >= 3 && memcmp(d->data, "\xEF\xBB\xBF", 3) == 0) {
        d->at = 3;
    } else {
        const ramus_status st = ramus_html_charset(&h->ascii, d->data, d->size, err);
        if (st) return st;
    }
    h->xml = d->size - d->at > 5 && memcmp(d->data + d->at, "<?xml", 5) == 0;
    return RAMUS_OK;
}

static void close_html(ramus_document *d)
{
    html *h = d->state;
    free(h->pieces);
    ramus_blocks_free(&h->scratch);
    ramus_buffer_free(&h->ascii_text);
    ramus_html_written_free(&h->written);
}

const ramus_format ramus_format_html = {
    .name = "html",
    .extensions = "html htm xhtml xht",
    .about = "web pages, and fragments of them",
    .state_size = sizeof(html),
    .open = open_html,
    .read = read_html,
    .write = write_html,
    .close = close_html,
};
