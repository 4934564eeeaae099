/* Reads a SentencePiece .model: the messages of sentencepiece_model.proto, and the checks that
 * SentencePiece itself makes on them. */
#include "text/proto.h"
#include "text/segment.h"

#include "base/list.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A string of the file. */
typedef struct text {
    const unsigned char *data;
    size_t size;
    bool given;
} text;

typedef struct normaliser_spec {
    text charsmap;
    bool dummy_prefix, remove_extra_spaces, escape_spaces;
} normaliser_spec;

typedef struct spec {
    int type; // index into types[]
    bool byte_fallback, space_as_suffix;
    text unk, bos, eos, pad, unk_surface;
    text table; // of pieces
    normaliser_spec normaliser, denormaliser;
} spec;

static const ramus_vocab_type_row types[] = {
    {"unigram", ramus_unigram_segment, ramus_unigram_sample}, // model_type 1
    {"bpe", ramus_bpe_segment, ramus_bpe_sample},
    {"word", ramus_word_segment, NULL},
    {"char", ramus_char_segment, NULL},
};

static ramus_status fail_wire(ramus_error *err, const ramus_proto *p, const unsigned char *data)
{
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "not a SentencePiece model: no valid field at byte %zu",
                      (size_t)(p->at - data));
}

static ramus_proto message_of(const ramus_proto_field *f)
{
    return (ramus_proto){f->data, f->data + f->size, false};
}

static void set_text(text *out, const ramus_proto_field *f)
{
    if (f->wire == RAMUS_PROTO_BYTES) *out = (text){f->data, f->size, true};
}

static void set_bool(bool *out, const ramus_proto_field *f)
{
    if (f->wire == RAMUS_PROTO_VARINT) *out = f->number != 0;
}

static void read_trainer_spec(ramus_proto *p, spec *s)
{
    ramus_proto_field f;
    while (ramus_proto_next(p, &f)) {
        switch (f.id) {
        case 3: // an enum value that is not known counts as not given
            if (f.wire == RAMUS_PROTO_VARINT && f.number >= 1 &&
                f.number <= (uint64_t)RAMUS_COUNT(types))
                s->type = (int)f.number - 1;
            break;
        case 24:
            set_bool(&s->space_as_suffix, &f);
            break;
        case 35:
            set_bool(&s->byte_fallback, &f);
            break;
        case 44:
            set_text(&s->unk_surface, &f);
            break;
        case 45:
            set_text(&s->unk, &f);
            break;
        case 46:
            set_text(&s->bos, &f);
            break;
        case 47:
            set_text(&s->eos, &f);
            break;
        case 48:
            set_text(&s->pad, &f);
            break;
        default:
            break;
        }
    }
}

static void read_normaliser_spec(ramus_proto *p, normaliser_spec *s)
{
    ramus_proto_field f;
    while (ramus_proto_next(p, &f)) {
        if (f.id == 2) set_text(&s->charsmap, &f);
        if (f.id == 3) set_bool(&s->dummy_prefix, &f);
        if (f.id == 4) set_bool(&s->remove_extra_spaces, &f);
        if (f.id == 5) set_bool(&s->escape_spaces, &f);
    }
}

/* Reads the message that nearly all pieces are: a text of less than 128 bytes, and a score. */
static bool read_usual_piece(const ramus_proto *p, text *piece, float *score)
{
    enum { TEXT = 1 << 3 | RAMUS_PROTO_BYTES, SCORE = 2 << 3 | RAMUS_PROTO_FIXED32 };
    const unsigned char *at = p->at;
    const size_t size = (size_t)(p->end - at);
    if (size < 7 || at[0] != TEXT || at[1] != size - 7 || at[size - 5] != SCORE || at[1] >= 0x80)
        return false;
    const ramus_proto_field f = {.number = ramus_proto_bits(at + size - 4)};
    *piece = (text){at + 2, at[1], true};
    *score = ramus_proto_float(&f);
    return true;
}

