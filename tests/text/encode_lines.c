/* Encodes the lines of standard input and writes their ids, as `spm_encode --output_format=id`
 * does; --pieces writes pieces, --decode goes from ids to text. Used by tools/check-sentencepiece,
 * which compares the two programs. */
#include "text/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t print_int(char *to, int value)
{
    char digits[12];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < n; i++)
        to[i] = digits[n - 1 - i];
    return n;
}

static void write_ids(const ramus_ids *ids)
{
    char out[4096];
    size_t used = 0;
    for (int i = 0; i < ids->n; i++) {
        if (used > sizeof out - 16) {
            fwrite(out, 1, used, stdout);
            used = 0;
        }
        if (i > 0) out[used++] = ' ';
        used += print_int(out + used, ids->data[i]);
    }
    out[used++] = '\n';
    fwrite(out, 1, used, stdout);
}

/* Adds the numbers of a line as ints. */
static void read_ids(ramus_buffer *out, const char *line)
{
    for (char *end = NULL;; line = end) {
        const int id = (int)strtol(line, &end, 10);
        if (end == line) return;
        ramus_buffer_add(out, &id, sizeof id);
    }
}

typedef struct work {
    const char *mode;
    ramus_vocab *vocab;
    ramus_tokenizer *tok;
    ramus_ids ids;
    ramus_buffer text, numbers;
} work;

static ramus_status do_line(work *w, const char *line, size_t size, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    w->ids.n = 0;
    ramus_buffer_clear(&w->text);
    if (strcmp(w->mode, "--ids") == 0) {
        st = ramus_tokenizer_encode(w->tok, line, size, &w->ids, err);
        if (!st) write_ids(&w->ids);
        return st;
    }
    if (strcmp(w->mode, "--pieces") == 0) {
        st = ramus_tokenizer_encode_pieces(w->tok, line, size, &w->text, err);
    } else {
        ramus_buffer_clear(&w->numbers);
        read_ids(&w->numbers, line);
        st = ramus_buffer_check(&w->numbers, err);
        if (!st)
            st = ramus_vocab_decode(w->vocab, (const int *)(const void *)w->numbers.data,
                                    (int)(w->numbers.size / sizeof(int)), &w->text, err);
    }
    if (st) return st;
    ramus_buffer_text(&w->text, "\n");
    fwrite(w->text.data, 1, w->text.size, stdout);
    return RAMUS_OK;
}

int main(int argc, char **argv)
{
    ramus_error err = {0};
    work w = {.mode = argc > 2 ? argv[2] : "--ids"};
    char *line = NULL;
    size_t capacity = 0;

    if (argc < 2) {
        fprintf(stderr, "usage: encode_lines MODEL [--ids | --pieces | --decode] <lines\n");
        return 2;
    }
    ramus_status st = ramus_vocab_load(&w.vocab, argv[1], &err);
    if (!st) st = ramus_tokenizer_create(&w.tok, w.vocab, &err);
    for (ssize_t size = 0; !st && (size = getline(&line, &capacity, stdin)) >= 0;) {
        if (size > 0 && line[size - 1] == '\n') line[--size] = '\0';
        st = do_line(&w, line, (size_t)size, &err);
    }
    if (st) fprintf(stderr, "encode_lines: %s\n", err.message);
    free(line);
    ramus_buffer_free(&w.text);
    ramus_buffer_free(&w.numbers);
    ramus_ids_free(&w.ids);
    ramus_tokenizer_destroy(w.tok);
    ramus_vocab_destroy(w.vocab);
    return fflush(stdout) || st ? 1 : 0;
}
