/* translate.h - from what a dialect has read to a work in the queue. */
#ifndef RAMUS_SERVE_TRANSLATE_H
#define RAMUS_SERVE_TRANSLATE_H

#include "serve/routes.h"

/* What a client wants. Starts as {0}; the texts are borrowed from x->fields. */
typedef struct ramus_ask {
    const char *field;     // whose values are the texts
    const char *from, *to; // codes as the client wrote them; `from` NULL, "" or "auto": find it
    const char *format;    // a row of ramus_format_name(); NULL: lines
    int alternatives;      // further translations
    int beam;              // 0: that of the server
    bool scores, details, unprotected, whole_lines;
    const char *prefix;
    const char *glossary; // id
    bool bulk;            // a document: it waits behind short texts
    bool office;          // it is an archive
    bool streaming;       // x->told counts sentences; `sentence` tells them
    void (*sentence)(void *exchange, int item, const ramus_sentence_pair *pair);
} ramus_ask;

/* Checks what is asked against the limits, finds languages and models. On success *out is a work
 * that owns x->fields; else the error is answered and *out is NULL. */
void ramus_translate_prepare(ramus_server *s, ramus_exchange *x, const ramus_ask *ask,
                             ramus_work **out);

/* Prepares, and puts the work in the queue: x->pending is set, or an error answered. */
void ramus_translate_start(ramus_server *s, ramus_exchange *x, const ramus_ask *ask);

/* For `finish`: whether all texts of x->work were translated; else the error is answered. With a
 * lenient dialect, texts that failed are themselves. */
bool ramus_translate_done(ramus_server *s, ramus_exchange *x);

/* Translation j of an item, or the text itself where it was copied. */
ramus_text ramus_item_text(const ramus_item *item, int j);
int ramus_item_count(const ramus_item *item);

/* The language to translate from that a text is in, with `to` as the target: what the text tells,
 * or else one that a model has. False: there are no words. */
bool ramus_translate_detect(ramus_server *s, ramus_text text, const char *to, char *code,
                            double *certainty);

#endif
