/* Makes the table that languages are guessed by: logistic regression with three classes, English,
 * German and others, over pieces of 1 to 40 words that are cut from lines at random.
 *
 *     train SAMPLES OUT.c <LIST
 *
 * Each line of LIST is a class (0 English, 1 German, 2 others), a weight and a text file: how often
 * its lines are drawn. The scores of a word stay within the bounds that language.c has, and weights
 * within a byte, so that the table is the model itself. */
#include "text/language_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES      1000
#define WORDS      40
#define LINE_BYTES 2000
#define RATE       0.3 // of AdaGrad; falls linearly to 0
#define LN2        0.69314718055994530942

typedef struct {
    char *text;
    size_t *lines; // n + 1 offsets
    size_t n;
    double weight;
    int class;
} source;

/* A piece of a line: the slots of its words one after the other. */
typedef struct {
    int words, starts[WORDS + 1];
    uint16_t slots[WORDS * RAMUS_LANGUAGE_MOST];
} piece;

typedef struct {
    double weight[RAMUS_LANGUAGE_SLOTS][2];  // natural logarithms of odds
    double squares[RAMUS_LANGUAGE_SLOTS][2]; // of gradients, summed
} model;

static source sources[FILES];
static int n_sources;
static double shares[3]; // sums of weights
static model m;

static double drawn(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 33) / 2147483648.0;
}

static size_t drawn_below(size_t n)
{
    return (size_t)(drawn() * (double)n);
}

static void fail(const char *what, const char *name)
{
    (void)fprintf(stderr, "train: %s: %s\n", what, name);
    exit(1);
}

static void load(const char *path, int class, double weight)
{
    source s = {.class = class, .weight = weight};
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("cannot open", path);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    s.text = malloc(size + 1);
    s.lines = malloc((size + 2) * sizeof *s.lines);
    if (!s.text || !s.lines || fread(s.text, 1, size, file) != size) fail("cannot read", path);
    (void)fclose(file);
    s.lines[0] = 0;
    for (size_t i = 0; i < size; i++)
        if (s.text[i] == '\n') s.lines[++s.n] = i + 1;
    if (!s.n) fail("has no lines", path);
    if (n_sources == FILES) fail("more files than there is room for", path);
    s.lines = realloc(s.lines, (s.n + 1) * sizeof *s.lines);
    sources[n_sources++] = s;
    shares[class] += weight;
}

/* Each class is as frequent as the others. */
static const source *draw_source(void)
{
    const int class = (int)drawn_below(3);
    double left = drawn() * shares[class];
    const source *chosen = NULL;
    for (int i = 0; i < n_sources && (!chosen || left >= 0); i++)
        if (sources[i].class == class) {
            chosen = &sources[i];
            left -= chosen->weight;
        }
    return chosen;
}

static size_t draw_length(void)
{
    const double x = drawn();
    if (x < 0.2) return 1;
    if (x < 0.4) return 2;
    if (x < 0.7) return 3 + drawn_below(3);
    return x < 0.95 ? 6 + drawn_below(10) : WORDS;
}

static size_t count_words(const char *line, size_t size)
{
    ramus_language_words words = {.text = line, .size = size};
    size_t n = 0;
    for (ramus_language_word word; ramus_language_next(&words, &word);)
        n += word.script == RAMUS_SCRIPT_LATIN;
    return n;
}

/* Cuts some words out of a line. */
static void draw_piece(piece *p, const source *s)
{
    const size_t line = drawn_below(s->n);
    const char *text = s->text + s->lines[line];
    size_t size = s->lines[line + 1] - s->lines[line] - 1, at = 0;
    if (size > LINE_BYTES) size = LINE_BYTES;
    const size_t all = count_words(text, size), length = draw_length();
    const size_t first = all > length ? drawn_below(all - length + 1) : 0;
    ramus_language_words words = {.text = text, .size = size};
    p->words = p->starts[0] = 0;
    for (ramus_language_word word; ramus_language_next(&words, &word);) {
        if (word.script != RAMUS_SCRIPT_LATIN) continue;
        if (at >= first && at < first + length) {
            const int start = p->starts[p->words];
            p->starts[++p->words] = start + ramus_language_slots(p->slots + start, &word);
        }
        at++;
    }
}

