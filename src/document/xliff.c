/* XLIFF 1.2 and 2. A unit whose target is missing, empty or new is translated from its source. The
 * place of a block is the target, and its form says how far before it the source stands: what is
 * around the words of the source is copied from there. */
#include "document/charset.h"
#include "document/formats.h"
#include "document/markup_pieces.h"

#include <string.h>

#define DEPTH      64                      // deeper elements are not looked at
#define UNIT_BYTES (4 * RAMUS_BLOCK_BYTES) // a longer unit is left alone

typedef struct xliff {
    ramus_pieces pieces;
    bool version_2, ascii;
    int depth; // of open elements
    struct {
        bool kept, unit, initial; // not to be translated; has a source; of state "initial"
    } open[DEPTH];
    ramus_buffer ascii_text;
} xliff;

/* Places of a unit in the document. */
typedef struct unit {
    size_t source, content, content_end; // its element, and what is in it
    size_t from, to;                     // of the target
} unit;

/* Whether a tag has that name, with any prefix. */
static bool is_tag(const char *data, const ramus_markup_token *t, const char *name)
{
    const char *own = memchr(data + t->name, ':', t->name_size);
    const size_t from = own ? (size_t)(own - data) + 1 : t->name;
    return ramus_markup_is(data + from, t->name + t->name_size - from, name);
}

static bool has_value(const char *data, const ramus_markup_token *t, const char *name,
                      const char *value)
{
    ramus_attribute a;
    return ramus_markup_find(&a, data, t, name) &&
           ramus_markup_is(data + a.value, a.value_size, value);
}

/* Moves over an element to its end tag, which is *end; false: it has none before byte `limit`. */
static bool find_end(const char *data, size_t limit, const ramus_markup_token *start,
                     const char *name, ramus_markup_token *end)
{
    int depth = 1;
    *end = *start;
    while (depth) {
        *end = ramus_markup_next(data, limit, end->to, RAMUS_XML);
        if (end->kind == RAMUS_MARKUP_END) return false;
        if (end->kind == RAMUS_MARKUP_OPEN) depth += is_tag(data, end, name);
        if (end->kind == RAMUS_MARKUP_CLOSE) depth -= is_tag(data, end, name);
    }
    return true;
}

/* Whether a target is there to be filled. */
static bool is_open_target(const char *data, const ramus_markup_token *start, size_t end,
                           bool initial)
{
    if (initial || has_value(data, start, "state", "new") ||
        has_value(data, start, "state", "needs-translation"))
        return true;
    size_t at = start->to;
    while (at < end && ramus_markup_is_space(data[at]))
        at++;
    return at == end;
}

/* Finds the place for the target of the unit whose source, `start`, is known; false: it has one, or
 * the unit is not whole. */
static bool find_target(const ramus_document *d, const ramus_markup_token *source_end, bool initial,
                        unit *u)
{
    const size_t limit = d->size - u->source > UNIT_BYTES ? u->source + UNIT_BYTES : d->size;
    int depth = 0;
    u->from = u->to = source_end->to;
    for (size_t at = source_end->to;;) {
        const ramus_markup_token t = ramus_markup_next(d->data, limit, at, RAMUS_XML);
        at = t.to;
        if (t.kind == RAMUS_MARKUP_END) return false;
        if (t.kind == RAMUS_MARKUP_CLOSE && depth-- == 0) return true;
        if (depth == 0 && is_tag(d->data, &t, "seg-source") && t.kind != RAMUS_MARKUP_OPEN)
            u->from = u->to = t.to;
        const bool target = depth == 0 && is_tag(d->data, &t, "target");
        if (target && t.kind == RAMUS_MARKUP_EMPTY) {
            u->from = t.from;
            u->to = t.to;
            return true;
        }
        if (t.kind != RAMUS_MARKUP_OPEN) continue;
        if (target) {
            ramus_markup_token end;
            if (!find_end(d->data, limit, &t, "target", &end)) return false;
            u->from = t.from;
            u->to = end.to;
            return is_open_target(d->data, &t, end.from, initial);
        }
        depth++;
    }
}

/* Finds the source that begins at data[at]. */
static bool find_source(const ramus_document *d, size_t at, unit *u, ramus_markup_token *end)
{
    const size_t limit = d->size - at > RAMUS_BLOCK_BYTES ? at + RAMUS_BLOCK_BYTES : d->size;
    const ramus_markup_token start = ramus_markup_next(d->data, limit, at, RAMUS_XML);
    if (start.kind != RAMUS_MARKUP_OPEN || !find_end(d->data, limit, &start, "source", end))
        return false;
    *u = (unit){.source = at, .content = start.to, .content_end = end->from};
    return true;
}

