/* translate.h - the parts of `ramus translate`: where texts come from, what is printed of their
 * translations, where that goes.
 *
 * Texts travel in chunks (ranks/chunks.h). Rank 0 reads a chunk, any rank translates it and prints
 * the result, rank 0 writes the results in order. */
#ifndef RAMUS_CLI_TRANSLATE_H
#define RAMUS_CLI_TRANSLATE_H

#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/model_choice.h"
#include "cli/terms_choice.h"
#include "ranks/chunks.h"
#include "runtime/search_choice.h"

#include <stdint.h>

#define RAMUS_CHUNK_TEXTS 1024 // that are translated together, at most

typedef struct ramus_translate_settings {
    ramus_model_choice model;
    ramus_texts inputs;
    const char *output;
    ramus_search_choice search;
    ramus_translate_options how;
    ramus_terms_choice terms;
    int loops;          // ramus_loops
    const char *format; // NULL: as the name of the input says
    bool wrapped, resume, verify;
} ramus_translate_settings;

/* The head of a chunk: this, then a place for each text in the body. The head of a result: this,
 * then an unsigned of notes for each; its body is what is written. */
typedef struct ramus_chunk_head {
    int64_t first; // number of the first text, from 0
    int64_t lines; // of the input that they were
    int64_t n;     // texts
    double done;   // of the input with this chunk, in the unit of its extent
} ramus_chunk_head;

typedef struct ramus_text_place {
    size_t start, size;
} ramus_text_place;

/* Where texts come from: lines or paragraphs of files, of the arguments, or of standard input. */
typedef struct ramus_translate_input ramus_translate_input;

/* The caller ends *out with ramus_translate_input_close(). */
RAMUS_CHECKED ramus_status ramus_translate_input_open(ramus_translate_input **out,
                                                      const ramus_translate_settings *s,
                                                      const ramus_options *o, ramus_error *err);
void ramus_translate_input_close(ramus_translate_input *in); // NULL is fine

/* Passes over what has been translated before: so many texts, which were so many lines. */
RAMUS_CHECKED ramus_status ramus_translate_input_skip(ramus_translate_input *in, int64_t texts,
                                                      int64_t lines, ramus_error *err);

/* Reads a chunk into an empty parcel, which stays so at the end. A chunk ends when it is full, at
 * the end of a file or, on a pipe, when no further line is ready. */
RAMUS_CHECKED ramus_status ramus_translate_input_read(ramus_translate_input *in,
                                                      ramus_parcel *chunk, ramus_error *err);

/* How far the input has been read, and to where (cli/inputs.h). */
const ramus_inputs *ramus_translate_input_files(const ramus_translate_input *in);

/* What is printed of translations. */
typedef struct ramus_translate_style {
    bool json;
    bool scores; // 'line ||| text ||| score'
    bool feed;   // each translation gets a line of its own; documents in files have theirs
    int n_best;
} ramus_translate_style;

/* Adds the translations t[0 .. n_best) of a text, which has `number` in the input, from 0. */
void ramus_translate_print(ramus_buffer *out, const ramus_translate_style *style,
                           const ramus_text *source, const ramus_translation *t, int64_t number);

/* Where results go: standard output, a file that is replaced as a whole, or one that survives
 * kills. */
typedef struct ramus_translate_output ramus_translate_output;

/* `key` stands for everything that changes what is written. Of a file that is resumed *texts and
 * *lines are what it has, else 0. The caller ends *out with ramus_translate_output_close(). */
RAMUS_CHECKED ramus_status ramus_translate_output_open(ramus_translate_output **out,
                                                       const ramus_translate_settings *s,
                                                       const ramus_options *o, uint64_t key,
                                                       int64_t *texts, int64_t *lines,
                                                       ramus_error *err);

/* Writes a result and tells its notes. Sets *texts to the number of all that are written. */
RAMUS_CHECKED ramus_status ramus_translate_output_write(ramus_translate_output *w,
                                                        const ramus_parcel *result, int64_t *texts,
                                                        ramus_error *err);

/* All is written: the file takes its name. */
RAMUS_CHECKED ramus_status ramus_translate_output_finish(ramus_translate_output *w,
                                                         ramus_error *err);
void ramus_translate_output_close(ramus_translate_output *w); // NULL is fine

#endif
