/* Random glossaries over a small alphabet, on random texts. Truth: a plain loop over all terms at
 * all places, with the alphabet's classes and capitals in a table of its own. */
#include "base/buffer.h"
#include "base/rng.h"
#include "text/terms.h"

#include "check.h"

#include <stdint.h>

static ramus_error err;

typedef struct symbol {
    const char *bytes;
    char kind;                 // w: part of a word, j: joins, s: space, n: line end, o: other
    char capital;              // U, l, or 0
    const char *upper, *title; // NULL: itself
    const char *fold;
} symbol;

static const symbol symbols[] = {
    {"a", 'w', 'l', "A", "A", "A"},
    {"A", 'w', 'U', NULL, NULL, "A"},
    {"\xC3\xA4", 'w', 'l', "\xC3\x84", "\xC3\x84", "\xC3\x84"}, // a umlaut
    {"\xC3\x84", 'w', 'U', NULL, NULL, "\xC3\x84"},
    {"\xC3\x9F", 'w', 'l', "SS", "Ss", "SS"}, // sharp s
    {"s", 'w', 'l', "S", "S", "S"},
    {"S", 'w', 'U', NULL, NULL, "S"},
    {"\xCF\x82", 'w', 'l', "\xCE\xA3", "\xCE\xA3", "\xCE\xA3"}, // final sigma
    {"\xCF\x83", 'w', 'l', "\xCE\xA3", "\xCE\xA3", "\xCE\xA3"},
    {"\xCE\xA3", 'w', 'U', NULL, NULL, "\xCE\xA3"},
    {"1", 'w', 0, NULL, NULL, "1"},
    {"_", 'w', 0, NULL, NULL, "_"},
    {"-", 'o', 0, NULL, NULL, "-"},
    {"\xE4\xB8\xAD", 'o', 0, NULL, NULL, "\xE4\xB8\xAD"}, // an ideograph
    {" ", 's', 0, NULL, NULL, NULL},
    {"\xC2\xA0", 's', 0, NULL, NULL, NULL},
    {"\xCC\x81", 'j', 0, NULL, NULL, "\xCC\x81"}, // an accent
    {"\n", 'n', 0, NULL, NULL, NULL},
    {"\xFF", 'w', 0, NULL, NULL, "?"}, // not UTF-8
};
#define OF_TERMS 17 // of the symbols
#define OF_TEXTS 19

#define MOST_TERMS 40
#define MOST_LONG  6
#define TEXT_LONG  60

typedef struct plain_term {
    int source[MOST_LONG], n_source, target[MOST_LONG], n_target;
    int rule; // any, fixed, exact
    char key[64];
} plain_term;

static uint64_t drawings;
static plain_term plain[MOST_TERMS];
static int n_plain;

static int drawn(int below)
{
    const ramus_rng rng = {check_seed(), 0, 0, 0};
    return (int)(ramus_rng_bits(&rng, drawings++) % (uint32_t)below);
}

static void append(char *to, const char *text)
{
    memcpy(to + strlen(to), text, strlen(text) + 1);
}

/* What two stretches have in common when they are the same; false: white space in it is too much.
 */
static bool key_of(char *out, const int *s, int n, bool exact)
{
    *out = '\0';
    for (int i = 0; i < n; i++) {
        int n_feeds = 0, first = i;
        for (; i < n && strchr("sn", symbols[s[i]].kind); i++)
            n_feeds += symbols[s[i]].kind == 'n';
        if (n_feeds > 1) return false;
        if (i > first) append(out, " ");
        if (i < n) append(out, exact ? symbols[s[i]].bytes : symbols[s[i]].fold);
    }
    return true;
}

static bool border(const int *s, int n, int at)
{
    if (at == n) return true;
    if (symbols[s[at]].kind == 'j') return false;
    if (symbols[s[at]].kind != 'w') return true;
    int before = at - 1;
    while (before >= 0 && symbols[s[before]].kind == 'j')
        before--;
    return before < 0 || symbols[s[before]].kind != 'w';
}

static int draw_symbols(int *s, int most, bool may_be_empty)
{
    for (;;) {
        const int n = may_be_empty ? drawn(most + 1) : 1 + drawn(most);
        for (int i = 0; i < n; i++)
            s[i] = drawn(OF_TERMS);
        if (n == 0 || (symbols[s[0]].kind != 's' && symbols[s[n - 1]].kind != 's' &&
                       symbols[s[0]].kind != 'j'))
            return n;
    }
}

static void print_symbols(ramus_buffer *out, const int *s, int n)
{
    for (int i = 0; i < n; i++)
        ramus_buffer_text(out, symbols[s[i]].bytes);
}

/* Fills `plain` and returns it as a file. */
static char *draw_glossary(int wanted)
{
    static const char *const rules[] = {"any", "fixed", "exact"};
    ramus_buffer file = {0};
    n_plain = 0;
    for (int k = 0; k < wanted; k++) {
        plain_term *p = &plain[n_plain];
        p->rule = drawn(3);
        p->n_source = draw_symbols(p->source, MOST_LONG, false);
        p->n_target = draw_symbols(p->target, MOST_LONG, true);
        (void)key_of(p->key, p->source, p->n_source, p->rule == 2);
        bool twice = false;
        for (int i = 0; i < n_plain; i++)
            twice |= (plain[i].rule == 2) == (p->rule == 2) && strcmp(plain[i].key, p->key) == 0;
        if (twice) continue;
        print_symbols(&file, p->source, p->n_source);
        ramus_buffer_text(&file, "\t");
        print_symbols(&file, p->target, p->n_target);
        ramus_buffer_print(&file, p->rule == 0 && drawn(2) ? "\n" : "\t%s\n", rules[p->rule]);
        n_plain++;
    }
    return file.data;
}

