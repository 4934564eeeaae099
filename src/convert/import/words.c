/* Texts lie one behind the other, each with a zero behind it. */
#include "convert/import/words.h"

#include "base/json.h"
#include "text/piece_table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN "<unk>"

void ramus_words_free(ramus_words *w)
{
    ramus_ids_free(&w->starts);
    ramus_buffer_free(&w->texts);
    *w = (ramus_words){0};
}

static ramus_status add(ramus_words *w, int64_t id, const char *piece, size_t size,
                        ramus_error *err)
{
    if (id < 0 || id >= w->most)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "piece '%.40s' has number %lld, the model has words 0 to %d", piece,
                          (long long)id, w->most - 1);
    if (size == 0 || memchr(piece, 0, size))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "piece %d is empty or has a zero byte", (int)id);
    if (w->texts.size + size > INT_MAX / 2)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "more than %d bytes of pieces", INT_MAX / 2);
    ramus_status st = RAMUS_OK;
    for (; w->n <= id && !st; w->n++)
        st = ramus_ids_add(&w->starts, -1, err);
    if (st) return st;
    if (w->starts.data[id] >= 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "pieces '%.40s' and '%.40s' both have number %d",
                          w->texts.data + w->starts.data[id], piece, (int)id);
    w->starts.data[id] = (int)w->texts.size;
    ramus_buffer_add(&w->texts, piece, size);
    ramus_buffer_add(&w->texts, "", 1);
    return ramus_buffer_check(&w->texts, err);
}

static ramus_status check(const ramus_words *w, ramus_error *err)
{
    for (int i = 0; i < w->n; i++)
        if (w->starts.data[i] < 0)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "no piece has number %d, but one has %d", i,
                              w->n - 1);
    return RAMUS_OK;
}

ramus_status ramus_words_read_json(ramus_words *w, const char *text, size_t size, ramus_error *err)
{
    ramus_json json;
    ramus_buffer piece = {0};
    bool more = false;
    int64_t id = 0;
    ramus_json_init(&json, text, 0, size);
    ramus_status st = ramus_json_enter(&json, RAMUS_JSON_OBJECT, err);
    while (!st && !(st = ramus_json_member(&json, &more, &piece, err)) && more) {
        st = ramus_json_whole(&json, &id, err);
        if (!st) st = add(w, id, piece.data, piece.size, err);
    }
    if (!st) st = ramus_json_end(&json, err);
    ramus_buffer_free(&piece);
    return st ? st : check(w, err);
}

/* The piece of a line, as it stands, in "" as in JSON, or in '' with '' for '. */
static ramus_status read_piece(ramus_buffer *piece, const char *text, size_t size, ramus_error *err)
{
    ramus_buffer_clear(piece);
    if (size >= 2 && *text == '"') {
        ramus_json json;
        ramus_json_init(&json, text, 0, size);
        const ramus_status st = ramus_json_string(&json, piece, err);
        return st ? st : ramus_json_end(&json, err);
    }
    const bool quoted = size >= 2 && *text == '\'' && text[size - 1] == '\'';
    for (size_t i = quoted; i < size - quoted; i++) {
        ramus_buffer_add(piece, text + i, 1);
        if (quoted && text[i] == '\'') i++;
    }
    return ramus_buffer_check(piece, err);
}

/* `piece: id`, where the piece may have a colon. */
static ramus_status read_line(ramus_words *w, ramus_buffer *piece, const char *line, size_t size,
                              int number, ramus_error *err)
{
    size_t digits = size, id = 0;
    while (digits > 0 && line[digits - 1] >= '0' && line[digits - 1] <= '9')
        digits--;
    for (size_t i = digits; i < size && id <= INT_MAX; i++)
        id = id * 10 + (size_t)(line[i] - '0');
    if (digits == size || digits < 3 || line[digits - 1] != ' ' || line[digits - 2] != ':')
        return ramus_fail(err, RAMUS_BAD_FORMAT, "line %d is not `piece: number`", number);
    const ramus_status st = read_piece(piece, line, digits - 2, err);
    return st ? st : add(w, (int64_t)id, piece->data ? piece->data : "", piece->size, err);
}

ramus_status ramus_words_read_yml(ramus_words *w, const char *text, size_t size, ramus_error *err)
{
    ramus_buffer piece = {0};
    ramus_status st = RAMUS_OK;
    int number = 1;
    for (size_t at = 0; at < size && !st; number++) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - text) : size;
        const size_t next = end + 1;
        if (end > at && text[end - 1] == '\r') end--;
        if (end > at) st = read_line(w, &piece, text + at, end - at, number, err);
        at = next;
    }
    ramus_buffer_free(&piece);
    return st ? st : check(w, err);
}

static const char *text_of(const ramus_words *w, int id)
{
    return id < w->n ? w->texts.data + w->starts.data[id] : "";
}

int ramus_words_find(const ramus_words *w, const char *piece)
{
    for (int i = 0; i < w->n; i++)
        if (strcmp(text_of(w, i), piece) == 0) return i;
    return -1;
}

ramus_status ramus_words_write(const ramus_words *w, int n, int eos, int pad, const void *model,
                               size_t size, ramus_buffer *out, ramus_error *err)
{
    const int unk = ramus_words_find(w, UNKNOWN);
    if (unk < 0) return ramus_fail(err, RAMUS_BAD_FORMAT, "it has no piece " UNKNOWN);
    if (eos < 0 || eos >= w->n)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "the end of a sentence is piece %d, there are pieces 0 to %d", eos,
                          w->n - 1);
    const char **words = calloc((size_t)n + 1, sizeof *words);
    if (!words) return ramus_fail_memory(err, "a vocabulary");
    for (int i = 0; i < n; i++)
        words[i] = text_of(w, i);
    const ramus_piece_table table = {
        .words = words, .n = n, .eos = eos, .unk = unk, .pad = pad < w->n ? pad : -1};
    const ramus_status st = ramus_piece_table_write(&table, model, size, out, err);
    free(words);
    return st;
}
