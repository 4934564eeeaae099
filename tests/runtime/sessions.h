/* sessions.h - small models with random weights and golden vocabularies, and what tests of sessions
 * share. */
#ifndef RAMUS_TESTS_RUNTIME_SESSIONS_H
#define RAMUS_TESTS_RUNTIME_SESSIONS_H

#include "base/map.h"
#include "base/rng.h"
#include "convert/quantize.h"
#include "model/transformer.h"
#include "runtime/model.h"
#include "text/sentences.h"
#include "text/tokenizer.h"

#include "check.h"

/* What a model of a test is made of. */
typedef struct model_spec {
    const char *routing;
    const char *source, *target; // golden vocabularies; target NULL: the same one
    bool int8;
    int heads;    // 0: 2
    bool symbols; // the vocabulary has U+E000 .. U+E00F as pieces of their own
} model_spec;

/* A message of pieces goes on where it ends: symbols are 16 user-defined pieces more. */
static inline ramus_vocab *vocab_load(const char *name, bool symbols)
{
    char path[1000];
    ramus_error err = {0};
    ramus_vocab *v = NULL;
    ramus_file file = {0};
    ramus_buffer bytes = {0};
    (void)snprintf(path, sizeof path, GOLDEN "/text/%s.model", name);
    REQUIRE_OK(ramus_file_map(&file, path, &err), err);
    ramus_buffer_add(&bytes, file.data, file.size);
    for (int i = 0; symbols && i < 16; i++) { // pieces { piece: "..." score: 0 type: USER_DEFINED }
        const char piece[] = {0x0A, 12, 0x0A, 3, (char)0xEE, (char)0x80, (char)(0x80 + i),
                              0x15, 0,  0,    0, 0,          0x18,       4};
        ramus_buffer_add(&bytes, piece, sizeof piece);
    }
    REQUIRE_OK(ramus_vocab_parse(&v, bytes.data, bytes.size, &err), err);
    ramus_file_unmap(&file);
    ramus_buffer_free(&bytes);
    return v;
}

/* As before training, but with larger matrices, so that words differ in probability and what is
 * translated depends on the source; largest for EOS, so that some translations end before the
 * limit. */
static inline ramus_weights *weights_create(const ramus_arch *a, int eos)
{
    ramus_error err = {0};
    ramus_weights *w = NULL;
    ramus_graph *g = NULL;
    const ramus_limits one = {1, 1, 1};
    const ramus_build build = {.head = RAMUS_HEAD_LOSS, .source = one, .target = one};
    REQUIRE_OK(ramus_transformer_create(&g, a, &build, &err), err);
    REQUIRE_OK(ramus_weights_create(&w, g, &err), err);
    ramus_weights_init(w, g, check_seed());
    ramus_graph_destroy(g);
    for (int i = 0; i < w->n; i++)
        for (size_t k = 0; w->items[i].n_dims > 1 && k < w->items[i].count; k++)
            w->items[i].data[k] *= (ramus_real)2.5;
    const ramus_weight *words =
        ramus_weights_find(w, a->tie == RAMUS_TIE_ALL ? "embedding.weight" : "target.weight");
    if (!words) {
        fprintf(stderr, "the model has no output matrix\n");
        exit(1);
    }
    for (int i = 0; i < a->width; i++)
        words->data[eos * a->width + i] *= (ramus_real)1.5;
    return w;
}

