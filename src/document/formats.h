/* formats.h - the rows of the table of formats; each is made in the file of its name. */
#ifndef RAMUS_DOCUMENT_FORMATS_H
#define RAMUS_DOCUMENT_FORMATS_H

#include "document/format.h"

extern const ramus_format ramus_format_text;
extern const ramus_format ramus_format_html;
extern const ramus_format ramus_format_markdown;
extern const ramus_format ramus_format_srt;
extern const ramus_format ramus_format_vtt;
extern const ramus_format ramus_format_po;
extern const ramus_format ramus_format_xliff;
extern const ramus_format ramus_format_csv;
extern const ramus_format ramus_format_tsv;
extern const ramus_format ramus_format_json;
extern const ramus_format ramus_format_docx;
extern const ramus_format ramus_format_docx_outer;
extern const ramus_format ramus_format_odt;
extern const ramus_format ramus_format_odt_outer;

#endif
