/* The translation is cut into units: words and single signs. Each pair takes a run of units from
 * the pair around it, outer pairs first; points and cuts then get a byte. At last all are sorted by
 * their places, and at one place so that pairs are nested. */
#include "runtime/place.h"

#include "base/list.h"
#include "document/breaks.h"
#include "runtime/place_parts.h"

#include <stdlib.h>
#include <string.h>

void ramus_placing_free(ramus_placing *p)
{
    free(p->units);
    free(p->places);
    free(p->stack);
    free(p->marks);
    *p = (ramus_placing){0};
}

/* Lists the marks with their parents; for each OPEN the stack says which pairs are open. */
static ramus_status list_places(const ramus_place_job *j, ramus_error *err)
{
    ramus_placing *p = j->p;
    const size_t n = (size_t)j->source->n_marks;
    ramus_status st = RAMUS_LIST_RESERVE(p->places, p->place_room, n + 1, "marks", err);
    if (!st) st = RAMUS_LIST_RESERVE(p->stack, p->stack_room, n + 1, "marks", err);
    if (st) return st;
    for (int i = 0, depth = 0; i < j->source->n_marks; i++) {
        const ramus_mark *m = &j->source->marks[i];
        if (m->kind == RAMUS_MARK_CLOSE) depth--;
        p->places[i] = (ramus_place){
            .mark = i, .parent = depth ? p->stack[depth - 1] : -1, .depth = depth, .phase = 1};
        if (m->kind == RAMUS_MARK_OPEN) p->stack[depth++] = i;
    }
    return RAMUS_OK;
}

/* Is a unit a sign of a sentence that the pair has in part? */
static bool is_spare(const ramus_place_job *j, const ramus_unit *u, size_t from, size_t end)
{
    const ramus_stretch *s = &j->stretches[u->stretch];
    return (from > s->from || end < s->from + s->length) &&
           ramus_place_is_sign(j->text, u->at, u->end);
}

/* Takes signs off the ends of a run where its source has none: "<i>what</i>" is no ", <i>was</i>".
 */
static void drop_signs(const ramus_place_job *j, ramus_place *to, size_t from, size_t end)
{
    const char *source = j->source->text;
    const ramus_unit *u = j->p->units;
    size_t second = from + 1, last = end - 1; // where the second character begins, and the last
    while (second < end && ((unsigned char)source[second] & 0xC0) == 0x80)
        second++;
    while (last > from && ((unsigned char)source[last] & 0xC0) == 0x80)
        last--;
    if (!ramus_place_is_sign(source, from, second))
        while (to->last - to->first > 1 && is_spare(j, &u[to->first], from, end))
            to->first++;
    if (!ramus_place_is_sign(source, last, end))
        while (to->last - to->first > 1 && is_spare(j, &u[to->last - 1], from, end))
            to->last--;
}

/* Gives a pair its units: the run with the largest sum of ramus_unit_belongs(), among those that
 * the pair around it has and no pair before it took. */
static void take_units(const ramus_place_job *j, int open)
{
    ramus_placing *p = j->p;
    ramus_place *to = &p->places[open];
    const ramus_mark *m = &j->source->marks[open];
    size_t from = m->at, end = j->source->marks[m->pair].at;
    ramus_trim(j->source->text, &from, &end);
    to->first = to->last = 0;
    if (from >= end || j->n_stretches == 0) return;
    const int first = ramus_place_first_unit(j, ramus_place_stretch(j, from));
    const int last = ramus_place_first_unit(j, ramus_place_stretch(j, end - 1) + 1);
    int best = 0, sum = 0, begin = first;
    for (int i = first; i < last; i++) {
        const ramus_unit *u = &p->units[i];
        if (u->owner != to->parent) {
            sum = 0;
            begin = i + 1;
            continue;
        }
        if (sum <= 0) {
            sum = 0;
            begin = i;
        }
        sum += ramus_unit_belongs(j, u, from, end);
        if (sum > best) {
            best = sum;
            to->first = begin;
            to->last = i + 1;
        }
    }
    drop_signs(j, to, from, end);
    for (int i = to->first; i < to->last; i++)
        p->units[i].owner = open;
}

static bool is_empty(const ramus_place *x)
{
    return x->first == x->last;
}

/* The boundary between units first .. last where the fewest stand on the wrong side of source byte
 * `from`: its number is that of the unit behind it. With `spaces`, white space is there. */
static int find_boundary(const ramus_place_job *j, size_t from, int first, int last, bool spaces)
{
    const ramus_placing *p = j->p;
    int wrong = 0, least = 0, best = -1;
    for (int i = first; i < last; i++) // all are behind the boundary
        wrong += ramus_unit_belongs(j, &p->units[i], 0, from) > 0;
    for (int i = first; i <= last; i++) {
        const bool gap = i == first || i == last || p->units[i].at > p->units[i - 1].end;
        if ((gap || !spaces) && (best < 0 || wrong < least)) {
            best = i;
            least = wrong;
        }
        if (i == last) break;
        const int side = ramus_unit_belongs(j, &p->units[i], 0, from);
        wrong += side < 0 ? 1 : side > 0 ? -1 : 0;
    }
    return best;
}

