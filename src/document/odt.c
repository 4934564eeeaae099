/* The XML of OpenDocument: content.xml and styles.xml of an .odt. Spans and links are pairs, tabs
 * and line breaks are cuts, fields keep their text. A note stands inside of the paragraph that it
 * belongs to, and so does what is said of a picture: the row odt translates these, odt-outer the
 * paragraphs around them. */
#include "document/breaks.h"
#include "document/formats.h"
#include "document/inlines.h"
#include "document/markup.h"

#include <string.h>

#define FIELD_BYTES 100 // a field with more text is not shown to the model

typedef struct odt_state {
    ramus_paragraphs paragraphs;
    ramus_inlines inlines;
} odt_state;

static bool is_named(const ramus_document *d, const ramus_markup_token *t, const char *name)
{
    return ramus_markup_is(d->data + t->name, t->name_size, name);
}

static bool is_pair(const ramus_document *d, const ramus_markup_token *t)
{
    return is_named(d, t, "text:span") || is_named(d, t, "text:a") || is_named(d, t, "text:meta");
}

/* An element that is not looked into. */
static size_t add_element(const ramus_document *d, const ramus_markup_token *t, size_t to,
                          ramus_inlines *l)
{
    const size_t end =
        t->kind == RAMUS_MARKUP_OPEN ? ramus_element_end(d->data, to, t->from) : t->to;
    ramus_inline *x =
        ramus_inlines_add(l, RAMUS_INLINE_MARK, t->from, end, d->data + t->from, end - t->from);
    if (!x) return end;
    if (is_named(d, t, "text:tab") || is_named(d, t, "text:line-break")) x->mark = RAMUS_MARK_CUT;
    x->space = is_named(d, t, "text:s");
    x->line = is_named(d, t, "text:line-break");
    const ramus_markup_token text = ramus_markup_next(d->data, end, t->to, RAMUS_XML);
    const ramus_markup_token close = ramus_markup_next(d->data, end, text.to, RAMUS_XML);
    if (t->kind != RAMUS_MARKUP_OPEN || text.kind != RAMUS_MARKUP_TEXT || close.to != end ||
        close.kind != RAMUS_MARKUP_CLOSE || text.to - text.from > FIELD_BYTES)
        return end;
    x->mark = RAMUS_MARK_KEEP;
    x->text = text.from;
    x->size = text.to - text.from;
    return end;
}

/* Lists what stands in data[from .. to). */
static void list_inlines(const ramus_document *d, size_t from, size_t to, ramus_inlines *l)
{
    ramus_inlines_clear(l);
    for (size_t at = from; at < to && !l->failed;) {
        const ramus_markup_token t = ramus_markup_next(d->data, to, at, RAMUS_XML);
        const char *raw = d->data + t.from;
        at = t.to;
        if (t.kind == RAMUS_MARKUP_TEXT) {
            ramus_inline *x = ramus_inlines_add(l, RAMUS_INLINE_TEXT, t.from, t.to, NULL, 0);
            size_t first = t.from, end = t.to;
            ramus_trim(d->data, &first, &end);
            if (!x) return;
            x->text = t.from;
            x->size = t.to - t.from;
            x->word = end > first;
        } else if (t.kind == RAMUS_MARKUP_OPEN && is_pair(d, &t)) {
            (void)ramus_inlines_open(l, t.from, t.to, raw, t.to - t.from);
        } else if (t.kind == RAMUS_MARKUP_CLOSE) {
            (void)ramus_inlines_close(l, t.from, t.to, raw, t.to - t.from);
        } else {
            at = add_element(d, &t, to, l);
        }
    }
}

static void add_inline(const ramus_document *d, const ramus_inlines *l, const ramus_inline *x,
                       ramus_markup_text *out)
{
    static const ramus_mark_kind kinds[] = {
        [RAMUS_INLINE_OPEN] = RAMUS_MARK_OPEN, [RAMUS_INLINE_CLOSE] = RAMUS_MARK_CLOSE};
    const char *raw = l->raws.data + x->raw;
    if (x->kind == RAMUS_INLINE_TEXT) {
        ramus_markup_text_add(out, d->data + x->text, x->size);
    } else if (x->kind != RAMUS_INLINE_MARK) {
        ramus_markup_text_mark(out, kinds[x->kind], raw, x->raw_size);
    } else if (x->mark == RAMUS_MARK_KEEP) {
        ramus_markup_text_keep(out, d->data + x->text, x->size, raw, x->raw_size);
    } else if (x->space && out->word && !out->space) {
        ramus_markup_text_add(out, " ", 1); // <text:s/> behind no other space
    } else {
        if (x->mark == RAMUS_MARK_CUT) {
            const char *space = ramus_inlines_cut(d, l, x);
            ramus_blocks_text(out->blocks, space, strlen(space));
            out->space = out->word = false;
        }
        ramus_markup_text_mark(out, x->mark, raw, x->raw_size);
    }
}

static ramus_status read_paragraph(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    odt_state *s = d->state;
    ramus_inlines *l = &s->inlines;
    size_t from = 0, to = 0;
    int first = 0, last = 0;
    if (!ramus_paragraphs_next(&s->paragraphs, d, &from, &to)) return RAMUS_OK;
    list_inlines(d, from, to, l);
    if (l->failed) return ramus_fail_memory(err, "a paragraph");
    if (!ramus_inlines_trim(l, &first, &last)) return RAMUS_OK;
    from = l->items[first].from;
    to = l->items[last].to;
    ramus_trim(d->data, &from, &to);
    ramus_blocks_begin(out, from);
    ramus_markup_text text = {.blocks = out, .markup = RAMUS_XML, .collapse = true};
    for (int i = first; i <= last; i++)
        add_inline(d, l, &l->items[i], &text);
    (void)ramus_blocks_end(out, to, 0);
    return RAMUS_OK;
}

static void write_paragraph(const ramus_document *d, const ramus_block *block,
                            const ramus_marked *translation, ramus_buffer *out)
{
    (void)d;
    (void)block;
    ramus_breaks_write(translation, ramus_markup_escape_xml, out);
}

static ramus_status open_content(ramus_document *d, bool outer, ramus_error *err)
{
    odt_state *s = d->state;
    s->paragraphs = (ramus_paragraphs){
        {"text:p", "text:h", "svg:title", "svg:desc"}, "text:tracked-changes", outer};
    return ramus_paragraphs_check(d, err);
}

static ramus_status open_inner(ramus_document *d, ramus_error *err)
{
    return open_content(d, false, err);
}

static ramus_status open_outer(ramus_document *d, ramus_error *err)
{
    return open_content(d, true, err);
}

static void close_content(ramus_document *d)
{
    odt_state *s = d->state;
    ramus_inlines_free(&s->inlines);
}

const ramus_format ramus_format_odt = {
    .name = "odt",
    .extensions = "odt ott",
    .alone = true,
    .state_size = sizeof(odt_state),
    .open = open_inner,
    .read = read_paragraph,
    .write = write_paragraph,
    .close = close_content,
};

const ramus_format ramus_format_odt_outer = {
    .name = "odt-outer",
    .extensions = "",
    .state_size = sizeof(odt_state),
    .open = open_outer,
    .read = read_paragraph,
    .write = write_paragraph,
    .close = close_content,
};
