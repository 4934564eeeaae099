/* The translation is cut into units: words and single signs. Each pair takes a run of units from
 * the pair around it, outer pairs first; points and cuts then get a byte. At last all are sorted by
 * their places, and at one place so that pairs are nested. */
#include "runtime/place.h"

#include "base/list.h"
#include "base/utf8.h"
#include "text/letters.h"

#include <stdlib.h>
#include <string.h>

typedef struct ramus_unit {
    size_t at, end;
    int stretch;
    int first_link, n_links; // that overlap it
    int owner;               // the mark of the innermost pair that took it; -1: none yet
} unit;

/* Where a mark goes. */
typedef struct ramus_place {
    size_t at;
    int phase, rank, late; // order among marks at one place, see set_order()
    int mark;              // number among the marks of the source; a kept one: -1 - its number
    int parent;            // the OPEN of the pair around it; -1: none
    int depth;             // pairs around it
    int first, last;       // OPEN: the units of the pair are first .. last - 1
} place;

/* What ramus_place_marks() was given. */
typedef struct {
    ramus_placing *p;
    const ramus_marked *source;
    const char *text;
    size_t size;
    const ramus_stretch *stretches;
    int n_stretches;
    const ramus_link *links;
} job;

void ramus_placing_free(ramus_placing *p)
{
    free(p->units);
    free(p->places);
    free(p->stack);
    free(p->marks);
    *p = (ramus_placing){0};
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The bytes of the unit at text[at]: a run of letters, a run of digits, or one sign. Scripts
 * without spaces have a unit for each letter. */
static size_t unit_size(const char *text, size_t size, size_t at)
{
    const bool digits = is_digit(text[at]);
    size_t end = at;
    while (end < size) {
        uint32_t code = 0;
        int n = ramus_utf8_decode(&code, text + end, size - end);
        if (n == 0) n = 1;
        if (digits ? !is_digit(text[end]) : !ramus_letter(code) || code >= 0x2E80)
            return end > at ? end - at : (size_t)n;
        end += (size_t)n;
    }
    return end - at;
}

/* Cuts the translation into units. A kept stretch is one unit, whatever is in it. */
static ramus_status cut_units(const job *j, const ramus_mark *kept, int n_kept, ramus_error *err)
{
    ramus_placing *p = j->p;
    int link = 0, keep = 0;
    p->n_units = 0;
    for (int i = 0; i < j->n_stretches; i++) {
        const ramus_stretch *s = &j->stretches[i];
        const size_t stop = s->at + s->size;
        link = s->first_link;
        for (size_t at = s->at; at < stop;) {
            while (keep < n_kept && kept[keep].at + kept[keep].size <= at)
                keep++;
            const bool inside = keep < n_kept && kept[keep].at <= at && kept[keep].size;
            if (!inside && is_space(j->text[at])) {
                at++;
                continue;
            }
            size_t end = at + unit_size(j->text, stop, at);
            if (inside)
                end = kept[keep].at + kept[keep].size;
            else if (keep < n_kept && kept[keep].size && end > kept[keep].at)
                end = kept[keep].at;
            ramus_status st = RAMUS_LIST_RESERVE(p->units, p->unit_room, (size_t)p->n_units + 1,
                                                 "the words of a translation", err);
            if (st) return st;
            const int last = s->first_link + s->n_links;
            while (link < last && j->links[link].at + j->links[link].size <= at)
                link++;
            unit *u = &p->units[p->n_units++];
            *u = (unit){.at = at, .end = end, .stretch = i, .first_link = link, .owner = -1};
            while (link + u->n_links < last && j->links[link + u->n_links].at < end)
                u->n_links++;
            at = end;
        }
    }
    return RAMUS_OK;
}

/* Lists the marks with their parents; for each OPEN the stack says which pairs are open. */
static ramus_status list_places(const job *j, ramus_error *err)
{
    ramus_placing *p = j->p;
    const size_t n = (size_t)j->source->n_marks;
    ramus_status st = RAMUS_LIST_RESERVE(p->places, p->place_room, n + 1, "marks", err);
    if (!st) st = RAMUS_LIST_RESERVE(p->stack, p->stack_room, n + 1, "marks", err);
    if (st) return st;
    for (int i = 0, depth = 0; i < j->source->n_marks; i++) {
        const ramus_mark *m = &j->source->marks[i];
        if (m->kind == RAMUS_MARK_CLOSE) depth--;
        p->places[i] = (place){
            .mark = i, .parent = depth ? p->stack[depth - 1] : -1, .depth = depth, .phase = 1};
        if (m->kind == RAMUS_MARK_OPEN) p->stack[depth++] = i;
    }
    return RAMUS_OK;
}

/* The stretch that has byte `from` of the source; behind the end the last one. */
static int stretch_of(const job *j, size_t from)
{
    int low = 0, high = j->n_stretches - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (j->stretches[middle].from <= from)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The first unit of a stretch, or of the next one that has any. */
static int first_unit(const job *j, int stretch)
{
    int low = 0, high = j->p->n_units;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (j->p->units[middle].stretch < stretch)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Does a unit translate source bytes [from, to)? 1 yes, -1 no, 0 it has no links. */
static int belongs(const job *j, const unit *u, size_t from, size_t to)
{
    const ramus_stretch *s = &j->stretches[u->stretch];
    if (from <= s->from && to >= s->from + s->length) return 1;
    double inside = 0, all = 0;
    for (int i = u->first_link; i < u->first_link + u->n_links; i++) {
        const ramus_link *l = &j->links[i];
        const size_t middle = l->from + l->length / 2;
        const size_t a = l->at > u->at ? l->at : u->at;
        const size_t b = l->at + l->size < u->end ? l->at + l->size : u->end;
        if (l->length == 0 || b <= a) continue;
        all += (double)(b - a);
        if (middle >= from && middle < to) inside += (double)(b - a);
    }
    return all == 0 ? 0 : 2 * inside > all ? 1 : -1;
}

/* Without the white space at its ends, where a source range begins and ends. */
static void trim(const char *text, size_t *from, size_t *to)
{
    while (*from < *to && is_space(text[*from]))
        ++*from;
    while (*to > *from && is_space(text[*to - 1]))
        --*to;
}

/* Gives a pair its units: the run with the largest sum of belongs(), among those that the pair
 * around it has and no pair before it took. */
static void take_units(const job *j, int open)
{
    ramus_placing *p = j->p;
    place *to = &p->places[open];
    const ramus_mark *m = &j->source->marks[open];
    size_t from = m->at, end = j->source->marks[m->pair].at;
    trim(j->source->text, &from, &end);
    to->first = to->last = 0;
    if (from >= end || j->n_stretches == 0) return;
    const int first = first_unit(j, stretch_of(j, from));
    const int last = first_unit(j, stretch_of(j, end - 1) + 1);
    int best = 0, sum = 0, begin = first;
    for (int i = first; i < last; i++) {
        const unit *u = &p->units[i];
        if (u->owner != to->parent) {
            sum = 0;
            begin = i + 1;
            continue;
        }
        if (sum <= 0) {
            sum = 0;
            begin = i;
        }
        sum += belongs(j, u, from, end);
        if (sum > best) {
            best = sum;
            to->first = begin;
            to->last = i + 1;
        }
    }
    for (int i = to->first; i < to->last; i++)
        p->units[i].owner = open;
}

static bool is_empty(const place *x)
{
    return x->first == x->last;
}

/* The boundary between units first .. last where the fewest stand on the wrong side of source byte
 * `from`: its number is that of the unit behind it. With `spaces`, white space is there. */
static int find_boundary(const job *j, size_t from, int first, int last, bool spaces)
{
    const ramus_placing *p = j->p;
    int wrong = 0, least = 0, best = -1;
    for (int i = first; i < last; i++) // all are behind the boundary
        wrong += belongs(j, &p->units[i], 0, from) > 0;
    for (int i = first; i <= last; i++) {
        const bool gap = i == first || i == last || p->units[i].at > p->units[i - 1].end;
        if ((gap || !spaces) && (best < 0 || wrong < least)) {
            best = i;
            least = wrong;
        }
        if (i == last) break;
        const int side = belongs(j, &p->units[i], 0, from);
        wrong += side < 0 ? 1 : side > 0 ? -1 : 0;
    }
    return best;
}

/* The units that belong to one stretch of the source and, of these, to a pair. */
static void units_at(const job *j, size_t from, const place *parent, int *first, int *last)
{
    *first = *last = 0;
    if (j->n_stretches) {
        const int s = stretch_of(j, from);
        *first = first_unit(j, s);
        *last = first_unit(j, s + 1);
    }
    if (!parent) return;
    if (*first < parent->first) *first = parent->first;
    if (*first > parent->last) *first = parent->last;
    if (*last > parent->last) *last = parent->last;
    if (*last < *first) *last = *first;
}

/* The byte at a boundary: before the white space there, or behind it. */
static size_t boundary_at(const job *j, int boundary, bool behind)
{
    const ramus_placing *p = j->p;
    if (behind && boundary < p->n_units) return p->units[boundary].at;
    if (boundary > 0) return p->units[boundary - 1].end;
    return p->n_units ? p->units[0].at : 0;
}

/* A byte within the pair around it. */
static size_t hold(const job *j, const place *parent, size_t at)
{
    if (!parent) return at;
    const size_t first = j->p->units[parent->first].at, end = j->p->units[parent->last - 1].end;
    return at < first ? first : at > end ? end : at;
}

/* A point, or a pair that took no units: beside the translation of the word it stood beside. */
static size_t find_point(const job *j, size_t from, const place *parent)
{
    const ramus_marked *source = j->source;
    const bool touches = from > 0 && !is_space(source->text[from - 1]);
    const size_t beside = touches ? from - 1 : from;
    int first = 0, last = 0, found = -1;
    units_at(j, beside, parent, &first, &last);
    for (int i = first; i < last; i++) {
        const unit *u = &j->p->units[i];
        for (int k = u->first_link; k < u->first_link + u->n_links; k++) {
            const ramus_link *l = &j->links[k];
            if (beside >= l->from && beside < l->from + l->length && (touches || found < 0))
                found = i;
        }
    }
    const size_t at = found < 0
                          ? boundary_at(j, find_boundary(j, from, first, last, false), !touches)
                      : touches ? j->p->units[found].end
                                : j->p->units[found].at;
    return hold(j, parent, at);
}

/* The cut that was placed last. */
typedef struct {
    int unit;    // it stands before this one
    size_t from; // of the source
} cut_before;

static bool is_blank(const char *text, size_t from, size_t to)
{
    trim(text, &from, &to);
    return from == to;
}

static bool is_gap(const job *j, int boundary)
{
    const unit *u = j->p->units;
    return u[boundary].at > u[boundary - 1].end;
}

/* Of a stretch with units *first .. *last - 1, narrows where cut `mark` may stand: each piece of
 * the source between cuts gets a unit, if there are enough. `before` is the cut in front of it. */
static void leave_units(const job *j, int mark, size_t before, const ramus_stretch *s, int *first,
                        int *last)
{
    const ramus_marked *source = j->source;
    const size_t end = s->from + s->length;
    size_t from = source->marks[mark].at;
    int low = *first, high = *last;
    if (before >= s->from || is_blank(source->text, before, s->from)) // none in another stretch
        if (!is_blank(source->text, before > s->from ? before : s->from, from)) do
                low++;
            while (low < *last && !is_gap(j, low));
    for (int i = mark + 1; from < end && low <= high; i++) {
        const bool ends = i == source->n_marks || source->marks[i].at >= end;
        if (!ends && source->marks[i].kind != RAMUS_MARK_CUT) continue;
        const size_t to = ends ? end : source->marks[i].at;
        if (!is_blank(source->text, from, to)) do
                high--;
            while (high > *first && !is_gap(j, high));
        from = to;
    }
    if (low > high) return;
    *first = low;
    *last = high;
}

/* A cut goes where white space is, behind the cut before it. */
static size_t find_cut(const job *j, int mark, cut_before *before)
{
    const size_t from = j->source->marks[mark].at;
    int first = 0, last = 0;
    units_at(j, from, NULL, &first, &last);
    if (first < before->unit) first = before->unit;
    if (last < first) last = first;
    if (j->n_stretches) {
        const ramus_stretch *s = &j->stretches[stretch_of(j, from)];
        if (from <= s->from)
            last = first;
        else
            leave_units(j, mark, before->from, s, &first, &last);
    }
    *before = (cut_before){find_boundary(j, from, first, last, true), from};
    return boundary_at(j, before->unit, false);
}

static size_t space_at(const job *j, size_t at)
{
    size_t n = 0;
    while (at + n < j->size && is_space(j->text[at + n]))
        n++;
    return n;
}

/* At one place come first the ends of pairs, the inner ones first, with what is inside before its
 * end; then what belongs to no pair there; then beginnings, the outer ones first; then what is kept
 * and cuts, which have a size. */
static void set_order(const job *j, int i)
{
    place *x = &j->p->places[i];
    const ramus_mark *m = &j->source->marks[i];
    const int open = m->kind == RAMUS_MARK_OPEN ? i : m->kind == RAMUS_MARK_CLOSE ? m->pair : -1;
    const bool own = open >= 0 && !is_empty(&j->p->places[open]);
    int around = own ? open : x->parent; // the innermost pair with units
    while (around >= 0 && is_empty(&j->p->places[around]))
        around = j->p->places[around].parent;
    if (m->kind == RAMUS_MARK_CUT) {
        x->phase = 3;
        return;
    }
    if (around < 0) return;
    const place *pair = &j->p->places[around];
    if (x->at == j->p->units[pair->last - 1].end) {
        x->phase = 0;
        x->rank = -pair->depth;
        x->late = own;
    } else if (x->at == j->p->units[pair->first].at) {
        x->phase = 2;
        x->rank = pair->depth;
        x->late = !own;
    }
}

static int compare(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->phase != y->phase) return x->phase - y->phase;
    if (x->rank != y->rank) return x->rank - y->rank;
    if (x->late != y->late) return x->late - y->late;
    return x->mark - y->mark;
}

static void find_places(const job *j)
{
    ramus_placing *p = j->p;
    const ramus_mark *marks = j->source->marks;
    cut_before before = {0};
    for (int i = 0; i < j->source->n_marks; i++)
        if (marks[i].kind == RAMUS_MARK_OPEN) take_units(j, i);
    for (int i = 0; i < j->source->n_marks; i++) {
        place *x = &p->places[i];
        int around = x->parent; // one that is empty lets its parent decide
        while (around >= 0 && is_empty(&p->places[around]))
            around = p->places[around].parent;
        const place *parent = around >= 0 ? &p->places[around] : NULL;
        const place *open = marks[i].kind == RAMUS_MARK_CLOSE ? &p->places[marks[i].pair] : x;
        switch (marks[i].kind) {
        case RAMUS_MARK_OPEN:
        case RAMUS_MARK_CLOSE:
            if (is_empty(open))
                x->at = open == x ? find_point(j, marks[i].at, parent) : open->at;
            else
                x->at = open == x ? p->units[open->first].at : p->units[open->last - 1].end;
            break;
        case RAMUS_MARK_POINT:
            x->at = find_point(j, marks[i].at, parent);
            break;
        case RAMUS_MARK_CUT:
            x->at = find_cut(j, i, &before);
            break;
        case RAMUS_MARK_KEEP:
            break;
        }
    }
    /* What is inside of an empty pair stands where the pair does. */
    for (int i = 0; i < j->source->n_marks; i++) {
        const int around = p->places[i].parent;
        if (marks[i].kind != RAMUS_MARK_CUT && marks[i].kind != RAMUS_MARK_KEEP && around >= 0 &&
            is_empty(&p->places[around]))
            p->places[i].at = p->places[around].at;
    }
    for (int i = 0; i < j->source->n_marks; i++)
        set_order(j, i);
}

ramus_status ramus_place_marks(ramus_placing *p, const ramus_marked *source, const char *text,
                               size_t size, const ramus_stretch *stretches, int n_stretches,
                               const ramus_link *links, const ramus_mark *kept, int n_kept,
                               ramus_error *err)
{
    const job j = {p, source, text, size, stretches, n_stretches, links};
    const size_t most = (size_t)source->n_marks + (size_t)n_kept;
    p->n_marks = 0;
    ramus_status st = cut_units(&j, kept, n_kept, err);
    if (!st) st = list_places(&j, err);
    if (!st) st = RAMUS_LIST_RESERVE(p->places, p->place_room, most + 1, "marks", err);
    if (!st) st = RAMUS_LIST_RESERVE(p->marks, p->mark_room, most + 1, "marks", err);
    if (!st) st = RAMUS_LIST_RESERVE(p->stack, p->stack_room, most + 1, "marks", err);
    if (st) return st;
    find_places(&j);
    int n = 0;
    for (int i = 0; i < source->n_marks; i++)
        if (source->marks[i].kind != RAMUS_MARK_KEEP) p->places[n++] = p->places[i];
    for (int i = 0; i < n_kept; i++)
        p->places[n++] = (place){.at = kept[i].at, .phase = 3, .mark = -1 - i};
    qsort(p->places, (size_t)n, sizeof *p->places, compare);
    for (int i = 0; i < n; i++) {
        const place *x = &p->places[i];
        ramus_mark *to = &p->marks[p->n_marks++];
        *to = x->mark < 0 ? kept[-1 - x->mark] : source->marks[x->mark];
        to->at = x->at;
        if (to->kind == RAMUS_MARK_CUT) to->size = space_at(&j, x->at);
        if (x->mark >= 0) p->stack[x->mark] = i; // where it is now
    }
    for (int i = 0; i < n; i++)
        if (p->marks[i].pair >= 0 && p->marks[i].kind != RAMUS_MARK_KEEP)
            p->marks[i].pair = p->stack[p->marks[i].pair];
    return RAMUS_OK;
}
