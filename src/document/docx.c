/* WordprocessingML: word/document.xml and its like in a .docx. Text stands in runs, each with its
 * format. Runs of one format are one text; a run of another format than the first one is a pair,
 * as are links, fields and insertions. All else is written back as a run of its own. When a
 * paragraph is written, its source is listed again for the format of its first run. */
#include "document/breaks.h"
#include "document/docx_list.h"
#include "document/formats.h"
#include "document/markup.h"

#include <stdlib.h>
#include <string.h>

typedef struct docx_state {
    ramus_paragraphs paragraphs;
    ramus_inlines inlines;
} docx_state;

/* The text of an inline without white space at the ends of the block. */
static void add_text(const ramus_document *d, const ramus_inline *x, bool first, bool last,
                     ramus_markup_text *out)
{
    size_t from = x->text, to = x->text + x->size, begin = from, end = to;
    if (from == 0) {
        ramus_markup_text_add(out, RAMUS_DOCX_HYPHEN, strlen(RAMUS_DOCX_HYPHEN));
        return;
    }
    ramus_trim(d->data, &begin, &end);
    if (first) from = begin;
    if (last) to = end;
    ramus_markup_text_add(out, d->data + from, to - from);
}

static void add_mark(const ramus_document *d, const ramus_inlines *l, const ramus_inline *x,
                     ramus_markup_text *out)
{
    const char *raw = l->raws.data ? l->raws.data + x->raw : "";
    const ramus_mark_kind kind = x->kind == RAMUS_INLINE_MARK   ? x->mark
                                 : x->kind == RAMUS_INLINE_OPEN ? RAMUS_MARK_OPEN
                                                                : RAMUS_MARK_CLOSE;
    if (kind == RAMUS_MARK_CUT) {
        const char *space = ramus_inlines_cut(d, l, x);
        ramus_blocks_text(out->blocks, space, strlen(space));
    }
    ramus_markup_text_mark(out, kind, raw, x->raw_size);
}

/* Pairs of format: `link` is the one around all of a link or the like, if its first word has
 * another format than the block; `words` is around some words. NULL: there is none. */
typedef struct formats {
    const ramus_inline *base, *link, *words; // the word that each began with
    bool begins;                             // a link has begun, and no word of it came
} formats;

static void close_formats(formats *f, bool link, ramus_markup_text *out)
{
    if (f->words) ramus_markup_text_mark(out, RAMUS_MARK_CLOSE, NULL, 0);
    if (f->link && link) ramus_markup_text_mark(out, RAMUS_MARK_CLOSE, NULL, 0);
    f->words = NULL;
    if (link) f->link = NULL;
}

/* Makes the format of text that of the word x. */
static void set_format(formats *f, const ramus_inlines *l, const ramus_inline *x,
                       ramus_markup_text *out)
{
    if (!f->base) f->base = x;
    if (f->words && !ramus_docx_same_format(l, x, f->words)) close_formats(f, false, out);
    const ramus_inline *now = f->words ? f->words : f->link ? f->link : f->base;
    if (!ramus_docx_same_format(l, x, now)) {
        const char *format = x->format_size ? l->formats.data + x->format : NULL;
        ramus_markup_text_mark(out, RAMUS_MARK_OPEN, format, x->format_size);
        *(f->begins ? &f->link : &f->words) = x;
    }
    f->begins = false;
}

/* Adds the inlines first .. last to a block. */
static void add_inlines(const ramus_document *d, const ramus_inlines *l, int first, int last,
                        ramus_blocks *out)
{
    ramus_markup_text text = {.blocks = out, .markup = RAMUS_XML};
    formats f = {0};
    for (int i = first; i <= last; i++) {
        const ramus_inline *x = &l->items[i];
        if (x->kind == RAMUS_INLINE_OPEN || x->kind == RAMUS_INLINE_CLOSE) {
            close_formats(&f, true, &text);
            f.begins = x->kind == RAMUS_INLINE_OPEN;
        }
        if (x->word) set_format(&f, l, x, &text);
        if (x->kind == RAMUS_INLINE_TEXT)
            add_text(d, x, i == first, i == last, &text);
        else
            add_mark(d, l, x, &text);
    }
    close_formats(&f, true, &text);
}

static ramus_status read_paragraph(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    docx_state *s = d->state;
    ramus_inlines *l = &s->inlines;
    size_t from = 0, to = 0;
    int first = 0, last = 0;
    if (!ramus_paragraphs_next(&s->paragraphs, d, &from, &to)) return RAMUS_OK;
    ramus_docx_list(d, from, to, l);
    if (l->failed) return ramus_fail_memory(err, "a paragraph");
    if (l->strange || !ramus_inlines_trim(l, &first, &last)) return RAMUS_OK;
    // The place of a block begins with a run or a pair. A field begins inside of a run.
    const ramus_inline *a = &l->items[first], *z = &l->items[last];
    while (a->kind == RAMUS_INLINE_OPEN && a->run && first > 0 && a[-1].run == a->run)
        a = &l->items[--first];
    while (z->kind == RAMUS_INLINE_CLOSE && z->run && last + 1 < l->n && z[1].run == z->run)
        z = &l->items[++last];
    from = a->run ? a->run : a->from;
    to = z->run && !z->word ? z->run_to : z->to;
    if (to <= from) return RAMUS_OK; // a tag is missing
    ramus_blocks_begin(out, from);
    add_inlines(d, l, first, last, out);
    (void)ramus_blocks_end(out, to, 0);
    return RAMUS_OK;
}

typedef struct format {
    const char *text;
    size_t size;
} format;

