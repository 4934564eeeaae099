/* check.h - the smallest test harness: a table of named facts, a seed, and a count.
 *
 *     static void arena_gives_zeros(void) { ... EXPECT(p[0] == 0, "first byte is %d", p[0]); ... }
 *     CHECK_MAIN({"arena_gives_zeros", arena_gives_zeros}, ...)
 *
 * Options of every test program: --seed N, and names of facts to run only these. */
#ifndef RAMUS_TESTS_CHECK_H
#define RAMUS_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_fact {
    const char *name;
    void (*run)(void);
} check_fact;

/* Sanitizers are there for memory, not for results, and far slower: what only repeats code that was
 * run already may be left out then. */
#if defined(__SANITIZE_ADDRESS__)
#define CHECK_SANITIZED 1
#else
#define CHECK_SANITIZED 0
#endif

static unsigned check_seed_value = 20220101;
static long check_expectations, check_failures;
static const char *check_name = "";

static inline unsigned check_seed(void)
{
    return check_seed_value;
}

/* Reports the first failures of a fact in full and counts the rest. */
static inline int check_failed(const char *file, int line, const char *condition)
{
    if (check_failures++ >= 20) return 0;
    fprintf(stderr, "%s:%d: in %s (seed %u): %s: ", file, line, check_name, check_seed_value,
            condition);
    return 1;
}

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        check_expectations++;                                                                      \
        if (!(condition) && check_failed(__FILE__, __LINE__, #condition)) {                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

#define EXPECT_INT(got, want, what)                                                                \
    EXPECT((long long)(got) == (long long)(want), "%s: got %lld, want %lld", what,                 \
           (long long)(got), (long long)(want))

#define EXPECT_NEAR(got, want, bound, what)                                                        \
    EXPECT(fabs((double)(got) - (double)(want)) <= (bound), "%s: got %.9g, want %.9g +- %.3g",     \
           what, (double)(got), (double)(want), (double)(bound))

#define EXPECT_TEXT(got, want)                                                                     \
    EXPECT(strcmp((got), (want)) == 0, "got \"%s\", want \"%s\"", (got), (want))

#define EXPECT_BYTES(got, want, size, ...) EXPECT(memcmp((got), (want), (size)) == 0, __VA_ARGS__)

/* A call that must succeed before the rest of the fact makes sense. */
#define REQUIRE_OK(call, err)                                                                      \
    do {                                                                                           \
        check_expectations++;                                                                      \
        if (call) {                                                                                \
            check_failed(__FILE__, __LINE__, #call);                                               \
            fprintf(stderr, "%s\n", (err).message);                                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A call that must fail, with `part` in its sentence. */
#define EXPECT_FAILS(call, err, part)                                                              \
    do {                                                                                           \
        (err).message[0] = '\0';                                                                   \
        const int check_status = (int)(call);                                                      \
        EXPECT(check_status != 0 && strstr((err).message, (part)),                                 \
               "status %d, message \"%s\", expected one with \"%s\"", check_status, (err).message, \
               (part));                                                                            \
    } while (0)

static inline int check_run(int argc, char **argv, const check_fact *facts, int n)
{
    int named = 0, ran = 0;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            check_seed_value = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            named++;
    for (int f = 0; f < n; f++) {
        int wanted = !named;
        for (int i = 1; i < argc; i++)
            if (strcmp(argv[i], facts[f].name) == 0) wanted = 1;
        if (!wanted) continue;
        const long before = check_failures;
        check_name = facts[f].name;
        facts[f].run();
        ran++;
        printf("%s %s\n", check_failures == before ? "ok  " : "FAIL", facts[f].name);
    }
    printf("%d facts, %ld expectations, %ld failed (seed %u)\n", ran, check_expectations,
           check_failures, check_seed_value);
    return check_failures > 0 || ran == 0;
}

#define CHECK_MAIN(...)                                                                            \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const check_fact facts[] = {__VA_ARGS__};                                           \
        return check_run(argc, argv, facts, (int)(sizeof facts / sizeof facts[0]));                \
    }

#endif