static inline ramus_model *model_create(model_spec spec)
{
    ramus_error err = {0};
    ramus_arch a = {0};
    const ramus_settings s = ramus_arch_settings(&a);
    ramus_vocab *vocabs[2] = {vocab_load(spec.source, spec.symbols), NULL};
    if (spec.target) vocabs[1] = vocab_load(spec.target, spec.symbols);
    ramus_settings_default(&s);
    REQUIRE_OK(ramus_setting_set(&s, ramus_setting_find(&s, "routing"), spec.routing, &err), err);
    a.width = 16;
    a.filter = ramus_numbers_of(20);
    a.heads = ramus_numbers_of(spec.heads ? spec.heads : 2);
    a.encoder_layers = a.decoder_layers = 1;
    a.tie = spec.target ? RAMUS_TIE_TARGET : RAMUS_TIE_ALL;
    a.source_vocab = ramus_vocab_count(vocabs[0]);
    a.target_vocab = ramus_vocab_count(vocabs[spec.target ? 1 : 0]);
    REQUIRE_OK(ramus_arch_check(&a, &err), err);
    ramus_weights *w = weights_create(&a, ramus_vocab_eos(vocabs[spec.target ? 1 : 0]));
    if (spec.int8) {
        ramus_weights *small = NULL;
        REQUIRE_OK(ramus_quantize(&small, w, (ramus_quantize_spec){RAMUS_I8, RAMUS_I8}, &err), err);
        ramus_weights_destroy(w);
        w = small;
    }
    ramus_model *m = NULL;
    REQUIRE_OK(ramus_model_from(&m, &a, w, vocabs, &err), err);
    return m;
}

static inline ramus_session *session_create(const ramus_model *m, ramus_session_options options)
{
    ramus_error err = {0};
    ramus_session *s = NULL;
    options.size = sizeof options;
    REQUIRE_OK(ramus_session_create(&s, m, &options, &err), err);
    return s;
}

static inline ramus_translate_options defaults(void)
{
    return (ramus_translate_options)RAMUS_TRANSLATE_DEFAULTS;
}

static inline ramus_text text_of(const char *text)
{
    return (ramus_text){text, strlen(text)};
}

/* The first n lines of a golden text; they point into it. */
static inline ramus_file golden_lines(const char *name, ramus_text *lines, int n)
{
    char path[1000];
    ramus_error err = {0};
    ramus_file file = {0};
    (void)snprintf(path, sizeof path, GOLDEN "/text/%s.txt", name);
    REQUIRE_OK(ramus_file_map(&file, path, &err), err);
    const char *at = (const char *)file.data;
    for (int i = 0; i < n; i++) {
        const char *end = strchr(at, '\n');
        if (!end) {
            fprintf(stderr, "%s has less than %d lines\n", path, n);
            exit(1);
        }
        lines[i] = (ramus_text){at, (size_t)(end - at)};
        at = end + 1;
    }
    return file;
}

/* Everything that a translation says, to the last bit, as text. */
static inline void describe(ramus_buffer *out, const ramus_translation *t)
{
    if (!t->text) {
        ramus_buffer_text(out, "(none)\n");
        return;
    }
    ramus_buffer_json(out, t->text, t->size);
    ramus_buffer_print(out, " %a %a %d sentences, %d to %d tokens, notes %u\n", t->score,
                       t->log_prob, t->sentences, t->n_source, t->n_target, t->notes);
    for (int side = 0; side < 2; side++) {
        const ramus_token *tokens = side ? t->target : t->source;
        for (int i = 0; tokens && i < (side ? t->n_target : t->n_source); i++) {
            ramus_buffer_print(out, " %s %d %a %d:", tokens[i].piece, tokens[i].id,
                               (double)tokens[i].log_prob, tokens[i].source);
            for (int k = 0; k < tokens[i].n_gates; k++)
                ramus_buffer_print(out, " %d", tokens[i].gates[k]);
        }
        ramus_buffer_text(out, "\n");
    }
}

/* Sentences of a text with at most `limit` tokens each, as a session with one more finds them. */
typedef struct counter {
    ramus_tokenizer *tokenizer;
    ramus_ids ids;
} counter;

static inline int count_tokens(void *arg, const char *text, size_t size)
{
    counter *c = arg;
    ramus_error err = {0};
    c->ids.n = 0;
    REQUIRE_OK(ramus_tokenizer_encode(c->tokenizer, text, size, &c->ids, &err), err);
    return c->ids.n;
}

static inline counter counter_create(const ramus_model *m)
{
    ramus_error err = {0};
    counter c = {0};
    REQUIRE_OK(ramus_tokenizer_create(&c.tokenizer, m->vocabs[0], &err), err);
    return c;
}

static inline void counter_free(counter *c)
{
    ramus_tokenizer_destroy(c->tokenizer);
    ramus_ids_free(&c->ids);
}

#endif
