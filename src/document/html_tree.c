/* The open elements lie on a stack, as in the standard's "tree construction", without its special
 * cases: what they decide here is only where translate="no" ends. A start tag ends the innermost
 * open element of some groups, such as <li> that of <li>, if no wall stands between. */
#include "document/html_tree.h"

#include <string.h>
#include <strings.h>

enum { P = 1, LI = 2, DT = 4, CELL = 8, ROW = 16, SECTION = 32, OPTION = 64, ALL = 127 };

#define BLOCK     RAMUS_HTML_BLOCK
#define BREAK     RAMUS_HTML_BREAK
#define DRAWING   RAMUS_HTML_DRAWING
#define KEPT      RAMUS_HTML_KEPT
#define POINT     RAMUS_HTML_POINT
#define RAW       RAMUS_HTML_RAW
#define TITLE     RAMUS_HTML_TITLE
#define UNTOUCHED RAMUS_HTML_UNTOUCHED

// clang-format off
static const ramus_html_element elements[] = { // sorted by name
    // name        kind   strength group    ends                   walls
    {"address",    BLOCK,     1, 0,       P,                     0},
    {"area",       POINT,     0, 0,       0,                     0},
    {"article",    BLOCK,     1, 0,       P,                     0},
    {"aside",      BLOCK,     1, 0,       P,                     0},
    {"audio",      BLOCK,     1, 0,       0,                     0},
    {"base",       POINT,     0, 0,       0,                     0},
    {"basefont",   POINT,     0, 0,       0,                     0},
    {"bgsound",    POINT,     0, 0,       0,                     0},
    {"blockquote", BLOCK,     1, 0,       P,                     0},
    {"body",       BLOCK,     6, 0,       0,                     0},
    {"br",         BREAK,     0, 0,       0,                     0},
    {"button",     BLOCK,     2, 0,       0,                     ALL},
    {"canvas",     BLOCK,     1, 0,       0,                     0},
    {"caption",    BLOCK,     2, 0,       0,                     ALL},
    {"center",     BLOCK,     1, 0,       P,                     0},
    {"code",       KEPT,      0, 0,       0,                     0},
    {"col",        BREAK,     0, 0,       0,                     0},
    {"colgroup",   BLOCK,     2, 0,       0,                     ALL},
    {"datalist",   BLOCK,     2, 0,       0,                     OPTION},
    {"dd",         BLOCK,     1, DT,      P | DT,                0},
    {"details",    BLOCK,     1, 0,       P,                     0},
    {"dialog",     BLOCK,     1, 0,       P,                     0},
    {"dir",        BLOCK,     1, 0,       P,                     LI},
    {"div",        BLOCK,     1, 0,       P,                     0},
    {"dl",         BLOCK,     1, 0,       P,                     DT},
    {"dt",         BLOCK,     1, DT,      P | DT,                0},
    {"embed",      POINT,     0, 0,       0,                     0},
    {"fieldset",   BLOCK,     1, 0,       P,                     0},
    {"figcaption", BLOCK,     1, 0,       P,                     0},
    {"figure",     BLOCK,     1, 0,       P,                     0},
    {"footer",     BLOCK,     1, 0,       P,                     0},
    {"form",       BLOCK,     1, 0,       P,                     0},
    {"frame",      BREAK,     0, 0,       0,                     0},
    {"frameset",   BLOCK,     6, 0,       0,                     0},
    {"h1",         BLOCK,     1, 0,       P,                     0},
    {"h2",         BLOCK,     1, 0,       P,                     0},
    {"h3",         BLOCK,     1, 0,       P,                     0},
    {"h4",         BLOCK,     1, 0,       P,                     0},
    {"h5",         BLOCK,     1, 0,       P,                     0},
    {"h6",         BLOCK,     1, 0,       P,                     0},
    {"head",       BLOCK,     6, 0,       0,                     0},
    {"header",     BLOCK,     1, 0,       P,                     0},
    {"hgroup",     BLOCK,     1, 0,       P,                     0},
    {"hr",         BREAK,     0, 0,       P,                     0},
    {"html",       BLOCK,     6, 0,       0,                     0},
    {"iframe",     RAW,       0, 0,       0,                     0},
    {"image",      POINT,     0, 0,       0,                     0},
    {"img",        POINT,     0, 0,       0,                     0},
    {"input",      POINT,     0, 0,       0,                     0},
    {"kbd",        KEPT,      0, 0,       0,                     0},
    {"keygen",     POINT,     0, 0,       0,                     0},
    {"legend",     BLOCK,     1, 0,       0,                     0},
    {"li",         BLOCK,     1, LI,      P | LI,                0},
    {"link",       POINT,     0, 0,       0,                     0},
    {"listing",    UNTOUCHED, 1, 0,       P,                     0},
    {"main",       BLOCK,     1, 0,       P,                     0},
    {"math",       DRAWING,   2, 0,       0,                     ALL},
    {"menu",       BLOCK,     1, 0,       P,                     LI},
    {"meta",       POINT,     0, 0,       0,                     0},
    {"nav",        BLOCK,     1, 0,       P,                     0},
    {"noembed",    RAW,       0, 0,       0,                     0},
    {"noframes",   RAW,       0, 0,       0,                     0},
    {"noscript",   BLOCK,     1, 0,       0,                     0},
    {"object",     BLOCK,     2, 0,       0,                     ALL},
    {"ol",         BLOCK,     1, 0,       P,                     LI},
    {"optgroup",   BLOCK,     1, 0,       OPTION,                0},
    {"option",     BLOCK,     1, OPTION,  OPTION,                0},
    {"p",          BLOCK,     1, P,       P,                     0},
    {"param",      POINT,     0, 0,       0,                     0},
    {"plaintext",  RAW,       0, 0,       0,                     0},
    {"pre",        UNTOUCHED, 1, 0,       P,                     0},
    {"samp",       KEPT,      0, 0,       0,                     0},
    {"script",     RAW,       0, 0,       0,                     0},
    {"search",     BLOCK,     1, 0,       P,                     0},
    {"section",    BLOCK,     1, 0,       P,                     0},
    {"select",     BLOCK,     2, 0,       0,                     OPTION},
    {"source",     POINT,     0, 0,       0,                     0},
    {"style",      RAW,       0, 0,       0,                     0},
    {"summary",    BLOCK,     1, 0,       P,                     0},
    {"svg",        DRAWING,   2, 0,       0,                     ALL},
    {"table",      BLOCK,     5, 0,       P,                     ALL},
    {"tbody",      BLOCK,     4, SECTION, CELL | ROW | SECTION,  0},
    {"td",         BLOCK,     2, CELL,    CELL,                  ALL & ~CELL},
    {"template",   UNTOUCHED, 5, 0,       0,                     ALL},
    {"textarea",   RAW,       0, 0,       0,                     0},
    {"tfoot",      BLOCK,     4, SECTION, CELL | ROW | SECTION,  0},
    {"th",         BLOCK,     2, CELL,    CELL,                  ALL & ~CELL},
    {"thead",      BLOCK,     4, SECTION, CELL | ROW | SECTION,  0},
    {"title",      TITLE,     0, 0,       0,                     0},
    {"tr",         BLOCK,     3, ROW,     CELL | ROW,            0},
    {"track",      POINT,     0, 0,       0,                     0},
    {"tt",         KEPT,      0, 0,       0,                     0},
    {"ul",         BLOCK,     1, 0,       P,                     LI},
    {"var",        KEPT,      0, 0,       0,                     0},
    {"video",      BLOCK,     1, 0,       0,                     0},
    {"wbr",        POINT,     0, 0,       0,                     0},
    {"xmp",        RAW,       0, 0,       0,                     0},
};
// clang-format on
static const ramus_html_element unknown = {.kind = RAMUS_HTML_INLINE};

