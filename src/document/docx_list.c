/* Tokens one by one, between runs and inside of them. A field is a pair around its result; what
 * says how it is computed, from its beginning to its separator, is added to the OPEN piece by
 * piece. The format of a run is its <w:rPr> without what does not matter to a reader. */
#include "document/docx_list.h"

#include "document/breaks.h"
#include "document/markup.h"

#include <string.h>

typedef struct lister {
    const char *data;
    size_t to; // the end of the paragraph
    ramus_inlines *l;
    size_t run;   // the beginning of the run that it is in; 0: between runs
    size_t piece; // the beginning of its <w:t>; 0: in none
    int fields;   // that have begun and have no separator yet
    size_t format, format_size;
} lister;

static bool is_named(const lister *s, const ramus_markup_token *t, const char *name)
{
    return ramus_markup_is(s->data + t->name, t->name_size, name);
}

static bool is_listed(const lister *s, const ramus_markup_token *t, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (is_named(s, t, names[i])) return true;
    return false;
}

bool ramus_docx_same_format(const ramus_inlines *l, const ramus_inline *a, const ramus_inline *b)
{
    return a->format_size == b->format_size &&
           (a->format == b->format ||
            memcmp(l->formats.data + a->format, l->formats.data + b->format, a->format_size) == 0);
}

/* Adds to the raw bytes of the last item. */
static void add_raw(lister *s, const char *raw, size_t size)
{
    ramus_buffer_add(&s->l->raws, raw, size);
    if (s->l->raws.failed) s->l->failed = true;
    if (s->l->n) s->l->items[s->l->n - 1].raw_size += size;
}

/* Adds data[from .. to), which stands in a run, as a run of its own. */
static void add_run(lister *s, size_t from, size_t to)
{
    add_raw(s, "<w:r>", 5);
    if (s->format_size) add_raw(s, s->l->formats.data + s->format, s->format_size);
    add_raw(s, s->data + from, to - from);
    add_raw(s, "</w:r>", 6);
}

static void set_run(const lister *s, ramus_inline *x)
{
    if (!x) return;
    x->run = s->run;
    x->format = s->format;
    x->format_size = s->format_size;
}

static void add_mark(lister *s, size_t from, size_t to, ramus_mark_kind kind)
{
    ramus_inline *x = ramus_inlines_add(s->l, RAMUS_INLINE_MARK, from, to, NULL, 0);
    if (!x) return;
    x->mark = kind;
    set_run(s, x);
    if (s->run)
        add_run(s, from, to);
    else
        add_raw(s, s->data + from, to - from);
}

static void add_cut(lister *s, const ramus_markup_token *t, size_t to)
{
    add_mark(s, t->from, to, RAMUS_MARK_CUT);
    if (s->l->n) s->l->items[s->l->n - 1].line = is_named(s, t, "w:br") || is_named(s, t, "w:cr");
}

static void add_text(lister *s, size_t from, size_t to)
{
    size_t first = from, end = to;
    ramus_inline *x = ramus_inlines_add(s->l, RAMUS_INLINE_TEXT, s->piece, 0, NULL, 0);
    if (!x) return;
    ramus_trim(s->data, &first, &end);
    x->text = from;
    x->size = to - from;
    x->word = end > first;
    set_run(s, x);
}

/* A field that has a beginning but no separator or end in this paragraph. */
static void give_up_field(lister *s)
{
    if (s->fields) ramus_inlines_drop_open(s->l);
    s->fields = 0;
}

static bool is_field(const lister *s, const ramus_inline *open)
{
    return open && open->raw_size >= 5 && memcmp(s->l->raws.data + open->raw, "<w:r>", 5) == 0;
}

