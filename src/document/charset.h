/* charset.h - the encoding of markup: UTF-8, or ASCII with references for all else. */
#ifndef RAMUS_DOCUMENT_CHARSET_H
#define RAMUS_DOCUMENT_CHARSET_H

#include "document/markup.h"

/* What a document says of its encoding at its beginning, from byte *at on, which is moved over a
 * byte order mark. An error if it is neither UTF-8 nor ASCII. A document of another encoding is
 * ASCII if it has none but those bytes; one that says ASCII and has others is read as UTF-8. */
RAMUS_CHECKED ramus_status ramus_charset_read(bool *ascii, const char *data, size_t size,
                                              size_t *at, ramus_markup markup, ramus_error *err);

/* Writes references for all that is not ASCII in `out` from byte `from` on. */
void ramus_charset_make_ascii(ramus_buffer *out, size_t from, ramus_buffer *scratch);

#endif
