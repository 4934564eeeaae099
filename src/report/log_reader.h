/* log_reader.h - a line of a run's log while it is read. Only log.c and log_lines.c need it. */
#ifndef RAMUS_REPORT_LOG_READER_H
#define RAMUS_REPORT_LOG_READER_H

#include "base/json.h"
#include "report/log.h"

/* Starts as {0}; the caller frees the buffers and the name. */
typedef struct ramus_log_reader {
    ramus_log *log;  // what was read is added here
    ramus_json json; // the line
    double update;   // of the line; NAN when missing
    ramus_error *err;

    ramus_buffer key, text;         // of the last member; the last value read
    double found[RAMUS_LOG_VALUES]; // of a train or valid line
    double loss;                    // of a valid line
    bool best;
    int sample; // whose members are read
    char *name; // of a gate; the text of a note or of a translation
    int n_shares;
    double shares[RAMUS_LOG_BRANCHES], entropy;
} ramus_log_reader;

/* Reads one member, whose key is r->key, or passes over it. */
typedef ramus_status ramus_log_member_fn(ramus_log_reader *r);

/* Reads element i of an array, or passes over it. */
typedef ramus_status ramus_log_element_fn(ramus_log_reader *r, int i);

bool ramus_log_key_is(const ramus_log_reader *r, const char *name);

/* Reads a number; any other value is passed over and gives NAN. */
RAMUS_CHECKED ramus_status ramus_log_number(ramus_log_reader *r, double *out);

/* Replaces *out, which the caller frees, by a string, or by another value as it is written. */
RAMUS_CHECKED ramus_status ramus_log_text(ramus_log_reader *r, char **out);

/* Calls `member` for each member of the object that comes next; passes over anything else. */
RAMUS_CHECKED ramus_status ramus_log_object(ramus_log_reader *r, ramus_log_member_fn *member);

/* The same for the elements of an array. */
RAMUS_CHECKED ramus_status ramus_log_array(ramus_log_reader *r, ramus_log_element_fn *element);

RAMUS_CHECKED ramus_status ramus_log_skip(ramus_log_reader *r); // passes over a value

/* Returns `array` of n items of `size` bytes with one more item, which is zero; NULL when memory is
 * out, and the old array is as it was. Call it for every n from 0 on. */
void *ramus_log_grow(void *array, int n, size_t size);

#endif
