/* For each period, walk back from the end while tokens repeat; the rule then counts rounds and
 * tokens. */
#include "runtime/loops.h"

#include <string.h>

int ramus_loop_cut(const int *words, int n)
{
    for (int period = 1; period <= RAMUS_LOOP_PERIOD; period++) {
        int start = n - period; // of the stretch whose tokens equal those a period before
        while (start > 0 && words[start - 1] == words[start - 1 + period])
            start--;
        if (n - start >= RAMUS_LOOP_WORDS && n - start >= RAMUS_LOOP_TIMES * period)
            return start + period;
    }
    return n;
}

bool ramus_loop_found(const int *words, int n, int from)
{
    for (int i = from; i <= n; i++)
        if (ramus_loop_cut(words, i) < i) return true;
    return false;
}

bool ramus_loop_repeats(const int *words, int n, int next, int size)
{
    if (n < size) return false;
    const int *tail = words + n - (size - 1); // what `next` would stand behind
    for (int i = size - 1; i < n; i++)
        if (words[i] == next &&
            memcmp(words + i - (size - 1), tail, (size_t)(size - 1) * sizeof *words) == 0)
            return true;
    return false;
}
