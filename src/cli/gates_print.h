/* gates_print.h - what `ramus gates` prints: tokens with their branches, as text and as JSON. */
#ifndef RAMUS_CLI_GATES_PRINT_H
#define RAMUS_CLI_GATES_PRINT_H

#include "base/buffer.h"
#include "runtime/gates.h"

typedef struct ramus_gates_print {
    const ramus_gates *gates;
    const ramus_gate_site *shown; // NULL: all of them
    bool colours;
    int top; // most frequent pieces of a branch, at most
} ramus_gates_print;

/* One line that says what the numbers beside tokens and their colours mean. */
void ramus_gates_print_legend(ramus_buffer *out, const ramus_gates_print *p);

/* The tokens of a translation, in a line for each gate that is shown. */
void ramus_gates_print_line(ramus_buffer *out, const ramus_gates_print *p,
                            const ramus_translation *t);

/* What each branch got so far. */
RAMUS_CHECKED ramus_status ramus_gates_print_usage(ramus_buffer *out, const ramus_gates_print *p,
                                                   ramus_error *err);

/* The same as JSON objects, a line each, of all gates. */
void ramus_gates_json_line(ramus_buffer *out, const ramus_gates *g, ramus_text source,
                           const ramus_translation *t);
RAMUS_CHECKED ramus_status ramus_gates_json_usage(ramus_buffer *out, const ramus_gates_print *p,
                                                  long lines, ramus_error *err);

#endif
