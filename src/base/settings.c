/* One switch over the types for each thing to do with a row: its default, parsing, printing,
 * help. Names compare with - and _ as one character. */
#include "base/settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char auto_word[] = "auto";

static void *field(const ramus_settings *s, const ramus_setting *row)
{
    return (char *)s->target + row->offset;
}

static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b)) return false;
    return *a == *b;
}

const ramus_setting *ramus_setting_find(const ramus_settings *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (same_name(s->rows[i].name, name)) return &s->rows[i];
    return NULL;
}

void ramus_settings_default(const ramus_settings *s)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->n; i++) {
            const ramus_setting *row = &s->rows[i];
            if (!row->fallback || (row->chosen != NULL) != (pass == 0)) continue;
            const ramus_status st = ramus_setting_set(s, row, row->fallback, NULL);
            RAMUS_ASSERT(st == RAMUS_OK);
        }
}

bool ramus_real_is_auto(double value)
{
    return isnan(value);
}

static void set_auto(const ramus_settings *s, const ramus_setting *row)
{
    if (row->type == RAMUS_SETTING_INT)
        *(int *)field(s, row) = RAMUS_AUTO;
    else
        *(double *)field(s, row) = (double)NAN;
}

static ramus_status set_number(const ramus_settings *s, const ramus_setting *row, const char *value,
                               ramus_error *err)
{
    const bool whole = row->type == RAMUS_SETTING_INT;
    char *end = NULL;
    if (strcmp(value, auto_word) == 0 && row->fallback && strcmp(row->fallback, auto_word) == 0) {
        set_auto(s, row);
        return RAMUS_OK;
    }
    errno = 0;
    const double number = strtod(value, &end);
    if (end == value || *end || errno || !isfinite(number) || (whole && number != floor(number)))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s is '%s', expected a %s", row->name, value,
                          whole ? "whole number" : "number");
    if (number < row->least || number > row->most)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s is %s, expected %g to %g", row->name, value,
                          row->least, row->most);
    if (whole)
        *(int *)field(s, row) = (int)number;
    else
        *(double *)field(s, row) = number;
    return RAMUS_OK;
}

ramus_numbers ramus_numbers_of(int number)
{
    return (ramus_numbers){.n = 1, .items = {number}};
}

int ramus_numbers_at(const ramus_numbers *numbers, int i)
{
    if (numbers->n == 0) return 0;
    return numbers->items[i < numbers->n ? i : numbers->n - 1];
}

static ramus_status set_numbers(ramus_numbers *to, const ramus_setting *row, const char *value,
                                ramus_error *err)
{
    ramus_numbers found = {0};
    for (const char *at = value;; at++) {
        char *end = NULL;
        errno = 0;
        const long number = strtol(at, &end, 10);
        if (end == at || errno || (*end && *end != ','))
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "%s is '%.100s', expected a whole number, or several with commas "
                              "between them",
                              row->name, value);
        if ((double)number < row->least || (double)number > row->most)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s is %.100s, expected %g to %g", row->name,
                              value, row->least, row->most);
        if (found.n == RAMUS_MAX_NUMBERS)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s has more than %d numbers", row->name,
                              RAMUS_MAX_NUMBERS);
        found.items[found.n++] = (int)number;
        at = end;
        if (!*at) break;
    }
    *to = found;
    return RAMUS_OK;
}

static ramus_status set_choice(const ramus_settings *s, const ramus_setting *row, const char *value,
                               ramus_error *err)
{
    ramus_buffer words = {0};
    for (int i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], value) == 0) {
            *(int *)field(s, row) = i;
            ramus_buffer_free(&words);
            return RAMUS_OK;
        }
        ramus_buffer_print(&words, "%s%s", i ? ", " : "", row->choices[i]);
    }
    const ramus_status st = ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s is '%s', expected one of %s",
                                       row->name, value, words.data ? words.data : "");
    ramus_buffer_free(&words);
    return st;
}

ramus_status ramus_setting_set(const ramus_settings *s, const ramus_setting *row, const char *value,
                               ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    switch (row->type) {
    case RAMUS_SETTING_INT:
    case RAMUS_SETTING_REAL:
        st = set_number(s, row, value, err);
        break;
    case RAMUS_SETTING_SWITCH:
    case RAMUS_SETTING_FLAG:
        if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s is '%s', expected on or off", row->name,
                              value);
        *(bool *)field(s, row) = strcmp(value, "on") == 0;
        break;
    case RAMUS_SETTING_CHOICE:
        st = set_choice(s, row, value, err);
        break;
    case RAMUS_SETTING_NUMBERS:
        st = set_numbers(field(s, row), row, value, err);
        break;
    case RAMUS_SETTING_TEXT:
        *(const char **)field(s, row) = value;
        break;
    case RAMUS_SETTING_LIST: {
        ramus_texts *texts = field(s, row);
        if (texts->n == RAMUS_MAX_TEXTS)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%s has more than %d values", row->name,
                              RAMUS_MAX_TEXTS);
        texts->items[texts->n++] = value;
        break;
    }
    }
    if (st == RAMUS_OK && row->chosen) row->chosen(s->target);
    return st;
}

