/* export_loss.h - what quantising costs: BLEU of a model file beside that of its checkpoint. */
#ifndef RAMUS_CLI_EXPORT_LOSS_H
#define RAMUS_CLI_EXPORT_LOSS_H

#include "base/settings.h"
#include "eval/signature.h"
#include "eval/significance.h"
#include "runtime/search_choice.h"

/* A test set and how it is translated and scored. */
typedef struct ramus_export_test {
    ramus_texts files;          // source and reference; none: no test
    ramus_search_choice search; // a table of its own
    int tokenization;
    bool lowercase;
    int threads;
    uint64_t seed; // of the bootstrap
} ramus_export_test;

typedef struct ramus_export_tested {
    int lines, different;         // lines, and those whose translations differ
    ramus_comparison compared[2]; // of the checkpoint, of the file
    char signature[RAMUS_SIGNATURE_SIZE];
} ramus_export_tested;

ramus_settings ramus_export_test_settings(ramus_export_test *test);

/* Translates the source with both and compares. */
RAMUS_CHECKED ramus_status ramus_export_test_run(ramus_export_tested *out,
                                                 const ramus_export_test *test,
                                                 const char *checkpoint, const char *model,
                                                 ramus_error *err);

#endif