/* What is written for a block: runs that begin when there is text of another format. */
typedef struct writer {
    ramus_buffer *out;
    bool run, piece; // there is an open run, an open <w:t>
    format open;     // of that run
    format *wanted;  // of text that comes: wanted[top]; one below for each OPEN around it
    int top;
} writer;

static void close_run(writer *w)
{
    if (w->piece) ramus_buffer_text(w->out, "</w:t>");
    if (w->run) ramus_buffer_text(w->out, "</w:r>");
    w->piece = w->run = false;
}

static void open_run(writer *w, format f)
{
    if (w->run && w->open.size == f.size &&
        (f.size == 0 || memcmp(w->open.text, f.text, f.size) == 0))
        return;
    close_run(w);
    ramus_buffer_text(w->out, "<w:r>");
    if (f.size) ramus_buffer_add(w->out, f.text, f.size);
    w->open = f;
    w->run = true;
}

static void open_piece(writer *w)
{
    if (!w->piece) ramus_buffer_text(w->out, "<w:t xml:space=\"preserve\">");
    w->piece = true;
}

static void write_text(writer *w, const char *text, size_t size)
{
    if (size == 0) return;
    open_piece(w);
    ramus_markup_escape_xml(w->out, text, size);
}

/* An OPEN of a format has <w:rPr>, or nothing, for raw bytes, and its CLOSE nothing. */
static void write_mark(writer *w, const ramus_mark *mark, const char *raws)
{
    const char *raw = mark->raw_size ? raws + mark->raw : NULL;
    const bool is_format = !raw || (mark->raw_size > 7 && memcmp(raw, "<w:rPr>", 7) == 0);
    if (mark->kind == RAMUS_MARK_OPEN) {
        w->wanted[w->top + 1] = is_format ? (format){raw, mark->raw_size} : w->wanted[w->top];
        w->top++;
    } else if (mark->kind == RAMUS_MARK_CLOSE && w->top > 0) {
        w->top--;
    }
    if (is_format) return;
    if (mark->kind == RAMUS_MARK_KEEP) { // a reference that only the document explains
        open_run(w, w->wanted[w->top]);
        open_piece(w);
    } else {
        close_run(w);
    }
    ramus_buffer_add(w->out, raw, mark->raw_size);
}

static void write_translation(writer *w, const ramus_marked *translation)
{
    for (ramus_breaks b = {.marked = translation}; ramus_breaks_next(&b);) {
        if (b.size) open_run(w, w->wanted[w->top]);
        write_text(w, b.text, b.size);
        if (b.mark) write_mark(w, b.mark, translation->raws);
    }
}

/* Writes the beginning of the run that the block begins in, up to its first word. */
static void write_begin(writer *w, const char *data, size_t from, const ramus_inline *first)
{
    size_t text = first->text, end = first->text + first->size;
    ramus_buffer_add(w->out, data + from, first->from - from);
    w->run = true;
    w->open = w->wanted[0];
    ramus_trim(data, &text, &end);
    write_text(w, data + first->text, text - first->text);
}

/* Writes the end of the run that the block ends in; what closes it stands behind the block. */
static void write_end(writer *w, const char *data, const ramus_inline *last)
{
    size_t text = last->text, end = last->text + last->size;
    ramus_trim(data, &text, &end);
    if (!w->run) open_run(w, w->wanted[0]);
    write_text(w, data + end, last->text + last->size - end);
    if (w->piece) ramus_buffer_text(w->out, "</w:t>");
}

static void write_paragraph(const ramus_document *d, const ramus_block *block,
                            const ramus_marked *translation, ramus_buffer *out)
{
    ramus_inlines l = {0};
    writer w = {.out = out, .wanted = calloc((size_t)translation->n_marks + 1, sizeof *w.wanted)};
    int first = 0, last = 0;
    ramus_docx_list(d, block->from, block->to, &l);
    if (!w.wanted || l.failed) {
        out->failed = true;
    } else if (ramus_inlines_trim(&l, &first, &last)) {
        const ramus_inline *a = &l.items[first], *z = &l.items[last], *base = a;
        while (!base->word)
            base++;
        w.wanted[0] =
            (format){base->format_size ? l.formats.data + base->format : NULL, base->format_size};
        if (a->kind == RAMUS_INLINE_TEXT) write_begin(&w, d->data, block->from, a);
        write_translation(&w, translation);
        if (z->kind == RAMUS_INLINE_TEXT)
            write_end(&w, d->data, z);
        else
            close_run(&w);
    }
    ramus_inlines_free(&l);
    free(w.wanted);
}

static ramus_status open_part(ramus_document *d, bool outer, ramus_error *err)
{
    docx_state *s = d->state;
    s->paragraphs = (ramus_paragraphs){{"w:p"}, NULL, outer};
    return ramus_paragraphs_check(d, err);
}

static ramus_status open_inner(ramus_document *d, ramus_error *err)
{
    return open_part(d, false, err);
}

static ramus_status open_outer(ramus_document *d, ramus_error *err)
{
    return open_part(d, true, err);
}

static void close_part(ramus_document *d)
{
    docx_state *s = d->state;
    ramus_inlines_free(&s->inlines);
}

const ramus_format ramus_format_docx = {
    .name = "docx",
    .extensions = "docx dotx docm",
    .alone = true,
    .state_size = sizeof(docx_state),
    .open = open_inner,
    .read = read_paragraph,
    .write = write_paragraph,
    .close = close_part,
};

const ramus_format ramus_format_docx_outer = {
    .name = "docx-outer",
    .extensions = "",
    .state_size = sizeof(docx_state),
    .open = open_outer,
    .read = read_paragraph,
    .write = write_paragraph,
    .close = close_part,
};
