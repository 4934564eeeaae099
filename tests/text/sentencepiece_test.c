/* Vocabularies and tokenizers against SentencePiece itself: golden/text/make.py asked it for every
 * expected id and text. */
#include "base/map.h"
#include "text/tokenizer.h"

#include "check.h"

#define LONG    2000 // bytes, as in make.py
#define REFUSED (1u << 28)

static const char *const models[] = {"unigram-8k",  "bpe-4k",    "zh-4k",      "symbols",
                                     "bpe-symbols", "suffix",    "bpe-suffix", "identity",
                                     "bpe-spaces",  "word",      "char",       "unused",
                                     "bpe-unused",  "unescaped", "tied",       "bpe-tied"};

typedef struct text {
    char *data;
    size_t size;
    bool adversarial;
} text;

static text texts[4000];
static int n_texts;

static const char *golden_path(const char *name, const char *ending)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, GOLDEN "/text/%s%s", name, ending);
    return path;
}

static ramus_file map_golden(const char *name, const char *ending)
{
    ramus_error err = {0};
    ramus_file file = {0};
    REQUIRE_OK(ramus_file_map(&file, golden_path(name, ending), &err), err);
    return file;
}

static int hex(unsigned char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* "@N text" is N times text, \xNN a byte, \\ a backslash. */
static text read_escaped(const unsigned char *line, size_t size)
{
    size_t times = 1, n = 0;
    if (size > 1 && line[0] == '@' && line[1] >= '0' && line[1] <= '9') {
        char *rest = NULL;
        times = strtoul((const char *)line + 1, &rest, 10);
        size -= (size_t)(rest + 1 - (const char *)line);
        line = (const unsigned char *)rest + 1;
    }
    char *out = malloc(times * size + 1);
    for (size_t i = 0; i < size; n++) {
        const bool byte = line[i] == '\\' && line[i + 1] == 'x';
        out[n] = byte ? (char)(hex(line[i + 2]) * 16 + hex(line[i + 3])) : (char)line[i];
        i += byte ? 4 : line[i] == '\\' ? 2 : 1;
    }
    for (size_t i = n; i < times * n; i++)
        out[i] = out[i - n];
    return (text){out, times * n, true};
}

static void read_lines(const char *name, bool adversarial)
{
    ramus_file file = map_golden(name, ".txt");
    for (size_t start = 0; start < file.size;) {
        const unsigned char *line = file.data + start;
        const size_t size = (size_t)((unsigned char *)memchr(line, '\n', file.size - start) - line);
        if (adversarial) {
            texts[n_texts++] = read_escaped(line, size);
        } else {
            texts[n_texts] = (text){malloc(size + 1), size, false};
            memcpy(texts[n_texts++].data, line, size);
        }
        start += size + 1;
    }
    ramus_file_unmap(&file);
}

static void read_texts(void)
{
    if (n_texts > 0) return;
    read_lines("adversarial", true);
    read_lines("sample.en-de", false);
    read_lines("sample.zh-en", false);
}

static uint32_t next_number(const unsigned char **at)
{
    uint32_t value = 0;
    for (int shift = 0;; shift += 7) {
        value |= (uint32_t)(**at & 0x7F) << shift;
        if (*(*at)++ < 0x80) return value;
    }
}

static uint64_t next_fnv(const unsigned char **at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t) * (*at)++ << 8 * i;
    return value;
}

static uint64_t fnv(uint64_t value, unsigned char byte)
{
    return (value ^ byte) * 0x100000001B3u;
}

#define FNV_START 0xCBF29CE484222325u

static uint64_t fnv_of_ids(const ramus_ids *ids)
{
    uint64_t value = FNV_START;
    for (int i = 0; i < ids->n; i++) {
        uint32_t id = (uint32_t)ids->data[i];
        for (; id >= 0x80; id >>= 7)
            value = fnv(value, (unsigned char)(id | 0x80));
        value = fnv(value, (unsigned char)id);
    }
    return value;
}

static uint64_t fnv_of_text(const ramus_buffer *b)
{
    uint64_t value = FNV_START;
    for (size_t i = 0; i < b->size; i++)
        value = fnv(value, (unsigned char)b->data[i]);
    return value;
}

/* A vocabulary with what it takes to use it. */
typedef struct setup {
    const char *name;
    ramus_vocab *vocab;
    ramus_tokenizer *tok;
    ramus_ids ids;
    ramus_buffer out;
} setup;

static setup open_model(const char *name)
{
    ramus_error err = {0};
    setup s = {.name = name};
    REQUIRE_OK(ramus_vocab_load(&s.vocab, golden_path(name, ".model"), &err), err);
    REQUIRE_OK(ramus_tokenizer_create(&s.tok, s.vocab, &err), err);
    return s;
}

