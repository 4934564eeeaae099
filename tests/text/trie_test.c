/* The trie against a plain search over the same words, and its size in the worst case. */
#include "base/rng.h"
#include "text/trie.h"

#include "check.h"

#include <stdbool.h>

#define MAX_ENTRIES 3000

static char memory[MAX_ENTRIES][16];
static ramus_trie_entry entries[MAX_ENTRIES], unsorted[MAX_ENTRIES];

static uint32_t drawn(uint64_t *n)
{
    const ramus_rng rng = {check_seed(), 0, 0, 0};
    return ramus_rng_bits(&rng, (*n)++);
}

static bool equals(const ramus_trie_entry *e, const char *text, int size)
{
    return e->size == size && memcmp(e->text, text, (size_t)size) == 0;
}

static int find_plainly(int n, const char *text, int size)
{
    for (int i = 0; i < n; i++)
        if (equals(&unsorted[i], text, size)) return unsorted[i].value;
    return -1;
}

/* Random texts over `letters` bytes (1 to 255), none twice. */
static int draw_entries(int wanted, uint32_t letters, uint64_t *drawings)
{
    int n = 0;
    for (int k = 0; k < wanted; k++) {
        const int size = 1 + (int)(drawn(drawings) % 12);
        for (int i = 0; i < size; i++)
            memory[n][i] = (char)(1 + drawn(drawings) % letters);
        if (find_plainly(n, memory[n], size) >= 0) continue;
        unsorted[n] = (ramus_trie_entry){memory[n], size, (int32_t)(drawn(drawings) >> 1), NULL};
        n++;
    }
    return n;
}

static void trie_finds_what_a_plain_search_finds(void)
{
    static const uint32_t letters[] = {1, 2, 3, 16, 255};
    static const int sizes[] = {0, 1, 2, 300, MAX_ENTRIES};
    uint64_t drawings = 0;
    for (int c = 0; c < 25; c++) {
        const int n = draw_entries(sizes[c % 5], letters[c / 5], &drawings);
        memcpy(entries, unsorted, sizeof entries);
        ramus_error err = {0};
        ramus_trie t = {0};
        REQUIRE_OK(ramus_trie_build(&t, entries, n, &err), err);
        for (int i = 0; i < n; i++)
            EXPECT_INT(ramus_trie_find(&t, unsorted[i].text, (size_t)unsorted[i].size),
                       unsorted[i].value, "value");
        for (int k = 0; k < 300; k++) {
            char text[20];
            for (int i = 0; i < 20; i++) // a zero byte too
                text[i] = (char)(drawn(&drawings) % (letters[c / 5] + 1));
            int longest = 0;
            for (int size = 1; size <= 20; size++) {
                const int want = find_plainly(n, text, size);
                EXPECT_INT(ramus_trie_find(&t, text, (size_t)size), want, "value of any text");
                if (want >= 0) longest = size;
            }
            EXPECT_INT(ramus_trie_longest(&t, text, 20), longest, "longest");
        }
        EXPECT_INT(ramus_trie_find(&t, "", 0), -1, "the empty text");
        ramus_trie_free(&t);
    }
}

static void trie_of_all_pairs_of_bytes_is_compact(void)
{
    enum { N = 255 * 255 };
    ramus_trie_entry *all = calloc(N, sizeof *all);
    char(*pairs)[2] = malloc(N * sizeof *pairs);
    for (int i = 0; i < N; i++) {
        pairs[i][0] = (char)(1 + i / 255);
        pairs[i][1] = (char)(1 + i % 255);
        all[N - 1 - i] = (ramus_trie_entry){pairs[i], 2, i, NULL};
    }
    ramus_error err = {0};
    ramus_trie t = {0};
    REQUIRE_OK(ramus_trie_build(&t, all, N, &err), err);
    EXPECT(t.n_units <= 257 * 256, "%d units", t.n_units);
    for (int i = 0; i < N; i++)
        EXPECT_INT(ramus_trie_find(&t, pairs[i], 2), i, "value");
    ramus_trie_free(&t);
    free(pairs);
    free(all);
}

static void equal_texts_are_refused(void)
{
    ramus_trie_entry twice[] = {{"ab", 2, 7, NULL}, {"a", 1, 1, NULL}, {"ab", 2, 3, NULL}};
    ramus_error err = {0};
    ramus_trie t = {0};
    EXPECT_FAILS(ramus_trie_build(&t, twice, 3, &err), err, "piece 7 has the text of piece 3");
    ramus_trie_free(&t);
}

CHECK_MAIN({"trie_finds_what_a_plain_search_finds", trie_finds_what_a_plain_search_finds},
           {"trie_of_all_pairs_of_bytes_is_compact", trie_of_all_pairs_of_bytes_is_compact},
           {"equal_texts_are_refused", equal_texts_are_refused})
