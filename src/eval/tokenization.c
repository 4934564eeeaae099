/* One row per tokenization of SacreBLEU: a function that gives the class of a character, and
 * four switches. */
#include "eval/tokenization.h"

#include "eval/category.h"
#include "eval/code_range.h"

#include <string.h>

static int class_none(uint32_t code)
{
    return ramus_category_is_space(code) ? RAMUS_CHAR_SPACE : RAMUS_CHAR_WORD;
}

static int class_char(uint32_t code)
{
    return ramus_category_is_space(code) ? RAMUS_CHAR_SPACE : RAMUS_CHAR_SINGLE;
}

/* Only ASCII has marks here; the apostrophe is none. */
static int class_13a(uint32_t code)
{
    if (ramus_category_is_space(code)) return RAMUS_CHAR_SPACE;
    if (code >= '0' && code <= '9') return RAMUS_CHAR_DIGIT;
    if (code == '.' || code == ',') return RAMUS_CHAR_POINT;
    if (code == '-') return RAMUS_CHAR_DASH;
    if (code < 0x80 && code != 0 && strchr("!\"#$%&()*+/:;<=>?@[\\]^_`{|}~", (int)code))
        return RAMUS_CHAR_SINGLE;
    return RAMUS_CHAR_WORD;
}

static int class_intl(uint32_t code)
{
    if (ramus_category_is_space(code)) return RAMUS_CHAR_SPACE;
    static const int classes[] = {[RAMUS_CATEGORY_OTHER] = RAMUS_CHAR_WORD,
                                  [RAMUS_CATEGORY_PUNCTUATION] = RAMUS_CHAR_POINT,
                                  [RAMUS_CATEGORY_SYMBOL] = RAMUS_CHAR_SINGLE,
                                  [RAMUS_CATEGORY_NUMBER] = RAMUS_CHAR_DIGIT};
    return classes[ramus_category_of(code)];
}

/* What SacreBLEU takes for Chinese. It writes extension B as '\u20000' to '\u2a6d6', which Python
 * reads as U+2000 '0' to U+2A6D '6': so U+2001 to U+2A6D count (quotes, dashes, the euro sign) and
 * extension B does not. Scores are comparable only with the same slip. */
static int class_zh(uint32_t code)
{
    static const ramus_code_range chinese[] = {
        {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x303F},
        {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x33FF},
        {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
        {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
    const int other = class_13a(code);
    if (other == RAMUS_CHAR_SPACE) return other;
    return ramus_code_range_has(chinese, RAMUS_COUNT(chinese), code) ? RAMUS_CHAR_SINGLE : other;
}

// clang-format off
static const ramus_tokenization tokenizations[] = {
    // name    class       entities  padded  trimmed  peeled
    {"13a",    class_13a,  true,     true,   false,   false},
    {"intl",   class_intl, false,    false,  false,   false},
    {"zh",     class_zh,   false,    false,  true,    false},
    {"char",   class_char, false,    false,  false,   false},
    {"none",   class_none, false,    false,  false,   false},
};
// clang-format on

const char *const ramus_tokenization_names[] = {"13a", "intl", "zh", "char", "none", NULL};

const ramus_tokenization ramus_tokenization_chrf = {
    .name = "chrf", .class_of = class_none, .peeled = true};

const ramus_tokenization *ramus_tokenization_at(int i)
{
    return i >= 0 && i < RAMUS_COUNT(tokenizations) ? &tokenizations[i] : NULL;
}

const ramus_tokenization *ramus_tokenization_find(const char *name)
{
    for (int i = 0; i < RAMUS_COUNT(tokenizations); i++)
        if (strcmp(tokenizations[i].name, name) == 0) return &tokenizations[i];
    return NULL;
}

const char *ramus_tokenization_name(const ramus_tokenization *t)
{
    return t->name;
}
