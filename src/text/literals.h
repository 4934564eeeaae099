/* literals.h - words of a piece table that stand in text as themselves: special words and language
 * codes (piece_table.h). For the files of this folder only. */
#ifndef RAMUS_TEXT_LITERALS_H
#define RAMUS_TEXT_LITERALS_H

#include "text/segment.h"

/* Adds the ids of `text`, and their ends unless `ends` is NULL; how NULL: the best segmentation. */
RAMUS_CHECKED ramus_status ramus_literals_encode(ramus_tokenizer *t, const char *text, size_t size,
                                                 const ramus_sampling *how, ramus_ids *ids,
                                                 ramus_ids *ends, ramus_error *err);

/* The same of a stretch without them; of any text where there is no piece table. On failure some
 * ids may have been added. */
RAMUS_CHECKED ramus_status ramus_tokenizer_stretch(ramus_tokenizer *t, const char *text,
                                                   size_t size, const ramus_sampling *how,
                                                   ramus_ids *ids, ramus_ids *ends,
                                                   ramus_error *err);

#endif
