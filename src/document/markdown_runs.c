/* Emphasis in Markdown: runs of * _ ~ that can open or close, paired by the rules of the CommonMark
 * specification ("process emphasis"). Runs are a list in an array; a floor for each kind of run
 * says below which one there is no opener for it, so that the time is linear. */
#include "document/markdown.h"

#include "base/list.h"
#include "base/utf8.h"

typedef struct ramus_md_run {
    size_t from, to; // what is left of it
    int length;      // what it had
    char c;
    bool opens, closes;
    int before, after; // in the list; -1: none
} run;

static ramus_md_side kind_of(uint32_t c)
{
    if (c < 0x80) {
        if (c <= ' ') return RAMUS_MD_SPACE;
        return ramus_md_is_punctuation((char)c) ? RAMUS_MD_PUNCTUATION : RAMUS_MD_LETTER;
    }
    if (c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
        c == 0x202F || c == 0x205F || c == 0x3000)
        return RAMUS_MD_SPACE;
    const bool latin =
        c == 0xA1 || c == 0xA7 || c == 0xAB || c == 0xB6 || c == 0xB7 || c == 0xBB || c == 0xBF;
    const bool general = (c >= 0x2010 && c <= 0x2027) || (c >= 0x2030 && c <= 0x205E);
    const bool wide = (c >= 0x3001 && c <= 0x3003) || (c >= 0x3008 && c <= 0x301F) ||
                      (c >= 0xFF01 && c <= 0xFF0F) || (c >= 0xFF1A && c <= 0xFF20) ||
                      (c >= 0xFF3B && c <= 0xFF40) || (c >= 0xFF5B && c <= 0xFF65);
    return latin || general || wide ? RAMUS_MD_PUNCTUATION : RAMUS_MD_LETTER;
}

size_t ramus_md_back(const char *text, size_t at)
{
    size_t from = at - 1;
    while (from > 0 && at - from < 4 && ((unsigned char)text[from] & 0xC0) == 0x80)
        from--;
    return from;
}

ramus_md_side ramus_md_side_before(const char *text, size_t at)
{
    if (at == 0) return RAMUS_MD_SPACE;
    const size_t from = ramus_md_back(text, at);
    uint32_t code = 0;
    (void)ramus_utf8_decode(&code, text + from, at - from);
    return kind_of(code);
}

ramus_md_side ramus_md_side_after(const char *text, size_t size, size_t at)
{
    if (at >= size) return RAMUS_MD_SPACE;
    uint32_t code = 0;
    (void)ramus_utf8_decode(&code, text + at, size - at);
    return kind_of(code);
}

size_t ramus_md_add_run(ramus_md_inline *m, size_t at)
{
    const char c = m->text[at];
    size_t to = at;
    while (to < m->size && m->text[to] == c)
        to++;
    if (c == '~' && to - at > 2) return to;
    const ramus_md_side before = ramus_md_side_before(m->text, at);
    const ramus_md_side after = ramus_md_side_after(m->text, m->size, to);
    const bool left =
        after != RAMUS_MD_SPACE && (after == RAMUS_MD_LETTER || before != RAMUS_MD_LETTER);
    const bool right =
        before != RAMUS_MD_SPACE && (before == RAMUS_MD_LETTER || after != RAMUS_MD_LETTER);
    run r = {.from = at, .to = to, .length = (int)((to - at) % 3), .c = c, .after = -1};
    r.opens = left && (c != '_' || !right || before == RAMUS_MD_PUNCTUATION);
    r.closes = right && (c != '_' || !left || after == RAMUS_MD_PUNCTUATION);
    if (!r.opens && !r.closes) return to;
    if (m->failed ||
        RAMUS_LIST_RESERVE(m->runs, m->run_room, (size_t)m->n_runs + 1, "markup", NULL)) {
        m->failed = true;
        return to;
    }
    r.before = m->last_run;
    if (m->last_run >= 0) m->runs[m->last_run].after = m->n_runs;
    m->last_run = m->n_runs;
    m->runs[m->n_runs++] = r;
    return to;
}

static void drop(ramus_md_inline *m, int i)
{
    const run *r = &m->runs[i];
    if (r->before >= 0) m->runs[r->before].after = r->after;
    if (r->after >= 0)
        m->runs[r->after].before = r->before;
    else
        m->last_run = r->before;
}

static bool fit(const run *opener, const run *closer)
{
    if (!opener->opens || opener->c != closer->c) return false;
    if (opener->c == '~') return opener->to - opener->from == closer->to - closer->from;
    const bool both = opener->closes || closer->opens;
    return !both || (opener->length + closer->length) % 3 != 0 || opener->length == 0;
}

/* Pairs stars of two runs. Returns the run to go on with. */
static int pair(ramus_md_inline *m, int opener, int closer)
{
    run *o = &m->runs[opener], *c = &m->runs[closer];
    const bool two = o->to - o->from >= 2 && c->to - c->from >= 2;
    const size_t n = two ? 2 : 1;
    ramus_md_add_pair(m, o->to - n, o->to, c->from, c->from + n);
    o->to -= n;
    c->from += n;
    while (c->before != opener)
        drop(m, c->before);
    if (o->from == o->to) drop(m, opener);
    if (c->from < c->to) return closer;
    drop(m, closer);
    return c->after;
}

static int floor_of(const run *closer)
{
    const int c = closer->c == '*' ? 0 : closer->c == '_' ? 1 : 2;
    const int length = closer->c == '~' ? (int)(closer->to - closer->from) : closer->length;
    return (c * 2 + closer->opens) * 3 + length;
}

void ramus_md_pair_runs(ramus_md_inline *m, int bottom)
{
    int floors[18], closer = m->last_run;
    for (int i = 0; i < RAMUS_COUNT(floors); i++)
        floors[i] = bottom;
    if (closer <= bottom) return;
    while (m->runs[closer].before > bottom)
        closer = m->runs[closer].before;
    while (closer >= 0 && !m->failed) {
        const run *c = &m->runs[closer];
        if (!c->closes) {
            closer = c->after;
            continue;
        }
        int *floor = &floors[floor_of(c)], opener = c->before;
        while (opener > *floor && !fit(&m->runs[opener], c))
            opener = m->runs[opener].before;
        if (opener > *floor) {
            closer = pair(m, opener, closer);
            continue;
        }
        *floor = c->before;
        const int next = c->after;
        if (!c->opens) drop(m, closer);
        closer = next;
    }
    while (m->last_run > bottom)
        drop(m, m->last_run);
}