/* The score of a word for class k, before it is bounded. */
static double score_word(const piece *p, int word, int k)
{
    double score = 0;
    for (int i = p->starts[word]; i < p->starts[word + 1]; i++)
        score += m.weight[p->slots[i]][k];
    return score;
}

static double bounded(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* A natural logarithm from a score of language_words.h. */
static double natural(double score)
{
    return score / RAMUS_LANGUAGE_UNIT * LN2;
}

/* A step down the gradient of the loss of a word whose probability is wrong by `error`; a word out
 * of bounds that would move further out stays. */
static void update(const piece *p, int word, int k, double error, double rate)
{
    const double limit = natural(INT8_MAX), score = score_word(p, word, k);
    if (score > natural(RAMUS_LANGUAGE_FOR) && error < 0) return;
    if (score < natural(RAMUS_LANGUAGE_AGAINST) && error > 0) return;
    for (int i = p->starts[word]; i < p->starts[word + 1]; i++) {
        double *w = &m.weight[p->slots[i]][k], *squares = &m.squares[p->slots[i]][k];
        *squares += error * error;
        *w = bounded(*w - rate * error / sqrt(*squares + 1), -limit, limit);
    }
}

/* Returns the loss in bits. */
static double learn(const piece *p, int class, double rate)
{
    double scores[3] = {0}, odds[3], all = 0;
    for (int k = 0; k < 2; k++)
        for (int w = 0; w < p->words; w++)
            scores[k] += bounded(score_word(p, w, k), natural(RAMUS_LANGUAGE_AGAINST),
                                 natural(RAMUS_LANGUAGE_FOR));
    const double most = fmax(0, fmax(scores[0], scores[1]));
    for (int k = 0; k < 3; k++)
        all += odds[k] = exp(scores[k] - most);
    for (int k = 0; k < 2; k++) {
        const double error = odds[k] / all - (class == k);
        for (int w = 0; w < p->words && fabs(error) > 1e-4; w++)
            update(p, w, k, error, rate);
    }
    return -log(odds[class] / all + 1e-12) / LN2;
}

static void write_table(const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out) fail("cannot open", path);
    (void)fprintf(out,
                  "/* Made by recipes/language/run: scores of English and German, slot by slot. "
                  "*/\n#include \"text/language_words.h\"\n\n// clang-format off\n"
                  "const int8_t ramus_language_table[RAMUS_LANGUAGE_SLOTS][2] = {");
    for (int i = 0; i < RAMUS_LANGUAGE_SLOTS; i++)
        (void)fprintf(out, "%s{%ld,%ld},", i % 12 ? "" : "\n", lrint(m.weight[i][0] / natural(1)),
                      lrint(m.weight[i][1] / natural(1)));
    (void)fprintf(out, "\n};\n// clang-format on\n");
    if (fclose(out)) fail("cannot write", path);
}

int main(int argc, char **argv)
{
    static piece p;
    static char path[4096];
    int class = 0;
    double weight = 0, loss = 0;
    if (argc != 3) fail("expected SAMPLES OUT.c", "the arguments");
    while (scanf("%d %lf %4095[^\n]", &class, &weight, path) == 3)
        load(path, class, weight);
    const long samples = atol(argv[1]), shown = samples / 10 + 1;
    for (long i = 0; i < samples; i++) {
        const source *s = draw_source();
        draw_piece(&p, s);
        loss += learn(&p, s->class, RATE * (1 - (double)i / (double)samples));
        if (i % shown == shown - 1) {
            (void)fprintf(stderr, "%ld samples: %.4f bits\n", i + 1, loss / (double)shown);
            loss = 0;
        }
    }
    write_table(argv[2]);
    return 0;
}
