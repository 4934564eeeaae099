/* signature.h - the line that says how a score was computed, in SacreBLEU's form.
 *
 * It equals SacreBLEU's for the same settings except for the last field, which names this program:
 *     nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:ramus-0.1.0 */
#ifndef RAMUS_EVAL_SIGNATURE_H
#define RAMUS_EVAL_SIGNATURE_H

#include "eval/significance.h"

#include <stdbool.h>

#define RAMUS_SIGNATURE_SIZE 160

/* How many references the lines had. Starts as {0}. */
typedef struct ramus_nrefs {
    int least, most;
} ramus_nrefs;

void ramus_nrefs_note(ramus_nrefs *n, int n_refs);

/* Puts a signature together; `fields` are the metric's own between the case and the version.
 * `test` is the resampling that the score goes with, or NULL. */
void ramus_signature_write(char out[RAMUS_SIGNATURE_SIZE], const ramus_nrefs *n, bool lowercase,
                           const char *fields, const ramus_bootstrap *test);

#endif