/* What a tag in a text is. */
typedef enum { SPAN, ALONE, BEGIN, END } role;

static role role_of(const char *data, const ramus_markup_token *t)
{
    static const struct {
        const char *name;
        role role;
    } roles[] = {
        {"g", SPAN},   {"pc", SPAN},  {"mrk", SPAN},  {"x", ALONE},  {"ph", ALONE},
        {"it", ALONE}, {"cp", ALONE}, {"bpt", BEGIN}, {"bx", BEGIN}, {"sc", BEGIN},
        {"sm", BEGIN}, {"ept", END},  {"ex", END},    {"ec", END},   {"em", END},
    };
    for (int i = 0; i < RAMUS_COUNT(roles); i++)
        if (is_tag(data, t, roles[i].name)) return roles[i].role;
    return t->kind == RAMUS_MARKUP_EMPTY ? ALONE : SPAN;
}

/* Finds the first of some attributes; its value goes to the text of the piece. */
static bool find_value(const char *data, const ramus_markup_token *t, const char *const *names,
                       ramus_piece *p)
{
    ramus_attribute a;
    for (; *names; names++) {
        if (!ramus_markup_find(&a, data, t, *names)) continue;
        p->text_from = a.value;
        p->text_to = a.value + a.value_size;
        return true;
    }
    return false;
}

/* What begins and ends as <x id="START_B"/> and <x id="CLOSE_B"/> is known by "_B". */
static role role_of_x(const char *data, ramus_piece *p)
{
    if (p->text_to - p->text_from < 7) return ALONE;
    const bool begin = memcmp(data + p->text_from, "START_", 6) == 0;
    if (!begin && memcmp(data + p->text_from, "CLOSE_", 6) != 0) return ALONE;
    p->text_from += 5;
    return begin ? BEGIN : END;
}

/* The number of the piece that `p`, an end tag or an end mark, is the pair of; -1: there is none.
 * Pieces that begin between the two have no pair then. */
static int find_pair(ramus_pieces *pieces, const ramus_piece *p, const ramus_markup_token *t)
{
    const char *data = pieces->data;
    const bool span = t->kind == RAMUS_MARKUP_CLOSE;
    for (int k = pieces->n - 1; k >= 0; k--) {
        const ramus_piece *x = &pieces->items[k];
        const size_t size = x->text_to - x->text_from;
        if (x->kind != RAMUS_PIECE_OPEN || x->pair >= 0) continue;
        if (x->own == SPAN && !span) return -1;
        if (x->own == BEGIN && (span || size != p->text_to - p->text_from ||
                                memcmp(data + x->text_from, data + p->text_from, size) != 0))
            continue;
        if (span &&
            (size != t->name_size || memcmp(data + x->text_from, data + t->name, size) != 0))
            return -1;
        for (int i = k + 1; i < pieces->n; i++)
            if (pieces->items[i].pair < 0 && pieces->items[i].kind == RAMUS_PIECE_OPEN)
                pieces->items[i].kind = RAMUS_PIECE_POINT;
        return k;
    }
    return -1;
}

