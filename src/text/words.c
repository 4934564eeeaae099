/* The two simple types of vocabulary: every word is a piece, or every character. */
#include "text/segment.h"

#include <string.h>

static void add_segment(ramus_tokenizer *t, int start, int end)
{
    const ramus_vocab *v = t->vocab;
    int id = ramus_vocab_lookup(v, t->text.data + start, (size_t)(end - start));
    if (v->pieces[id].kind == RAMUS_PIECE_CONTROL) id = v->unk; // never from text
    t->segments[t->n_segments++] = (ramus_segment){id, end};
}

static ramus_status reserve_segments(ramus_tokenizer *t, ramus_error *err)
{
    t->segments =
        ramus_scratch_reserve(&t->segment_memory, (size_t)t->text_size, sizeof *t->segments);
    t->n_segments = 0;
    return t->segments ? RAMUS_OK : ramus_fail_memory(err, "segments");
}

static bool is_space(const char *text, int size)
{
    return size >= RAMUS_SPACE_SIZE && memcmp(text, RAMUS_SPACE_SYMBOL, RAMUS_SPACE_SIZE) == 0;
}

ramus_status ramus_word_segment(ramus_tokenizer *t, ramus_error *err)
{
    const char *text = t->text.data;
    const ramus_status st = reserve_segments(t, err);
    if (st) return st;
    int start = 0;
    for (int at = 0; at < t->text_size; at += ramus_lead_size((unsigned char)text[at])) {
        if (at == start || !is_space(text + at, t->text_size - at)) continue;
        add_segment(t, start, at);
        start = at;
    }
    add_segment(t, start, t->text_size);
    return RAMUS_OK;
}

ramus_status ramus_char_segment(ramus_tokenizer *t, ramus_error *err)
{
    const ramus_status st = reserve_segments(t, err);
    if (st) return st;
    for (int start = 0; start < t->text_size;) {
        bool user = false;
        const int size =
            ramus_vocab_symbol_size(t->vocab, t->text.data + start, t->text_size - start, &user);
        add_segment(t, start, start + size);
        start += size;
    }
    return RAMUS_OK;
}