/* Reads piece `id` and puts its text at `to`. */
static ramus_status read_piece(ramus_proto *p, int id, ramus_piece *out, char *to, ramus_error *err)
{
    text piece = {0};
    float score = 0;
    int kind = RAMUS_PIECE_NORMAL;
    ramus_proto_field f;
    const bool usual = read_usual_piece(p, &piece, &score);
    while (!usual && ramus_proto_next(p, &f)) {
        if (f.id == 1) set_text(&piece, &f);
        if (f.id == 2 && f.wire == RAMUS_PROTO_FIXED32) score = ramus_proto_float(&f);
        if (f.id == 3 && f.wire == RAMUS_PROTO_VARINT && f.number >= 1 && f.number <= 6)
            kind = (int)f.number;
    }
    if (p->failed) return ramus_fail(err, RAMUS_BAD_FORMAT, "piece %d is not a message", id);
    if (piece.size == 0) return ramus_fail(err, RAMUS_BAD_FORMAT, "piece %d is empty", id);
    if (piece.size >= RAMUS_PIECE_MOST)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "piece %d has %zu bytes, less than %d expected",
                          id, piece.size, RAMUS_PIECE_MOST);
    if (!isfinite(score))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "the score of piece %d is not a finite number",
                          id);
    memcpy(to, piece.data, piece.size);
    to[piece.size] = '\0';
    *out = (ramus_piece){to, score, (int16_t)piece.size, (uint8_t)kind, (uint8_t)kind};
    return RAMUS_OK;
}

/* Texts have no zero byte but the one behind each: all of them are counted at once. */
static ramus_status check_zeros(const ramus_vocab *v, size_t size, ramus_error *err)
{
    enum { BLOCK = 128 }; // so few fit into a byte, which is what vectors count fastest
    size_t zeros = 0;
    for (size_t at = 0; at < size; at += BLOCK) {
        uint8_t here = 0;
        for (size_t i = at; i < at + BLOCK && i < size; i++)
            here = (uint8_t)(here + (v->texts[i] == 0));
        zeros += here;
    }
    if (zeros == (size_t)v->n_pieces) return RAMUS_OK;
    int id = 0;
    while (strlen(v->pieces[id].text) == (size_t)v->pieces[id].size)
        id++;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "piece %d contains a zero byte", id);
}

/* Reads the pieces and the settings. A message is longer than its text and a zero, so all texts fit
 * into as many bytes as the file has. */
