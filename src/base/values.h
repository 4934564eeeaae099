/* values.h - named values of a file: one view, whatever the file is.
 *
 * A value has the type of a setting (settings.h) and passes as text, as a user would type it:
 * "128", "on", "dmb". How the file stores it is the business of the file. */
#ifndef RAMUS_BASE_VALUES_H
#define RAMUS_BASE_VALUES_H

#include "base/settings.h"

typedef struct ramus_values_reader {
    const void *file;
    /* Adds the value to `text` and sets *found. A key that is not there is no error. */
    ramus_status (*read)(const void *file, const char *key, ramus_setting_type type,
                         ramus_buffer *text, bool *found, ramus_error *err);
} ramus_values_reader;

typedef struct ramus_values_writer {
    void *file;
    ramus_status (*write)(void *file, const char *key, ramus_setting_type type, const char *text,
                          ramus_error *err);
} ramus_values_writer;

#endif