const ramus_html_element *ramus_html_element_find(const char *name, size_t size)
{
    int first = 0, last = RAMUS_COUNT(elements) - 1;
    while (first <= last && size < sizeof elements[0].name) {
        const int middle = (first + last) / 2;
        const char *other = elements[middle].name;
        int order = strncasecmp(name, other, size);
        if (order == 0 && other[size]) order = -1;
        if (order == 0) return &elements[middle];
        if (order < 0)
            last = middle - 1;
        else
            first = middle + 1;
    }
    return &unknown;
}

size_t ramus_html_content_end(const char *data, size_t size, const ramus_markup_token *tag)
{
    const size_t n = tag->name_size;
    for (size_t at = tag->to; at + n + 2 <= size; at++) {
        const char *found = memchr(data + at, '<', size - at - n - 1);
        if (!found) return size;
        at = (size_t)(found - data);
        const char after = at + n + 2 < size ? found[n + 2] : '>';
        if (found[1] == '/' && strncasecmp(found + 2, data + tag->name, n) == 0 &&
            (ramus_markup_is_space(after) || after == '/' || after == '>'))
            return at;
    }
    return size;
}

/* FNV-1a of the name in small letters. */
static uint32_t number_of(const char *data, const ramus_markup_token *tag)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < tag->name_size; i++) {
        const char c = data[tag->name + i];
        hash = (hash ^ (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c)) * 16777619u;
    }
    return hash;
}