/* The units that belong to one stretch of the source and, of these, to a pair. */
static void units_at(const ramus_place_job *j, size_t from, const ramus_place *parent, int *first,
                     int *last)
{
    *first = *last = 0;
    if (j->n_stretches) {
        const int s = ramus_place_stretch(j, from);
        *first = ramus_place_first_unit(j, s);
        *last = ramus_place_first_unit(j, s + 1);
    }
    if (!parent) return;
    if (*first < parent->first) *first = parent->first;
    if (*first > parent->last) *first = parent->last;
    if (*last > parent->last) *last = parent->last;
    if (*last < *first) *last = *first;
}

/* The byte at a boundary: before the white space there, or behind it. */
static size_t boundary_at(const ramus_place_job *j, int boundary, bool behind)
{
    const ramus_placing *p = j->p;
    if (behind && boundary < p->n_units) return p->units[boundary].at;
    if (boundary > 0) return p->units[boundary - 1].end;
    return p->n_units ? p->units[0].at : 0;
}

/* A byte within the pair around it. */
static size_t hold(const ramus_place_job *j, const ramus_place *parent, size_t at)
{
    if (!parent) return at;
    const size_t first = j->p->units[parent->first].at, end = j->p->units[parent->last - 1].end;
    return at < first ? first : at > end ? end : at;
}

/* A point, or a pair that took no units: beside the translation of the word it stood beside. */
static size_t find_point(const ramus_place_job *j, size_t from, const ramus_place *parent)
{
    const ramus_marked *source = j->source;
    const bool touches = from > 0 && !ramus_is_space(source->text[from - 1]);
    const size_t beside = touches ? from - 1 : from;
    int first = 0, last = 0, found = -1;
    units_at(j, beside, parent, &first, &last);
    for (int i = first; i < last; i++) {
        const ramus_unit *u = &j->p->units[i];
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
    ramus_trim(text, &from, &to);
    return from == to;
}

static bool is_gap(const ramus_place_job *j, int boundary)
{
    const ramus_unit *u = j->p->units;
    return u[boundary].at > u[boundary - 1].end;
}

/* Of a stretch with units *first .. *last - 1, narrows where cut `mark` may stand: each piece of
 * the source between cuts gets a unit, if there are enough. `before` is the cut in front of it. */
static void leave_units(const ramus_place_job *j, int mark, size_t before, const ramus_stretch *s,
                        int *first, int *last)
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
static size_t find_cut(const ramus_place_job *j, int mark, cut_before *before)
{
    const size_t from = j->source->marks[mark].at;
    int first = 0, last = 0;
    units_at(j, from, NULL, &first, &last);
    if (first < before->unit) first = before->unit;
    if (last < first) last = first;
    if (j->n_stretches) {
        const ramus_stretch *s = &j->stretches[ramus_place_stretch(j, from)];
        if (from <= s->from)
            last = first;
        else
            leave_units(j, mark, before->from, s, &first, &last);
    }
    *before = (cut_before){find_boundary(j, from, first, last, true), from};
    return boundary_at(j, before->unit, false);
}

static size_t space_at(const ramus_place_job *j, size_t at)
{
    size_t n = 0;
    while (at + n < j->size && ramus_is_space(j->text[at + n]))
        n++;
    return n;
}

/* At one place come first the ends of pairs, the inner ones first, with what is inside before its
 * end; then what belongs to no pair there; then beginnings, the outer ones first; then what is kept
 * and cuts, which have a size. */
static void set_order(const ramus_place_job *j, int i)
{
    ramus_place *x = &j->p->places[i];
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
    const ramus_place *pair = &j->p->places[around];
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
    const ramus_place *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->phase != y->phase) return x->phase - y->phase;
    if (x->rank != y->rank) return x->rank - y->rank;
    if (x->late != y->late) return x->late - y->late;
    return x->mark - y->mark;
}

static void find_places(const ramus_place_job *j)
{
    ramus_placing *p = j->p;
    const ramus_mark *marks = j->source->marks;
    cut_before before = {0};
    for (int i = 0; i < j->source->n_marks; i++)
        if (marks[i].kind == RAMUS_MARK_OPEN) take_units(j, i);
    for (int i = 0; i < j->source->n_marks; i++) {
        ramus_place *x = &p->places[i];
        int around = x->parent; // one that is empty lets its parent decide
        while (around >= 0 && is_empty(&p->places[around]))
            around = p->places[around].parent;
        const ramus_place *parent = around >= 0 ? &p->places[around] : NULL;
        const ramus_place *open = marks[i].kind == RAMUS_MARK_CLOSE ? &p->places[marks[i].pair] : x;
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
    const ramus_place_job j = {p, source, text, size, stretches, n_stretches, links};
    const size_t most = (size_t)source->n_marks + (size_t)n_kept;
    p->n_marks = 0;
    ramus_status st = ramus_units_cut(&j, kept, n_kept, err);
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
        p->places[n++] = (ramus_place){.at = kept[i].at, .phase = 3, .mark = -1 - i};
    qsort(p->places, (size_t)n, sizeof *p->places, compare);
    for (int i = 0; i < n; i++) {
        const ramus_place *x = &p->places[i];
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
