/* Two tries hold the sources: folded for terms that any case matches, as they are for the others.
 * At each word border both are walked along the text, a run of white space being one step, and the
 * longest source that ends at a border wins. All expressions are one alternative of expressions. */
#include "text/terms_set.h"

#include "base/utf8.h"
#include "text/case.h"
#include "text/sentences_chars.h"
#include "text/terms.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* regexec() takes texts without a zero behind them. Address sanitizers do not know it. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEXTS_END_WITH_ZERO
#endif
#endif
#if defined(REG_STARTEND) && !defined(TEXTS_END_WITH_ZERO) && !defined(__SANITIZE_ADDRESS__)
#define TEXTS_END_ANYWHERE
#endif

#define CAPITAL_SHARP_S 0x1E9Eu // whose small letter has SS as capitals

int ramus_terms_fold(char out[RAMUS_FOLD_BYTES], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)(code >= 'a' && code <= 'z' ? code - ('a' - 'A') : code);
        return 1;
    }
    uint32_t upper[RAMUS_CASE_MOST] = {'S', 'S'};
    const int n = code == CAPITAL_SHARP_S ? 2 : ramus_case_upper(upper, code);
    int size = 0;
    for (int i = 0; i < n; i++)
        size += ramus_utf8_encode(out + size, upper[i]);
    return size;
}

ramus_capitals ramus_terms_capitals(const char *text, size_t size)
{
    int n_upper = 0, n_lower = 0;
    for (size_t at = 0; at < size;) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        n_upper += c.kind == RAMUS_CHAR_UPPER;
        n_lower += c.kind == RAMUS_CHAR_LOWER;
        at += (size_t)c.size;
    }
    if (n_upper > 1 && n_lower == 0) return RAMUS_CAPITALS_ALL;
    return ramus_char_read(text, size, 0).kind == RAMUS_CHAR_UPPER ? RAMUS_CAPITALS_FIRST
                                                                   : RAMUS_CAPITALS_NONE;
}

/* Whether a word may go on from this character to the next. Scripts without spaces have a border
 * beside every letter. */
static bool is_word(ramus_char_at c)
{
    if (c.kind == RAMUS_CHAR_WIDE) return false;
    return ramus_char_is_letter(c.kind) || c.kind == RAMUS_CHAR_DIGIT || c.code == '_';
}

/* Whether a word may go on from what stands before `at`, accents left aside. */
static bool word_before(const char *text, size_t at)
{
    ramus_char_at c = ramus_char_back(text, 0, at);
    while (c.kind == RAMUS_CHAR_JOIN) {
        at -= (size_t)c.size;
        c = ramus_char_back(text, 0, at);
    }
    return is_word(c);
}

static bool is_border(const char *text, size_t size, size_t at)
{
    const ramus_char_at c = ramus_char_read(text, size, at);
    return c.kind != RAMUS_CHAR_JOIN && !(is_word(c) && word_before(text, at));
}

/* Steps over white space with one line end at most; 0: there is more than that. */
static size_t space_size(const char *text, size_t size, size_t at)
{
    const size_t start = at;
    int n_feeds = 0;
    ramus_char_at c = ramus_char_read(text, size, at);
    while (ramus_char_is_space(c.kind)) {
        n_feeds += c.code == '\n';
        if (n_feeds > 1 || c.kind == RAMUS_CHAR_PAGE) return 0;
        at += (size_t)c.size;
        c = ramus_char_read(text, size, at);
    }
    return at - start;
}

/* The size of the longest source in `t` that stands at `at` and ends at a border, with its entry;
 * 0: none does. */
