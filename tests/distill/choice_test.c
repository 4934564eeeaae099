/* Which translation a student learns from, against plain loops over n-grams. */
#include "distill/choice.h"

#include "base/rng.h"
#include "check.h"

#define LINES 400
#define BEST  5
#define WORDS 12

static uint32_t draw(int *at, uint32_t below)
{
    const ramus_rng rng = {check_seed(), 3, 0, 0};
    return (uint32_t)(ramus_rng_uniform(&rng, (uint64_t)(*at)++) * below);
}

/* A line of at most WORDS words of a few letters; few words, so that n-grams meet. */
static void make_line(char *out, int *at)
{
    static const char *const words[] = {"ab", "ba", "abc", "c", "cab", "bab"};
    const int n = 1 + (int)draw(at, WORDS);
    for (int i = 0, used = 0; i < n; i++)
        used += snprintf(out + used, 8, i ? " %s" : "%s", words[draw(at, 6)]);
}

/* The n-grams of two sequences of symbols that match, each counted as often as the rarer has it. */
static int matches(const char *const *a, int n_a, const char *const *b, int n_b, int order)
{
    bool used[128] = {false};
    int found = 0;
    for (int i = 0; i + order <= n_a; i++)
        for (int j = 0; j + order <= n_b; j++) {
            int k = 0;
            while (k < order && strcmp(a[i + k], b[j + k]) == 0)
                k++;
            if (k < order || used[j]) continue;
            used[j] = true;
            found++;
            break;
        }
    return found;
}

static int split(char *text, bool letters, const char **out, char (*room)[8])
{
    int n = 0;
    if (letters) {
        for (const char *c = text; *c; c++)
            if (*c != ' ') {
                (void)snprintf(room[n], 8, "%c", *c);
                out[n] = room[n];
                n++;
            }
        return n;
    }
    char *next = NULL;
    for (char *word = strtok_r(text, " ", &next); word; word = strtok_r(NULL, " ", &next))
        out[n++] = word;
    return n;
}

/* SacreBLEU's sentence_bleu: orders that the sentence is long enough for, zeros halved in turn. */
static double plain_bleu(const char *const *hyp, int n, const char *const *ref, int n_ref)
{
    double logs = 0, halves = 1;
    int orders = 0, any = 0;
    for (int order = 1; order <= 4 && n - order + 1 > 0; order++, orders++) {
        const int found = matches(hyp, n, ref, n_ref, order);
        any += found;
        if (!found) halves *= 2;
        logs += log(found ? (double)found / (n - order + 1) : 1 / (halves * (n - order + 1)));
    }
    if (!any) return 0;
    return 100 * exp(logs / orders) * (n < n_ref ? exp(1 - (double)n_ref / n) : 1);
}

/* chrF2: precision and recall are means over the orders that both have. */
static double plain_chrf(const char *const *hyp, int n, const char *const *ref, int n_ref)
{
    double precision = 0, recall = 0;
    int orders = 0;
    for (int order = 1; order <= 6 && order <= n && order <= n_ref; order++, orders++) {
        const double found = matches(hyp, n, ref, n_ref, order);
        precision += found / (n - order + 1);
        recall += found / (n_ref - order + 1);
    }
    precision /= orders;
    recall /= orders;
    return precision + recall > 0 ? 100 * 5 * precision * recall / (4 * precision + recall) : 0;
}

static double plain_score(ramus_closest by, const char *hypothesis, const char *reference)
{
    static char hyp[256], ref[256], rooms[2][128][8];
    const char *a[128], *b[128];
    const bool letters = by == RAMUS_CLOSEST_CHRF;
    (void)snprintf(hyp, sizeof hyp, "%s", hypothesis);
    (void)snprintf(ref, sizeof ref, "%s", reference);
    const int n = split(hyp, letters, a, rooms[0]), n_ref = split(ref, letters, b, rooms[1]);
    return letters ? plain_chrf(a, n, b, n_ref) : plain_bleu(a, n, b, n_ref);
}

static ramus_chooser *make_chooser(ramus_closest closest, double max_ratio)
{
    const ramus_choice_rule rule = {closest, ramus_tokenization_find("13a"), max_ratio};
    ramus_error err = {0};
    ramus_chooser *c = NULL;
    REQUIRE_OK(ramus_chooser_create(&c, &rule, &err), err);
    return c;
}

static ramus_chosen choose(ramus_chooser *c, const ramus_translation *t, int n,
                           const char *reference)
{
    ramus_error err = {0};
    ramus_chosen chosen = {0};
    REQUIRE_OK(ramus_chooser_run(c, t, n, ramus_line_of(reference), &chosen, &err), err);
    return chosen;
}

