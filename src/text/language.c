/* The letters of each script are counted, and the script that has most decides. Latin words add up
 * two scores, for English and for German against any third language; powers of two make odds of
 * them. All of it is integer arithmetic. */
#include "text/language.h"

#include "text/language_words.h"

#include "base/status.h"

#include <string.h>

#define ONE        65536 // a probability of 1
#define HAN_SURE   0.8   // that a text is Chinese, to say that it is not in a third language
#define WORDS_MOST 32    // of more words the average counts as often: other languages may be quoted

/* What the letters of a script say. */
typedef struct script_row {
    const char *language; // NULL: several
    int weight;           // of a letter, in Latin letters
    int score;            // of a letter, for the language
} script_row;

static const script_row scripts[RAMUS_N_SCRIPTS] = {
    [RAMUS_SCRIPT_NONE] = {NULL, 0, 0},      [RAMUS_SCRIPT_LATIN] = {NULL, 1, 0},
    [RAMUS_SCRIPT_HAN] = {"zh", 4, 12}, // Japanese has words of them, too
    [RAMUS_SCRIPT_KANA] = {"ja", 4, 64},     [RAMUS_SCRIPT_HANGUL] = {"ko", 4, 64},
    [RAMUS_SCRIPT_GREEK] = {"el", 1, 16},    [RAMUS_SCRIPT_HEBREW] = {"he", 1, 16},
    [RAMUS_SCRIPT_THAI] = {"th", 1, 16},     [RAMUS_SCRIPT_ARMENIAN] = {"hy", 1, 16},
    [RAMUS_SCRIPT_GEORGIAN] = {"ka", 1, 16}, [RAMUS_SCRIPT_OTHER] = {NULL, 1, 16},
};
static const char *const latin[] = {"en", "de"}; // the columns of the table

typedef struct evidence {
    int64_t letters[RAMUS_N_SCRIPTS];
    int64_t words;     // Latin ones
    int64_t scores[2]; // of them
} evidence;

static int64_t within(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static void add_word(evidence *e, const ramus_language_word *word)
{
    uint16_t slots[RAMUS_LANGUAGE_MOST];
    e->letters[word->script] += (int64_t)word->n;
    if (word->script != RAMUS_SCRIPT_LATIN) return;
    e->words++;
    const int n = ramus_language_slots(slots, word);
    for (int k = 0; k < RAMUS_COUNT(latin); k++) {
        int score = 0;
        for (int i = 0; i < n; i++)
            score += ramus_language_table[slots[i]][k];
        e->scores[k] += within(score, RAMUS_LANGUAGE_AGAINST, RAMUS_LANGUAGE_FOR);
    }
}

/* ONE * 2^(-score / UNIT), score >= 0 */
static int64_t power(int64_t score)
{
    static const int roots[RAMUS_LANGUAGE_UNIT] = {65536, 62757, 60097, 57549, 55109, 52772,
                                                   50535, 48393, 46341, 44376, 42495, 40693,
                                                   38968, 37316, 35734, 34219};
    const int64_t whole = score / RAMUS_LANGUAGE_UNIT;
    return whole < 31 ? roots[score % RAMUS_LANGUAGE_UNIT] >> whole : 0;
}

/* A language is named when it is likelier than all others together. */
static const char *guess_latin(const evidence *e, int64_t *certainty)
{
    const int64_t words = e->words < WORDS_MOST ? e->words : WORDS_MOST;
    int64_t scores[3] = {0}, odds[3], all = 0; // the third: any other language
    int best = 2;
    for (int k = 0; k < 2; k++) {
        // without a product that a huge text would overflow
        scores[k] = e->scores[k] / e->words * words + e->scores[k] % e->words * words / e->words;
        if (scores[k] > scores[best]) best = k;
    }
    for (int k = 0; k < 3; k++)
        all += odds[k] = power(scores[best] - scores[k]);
    if (2 * odds[best] < all) best = 2;
    *certainty = odds[best] * ONE / all;
    return best < 2 ? latin[best] : NULL;
}

/* Kana make the Han letters beside them Japanese. */
static void join_japanese(int64_t letters[RAMUS_N_SCRIPTS])
{
    const int64_t han = letters[RAMUS_SCRIPT_HAN], kana = letters[RAMUS_SCRIPT_KANA];
    const bool japanese = kana > han / 10;
    letters[RAMUS_SCRIPT_HAN] = japanese ? 0 : han + kana;
    letters[RAMUS_SCRIPT_KANA] = japanese ? han + kana : 0;
}

const char *ramus_language_guess(const char *text, size_t size, double *certainty)
{
    evidence e = {0};
    ramus_language_words words = {.text = text, .size = size};
    for (ramus_language_word word; ramus_language_next(&words, &word);)
        add_word(&e, &word);
    join_japanese(e.letters);

    int64_t most = 0, all = 0, probability = 0;
    ramus_script script = RAMUS_SCRIPT_NONE;
    for (int i = 1; i < RAMUS_N_SCRIPTS; i++) {
        const int64_t weight = e.letters[i] * scripts[i].weight;
        all += weight;
        if (weight <= most) continue;
        most = weight;
        script = (ramus_script)i;
    }
    const char *language = scripts[script].language;
    if (script == RAMUS_SCRIPT_LATIN)
        language = guess_latin(&e, &probability);
    else if (script)
        probability = ONE * (int64_t)ONE / (ONE + power(e.letters[script] * scripts[script].score));
    // a third of the letters may be foreign: names, terms
    const double share = 3 * most < 2 * all ? (double)most / (double)all : 1;
    const double sure = (double)probability / ONE * share;
    const bool told = !language || sure >= 0.5;
    if (certainty) *certainty = told ? sure : 0;
    return told ? language : NULL;
}

/* Whether `code` is the first n bytes of `language`. */
static bool is_code(const char *code, const char *language, size_t n)
{
    return strlen(code) == n && memcmp(code, language, n) == 0;
}

bool ramus_language_is_guessed(const char *code, size_t size)
{
    static const char *const codes[] = {"en", "de", "zh", "ja", "ko", "el", "he", "th", "hy", "ka"};
    for (int i = 0; i < RAMUS_COUNT(codes); i++)
        if (is_code(codes[i], code, size)) return true;
    return false;
}

bool ramus_language_differs(const char *language, const char *text, size_t size)
{
    double certainty = 0;
    const char *found = ramus_language_guess(text, size, &certainty);
    const size_t n = language ? strcspn(language, "-_") : 0; // without the country
    if (!n) return false;
    // what is not surely Chinese may be Japanese, but nothing else
    const bool han = found && strcmp(found, "zh") == 0 && !is_code("ja", language, n);
    if (certainty < (han ? HAN_SURE : RAMUS_LANGUAGE_SURE)) return false;
    return found ? !is_code(found, language, n) : ramus_language_is_guessed(language, n);
}