static ramus_status read_model(ramus_vocab *v, const unsigned char *data, size_t size, spec *s,
                               ramus_error *err)
{
    ramus_proto p = {data, data + size, false};
    ramus_proto_field f;
    char *to = v->texts;
    size_t room = 0;
    while (ramus_proto_next(&p, &f)) {
        if (f.wire != RAMUS_PROTO_BYTES) continue;
        ramus_proto inner = message_of(&f);
        if (f.id == 1) {
            const size_t id = (size_t)v->n_pieces;
            if (id == INT_MAX / 32)
                return ramus_fail(err, RAMUS_BAD_FORMAT, "more than %d pieces", INT_MAX / 32);
            ramus_status st = RAMUS_OK;
            if (id == room) st = RAMUS_LIST_RESERVE(v->pieces, room, id + 1, "a vocabulary", err);
            if (!st) st = read_piece(&inner, (int)id, &v->pieces[id], to, err);
            if (st) return st;
            to += v->pieces[id].size + 1;
            v->n_pieces++;
        }
        if (f.id == RAMUS_PIECE_TABLE_FIELD) set_text(&s->table, &f);
        if (f.id == 2) read_trainer_spec(&inner, s);
        if (f.id == 3) read_normaliser_spec(&inner, &s->normaliser);
        if (f.id == 5) read_normaliser_spec(&inner, &s->denormaliser);
        if (inner.failed) return fail_wire(err, &inner, data);
    }
    return p.failed ? fail_wire(err, &p, data) : check_zeros(v, (size_t)(to - v->texts), err);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte of "<0x41>", or -1. */
static int byte_of_piece(const ramus_piece *p)
{
    if (p->size != 6 || memcmp(p->text, "<0x", 3) != 0 || p->text[5] != '>') return -1;
    const int high = hex_digit(p->text[3]), low = hex_digit(p->text[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static bool is_normal(const ramus_piece *p)
{
    return p->kind == RAMUS_PIECE_NORMAL || p->kind == RAMUS_PIECE_USER ||
           p->kind == RAMUS_PIECE_UNUSED;
}

/* Looks at every piece once: the unknown one, bytes, scores, and what is there at all. */
static ramus_status survey_pieces(ramus_vocab *v, ramus_error *err)
{
    int n_bytes = 0, n_normal = 0;
    v->unk = -1;
    v->least_score = FLT_MAX;
    v->most_score = FLT_MIN; // as in SentencePiece: the scores are logarithms, below zero
    for (int i = 0; i < v->n_pieces; i++) {
        const ramus_piece *p = &v->pieces[i];
        if (is_normal(p)) n_normal++;
        if (p->kind == RAMUS_PIECE_NORMAL) {
            if (p->score < v->least_score) v->least_score = p->score;
            if (p->score > v->most_score) v->most_score = p->score;
            continue;
        }
        if (p->kind == RAMUS_PIECE_USER) v->has_user = true;
        if (p->kind == RAMUS_PIECE_UNUSED) v->has_unused = true;
        if (p->kind == RAMUS_PIECE_UNKNOWN) {
            if (v->unk >= 0)
                return ramus_fail(err, RAMUS_BAD_FORMAT,
                                  "pieces %d and %d are both of kind unknown", v->unk, i);
            v->unk = i;
        }
        if (p->kind == RAMUS_PIECE_BYTE) {
            const int byte = byte_of_piece(p);
            if (byte < 0)
                return ramus_fail(err, RAMUS_BAD_FORMAT, "byte piece %d is not <0x00> to <0xFF>",
                                  i);
            if (!v->byte_fallback)
                return ramus_fail(err, RAMUS_BAD_FORMAT, "byte piece %d without byte fallback", i);
            v->byte_ids[byte] = i;
            n_bytes++;
        }
    }
    if (v->unk < 0) return ramus_fail(err, RAMUS_BAD_FORMAT, "no piece of kind unknown");
    if (v->byte_fallback && n_bytes != 256)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "byte fallback with %d byte pieces, 256 expected",
                          n_bytes);
    if (v->type == &types[0] && n_normal == 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "a unigram vocabulary of special pieces only");
    return RAMUS_OK;
}

/* Special pieces have an index of their own: they hide normal ones of the same text. */
ramus_status ramus_vocab_index(ramus_vocab *v, ramus_error *err)
{
    ramus_trie_entry *entries = malloc(((size_t)v->n_pieces + 1) * sizeof *entries);
    if (!entries) return ramus_fail_memory(err, "the index of pieces");
    int n = 0, special = v->n_pieces; // normal pieces from the front, special ones from the back
    for (int i = 0; i < v->n_pieces; i++) {
        const ramus_piece *p = &v->pieces[i];
        if (p->size == 0) continue;
        entries[is_normal(p) ? n++ : --special] = (ramus_trie_entry){p->text, p->size, i, NULL};
    }
    ramus_status st = ramus_trie_build(&v->normal, entries, n, err);
    if (!st) st = ramus_trie_build(&v->special, entries + special, v->n_pieces - special, err);
    n = 0;
    for (int i = 0; v->has_user && i < v->n_pieces; i++) {
        const ramus_piece *p = &v->pieces[i];
        if (p->kind == RAMUS_PIECE_USER)
            entries[n++] = (ramus_trie_entry){p->text, p->size, i, NULL};
    }
    if (!st && v->has_user) st = ramus_trie_build(&v->user, entries, n, err);
    free(entries);
    return st;
}

/* Whether a space symbol stands anywhere but at the start (as a suffix: at the end) of a piece. */
static bool reaches_over_words(const ramus_piece *p, bool space_as_suffix)
{
    const char *at = p->text + (space_as_suffix ? 0 : 1);
    const char *last = p->text + p->size - RAMUS_SPACE_SIZE - (space_as_suffix ? 1 : 0);
    for (; at <= last; at++)
        if (*at == RAMUS_SPACE_SYMBOL[0] && memcmp(at, RAMUS_SPACE_SYMBOL, RAMUS_SPACE_SIZE) == 0)
            return true;
    return false;
}

static void relate_pieces(ramus_vocab *v, bool space_as_suffix)
{
    v->words_separate = true;
    for (int i = 0; i < v->n_pieces; i++) {
        const ramus_piece *p = &v->pieces[i];
        const int hidden =
            is_normal(p) ? -1 : ramus_trie_find(&v->normal, p->text, (size_t)p->size);
        if (hidden >= 0) v->pieces[hidden].text_kind = p->kind;
        if (is_normal(p) && v->words_separate)
            v->words_separate = !reaches_over_words(p, space_as_suffix);
    }
}

/* The id of a control piece by its name in the file, or else its usual name; -1 without one. */
static int find_control(const ramus_vocab *v, text name, const char *usual)
{
    const char *piece = name.size > 0 ? (const char *)name.data : usual;
    const size_t size = name.size > 0 ? name.size : strlen(usual);
    const int id = ramus_vocab_lookup(v, piece, size);
    return v->pieces[id].kind == RAMUS_PIECE_CONTROL ? id : -1;
}

static ramus_status set_normaliser(ramus_normaliser *n, const normaliser_spec *s, ramus_error *err)
{
    n->dummy_prefix = s->dummy_prefix;
    n->remove_extra_spaces = s->remove_extra_spaces;
    n->escape_spaces = s->escape_spaces;
    if (s->charsmap.size > 0) {
        const ramus_status st =
            ramus_normaliser_set_rules(n, s->charsmap.data, s->charsmap.size, err);
        if (st) return st;
    }
    ramus_normaliser_prepare(n);
    return RAMUS_OK;
}

static ramus_status set_texts(ramus_vocab *v, const spec *s, ramus_error *err)
{
    static const char usual[] = " \xE2\x81\x87 "; // U+2047, what <unk> looks like in text
    const char *surface = s->unk_surface.given ? (const char *)s->unk_surface.data : usual;
    size_t size = s->unk_surface.given ? s->unk_surface.size : sizeof usual - 1;
    if (memchr(surface, 0, size)) size = strlen(surface);
    v->unk_surface = malloc(size + 1);
    if (!v->unk_surface) return ramus_fail_memory(err, "a vocabulary");
    memcpy(v->unk_surface, surface, size);
    v->unk_surface[size] = '\0';

    v->bos = find_control(v, s->bos, "<s>");
    v->eos = find_control(v, s->eos, "</s>");
    v->pad = find_control(v, s->pad, "<pad>");
    if (v->has_user) v->normaliser.kept = &v->user;
    v->normaliser.space_as_suffix = s->space_as_suffix;
    ramus_status st = set_normaliser(&v->normaliser, &s->normaliser, err);
    if (st) return st;
    v->denormalises = s->denormaliser.charsmap.size > 0;
    return v->denormalises ? set_normaliser(&v->denormaliser, &s->denormaliser, err) : RAMUS_OK;
}

static ramus_status fill_vocab(ramus_vocab *v, const unsigned char *data, size_t size, text *table,
                               ramus_error *err)
{
    const normaliser_spec usual = {{0}, true, true, true};
    spec s = {.normaliser = usual, .denormaliser = usual};

    v->texts = malloc(size);
    if (!v->texts) return ramus_fail_memory(err, "a vocabulary");
    ramus_status st = read_model(v, data, size, &s, err);
    if (st) return st;
    *table = s.table;
    v->type = &types[s.type];
    v->byte_fallback = s.byte_fallback;
    st = survey_pieces(v, err);
    if (st) return st;
    st = ramus_vocab_index(v, err);
    if (st) return st;
    relate_pieces(v, s.space_as_suffix);
    return set_texts(v, &s, err);
}

ramus_status ramus_vocab_parse(ramus_vocab **out, const void *data, size_t size, ramus_error *err)
{
    if (size == 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "empty: no SentencePiece model has 0 bytes");
    ramus_vocab *v = calloc(1, sizeof *v);
    text table = {0};
    if (!v) return ramus_fail_memory(err, "a vocabulary");
    ramus_status st = fill_vocab(v, data, size, &table, err);
    if (!st && table.given) {
        ramus_vocab *words = calloc(1, sizeof *words);
        if (words) {
            words->cuts = v;
            v = words;
            st = ramus_piece_table_read(v, table.data, table.size, err);
        } else {
            st = ramus_fail_memory(err, "a vocabulary");
        }
    }
    if (st)
        ramus_vocab_destroy(v);
    else
        *out = v;
    return st;
}