/* <w:fldChar> in data[from .. to). */
static void add_field(lister *s, const ramus_markup_token *t, size_t to)
{
    ramus_attribute a = {0};
    const bool typed = ramus_markup_find(&a, s->data, t, "w:fldCharType");
    const char *type = s->data + a.value;
    const bool begins = typed && ramus_markup_is(type, a.value_size, "begin");
    const bool ends = typed && ramus_markup_is(type, a.value_size, "end");
    if (s->fields) {
        add_run(s, t->from, to);
        if (begins) {
            s->fields++;
        } else if (ends && s->fields == 1) {
            give_up_field(s);
        } else if (ends || s->fields == 1) {
            s->fields--;
        }
    } else if (begins) {
        set_run(s, ramus_inlines_open(s->l, t->from, to, NULL, 0));
        add_run(s, t->from, to);
        s->fields = 1;
    } else if (ends && is_field(s, ramus_inlines_last_open(s->l))) {
        set_run(s, ramus_inlines_close(s->l, t->from, to, NULL, 0));
        add_run(s, t->from, to);
    } else {
        add_mark(s, t->from, to, RAMUS_MARK_POINT);
    }
}

/* Sets the format to <w:rPr>, data[from .. to). */
static void read_format(lister *s, const ramus_markup_token *t, size_t to)
{
    static const char *const dull[] = {"w:lang", "w:noProof"};
    ramus_buffer *all = &s->l->formats;
    const size_t start = all->size;
    ramus_buffer_text(all, "<w:rPr>");
    const size_t empty = all->size;
    for (size_t at = t->to; at < to;) {
        const ramus_markup_token child = ramus_markup_next(s->data, to, at, RAMUS_XML);
        at = child.kind == RAMUS_MARKUP_OPEN ? ramus_element_end(s->data, to, at) : child.to;
        if (child.kind != RAMUS_MARKUP_OPEN && child.kind != RAMUS_MARKUP_EMPTY) continue;
        if (is_listed(s, &child, dull, RAMUS_COUNT(dull))) continue;
        ramus_buffer_add(all, s->data + child.from, at - child.from);
    }
    if (all->failed) s->l->failed = true;
    s->format = start;
    s->format_size = 0;
    if (all->size > empty) {
        ramus_buffer_text(all, "</w:rPr>");
        s->format_size = all->size - start;
    }
}

/* An element inside of a run; returns where it ends. */
static size_t list_in_run(lister *s, const ramus_markup_token *t)
{
    static const char *const cuts[] = {"w:tab", "w:br", "w:cr", "w:ptab"};
    static const char *const dull[] = {"w:softHyphen", "w:lastRenderedPageBreak"};
    if (t->kind == RAMUS_MARKUP_OPEN && is_named(s, t, "w:t") && !s->fields) {
        s->piece = t->from;
        return t->to;
    }
    const size_t end =
        t->kind == RAMUS_MARKUP_OPEN ? ramus_element_end(s->data, s->to, t->from) : t->to;
    if (is_named(s, t, "w:rPr"))
        read_format(s, t, end);
    else if (is_named(s, t, "w:fldChar"))
        add_field(s, t, end);
    else if (s->fields)
        add_run(s, t->from, end);
    else if (is_named(s, t, "w:r"))
        s->l->strange = true;
    else if (is_named(s, t, "w:noBreakHyphen"))
        set_run(s, ramus_inlines_add(s->l, RAMUS_INLINE_TEXT, t->from, end, NULL, 0));
    else if (is_listed(s, t, cuts, RAMUS_COUNT(cuts)))
        add_cut(s, t, end);
    else if (!is_listed(s, t, dull, RAMUS_COUNT(dull)) && !is_named(s, t, "w:t"))
        add_mark(s, t->from, end, RAMUS_MARK_POINT);
    return end;
}

/* <w:sdt>: its pair goes around what stands in <w:sdtContent>. */
static size_t open_control(lister *s, const ramus_markup_token *t)
{
    ramus_markup_token x = ramus_markup_next(s->data, s->to, t->to, RAMUS_XML);
    while (x.kind == RAMUS_MARKUP_OPEN && !is_named(s, &x, "w:sdtContent"))
        x = ramus_markup_next(s->data, s->to, ramus_element_end(s->data, s->to, x.from), RAMUS_XML);
    if (x.kind != RAMUS_MARKUP_OPEN) {
        s->l->strange = true;
        return t->to;
    }
    (void)ramus_inlines_open(s->l, t->from, x.to, s->data + t->from, x.to - t->from);
    return x.to;
}

