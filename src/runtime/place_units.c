/* Units are cut at white space, between letters, digits and signs, and around what is kept. */
#include "base/list.h"
#include "base/utf8.h"
#include "document/breaks.h"
#include "runtime/place_parts.h"
#include "text/letters.h"

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

ramus_status ramus_units_cut(const ramus_place_job *j, const ramus_mark *kept, int n_kept,
                             ramus_error *err)
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
            if (!inside && ramus_is_space(j->text[at])) {
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
            ramus_unit *u = &p->units[p->n_units++];
            *u = (ramus_unit){.at = at, .end = end, .stretch = i, .first_link = link, .owner = -1};
            while (link + u->n_links < last && j->links[link + u->n_links].at < end)
                u->n_links++;
            at = end;
        }
    }
    return RAMUS_OK;
}

int ramus_place_stretch(const ramus_place_job *j, size_t from)
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

int ramus_place_first_unit(const ramus_place_job *j, int stretch)
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

int ramus_unit_belongs(const ramus_place_job *j, const ramus_unit *u, size_t from, size_t to)
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

bool ramus_place_is_sign(const char *text, size_t at, size_t end)
{
    uint32_t code = 0;
    const int n = ramus_utf8_decode(&code, text + at, end - at);
    return n > 0 && (size_t)n == end - at && !is_digit(text[at]) && !ramus_letter(code);
}
