/* noise.h - text as people also write it: in capitals, With Initials, with typing errors.
 *
 * Each function sets *out to the changed text; what is not UTF-8 becomes U+FFFD. Running out of
 * memory shows in ramus_buffer_check(). */
#ifndef RAMUS_DATA_NOISE_H
#define RAMUS_DATA_NOISE_H

#include "base/buffer.h"
#include "base/rng.h"

#include <stddef.h>

void ramus_noise_upper(ramus_buffer *out, const char *text, size_t size);

/* The first letter of every word in upper case; a word is what stands between white space. */
void ramus_noise_title(ramus_buffer *out, const char *text, size_t size);

/* Letters swapped, left out, doubled or hit beside the key: one to two in 20 characters, at least
 * one. Digits, punctuation and private-use characters stay. Elements 0, 1, .. of `rng` are used up.
 * `codes` is scratch. */
void ramus_noise_typo(ramus_buffer *out, ramus_buffer *codes, const char *text, size_t size,
                      const ramus_rng *rng);

#endif
