/* search_limits.h - whether a search has room for what it is asked. Only search.c needs it. */
#ifndef RAMUS_RUNTIME_SEARCH_LIMITS_H
#define RAMUS_RUNTIME_SEARCH_LIMITS_H

#include "runtime/search.h"

/* Refuses limits that cannot be, and sets those that follow from others. */
RAMUS_CHECKED ramus_status ramus_limits_settle(ramus_search_limits *l, ramus_error *err);

/* The most tokens of a translation of `length` source tokens, and of the longest of n. */
int ramus_limits_target(const ramus_search_limits *l, const ramus_search_options *o, int length);
int ramus_limits_longest(const ramus_search_limits *l, const ramus_search_options *o,
                         const int *lengths, int n);

/* Refuses sentences of these lengths that the search has no room for. */
RAMUS_CHECKED ramus_status ramus_limits_fit(const ramus_search_limits *l,
                                            const ramus_search_options *o, const int *lengths,
                                            int n, ramus_error *err);

/* The same, and options or ids that cannot be. `vocab`: tokens of source and target. */
RAMUS_CHECKED ramus_status ramus_limits_check(const ramus_search_limits *l,
                                              const ramus_search_options *o,
                                              const ramus_source *sources, const int *lengths,
                                              int n, const int vocab[2], ramus_error *err);

#endif
