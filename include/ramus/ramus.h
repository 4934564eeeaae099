/* ramus.h - neural machine translation on the device: the public interface of libramus.
 *
 *     ramus_model *model = NULL;
 *     ramus_session *session = NULL;
 *     ramus_error err = {0};
 *     ramus_translation out;
 *     if (ramus_model_open(&model, "en-de.gguf", &err) ||
 *         ramus_session_create(&session, model, NULL, &err) ||
 *         ramus_translate(session, "Where is the station?", NULL, &out, &err))
 *         fprintf(stderr, "%s\n", err.message);
 *     else
 *         puts(out.text);
 *     ramus_session_destroy(session);
 *     ramus_model_close(model);
 *
 * Every function that the outside world can make fail returns a ramus_status and takes a
 * ramus_error to fill (NULL is fine: then only the status tells). Results come out through pointers
 * and are set only on success. NULL for what a call needs is RAMUS_BAD_ARGUMENT.
 *
 * For a given model file and options, text and scores are the same bits on every CPU, at every
 * batch size and with any number of threads. */
#ifndef RAMUS_RAMUS_H
#define RAMUS_RAMUS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAMUS_VERSION "0.1.0"

#ifdef __GNUC__
#define RAMUS_PUBLIC __attribute__((visibility("default")))
#else
#define RAMUS_PUBLIC
#endif

/* New ones come at the end: a number keeps its meaning. */
typedef enum ramus_status {
    RAMUS_OK = 0,
    RAMUS_BAD_ARGUMENT, // a value that the caller chose cannot be used
    RAMUS_BAD_FORMAT,   // a file or a message is not what it should be
    RAMUS_IO,           // the operating system refused: open, read, write, map
    RAMUS_NO_MEMORY,
    RAMUS_STOPPED,  // the caller's callback asked for it
    RAMUS_FAILED,   // it was tried and did not work: no thread started, training diverged
    RAMUS_NOT_FOUND // what was asked for is not there: a model of two languages, a checkpoint
} ramus_status;

/* One sentence for a person: which thing, what was found, what was expected. */
typedef struct ramus_error {
    ramus_status status;
    char message[512];
} ramus_error;

/* The version of the library that is linked, RAMUS_VERSION of its build. */
RAMUS_PUBLIC const char *ramus_version(void);

/* A model: one file, read-only, shared by any number of sessions in any threads. */
typedef struct ramus_model ramus_model;

/* Maps the file, which must not change while it is open, or uses one in memory, which stays the
 * caller's until close and begins at a multiple of 8 bytes, of 64 for best speed. Everything is
 * checked before it is used: a broken file gives RAMUS_BAD_FORMAT and a sentence. */
RAMUS_PUBLIC ramus_status ramus_model_open(ramus_model **out, const char *path, ramus_error *err);
RAMUS_PUBLIC ramus_status ramus_model_open_memory(ramus_model **out, const void *data, size_t size,
                                                  ramus_error *err);
RAMUS_PUBLIC void ramus_model_close(ramus_model *model); // after its sessions; NULL is fine

/* Reads the whole file and compares it with its checksum, which opening does not: RAMUS_BAD_FORMAT
 * if a byte is not what `ramus export` wrote, RAMUS_NOT_FOUND if the file has no checksum. */
RAMUS_PUBLIC ramus_status ramus_model_verify(const ramus_model *model, ramus_error *err);

/* What the file says of itself: "source_language", "target_language", "name", "description",
 * "license", "scores". NULL: it does not say. */
RAMUS_PUBLIC const char *ramus_model_info(const ramus_model *model, const char *key);

/* What certain words and phrases become in a translation, and what is not translated; shared by any
 * number of sessions in any threads. A file in UTF-8 has a term on each line: source, target and,
 * if need be, a rule about capitals (any, fixed, exact), with tabs or commas between. Without a
 * target the term stays as it is. docs/guide/glossary.md has the rules. */
typedef struct ramus_terms ramus_terms;

/* Reads a file, or one in memory, which is not needed afterwards. A line that cannot be read gives
 * RAMUS_BAD_FORMAT and its number. _create makes one without terms. */
RAMUS_PUBLIC ramus_status ramus_terms_open(ramus_terms **out, const char *path, ramus_error *err);
RAMUS_PUBLIC ramus_status ramus_terms_open_memory(ramus_terms **out, const void *data, size_t size,
                                                  ramus_error *err);
RAMUS_PUBLIC ramus_status ramus_terms_create(ramus_terms **out, ramus_error *err);

/* Adds what is not translated: matches of a POSIX extended regular expression. Not while a session
 * translates with `terms`. */
RAMUS_PUBLIC ramus_status ramus_terms_keep(ramus_terms *terms, const char *regex, ramus_error *err);
RAMUS_PUBLIC void ramus_terms_close(ramus_terms *terms); // NULL is fine

/* A model with the memory to translate. Any number of sessions share a model. A session has one
 * call at a time: another one meanwhile, from another thread or a callback, is RAMUS_BAD_ARGUMENT.
 * Its memory is sized at creation; only texts longer than any before make it grow. */
