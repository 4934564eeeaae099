/* Blocks of a text of Markdown whose lines were gathered: the text is parsed, cut at hard breaks
 * and at the tags of HTML blocks, and what stands at both ends of a part is left out of its block.
 */
#include "document/markdown.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

void ramus_md_text_free(ramus_md_text *t)
{
    ramus_buffer_free(&t->text);
    ramus_buffer_free(&t->written);
    ramus_buffer_free(&t->flags);
    ramus_buffer_free(&t->escaped);
    ramus_md_inline_free(&t->parser);
    free(t->lines);
    free(t->opens);
    *t = (ramus_md_text){0};
}

void ramus_md_text_clear(ramus_md_text *t)
{
    ramus_buffer_clear(&t->text);
    t->n_lines = 0;
    t->failed = false;
}

void ramus_md_text_add(ramus_md_text *t, const ramus_document *d, size_t from, size_t to)
{
    if (t->failed ||
        RAMUS_LIST_RESERVE(t->lines, t->line_room, (size_t)t->n_lines + 1, "lines", NULL)) {
        t->failed = true;
        return;
    }
    if (t->n_lines) ramus_buffer_text(&t->text, "\n");
    t->lines[t->n_lines++] = (ramus_md_line){t->text.size, from};
    ramus_buffer_add(&t->text, d->data + from, to - from);
}

