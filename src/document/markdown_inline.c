/* The markup within a text of Markdown, after the algorithm of the CommonMark specification: one
 * pass from left to right; brackets wait on a stack for "]", runs of stars for each other. A
 * construct whose end was looked for once, and is not there, is not looked for again. That keeps
 * the time linear. Pieces are sorted at the end, and those that are not nested are made points. */
#include "document/markdown.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

typedef struct ramus_md_bracket {
    size_t at, after; // "[" or "!["
    bool image;
    int run; // the last one before it
} bracket;

void ramus_md_inline_free(ramus_md_inline *m)
{
    free(m->pieces);
    free(m->runs);
    free(m->brackets);
    free(m->open);
    *m = (ramus_md_inline){0};
}

void ramus_md_add(ramus_md_inline *m, ramus_md_kind kind, size_t from, size_t to, bool markup)
{
    if (m->failed ||
        RAMUS_LIST_RESERVE(m->pieces, m->piece_room, (size_t)m->n + 1, "markup", NULL)) {
        m->failed = true;
        return;
    }
    m->pieces[m->n++] =
        (ramus_md_piece){.from = from, .to = to, .kind = kind, .pair = -1, .markup = markup};
}

void ramus_md_add_pair(ramus_md_inline *m, size_t open, size_t open_end, size_t close,
                       size_t close_end)
{
    ramus_md_add(m, RAMUS_MD_OPEN, open, open_end, true);
    ramus_md_add(m, RAMUS_MD_CLOSE, close, close_end, true);
    if (m->failed) return;
    m->pieces[m->n - 1].pair = m->pieces[m->n - 2].pair = m->n_pairs++;
}

size_t ramus_md_find(ramus_md_inline *m, size_t at, const char *end, int bit)
{
    const size_t n = strlen(end);
    if (m->absent >> bit & 1) return m->size;
    for (size_t i = at; i + n <= m->size; i++) {
        const char *found = memchr(m->text + i, end[0], m->size - i);
        if (!found) break;
        i = (size_t)(found - m->text);
        if (i + n <= m->size && memcmp(found, end, n) == 0) return i;
    }
    m->absent |= (uint64_t)1 << bit;
    return m->size;
}

static size_t skip_space(const ramus_md_inline *m, size_t at)
{
    while (at < m->size && ramus_md_is_space(m->text[at]))
        at++;
    return at;
}

/* The end of the destination of a link; 0: it has none. An empty one ends where it begins. */
static size_t read_destination(ramus_md_inline *m, size_t at)
{
    const char *t = m->text;
    size_t i = at;
    if (at < m->size && t[at] == '<') {
        for (i++; i < m->size && t[i] != '>'; i++) {
            if (t[i] == '\n' || t[i] == '<') return 0;
            if (t[i] == '\\' && i + 1 < m->size && ramus_md_is_punctuation(t[i + 1])) i++;
        }
        return i < m->size ? i + 1 : 0;
    }
    if (at < m->no_paren) return 0;
    bool closes = false;
    int depth = 0;
    for (; i < m->size && (unsigned char)t[i] > ' ' && t[i] != 0x7F; i++) {
        if (t[i] == '\\' && i + 1 < m->size && ramus_md_is_punctuation(t[i + 1])) {
            i++;
        } else if (t[i] == '(') {
            if (++depth > 32) return 0;
        } else if (t[i] == ')') {
            closes = true;
            if (depth-- == 0) return i;
        }
    }
    if (!closes && i == m->size) m->no_paren = i;
    return depth == 0 ? i : 0;
}

/* The end of "(place "title")" at `at`; 0: it is none. */
static size_t read_link_tail(ramus_md_inline *m, size_t at)
{
    const char *t = m->text;
    size_t i = skip_space(m, at + 1);
    i = read_destination(m, i);
    if (!i) return 0;
    const size_t title = skip_space(m, i);
    if (title > i && title < m->size && t[title] && strchr("\"'(", t[title])) {
        const char end = t[title] == '(' ? ')' : t[title];
        for (i = title + 1; i < m->size && t[i] != end; i++) {
            if (t[i] == '(' && end == ')') return 0;
            if (t[i] == '\\' && i + 1 < m->size) i++;
        }
        if (i >= m->size) return 0;
        i++;
    }
    i = skip_space(m, i);
    return i < m->size && t[i] == ')' ? i + 1 : 0;
}

size_t ramus_md_label_end(const char *text, size_t size, size_t at)
{
    const size_t limit = size - at > 1000 ? at + 1000 : size;
    for (size_t i = at + 1; i < limit; i++) {
        if (text[i] == ']') return i + 1;
        if (text[i] == '[') return 0;
        if (text[i] == '\\') i++;
    }
    return 0;
}

static size_t add_bracket(ramus_md_inline *m, size_t at, bool image)
{
    const size_t after = at + 1 + image;
    if (!image && after < m->size && m->text[after] == '^') { // a reference to a footnote
        const size_t end = ramus_md_label_end(m->text, m->size, at);
        if (end > after + 2 && !memchr(m->text + at, ' ', end - at) &&
            !memchr(m->text + at, '\n', end - at)) {
            ramus_md_add(m, RAMUS_MD_POINT, at, end, true);
            return end;
        }
    }
    if (m->failed || RAMUS_LIST_RESERVE(m->brackets, m->bracket_room, (size_t)m->n_brackets + 1,
                                        "brackets", NULL)) {
        m->failed = true;
        return after;
    }
    m->brackets[m->n_brackets++] = (bracket){at, after, image, m->last_run};
    return after;
}

