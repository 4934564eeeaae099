/* plain_words.h - the plain meaning of repetition. */
#ifndef RAMUS_TESTS_RUNTIME_PLAIN_WORDS_H
#define RAMUS_TESTS_RUNTIME_PLAIN_WORDS_H

#include <stdbool.h>

/* The last `size` words stand somewhere before, too. */
static inline bool repeats(const int *words, int n, int size)
{
    for (int i = 0; i + size < n; i++) {
        bool same = true;
        for (int j = 0; j < size; j++)
            same = same && words[i + j] == words[n - size + j];
        if (same) return true;
    }
    return false;
}

/* Words that stay when a loop of at least 4 rounds and 12 words is cut back to its first round. */
static inline int cut(const int *words, int n)
{
    for (int period = 1; period <= 16; period++)
        for (int rest = n; rest >= 12 && rest >= 4 * period; rest--) {
            bool same = true;
            for (int i = n - rest + period; i < n; i++)
                same = same && words[i] == words[i - period];
            if (same) return n - rest + period;
        }
    return n;
}

#endif
