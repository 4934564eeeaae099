/* pair_lines.h - the two sides of parallel text, line by line.
 *
 * From two files with a sentence a line, or from two columns of one file; any kind of file that
 * lines.h reads. A carriage return at the end of a line is left out. One reader has one thread. */
#ifndef RAMUS_DATA_PAIR_LINES_H
#define RAMUS_DATA_PAIR_LINES_H

#include "data/corpus_file.h"

typedef struct ramus_pair_lines ramus_pair_lines;

/* Uses the files and columns of `spec`, which must outlive it. The caller ends *out with
 * ramus_pair_lines_close(). */
RAMUS_CHECKED ramus_status ramus_pair_lines_open(ramus_pair_lines **out,
                                                 const ramus_corpus_spec *spec, ramus_error *err);
void ramus_pair_lines_close(ramus_pair_lines *l); // NULL is fine

/* Sets *text to the next pair, valid until the next call; its source is NULL at the end. */
RAMUS_CHECKED ramus_status ramus_pair_lines_next(ramus_pair_lines *l, ramus_pair_text *text,
                                                 ramus_error *err);

/* The whole line of that pair, where both are columns of one, until the next call; else NULL. */
const char *ramus_pair_lines_whole(const ramus_pair_lines *l, size_t *size);

#endif
