/* vocab_files.h - a vocabulary of the text in files. */
#ifndef RAMUS_DATA_VOCAB_FILES_H
#define RAMUS_DATA_VOCAB_FILES_H

#include "data/vocab_train.h"

typedef struct ramus_vocab_file {
    const char *path; // any kind of file that lines.h reads
    int column;       // of a file with columns: 1, 2, ..; 0: all of them
} ramus_vocab_file;

typedef struct ramus_vocab_files {
    const ramus_vocab_file *files;
    int n;
    int every;                                   // takes each such line: 1 is all
    void (*progress)(void *arg, double n_texts); // NULL is fine
    void *arg;
} ramus_vocab_files;

/* Like ramus_vocab_train() with the files as its texts (`next` and `arg` of `how` are not looked
 * at). *n_texts: how many were read. */
RAMUS_CHECKED ramus_status ramus_vocab_train_files(ramus_buffer *out, double *n_texts,
                                                   const ramus_vocab_files *files,
                                                   const ramus_vocab_training *how,
                                                   ramus_error *err);

#endif
