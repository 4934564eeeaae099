/* category.h - what Unicode says of a code point, as far as scoring asks. */
#ifndef RAMUS_EVAL_CATEGORY_H
#define RAMUS_EVAL_CATEGORY_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ramus_category {
    RAMUS_CATEGORY_OTHER,
    RAMUS_CATEGORY_PUNCTUATION, // \p{P}
    RAMUS_CATEGORY_SYMBOL,      // \p{S}
    RAMUS_CATEGORY_NUMBER       // \p{N}
} ramus_category;

ramus_category ramus_category_of(uint32_t code);

/* White space as Python's str.split() and str.strip() see it. */
bool ramus_category_is_space(uint32_t code);

#endif
