/* language_lines.c - measures the guess of a language on lines whose language is known.
 *
 *     language_lines CODE [WORDS] <FILE
 *
 * Each line is in the language CODE; with WORDS, a piece of so many words is cut out of it at
 * random. Prints, for every length: lines; percent that are right; wrong, another language named;
 * unknown, none named; and the same of surely right and surely wrong: that of a certainty on which
 * programs act. For a CODE without a name, right is that none is named. */
#include "text/language.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 100000 // bytes of a line

typedef struct {
    const char *name;
    int most; // words
    long lines, right, wrong, unknown, surely_right, surely_wrong;
} row;

static row rows[] = {{"1", 1, 0, 0, 0, 0, 0, 0},
                     {"2", 2, 0, 0, 0, 0, 0, 0},
                     {"3-5", 5, 0, 0, 0, 0, 0, 0},
                     {"6-10", 10, 0, 0, 0, 0, 0, 0},
                     {"more", ROOM, 0, 0, 0, 0, 0, 0}};

static size_t drawn_below(size_t n)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

/* Words between spaces; where they start, and behind the last of them. */
static int find_words(char **starts, char *line)
{
    int n = 0;
    for (char *at = line + strspn(line, " \t"); *at; at += strspn(at, " \t")) {
        starts[n++] = at;
        at += strcspn(at, " \t");
        starts[n] = at;
    }
    return n;
}

static void count(row *r, const char *want, const char *text, size_t size)
{
    double certainty = 0;
    const char *found = ramus_language_guess(text, size, &certainty);
    const bool named = ramus_language_is_guessed(want, strlen(want));
    const bool right = found ? strcmp(found, want) == 0 : !named;
    const bool sure = certainty >= RAMUS_LANGUAGE_SURE;
    r->lines++;
    r->right += right;
    r->wrong += !right && found;
    r->unknown += !right && !found;
    r->surely_right += right && sure;
    r->surely_wrong += !right && sure;
}

int main(int argc, char **argv)
{
    static char line[ROOM];
    static char *words[ROOM];
    const int cut = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
    if (argc < 2) return 2;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        const int all = find_words(words, line);
        const int n = cut ? cut : all;
        if (all == 0 || all < n) continue;
        const size_t first = drawn_below((size_t)all - (size_t)n + 1);
        const char *end = words[first + (size_t)n];
        if (first + (size_t)n < (size_t)all)
            while (end[-1] == ' ' || end[-1] == '\t')
                end--;
        row *r = rows;
        while (r->most < n)
            r++;
        count(r, argv[1], words[first], (size_t)(end - words[first]));
    }
    printf("| words | lines | right | wrong | unknown | surely right | surely wrong |\n");
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        const row *r = &rows[i];
        const double part = r->lines ? 100.0 / (double)r->lines : 0;
        if (r->lines)
            printf("| %s | %ld | %.2f | %.2f | %.2f | %.2f | %.2f |\n", r->name, r->lines,
                   (double)r->right * part, (double)r->wrong * part, (double)r->unknown * part,
                   (double)r->surely_right * part, (double)r->surely_wrong * part);
    }
    return 0;
}
