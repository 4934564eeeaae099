/* html_tree.h - which elements of a page are open, and whether their text is translated.
 *
 * As browsers do it: some elements end without an end tag, and an end tag ends no element behind a
 * stronger one. Nothing is allocated. */
#ifndef RAMUS_DOCUMENT_HTML_TREE_H
#define RAMUS_DOCUMENT_HTML_TREE_H

#include "document/markup.h"

#define RAMUS_HTML_DEPTH 512 // as in browsers; what is deeper belongs to the element above it

typedef enum ramus_html_kind {
    RAMUS_HTML_INLINE,    // stands in a text: <b>, and what nobody knows
    RAMUS_HTML_POINT,     // stands in a text and has no content: <img>
    RAMUS_HTML_RAW,       // stands in a text; its content is no markup: <script>
    RAMUS_HTML_KEPT,      // stands in a text; its content is not translated: <code>
    RAMUS_HTML_DRAWING,   // the same, and has tags of its own: <svg>
    RAMUS_HTML_BLOCK,     // ends a text: <p>
    RAMUS_HTML_BREAK,     // ends a text and has no content: <br>
    RAMUS_HTML_UNTOUCHED, // ends a text; its content is not translated: <pre>
    RAMUS_HTML_TITLE      // ends a text; its content is text without tags
} ramus_html_kind;

typedef struct ramus_html_element {
    char name[11];
    unsigned char kind;     // a ramus_html_kind
    unsigned char strength; // an end tag ends no element behind a stronger one; inline: 0
    unsigned char group;    // bits: what ends this element calls it so
    unsigned char ends;     // bits: groups whose innermost open element its start tag ends
    unsigned char walls;    // bits: groups that a tag inside cannot end outside
} ramus_html_element;

/* The element of a tag's name. What is not in the table is inline. */
const ramus_html_element *ramus_html_element_find(const char *name, size_t size);

/* Where the content ends of an element that has no markup in it: at its end tag, or at `size`. */
size_t ramus_html_content_end(const char *data, size_t size, const ramus_markup_token *tag);

typedef enum { RAMUS_HTML_YES, RAMUS_HTML_NO, RAMUS_HTML_NEVER } ramus_html_translate;

typedef struct ramus_html_open {
    const ramus_html_element *element;
    uint32_t name;                  // a number made of it
    ramus_html_translate translate; // NEVER: whatever an element inside says
    bool foreign;                   // in <svg> or <math>
    int piece;                      // the caller's number
} ramus_html_open;

typedef struct ramus_html_tree {
    ramus_html_open items[RAMUS_HTML_DEPTH];
    int n;
} ramus_html_tree;

/* Of the innermost open element. */
ramus_html_translate ramus_html_tree_translate(const ramus_html_tree *t);
bool ramus_html_tree_foreign(const ramus_html_tree *t);

/* Whether the content of the element that a start tag begins is translated, and its attributes. */
ramus_html_translate ramus_html_tree_translate_tag(const ramus_html_tree *t, const char *data,
                                                   const ramus_markup_token *tag);

/* Ends the elements that a start tag ends before it begins its own. */
void ramus_html_tree_imply(ramus_html_tree *t, const ramus_html_element *element);

/* Opens the element of a start tag. */
void ramus_html_tree_push(ramus_html_tree *t, const char *data, const ramus_markup_token *tag,
                          int piece);

/* The number of the open element that an end tag ends, and all after it; -1: none. */
int ramus_html_tree_match(const ramus_html_tree *t, const char *data,
                          const ramus_markup_token *tag);

#endif