static size_t close_pair(lister *s, const ramus_markup_token *t)
{
    size_t to = t->to;
    if (is_named(s, t, "w:sdtContent")) {
        const ramus_markup_token x = ramus_markup_next(s->data, s->to, t->to, RAMUS_XML);
        if (x.kind != RAMUS_MARKUP_CLOSE || !is_named(s, &x, "w:sdt")) s->l->strange = true;
        to = x.to;
    }
    while (is_field(s, ramus_inlines_last_open(s->l)))
        ramus_inlines_drop_open(s->l);
    if (!ramus_inlines_last_open(s->l)) s->l->strange = true;
    (void)ramus_inlines_close(s->l, t->from, to, s->data + t->from, to - t->from);
    return to;
}

static bool is_settings(const lister *s, const ramus_markup_token *t)
{
    return t->name_size > 2 && memcmp(s->data + t->name + t->name_size - 2, "Pr", 2) == 0;
}

/* An element between runs; returns where it ends. */
static size_t list_between(lister *s, const ramus_markup_token *t)
{
    static const char *const pairs[] = {"w:hyperlink", "w:ins",       "w:moveTo", "w:smartTag",
                                        "w:customXml", "w:fldSimple", "w:bdo",    "w:dir"};
    const bool pair = is_listed(s, t, pairs, RAMUS_COUNT(pairs));
    if (t->kind == RAMUS_MARKUP_OPEN && is_named(s, t, "w:r")) {
        s->run = t->from;
        s->format = s->format_size = 0;
        return t->to;
    }
    if (t->kind == RAMUS_MARKUP_CLOSE) {
        if (!pair && !is_named(s, t, "w:sdtContent")) return t->to;
        give_up_field(s);
        return close_pair(s, t);
    }
    if (t->kind == RAMUS_MARKUP_OPEN && (pair || is_named(s, t, "w:sdt"))) {
        give_up_field(s);
        if (!pair) return open_control(s, t);
        (void)ramus_inlines_open(s->l, t->from, t->to, s->data + t->from, t->to - t->from);
        return t->to;
    }
    const size_t end =
        t->kind == RAMUS_MARKUP_OPEN ? ramus_element_end(s->data, s->to, t->from) : t->to;
    const ramus_inline *last = s->l->n ? &s->l->items[s->l->n - 1] : NULL;
    if (is_named(s, t, "w:proofErr") || is_named(s, t, "w:r")) return end;
    if (s->fields || (is_settings(s, t) && last && last->kind == RAMUS_INLINE_OPEN))
        add_raw(s, s->data + t->from, end - t->from);
    else if (!is_settings(s, t))
        add_mark(s, t->from, end, RAMUS_MARK_POINT);
    return end;
}

/* Sets where the items of the run or of the <w:t> end that ends before byte `to`. */
static void set_ends(lister *s, size_t to, bool run)
{
    for (int i = s->l->n - 1; i >= 0; i--) {
        ramus_inline *x = &s->l->items[i];
        if (run ? x->run != s->run : x->from != s->piece) break;
        if (run)
            x->run_to = to;
        else
            x->to = to;
    }
}

void ramus_docx_list(const ramus_document *d, size_t from, size_t to, ramus_inlines *l)
{
    lister s = {.data = d->data, .to = to, .l = l};
    ramus_inlines_clear(l);
    for (size_t at = from; at < to && !l->failed && !l->strange;) {
        const ramus_markup_token t = ramus_markup_next(d->data, to, at, RAMUS_XML);
        const bool close = t.kind == RAMUS_MARKUP_CLOSE;
        const bool tag = close || t.kind == RAMUS_MARKUP_OPEN || t.kind == RAMUS_MARKUP_EMPTY;
        at = t.to;
        if (t.kind == RAMUS_MARKUP_CDATA || (s.piece && tag && !close)) {
            l->strange = true;
        } else if (t.kind == RAMUS_MARKUP_TEXT && s.piece) {
            add_text(&s, t.from, t.to);
        } else if (close && s.piece) {
            set_ends(&s, t.to, false);
            s.piece = 0;
        } else if (close && s.run && is_named(&s, &t, "w:r")) {
            set_ends(&s, t.to, true);
            s.run = 0;
        } else if (tag && s.run) {
            at = close ? t.to : list_in_run(&s, &t);
        } else if (tag) {
            at = list_between(&s, &t);
        }
    }
    if (!l->failed && !l->strange) give_up_field(&s);
}
