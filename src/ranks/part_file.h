/* part_file.h - a file that is written in steps over hours and loses none of them to a kill.
 *
 * Until it is whole it is PATH.part. PATH.state has a line of keys, which identify the inputs, and
 * a line for each step: the length of the part file, and integers of the caller's. The bytes of a
 * step are on the disk before its line is; bytes behind the last whole line are cut off when the
 * work resumes. One process at a time has it open. */
#ifndef RAMUS_RANKS_PART_FILE_H
#define RAMUS_RANKS_PART_FILE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define RAMUS_PART_NUMBERS 16 // at most

/* Something that must be the same when the work resumes. */
typedef struct ramus_part_key {
    const char *other; // the name of a difference in errors: "another corpus"
    uint64_t value;
} ramus_part_key;

typedef struct ramus_part_file ramus_part_file;

/* Begins the file, or resumes it: numbers[0 .. n) are those of the last step, zeros if there is
 * none. `keys` end with one whose `other` is NULL; a file that was begun with another key is an
 * error that names it. The caller ends *out with ramus_part_file_close(). */
RAMUS_CHECKED ramus_status ramus_part_file_open(ramus_part_file **out, const char *path,
                                                const ramus_part_key *keys, int64_t *numbers, int n,
                                                ramus_error *err);
void ramus_part_file_close(ramus_part_file *p); // the steps stay for the next time; NULL is fine

/* Adds a step. After success it survives a power cut. */
RAMUS_CHECKED ramus_status ramus_part_file_add(ramus_part_file *p, const void *data, size_t size,
                                               const int64_t *numbers, ramus_error *err);

/* The file is whole and takes its name; the numbers are those of the last step. Doing it again
 * after a kill in the middle is fine. */
RAMUS_CHECKED ramus_status ramus_part_file_finish(ramus_part_file *p, const int64_t *numbers,
                                                  ramus_error *err);

#endif
