/* details.h - all that a session knows about a translation, as JSON. */
#ifndef RAMUS_SERVE_DETAILS_H
#define RAMUS_SERVE_DETAILS_H

#include "serve/work.h"

/* Adds members of an object: what `ramus translate --json` prints of t[0 .. n_best), and then the
 * gates of each token, and where tokens and sentences stand, in bytes, unless the text is a
 * document. The text is number `text` of the session's last call. */
void ramus_details_print(ramus_buffer *out, const ramus_session *session, int text,
                         ramus_text source, const ramus_translation *t, const ramus_how *how);

#endif
