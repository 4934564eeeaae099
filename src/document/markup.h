/* markup.h - HTML and XML as a row of tokens: tags with attributes, and text with references.
 *
 *     ramus_markup_token t = ramus_markup_next(data, size, 0, RAMUS_XML);
 *     for (; t.kind != RAMUS_MARKUP_END; t = ramus_markup_next(data, size, t.to, RAMUS_XML)) {
 *         ramus_attribute a = {0};
 *         while (ramus_markup_attribute(&a, data, &t))
 *             ...
 *     }
 *
 * Every document has tokens, one after the other without gaps, whatever its bytes are: what is no
 * markup is text. HTML is read as browsers do it, XML without asking whether it is well-formed.
 * Nothing is kept between calls, and nothing is allocated. Places are bytes of `data`. */
#ifndef RAMUS_DOCUMENT_MARKUP_H
#define RAMUS_DOCUMENT_MARKUP_H

#include "document/blocks.h"

#include <stdint.h>

#define RAMUS_MARKUP_BYTES (16 * 1024) // a longer text is several tokens, each cut at white space

typedef enum { RAMUS_XML, RAMUS_HTML } ramus_markup;

typedef enum ramus_markup_kind {
    RAMUS_MARKUP_END,   // nothing is left
    RAMUS_MARKUP_TEXT,  // with references
    RAMUS_MARKUP_OPEN,  // <name ...>
    RAMUS_MARKUP_EMPTY, // <name ... />
    RAMUS_MARKUP_CLOSE, // </name>
    RAMUS_MARKUP_CDATA, // <![CDATA[...]]>, XML only
    RAMUS_MARKUP_OTHER  // comment, document type, instruction; a tag that does not end
} ramus_markup_kind;

typedef struct ramus_markup_token {
    ramus_markup_kind kind;
    size_t from, to;
    size_t name, name_size; // of a tag: "br", "w:p"
} ramus_markup_token;

typedef struct ramus_attribute {
    size_t name, name_size;
    size_t value, value_size; // between its quotes, with references
    char quote;               // '"', '\''; ' ': no quotes; 0: there is no value
    size_t to;                // the byte after the attribute
} ramus_attribute;

/* The token that begins at byte `at`. */
ramus_markup_token ramus_markup_next(const char *data, size_t size, size_t at, ramus_markup markup);

/* Moves *a, which starts as {0}, to the next attribute of a tag; false: there are no more. */
bool ramus_markup_attribute(ramus_attribute *a, const char *data, const ramus_markup_token *tag);

/* Finds the first attribute called `name`, in small or capital letters. */
bool ramus_markup_find(ramus_attribute *a, const char *data, const ramus_markup_token *tag,
                       const char *name);

/* Whether text[0 .. size) is `word`, in small or capital letters. */
bool ramus_markup_is(const char *text, size_t size, const char *word);

bool ramus_markup_is_space(char c); // space, tab, line feed, form feed, carriage return

/* The code point that HTML's name[0 .. size), without '&' and ';', stands for; 0: not known. */
uint32_t ramus_html_entity(const char *name, size_t size);

/* Adds text of a document to the block that is being made. */
typedef struct ramus_markup_text {
    ramus_blocks *blocks;
    ramus_markup markup;
    bool attribute; // it is the value of an attribute
    bool collapse;  // a run of white space becomes one space; none stands at the beginning and end
    bool word, space; // its own: the text ends in a word; white space came after it
} ramus_markup_text;

/* Adds text[0 .. size) with its references decoded. One that is not known becomes a KEEP mark, and
 * one for white space that is to collapse a CUT mark after a space. */
void ramus_markup_text_add(ramus_markup_text *t, const char *text, size_t size);

/* The same for text without references. */
void ramus_markup_text_plain(ramus_markup_text *t, const char *text, size_t size);

/* Adds a mark, after the white space that came before it. */
void ramus_markup_text_mark(ramus_markup_text *t, ramus_mark_kind kind, const char *raw,
                            size_t size);
void ramus_markup_text_keep(ramus_markup_text *t, const char *text, size_t size, const char *raw,
                            size_t raw_size);

/* The bytes of text before mark i, or after the last one, without the spaces beside CUT marks. */
void ramus_markup_span(const ramus_marked *m, int i, size_t *from, size_t *to);

/* Writes a marked text, without the spaces beside CUT marks. */
void ramus_markup_write(const ramus_marked *m,
                        void (*escape)(ramus_buffer *out, const char *text, size_t size),
                        ramus_buffer *out);

/* Writes text with references for & < >; HTML also has one for the no-break space. */
void ramus_markup_escape_xml(ramus_buffer *out, const char *text, size_t size);
void ramus_markup_escape_html(ramus_buffer *out, const char *text, size_t size);

/* Writes text that stands between " or ': with references for & < and that quote. */
void ramus_markup_escape_double(ramus_buffer *out, const char *text, size_t size);
void ramus_markup_escape_single(ramus_buffer *out, const char *text, size_t size);

#endif
