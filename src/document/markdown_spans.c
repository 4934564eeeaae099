/* What stands within a text of Markdown and is neither a bracket nor emphasis: code, tags,
 * entities, formulas, placeholders of templates, short codes, addresses. Each function looks at the
 * text from its first character on, adds a piece if it finds what it is for, and returns the end of
 * that. */
#include "document/markdown.h"

#include <string.h>
#include <strings.h>

const char ramus_md_block_elements[] =
    " address article aside base basefont blockquote body caption center col colgroup dd details "
    "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    "head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option "
    "p param search section source summary table tbody td tfoot th thead title tr track ul ";
const char ramus_md_raw_elements[] = " pre script style textarea ";
/* Elements within a line whose content is not translated. */
static const char kept_elements[] = " pre script style textarea code kbd samp var tt svg math ";
static const char single_elements[] = " img input wbr embed area col base link meta param source "
                                      "track hr br ";

bool ramus_md_is_named(const char *list, const char *name, size_t size)
{
    while (*list) {
        const size_t n = strcspn(++list, " "); // behind a space
        if (n == size && n && strncasecmp(list, name, n) == 0) return true;
        list += n;
        if (!list[0] || !list[1]) return false;
    }
    return false;
}

static bool is_word(char c)
{
    return ramus_md_is_letter(c) || ramus_md_is_digit(c) || c == '-';
}

static size_t skip_space(const char *text, size_t size, size_t at)
{
    while (at < size && ramus_md_is_space(text[at]))
        at++;
    return at;
}

/* The end of one attribute of a tag, with its value; 0: it is none. */
static size_t read_attribute(const char *text, size_t size, size_t at)
{
    size_t i = at;
    while (i < size && (is_word(text[i]) || strchr("_:.@", text[i])) && text[i])
        i++;
    if (i == at) return 0;
    const size_t equals = skip_space(text, size, i);
    if (equals >= size || text[equals] != '=') return i;
    i = skip_space(text, size, equals + 1);
    if (i >= size) return 0;
    if (text[i] == '"' || text[i] == '\'') {
        const char *end = memchr(text + i + 1, text[i], size - i - 1);
        return end ? (size_t)(end - text) + 1 : 0;
    }
    const size_t value = i;
    while (i < size && !ramus_md_is_space(text[i]) && !strchr("\"'=<>`", text[i]))
        i++;
    return i > value ? i : 0;
}

bool ramus_md_read_tag(ramus_md_tag *tag, const char *text, size_t size, size_t at)
{
    size_t i = at + 1;
    *tag = (ramus_md_tag){.closes = i < size && text[i] == '/'};
    i += tag->closes;
    if (i >= size || !ramus_md_is_letter(text[i])) return false;
    tag->name = text + i;
    while (i < size && is_word(text[i]))
        i++;
    tag->name_size = (size_t)(text + i - tag->name);
    for (;;) {
        const size_t next = skip_space(text, size, i);
        if (next >= size) return false;
        if (text[next] == '>') {
            tag->end = next + 1;
            tag->single =
                tag->single || ramus_md_is_named(single_elements, tag->name, tag->name_size);
            return true;
        }
        if (tag->closes) return false;
        if (text[next] == '/' && next + 1 < size && text[next + 1] == '>') {
            tag->single = true;
            i = next + 1;
            continue;
        }
        if (next == i) return false;
        i = read_attribute(text, size, next);
        if (!i) return false;
    }
}

/* An element whose content is kept: its end; 0 where it does not end in this text. In HTML such as
 * <pre> goes on then. */
static size_t add_kept_element(ramus_md_inline *m, size_t at, const ramus_md_tag *tag)
{
    int bit = RAMUS_MD_RAW; // and one more for each name before it
    for (const char *list = kept_elements + 1; *list; list += strcspn(list, " ") + 1, bit++)
        if (strncasecmp(list, tag->name, tag->name_size) == 0 && list[tag->name_size] == ' ') break;
    if (m->absent >> bit & 1) return 0;
    for (size_t i = tag->end; i + 2 + tag->name_size < m->size; i++) {
        const char *found = memchr(m->text + i, '<', m->size - i);
        if (!found) break;
        i = (size_t)(found - m->text);
        ramus_md_tag end;
        if (i + 1 >= m->size || m->text[i + 1] != '/') continue;
        if (!ramus_md_read_tag(&end, m->text, m->size, i)) continue;
        if (end.name_size != tag->name_size ||
            strncasecmp(end.name, tag->name, tag->name_size) != 0)
            continue;
        ramus_md_add(m, RAMUS_MD_KEEP, at, end.end, true);
        return end.end;
    }
    m->absent |= (uint64_t)1 << bit;
    if (!ramus_md_is_named(ramus_md_raw_elements, tag->name, tag->name_size)) return 0;
    m->in_raw = m->html;
    if (m->html) ramus_md_add(m, RAMUS_MD_BREAK, at, m->size, true);
    return m->html ? m->size : 0;
}

