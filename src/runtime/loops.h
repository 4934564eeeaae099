/* loops.h - tokens that repeat: what a search may forbid, and endless repetition.
 *
 * A hypothesis loops when its last tokens are one sequence of at most RAMUS_LOOP_PERIOD tokens,
 * repeated at least RAMUS_LOOP_TIMES times and over at least RAMUS_LOOP_WORDS tokens. Of 300,000
 * lines of real text one does so (docs/design/search.md). */
#ifndef RAMUS_RUNTIME_LOOPS_H
#define RAMUS_RUNTIME_LOOPS_H

#include <stdbool.h>

#define RAMUS_LOOP_PERIOD 16
#define RAMUS_LOOP_TIMES  4
#define RAMUS_LOOP_WORDS  12

/* How many of the n tokens stay when the loop at their end is cut back to its first round; n when
 * they do not end in a loop. */
int ramus_loop_cut(const int *words, int n);

/* Whether the first `from`, or `from` + 1, .. or n tokens end in a loop. */
bool ramus_loop_found(const int *words, int n, int from);

/* Whether `next` behind the n tokens would make a sequence of `size` tokens occur a second time. */
bool ramus_loop_repeats(const int *words, int n, int next, int size);

#endif
