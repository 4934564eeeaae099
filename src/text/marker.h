/* marker.h - what stands before the text of a line to show that it is an item or a heading. */
#ifndef RAMUS_TEXT_MARKER_H
#define RAMUS_TEXT_MARKER_H

#include <stddef.h>

typedef enum ramus_marker_kind {
    RAMUS_MARKER_NONE,
    RAMUS_MARKER_SURE,   // signs that nothing else starts a line with: a bullet, "2)", "(b)"
    RAMUS_MARKER_DASH,   // could be a dash in a sentence
    RAMUS_MARKER_NUMBER, // "3." could be a date
    RAMUS_MARKER_HEADING // "## "
} ramus_marker_kind;

typedef struct ramus_marker {
    ramus_marker_kind kind;
    int number;  // of "3." and the like; -1: none
    size_t size; // bytes, without the white space after it
} ramus_marker;

/* The marker at `at`, where the text of a line starts. */
ramus_marker ramus_marker_read(const char *text, size_t size, size_t at);

#endif