ramus_html_translate ramus_html_tree_translate(const ramus_html_tree *t)
{
    return t->n ? t->items[t->n - 1].translate : RAMUS_HTML_YES;
}

bool ramus_html_tree_foreign(const ramus_html_tree *t)
{
    return t->n && t->items[t->n - 1].foreign;
}

/* Whether the list text[0 .. size) of words with white space between them has `word`. */
static bool has_word(const char *text, size_t size, const char *word)
{
    for (size_t at = 0, end; at < size; at = end + 1) {
        for (end = at; end < size && !ramus_markup_is_space(text[end]);)
            end++;
        if (ramus_markup_is(text + at, end - at, word)) return true;
    }
    return false;
}

ramus_html_translate ramus_html_tree_translate_tag(const ramus_html_tree *t, const char *data,
                                                   const ramus_markup_token *tag)
{
    const int kind = ramus_html_element_find(data + tag->name, tag->name_size)->kind;
    ramus_html_translate result = ramus_html_tree_translate(t);
    if (result == RAMUS_HTML_NEVER || kind == RAMUS_HTML_DRAWING || kind == RAMUS_HTML_UNTOUCHED)
        return RAMUS_HTML_NEVER;
    if (kind == RAMUS_HTML_KEPT) result = RAMUS_HTML_NO;
    ramus_attribute a = {0};
    bool said = false;
    while (ramus_markup_attribute(&a, data, tag)) {
        const char *value = data + a.value;
        if (ramus_markup_is(data + a.name, a.name_size, "translate")) {
            said = true;
            if (ramus_markup_is(value, a.value_size, "no")) return RAMUS_HTML_NO;
            if (a.value_size == 0 || ramus_markup_is(value, a.value_size, "yes"))
                result = RAMUS_HTML_YES;
        } else if (!said && ramus_markup_is(data + a.name, a.name_size, "class") &&
                   has_word(value, a.value_size, "notranslate")) {
            result = RAMUS_HTML_NO;
        }
    }
    return result;
}

void ramus_html_tree_imply(ramus_html_tree *t, const ramus_html_element *element)
{
    unsigned ends = element->ends;
    int left = t->n;
    for (int i = t->n - 1; i >= 0 && ends; i--) {
        const ramus_html_element *open = t->items[i].element;
        if (open->group & ends) left = i;
        ends &= ~(unsigned)(open->walls | open->group);
    }
    t->n = left;
}

void ramus_html_tree_push(ramus_html_tree *t, const char *data, const ramus_markup_token *tag,
                          int piece)
{
    if (t->n == RAMUS_HTML_DEPTH) return;
    const ramus_html_element *element = ramus_html_element_find(data + tag->name, tag->name_size);
    const ramus_html_open item = {.element = element,
                                  .name = number_of(data, tag),
                                  .translate = ramus_html_tree_translate_tag(t, data, tag),
                                  .foreign = ramus_html_tree_foreign(t) ||
                                             element->kind == RAMUS_HTML_DRAWING,
                                  .piece = piece};
    t->items[t->n++] = item;
}

int ramus_html_tree_match(const ramus_html_tree *t, const char *data, const ramus_markup_token *tag)
{
    const uint32_t name = number_of(data, tag);
    const int strength = ramus_html_element_find(data + tag->name, tag->name_size)->strength;
    for (int i = t->n - 1; i >= 0; i--) {
        if (t->items[i].name == name) return i;
        if (t->items[i].element->strength > strength) return -1;
    }
    return -1;
}
