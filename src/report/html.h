/* html.h - pieces of an HTML page: its frame and style, text, numbers for people.
 *
 * Everything is added to a buffer in ASCII and in the syntax of XML (every element is closed), so
 * that any parser can check a page. A number that is not finite becomes a dash. */
#ifndef RAMUS_REPORT_HTML_H
#define RAMUS_REPORT_HTML_H

#include "base/buffer.h"

#define RAMUS_HTML_COLOURS 8 // of branches, classes b0 to b7; then they come again

/* The page up to its body; needs nothing from elsewhere, light or dark as the reader has it.
 * `style` is added to the style that all pages share; NULL: nothing. */
void ramus_html_open(ramus_buffer *out, const char *title, const char *style);
void ramus_html_close(ramus_buffer *out);

/* Adds `text` so that none of it is markup, in a text or in a quoted attribute. Bytes that are not
 * UTF-8, and control characters, become U+FFFD. */
void ramus_html_text(ramus_buffer *out, const char *text);

/* A name with its value, in a list <dl class="settings">. A NULL value is empty. */
void ramus_html_setting(ramus_buffer *out, const char *name, const char *value);

/* "encoder.0.attention" for the gate "encoder.0.attention.gate.x"; other endings stay. */
void ramus_html_gate(ramus_buffer *out, const char *name);

void ramus_html_number(ramus_buffer *out, double value);     // four digits: 2.315, 1.75 x 10^-4
void ramus_html_count(ramus_buffer *out, double value);      // whole: 20,000
void ramus_html_short(ramus_buffer *out, double value);      // whole: 81.9 million
void ramus_html_percent(ramus_buffer *out, double share);    // 0.25 gives 25 %
void ramus_html_duration(ramus_buffer *out, double seconds); // 3 h 24 min
void ramus_html_time(ramus_buffer *out, double seconds);     // since 1970: 2025-11-15 22:50 UTC
void ramus_html_power(ramus_buffer *out, int exponent);      // 10 with a small raised number

#endif
