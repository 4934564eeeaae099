/* html_attributes.h - attributes with text for a reader: which they are, and how they are written.
 *
 * The tag of an image may stand inside of a text, and is a mark there. Its `alt` is then a block of
 * its own with an empty place before the block of the text. What it is translated to is remembered,
 * and written with the mark. */
#ifndef RAMUS_DOCUMENT_HTML_ATTRIBUTES_H
#define RAMUS_DOCUMENT_HTML_ATTRIBUTES_H

#include "document/format.h"
#include "document/markup.h"

/* Moves *a, which starts as {0}, to the next attribute of a start tag that has text to translate.
 */
bool ramus_html_attribute_next(ramus_attribute *a, const char *data, const ramus_markup_token *tag);

/* Adds a block for the attribute. `inside` of the block that begins at byte `inside` - 1; 0: not.
 */
void ramus_html_attribute_add(ramus_blocks *out, const char *data, const ramus_attribute *a,
                              size_t inside);

/* Translations of attributes inside of one block. Starts as {0}. */
typedef struct ramus_html_written {
    struct ramus_html_value *items;
    int n;
    size_t room, place; // the place that all have
    ramus_buffer texts;
    bool failed;
} ramus_html_written;

void ramus_html_written_free(ramus_html_written *w);

/* Writes the block of an attribute, or remembers it if it is inside of another block. False:
 * `block` is not that of an attribute. */
bool ramus_html_attribute_write(ramus_html_written *w, const ramus_document *d,
                                const ramus_block *block, const ramus_marked *translation,
                                ramus_buffer *out);

/* Writes the tag of a mark with the attributes that were remembered. */
void ramus_html_tag_write(const ramus_html_written *w, const ramus_document *d, const char *tag,
                          size_t size, ramus_buffer *out);

#endif
