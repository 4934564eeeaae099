/* The index of names against a plain search, with repeated and empty names. */
#include "format/names.h"

#include "base/rng.h"

#include "check.h"

typedef struct {
    const char *name;
    int number;
} thing;

static void records_are_found_by_name(void)
{
    static const thing things[] = {{"b", 0}, {"", 1}, {"ab", 2}, {"a", 3}, {"\xC3\xA4", 4}};
    ramus_error err = {0};
    ramus_names x = {0};
    EXPECT(!ramus_names_find(&x, "a") && !ramus_names_repeated(&x), "{0} is an index of nothing");
    REQUIRE_OK(ramus_names_init(&x, things, 5, sizeof *things, &err), err);
    for (int i = 0; i < 5; i++)
        EXPECT(ramus_names_find(&x, things[i].name) == &things[i], "%s", things[i].name);
    EXPECT(!ramus_names_find(&x, "abc") && !ramus_names_find(&x, "\xC3"), "names not there");
    EXPECT(!ramus_names_repeated(&x), "all differ");
    ramus_names_free(&x);
    REQUIRE_OK(ramus_names_init(&x, NULL, 0, sizeof *things, &err), err);
    EXPECT(!ramus_names_find(&x, "a"), "no records");
    ramus_names_free(&x);
    ramus_names_free(&x);
}

static void a_repeated_name_shows_wherever_it_stands(void)
{
    enum { N = 1000 };
    static thing things[N];
    static char names[N][8];
    const ramus_rng rng = {check_seed(), 0, 0, 0};
    ramus_error err = {0};
    for (int i = 0; i < N; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%d", i);
        things[i] = (thing){names[i], i};
    }
    for (uint64_t round = 0; round < 50; round++) {
        const int a = (int)(ramus_rng_bits(&rng, 2 * round) % N);
        const int b = (int)(ramus_rng_bits(&rng, 2 * round + 1) % N);
        ramus_names x = {0};
        things[a].name = names[b];
        REQUIRE_OK(ramus_names_init(&x, things, N, sizeof *things, &err), err);
        const char *got = ramus_names_repeated(&x);
        if (a == b)
            EXPECT(!got, "all differ");
        else
            EXPECT(got == names[b], "got %s, want %s", got ? got : "none", names[b]);
        things[a].name = names[a];
        ramus_names_free(&x);
    }
}

CHECK_MAIN({"records_are_found_by_name", records_are_found_by_name},
           {"a_repeated_name_shows_wherever_it_stands", a_repeated_name_shows_wherever_it_stands})
