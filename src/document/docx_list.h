/* docx_list.h - the contents of a paragraph of WordprocessingML as inlines. */
#ifndef RAMUS_DOCUMENT_DOCX_LIST_H
#define RAMUS_DOCUMENT_DOCX_LIST_H

#include "document/inlines.h"

#define RAMUS_DOCX_HYPHEN "\xE2\x80\x91" // what <w:noBreakHyphen/> stands for

/* Lists what stands in data[from .. to). A TEXT goes from its <w:t> to behind </w:t>; one whose
 * .text is 0 is a hyphen. Marks inside of runs are runs of their own: their raw bytes go between
 * runs. l->strange: there is what this reader does not know. */
void ramus_docx_list(const ramus_document *d, size_t from, size_t to, ramus_inlines *l);

bool ramus_docx_same_format(const ramus_inlines *l, const ramus_inline *a, const ramus_inline *b);

#endif
