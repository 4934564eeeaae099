/* spans.h - what is not language in a text, and is copied as it is: addresses, code, placeholders,
 * numbers with units, emoji.
 *
 *     ramus_span s = {0};
 *     for (size_t at = 0; ramus_span_next(text, size, at, &s); at = s.at + s.size)
 *         protect(text + s.at, s.size, s.kind);
 *
 * Any bytes are accepted. The time is linear in the size of the text: a rule that finds nothing has
 * looked at a bounded number of bytes. Nothing is allocated. docs/design/spans.md lists the rules.
 */
#ifndef RAMUS_TEXT_SPANS_H
#define RAMUS_TEXT_SPANS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ramus_span_kind {
    RAMUS_SPAN_URL,         // https://x.org/a  www.x.org  example.com/x
    RAMUS_SPAN_EMAIL,       // tom@example.org
    RAMUS_SPAN_PATH,        // /usr/lib  ~/x  C:\Users  src/a.c  name.tar.gz
    RAMUS_SPAN_CODE,        // `x`
    RAMUS_SPAN_OPTION,      // --verbose  -o
    RAMUS_SPAN_IDENTIFIER,  // snake_case  foo()  std::string
    RAMUS_SPAN_TAG,         // <b>  </b>  <!-- x -->  <https://x.org>
    RAMUS_SPAN_ENTITY,      // &nbsp;  &#160;
    RAMUS_SPAN_PLACEHOLDER, // %s  {name}  ${x}  {{x}}
    RAMUS_SPAN_TIME,        // 3:30  00:01:02,500 --> 00:01:04,000
    RAMUS_SPAN_DATE,        // 2024-05-03  03.05.2024
    RAMUS_SPAN_MONEY,       // $1,299.99  EUR 50  5 €
    RAMUS_SPAN_PERCENT,     // 20%  5 %
    RAMUS_SPAN_QUANTITY,    // 90 km/h  20 °C
    RAMUS_SPAN_SERIAL,      // 1.2.3  v2.0  192.168.0.1  +49 30 123456  12345  0x1F  #ff00aa
    RAMUS_SPAN_EMOJI,       //
    RAMUS_SPAN_SMILEY,      // :-)
    RAMUS_SPAN_HANDLE,      // #word  @name
    RAMUS_SPAN_PRIVATE,     // private use characters, and the mark of an embedded object
    RAMUS_SPAN_CONTROL,     // control characters that are not white space
    RAMUS_SPAN_KINDS
} ramus_span_kind;

typedef struct ramus_span {
    size_t at, size; // bytes of the text; size > 0
    ramus_span_kind kind;
} ramus_span;

/* Sets *out to the first span that begins at byte `from` of text[0 .. size) or later; false when
 * there is none. Whether a span begins at a byte depends on the text around it, not on `from`. In
 * valid UTF-8 a span begins and ends between code points. */
bool ramus_span_next(const char *text, size_t size, size_t from, ramus_span *out);

/* Whether a span of this kind is no part of the sentence that it stands before or behind: emoji,
 * smileys, control characters. */
bool ramus_span_is_loose(ramus_span_kind kind);

const char *ramus_span_name(ramus_span_kind kind); // "url", for messages

/* The bytes of what marks the beginning of text[0 .. size), a line or sentence, as an item of a
 * list, a heading or a quotation, with the white space after it: "- ", "2) ", "## ", "> ", "- [ ]
 * ". 0 where there is none, and where nothing stands after it. */
size_t ramus_span_marker(const char *text, size_t size);

/* Whether each number of the source stands in the target at least as often. A number is a group of
 * digits; groups of three after a separator belong to the one before, so "1,299.5" is 1299 and 5.
 * In the target, English and German words for 0 to 12 count. Not seen: other number words, a month
 * by name, "3 p.m." for "15 Uhr" (these give false), digits that are not ASCII, groups of digits in
 * another order, and numbers of the source behind the first 64 different ones. */
bool ramus_numbers_kept(const char *source, size_t source_size, const char *target,
                        size_t target_size);

#endif