/* Makes a start tag, and its content if that is no text of the unit, a piece. */
static void read_tag(ramus_pieces *pieces, const ramus_markup_token *t, size_t limit,
                     ramus_piece *p)
{
    static const char *const ids[] = {"startRef", "rid", "id", NULL}, *const id[] = {"id", NULL};
    static const char *const texts[] = {"equiv-text", "equiv", "disp", NULL};
    const char *data = pieces->data;
    const bool kept = is_tag(data, t, "mrk") && (has_value(data, t, "translate", "no") ||
                                                 has_value(data, t, "mtype", "protected"));
    role r = kept ? ALONE : role_of(data, t);
    p->own = SPAN;
    p->kind = RAMUS_PIECE_OPEN;
    p->text_from = t->name;
    p->text_to = t->name + t->name_size;
    if (r == SPAN && t->kind == RAMUS_MARKUP_OPEN) return;
    p->kind = RAMUS_PIECE_POINT;
    p->text_to = p->text_from;
    size_t end_from = t->to;
    if (t->kind == RAMUS_MARKUP_OPEN) { // all of the element
        ramus_markup_token end = {.from = limit, .to = limit};
        for (ramus_markup_token i = *t; i.kind != RAMUS_MARKUP_END && i.to < limit;) {
            i = ramus_markup_next(data, limit, i.to, RAMUS_XML);
            if (i.kind != RAMUS_MARKUP_CLOSE || i.name_size != t->name_size ||
                memcmp(data + i.name, data + t->name, i.name_size) != 0)
                continue;
            end = i;
            break;
        }
        p->to = end.to;
        end_from = end.from;
    }
    if (r == ALONE && is_tag(data, t, "x") && find_value(data, t, id, p))
        r = role_of_x(data, p);
    else if (r == BEGIN || r == END)
        (void)find_value(data, t, ids, p);
    if (r == BEGIN) {
        p->own = BEGIN;
        p->kind = RAMUS_PIECE_OPEN;
    } else if (r == END) {
        p->pair = find_pair(pieces, p, t);
        if (p->pair >= 0) p->kind = RAMUS_PIECE_CLOSE;
    } else if (t->kind == RAMUS_MARKUP_OPEN) {
        p->kind = RAMUS_PIECE_KEEP;
        p->text_from = t->to;
        p->text_to = end_from;
    } else if (find_value(data, t, texts, p)) {
        p->kind = RAMUS_PIECE_KEEP;
    }
}

/* Reads the content of a source. */
static ramus_status read_pieces(ramus_pieces *pieces, const unit *u, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    pieces->n = 0;
    for (size_t at = u->content; at < u->content_end && !st;) {
        const ramus_markup_token t = ramus_markup_next(pieces->data, u->content_end, at, RAMUS_XML);
        ramus_piece p = {.kind = RAMUS_PIECE_POINT, .from = t.from, .to = t.to, .pair = -1};
        if (t.kind == RAMUS_MARKUP_TEXT) {
            p.kind = RAMUS_PIECE_TEXT;
        } else if (t.kind == RAMUS_MARKUP_CDATA && t.to - t.from >= 12) {
            p.kind = RAMUS_PIECE_CDATA;
            p.text_from = t.from + 9;
            p.text_to = t.to - 3;
        } else if (t.kind == RAMUS_MARKUP_OPEN || t.kind == RAMUS_MARKUP_EMPTY) {
            read_tag(pieces, &t, u->content_end, &p);
        } else if (t.kind == RAMUS_MARKUP_CLOSE) {
            p.pair = find_pair(pieces, &p, &t);
            if (p.pair >= 0) p.kind = RAMUS_PIECE_CLOSE;
        }
        at = p.to;
        st = ramus_pieces_add(pieces, &p, err);
    }
    return st;
}

/* Reads the unit whose source begins at d->at, up to its target. */
static ramus_status read_unit(xliff *x, const ramus_document *d, ramus_blocks *out, size_t *to,
                              ramus_error *err)
{
    unit u;
    ramus_markup_token end;
    if (!find_source(d, d->at, &u, &end) ||
        !find_target(d, &end, x->open[x->depth - 1].initial, &u))
        return RAMUS_OK;
    const ramus_status st = read_pieces(&x->pieces, &u, err);
    if (st) return st;
    int lo = 0, hi = x->pieces.n;
    ramus_pieces_trim(&x->pieces, &lo, &hi);
    if (lo < hi)
        (void)ramus_pieces_put(&x->pieces, lo, hi, u.from, u.to, (int)(u.from - u.source), out);
    *to = u.to;
    return ramus_blocks_check(&x->pieces.scratch, err);
}

/* Follows a start tag outside of what is translated. */
static void open_element(xliff *x, const char *data, const ramus_markup_token *t)
{
    if (is_tag(data, t, "xliff")) {
        ramus_attribute a;
        x->version_2 = ramus_markup_find(&a, data, t, "version") && data[a.value] == '2';
    }
    const int i = x->depth++;
    if (i >= DEPTH) return;
    x->open[i].unit = is_tag(data, t, "trans-unit") || is_tag(data, t, "segment");
    x->open[i].initial = has_value(data, t, "state", "initial");
    x->open[i].kept = i > 0 && x->open[i - 1].kept;
    if (has_value(data, t, "translate", "yes")) x->open[i].kept = false;
    if (has_value(data, t, "translate", "no") || has_value(data, t, "approved", "yes"))
        x->open[i].kept = true;
}

