/* A short list under a lock. CSV becomes the lines with tabs that clients ask for later. */
#include "serve/glossaries.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct ramus_glossaries {
    pthread_mutex_t lock;
    int n, most;
    ramus_glossary **items;
};

static void free_glossary(ramus_glossary *one)
{
    ramus_terms_close(one->terms);
    ramus_buffer_free(&one->entries);
    free(one->name);
    free(one);
}

ramus_status ramus_glossaries_create(ramus_glossaries **out, int most, ramus_error *err)
{
    ramus_glossaries *g = calloc(1, sizeof *g);
    if (g) g->items = calloc((size_t)most + 1, sizeof(ramus_glossary *));
    if (!g || !g->items) {
        free(g);
        return ramus_fail_memory(err, "glossaries");
    }
    g->most = most;
    (void)pthread_mutex_init(&g->lock, NULL);
    *out = g;
    return RAMUS_OK;
}

void ramus_glossaries_destroy(ramus_glossaries *g)
{
    if (!g) return;
    for (int i = 0; i < g->n; i++)
        free_glossary(g->items[i]);
    (void)pthread_mutex_destroy(&g->lock);
    free(g->items);
    free(g);
}

/* One column of CSV from *at on, unquoted; *at is then behind the comma or at the line end. */
static void read_column(ramus_text text, size_t *at, ramus_buffer *out)
{
    const bool quoted = *at < text.size && text.data[*at] == '"';
    *at += quoted;
    for (; *at < text.size; (*at)++) {
        const char c = text.data[*at];
        if (quoted && c == '"') {
            if (*at + 1 >= text.size || text.data[*at + 1] != '"') break;
            (*at)++;
        } else if (!quoted && (c == ',' || c == '\n' || c == '\r')) {
            break;
        }
        const char letter = (char)(c == '\t' || c == '\n' || c == '\r' ? ' ' : c);
        ramus_buffer_add(out, &letter, 1);
    }
    *at += quoted && *at < text.size; // the quote
    while (*at < text.size && text.data[*at] != ',' && text.data[*at] != '\n')
        (*at)++;
    *at += *at < text.size && text.data[*at] == ',';
}

/* Adds the first two columns of each line; DeepL's third and fourth are languages. */
static void read_csv(ramus_text text, ramus_buffer *out)
{
    for (size_t at = 0; at < text.size; at++) {
        ramus_buffer columns[2] = {0};
        for (int i = 0; i < 2; i++)
            read_column(text, &at, &columns[i]);
        while (at < text.size && text.data[at] != '\n')
            at++;
        if (columns[0].size)
            ramus_buffer_print(out, "%s\t%s\n", columns[0].data,
                               columns[1].data ? columns[1].data : "");
        ramus_buffer_free(&columns[0]);
        ramus_buffer_free(&columns[1]);
    }
}

static void read_tsv(ramus_text text, ramus_buffer *out)
{
    for (size_t at = 0; at < text.size;) {
        const char *feed = memchr(text.data + at, '\n', text.size - at);
        size_t size = feed ? (size_t)(feed - text.data) - at : text.size - at;
        const size_t next = at + size + 1;
        if (size && text.data[at + size - 1] == '\r') size--;
        if (size) {
            ramus_buffer_add(out, text.data + at, size);
            ramus_buffer_text(out, "\n");
        }
        at = next;
    }
}

static ramus_status read_entries(ramus_glossary *one, const char *format, ramus_text entries,
                                 ramus_error *err)
{
    if (strcmp(format, "csv") == 0)
        read_csv(entries, &one->entries);
    else if (strcmp(format, "tsv") == 0)
        read_tsv(entries, &one->entries);
    else
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "entries_format is '%.20s', expected tsv or csv",
                          format);
    ramus_status st = ramus_buffer_check(&one->entries, err);
    for (size_t i = 0; i < one->entries.size && !st; i++)
        one->n_entries += one->entries.data[i] == '\n';
    if (!st && one->n_entries == 0)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT, "the glossary has no entries");
    return st ? st
              : ramus_terms_open_memory(&one->terms, one->entries.data, one->entries.size, err);
}

ramus_status ramus_glossaries_add(ramus_glossaries *g, const char *name, const char *from,
                                  const char *to, const char *format, ramus_text entries,
                                  ramus_glossary **out, ramus_error *err)
{
    ramus_glossary *one = calloc(1, sizeof *one);
    if (!one || !(one->name = strdup(name))) {
        free(one);
        return ramus_fail_memory(err, "a glossary");
    }
    memcpy(one->from, from, strlen(from) + 1);
    memcpy(one->to, to, strlen(to) + 1);
    const time_t now = time(NULL);
    struct tm utc;
    (void)strftime(one->created, sizeof one->created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    one->references = 2; // of the list and of the caller
    ramus_status st = ramus_id_make(one->id, err);
    if (!st) st = read_entries(one, format, entries, err);
    (void)pthread_mutex_lock(&g->lock);
    if (!st && g->n == g->most)
        st = ramus_fail(err, RAMUS_FAILED, "there are %d glossaries: delete one first", g->n);
    if (!st) g->items[g->n++] = one;
    (void)pthread_mutex_unlock(&g->lock);
    if (st)
        free_glossary(one);
    else
        *out = one;
    return st;
}

/* With the lock held: its place in the list, or -1. */
static int find(const ramus_glossaries *g, const char *id)
{
    for (int i = 0; i < g->n; i++)
        if (strcmp(g->items[i]->id, id) == 0) return i;
    return -1;
}

ramus_glossary *ramus_glossaries_find(ramus_glossaries *g, const char *id)
{
    (void)pthread_mutex_lock(&g->lock);
    const int i = find(g, id);
    ramus_glossary *one = i < 0 ? NULL : g->items[i];
    if (one) one->references++;
    (void)pthread_mutex_unlock(&g->lock);
    return one;
}

void ramus_glossaries_release(ramus_glossaries *g, ramus_glossary *one)
{
    if (!one) return;
    (void)pthread_mutex_lock(&g->lock);
    if (--one->references == 0) free_glossary(one);
    (void)pthread_mutex_unlock(&g->lock);
}

bool ramus_glossaries_delete(ramus_glossaries *g, const char *id)
{
    (void)pthread_mutex_lock(&g->lock);
    const int i = find(g, id);
    if (i >= 0) {
        ramus_glossary *one = g->items[i];
        memmove(g->items + i, g->items + i + 1, (size_t)(--g->n - i) * sizeof *g->items);
        if (--one->references == 0) free_glossary(one);
    }
    (void)pthread_mutex_unlock(&g->lock);
    return i >= 0;
}

void ramus_glossaries_visit(ramus_glossaries *g, void (*each)(void *arg, const ramus_glossary *one),
                            void *arg)
{
    (void)pthread_mutex_lock(&g->lock);
    for (int i = 0; i < g->n; i++)
        each(arg, g->items[i]);
    (void)pthread_mutex_unlock(&g->lock);
}