static size_t add_tag(ramus_md_inline *m, size_t at, const ramus_md_tag *tag)
{
    const bool is_br = ramus_md_is_named(" br ", tag->name, tag->name_size);
    if (is_br || ramus_md_is_named(ramus_md_block_elements, tag->name, tag->name_size)) {
        ramus_md_add(m, RAMUS_MD_BREAK, at, tag->end, true);
        m->n_tags = 0; // what is open does not reach over it
        return tag->end;
    }
    if (!tag->closes && !tag->single &&
        ramus_md_is_named(kept_elements, tag->name, tag->name_size)) {
        const size_t end = add_kept_element(m, at, tag);
        if (end) return end;
    }
    ramus_md_add(m, RAMUS_MD_POINT, at, tag->end, true);
    if (m->failed || tag->single) return tag->end;
    if (!tag->closes) {
        const int most = RAMUS_COUNT(m->tags);
        if (m->n_tags == most) memmove(m->tags, m->tags + 1, sizeof m->tags - sizeof m->tags[0]);
        if (m->n_tags == most) m->n_tags--;
        m->tags[m->n_tags++] = m->n - 1;
        return tag->end;
    }
    for (int i = m->n_tags - 1; i >= 0; i--) {
        ramus_md_piece *open = &m->pieces[m->tags[i]];
        const char *name = m->text + open->from + 1;
        if (strncasecmp(name, tag->name, tag->name_size) != 0 || is_word(name[tag->name_size]))
            continue;
        m->n_tags = i;
        open->kind = RAMUS_MD_OPEN;
        m->pieces[m->n - 1].kind = RAMUS_MD_CLOSE;
        m->pieces[m->n - 1].pair = open->pair = m->n_pairs++;
        break;
    }
    return tag->end;
}

/* The end of "<http://...>" or "<name@place>"; 0: it is none. */
static size_t address_in_angles(const ramus_md_inline *m, size_t at)
{
    bool colon = false, sign = false;
    size_t i = at + 1;
    if (i >= m->size || !(is_word(m->text[i]))) return 0;
    for (; i < m->size && m->text[i] != '>'; i++) {
        const char c = m->text[i];
        if ((unsigned char)c <= ' ' || c == '<') return 0;
        if (c == '\\' && !colon) return 0;
        if (c == '@') sign = true;
        if (c == ':' && !colon) {
            if (i - at < 3 || i - at > 33) return 0;
            colon = true;
        }
        if (!colon && !sign && !is_word(c) && !strchr(".+!#$%&'*/=?^_`{|}~", c)) return 0;
        if (!colon && c == '/') return 0;
    }
    return i < m->size && (colon || sign) ? i + 1 : 0;
}

size_t ramus_md_angle(ramus_md_inline *m, size_t at)
{
    static const struct {
        const char *begin, *end;
        int bit;
    } others[] = {
        {"<!--", "-->", RAMUS_MD_COMMENT},
        {"<?", "?>", RAMUS_MD_INSTRUCTION},
        {"<![CDATA[", "]]>", RAMUS_MD_CDATA},
        {"<!", ">", RAMUS_MD_DECLARATION},
    };
    ramus_md_tag tag;
    for (int i = 0; i < RAMUS_COUNT(others); i++) {
        const size_t n = strlen(others[i].begin);
        if (m->size - at <= n || memcmp(m->text + at, others[i].begin, n) != 0) continue;
        if (others[i].bit == RAMUS_MD_DECLARATION && !ramus_md_is_letter(m->text[at + n])) continue;
        const size_t end = ramus_md_find(m, at + n, others[i].end, others[i].bit);
        if (end == m->size) return at + 1;
        ramus_md_add(m, RAMUS_MD_POINT, at, end + strlen(others[i].end), true);
        return end + strlen(others[i].end);
    }
    if (ramus_md_read_tag(&tag, m->text, m->size, at)) return add_tag(m, at, &tag);
    const size_t end = m->html ? 0 : address_in_angles(m, at);
    if (!end) return at + 1;
    ramus_md_add(m, RAMUS_MD_KEEP, at, end, true);
    return end;
}

size_t ramus_md_code(ramus_md_inline *m, size_t at)
{
    size_t inner = at;
    while (inner < m->size && m->text[inner] == '`')
        inner++;
    const size_t n = inner - at;
    if (n > 31 || m->absent >> n & 1) return inner;
    for (size_t i = inner; i < m->size;) {
        const char *tick = memchr(m->text + i, '`', m->size - i);
        if (!tick) break;
        const size_t from = (size_t)(tick - m->text);
        for (i = from; i < m->size && m->text[i] == '`';)
            i++;
        if (i - from != n) continue;
        ramus_md_add(m, RAMUS_MD_KEEP, at, i, true);
        return i;
    }
    m->absent |= (uint64_t)1 << n;
    return inner;
}

