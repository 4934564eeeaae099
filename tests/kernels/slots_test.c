/* What every row has, and that the table of this machine uses it. A kernel that falls out of a row
 * or of the overlay leaves all results right and makes them slow, so no other test would see it. */
#include "kernels/halves.h"

#define NAME(name, type, class) #name " "
#define ALL                     RAMUS_KERNEL_SLOTS(NAME)
#define ALL_TRAIN               RAMUS_TRAIN_SLOTS(NAME)

/* The slots that each row fills. */
static const struct {
    bool train;
    const char *isa, *slots;
} expected[] = {
    {false, "ref", ALL},
    {false, "avx2", ALL},
    {false, "avx512",
     "linear quantize sum_groups softmax log_sum_exp top_k norm attention "
     "convolution embed embed_i8 embed_i4 add axpy relu swish gelu glu cross_entropy "},
    {false, "avx512vnni", "linear_i8 linear_i4 "},
    {false, "neon", ALL},
    {false, "dotprod", "linear_i8 linear_i4 "},
    {false, "simd128", ALL},
    {true, "ref", ALL_TRAIN},
    {true, "avx2", ALL_TRAIN},
    {true, "avx512", ALL_TRAIN},
    {true, "avx512vnni", "gemm_bf16 "},
    {true, "neon", ALL_TRAIN},
};

/* Whether one of the words of the list, each with a space behind it, is this. */
static bool lists(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (; *words; words = strchr(words, ' ') + 1)
        if (strncmp(words, word, length) == 0 && words[length] == ' ') return true;
    return false;
}

static const char *expected_slots(const half *h, const char *isa)
{
    for (int i = 0; i < LENGTH(expected); i++)
        if (expected[i].train == h->train && strcmp(expected[i].isa, isa) == 0)
            return expected[i].slots;
    return NULL;
}

static void every_row_has_the_kernels_that_are_listed(void)
{
    for (const half *h = halves; h < halves + HALVES; h++)
        for (int r = 0; r < row_count(h); r++) {
            const table row = row_at(h, r);
            const char *list = expected_slots(h, row.kernels.isa);
            EXPECT(list != NULL, "row %s is not in the list of this test", row.kernels.isa);
            for (int i = 0; list && i < h->n_slots; i++)
                EXPECT((slot_of(&row, &h->slots[i]) != 0) == lists(list, h->slots[i].name),
                       "%s: %s is %s", row.kernels.isa, h->slots[i].name,
                       slot_of(&row, &h->slots[i]) ? "there" : "missing");
        }
}

static void the_table_uses_what_its_row_has(void)
{
    for (const half *h = halves; h < halves + HALVES; h++)
        for (int r = 0; r < row_count(h); r++) {
            const table row = row_at(h, r);
            table chosen = {0};
            if (!is_usable(&row)) continue;
            EXPECT(select_table(&chosen, h, row.kernels.isa), "%s", row.kernels.isa);
            EXPECT_TEXT(chosen.kernels.isa, row.kernels.isa);
            for (int i = 0; i < h->n_slots; i++) {
                const uintptr_t own = slot_of(&row, &h->slots[i]);
                EXPECT(own ? slot_of(&chosen, &h->slots[i]) == own
                           : slot_of(&chosen, &h->slots[i]) != 0,
                       "%s: the table has another %s than the row", row.kernels.isa,
                       h->slots[i].name);
            }
        }
}

static void every_slot_has_a_case(void)
{
    for (const half *h = halves; h < halves + HALVES; h++) {
        for (int i = 0; i < h->n_slots; i++) {
            int cases = 0;
            for (int c = 0; c < h->n_cases; c++)
                cases += strcmp(h->cases[c].slot, h->slots[i].name) == 0;
            EXPECT(cases > 0, "%s has no case", h->slots[i].name);
        }
        for (int c = 0; c < h->n_cases; c++)
            EXPECT(slot_named(h, h->cases[c].slot), "case %s is of no slot", h->cases[c].name);
    }
}

static void a_cap_leaves_the_rows_up_to_it(void)
{
    for (const half *h = halves; h < halves + HALVES; h++) {
        const table ref = row_at(h, 0);
        table chosen = {0};
        EXPECT(select_table(&chosen, h, "ref"), "ref");
        for (int i = 0; i < h->n_slots; i++)
            EXPECT(slot_of(&chosen, &h->slots[i]) == slot_of(&ref, &h->slots[i]), "ref: %s",
                   h->slots[i].name);
        EXPECT(!select_table(&chosen, h, "mmx"), "an unknown isa");
        EXPECT(select_table(&chosen, h, NULL), "no cap");
        for (int r = 0; r < ramus_kernels_count(); r++) // training has no row for some of them
            EXPECT(select_table(&chosen, h, ramus_kernels_at(r)->isa), "%s",
                   ramus_kernels_at(r)->isa);
    }
}

/* Sets RAMUS_ISA and chooses; returns the sentence, or NULL where the choice is fine. */
static const char *choose_under(const char *isa)
{
    static ramus_error err;
    ramus_kernels k;
    ramus_train_kernels t;
    if (isa)
        (void)setenv("RAMUS_ISA", isa, 1);
    else
        (void)unsetenv("RAMUS_ISA");
    const ramus_status st = ramus_kernels_choose(&k, &err);
    EXPECT_INT(ramus_train_kernels_choose(&t, NULL), st, "both halves choose alike");
    EXPECT(st == RAMUS_OK || st == RAMUS_BAD_ARGUMENT, "status %d", (int)st);
    return st ? err.message : NULL;
}

static void an_isa_that_is_not_there_is_an_error(void)
{
    const char *wrong = choose_under("foo");
    EXPECT(wrong && strstr(wrong, "RAMUS_ISA is 'foo', expected one of: ref"), "%s", wrong);
    EXPECT(choose_under("AVX2") != NULL, "names are lower case");
    EXPECT(choose_under("") == NULL && choose_under(NULL) == NULL, "not set");
    for (int r = 0; r < ramus_kernels_count(); r++) {
        const ramus_kernels *row = ramus_kernels_at(r);
        wrong = choose_under(row->isa);
        if (ramus_cpu_has(row->needs))
            EXPECT(!wrong, "%s: %s", row->isa, wrong);
        else
            EXPECT(wrong && strstr(wrong, "which this CPU lacks, expected one of: ref"), "%s: %s",
                   row->isa, wrong ? wrong : "no error");
    }
    (void)unsetenv("RAMUS_ISA");
}

CHECK_MAIN({"every_row_has_the_kernels_that_are_listed", every_row_has_the_kernels_that_are_listed},
           {"the_table_uses_what_its_row_has", the_table_uses_what_its_row_has},
           {"every_slot_has_a_case", every_slot_has_a_case},
           {"a_cap_leaves_the_rows_up_to_it", a_cap_leaves_the_rows_up_to_it},
           {"an_isa_that_is_not_there_is_an_error", an_isa_that_is_not_there_is_an_error})
