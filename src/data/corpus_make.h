/* corpus_make.h - from parallel text to the file behind a corpus. */
#ifndef RAMUS_DATA_CORPUS_MAKE_H
#define RAMUS_DATA_CORPUS_MAKE_H

#include "data/corpus.h"

/* Reads, tokenises and filters the text of `spec` and writes the file `path` under `key`. Memory:
 * some thousand pairs, and 16 bytes for each one kept. */
RAMUS_CHECKED ramus_status ramus_corpus_make(const char *path, uint64_t key,
                                             const ramus_corpus_spec *spec, ramus_error *err);

#endif
