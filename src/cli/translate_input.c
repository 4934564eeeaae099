/* Lines or paragraphs are collected into a chunk until it is full or, on a pipe, none is ready. */
#include "cli/translate.h"

#include "data/lines.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (1 << 20)   // from so many on, a chunk is full
#define PARAGRAPH   (64 * 1024) // bytes of a document that is translated as one text

struct ramus_translate_input {
    const ramus_options *o;
    bool document;
    ramus_lines *lines;  // NULL: the arguments
    int64_t texts;       // read so far
    ramus_buffer places; // of the chunk that is being read
};

ramus_status ramus_translate_input_open(ramus_translate_input **out,
                                        const ramus_translate_settings *s, const ramus_options *o,
                                        ramus_error *err)
{
    ramus_translate_input *in = calloc(1, sizeof *in);
    if (!in) return ramus_fail_memory(err, "a reader");
    in->o = o;
    in->document = s->document;
    ramus_status st = RAMUS_OK;
    if (!o->n_arguments) st = ramus_lines_open(&in->lines, s->input ? s->input : "-", err);
    if (st)
        ramus_translate_input_close(in);
    else
        *out = in;
    return st;
}

void ramus_translate_input_close(ramus_translate_input *in)
{
    if (!in) return;
    ramus_lines_close(in->lines);
    ramus_buffer_free(&in->places);
    free(in);
}

ramus_status ramus_translate_input_skip(ramus_translate_input *in, int64_t texts, int64_t lines,
                                        ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int64_t i = 0; i < lines && !st; i++) {
        char *line = NULL;
        size_t size = 0;
        st = ramus_lines_next(in->lines, &line, &size, err);
    }
    in->texts = texts;
    return st;
}

static bool is_blank(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\f\v", line[i]) || !line[i]) return false;
    return true;
}

/* Collects lines until the chunk is full, or none is ready. */
static ramus_status read_lines(ramus_translate_input *in, ramus_chunk_head *head,
                               ramus_buffer *body, ramus_error *err)
{
    ramus_text_place last = {0};
    bool inside = false; // a paragraph that the next line may belong to
    do {
        char *line = NULL;
        size_t size = 0;
        const ramus_status st = ramus_lines_next(in->lines, &line, &size, err);
        if (st) return st;
        if (!line) break;
        const bool feed = line[size] == '\n'; // of a document, it stays where it is
        if (!inside) {
            if (head->n++) ramus_buffer_add(&in->places, &last, sizeof last);
            last = (ramus_text_place){.start = body->size};
        }
        head->lines++;
        ramus_buffer_add(body, line, in->document && feed ? size + 1 : size);
        last.size = body->size - last.start;
        inside = in->document && !is_blank(line, size) && last.size < PARAGRAPH &&
                 ramus_lines_ready(in->lines);
    } while (inside || (head->n < RAMUS_CHUNK_TEXTS && body->size < CHUNK_BYTES &&
                        ramus_lines_ready(in->lines)));
    if (head->n) ramus_buffer_add(&in->places, &last, sizeof last);
    return RAMUS_OK;
}

static void read_arguments(ramus_translate_input *in, ramus_chunk_head *head, ramus_buffer *body)
{
    for (; head->n < RAMUS_CHUNK_TEXTS && head->first + head->n < in->o->n_arguments; head->n++) {
        const char *text = in->o->arguments[head->first + head->n];
        const ramus_text_place at = {body->size, strlen(text)};
        ramus_buffer_add(&in->places, &at, sizeof at);
        ramus_buffer_add(body, text, at.size);
    }
}

ramus_status ramus_translate_input_read(ramus_translate_input *in, ramus_parcel *chunk,
                                        ramus_error *err)
{
    ramus_chunk_head head = {.first = in->texts};
    ramus_buffer_clear(&in->places);
    if (in->lines) {
        const ramus_status st = read_lines(in, &head, &chunk->body, err);
        if (st) return st;
    } else {
        read_arguments(in, &head, &chunk->body);
    }
    if (!head.n) return RAMUS_OK;
    in->texts += head.n;
    ramus_buffer_add(&chunk->head, &head, sizeof head);
    ramus_buffer_add(&chunk->head, in->places.data, in->places.size);
    return ramus_buffer_check(&in->places, err);
}
