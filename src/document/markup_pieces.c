/* A piece without a pair among those that are put becomes a POINT, so that what is put is nested.
 * Nothing here depends on what the tags mean. */
#include "document/markup_pieces.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

void ramus_pieces_free(ramus_pieces *p)
{
    free(p->items);
    ramus_blocks_free(&p->scratch);
    *p = (ramus_pieces){0};
}

ramus_status ramus_pieces_add(ramus_pieces *p, const ramus_piece *piece, ramus_error *err)
{
    const ramus_status st =
        RAMUS_LIST_RESERVE(p->items, p->room, (size_t)p->n + 1, "a paragraph", err);
    if (st) return st;
    if (piece->kind == RAMUS_PIECE_CLOSE && piece->pair >= 0) p->items[piece->pair].pair = p->n;
    p->items[p->n++] = *piece;
    return RAMUS_OK;
}

/* Whether a piece is white space, or a tag without a pair among the pieces lo .. hi - 1. */
static bool has_no_words(const ramus_pieces *p, int k, int lo, int hi)
{
    const ramus_piece *x = &p->items[k];
    if (x->kind == RAMUS_PIECE_KEEP) return false;
    const bool cdata = x->kind == RAMUS_PIECE_CDATA;
    if (x->kind != RAMUS_PIECE_TEXT && !cdata) return x->pair < lo || x->pair >= hi;
    for (size_t i = cdata ? x->text_from : x->from; i < (cdata ? x->text_to : x->to); i++)
        if (!ramus_markup_is_space(p->data[i])) return false;
    return true;
}

/* Whether the tags at pieces lo and hi - 1 are a pair without words in it. */
static bool is_empty_pair(const ramus_pieces *p, int lo, int hi)
{
    if (p->items[lo].kind != RAMUS_PIECE_OPEN || p->items[lo].pair != hi - 1) return false;
    for (int k = lo + 1; k < hi - 1; k++) {
        const ramus_piece_kind kind = p->items[k].kind;
        const bool tag = kind == RAMUS_PIECE_OPEN || kind == RAMUS_PIECE_CLOSE;
        if (!tag && !has_no_words(p, k, lo, hi)) return false;
    }
    return true;
}

void ramus_pieces_trim(const ramus_pieces *p, int *lo, int *hi)
{
    for (;;) {
        while (*lo < *hi && has_no_words(p, *lo, *lo, *hi))
            ++*lo;
        while (*lo < *hi && has_no_words(p, *hi - 1, *lo, *hi))
            --*hi;
        if (*lo == *hi) return;
        const int close = p->items[*lo].pair, open = p->items[*hi - 1].pair;
        if (open == *lo)
            ++*lo, --*hi;
        else if (close >= 0 && is_empty_pair(p, *lo, close + 1))
            *lo = close + 1;
        else if (open >= 0 && is_empty_pair(p, open, *hi))
            *hi = open;
        else
            return;
    }
}

void ramus_pieces_place(const ramus_pieces *p, int lo, int hi, size_t *from, size_t *to)
{
    *from = p->items[lo].from;
    *to = p->items[hi - 1].to;
    while (ramus_markup_is_space(p->data[*from]))
        ++*from;
    while (ramus_markup_is_space(p->data[*to - 1]))
        --*to;
}

/* Begins a block in p->scratch, for its text. */
static ramus_markup_text begin_scratch(ramus_pieces *p)
{
    ramus_blocks_clear(&p->scratch);
    ramus_blocks_begin(&p->scratch, 0);
    return (ramus_markup_text){.blocks = &p->scratch, .markup = p->markup, .collapse = true};
}

bool ramus_pieces_have_words_outside(ramus_pieces *p, int lo, int hi)
{
    ramus_markup_text text = begin_scratch(p);
    for (int k = lo; k < hi; k++) {
        const ramus_piece *x = &p->items[k];
        if (x->kind == RAMUS_PIECE_TEXT)
            ramus_markup_text_add(&text, p->data + x->from, x->to - x->from);
        else if (x->kind == RAMUS_PIECE_OPEN && x->pair >= 0)
            k = x->pair;
    }
    return ramus_blocks_end(&p->scratch, 0, 0);
}

