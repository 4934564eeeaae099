/* spans_rules.h - the rules behind spans.h, a file for each subject; inside text/ only. */
#ifndef RAMUS_TEXT_SPANS_RULES_H
#define RAMUS_TEXT_SPANS_RULES_H

#include "text/sentences_chars.h"
#include "text/spans.h"

typedef struct ramus_span_text {
    const char *text;
    size_t size;
} ramus_span_text;

/* The bytes of the span that begins at `at`, or 0. The first byte is one that the table in spans.c
 * names for the rule. */
typedef size_t ramus_span_rule(const ramus_span_text *t, size_t at);

// spans_address.c
ramus_span_rule ramus_span_url;
ramus_span_rule ramus_span_email;
ramus_span_rule ramus_span_file;  // a.tar.gz, src/a.c
ramus_span_rule ramus_span_root;  // /usr/lib, ~/x, ./x, .bashrc, *.txt
ramus_span_rule ramus_span_drive; // C:\x

// spans_code.c
ramus_span_rule ramus_span_code;
ramus_span_rule ramus_span_option;
ramus_span_rule ramus_span_identifier;
ramus_span_rule ramus_span_escape; // \n, \u00E9, \textbf
ramus_span_rule ramus_span_tag;
ramus_span_rule ramus_span_entity;

// spans_placeholder.c
ramus_span_rule ramus_span_percent; // %s
ramus_span_rule ramus_span_brace;   // {x}
ramus_span_rule ramus_span_sigil;   // ${x}, $(x), $VAR, @{x}, #{x}

// spans_number.c
ramus_span_rule ramus_span_money;
ramus_span_rule ramus_span_share; // 5 %
ramus_span_rule ramus_span_quantity;

// spans_serial.c
ramus_span_rule ramus_span_time;
ramus_span_rule ramus_span_date;
ramus_span_rule ramus_span_serial;

// spans_sign.c
ramus_span_rule ramus_span_emoji;
ramus_span_rule ramus_span_smiley;
ramus_span_rule ramus_span_handle;
ramus_span_rule ramus_span_private;
ramus_span_rule ramus_span_control;

// ---- what rules look at: spans.c ----

/* The byte at `at`; 0 behind the end. */
static inline char ramus_span_byte(const ramus_span_text *t, size_t at)
{
    return at < t->size ? t->text[at] : '\0';
}

static inline bool ramus_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ramus_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool ramus_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool ramus_is_alpha(char c)
{
    return ramus_is_lower(c) || ramus_is_upper(c);
}

static inline bool ramus_is_alnum(char c)
{
    return ramus_is_alpha(c) || ramus_is_digit(c);
}

/* The bytes of the letter, digit, accent or _ at `at`, else 0. Scripts without spaces have no words
 * in this sense. */
size_t ramus_span_word(const ramus_span_text *t, size_t at);

/* Whether such a character stands before `at`; a _ only if `underscore`. */
bool ramus_span_in_word(const ramus_span_text *t, size_t at, bool underscore);

/* Whether something can begin at `at` that is set off from the text before: behind white space, an
 * opening bracket, a quote, or one of = , ; : | */
bool ramus_span_set_off(const ramus_span_text *t, size_t at);

/* Whether the text has `word` at `at`. */
bool ramus_span_has(const ramus_span_text *t, size_t at, const char *word);

/* The digits at `at`, at most `most`. */
size_t ramus_span_digits(const ramus_span_text *t, size_t at, size_t most);

/* The bytes of a space inside a line at `at`, also of a hard or narrow one; else 0. */
size_t ramus_span_space(const ramus_span_text *t, size_t at);

/* Whether word[0 .. size) is one of the words of `list`, which stand between spaces. */
bool ramus_span_listed(const char *list, const char *word, size_t size);

#endif