/* Where a byte of the text is in the document. */
static size_t place(const ramus_md_text *t, size_t at)
{
    int low = 0, high = t->n_lines - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (t->lines[middle].at <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return t->lines[low].from + (at - t->lines[low].at);
}

static size_t place_of_end(const ramus_md_text *t, size_t at)
{
    return at ? place(t, at - 1) + 1 : place(t, at);
}

/* Pieces i to j of the text, and its bytes a to b. */
typedef struct part {
    int i, j;
    size_t a, b;
    int form;
} part;

typedef struct maker {
    ramus_md_text *t;
    const ramus_md_piece *pieces;
    const char *text;
    const ramus_document *d;
    ramus_blocks *out;
} maker;

static bool is_alone(const ramus_md_piece *p, const part *x)
{
    if (p->kind == RAMUS_MD_POINT) return true;
    if (p->kind != RAMUS_MD_OPEN && p->kind != RAMUS_MD_CLOSE) return false;
    return p->pair < x->i || p->pair >= x->j;
}

/* Takes white space, points and pairs around all of it off both ends. */
static void trim(const maker *k, part *x)
{
    for (;;) {
        while (x->a < x->b && ramus_md_is_space(k->text[x->a]))
            x->a++;
        while (x->b > x->a && ramus_md_is_space(k->text[x->b - 1]))
            x->b--;
        while (x->i < x->j && k->pieces[x->i].to <= x->a)
            x->i++;
        while (x->i < x->j && k->pieces[x->j - 1].from >= x->b)
            x->j--;
        if (x->i == x->j) return;
        const ramus_md_piece *first = &k->pieces[x->i], *last = &k->pieces[x->j - 1];
        if (first->from == x->a && is_alone(first, x)) {
            x->a = first->to;
            x->i++;
        } else if (last->to == x->b && is_alone(last, x)) {
            x->b = last->from;
            x->j--;
        } else if (first->from == x->a && first->kind == RAMUS_MD_OPEN && last->to == x->b &&
                   first->pair == x->j - 1 && !last->is_label) {
            x->a = first->to;
            x->b = last->from;
            x->i++;
            x->j--;
        } else {
            return;
        }
        x->form &= ~(RAMUS_MD_FIRST | RAMUS_MD_LINE);
    }
}

static void add_keep(const maker *k, const ramus_md_piece *p, const char *raw, size_t raw_size)
{
    for (size_t i = p->from; i < p->to; i++)
        if (k->t->text.data[i] == '\n') k->t->text.data[i] = ' ';
    ramus_blocks_keep(k->out, k->text + p->from, p->to - p->from, raw, raw_size);
}

static void add_piece(const maker *k, const ramus_md_piece *p, part *x)
{
    const size_t from = place(k->t, p->from), to = place_of_end(k->t, p->to);
    const char *raw = k->d->data + from;
    size_t size = to - from;
    if (p->kind == RAMUS_MD_SOFT) { // its last byte is '\n': up to what the next line begins with
        const size_t next = place(k->t, p->to);
        ramus_blocks_text(k->out, " ", 1);
        ramus_blocks_mark(k->out, RAMUS_MARK_CUT, raw, next - from);
    } else if (p->kind == RAMUS_MD_KEEP) {
        add_keep(k, p, raw, size);
    } else if (p->kind == RAMUS_MD_ESCAPE) {
        ramus_blocks_text(k->out, k->text + p->from + 1, 1);
        x->form |= ramus_md_form_escaping(k->text[p->from + 1]);
    } else if (p->is_label) { // ramus_md_write() looks whether the text is still the name
        const ramus_md_piece *open = &k->pieces[p->pair];
        ramus_buffer *label = &k->t->written;
        const size_t begin = place_of_end(k->t, open->to);
        ramus_buffer_clear(label);
        ramus_buffer_text(label, p->to - p->from > 1 ? "\2" : "\1");
        ramus_buffer_add(label, k->d->data + begin, from - begin);
        if (!label->failed)
            ramus_blocks_mark(k->out, RAMUS_MARK_CLOSE, label->data, label->size);
        else
            k->out->failed = true;
    } else {
        const ramus_mark_kind kind = is_alone(p, x)             ? RAMUS_MARK_POINT
                                     : p->kind == RAMUS_MD_OPEN ? RAMUS_MARK_OPEN
                                                                : RAMUS_MARK_CLOSE;
        ramus_blocks_mark(k->out, kind, raw, size);
    }
}

static void make_block(const maker *k, part x)
{
    trim(k, &x);
    if (x.a == x.b) return;
    size_t at = x.a;
    ramus_blocks_begin(k->out, place(k->t, x.a));
    for (int i = x.i; i < x.j; i++) {
        const ramus_md_piece *p = &k->pieces[i];
        if (p->from > at) ramus_blocks_text(k->out, k->text + at, p->from - at);
        add_piece(k, p, &x);
        at = p->to;
    }
    if (x.b > at) ramus_blocks_text(k->out, k->text + at, x.b - at);
    (void)ramus_blocks_end(k->out, place_of_end(k->t, x.b), x.form);
}

static bool is_blank(const char *text, size_t from, size_t to)
{
    while (from < to && ramus_md_is_space(text[from]))
        from++;
    return from >= to;
}

/* Whether a part has pictures and no words beside them: badges. */
static bool is_pictures(const maker *k, const part *x)
{
    size_t at = x->a;
    bool any = false;
    for (int i = x->i; i < x->j; i++) {
        const ramus_md_piece *p = &k->pieces[i];
        if (!is_blank(k->text, at, p->from)) return false;
        if (p->kind == RAMUS_MD_OPEN && p->image && p->pair < x->j) {
            any = true;
            i = p->pair;
        }
        at = k->pieces[i].to;
    }
    return any && is_blank(k->text, at, x->b);
}

static void make_part(const maker *k, part x)
{
    if (!is_pictures(k, &x)) {
        make_block(k, x);
        return;
    }
    for (int i = x.i; i < x.j; i++) {
        const ramus_md_piece *p = &k->pieces[i];
        if (p->kind != RAMUS_MD_OPEN || !p->image || p->pair >= x.j) continue;
        const ramus_md_piece *end = &k->pieces[p->pair];
        if (!end->is_label)
            make_block(k, (part){i + 1, p->pair, p->to, end->from,
                                 x.form & ~(RAMUS_MD_FIRST | RAMUS_MD_LINE)});
        i = p->pair;
    }
}

bool ramus_md_blocks(ramus_md_text *t, const ramus_document *d, ramus_blocks *out, int form)
{
    ramus_md_inline *m = &t->parser;
    if (t->failed || t->text.failed) return false;
    if (!t->text.size) return true;
    m->text = t->text.data;
    m->size = t->text.size;
    m->html = form & RAMUS_MD_HTML;
    ramus_md_parse(m);
    if (m->failed) return false;
    const maker k = {t, m->pieces, m->text, d, out};
    part x = {0, 0, 0, 0, form};
    for (; x.j < m->n; x.j++) {
        const ramus_md_piece *p = &m->pieces[x.j];
        if (p->kind != RAMUS_MD_BREAK) continue;
        x.b = p->from;
        make_part(&k, x);
        x.i = x.j + 1;
        x.a = p->to;
        x.form &= ~(RAMUS_MD_FIRST | RAMUS_MD_LINE);
        if (m->text[p->to - 1] == '\n' && !m->html) x.form |= RAMUS_MD_LINE;
    }
    x.b = m->size;
    make_part(&k, x);
    return true;
}