typedef struct ramus_session ramus_session;

/* Option structs may gain fields: each begins with its own size and starts as the macro of its name
 * says, so that compiled programs go on working. A newer program may use an older library while it
 * leaves the fields that are unknown there 0. Every other struct of this header stays as it is. */

/* Starts as RAMUS_SESSION_DEFAULTS, or as {.size = sizeof(ramus_session_options)}: a field that is
 * 0 has the value in brackets. */
typedef struct ramus_session_options {
    size_t size;  // of this struct
    int beam;     // hypotheses of a sentence, at most [4]
    int tokens;   // of a sentence; a longer one is translated in parts [256]
    int batch;    // sentences that are translated together, if there are as many [1]
    int threads;  // that share out the batches [1]
    bool details; // translations come with tokens, alignment and gates
} ramus_session_options;

#define RAMUS_SESSION_DEFAULTS                                                                     \
    {                                                                                              \
        sizeof(ramus_session_options), 0, 0, 0, 0, false                                           \
    }

RAMUS_PUBLIC ramus_status ramus_session_create(ramus_session **out, const ramus_model *model,
                                               const ramus_session_options *options,
                                               ramus_error *err);
RAMUS_PUBLIC void ramus_session_destroy(ramus_session *session); // NULL is fine

/* A text of `size` bytes; zeros in it are bytes like others. */
typedef struct ramus_text {
    const char *data;
    size_t size;
} ramus_text;

/* A stretch of a text, in bytes. */
typedef struct ramus_range {
    size_t start, size;
} ramus_range;

/* A sentence and its translation. */
typedef struct ramus_sentence_pair {
    int text;                  // number of the text that it is from
    ramus_text source, target; // without the white space around them; no zero behind them
    double log_prob;
    unsigned notes; // RAMUS_NOTE_..
} ramus_sentence_pair;

/* What is done about a translation that repeats itself without end. */
typedef enum ramus_loops { RAMUS_LOOPS_ALLOW, RAMUS_LOOPS_FLAG, RAMUS_LOOPS_END } ramus_loops;

/* How a search scores and when it stops: ramus' own, or as other toolkits do it, to reproduce what
 * an imported model gave there (docs/guide/import.md). */
typedef enum ramus_search_rules {
    RAMUS_SEARCH_OURS,
    RAMUS_SEARCH_HF,       // Hugging Face transformers, early_stopping false
    RAMUS_SEARCH_HF_EARLY, // early_stopping true
    RAMUS_SEARCH_HF_NEVER, // early_stopping "never"
    RAMUS_SEARCH_MARIAN
} ramus_search_rules;

/* Does text have line breaks within sentences, as editors and mail programs make them? */
typedef enum ramus_wrapped {
    RAMUS_WRAPPED_AUTO, // each paragraph is looked at
    RAMUS_WRAPPED_YES,
    RAMUS_WRAPPED_NO
} ramus_wrapped;

/* How to translate. Starts as RAMUS_TRANSLATE_DEFAULTS, which has the values in brackets. */
typedef struct ramus_translate_options {
    size_t size;             // of this struct
    int beam;                // 1: greedy, the likeliest word each time [that of the session]
    int n_best;              // translations of each text, best first; at most beam [1]
    bool scores;             // false: greedy leaves scores out and is faster [true]
    double length_penalty;   // exponent of the length in scores [0.6]
    double max_length_ratio; // a translation has at most ratio * source tokens + 50 tokens besides
                             // its prefix, and 2 * tokens of the session + 50 [1]
    int no_repeat;           // no sequence of that many tokens occurs twice; 0: any may [0]
    ramus_loops loops;       // [RAMUS_LOOPS_FLAG]
    bool document;           // the format is "text" [false]
    const char *prefix;      // what the translation of every sentence begins with [NULL]

    /* Asked again and again from any thread of the session; true: the call ends with RAMUS_STOPPED
     * [NULL] */
    bool (*cancel)(void *arg);
    /* Told after each batch how many sentences are done, by one thread at a time [NULL] */
    void (*progress)(void *arg, int done, int all);
    void *arg; // of all three

    bool whole_lines;   // a text is one sentence, unless it is too long; nothing around it [false]
    bool unprotected;   // addresses, placeholders, units .. are words like others, and sentences
                        // in capitals go through the model as they are [false]
    const char *format; // the texts are documents: "text", "html", ..; see
                        // ramus_format_name(). NULL: they are not [NULL]
    ramus_wrapped wrapped; // of the format "text" [RAMUS_WRAPPED_AUTO]
    const char *columns;   // of "csv" and "tsv": "2", "1,3" or names of the first line; NULL: all
                           // [NULL]
    const ramus_terms *terms; // [NULL]

    /* Told of each sentence once it is translated, in the order of the texts, by one thread at a
     * time; what the pair points to is gone when it returns [NULL] */
    void (*sentence)(void *arg, const ramus_sentence_pair *pair);

    ramus_search_rules search; // [RAMUS_SEARCH_OURS]
    const char *to; // of a model with several target languages: the code that its vocabulary has
                    // as >>code<< [NULL]
} ramus_translate_options;