void ramus_setting_clear(const ramus_settings *s, const ramus_setting *row)
{
    if (row->type == RAMUS_SETTING_LIST) ((ramus_texts *)field(s, row))->n = 0;
}

const char *const ramus_setting_file[] = {"FILE", NULL};
const char *const ramus_setting_folder[] = {"FOLDER", NULL};
const char *const ramus_setting_language[] = {"LANGUAGE", NULL};

/* Whether a text must stand in quotes to be read as it is. */
static bool needs_quotes(const ramus_setting *row, const char *text)
{
    const size_t size = strlen(text);
    if (row->type == RAMUS_SETTING_LIST) return size == 0 || strpbrk(text, " \t\r\"");
    return size && (strchr(" \t\r\"", text[0]) || strchr(" \t\r", text[size - 1]));
}

/* Writes a text; a relative name of a file or a folder goes behind `folder`. */
static void print_text(const ramus_setting *row, const char *text, const char *folder,
                       ramus_buffer *out)
{
    const bool named = row->choices == ramus_setting_file || row->choices == ramus_setting_folder;
    ramus_buffer whole = {0};
    if (folder && named && *text && *text != '/') ramus_buffer_print(&whole, "%s/", folder);
    ramus_buffer_text(&whole, text);
    if (whole.failed) {
        out->failed = true;
    } else if (!needs_quotes(row, whole.data)) {
        ramus_buffer_text(out, whole.data);
    } else {
        ramus_buffer_text(out, "\"");
        for (const char *c = whole.data; *c; c++)
            ramus_buffer_print(out, "%s%c", *c == '"' ? "\"" : "", *c);
        ramus_buffer_text(out, "\"");
    }
    ramus_buffer_free(&whole);
}

static void print_setting(const ramus_settings *s, const ramus_setting *row, const char *folder,
                          ramus_buffer *out)
{
    const void *at = field(s, row);
    switch (row->type) {
    case RAMUS_SETTING_INT:
        if (*(const int *)at == RAMUS_AUTO)
            ramus_buffer_text(out, auto_word);
        else
            ramus_buffer_print(out, "%d", *(const int *)at);
        break;
    case RAMUS_SETTING_REAL: {
        if (ramus_real_is_auto(*(const double *)at)) {
            ramus_buffer_text(out, auto_word);
            break;
        }
        char text[32]; // the shortest form that reads back as the same number
        for (int digits = 6; digits <= 17; digits++) {
            (void)snprintf(text, sizeof text, "%.*g", digits, *(const double *)at);
            if (strtod(text, NULL) == *(const double *)at) break;
        }
        ramus_buffer_text(out, text);
        break;
    }
    case RAMUS_SETTING_SWITCH:
    case RAMUS_SETTING_FLAG:
        ramus_buffer_text(out, *(const bool *)at ? "on" : "off");
        break;
    case RAMUS_SETTING_CHOICE:
        ramus_buffer_text(out, row->choices[*(const int *)at]);
        break;
    case RAMUS_SETTING_NUMBERS: {
        const ramus_numbers *numbers = at;
        for (int i = 0; i < numbers->n; i++)
            ramus_buffer_print(out, "%s%d", i ? "," : "", numbers->items[i]);
        break;
    }
    case RAMUS_SETTING_LIST: {
        const ramus_texts *texts = at;
        for (int i = 0; i < texts->n; i++) {
            if (i) ramus_buffer_text(out, " ");
            print_text(row, texts->items[i], folder, out);
        }
        break;
    }
    case RAMUS_SETTING_TEXT: {
        const char *text = *(const char *const *)at;
        print_text(row, text ? text : "", folder, out);
        break;
    }
    }
}

void ramus_setting_print(const ramus_settings *s, const ramus_setting *row, ramus_buffer *out)
{
    print_setting(s, row, NULL, out);
}

void ramus_settings_print(const ramus_settings *s, const char *folder, ramus_buffer *out)
{
    for (int i = 0; i < s->n; i++) {
        const ramus_setting *row = &s->rows[i];
        const void *at = field(s, row);
        if (row->type == RAMUS_SETTING_TEXT && !*(const char *const *)at) continue;
        if (row->type == RAMUS_SETTING_LIST && ((const ramus_texts *)at)->n == 0) continue;
        ramus_buffer_print(out, "%s = ", row->name);
        print_setting(s, row, folder, out);
        ramus_buffer_text(out, "\n");
    }
}

void ramus_setting_key(const ramus_setting *row, ramus_buffer *out)
{
    for (const char *c = row->name; *c; c++)
        ramus_buffer_add(out, *c == '-' ? "_" : c, 1);
}