static size_t longest_source(const ramus_trie *t, bool folded, const char *text, size_t size,
                             size_t at, int *entry)
{
    size_t longest = 0;
    uint32_t state = RAMUS_TRIE_ROOT;
    for (size_t end = at; t->units && end < size;) {
        const ramus_char_at c = ramus_char_read(text, size, end);
        size_t n = (size_t)c.size;
        char fold[RAMUS_FOLD_BYTES];
        if (ramus_char_is_space(c.kind)) {
            n = space_size(text, size, end);
            state = n ? ramus_trie_step(t, state, ' ') : RAMUS_TRIE_NONE;
        } else if (c.code == RAMUS_UTF8_REPLACEMENT && n == 1) { // not UTF-8
            break;
        } else if (folded) {
            state = ramus_trie_walk(t, state, fold, (size_t)ramus_terms_fold(fold, c.code));
        } else {
            state = ramus_trie_walk(t, state, text + end, n);
        }
        if (state == RAMUS_TRIE_NONE) break;
        end += n;
        if (t->units[state].value >= 0 && is_border(text, size, end)) {
            longest = end - at;
            *entry = t->units[state].value;
        }
    }
    return longest;
}

/* Finds the term that begins at `at`, which is a border. */
static bool term_here(const ramus_terms *t, const char *text, size_t size, size_t at,
                      ramus_term *out)
{
    int any = 0, exact = 0;
    const size_t any_size = longest_source(&t->any, true, text, size, at, &any);
    const size_t exact_size = longest_source(&t->exact, false, text, size, at, &exact);
    const bool is_exact = exact_size >= any_size;
    out->at = at;
    out->size = is_exact ? exact_size : any_size;
    if (out->size == 0) return false;
    const ramus_term_entry *e = &t->entries[is_exact ? exact : any];
    ramus_capitals c = e->follows ? ramus_terms_capitals(text + at, out->size) : e->capitals;
    if (c <= e->capitals) c = RAMUS_CAPITALS_NONE; // as the target stands in the file
    out->put = e->kept ? NULL : t->targets.data + e->puts[c];
    out->put_size = e->kept ? 0 : e->puts[c + 1] - e->puts[c];
    return true;
}

/* The first match in text[at .. size). Where regexec() runs out of memory it finds nothing. */
static bool match(const regex_t *keep, const char *text, size_t size, size_t at, regmatch_t *m)
{
    const int flags = at > 0 && text[at - 1] != '\n' ? REG_NOTBOL : 0;
    if (size > INT_MAX) return false; // regoff_t: more than any text that can be translated
#ifdef TEXTS_END_ANYWHERE
    *m = (regmatch_t){(regoff_t)at, (regoff_t)size};
    return regexec(keep, text, 1, m, flags | REG_STARTEND) == 0;
#else
    char *copy = malloc(size - at + 1);
    if (!copy) return false;
    for (size_t i = at; i < size; i++)
        copy[i - at] = (char)(text[i] ? text[i] : '\1');
    copy[size - at] = '\0';
    const bool found = regexec(keep, copy, 1, m, flags) == 0;
    free(copy);
    m->rm_so += (regoff_t)at;
    m->rm_eo += (regoff_t)at;
    return found;
#endif
}

static bool inside_letter(const char *text, size_t size, size_t at)
{
    return at > 0 && at < size && ((unsigned char)text[at] & 0xC0) == 0x80;
}

/* Sets the next match from `from` on, in whole characters; at `size` there is none. */
static void find_keep(const ramus_terms *t, const char *text, size_t size, size_t from,
                      ramus_term *out)
{
    if (out->keep_end > 0 && out->keep_at >= from) return;
    out->keep_at = out->keep_end = size;
    if (!t->keeps) return;

    const locale_t before = uselocale(t->locale);
    regmatch_t m = {0};
    for (size_t at = from; at < size && match(&t->keep, text, size, at, &m);
         at = (size_t)m.rm_eo + 1) {
        if (m.rm_eo == m.rm_so) continue; // a match of nothing
        out->keep_at = (size_t)m.rm_so;
        out->keep_end = (size_t)m.rm_eo;
        break;
    }
    (void)uselocale(before);
    while (out->keep_at > from && inside_letter(text, size, out->keep_at))
        out->keep_at--;
    while (inside_letter(text, size, out->keep_end))
        out->keep_end++;
}