static void close_model(setup *s)
{
    ramus_buffer_free(&s->out);
    ramus_ids_free(&s->ids);
    ramus_tokenizer_destroy(s->tok);
    ramus_vocab_destroy(s->vocab);
}

static void encode(setup *s, const char *data, size_t size)
{
    ramus_error err = {0};
    s->ids.n = 0;
    REQUIRE_OK(ramus_tokenizer_encode(s->tok, data, size, &s->ids, &err), err);
}

static void decode(setup *s)
{
    ramus_error err = {0};
    ramus_buffer_clear(&s->out);
    REQUIRE_OK(ramus_vocab_decode(s->vocab, s->ids.data, s->ids.n, &s->out, &err), err);
}

static bool ids_equal(const ramus_ids *ids, uint32_t n, const unsigned char **at)
{
    bool equal = (uint32_t)ids->n == n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t want = next_number(at);
        equal = equal && (uint32_t)ids->data[i] == want;
    }
    return equal;
}

static bool text_equals(const ramus_buffer *out, const void *want, size_t size)
{
    return out->size == size && (size == 0 || memcmp(out->data, want, size) == 0);
}

static void check_text(setup *s, int i, const unsigned char **at)
{
    const text *t = &texts[i];
    encode(s, t->data, t->size);
    const uint32_t n = next_number(at);
    if (n == REFUSED) {
        for (int k = 0; k < s->ids.n; k++)
            EXPECT(ramus_vocab_kind(s->vocab, s->ids.data[k]) != RAMUS_PIECE_CONTROL,
                   "%s, text %d: a control piece from text", s->name, i);
        return;
    }
    bool ids = false, back = false;
    decode(s);
    if (t->size >= LONG) {
        ids = (uint32_t)s->ids.n == n && fnv_of_ids(&s->ids) == next_fnv(at);
        const uint32_t size = next_number(at) - 1;
        back = s->out.size == size && fnv_of_text(&s->out) == next_fnv(at);
    } else {
        ids = ids_equal(&s->ids, n, at);
        const uint32_t size = next_number(at);
        back = size == 0 ? text_equals(&s->out, t->data, t->size)
                         : text_equals(&s->out, *at, size - 1);
        if (size > 0) *at += size - 1;
    }
    EXPECT(ids, "%s, text %d (%.60s): %d ids, %u expected", s->name, i, t->data, s->ids.n, n);
    EXPECT(back, "%s, text %d (%.60s): decodes to %.60s", s->name, i, t->data,
           s->out.data ? s->out.data : "");
}

static void check_pieces(setup *s, int i, const unsigned char **at)
{
    ramus_error err = {0};
    const uint32_t size = next_number(at);
    if (size == REFUSED) return;
    ramus_buffer_clear(&s->out);
    REQUIRE_OK(ramus_tokenizer_encode_pieces(s->tok, texts[i].data, texts[i].size, &s->out, &err),
               err);
    EXPECT(text_equals(&s->out, *at, size), "%s, text %d: pieces %.*s, expected %.*s", s->name, i,
           (int)s->out.size, s->out.data ? s->out.data : "", (int)size, (const char *)*at);
    *at += size;
}

static void check_drawn_ids(setup *s, const unsigned char **at)
{
    const uint32_t n = next_number(at);
    int ids[64];
    for (uint32_t i = 0; i < n; i++)
        ids[i] = (int)next_number(at);
    const uint32_t size = next_number(at);
    ramus_error err = {0};
    ramus_buffer_clear(&s->out);
    REQUIRE_OK(ramus_vocab_decode(s->vocab, ids, (int)n, &s->out, &err), err);
    EXPECT(text_equals(&s->out, *at, size), "%s: %u drawn ids decode to %.*s, expected %.*s",
           s->name, n, (int)s->out.size, s->out.data ? s->out.data : "", (int)size,
           (const char *)*at);
    *at += size;
}

static void equals_sentencepiece_on_every_golden_text(void)
{
    read_texts();
    for (int m = 0; m < (int)(sizeof models / sizeof *models); m++) {
        setup s = open_model(models[m]);
        ramus_file expected = map_golden(models[m], ".expected");
        const unsigned char *at = expected.data;
        for (int i = 0; i < n_texts; i++)
            check_text(&s, i, &at);
        for (int i = 0; i < n_texts; i++)
            if (texts[i].adversarial && texts[i].size < LONG) check_pieces(&s, i, &at);
        const uint32_t n_drawn = next_number(&at);
        for (uint32_t i = 0; i < n_drawn; i++)
            check_drawn_ids(&s, &at);
        EXPECT(at == expected.data + expected.size, "%s: all of the file was used", models[m]);
        ramus_file_unmap(&expected);
        close_model(&s);
    }
}

CHECK_MAIN({"equals_sentencepiece_on_every_golden_text", equals_sentencepiece_on_every_golden_text})