size_t ramus_md_entity(ramus_md_inline *m, size_t at)
{
    size_t i = at + 1;
    if (i < m->size && m->text[i] == '#') i++;
    const size_t name = i;
    while (i < m->size && i - name < 32 &&
           (ramus_md_is_letter(m->text[i]) || ramus_md_is_digit(m->text[i])))
        i++;
    if (i == name || i >= m->size || m->text[i] != ';') return at + 1;
    ramus_md_add(m, RAMUS_MD_KEEP, at, i + 1, true);
    return i + 1;
}

/* Whether text[from .. to) looks like a formula and not like two prices. */
static bool is_formula(const char *text, size_t from, size_t to)
{
    if (to - from == 1) return ramus_md_is_letter(text[from]);
    for (size_t i = from; i < to; i++)
        if (text[i] && strchr("\\^_=", text[i])) return true;
    return false;
}

size_t ramus_md_math(ramus_md_inline *m, size_t at)
{
    const char *t = m->text, first = t[at];
    const bool two = first == '\\' || (at + 1 < m->size && t[at + 1] == '$');
    const size_t from = at + 1 + two;
    const char *end = first == '$' ? (two ? "$$" : "$") : t[at + 1] == '(' ? "\\)" : "\\]";
    const int bit = first == '$'       ? (two ? RAMUS_MD_DOLLARS : RAMUS_MD_DOLLAR)
                    : t[at + 1] == '(' ? RAMUS_MD_PAREN
                                       : RAMUS_MD_SQUARE;
    const size_t to = from < m->size ? ramus_md_find(m, from, end, bit) : m->size;
    if (to == m->size || to == from || !is_formula(t, from, to)) return at + 1;
    const size_t after = to + 1 + two;
    if (!two && (ramus_md_is_space(t[from]) || ramus_md_is_space(t[to - 1]) || t[to - 1] == '\\' ||
                 memchr(t + from, '\n', to - from) || (after < m->size && is_word(t[after])) ||
                 (at > 0 && is_word(t[at - 1]))))
        return at + 1;
    ramus_md_add(m, RAMUS_MD_KEEP, at, after, false);
    return after;
}

size_t ramus_md_brace(ramus_md_inline *m, size_t at)
{
    static const struct {
        char second;
        const char *end;
        int bit;
        ramus_md_kind kind;
    } braces[] = {
        {'{', "}}", RAMUS_MD_BRACES, RAMUS_MD_KEEP}, {'%', "%}", RAMUS_MD_PERCENT, RAMUS_MD_KEEP},
        {'#', "}", RAMUS_MD_BRACE, RAMUS_MD_POINT},  {':', "}", RAMUS_MD_BRACE, RAMUS_MD_POINT},
        {'.', "}", RAMUS_MD_BRACE, RAMUS_MD_POINT},
    };
    const char second = at + 1 < m->size ? m->text[at + 1] : '\0';
    for (int i = 0; i < RAMUS_COUNT(braces); i++) {
        if (braces[i].second != second) continue;
        const size_t end = ramus_md_find(m, at + 2, braces[i].end, braces[i].bit);
        if (end == m->size) break;
        if (braces[i].kind == RAMUS_MD_POINT && memchr(m->text + at, '\n', end - at)) break;
        ramus_md_add(m, braces[i].kind, at, end + strlen(braces[i].end), false);
        return end + strlen(braces[i].end);
    }
    return at + 1;
}

size_t ramus_md_shortcode(ramus_md_inline *m, size_t at)
{
    size_t i = at + 1;
    if (at > 0 && (is_word(m->text[at - 1]) || m->text[at - 1] == ':')) return at + 1;
    if (i >= m->size) return at + 1;
    if (!ramus_md_is_letter(m->text[i]) && m->text[i] != '+' && m->text[i] != '-') return at + 1;
    while (i < m->size && i - at < 40 && (is_word(m->text[i]) || strchr("_+", m->text[i])) &&
           m->text[i])
        i++;
    if (i >= m->size || m->text[i] != ':' || i - at < 3) return at + 1;
    ramus_md_add(m, RAMUS_MD_KEEP, at, i + 1, false);
    return i + 1;
}

size_t ramus_md_address(ramus_md_inline *m, size_t at)
{
    static const char *const begins[] = {"http://", "https://", "www.", "ftp://"};
    const char *t = m->text;
    size_t i = at, parens = 0;
    if (at > 0 && (is_word(t[at - 1]) || (unsigned char)t[at - 1] >= 0x80)) return at + 1;
    for (int k = 0; k < RAMUS_COUNT(begins) && i == at; k++)
        if (m->size - at > strlen(begins[k]) && memcmp(t + at, begins[k], strlen(begins[k])) == 0)
            i = at + strlen(begins[k]);
    if (i == at) return at + 1;
    const size_t host = i;
    for (; i < m->size && (unsigned char)t[i] > ' ' && !strchr("<>`[]*\"|\\", t[i]); i++) {
        if (t[i] == '(') parens++;
        if (t[i] == ')' && parens-- == 0) break;
    }
    while (i > host && strchr("?!.,:;'_~", t[i - 1]))
        i--;
    if (i == host) return at + 1;
    ramus_md_add(m, RAMUS_MD_KEEP, at, i, false);
    return i;
}
