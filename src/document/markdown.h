/* markdown.h - what the files of Markdown share; inside document/ only.
 *
 * markdown.c finds lines that belong together and takes the marks of lists and quotes off.
 * markdown_inline.c finds the markup in such a text, as pieces. markdown_text.c makes blocks of
 * text and pieces, and markdown_write.c writes translations.
 *
 * Limits: a heading keeps its id only where it is written as "{#id}", so that links to ids made of
 * headings may lead nowhere. Escapes that hide nothing are left out. A name of a link is taken for
 * defined where a line looks like its definition. Titles of links and attributes of tags stay. */
#ifndef RAMUS_DOCUMENT_MARKDOWN_H
#define RAMUS_DOCUMENT_MARKDOWN_H

#include "document/format.h"

#include <stdint.h>

typedef enum ramus_md_kind {
    RAMUS_MD_OPEN,   // these four become marks
    RAMUS_MD_CLOSE,  //
    RAMUS_MD_POINT,  //
    RAMUS_MD_KEEP,   //
    RAMUS_MD_ESCAPE, // a backslash and the character that it stands before
    RAMUS_MD_SOFT,   // a line break that is no end of anything
    RAMUS_MD_BREAK   // ends the block: a hard line break, the tag of a paragraph
} ramus_md_kind;

typedef struct ramus_md_piece {
    size_t from, to; // bytes of the text
    ramus_md_kind kind;
    int pair;      // of OPEN and CLOSE: the number of the other one
    bool markup;   // a translation that has it must hide it with a backslash
    bool image;    // of OPEN and CLOSE
    bool is_label; // a CLOSE: the text of the link names its definition: [text], [text][]
} ramus_md_piece;

/* Names of link definitions "[name]: place" that the document has somewhere, each a bit. A name
 * that is not there may seem to be, rarely. */
#define RAMUS_MD_LABEL_BITS (1u << 20)
typedef struct ramus_md_labels {
    uint8_t bits[RAMUS_MD_LABEL_BITS / 8];
} ramus_md_labels;
void ramus_md_labels_find(ramus_md_labels *l, const char *data, size_t size); // of a document
bool ramus_md_labels_have(const ramus_md_labels *l, const char *name, size_t size);

/* The end of the label that text[at] == '[' begins, behind its ']'; 0: it is none. */
size_t ramus_md_label_end(const char *text, size_t size, size_t at);

typedef struct ramus_md_inline {
    const char *text; // lines with '\n' between them
    size_t size;
    bool html;                     // nothing but tags and entities is markup
    const ramus_md_labels *labels; // never NULL
    ramus_md_piece *pieces;        // the result, in order
    int n;
    bool in_raw; // an element such as <pre> has not ended

    // the rest is for the parser alone
    size_t piece_room, run_room, bracket_room, open_room;
    struct ramus_md_run *runs; // of * _ ~
    int n_runs, last_run;
    struct ramus_md_bracket *brackets; // [ and ![
    int n_brackets, n_inactive;
    int tags[16]; // pieces: the last tags that are open
    int n_tags;
    int *open; // pieces: those that are open
    int n_pairs;
    uint64_t absent; // what does not come any more: bits of runs of backticks, and of ends
    size_t line;     // where the line begins
    size_t no_paren; // no ')' from the last destination of a link to here
    bool failed;     // memory is out
} ramus_md_inline;

/* Finds the markup of m->text. */
void ramus_md_parse(ramus_md_inline *m);
void ramus_md_inline_free(ramus_md_inline *m);

/* The parts of the parser. What a character begins: returns the end of it, or the character's. */
void ramus_md_add(ramus_md_inline *m, ramus_md_kind kind, size_t from, size_t to, bool markup);
size_t ramus_md_angle(ramus_md_inline *m, size_t at);     // <
size_t ramus_md_code(ramus_md_inline *m, size_t at);      // `
size_t ramus_md_math(ramus_md_inline *m, size_t at);      // $ and \( \[
size_t ramus_md_brace(ramus_md_inline *m, size_t at);     // {
size_t ramus_md_shortcode(ramus_md_inline *m, size_t at); // :
size_t ramus_md_address(ramus_md_inline *m, size_t at);   // http:
size_t ramus_md_entity(ramus_md_inline *m, size_t at);    // &
size_t ramus_md_add_run(ramus_md_inline *m, size_t at);   // * _ ~
/* Pairs the runs behind number `bottom`, and forgets them. */
void ramus_md_pair_runs(ramus_md_inline *m, int bottom);
void ramus_md_add_pair(ramus_md_inline *m, size_t open, size_t open_end, size_t close,
                       size_t close_end);

