/* case.h - capital letters: the upper, title and lower case of a code point.
 *
 * Unicode's full mappings to capitals, without those of single languages. */
#ifndef RAMUS_TEXT_CASE_H
#define RAMUS_TEXT_CASE_H

#include <stdint.h>

#define RAMUS_CASE_MOST 3 // code points that one can become

/* Writes the upper case of `code` and returns how many code points it is; what has none is itself.
 */
int ramus_case_upper(uint32_t out[RAMUS_CASE_MOST], uint32_t code);

/* The same for the first letter of a word whose others are small: Ss, not SS, for U+00DF. */
int ramus_case_title(uint32_t out[RAMUS_CASE_MOST], uint32_t code);

/* The small letter that has `code` as its only capital; of several the usual one: i, not a dotless
 * i. What is no capital is itself. */
uint32_t ramus_case_lower(uint32_t code);

#endif
