/* loops.h - words that repeat: what a search may forbid, and what is no language any more.
 *
 * A run of words loops when its last words are one sequence of at most RAMUS_LOOP_PERIOD words over
 * and over: at least RAMUS_LOOP_TIMES times, and at least RAMUS_LOOP_WORDS words in all. Of
 * 300,000 lines of real text one does so (docs/design/search.md). */
#ifndef RAMUS_RUNTIME_LOOPS_H
#define RAMUS_RUNTIME_LOOPS_H

#include <stdbool.h>

#define RAMUS_LOOP_PERIOD 16
#define RAMUS_LOOP_TIMES  4
#define RAMUS_LOOP_WORDS  12

/* How many of the n words stay when the loop at their end is cut back to its first round; n when
 * they do not end in a loop. */
int ramus_loop_cut(const int *words, int n);

/* Whether any of the first `from`, `from` + 1, .. n words end in a loop. */
bool ramus_loop_found(const int *words, int n, int from);

/* Whether `next` behind the n words would make a sequence of `size` words occur a second time. */
bool ramus_loop_repeats(const int *words, int n, int next, int size);

#endif
