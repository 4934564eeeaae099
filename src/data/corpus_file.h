/* corpus_file.h - the file behind a corpus: written once from front to back, then mapped.
 *
 *     records   of each pair: the sizes of its texts, if there are any; source ids, target ids,
 *               source text, target text; zeros up to a multiple of 8
 *     index     of each pair: where its record is, and its lengths
 *     foot      what this is, its key, the counts, and a hash of all bytes before it
 *
 * Integers have the byte order of the machine: a cache is made where it is used. */
#ifndef RAMUS_DATA_CORPUS_FILE_H
#define RAMUS_DATA_CORPUS_FILE_H

#include "base/map.h"
#include "data/corpus.h"

#define RAMUS_CORPUS_FORMAT 1 // changes with the layout and with the meaning of the filters

/* The two texts of a pair, without a zero at their ends. */
typedef struct ramus_pair_text {
    const char *source, *target;
    size_t source_size, target_size;
} ramus_pair_text;

typedef struct ramus_corpus_writer ramus_corpus_writer;

/* Begins a file that takes its name when it is whole. `text`: pairs come with their texts. The
 * caller ends *out with ramus_corpus_writer_destroy(). */
RAMUS_CHECKED ramus_status ramus_corpus_writer_create(ramus_corpus_writer **out, const char *path,
                                                      bool text, ramus_error *err);
void ramus_corpus_writer_destroy(ramus_corpus_writer *w); // NULL is fine

RAMUS_CHECKED ramus_status ramus_corpus_writer_add(ramus_corpus_writer *w, const ramus_pair *pair,
                                                   const ramus_pair_text *text, ramus_error *err);

/* Completes the file. counts->kept is the number of pairs that were added. */
RAMUS_CHECKED ramus_status ramus_corpus_writer_commit(ramus_corpus_writer *w, uint64_t key,
                                                      const ramus_corpus_counts *counts,
                                                      ramus_error *err);

/* Where a pair is, and its lengths. */
typedef struct ramus_corpus_entry {
    uint64_t at;
    int32_t source_length, target_length;
} ramus_corpus_entry;

/* A mapped file. Starts as {0}. */
typedef struct ramus_corpus_file {
    ramus_file map;
    const ramus_corpus_entry *index; // [counts.kept]
    ramus_corpus_counts counts;
    bool text;
} ramus_corpus_file;

/* Maps the file and reads all of it: one that is damaged, or was made for another key, fails. */
RAMUS_CHECKED ramus_status ramus_corpus_file_open(ramus_corpus_file *out, const char *path,
                                                  uint64_t key, ramus_error *err);
void ramus_corpus_file_close(ramus_corpus_file *file); // {0} is fine

ramus_pair ramus_corpus_file_pair(const ramus_corpus_file *file, int64_t i);
ramus_pair_text ramus_corpus_file_text(const ramus_corpus_file *file, int64_t i); // if it has text

#endif
