/* The longest prefix that fits is found by doubling and halving, so that few calls count tokens;
 * it is cut back to the best place behind its first quarter. */
#include "base/status.h"
#include "text/sentences_rules.h"

#include "base/utf8.h"

/* How good a place is to cut a sentence, best last. */
enum { CUT_NOWHERE, CUT_ANYWHERE, CUT_CHARACTER, CUT_SPACE, CUT_COMMA, CUT_CLAUSE, N_CUTS };

/* The start of the code point that `at` is in. */
static size_t snap(const char *text, size_t size, size_t at)
{
    for (size_t back = 1; back <= 3 && back <= at && at < size; back++) {
        uint32_t code = 0;
        if (ramus_utf8_decode(&code, text + at - back, size - at + back) > (int)back)
            return at - back;
    }
    return at;
}

static bool fits(const ramus_sentences *s, const char *text, size_t size)
{
    return s->count(s->arg, text, size) <= s->limit;
}

/* A size that fits, near the largest one: doubles, then halves the interval. 0 if none was found;
 * `size` if everything fits. */
static size_t largest_fit(const ramus_sentences *s, const char *text, size_t size)
{
    size_t low = 0, high = (size_t)s->limit < size ? snap(text, size, (size_t)s->limit) : size;

    if (high == 0) high = (size_t)ramus_char_read(text, size, 0).size;
    while (fits(s, text, high)) {
        if (high == size) return size;
        low = high;
        high = size - low <= low ? size : snap(text, size, 2 * low);
        if (high == low) high += (size_t)ramus_char_read(text, size, low).size;
    }
    while (high - low > 1) {
        const size_t middle = snap(text, size, low + (high - low) / 2);
        if (middle <= low) { // inside the code point at low: look behind it
            const size_t behind = low + (size_t)ramus_char_read(text, size, low).size;
            if (behind >= high) break;
            if (!fits(s, text, behind)) break;
            low = behind;
        } else if (fits(s, text, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What a cut behind the character c, before `at`, would be. */
static int cut_kind(const char *text, size_t size, size_t at, ramus_char_at c, int pending)
{
    const ramus_char next = ramus_char_read(text, size, at).kind;
    const bool space = ramus_char_is_space(next);

    if (ramus_char_joined(text, size, 0, at)) return CUT_ANYWHERE;
    if (next == RAMUS_CHAR_CLOSE || next == RAMUS_CHAR_WEAK || ramus_char_is_mark(next))
        return CUT_CHARACTER;
    if (pending > CUT_SPACE && (space || c.code >= 0x2000 || next == RAMUS_CHAR_WIDE))
        return pending;
    return space ? CUT_SPACE : CUT_CHARACTER;
}

/* The kind of cut that the character asks for once closing quotes after it have passed. */
static int mark_kind(ramus_char_at c, int pending)
{
    switch (c.code) {
    case ',':
    case 0xFF0C:
    case 0x3001:
    case 0x60C:
    case 0xFF64:
        return CUT_COMMA;
    default:
        break;
    }
    if (c.kind == RAMUS_CHAR_WEAK || c.kind == RAMUS_CHAR_ASK || c.kind == RAMUS_CHAR_STOP ||
        c.kind == RAMUS_CHAR_DOTS || (c.kind == RAMUS_CHAR_DASH && c.code != '-'))
        return CUT_CLAUSE;
    if (c.kind == RAMUS_CHAR_CLOSE || c.kind == RAMUS_CHAR_QUOTE) return pending;
    return CUT_NOWHERE;
}

/* The best place to cut text[0 .. size) at or before `fit`: of the best kind that occurs
 * behind the first quarter, the one nearest to an even share of the text. */
static size_t best_cut(const char *text, size_t size, size_t fit)
{
    RAMUS_ASSERT(size > 0 && fit > 0);
    const size_t share = size / ((size + fit - 1) / fit);
    size_t best[N_CUTS] = {0};
    int pending = CUT_NOWHERE;

    for (size_t at = 0; at < fit;) {
        const ramus_char_at c = ramus_char_read(text, size, at);
        at += (size_t)c.size;
        if (at > fit || at >= size) break;
        if (ramus_char_is_space(c.kind)) continue;
        pending = mark_kind(c, pending);
        const int kind = cut_kind(text, size, at, c, pending);
        const size_t old = best[kind];
        const size_t old_distance = old > share ? old - share : share - old;
        const size_t distance = at > share ? at - share : share - at;
        if (old == 0 || kind < CUT_SPACE || distance <= old_distance) best[kind] = at;
    }
    for (int kind = CUT_CLAUSE; kind >= CUT_SPACE; kind--)
        if (best[kind] > fit / 4) return best[kind];
    for (int kind = CUT_SPACE; kind > CUT_NOWHERE; kind--)
        if (best[kind] > 0) return best[kind];
    return 0;
}

size_t ramus_sentence_cut(const ramus_sentences *s, const char *text, size_t size)
{
    const size_t one = (size_t)ramus_char_read(text, size, 0).size;
    size_t fit = largest_fit(s, text, size);

    if (fit == size) return size;
    /* Tokens are not quite monotone: a shorter range may have more of them. */
    while (fit > one) {
        const size_t cut = best_cut(text, size, fit);
        if (cut == 0) break;
        if (cut <= one || fits(s, text, cut)) return cut;
        fit = snap(text, size, cut / 2);
    }
    return one;
}
