/* place.h - the marks of a text find their places in its translation, by alignment.
 *
 * A pair goes around the words that translate its words: the stretch of words with the most of them
 * and the fewest others. A point goes beside the translation of the word it stood beside. Cuts keep
 * their order and stand where the fewest words change sides. What was copied already has its place.
 * The law: every mark is written once, and pairs stay nested as they were. */
#ifndef RAMUS_RUNTIME_PLACE_H
#define RAMUS_RUNTIME_PLACE_H

#include "document/blocks.h"

/* A token of the translation and the bytes of the source that it comes from. */
typedef struct ramus_link {
    size_t at, size;     // of the translation
    size_t from, length; // of the source; length 0: of nothing
} ramus_link;

/* A stretch of the translation and the stretch of the source that it is the translation of. They
 * cover both texts from beginning to end, in order. */
typedef struct ramus_stretch {
    size_t at, size;     // of the translation
    size_t from, length; // of the source
    int first_link, n_links;
    int part; // that was translated; -1: it is a copy
} ramus_stretch;

/* Memory of its own, kept from text to text. Starts as {0}. */
typedef struct ramus_placing {
    struct ramus_unit *units;
    struct ramus_place *places;
    int *stack;
    ramus_mark *marks; // the result, in order
    int n_units, n_marks;
    size_t unit_room, place_room, stack_room, mark_room;
} ramus_placing;

void ramus_placing_free(ramus_placing *p);

/* Places the marks of `source` in its translation `text` of `size` bytes. `kept` are the KEEP marks
 * of the translation, whose places are known, in order; those of `source` are not looked at. The
 * result is p->marks; raw bytes are those of the source. */
RAMUS_CHECKED ramus_status ramus_place_marks(ramus_placing *p, const ramus_marked *source,
                                             const char *text, size_t size,
                                             const ramus_stretch *stretches, int n_stretches,
                                             const ramus_link *links, const ramus_mark *kept,
                                             int n_kept, ramus_error *err);

#endif
