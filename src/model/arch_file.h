/* arch_file.h - the settings of an architecture as named values of a file (docs/FORMAT.md).
 *
 * Every file has the settings of the first format. A setting that came later stands in a file where
 * it differs from its default. The file then names it among its features, so that a program which
 * lacks it says so. Both follow from the table: a new setting needs no line here. */
#ifndef RAMUS_MODEL_ARCH_FILE_H
#define RAMUS_MODEL_ARCH_FILE_H

#include "base/values.h"
#include "model/arch.h"

#define RAMUS_ARCH_PREFIX   "ramus." // of every key: "ramus.width"
#define RAMUS_ARCH_FEATURES RAMUS_ARCH_PREFIX "features"

/* Reads the architecture of a file, and checks that a model can have it. */
RAMUS_CHECKED ramus_status ramus_arch_read(ramus_arch *out, const ramus_values_reader *from,
                                           ramus_error *err);

/* The same for any table, unchecked: fields start as their defaults. */
RAMUS_CHECKED ramus_status ramus_arch_read_table(const ramus_settings *table,
                                                 const ramus_values_reader *from, ramus_error *err);

RAMUS_CHECKED ramus_status ramus_arch_write(const ramus_arch *a, const ramus_values_writer *to,
                                            ramus_error *err);
RAMUS_CHECKED ramus_status ramus_arch_write_table(const ramus_settings *table,
                                                  const ramus_values_writer *to, ramus_error *err);

#endif
