/* json.h - reads a JSON file of test vectors into a tree. For tests: a broken file ends the
 * program.
 *
 * Strings may have escapes other than \u. json_destroy() ends the tree. */
#ifndef RAMUS_TESTS_EVAL_JSON_H
#define RAMUS_TESTS_EVAL_JSON_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { JSON_NULL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } json_kind;

typedef struct json {
    json_kind kind;
    char *key; // in an object
    char *text;
    double number;
    struct json *first, *next; // children; the following sibling
} json;

static inline void json_broken(const char *at)
{
    fprintf(stderr, "broken JSON at \"%.20s\"\n", at);
    exit(1);
}

static inline const char *json_skip(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

static inline const char *json_read_text(const char *s, char **out)
{
    if (*s != '"') json_broken(s);
    char *text = malloc(strlen(s) + 1), *to = text;
    for (s++; *s && *s != '"'; s++) {
        static const char from[] = "nrtbf", into[] = "\n\r\t\b\f";
        if (*s != '\\') {
            *to++ = *s;
            continue;
        }
        const char *escape = strchr(from, *++s);
        if (*s == 'u' || *s == '\0') json_broken(s);
        *to++ = escape ? into[escape - from] : *s;
    }
    if (*s != '"') json_broken(s);
    *to = '\0';
    *out = text;
    return s + 1;
}

static inline const char *json_read(const char *s, json *out);

static inline const char *json_read_children(const char *s, json *out, char close)
{
    json **tail = &out->first;
    s = json_skip(s + 1);
    while (*s != close) {
        json *child = calloc(1, sizeof *child);
        if (close == '}') {
            s = json_skip(json_read_text(s, &child->key));
            if (*s++ != ':') json_broken(s);
        }
        s = json_skip(json_read(s, child));
        *tail = child;
        tail = &child->next;
        if (*s == ',')
            s = json_skip(s + 1);
        else if (*s != close)
            json_broken(s);
    }
    return s + 1;
}

static inline const char *json_read(const char *s, json *out)
{
    s = json_skip(s);
    if (*s == '{' || *s == '[') {
        out->kind = *s == '{' ? JSON_OBJECT : JSON_LIST;
        return json_read_children(s, out, *s == '{' ? '}' : ']');
    }
    if (*s == '"') {
        out->kind = JSON_TEXT;
        return json_read_text(s, &out->text);
    }
    if (strncmp(s, "null", 4) == 0) return s + 4;
    char *end = NULL;
    out->kind = JSON_NUMBER;
    out->number = strtod(s, &end);
    if (end == s) json_broken(s);
    return end;
}

static inline json *json_load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    json *root = calloc(1, sizeof *root);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) exit(1);
    fclose(file);
    if (*json_skip(json_read(text, root))) json_broken("the end");
    free(text);
    return root;
}

static inline void json_destroy(json *j)
{
    while (j) {
        json *next = j->next;
        json_destroy(j->first);
        free(j->key);
        free(j->text);
        free(j);
        j = next;
    }
}

static inline const json *json_get(const json *object, const char *key)
{
    for (const json *child = object->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    fprintf(stderr, "no \"%s\" in the JSON object\n", key);
    exit(1);
}

static inline double json_number(const json *object, const char *key)
{
    return json_get(object, key)->number;
}

static inline int json_length(const json *list)
{
    int n = 0;
    for (const json *child = list->first; child; child = child->next)
        n++;
    return n;
}

#endif
