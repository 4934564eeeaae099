/* Lines or paragraphs are collected into a chunk until it is full or, on a pipe, none is ready. */
#include "cli/translate.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (1 << 20)   // from so many on, a chunk is full
#define PARAGRAPH   (64 * 1024) // bytes of a document that is translated as one text

struct ramus_translate_input {
    bool document;
    ramus_inputs *files;
    ramus_lines *lines;  // of the file that is being read; NULL: the next one's turn
    bool ended;          // there are no more files
    int64_t texts;       // read so far
    ramus_buffer places; // of the chunk that is being read
};

ramus_status ramus_translate_input_open(ramus_translate_input **out,
                                        const ramus_translate_settings *s, const ramus_options *o,
                                        ramus_error *err)
{
    ramus_translate_input *in = calloc(1, sizeof *in);
    if (!in) return ramus_fail_memory(err, "a reader");
    in->document = s->how.document;
    const ramus_status st = ramus_inputs_open(&in->files, &s->inputs, o, err);
    if (st)
        ramus_translate_input_close(in);
    else
        *out = in;
    return st;
}

void ramus_translate_input_close(ramus_translate_input *in)
{
    if (!in) return;
    ramus_inputs_close(in->files);
    ramus_buffer_free(&in->places);
    free(in);
}

const ramus_inputs *ramus_translate_input_files(const ramus_translate_input *in)
{
    return in->files;
}

/* Sets *line to the next line of the file, or to NULL at its end; then the next file is open. */
static ramus_status next_line(ramus_translate_input *in, char **line, size_t *size,
                              ramus_error *err)
{
    const char *name = NULL;
    ramus_status st = RAMUS_OK;
    *line = NULL;
    if (in->ended) return RAMUS_OK;
    if (in->lines) st = ramus_lines_next(in->lines, line, size, err);
    if (st || *line) return st;
    st = ramus_inputs_next(in->files, &in->lines, &name, err);
    in->ended = !in->lines;
    return st;
}

ramus_status ramus_translate_input_skip(ramus_translate_input *in, int64_t texts, int64_t lines,
                                        ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int64_t i = 0; i < lines && !st && !in->ended;) {
        char *line = NULL;
        size_t size = 0;
        st = next_line(in, &line, &size, err);
        i += line != NULL;
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

/* Collects lines until the chunk is full, the file ends, or none is ready. */
static ramus_status read_lines(ramus_translate_input *in, ramus_chunk_head *head,
                               ramus_buffer *body, ramus_error *err)
{
    ramus_text_place last = {0};
    bool inside = false; // a paragraph that the next line may belong to
    do {
        char *line = NULL;
        size_t size = 0;
        const ramus_status st = next_line(in, &line, &size, err);
        if (st) return st;
        if (!line) break;
        const bool feed = line[size] == '\n'; // of a document, it stays where it is
        if (!in->document && size && line[size - 1] == '\r') size--;
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

ramus_status ramus_translate_input_read(ramus_translate_input *in, ramus_parcel *chunk,
                                        ramus_error *err)
{
    ramus_chunk_head head = {.first = in->texts};
    ramus_buffer_clear(&in->places);
    while (!head.n && !in->ended) {
        const ramus_status st = read_lines(in, &head, &chunk->body, err);
        if (st) return st;
    }
    if (!head.n) return RAMUS_OK;
    in->texts += head.n;
    head.done = ramus_inputs_done(in->files);
    ramus_buffer_add(&chunk->head, &head, sizeof head);
    ramus_buffer_add(&chunk->head, in->places.data, in->places.size);
    return ramus_buffer_check(&in->places, err);
}
