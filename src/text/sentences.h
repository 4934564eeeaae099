/* sentences.h - running text in sentences, and long sentences in pieces of few tokens.
 *
 *     ramus_sentences s;
 *     ramus_sentences_init(&s, "de", text, size);
 *     ramus_sentences_limit(&s, 128, count_tokens, tokenizer); // optional
 *     write(text, s.leading);
 *     for (ramus_sentence one; ramus_sentences_next(&s, &one);)
 *         translate(text + one.start, one.size), write(text + one.start + one.size, one.separator);
 *
 * The law: the leading separator, then every sentence followed by its separator, are the input byte
 * for byte. A sentence is never empty and neither starts nor ends with white space. Any bytes are
 * accepted; what is not UTF-8 counts as letters of an unknown kind. The time is linear in the size
 * of the text. Nothing is allocated: the iterator borrows `text`, belongs to one thread, and needs
 * no end. docs/design/sentences.md lists the rules. */
#ifndef RAMUS_TEXT_SENTENCES_H
#define RAMUS_TEXT_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ramus_sentence {
    size_t start, size; // bytes of the text
    size_t separator;   // bytes of white space after it; 0 is possible ("好。走吧。")
    bool ends;          // false: cut by the limit, the next piece belongs to the same sentence
} ramus_sentence;

/* Returns how many tokens `text` has. More text should not have fewer tokens, but may. */
typedef int ramus_sentence_count(void *arg, const char *text, size_t size);

typedef struct ramus_sentences {
    size_t leading; // bytes of white space before the first sentence; all of them if there is none

    // the rest is the iterator's own
    const char *text;
    size_t size, at;
    const struct ramus_sentence_language *language;
    struct ramus_sentence_line {
        size_t start;  // of the line that `at` is in
        size_t marker; // where its list marker ends; `start`: it has none
        bool first;    // nothing of the same paragraph stands on the line before it
        bool item;     // it starts with a list marker
        int number;    // that of the marker, or -1
    } line;
    int limit;
    bool straight; // inside straight double quotes
    ramus_sentence_count *count;
    void *arg;
    ramus_sentence rest; // of the sentence that is being cut
} ramus_sentences;

/* Starts at the beginning of text[0 .. size). `language` is a code such as "de", "de-AT" or
 * "zh_Hans"; NULL, "" and unknown ones get the rules that hold for most languages. */
void ramus_sentences_init(ramus_sentences *s, const char *language, const char *text, size_t size);

/* From now on a sentence of more than `limit` tokens (limit > 0) comes in pieces that have at most
 * that many: cut after ; : and dashes, else after commas, else at spaces, else between characters.
 * Only a single code point may exceed the limit. `count` sees parts of the text: for one piece of a
 * sentence of n bytes at most 4 log2(n) + 8 of them, none longer than `limit` bytes or twice the
 * longest part that fits. */
void ramus_sentences_limit(ramus_sentences *s, int limit, ramus_sentence_count *count, void *arg);

/* Sets *out to the next sentence, or piece of one; false when there is none left. */
bool ramus_sentences_next(ramus_sentences *s, ramus_sentence *out);

#endif