/* "]" at `at`: the end of a link or an image, or itself. */
static size_t end_bracket(ramus_md_inline *m, size_t at)
{
    if (!m->n_brackets) return at + 1;
    const bracket b = m->brackets[--m->n_brackets];
    const bool active = b.image || m->n_brackets >= m->n_inactive;
    if (m->n_inactive > m->n_brackets) m->n_inactive = m->n_brackets;
    if (!active) return at + 1;

    const char next = at + 1 < m->size ? m->text[at + 1] : '\0';
    size_t end = next == '(' ? read_link_tail(m, at + 1) : 0;
    bool is_label = false;
    if (!end) {
        const size_t label = next == '[' ? ramus_md_label_end(m->text, m->size, at + 1) : 0;
        if (label > at + 3 && m->text[at + 2] != '^') {
            end = label;
        } else if (at - b.after < 1000 &&
                   ramus_md_labels_have(m->labels, m->text + b.after, at - b.after)) {
            is_label = true;
            end = label == at + 3 ? label : at + 1;
        }
    }
    if (!end) return at + 1;
    ramus_md_pair_runs(m, b.run);
    ramus_md_add_pair(m, b.at, b.after, at, end);
    if (m->failed) return end;
    m->pieces[m->n - 1].image = m->pieces[m->n - 2].image = b.image;
    m->pieces[m->n - 1].is_label = is_label;
    if (!b.image) m->n_inactive = m->n_brackets; // no links in links
    return end;
}

static size_t add_line_break(ramus_md_inline *m, size_t at)
{
    size_t from = at;
    while (from > m->line && ramus_md_is_space(m->text[from - 1]))
        from--;
    const bool hard =
        !m->html && at - from >= 2 && m->text[at - 1] == ' ' && m->text[at - 2] == ' ';
    ramus_md_add(m, hard ? RAMUS_MD_BREAK : RAMUS_MD_SOFT, from, at + 1, false);
    m->line = at + 1;
    return at + 1;
}

static size_t add_escape(ramus_md_inline *m, size_t at)
{
    const char next = at + 1 < m->size ? m->text[at + 1] : '\0';
    if (next == '\n') {
        ramus_md_add(m, RAMUS_MD_BREAK, at, at + 2, true);
        m->line = at + 2;
        return at + 2;
    }
    if (!next || !ramus_md_is_punctuation(next)) return at + 1;
    if (next == '(' || next == '[') {
        const size_t end = ramus_md_math(m, at);
        if (end > at + 1) return end;
    }
    ramus_md_add(m, RAMUS_MD_ESCAPE, at, at + 2, true);
    return at + 2;
}

/* What begins at `at`; returns its end. */
static size_t step(ramus_md_inline *m, size_t at)
{
    switch (m->text[at]) {
    case '\n':
        return add_line_break(m, at);
    case '<':
        return ramus_md_angle(m, at);
    case '&':
        return ramus_md_entity(m, at);
    case '{':
        return ramus_md_brace(m, at);
    default:
        break;
    }
    if (m->html) return at + 1;
    switch (m->text[at]) {
    case '\\':
        return add_escape(m, at);
    case '`':
        return ramus_md_code(m, at);
    case '*':
    case '_':
    case '~':
        return ramus_md_add_run(m, at);
    case '[':
        return add_bracket(m, at, false);
    case '!':
        if (at + 1 < m->size && m->text[at + 1] == '[') return add_bracket(m, at, true);
        return at + 1;
    case ']':
        return end_bracket(m, at);
    case '$':
        return ramus_md_math(m, at);
    case ':':
        return ramus_md_shortcode(m, at);
    case 'h':
    case 'w':
    case 'f':
        return ramus_md_address(m, at);
    default:
        return at + 1;
    }
}

static int compare_pieces(const void *a, const void *b)
{
    const ramus_md_piece *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Makes points of pairs that are not nested; the others come to know each other's places. */
static void nest(ramus_md_inline *m)
{
    const size_t room = (size_t)m->n + (size_t)m->n_pairs + 1;
    if (m->failed || RAMUS_LIST_RESERVE(m->open, m->open_room, room, "markup", NULL)) {
        m->failed = true;
        return;
    }
    int *open = m->open, *pairs = m->open + m->n, depth = 0; // a stack; the OPEN of each pair
    for (int i = 0; i < m->n_pairs; i++)
        pairs[i] = -1;
    for (int i = 0; i < m->n; i++) {
        ramus_md_piece *p = &m->pieces[i];
        if (p->kind == RAMUS_MD_OPEN) {
            open[depth++] = i;
            pairs[p->pair] = i;
        } else if (p->kind == RAMUS_MD_CLOSE) {
            const int mine = pairs[p->pair];
            if (mine < 0 || m->pieces[mine].kind != RAMUS_MD_OPEN) {
                p->kind = RAMUS_MD_POINT;
                continue;
            }
            while (open[--depth] != mine) // these end later
                m->pieces[open[depth]].kind = RAMUS_MD_POINT;
            p->pair = mine;
            m->pieces[mine].pair = i;
        }
    }
}

void ramus_md_parse(ramus_md_inline *m)
{
    m->n = m->n_runs = m->n_brackets = m->n_inactive = m->n_tags = m->n_pairs = 0;
    m->last_run = -1;
    m->absent = 0;
    m->line = m->no_paren = 0;
    m->in_raw = m->failed = false;
    for (size_t at = 0; at < m->size && !m->failed;)
        at = step(m, at);
    if (!m->failed) ramus_md_pair_runs(m, -1);
    if (!m->failed && m->n) qsort(m->pieces, (size_t)m->n, sizeof *m->pieces, compare_pieces);
    nest(m);
}
