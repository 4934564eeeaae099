/* formats.h - the rows of the table of formats; each is made in the file of its name. */
#ifndef RAMUS_DOCUMENT_FORMATS_H
#define RAMUS_DOCUMENT_FORMATS_H

#include "document/format.h"

extern const ramus_format ramus_format_text;
extern const ramus_format ramus_format_html;
extern const ramus_format ramus_format_xliff;

#endif
