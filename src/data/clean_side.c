/* Code points are decoded once. Keys are made of the text in lower case. */
#include "data/clean_side.h"

#include "base/list.h"
#include "base/utf8.h"
#include "eval/category.h"
#include "eval/line.h"
#include "text/letters.h"

#include <stdlib.h>
#include <string.h>

/* Marks that nobody sees: soft hyphen, zero-width space and joiners, directions, byte order. */
static bool is_invisible(uint32_t code)
{
    return code == 0xAD || (code >= 0x200B && code <= 0x200F) || code == 0x2060 || code == 0xFEFF;
}

static bool has_no_spaces(ramus_script script)
{
    return script == RAMUS_SCRIPT_HAN || script == RAMUS_SCRIPT_THAI;
}

static ramus_script script_of(uint32_t code)
{
    const ramus_script script = ramus_script_of(code);
    return script == RAMUS_SCRIPT_KANA ? RAMUS_SCRIPT_HAN : script;
}

int ramus_clean_side_weight(ramus_script script)
{
    return script == RAMUS_SCRIPT_HAN || script == RAMUS_SCRIPT_HANGUL ? 4 : 1;
}

/* What stands between two white spaces, in halves of words. */
static int count_run(const uint32_t *codes, int n)
{
    int dense = 0;
    bool others = false;
    for (int i = 0; i < n; i++) {
        const ramus_script script = script_of(codes[i]);
        dense += has_no_spaces(script);
        others |= script != RAMUS_SCRIPT_NONE && !has_no_spaces(script);
    }
    return dense ? dense + 2 * others : 2;
}

static int count_words(const uint32_t *codes, int n)
{
    int halves = 0;
    for (int i = 0, start = 0; i <= n; i++) {
        if (i < n && !ramus_category_is_space(codes[i])) continue;
        if (i > start) halves += count_run(codes + start, i - start);
        start = i + 1;
    }
    return (halves + 1) / 2;
}

/* The keys, of the text in lower case. Words of a key end at its spaces. */
static void make_keys(ramus_clean_side *s)
{
    bool gap = false, loose_gap = false;
    int dense = 0; // letters of the loose key that have no spaces between words
    ramus_buffer_clear(&s->key);
    ramus_buffer_clear(&s->loose);
    s->loose_words = 0;
    for (size_t at = 0; at < s->lower_size;) {
        uint32_t code = 0;
        const char *text = s->lower + at;
        const int n = ramus_utf8_decode(&code, text, s->lower_size - at);
        at += n ? (size_t)n : 1;
        if (is_invisible(code)) continue;
        const ramus_category category = ramus_category_of(code);
        if (category == RAMUS_CATEGORY_PUNCTUATION || category == RAMUS_CATEGORY_SYMBOL ||
            ramus_category_is_space(code)) {
            gap = loose_gap = true;
            continue;
        }
        if (gap && s->key.size) ramus_buffer_add(&s->key, " ", 1);
        gap = false;
        ramus_buffer_add(&s->key, text, (size_t)n);
        if (category == RAMUS_CATEGORY_NUMBER) {
            loose_gap = true;
            continue;
        }
        if (loose_gap && s->loose.size) ramus_buffer_add(&s->loose, " ", 1);
        const bool is_dense = has_no_spaces(script_of(code));
        s->loose_words += !is_dense && (loose_gap || !s->loose.size);
        dense += is_dense;
        loose_gap = false;
        ramus_buffer_add(&s->loose, text, (size_t)n);
    }
    s->loose_words += dense / 2;
}

ramus_status ramus_clean_side_read(ramus_clean_side *s, const char *text, size_t size,
                                   ramus_error *err)
{
    const ramus_line line = {text, size};
    ramus_status st = ramus_line_check(line, err);
    if (!st) st = RAMUS_LIST_RESERVE(s->codes, s->room, size + 1, "a sentence", err);
    if (st) return st;
    s->text = text;
    s->size = size;
    s->utf8 = true;
    s->n = s->letters = s->visible = 0;
    memset(s->scripts, 0, sizeof s->scripts);
    for (size_t at = 0; at < size;) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, text + at, size - at);
        s->utf8 &= n > 0;
        at += n ? (size_t)n : 1;
        s->codes[s->n++] = code;
        s->letters += ramus_letter(code);
        s->visible += !ramus_category_is_space(code);
        s->scripts[script_of(code)]++;
    }
    s->words = count_words(s->codes, s->n);

    st = RAMUS_LIST_RESERVE(s->lower, s->lower_room, RAMUS_LINE_ROOM(size) + 1, "a sentence", err);
    if (st) return st;
    s->lower_size = ramus_line_lower(s->lower, line);
    make_keys(s);
    st = ramus_buffer_check(&s->key, err);
    return st ? st : ramus_buffer_check(&s->loose, err);
}

void ramus_clean_side_free(ramus_clean_side *s)
{
    free(s->codes);
    ramus_buffer_free(&s->key);
    ramus_buffer_free(&s->loose);
    free(s->lower);
    *s = (ramus_clean_side){0};
}