void ramus_setting_values(const ramus_setting *row, ramus_buffer *out)
{
    switch (row->type) {
    case RAMUS_SETTING_CHOICE:
        for (int i = 0; row->choices[i]; i++)
            ramus_buffer_print(out, "%s%s", i ? "|" : "", row->choices[i]);
        break;
    case RAMUS_SETTING_SWITCH:
        ramus_buffer_text(out, "on|off");
        break;
    case RAMUS_SETTING_TEXT:
    case RAMUS_SETTING_LIST:
        ramus_buffer_print(out, "%s%s", row->choices ? row->choices[0] : "TEXT",
                           row->most > 1 ? "..." : "");
        break;
    case RAMUS_SETTING_INT:
    case RAMUS_SETTING_REAL:
        ramus_buffer_text(out, row->type == RAMUS_SETTING_INT ? "N" : "X");
        break;
    case RAMUS_SETTING_NUMBERS:
        ramus_buffer_text(out, "N,...");
        break;
    case RAMUS_SETTING_FLAG:
        break;
    }
}

void ramus_setting_explain(const ramus_setting *row, ramus_buffer *out)
{
    ramus_buffer_text(out, row->help);
    if (row->fallback) ramus_buffer_print(out, " (default %s)", row->fallback);
}

/* Where the last line begins. */
static size_t line_start(const ramus_buffer *out)
{
    size_t start = out->size;
    while (start > 0 && out->data[start - 1] != '\n')
        start--;
    return start;
}

void ramus_buffer_wrap(ramus_buffer *out, const char *text, int indent, int width)
{
    size_t start = line_start(out);
    const char *space = "";
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const int n = (int)strcspn(text, " ");
        const int column = (int)(out->size - start);
        if (column > indent && column + (int)strlen(space) + n > width) {
            ramus_buffer_text(out, "\n");
            start = out->size;
            ramus_buffer_print(out, "%*s", indent, "");
            space = "";
        }
        ramus_buffer_print(out, "%s%.*s", space, n, text);
        space = " ";
        text += n;
    }
}

/* Adds what may stand behind a name; choices that would not fit go to a new line. */
static void add_values(ramus_buffer *out, const ramus_setting *row, int width)
{
    ramus_buffer values = {0};
    ramus_setting_values(row, &values);
    const bool choices = values.data && strchr(values.data, '|');
    for (const char *at = values.data ? values.data : ""; *at;) {
        const size_t word = strcspn(at, "|"), n = word + (at[word] == '|');
        if (choices && out->size - line_start(out) + n > (size_t)width)
            ramus_buffer_text(out, "\n      ");
        ramus_buffer_add(out, at, n);
        at += n;
    }
    ramus_buffer_free(&values);
}

void ramus_settings_help(const ramus_settings *s, int width, ramus_buffer *out)
{
    const int column = width < 72 ? 8 : width < 100 ? 28 : 36;
    for (int i = 0; i < s->n; i++) {
        const ramus_setting *row = &s->rows[i];
        ramus_buffer_print(out, "  --%s%s", row->name, row->type == RAMUS_SETTING_FLAG ? "" : " ");
        add_values(out, row, width);
        const int used = (int)(out->size - line_start(out));
        if (used >= column)
            ramus_buffer_print(out, "\n%*s", column, "");
        else
            ramus_buffer_print(out, "%*s", column - used, "");
        ramus_buffer text = {0};
        ramus_setting_explain(row, &text);
        ramus_buffer_wrap(out, text.data ? text.data : "", column, width);
        ramus_buffer_text(out, "\n");
        ramus_buffer_free(&text);
    }
}

/* Edit distance with a row of at most 63 letters; longer words are never near. */
static int distance(const char *a, const char *b)
{
    const int n = (int)strlen(b);
    int row[64];
    if (n > 63) return 64;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 0; a[i]; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 1; j <= n; j++) {
            const int change = diagonal + (a[i] != b[j - 1]);
            diagonal = row[j];
            const int insert = row[j - 1] + 1, drop = row[j] + 1;
            row[j] = change < insert ? change : insert;
            if (drop < row[j]) row[j] = drop;
        }
    }
    return row[n];
}

/* Whether the last parts of "learning-rate" are "rate". */
static bool ends_with_part(const char *name, const char *word)
{
    const size_t n = strlen(name), size = strlen(word);
    return n > size && (name[n - size - 1] == '-' || name[n - size - 1] == '_') &&
           strcmp(name + n - size, word) == 0;
}

const char *ramus_nearest_word(const char *name, const char *const *words, int n)
{
    const char *best = NULL;
    int least = (int)strlen(name) / 3 + 2; // further away is no suggestion
    for (int i = 0; i < n; i++) {
        const int d = distance(name, words[i]);
        if (d < least) {
            least = d;
            best = words[i];
        }
    }
    for (int i = 0; i < n && !best; i++)
        if (ends_with_part(name, words[i])) best = words[i];
    return best;
}
