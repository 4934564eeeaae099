/* place_parts.h - what place.c works on: the units of a translation. A unit is a word, a run of
 * digits, one sign, or a kept stretch. */
#ifndef RAMUS_RUNTIME_PLACE_PARTS_H
#define RAMUS_RUNTIME_PLACE_PARTS_H

#include "runtime/place.h"

typedef struct ramus_unit {
    size_t at, end;
    int stretch;
    int first_link, n_links; // that overlap it
    int owner;               // the mark of the innermost pair that took it; -1: none yet
} ramus_unit;

/* Where a mark goes. */
typedef struct ramus_place {
    size_t at;
    int phase, rank, late; // order among marks at one place, see set_order()
    int mark;              // number among the marks of the source; a kept one: -1 - its number
    int parent;            // the OPEN of the pair around it; -1: none
    int depth;             // pairs around it
    int first, last;       // OPEN: the units of the pair are first .. last - 1
} ramus_place;

/* What ramus_place_marks() was given. */
typedef struct {
    ramus_placing *p;
    const ramus_marked *source;
    const char *text;
    size_t size;
    const ramus_stretch *stretches;
    int n_stretches;
    const ramus_link *links;
} ramus_place_job;

/* Cuts the translation into units. A kept stretch is one unit, whatever is in it. */
RAMUS_CHECKED ramus_status ramus_units_cut(const ramus_place_job *j, const ramus_mark *kept,
                                           int n_kept, ramus_error *err);

/* The stretch that has byte `from` of the source; behind the end the last one. */
int ramus_place_stretch(const ramus_place_job *j, size_t from);

/* The first unit of a stretch, or of the next one that has any. */
int ramus_place_first_unit(const ramus_place_job *j, int stretch);

/* Does a unit translate source bytes [from, to)? 1 yes, -1 no, 0 it has no links. */
int ramus_unit_belongs(const ramus_place_job *j, const ramus_unit *u, size_t from, size_t to);

/* Whether text[at .. end) is one sign, such as a comma. */
bool ramus_place_is_sign(const char *text, size_t at, size_t end);

#endif
