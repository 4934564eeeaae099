/* What a search has room for, and what it is asked: checked before anything runs, so that the
 * search itself has no failures. */
#include "runtime/search_limits.h"

#include <limits.h>

ramus_status ramus_limits_settle(ramus_search_limits *l, ramus_error *err)
{
    const int least[] = {l->beam, l->sentences, l->source_tokens, l->source_length,
                         l->target_length};
    for (int i = 0; i < (int)(sizeof least / sizeof *least); i++)
        if (least[i] < 1)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT, "a search limit is %d, expected 1 or more",
                              least[i]);
    const double positions = (double)l->sentences * l->beam * l->target_length;
    if (l->positions < 0 || (l->positions == 0 && positions > INT_MAX))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "a search with %.0f positions, expected 1 to %d",
                          l->positions ? (double)l->positions : positions, INT_MAX);
    if ((double)l->sentences * l->beam > INT_MAX)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d sentences with beam %d are too many",
                          l->sentences, l->beam);
    if (l->positions == 0) l->positions = (int)positions;
    return RAMUS_OK;
}

int ramus_limits_target(const ramus_search_limits *l, const ramus_search_options *o, int length)
{
    const double limit = length * o->length_ratio + o->extra_length;
    if (!(limit > 1)) return 1;
    return limit < l->target_length ? (int)limit : l->target_length;
}

int ramus_limits_longest(const ramus_search_limits *l, const ramus_search_options *o,
                         const int *lengths, int n)
{
    int longest = 0;
    for (int i = 0; i < n; i++) {
        const int limit = ramus_limits_target(l, o, lengths[i]);
        if (limit > longest) longest = limit;
    }
    return longest;
}

ramus_status ramus_limits_fit(const ramus_search_limits *l, const ramus_search_options *o,
                              const int *lengths, int n, ramus_error *err)
{
    if (n < 1 || n > l->sentences || o->beam < 1 || o->beam > l->beam)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%d sentences with beam %d, the search has room for %d with beam %d", n,
                          o->beam, l->sentences, l->beam);
    for (int i = 0, left = l->source_tokens; i < n; left -= lengths[i++]) {
        const int most = l->source_length < left ? l->source_length : left;
        if (lengths[i] < 1 || lengths[i] > most)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "sentence %d has %d tokens, the search has room for %d", i + 1,
                              lengths[i], most);
    }
    const int longest = ramus_limits_longest(l, o, lengths, n);
    if (longest > l->positions / (n * o->beam))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%d translations of up to %d tokens with beam %d, the search has %d "
                          "positions",
                          n, longest, o->beam, l->positions);
    return RAMUS_OK;
}

static ramus_status check_options(const ramus_search_options *o, int target_vocab, ramus_error *err)
{
    if (o->greedy && o->beam != 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "greedy with beam %d, expected 1", o->beam);
    if (o->eos < -1 || o->eos >= target_vocab)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "EOS is the word %d, the model has words 0 to %d", o->eos,
                          target_vocab - 1);
    if (o->no_repeat < 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "sequences of %d words may not repeat, expected 0 or more", o->no_repeat);
    return RAMUS_OK;
}

static ramus_status check_words(const int *words, int n, int vocab, int number, ramus_error *err)
{
    for (int i = 0; i < n; i++)
        if (words[i] < 0 || words[i] >= vocab)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "sentence %d has the word %d, the model has words 0 to %d", number,
                              words[i], vocab - 1);
    return RAMUS_OK;
}

static ramus_status check_prefix(const ramus_search_limits *l, const ramus_search_options *o,
                                 const ramus_source *source, int target_vocab, int number,
                                 ramus_error *err)
{
    const int n = source->prefix ? source->prefix_length : 0,
              limit = ramus_limits_target(l, o, source->length);
    if (n < 0 || n > limit)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "sentence %d begins with %d given words, its translation has at most %d",
                          number, n, limit);
    for (int i = 0; i < n; i++)
        if (source->prefix[i] == o->eos)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "the given beginning of sentence %d has EOS in it", number);
    return check_words(source->prefix, n, target_vocab, number, err);
}

ramus_status ramus_limits_check(const ramus_search_limits *l, const ramus_search_options *o,
                                const ramus_source *sources, const int *lengths, int n,
                                const int vocab[2], ramus_error *err)
{
    ramus_status st = check_options(o, vocab[1], err);
    if (!st) st = ramus_limits_fit(l, o, lengths, n, err);
    for (int i = 0; i < n && !st; i++) {
        st = check_words(sources[i].ids, sources[i].length, vocab[0], i + 1, err);
        if (!st) st = check_prefix(l, o, &sources[i], vocab[1], i + 1, err);
    }
    return st;
}
