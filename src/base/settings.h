/* settings.h - named values of a struct as one table: parsing, checking, printing and --help
 * follow.
 *
 * A row says where in the struct a value lives, what it may be and what it means. Names are those
 * of the command line ("encoder-layers"); files and JSON write them with '_' ("encoder_layers"),
 * and both spellings are understood. */
#ifndef RAMUS_BASE_SETTINGS_H
#define RAMUS_BASE_SETTINGS_H

#include "base/buffer.h"
#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum ramus_setting_type {
    RAMUS_SETTING_INT,     // int in [least, most]; or auto where that is the default
    RAMUS_SETTING_REAL,    // double in [least, most]; or auto likewise
    RAMUS_SETTING_SWITCH,  // bool: on, off
    RAMUS_SETTING_FLAG,    // bool, off unless named: takes no value on a command line
    RAMUS_SETTING_CHOICE,  // int: the index of a word in `choices`
    RAMUS_SETTING_NUMBERS, // ramus_numbers, each in [least, most], with commas between them
    RAMUS_SETTING_TEXT,    // const char *, borrowed from whoever set it
    RAMUS_SETTING_LIST     // ramus_texts: each setting adds one; `most` of them after one option
} ramus_setting_type;

#define RAMUS_MAX_TEXTS 256

#define RAMUS_MAX_NUMBERS 200

/* Whole numbers, one for each layer or the like; the last holds for all that follow. */
typedef struct ramus_numbers {
    int n;
    int items[RAMUS_MAX_NUMBERS];
} ramus_numbers;

ramus_numbers ramus_numbers_of(int number);
int ramus_numbers_at(const ramus_numbers *numbers, int i); // 0 where there are none

/* Texts in the order given, borrowed from whoever set them. */
typedef struct ramus_texts {
    const char *items[RAMUS_MAX_TEXTS];
    int n;
} ramus_texts;

/* The help of a setting that models have: nobody reads it in a browser, where bytes count. */
#ifdef __wasm__
#define RAMUS_HELP(text) NULL
#else
#define RAMUS_HELP(text) text
#endif

typedef struct ramus_setting {
    const char *name;
    ramus_setting_type type;
    size_t offset; // of the value in the struct
    const char *help;
    const char *fallback; // the default, as a user would type it; NULL: the struct's zero
    double least, most;
    const char *const *choices;   // ends with NULL; of a text or a list: its value's name in help
    void (*chosen)(void *target); // sets other fields (a preset): such rows are applied first
} ramus_setting;

/* Names of values in help that are no TEXT. */
extern const char *const ramus_setting_file[], *const ramus_setting_folder[],
                                                   *const ramus_setting_language[];

/* The value of a number that is chosen later: the word "auto". */
#define RAMUS_AUTO INT_MIN
bool ramus_real_is_auto(double value); // it is NAN

/* A struct with its table; tables of several structs can be searched together. */
typedef struct ramus_settings {
    const ramus_setting *rows;
    int n;
    void *target;
} ramus_settings;

/* Gives every field its default. */
void ramus_settings_default(const ramus_settings *s);

/* The row called `name` in '-' or '_' spelling, or NULL. */
const ramus_setting *ramus_setting_find(const ramus_settings *s, const char *name);

/* Reads `value` into the field; a value out of range or not of the type is an error that names it.
 */
RAMUS_CHECKED ramus_status ramus_setting_set(const ramus_settings *s, const ramus_setting *row,
                                             const char *value, ramus_error *err);

/* Empties the field if it is a list. */
void ramus_setting_clear(const ramus_settings *s, const ramus_setting *row);

/* Writes the field as a user would type it. */
void ramus_setting_print(const ramus_settings *s, const ramus_setting *row, ramus_buffer *out);

/* Writes a line "name = value" for every row that has a value, as --config reads it. Spaces
 * separate the values of a list; a value with spaces or quotes stands in double quotes, where two
 * of them mean one. A text has no line feed, which no line can hold. `folder` (NULL: none) goes
 * before relative names of files and folders, so that they are good from anywhere. */
void ramus_settings_print(const ramus_settings *s, const char *folder, ramus_buffer *out);

/* Writes the row's name with '_' for '-'. */
void ramus_setting_key(const ramus_setting *row, ramus_buffer *out);

/* Writes what may stand behind the row's name: "FILE", "N", "red|green"; nothing behind a flag. */
void ramus_setting_values(const ramus_setting *row, ramus_buffer *out);

/* Writes what it is for, with its default. */
void ramus_setting_explain(const ramus_setting *row, ramus_buffer *out);

/* For --help, "  --name VALUE    help (default)" of each row, in lines of up to `width` columns. */
void ramus_settings_help(const ramus_settings *s, int width, ramus_buffer *out);

/* Adds `text` behind what stands in the last line, and breaks lines between words so that they have
 * up to `width` columns; those that follow begin with `indent` spaces. */
void ramus_buffer_wrap(ramus_buffer *out, const char *text, int indent, int width);

/* The word among `words` (n of them) nearest to `name`, or NULL when none is near enough to
 * suggest. */
const char *ramus_nearest_word(const char *name, const char *const *words, int n);

#endif
