/* subtitles.h - what the files of subtitles share; inside document/ only.
 *
 * subtitles.c finds cues and the lines of their text, and puts lines together to blocks.
 * subtitles_text.c knows the tags in a line, makes marks of them, and writes translations. */
#ifndef RAMUS_DOCUMENT_SUBTITLES_H
#define RAMUS_DOCUMENT_SUBTITLES_H

#include "document/format.h"

#include <stdint.h>

/* What is translated of a line: without the tags, notes and dashes at both ends. */
typedef struct ramus_subtitle_line {
    size_t from, to; // bytes of the document
    uint64_t head;   // the hash of the tags before it: lines with other tags are not joined
    bool dash;       // another one speaks
    bool is_sound;   // "[door slams]"
    bool joins;      // its sentence began on the line before
} ramus_subtitle_line;

/* Takes tags, notes, dashes and white space off both ends of a text. */
void ramus_subtitle_strip(ramus_subtitle_line *x, const char *data, bool vtt);

typedef enum ramus_subtitle_end {
    RAMUS_SUBTITLE_GOES_ON,
    RAMUS_SUBTITLE_MAY_GO_ON, // "..."
    RAMUS_SUBTITLE_ENDS
} ramus_subtitle_end;

/* How the text of a line ends, and whether it begins with a small letter. */
ramus_subtitle_end ramus_subtitle_line_end(const ramus_subtitle_line *x, const char *data);
bool ramus_subtitle_begins_small(const ramus_subtitle_line *x, const char *data);

/* Adds the block of n lines, each but the first joined to the one before. */
void ramus_subtitle_block(const ramus_subtitle_line *lines, int n, const char *data, bool vtt,
                          ramus_blocks *out);
void ramus_subtitle_write(const ramus_block *block, const ramus_marked *translation,
                          ramus_buffer *out);

#endif