static ramus_translation translation(const char *text, unsigned notes, int n_source, int n_target)
{
    return (ramus_translation){.text = text,
                               .size = text ? strlen(text) : 0,
                               .notes = notes,
                               .n_source = n_source,
                               .n_target = n_target};
}

static void closest_by(ramus_closest by)
{
    static char texts[BEST][128], reference[128];
    ramus_chooser *c = make_chooser(by, 0);
    int at = 0, not_first = 0;
    for (int line = 0; line < LINES; line++) {
        ramus_translation t[BEST];
        double scores[BEST], best = -1;
        make_line(reference, &at);
        for (int i = 0; i < BEST; i++) {
            make_line(texts[i], &at);
            t[i] = translation(texts[i], draw(&at, 5) ? 0 : RAMUS_NOTE_LOOP, 5, 5);
            scores[i] = t[i].notes ? -1 : plain_score(by, texts[i], reference);
            if (scores[i] > best) best = scores[i];
        }
        const ramus_chosen chosen = choose(c, t, BEST, reference);
        EXPECT_INT(chosen.verdict, best < 0 ? RAMUS_DROPPED_LOOP : RAMUS_KEPT, "verdict");
        if (chosen.verdict != RAMUS_KEPT) continue;
        EXPECT_NEAR(scores[chosen.index], best, 1e-9, "score of the chosen one");
        for (int i = 0; i < chosen.index; i++)
            EXPECT(scores[i] < best, "line %d: of equal ones %d is better than %d", line, i,
                   chosen.index);
        not_first += chosen.index > 0;
    }
    EXPECT(not_first > LINES / 4, "%d of %d are not the first", not_first, LINES);
    ramus_chooser_destroy(c);
}

static void the_closest_is_that_of_plain_loops(void)
{
    closest_by(RAMUS_CLOSEST_BLEU);
    closest_by(RAMUS_CLOSEST_CHRF);
}

static void each_reason_to_drop(void)
{
    ramus_chooser *c = make_chooser(RAMUS_CLOSEST_NONE, 3);
    const struct {
        ramus_translation t;
        ramus_verdict verdict;
    } cases[] = {
        {translation("yes", 0, 1, 1), RAMUS_KEPT},
        {translation("", 0, 0, 0), RAMUS_DROPPED_EMPTY},
        {translation("yes", RAMUS_NOTE_INVALID, 1, 1), RAMUS_DROPPED_INVALID},
        {translation("", 0, 1, 0), RAMUS_DROPPED_UNTRANSLATED},
        {translation(" ", 0, 1, 1), RAMUS_DROPPED_UNTRANSLATED},
        {translation("a a", RAMUS_NOTE_LOOP | RAMUS_NOTE_LIMIT, 1, 99), RAMUS_DROPPED_LOOP},
        {translation("a b", RAMUS_NOTE_LIMIT, 2, 2), RAMUS_DROPPED_UNFINISHED},
        {translation("a b", RAMUS_NOTE_SPLIT, 2, 2), RAMUS_KEPT},
        {translation("a b", 0, 1, 5), RAMUS_KEPT}, // 2 and 6 with EOS
        {translation("a b", 0, 1, 6), RAMUS_DROPPED_RATIO},
        {translation("a b", 0, 5, 1), RAMUS_KEPT},
        {translation("a b", 0, 6, 1), RAMUS_DROPPED_RATIO},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++)
        EXPECT_INT(choose(c, &cases[i].t, 1, "").verdict, cases[i].verdict, "verdict");
    ramus_chooser_destroy(c);
    c = make_chooser(RAMUS_CLOSEST_NONE, 0);
    EXPECT_INT(choose(c, &cases[9].t, 1, "").verdict, RAMUS_KEPT, "any ratio");
    ramus_chooser_destroy(c);
}

static void without_a_reference_the_best_that_passes(void)
{
    ramus_chooser *c = make_chooser(RAMUS_CLOSEST_NONE, 3);
    const ramus_translation t[] = {translation("a a", RAMUS_NOTE_LOOP, 3, 3),
                                   translation("a", 0, 3, 50), translation("b", 0, 3, 3),
                                   translation("c", 0, 3, 3), translation(NULL, 0, 3, 0)};
    EXPECT_INT(choose(c, t, 5, "c").index, 2, "the first that passes");
    EXPECT_INT(choose(c, t, 2, "c").verdict, RAMUS_DROPPED_LOOP, "the verdict on the best");
    EXPECT_INT(choose(c, t + 3, 2, "c").index, 0, "fewer than were asked for");
    ramus_chooser_destroy(c);
}

CHECK_MAIN({"the_closest_is_that_of_plain_loops", the_closest_is_that_of_plain_loops},
           {"each_reason_to_drop", each_reason_to_drop},
           {"without_a_reference_the_best_that_passes", without_a_reference_the_best_that_passes})