static ramus_status read_xliff(ramus_document *d, ramus_blocks *out, ramus_error *err)
{
    xliff *x = d->state;
    const ramus_markup_token t = ramus_markup_next(d->data, d->size, d->at, RAMUS_XML);
    const int parent = x->depth - 1;
    size_t to = t.to;
    if (t.kind == RAMUS_MARKUP_OPEN && parent >= 0 && parent < DEPTH && x->open[parent].unit &&
        !x->open[parent].kept && is_tag(d->data, &t, "source")) {
        const ramus_status st = read_unit(x, d, out, &to, err);
        if (st) return st;
    }
    if (to == t.to && t.kind == RAMUS_MARKUP_OPEN) open_element(x, d->data, &t);
    if (t.kind == RAMUS_MARKUP_CLOSE && x->depth > 0) x->depth--;
    d->at = to;
    return RAMUS_OK;
}

/* Writes the start tag of a new target, on a line of its own where the source has one. */
static void write_new_target(const xliff *x, const char *data, const ramus_markup_token *source,
                             ramus_buffer *out)
{
    size_t from = source->from;
    while (from > 0 && ramus_markup_is_space(data[from - 1]))
        from--;
    size_t line = source->from;
    while (line > from && data[line - 1] != '\n')
        line--;
    if (line > from) {
        line -= line > from + 1 && data[line - 2] == '\r' ? 2 : 1;
        ramus_buffer_add(out, data + line, source->from - line);
    }
    const size_t prefix = source->name_size - strlen("source");
    ramus_buffer_print(out, "<%.*starget%s>", (int)prefix, data + source->name,
                       x->version_2 ? "" : " state=\"translated\"");
}

/* Writes the start tag of a target that is there, translated from now on. */
static void write_target(const char *data, const ramus_markup_token *t, ramus_buffer *out)
{
    ramus_attribute a;
    size_t done = t->from, end = t->to - 1;
    if (ramus_markup_find(&a, data, t, "state") && a.quote && a.quote != ' ') {
        ramus_buffer_add(out, data + done, a.value - done);
        ramus_buffer_text(out, "translated");
        done = a.value + a.value_size;
    }
    if (t->kind == RAMUS_MARKUP_EMPTY) end--;
    ramus_buffer_add(out, data + done, end - done);
    ramus_buffer_text(out, ">");
}

static void write_xliff(const ramus_document *d, const ramus_block *block,
                        const ramus_marked *translation, ramus_buffer *out)
{
    xliff *x = d->state;
    const size_t at = block->from - (size_t)block->form, start = out->size;
    const ramus_markup_token source = ramus_markup_next(d->data, d->size, at, RAMUS_XML);
    const ramus_markup_token target =
        block->to > block->from ? ramus_markup_next(d->data, d->size, block->from, RAMUS_XML)
                                : source;
    unit u;
    ramus_markup_token end;
    if (!find_source(d, at, &u, &end) || read_pieces(&x->pieces, &u, NULL)) {
        out->failed = true;
        return;
    }
    int lo = 0, hi = x->pieces.n;
    size_t from = 0, to = 0;
    ramus_pieces_trim(&x->pieces, &lo, &hi);
    ramus_pieces_place(&x->pieces, lo, hi, &from, &to);
    if (block->to > block->from)
        write_target(d->data, &target, out);
    else
        write_new_target(x, d->data, &source, out);
    ramus_buffer_add(out, d->data + u.content, from - u.content);
    ramus_markup_write(translation, ramus_markup_escape_xml, out);
    ramus_buffer_add(out, d->data + to, u.content_end - to);
    const size_t prefix = target.name_size - strlen("target");
    ramus_buffer_print(out, "</%.*starget>", (int)prefix, d->data + target.name);
    if (x->ascii) ramus_charset_make_ascii(out, start, &x->ascii_text);
}

static ramus_status open_xliff(ramus_document *d, ramus_error *err)
{
    xliff *x = d->state;
    x->pieces.data = d->data;
    x->pieces.markup = RAMUS_XML;
    x->pieces.lines = true;
    return ramus_charset_read(&x->ascii, d->data, d->size, &d->at, RAMUS_XML, err);
}

static void close_xliff(ramus_document *d)
{
    xliff *x = d->state;
    ramus_pieces_free(&x->pieces);
    ramus_buffer_free(&x->ascii_text);
}

const ramus_format ramus_format_xliff = {
    .name = "xliff",
    .extensions = "xlf xliff",
    .alone = true,
    .state_size = sizeof(xliff),
    .open = open_xliff,
    .read = read_xliff,
    .write = write_xliff,
    .close = close_xliff,
};
