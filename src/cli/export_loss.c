/* Both models translate the test set in batches; BLEU, its bootstrap and the lines that differ
 * are counted from the two outputs. */
#include "cli/export_loss.h"

#include "base/buffer.h"
#include "base/list.h"
#include "convert/load.h"
#include "data/lines.h"
#include "eval/bleu.h"

#include <stdlib.h>
#include <string.h>

#define RESAMPLES 1000

// clang-format off
#define AT(field) offsetof(ramus_export_test, field)
static const ramus_setting rows[] = {
    {"test",      RAMUS_SETTING_LIST,   AT(files), "source and reference of a test set: compares BLEU of the file with that of the checkpoint", NULL, 0, 2, ramus_setting_file, NULL},
    {"tokenize",  RAMUS_SETTING_CHOICE, AT(tokenization), "test: how BLEU cuts words", "13a", 0, 0, ramus_tokenization_names, NULL},
    {"lowercase", RAMUS_SETTING_FLAG,   AT(lowercase), "test: ignore case", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_export_test_settings(ramus_export_test *test)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), test};
}

/* The lines of a file. */
typedef struct {
    ramus_buffer bytes;
    ramus_text *lines;
    int n;
} text;

static void free_text(text *t)
{
    ramus_buffer_free(&t->bytes);
    free(t->lines);
}

static ramus_status read_text(text *t, const char *path, ramus_error *err)
{
    ramus_lines *lines = NULL;
    size_t room = 0;
    ramus_status st = ramus_lines_open(&lines, path, err);
    while (!st) {
        char *line = NULL;
        size_t size = 0;
        st = ramus_lines_next(lines, &line, &size, err);
        if (st || !line) break;
        st = RAMUS_LIST_RESERVE(t->lines, room, (size_t)t->n + 1, path, err);
        if (st) break;
        t->lines[t->n++] = (ramus_text){NULL, size}; // where is known when all are read
        ramus_buffer_add(&t->bytes, line, size);
        st = ramus_buffer_check(&t->bytes, err);
    }
    ramus_lines_close(lines);
    const char *at = t->bytes.data;
    for (int i = 0; i < t->n && !st; at += t->lines[i++].size)
        t->lines[i].data = at ? at : "";
    return st;
}

/* A test set with the translations of one model, all in one buffer. */
typedef struct {
    const ramus_export_test *how;
    text source, reference;
} test_set;

static ramus_status read_set(test_set *t, ramus_error *err)
{
    const char *const *names = t->how->files.items;
    ramus_status st = read_text(&t->source, names[0], err);
    if (!st) st = read_text(&t->reference, names[1], err);
    if (!st && t->source.n != t->reference.n)
        st = ramus_fail(err, RAMUS_BAD_FORMAT, "%s has %d lines and %s has %d", names[0],
                        t->source.n, names[1], t->reference.n);
    if (!st && t->source.n == 0) st = ramus_fail(err, RAMUS_BAD_FORMAT, "%s is empty", names[0]);
    return st;
}

static ramus_status score(ramus_bleu *bleu, text *translated, const test_set *t,
                          const ramus_translation *found, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    translated->lines = calloc((size_t)t->source.n + 1, sizeof *translated->lines);
    if (!translated->lines) return ramus_fail_memory(err, "translations");
    for (int i = 0; i < t->source.n && !st; i++) {
        const ramus_text r = t->reference.lines[i];
        const ramus_line reference = {r.data ? r.data : "", r.size};
        st = ramus_bleu_add(bleu, (ramus_line){found[i].text, found[i].size}, &reference, 1, err);
        translated->lines[translated->n++].size = found[i].size;
        ramus_buffer_add(&translated->bytes, found[i].text, found[i].size);
    }
    return st ? st : ramus_buffer_check(&translated->bytes, err);
}

/* Translates the source with one model. */
static ramus_status translate(ramus_bleu *bleu, text *translated, const test_set *t,
                              const char *path, ramus_error *err)
{
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    ramus_model *m = NULL;
    ramus_session *session = NULL;
    ramus_translate_options how = RAMUS_TRANSLATE_DEFAULTS;
    how.whole_lines = how.unprotected = true;
    ramus_search_choose(&t->how->search, &options, &how);
    options.threads = t->how->threads;
    ramus_translation *found = calloc((size_t)t->source.n + 1, sizeof *found);
    if (!found) return ramus_fail_memory(err, "translations");
    ramus_status st = ramus_model_load(&m, path, err);
    if (!st) st = ramus_session_create(&session, m, &options, err);
    if (!st) st = ramus_translate_all(session, t->source.lines, t->source.n, &how, found, err);
    if (!st) st = score(bleu, translated, t, found, err);
    ramus_session_destroy(session);
    ramus_model_close(m);
    free(found);
    return st;
}

static int count_different(const text *a, const text *b)
{
    int different = 0;
    const char *x = a->bytes.data, *y = b->bytes.data;
    for (int i = 0; i < a->n; i++) {
        const size_t size = a->lines[i].size, other = b->lines[i].size;
        different += size != other || (size && memcmp(x, y, size) != 0);
        x += size;
        y += other;
    }
    return different;
}

ramus_status ramus_export_test_run(ramus_export_tested *out, const ramus_export_test *test,
                                   const char *checkpoint, const char *model, ramus_error *err)
{
    const ramus_bleu_options options = {.tokenization = ramus_tokenization_at(test->tokenization),
                                        .lowercase = test->lowercase};
    const char *const paths[2] = {checkpoint, model};
    const ramus_stats *stats[2] = {NULL};
    test_set t = {.how = test};
    text translated[2] = {0};
    ramus_bleu *bleu[2] = {NULL};
    ramus_pool *pool = NULL;
    ramus_status st = read_set(&t, err);
    for (int i = 0; i < 2 && !st; i++) {
        st = ramus_bleu_create(&bleu[i], &options, err);
        if (!st) st = translate(bleu[i], &translated[i], &t, paths[i], err);
        if (!st) stats[i] = ramus_bleu_stats(bleu[i]);
    }
    if (!st) st = ramus_pool_create(&pool, test->threads, err);
    if (!st) {
        const ramus_bootstrap how = {.n_resamples = RESAMPLES, .seed = test->seed, .pool = pool};
        st = ramus_bootstrap_compare(out->compared, stats, 2, &how, err);
        out->lines = t.source.n;
        out->different = count_different(&translated[0], &translated[1]);
        ramus_bleu_signature(out->signature, bleu[0], &how);
    }
    ramus_pool_destroy(pool);
    for (int i = 0; i < 2; i++) {
        ramus_bleu_destroy(bleu[i]);
        free_text(&translated[i]);
    }
    free_text(&t.source);
    free_text(&t.reference);
    return st;
}
