/* office.h - documents that are archives of XML: docx, odt.
 *
 * Each entry with text is translated as a document of its own (document/format.h) and put in the
 * place of the old one. All other entries stay as they are. */
#ifndef RAMUS_DATA_OFFICE_H
#define RAMUS_DATA_OFFICE_H

#include "document/format.h"

/* Adds the translation of a document of XML to *out. `part` names the entry, for messages. */
typedef ramus_status ramus_office_translate(void *arg, const char *part, const ramus_format *format,
                                            const char *data, size_t size, ramus_buffer *out,
                                            ramus_error *err);

/* Whether a format is that of archives: its documents come to ramus_office_write(). */
bool ramus_office_is(const ramus_format *format);

/* Adds to *out the archive data[0 .. size) with translations. An entry may come to `translate`
 * twice: paragraphs that stand in others, as footnotes do in odt, are translated before those. */
RAMUS_CHECKED ramus_status ramus_office_write(const char *data, size_t size,
                                              ramus_office_translate *translate, void *arg,
                                              ramus_buffer *out, ramus_error *err);

#endif
