/* gates_page.h - one HTML page about the gates of a model: sentences with their tokens coloured by
 * branch, and what each branch of each sublayer got over the corpus. */
#ifndef RAMUS_REPORT_GATES_PAGE_H
#define RAMUS_REPORT_GATES_PAGE_H

#include "base/buffer.h"
#include "runtime/gates.h"

/* Starts with its first four fields set, the rest as 0, and ends with ramus_gates_page_free(). */
typedef struct ramus_gates_page {
    const ramus_gates *gates;
    const ramus_gate_site *shown; // that the page opens with
    int sentences;                // on the page, at most
    int top;                      // most frequent pieces of a branch, at most
    long lines;                   // added so far
    ramus_buffer text;            // the sentences
} ramus_gates_page;

/* Adds a translation that has details. Beyond `sentences` it is only counted. */
void ramus_gates_page_add(ramus_gates_page *p, const ramus_translation *t);

/* Writes the page, with the current counts of `gates`. */
RAMUS_CHECKED ramus_status ramus_gates_page_save(const ramus_gates_page *p, const char *title,
                                                 const char *path, ramus_error *err);
void ramus_gates_page_free(ramus_gates_page *p);

#endif