bool ramus_terms_next(const ramus_terms *t, const char *text, size_t size, size_t from,
                      ramus_term *out)
{
    find_keep(t, text, size, from, out);
    const size_t keep_size = out->keep_end - out->keep_at;
    bool in_word = word_before(text, from);
    for (size_t at = from; at < size && at <= out->keep_at;) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        const bool border = c.kind != RAMUS_CHAR_JOIN && !(in_word && is_word(c));
        if (border && term_here(t, text, size, at, out) &&
            (at < out->keep_at || out->size >= keep_size))
            return true;
        if (c.kind != RAMUS_CHAR_JOIN) in_word = is_word(c);
        at += (size_t)c.size;
    }
    if (keep_size == 0) return false;
    out->at = out->keep_at;
    out->size = keep_size;
    out->put = NULL;
    out->put_size = 0;
    return true;
}

ramus_status ramus_terms_create(ramus_terms **out, ramus_error *err)
{
    const ramus_status st = ramus_check_given((const void *)out, "where the glossary goes", err);
    if (st) return st;
    ramus_terms *t = calloc(1, sizeof *t);
    if (!t) return ramus_fail_memory(err, "a glossary");
    *out = t;
    return RAMUS_OK;
}

void ramus_terms_close(ramus_terms *t)
{
    if (!t) return;
    if (t->keeps) regfree(&t->keep);
    if (t->locale) freelocale(t->locale);
    ramus_trie_free(&t->any);
    ramus_trie_free(&t->exact);
    ramus_buffer_free(&t->keep_text);
    ramus_buffer_free(&t->targets);
    free(t->entries);
    free(t);
}

static ramus_status compile(regex_t *out, const char *regex, locale_t locale, ramus_error *err)
{
    const locale_t before = uselocale(locale);
    const int code = regcomp(out, regex, REG_EXTENDED | REG_NEWLINE);
    char why[128] = "";
    if (code) (void)regerror(code, out, why, sizeof why);
    (void)uselocale(before);
    if (code == REG_ESPACE) return ramus_fail_memory(err, "an expression");
    return code ? ramus_fail(err, RAMUS_BAD_ARGUMENT, "the expression '%.200s' cannot be read: %s",
                             regex, why)
                : RAMUS_OK;
}

/* Back-references would count the groups of other expressions; POSIX has none in extended ones. */
static bool refers_back(const char *regex)
{
    for (; *regex; regex++)
        if (*regex == '\\') {
            regex++;
            if (*regex >= '1' && *regex <= '9') return true;
            if (!*regex) break;
        }
    return false;
}

static ramus_status check_expression(const ramus_terms *t, const char *regex, ramus_error *err)
{
    regex_t alone;
    if (refers_back(regex))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "the expression '%.200s' has a back-reference",
                          regex);
    const ramus_status st = compile(&alone, regex, t->locale, err);
    if (st) return st;
    const bool matches_nothing = regexec(&alone, "", 0, NULL, 0) == 0;
    regfree(&alone);
    return matches_nothing ? ramus_fail(err, RAMUS_BAD_ARGUMENT,
                                        "the expression '%.200s' matches the empty text", regex)
                           : RAMUS_OK;
}

ramus_status ramus_terms_keep(ramus_terms *t, const char *regex, ramus_error *err)
{
    ramus_buffer all = {0};
    regex_t keep;
    ramus_status st = ramus_check_given(t, "the glossary", err);
    if (!st) st = ramus_check_given(regex, "the expression", err);
    if (st) return st;
    if (!t->locale) t->locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);

    st = check_expression(t, regex, err);
    if (st) return st;
    if (t->keeps) ramus_buffer_print(&all, "%s|", t->keep_text.data);
    ramus_buffer_print(&all, "(%s)", regex);
    st = ramus_buffer_check(&all, err);
    if (!st) st = compile(&keep, all.data, t->locale, err);
    if (st) {
        ramus_buffer_free(&all);
        return st;
    }
    if (t->keeps) regfree(&t->keep);
    ramus_buffer_free(&t->keep_text);
    t->keep = keep;
    t->keep_text = all;
    t->keeps = true;
    return RAMUS_OK;
}
