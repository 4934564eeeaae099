/* Results go to an output (data/output.h), or to a part file, which can be resumed. */
#include "cli/translate.h"

#include "base/hash.h"
#include "data/lines.h"
#include "data/output.h"
#include "data/translation_json.h"
#include "ranks/part_file.h"

#include <stdlib.h>

#define SHOWN_NOTES 10

/* What is written, as the state of a part file has it. */
typedef struct {
    int64_t texts, lines, notes;
} amount;
#define N_NUMBERS 3
_Static_assert(sizeof(amount) == N_NUMBERS * sizeof(int64_t), "they are all of it");

struct ramus_translate_output {
    const ramus_translate_settings *s;
    const ramus_options *o;
    ramus_output *file;
    ramus_part_file *part; // in place of `file`
    ramus_buffer packed;   // for it
    amount written;
};

/* Opens the output that survives kills, and resumes it. */
static ramus_status open_part(ramus_translate_output *w, uint64_t key, ramus_error *err)
{
    const ramus_translate_settings *s = w->s;
    ramus_part_key keys[] = {
        {"another model", 0}, {"another input", 0}, {"other settings", key}, {NULL, 0}};
    ramus_status st = ramus_hash_file(&keys[0].value, s->model.model, err);
    for (int i = 0; i < s->inputs.n && !st; i++)
        st = ramus_hash_file(&keys[1].value, s->inputs.items[i], err);
    return st ? st
              : ramus_part_file_open(&w->part, s->output, keys, &w->written.texts, N_NUMBERS, err);
}

ramus_status ramus_translate_output_open(ramus_translate_output **out,
                                         const ramus_translate_settings *s, const ramus_options *o,
                                         uint64_t key, int64_t *texts, int64_t *lines,
                                         ramus_error *err)
{
    ramus_translate_output *w = calloc(1, sizeof *w);
    if (!w) return ramus_fail_memory(err, "the output");
    w->s = s;
    w->o = o;
    const ramus_status st =
        s->resume ? open_part(w, key, err) : ramus_output_open(&w->file, s->output, err);
    *texts = w->written.texts;
    *lines = w->written.lines;
    if (st)
        ramus_translate_output_close(w);
    else
        *out = w;
    return st;
}

void ramus_translate_output_close(ramus_translate_output *w)
{
    if (!w) return;
    ramus_output_close(w->file);
    ramus_part_file_close(w->part);
    ramus_buffer_free(&w->packed);
    free(w);
}

static void tell_notes(ramus_translate_output *w, unsigned bits, int64_t number)
{
    for (unsigned bit = 1; bit; bit <<= 1) {
        const char *sentence = ramus_note_sentence(bits & bit);
        if (sentence && w->written.notes++ < SHOWN_NOTES)
            ramus_command_note(w->o, "%s %lld %s", w->s->how.document ? "paragraph" : "line",
                               (long long)number + 1, sentence);
    }
}

ramus_status ramus_translate_output_write(ramus_translate_output *w, const ramus_parcel *result,
                                          int64_t *texts, ramus_error *err)
{
    const ramus_chunk_head *head = (const ramus_chunk_head *)(const void *)result->head.data;
    const unsigned *bits = (const unsigned *)(const void *)(head + 1);
    const ramus_buffer *text = &result->body;
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < head->n; i++)
        tell_notes(w, bits[i], head->first + i);
    w->written.texts += head->n;
    w->written.lines += head->lines;
    *texts = w->written.texts;
    if (!w->part) {
        st = ramus_output_write(w->file, text->data, text->size, err);
        return st ? st : ramus_output_flush(w->file, err);
    }
    ramus_buffer_clear(&w->packed);
    st = ramus_lines_pack(&w->packed, w->s->output, text->data, text->size, err);
    if (st) return st;
    return ramus_part_file_add(w->part, w->packed.data, w->packed.size, &w->written.texts, err);
}

ramus_status ramus_translate_output_finish(ramus_translate_output *w, ramus_error *err)
{
    if (w->written.notes > SHOWN_NOTES)
        ramus_command_note(w->o, "and %lld more notes of this kind",
                           (long long)w->written.notes - SHOWN_NOTES);
    if (w->part) return ramus_part_file_finish(w->part, &w->written.texts, err);
    return ramus_output_commit(w->file, err);
}
