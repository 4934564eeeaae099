/* Functions of the public interface that need no model: the guess of a language, the names of
 * languages, and the splitting into sentences, as text/ has them. A text that is NULL has no bytes.
 */
#include "text/language.h"
#include "text/language_names.h"
#include "text/sentences.h"

#include <ramus/ramus.h>

const char *ramus_detect_language(const char *text, size_t size, double *certainty)
{
    return ramus_language_guess(text ? text : "", text ? size : 0, certainty);
}

const char *ramus_find_language(const char *name)
{
    return name ? ramus_language_find(name) : NULL;
}

size_t ramus_split_sentences(const char *text, size_t size, const char *language, ramus_range *out,
                             size_t room)
{
    ramus_sentences sentences;
    size_t n = 0;
    ramus_sentences_init(&sentences, language, text ? text : "", text ? size : 0);
    for (ramus_sentence one; ramus_sentences_next(&sentences, &one); n++)
        if (out && n < room) out[n] = (ramus_range){one.start, one.size};
    return n;
}