/* The text of a piece that is kept goes to p->scratch.texts. */
static void read_kept(ramus_pieces *p, const ramus_piece *x)
{
    ramus_markup_text text = begin_scratch(p);
    for (size_t at = x->text_from; at < x->text_to;) {
        const ramus_markup_token t = ramus_markup_next(p->data, x->text_to, at, p->markup);
        if (t.kind == RAMUS_MARKUP_TEXT)
            ramus_markup_text_add(&text, p->data + t.from, t.to - t.from);
        at = t.to;
    }
}

/* Adds text whose line breaks, with the white space around them, are CUT marks. */
static void put_lines(ramus_markup_text *text, const char *data, size_t size)
{
    size_t done = 0;
    for (size_t at = 0; at < size; at++) {
        if (data[at] != '\n') continue;
        size_t from = at, to = at;
        while (from > done && ramus_markup_is_space(data[from - 1]))
            from--;
        while (to < size && ramus_markup_is_space(data[to]))
            to++;
        ramus_markup_text_add(text, data + done, from - done);
        if (text->word) {
            text->space = true;
            ramus_markup_text_mark(text, RAMUS_MARK_CUT, data + from, to - from);
        }
        done = to;
        at = to - 1;
    }
    ramus_markup_text_add(text, data + done, size - done);
}

/* Pieces that become a block. */
typedef struct putting {
    ramus_pieces *pieces;
    ramus_markup_text text;
    int lo, hi;
    size_t from, to; // of their words
} putting;

/* Adds a tag or the like. What stands between two spaces takes the second one with it, as white
 * space beside marks stands once in the text. */
static void put_mark(putting *b, int k)
{
    const ramus_piece *x = &b->pieces->items[k];
    const char *raw = b->pieces->data + x->from;
    const bool paired = x->pair >= b->lo && x->pair < b->hi;
    const bool spaced = b->text.space || !b->text.word;
    size_t size = x->to - x->from;
    if (!paired && k < b->hi - 1 && spaced && ramus_markup_is_space(raw[size])) size++;
    ramus_markup_text_mark(&b->text,
                           !paired                       ? RAMUS_MARK_POINT
                           : x->kind == RAMUS_PIECE_OPEN ? RAMUS_MARK_OPEN
                                                         : RAMUS_MARK_CLOSE,
                           raw, size);
}

static void put_piece(putting *b, int k)
{
    ramus_pieces *p = b->pieces;
    const ramus_piece *x = &p->items[k];
    const size_t from = x->from > b->from ? x->from : b->from, to = x->to < b->to ? x->to : b->to;
    const char *raw = p->data + from;
    if (x->kind == RAMUS_PIECE_KEEP) read_kept(p, x);
    if (x->kind == RAMUS_PIECE_TEXT && p->lines)
        put_lines(&b->text, raw, to - from);
    else if (x->kind == RAMUS_PIECE_TEXT)
        ramus_markup_text_add(&b->text, raw, to - from);
    else if (x->kind == RAMUS_PIECE_CDATA)
        ramus_markup_text_plain(&b->text, p->data + x->text_from, x->text_to - x->text_from);
    else if (x->kind == RAMUS_PIECE_KEEP && p->scratch.texts.size)
        ramus_markup_text_keep(&b->text, p->scratch.texts.data, p->scratch.texts.size, raw,
                               to - from);
    else
        put_mark(b, k);
}

bool ramus_pieces_put(ramus_pieces *p, int lo, int hi, size_t from, size_t to, int form,
                      ramus_blocks *out)
{
    putting b = {.pieces = p,
                 .text = {.blocks = out, .markup = p->markup, .collapse = true},
                 .lo = lo,
                 .hi = hi};
    ramus_pieces_place(p, lo, hi, &b.from, &b.to);
    ramus_blocks_begin(out, from);
    for (int k = lo; k < hi; k++)
        put_piece(&b, k);
    return ramus_blocks_end(out, to, form);
}