#define RAMUS_TRANSLATE_DEFAULTS                                                                   \
    {                                                                                              \
        sizeof(ramus_translate_options), 0, 1, true, 0.6, 1, 0, RAMUS_LOOPS_FLAG, false, NULL,     \
            NULL, NULL, NULL, false, false, NULL, RAMUS_WRAPPED_AUTO, NULL, NULL, NULL,            \
            RAMUS_SEARCH_OURS, NULL                                                                \
    }

/* A piece of text as the model sees it. */
typedef struct ramus_token {
    const char *piece; // U+2581 stands for a space
    int id;
    float log_prob;   // of a target token
    int source;       // of a target token: the source token it comes from, or -1
    const int *gates; // the branch it took in each routed sublayer; NULL: there are none
    int n_gates;
} ramus_token;

/* Bits of ramus_translation.notes. */
#define RAMUS_NOTE_INVALID  1u  // the text is not UTF-8: wrong bytes counted as U+FFFD
#define RAMUS_NOTE_SPLIT    2u  // it was too long for the model and was translated in parts
#define RAMUS_NOTE_LIMIT    4u  // a translation reached its greatest length
#define RAMUS_NOTE_LOOP     8u  // a translation repeats itself without end
#define RAMUS_NOTE_LANGUAGE 16u // it does not look like the language that the model translates from
#define RAMUS_NOTE_APART    32u // a sentence was translated in pieces, around what is copied
#define RAMUS_NOTE_NUMBER   64u // a number of the source is missing in the translation
#define RAMUS_NOTE_DOUBT    128u // the model finds its own translation improbable

/* A translation of one text. It belongs to the session and is valid until its next call. */
typedef struct ramus_translation {
    const char *text; // ends with a zero, which `size` does not count
    size_t size;
    double score;    // log_prob / ((5 + tokens) / 6)^penalty; of several sentences the sum
    double log_prob; // natural logarithm; as `tokens` above, with the end of each sentence
    int sentences;   // that the text was translated in
    unsigned notes;  // RAMUS_NOTE_..
    int n_source, n_target;
    const ramus_token *source, *target; // NULL without details
} ramus_translation;

/* Translates one text that ends with a zero: finds its sentences, translates each, and puts them
 * together again, on one line if it is no document. What is not language is copied, in its place:
 * addresses, code, placeholders, numbers with units, emoji. `out` has room for n_best translations.
 * options NULL: the defaults. Any bytes will do. */
RAMUS_PUBLIC ramus_status ramus_translate(ramus_session *session, const char *text,
                                          const ramus_translate_options *options,
                                          ramus_translation *out, ramus_error *err);

/* Translates n texts: out[i * n_best + j] is translation j of text i. Where a text has fewer, text
 * is NULL. */
RAMUS_PUBLIC ramus_status ramus_translate_all(ramus_session *session, const ramus_text *texts,
                                              int n, const ramus_translate_options *options,
                                              ramus_translation *out, ramus_error *err);

/* The names of the formats of documents: the i-th, i = 0, 1, ..; NULL: there are no more. */
RAMUS_PUBLIC const char *ramus_format_name(int i);

/* The sentences of text number `text` of the last call, in order, with their best translations;
 * returns how many there are. They are the session's until its next call. 0 without details. */
RAMUS_PUBLIC int ramus_session_sentences(const ramus_session *session, int text,
                                         const ramus_sentence_pair **out);

/* Where the tokens of the last call stand: ranges[i] is the place of tokens[i], where `tokens` is
 * source or target of a translation. Places are bytes of the source text or of the translation,
 * without white space before them, and have no meaning where the texts are documents. NULL without
 * details. */
RAMUS_PUBLIC const ramus_range *ramus_session_ranges(const ramus_session *session,
                                                     const ramus_token *tokens);

/* Texts alone, without a model. Any bytes will do, nothing is allocated. */

/* Guesses the language of a text: its ISO 639-1 code, "en", "de" or what a script tells: "zh",
 * "ja", "ko", "el", "he", "th", "hy", "ka". NULL: it is in a different language or cannot be told.
 * *certainty (NULL is fine), from 0 to 1, is the probability of the answer: with NULL, of a
 * different language; 0 for a text without words. From 0.97 on a program may act on it. */
RAMUS_PUBLIC const char *ramus_detect_language(const char *text, size_t size, double *certainty);

/* The ISO 639-1 code of what a person calls a language: "de" of "DE", "de_AT", "deu", "German" or
 * "Deutsch"; NULL: it is in no table. */
RAMUS_PUBLIC const char *ramus_find_language(const char *name);

/* Finds the sentences of a text and returns how many there are; writes the first `room` of them to
 * `out`, which may be NULL when room is 0. White space between sentences is in none. `language` is
 * a code such as "de" or "en-GB"; NULL and unknown ones: the rules of most languages. */
RAMUS_PUBLIC size_t ramus_split_sentences(const char *text, size_t size, const char *language,
                                          ramus_range *out, size_t room);

#ifdef __cplusplus
}
#endif

#endif
