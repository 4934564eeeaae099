/* html_charset.h - the encoding of a page: UTF-8, or ASCII with references for all else. */
#ifndef RAMUS_DOCUMENT_HTML_CHARSET_H
#define RAMUS_DOCUMENT_HTML_CHARSET_H

#include "document/markup.h"

/* What a page says of its encoding at its beginning. An error if it is neither UTF-8 nor ASCII. */
RAMUS_CHECKED ramus_status ramus_html_charset(bool *ascii, const char *data, size_t size,
                                              ramus_error *err);

/* Writes references for all that is not ASCII in `out` from byte `from` on. */
void ramus_html_make_ascii(ramus_buffer *out, size_t from, ramus_buffer *scratch);

#endif