/* 0: no capital at the beginning, 1: there, 2: all. */
static int capitals_of(const int *s, int n)
{
    int n_upper = 0, n_lower = 0;
    for (int i = 0; i < n; i++) {
        n_upper += symbols[s[i]].capital == 'U';
        n_lower += symbols[s[i]].capital == 'l';
    }
    return n_upper > 1 && !n_lower ? 2 : symbols[s[0]].capital == 'U';
}

/* What the term becomes; false: it stays. */
static bool put_of(ramus_buffer *out, const plain_term *p, const int *s, int n)
{
    ramus_buffer source = {0};
    ramus_buffer_clear(out);
    print_symbols(&source, p->source, p->n_source);
    print_symbols(out, p->target, p->n_target);
    const bool kept = p->n_target == 0 || strcmp(source.data, out->data) == 0;
    ramus_buffer_free(&source);
    if (kept) return false;
    const int capitals = capitals_of(s, n), own = capitals_of(p->source, p->n_source);
    if (p->rule > 0 || capitals <= own) return true;
    ramus_buffer_clear(out);
    for (int i = 0; i < p->n_target; i++) {
        const symbol *c = &symbols[p->target[i]];
        const char *big = capitals == 2 ? c->upper : i == 0 ? c->title : NULL;
        ramus_buffer_text(out, big ? big : c->bytes);
    }
    return true;
}

/* The longest term at symbol `at`, of a run of 'a' if `runs`; returns its symbols, 0: none. *which
 * is -1 for a run. */
static int plain_here(const int *s, int n, int at, bool runs, int *which)
{
    int longest = 0;
    char key[16 * TEXT_LONG];
    for (int end = at + 1; end <= n && border(s, n, at); end++)
        for (int i = 0; i < n_plain; i++) {
            const bool exact = plain[i].rule == 2;
            if (!border(s, n, end) || !key_of(key, s + at, end - at, exact) ||
                strcmp(key, plain[i].key) != 0)
                continue;
            if (end - at == longest && !exact) continue; // an exact one first
            longest = end - at;
            *which = i;
        }
    int run = 0;
    while (runs && at + run < n && s[at + run] == 0)
        run++;
    if (run > longest) *which = -1;
    return run > longest ? run : longest;
}

static void check_text(const ramus_terms *t, const int *s, int n, bool runs)
{
    ramus_buffer text = {0}, put = {0};
    size_t offset[TEXT_LONG + 1];
    for (int i = 0; i < n; i++) {
        offset[i] = text.size;
        ramus_buffer_text(&text, symbols[s[i]].bytes);
    }
    offset[n] = text.size;
    char *copy = malloc(text.size ? text.size : 1); // sanitizers see a byte too many that is read
    if (text.size) memcpy(copy, text.data, text.size);
    ramus_term term = {0};
    for (int from = 0; from <= n;) {
        int at = from, size = 0, which = 0;
        while (at < n && !(size = plain_here(s, n, at, runs, &which)))
            at++;
        const bool found = ramus_terms_next(t, copy, text.size, offset[from], &term);
        EXPECT(found == (size > 0), "in '%s' from %zu: found %d", text.data, offset[from], found);
        if (!found || size == 0) break;
        EXPECT(term.at == offset[at] && term.size == offset[at + size] - offset[at],
               "in '%s' from %zu: %zu at %zu, want %zu at %zu", text.data, offset[from], term.size,
               term.at, offset[at + size] - offset[at], offset[at]);
        const bool changes = which >= 0 && put_of(&put, &plain[which], s + at, size);
        EXPECT((term.put != NULL) == changes, "in '%s' at %zu: kept or not", text.data, term.at);
        if (term.put && changes)
            EXPECT(term.put_size == put.size && memcmp(term.put, put.data, put.size) == 0,
                   "in '%s' at %zu: '%.*s', want '%s'", text.data, term.at, (int)term.put_size,
                   term.put, put.data);
        from = drawn(8) ? at + size : at + 1 + drawn(n - at); // or anywhere behind its beginning
    }
    free(copy);
    ramus_buffer_free(&put);
    ramus_buffer_free(&text);
}

static void terms_are_those_of_a_plain_loop(void)
{
    int s[TEXT_LONG];
    for (int g = 0; g < (CHECK_SANITIZED ? 30 : 150); g++) {
        char *file = draw_glossary(1 + drawn(MOST_TERMS));
        ramus_terms *t = NULL;
        REQUIRE_OK(ramus_terms_open_memory(&t, file, strlen(file), &err), err);
        const bool runs = g % 3 == 0;
        if (runs) REQUIRE_OK(ramus_terms_keep(t, "a+", &err), err);
        for (int k = 0; k < 40; k++) {
            int n = 0;
            const int wanted = drawn(TEXT_LONG - MOST_LONG);
            while (n < wanted) // sources, or any symbols
                if (drawn(3)) {
                    s[n++] = drawn(OF_TEXTS);
                } else {
                    const plain_term *p = &plain[drawn(n_plain)];
                    memcpy(s + n, p->source, sizeof p->source);
                    n += p->n_source;
                }
            check_text(t, s, n, runs);
        }
        ramus_terms_close(t);
        free(file);
    }
}

CHECK_MAIN({"terms_are_those_of_a_plain_loop", terms_are_those_of_a_plain_loop})
