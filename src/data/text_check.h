/* text_check.h - is it text, in UTF-8? The first bytes of files that are something else tell. */
#ifndef RAMUS_DATA_TEXT_CHECK_H
#define RAMUS_DATA_TEXT_CHECK_H

#include "base/status.h"

#include <stddef.h>

/* `data` is the beginning of a file, all of it or some KB; `name` is for the message. Data that
 * begins as another kind of file does is refused: RAMUS_BAD_FORMAT, with the kind and what to do.
 */
RAMUS_CHECKED ramus_status ramus_text_check(const char *name, const void *data, size_t size,
                                            ramus_error *err);

#endif
