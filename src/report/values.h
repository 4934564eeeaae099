/* values.h - the values of a log that reports draw and print: their names, units and scales. */
#ifndef RAMUS_REPORT_VALUES_H
#define RAMUS_REPORT_VALUES_H

#include "report/axis.h"
#include "report/log.h"

typedef struct ramus_report_value {
    const char *key; // in JSON
    const char *tag; // in TensorBoard
    const char *title, *unit, *name;
    ramus_log_value value;
    ramus_chart_axis_kind scale;
    bool valid; // of validation: few points, the colour of the other validation curves
} ramus_report_value;

extern const ramus_report_value ramus_report_values[];
extern const int ramus_report_n_values;

#endif
