/* Answers about pieces, and ids or pieces back to text: spaces restored, byte pieces joined to
 * characters, the dummy prefix dropped. */
#include "text/vocab.h"

#include "base/map.h"
#include "base/utf8.h"
#include "text/segment.h"

#include <stdlib.h>
#include <string.h>

ramus_status ramus_vocab_load(ramus_vocab **out, const char *path, ramus_error *err)
{
    ramus_file file = {0};
    ramus_status st = ramus_file_map(&file, path, err);
    if (st) return st;
    st = ramus_vocab_parse(out, file.data, file.size, err);
    if (st) (void)ramus_fail_in(err, st, path);
    ramus_file_unmap(&file);
    return st;
}

void ramus_vocab_destroy(ramus_vocab *v)
{
    if (!v) return;
    ramus_trie_free(&v->normal);
    ramus_trie_free(&v->special);
    ramus_trie_free(&v->user);
    ramus_normaliser_free(&v->normaliser);
    ramus_normaliser_free(&v->denormaliser);
    ramus_vocab_destroy(v->cuts);
    free(v->words);
    free(v->unk_surface);
    free(v->texts);
    free(v->pieces);
    free(v);
}

static bool same_bytes(const void *a, size_t a_size, const void *b, size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

static bool same_rules(const ramus_normaliser *a, const ramus_normaliser *b)
{
    return a->dummy_prefix == b->dummy_prefix && a->remove_extra_spaces == b->remove_extra_spaces &&
           a->escape_spaces == b->escape_spaces && a->space_as_suffix == b->space_as_suffix &&
           same_bytes(a->units, a->n_units * sizeof *a->units, b->units,
                      b->n_units * sizeof *b->units) &&
           same_bytes(a->replacements, a->replacements_size, b->replacements, b->replacements_size);
}

bool ramus_vocab_equal(const ramus_vocab *a, const ramus_vocab *b)
{
    if (a == b) return true;
    if (a->type != b->type || a->n_pieces != b->n_pieces || a->unk != b->unk || a->bos != b->bos ||
        a->eos != b->eos || a->pad != b->pad || a->byte_fallback != b->byte_fallback ||
        a->denormalises != b->denormalises || strcmp(a->unk_surface, b->unk_surface) != 0)
        return false;
    if (a->cuts ? !b->cuts || !ramus_vocab_equal(a->cuts, b->cuts) : b->cuts != NULL) return false;
    for (int i = 0; i < a->n_pieces; i++) {
        const ramus_piece *x = &a->pieces[i], *y = &b->pieces[i];
        if (x->kind != y->kind || x->score != y->score || strcmp(x->text, y->text) != 0)
            return false;
    }
    return same_rules(&a->normaliser, &b->normaliser) &&
           same_rules(&a->denormaliser, &b->denormaliser);
}

int ramus_vocab_count(const ramus_vocab *v)
{
    return v->n_pieces;
}

const char *ramus_vocab_type(const ramus_vocab *v)
{
    return v->type->name;
}

int ramus_vocab_unk(const ramus_vocab *v)
{
    return v->unk;
}

int ramus_vocab_bos(const ramus_vocab *v)
{
    return v->bos;
}

int ramus_vocab_eos(const ramus_vocab *v)
{
    return v->eos;
}

int ramus_vocab_pad(const ramus_vocab *v)
{
    return v->pad;
}

static const ramus_piece *piece_at(const ramus_vocab *v, int id)
{
    RAMUS_ASSERT(id >= 0 && id < v->n_pieces);
    return &v->pieces[id];
}

const char *ramus_vocab_piece(const ramus_vocab *v, int id)
{
    return piece_at(v, id)->text;
}

ramus_piece_kind ramus_vocab_kind(const ramus_vocab *v, int id)
{
    return (ramus_piece_kind)piece_at(v, id)->kind;
}

float ramus_vocab_score(const ramus_vocab *v, int id)
{
    return piece_at(v, id)->score;
}

int ramus_vocab_find(const ramus_vocab *v, const char *piece, size_t size)
{
    const int special = ramus_trie_find(&v->special, piece, size);
    return special >= 0 ? special : ramus_trie_find(&v->normal, piece, size);
}

int ramus_vocab_lookup(const ramus_vocab *v, const char *text, size_t size)
{
    const int id = ramus_vocab_find(v, text, size);
    return id >= 0 ? id : v->unk;
}

/* Text being put together. The first space is the dummy prefix and does not come out. */
typedef struct decoder {
    const ramus_vocab *vocab;
    ramus_buffer *out;
    size_t start;  // where this text begins in `out`
    bool at_start; // a leading space is still to be dropped
    bool dropped;  // the piece before this one has lost its leading space
    char bytes[8]; // a character of byte pieces that is not complete
    int n_bytes;
    int *next_end; // where the end of the next piece goes; NULL: not wanted
} decoder;

/* The next piece ends here. */
static void set_end(decoder *d)
{
    if (d->next_end) *d->next_end++ = (int)(d->out->size - d->start);
}

/* Writes what the byte pieces so far can be: characters, and U+FFFD for a byte that is in none.
 * Unless `all`, the start of a character waits for its other bytes. */
static void write_bytes(decoder *d, bool all)
{
    while (d->n_bytes > 0) {
        if (!all && d->n_bytes < 4) return;
        uint32_t code = 0;
        int n = ramus_utf8_decode(&code, d->bytes, (size_t)d->n_bytes);
        for (int i = 1; i < n; i++) // bytes before the last one have no text
            set_end(d);
        if (n > 0)
            ramus_buffer_add(d->out, d->bytes, (size_t)n);
        else
            ramus_buffer_text(d->out, "\xEF\xBF\xBD");
        set_end(d);
        if (n == 0) n = 1;
        d->n_bytes -= n;
        memmove(d->bytes, d->bytes + n, (size_t)d->n_bytes);
    }
}

static void add_byte(decoder *d, int byte)
{
    d->bytes[d->n_bytes++] = (char)byte;
    write_bytes(d, false);
}

static void add_visible(decoder *d, const char *text, size_t size)
{
    const ramus_normaliser *n = &d->vocab->normaliser;
    d->dropped = false;
    if (d->at_start && (n->dummy_prefix || n->remove_extra_spaces) && size >= RAMUS_SPACE_SIZE &&
        memcmp(text, RAMUS_SPACE_SYMBOL, RAMUS_SPACE_SIZE) == 0) {
        text += RAMUS_SPACE_SIZE;
        size -= RAMUS_SPACE_SIZE;
        d->dropped = !n->remove_extra_spaces; // else all leading spaces go
    }
    const char *end = text + size;
    while (text < end) {
        const char *space = text;
        while (space < end && (end - space < RAMUS_SPACE_SIZE ||
                               memcmp(space, RAMUS_SPACE_SYMBOL, RAMUS_SPACE_SIZE) != 0))
            space++;
        ramus_buffer_add(d->out, text, (size_t)(space - text));
        if (space < end) {
            ramus_buffer_add(d->out, " ", 1);
            space += RAMUS_SPACE_SIZE;
        }
        text = space;
    }
}

/* Adds a piece that is no byte: `kind` is what its text names, `known` whether the vocabulary has
 * it. */
static void add_text(decoder *d, const char *text, size_t size, int kind, bool known)
{
    write_bytes(d, true);
    if (d->dropped || d->out->size > d->start) d->at_start = false;
    d->dropped = false;
    if (kind == RAMUS_PIECE_CONTROL) return;
    if (kind != RAMUS_PIECE_UNKNOWN)
        add_visible(d, text, size);
    else if (known)
        ramus_buffer_text(d->out, d->vocab->unk_surface);
    else
        ramus_buffer_add(d->out, text, size);
}

static void add_piece(decoder *d, const char *text, size_t size, int kind, bool known)
{
    if (kind == RAMUS_PIECE_BYTE) {
        unsigned byte = 0;
        for (int i = 3; i < 5; i++)
            byte = byte * 16 + (unsigned)(text[i] <= '9' ? text[i] - '0' : text[i] - 'A' + 10);
        add_byte(d, (int)byte);
        return;
    }
    add_text(d, text, size, kind, known);
    set_end(d);
}

/* Replaces the text by its denormalised form, and the n ends, NULL or in it, by those there. */
static ramus_status denormalise(decoder *d, int *ends, int n, ramus_error *err)
{
    ramus_buffer plain = {0};
    ramus_ids origins = {0};
    const ramus_status st =
        ramus_normaliser_run(&d->vocab->denormaliser, d->out->data ? d->out->data + d->start : "",
                             d->out->size - d->start, &plain, ends ? &origins : NULL, err);
    if (!st) {
        d->out->size = d->start;
        ramus_buffer_add(d->out, plain.data, plain.size);
        size_t end = 0; // what was made of the text before an end stands before it
        for (int i = 0; ends && i < n; i++) {
            while (end < plain.size && origins.data[end] < ends[i])
                end++;
            ends[i] = (int)end;
        }
    }
    ramus_ids_free(&origins);
    ramus_buffer_free(&plain);
    return st;
}

/* Words of a piece table: spaces go from both ends. */
static void strip(const decoder *d, int *ends, int n)
{
    ramus_buffer *out = d->out;
    if (out->size == d->start || out->failed) return;
    char *text = out->data + d->start;
    size_t size = out->size - d->start, spaces = 0;
    while (size && text[size - 1] == ' ')
        size--;
    while (spaces < size && text[spaces] == ' ')
        spaces++;
    size -= spaces;
    memmove(text, text + spaces, size);
    text[size] = '\0';
    out->size = d->start + size;
    for (int i = 0; ends && i < n; i++) {
        const size_t end = (size_t)ends[i] < spaces ? 0 : (size_t)ends[i] - spaces;
        ends[i] = (int)(end < size ? end : size);
    }
}

static ramus_status finish(decoder *d, int *ends, int n, ramus_error *err)
{
    write_bytes(d, true);
    if (d->vocab->cuts) strip(d, ends, n);
    if (d->vocab->denormalises && !d->out->failed) {
        const ramus_status st = denormalise(d, ends, n, err);
        if (st) return st;
    }
    return ramus_buffer_check(d->out, err);
}

ramus_status ramus_vocab_decode_ends(const ramus_vocab *v, const int *ids, int n, ramus_buffer *out,
                                     ramus_ids *ends, ramus_error *err)
{
    for (int i = 0; i < n; i++)
        if (ids[i] < 0 || ids[i] >= v->n_pieces)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT, "id %d in a vocabulary of %d pieces", ids[i],
                              v->n_pieces);
    ramus_status st = ends ? ramus_ids_reserve(ends, (size_t)n, err) : RAMUS_OK;
    if (st) return st;
    int *first_end = ends && n > 0 ? ends->data + ends->n : NULL;
    decoder d = {
        .vocab = v, .out = out, .start = out->size, .at_start = true, .next_end = first_end};
    for (int i = 0; i < n; i++) {
        const ramus_piece *p = &v->pieces[ids[i]];
        add_piece(&d, p->text, (size_t)p->size, p->text_kind, true);
    }
    st = finish(&d, first_end, n, err);
    if (!st && ends) ends->n += n;
    return st;
}

ramus_status ramus_vocab_decode(const ramus_vocab *v, const int *ids, int n, ramus_buffer *out,
                                ramus_error *err)
{
    return ramus_vocab_decode_ends(v, ids, n, out, NULL, err);
}

ramus_status ramus_vocab_decode_pieces(const ramus_vocab *v, const char *pieces, size_t size,
                                       ramus_buffer *out, ramus_error *err)
{
    decoder d = {.vocab = v, .out = out, .start = out->size, .at_start = true};
    for (size_t at = 0; at < size;) {
        const char *piece = pieces + at, *space = memchr(piece, ' ', size - at);
        const size_t length = space ? (size_t)(space - piece) : size - at;
        const int id = ramus_vocab_find(v, piece, length);
        add_piece(&d, piece, length, id >= 0 ? v->pieces[id].kind : RAMUS_PIECE_UNKNOWN, id >= 0);
        at += length + 1;
    }
    return finish(&d, NULL, 0, err);
}