/* What stands beside a run of stars: white space, as at both ends of a text, punctuation, or else a
 * letter; and where the character before byte `at` > 0 begins. */
typedef enum { RAMUS_MD_SPACE, RAMUS_MD_PUNCTUATION, RAMUS_MD_LETTER } ramus_md_side;
ramus_md_side ramus_md_side_before(const char *text, size_t at);
ramus_md_side ramus_md_side_after(const char *text, size_t size, size_t at);
size_t ramus_md_back(const char *text, size_t at);

/* Where `end` begins in the text from `at` on; m->size: nowhere. Bit `bit` of m->absent remembers.
 */
size_t ramus_md_find(ramus_md_inline *m, size_t at, const char *end, int bit);
enum { // bits of m->absent; those below are of runs of that many backticks
    RAMUS_MD_COMMENT = 32,
    RAMUS_MD_INSTRUCTION,
    RAMUS_MD_DECLARATION,
    RAMUS_MD_CDATA,
    RAMUS_MD_BRACES,
    RAMUS_MD_PERCENT,
    RAMUS_MD_BRACE,
    RAMUS_MD_DOLLARS,
    RAMUS_MD_DOLLAR,
    RAMUS_MD_PAREN,
    RAMUS_MD_SQUARE,
    RAMUS_MD_RAW // and one each for the elements that are raw
};

/* A tag that text[at] == '<' begins. */
typedef struct ramus_md_tag {
    const char *name;
    size_t name_size, end; // behind its '>'
    bool closes, single;   // </b>; <br>, <b/>
} ramus_md_tag;
bool ramus_md_read_tag(ramus_md_tag *tag, const char *text, size_t size, size_t at);
/* Whether an HTML element is in a list of names with spaces around them; case does not matter. */
bool ramus_md_is_named(const char *list, const char *name, size_t size);

extern const char ramus_md_block_elements[]; // those that begin a block of HTML in Markdown
extern const char ramus_md_raw_elements[];   // those that Markdown leaves alone to their end

static inline bool ramus_md_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static inline bool ramus_md_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool ramus_md_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ramus_md_is_punctuation(char c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

/* Lines of the document that belong together, without what stands before them. */
typedef struct ramus_md_line {
    size_t at;   // of the text
    size_t from; // of the document
} ramus_md_line;

typedef struct ramus_md_text {
    ramus_buffer text; // lines with '\n' between them
    ramus_md_line *lines;
    int n_lines;
    size_t line_room;
    bool failed;
    ramus_md_inline parser;

    ramus_buffer written, flags, escaped; // for ramus_md_write()
    size_t *opens;                        // of marks: where in `written`
    size_t open_room;
} ramus_md_text;

void ramus_md_text_free(ramus_md_text *t);
void ramus_md_text_clear(ramus_md_text *t);
void ramus_md_text_add(ramus_md_text *t, const ramus_document *d, size_t from, size_t to);

/* What the form of a block says: which characters are always written with a backslash (bits of the
 * lower 24), and the flags below. */
enum {
    RAMUS_MD_FIRST = 1 << 24, // it begins a paragraph
    RAMUS_MD_LINE = 1 << 25,  // it begins a line
    RAMUS_MD_HTML = 1 << 26,
    RAMUS_MD_PLAIN = 1 << 27, // a value of front matter: without quotes, or with those
    RAMUS_MD_SINGLE = 1 << 28,
    RAMUS_MD_DOUBLE = 1 << 29,
    RAMUS_MD_LAZY = 1 << 30 // lines of it have less before them than the first
};
int ramus_md_form_escaping(char c); // the bit of a character, or 0

/* Adds the blocks of the lines gathered in *t. Returns false where memory is out. */
bool ramus_md_blocks(ramus_md_text *t, const ramus_document *d, ramus_blocks *out, int form);
void ramus_md_write(ramus_md_text *t, const ramus_block *block, const ramus_marked *translation,
                    ramus_buffer *out);

/* Front matter: the end of it at the beginning of a document, 0 where there is none; the blocks of
 * one of its lines; and how one is written. */
size_t ramus_md_front_end(const char *data, size_t size);
void ramus_md_front_line(const ramus_document *d, size_t from, size_t to, ramus_blocks *out);
void ramus_md_front_write(const ramus_block *block, const ramus_marked *translation,
                          ramus_buffer *out);

#endif
