/* Texts are opened as reading them will open them. Scripts are compared by the share of each in the
 * letters of a side. */
#include "train/inputs.h"

#include "base/utf8.h"
#include "convert/checkpoint.h"
#include "data/lines.h"
#include "data/pair_lines.h"
#include "text/letters.h"
#include "text/vocab.h"

#include <stdlib.h>
#include <sys/stat.h>

#define SCRIPT_LINES 1000
#define SCRIPTS      16

/* Where the letters of a script begin; they end where those of the next one do. What stands before
 * the first has no script. Kana, Han and Hangul are three. */
static const uint32_t scripts[SCRIPTS] = {
    0x41,  0x370,  0x400,  0x530,  0x590,  0x600,  0x900,  0xE00,
    0xE80, 0x10A0, 0x1100, 0x1200, 0x1E00, 0x3040, 0x3400, 0xAC00,
};

/* A pipe can be read once only. */
static bool can_be_read_again(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

static ramus_status open_text(const char *path, ramus_error *err)
{
    ramus_lines *lines = NULL;
    char *line = NULL;
    size_t size = 0;
    if (!can_be_read_again(path)) return RAMUS_OK;
    ramus_status st = ramus_lines_open(&lines, path, err);
    if (!st) st = ramus_lines_next(lines, &line, &size, err);
    ramus_lines_close(lines);
    return st;
}

static ramus_corpus_spec spec_of(const ramus_corpus_files *f)
{
    return (ramus_corpus_spec){.source = f->source,
                               .target = f->target,
                               .source_column = f->source_column,
                               .target_column = f->target_column};
}

/* Reads pairs up to the end, or `most` of them, and hands them to `see`. */
static ramus_status read_pairs(const ramus_corpus_files *f, int64_t most,
                               void (*see)(void *arg, const ramus_pair_text *text), void *arg,
                               ramus_error *err)
{
    const ramus_corpus_spec spec = spec_of(f);
    ramus_pair_lines *lines = NULL;
    ramus_pair_text text = {0};
    ramus_status st = ramus_pair_lines_open(&lines, &spec, err);
    for (int64_t i = 0; !st && i < most; i++) {
        st = ramus_pair_lines_next(lines, &text, err);
        if (st || !text.source) break;
        if (see) see(arg, &text);
    }
    ramus_pair_lines_close(lines);
    return st;
}

static ramus_status check_valid(const ramus_training *t, ramus_error *err)
{
    const ramus_texts none = {.n = 0};
    ramus_corpus_files files[RAMUS_MAX_TEXTS];
    int n = 0;
    if (!t->valid.n) return RAMUS_OK;
    ramus_status st = ramus_corpus_files_read(files, &n, &t->valid, &none, t->columns, err);
    for (int i = 0; i < n && !st; i++)
        if (can_be_read_again(files[i].source) &&
            (!files[i].target || can_be_read_again(files[i].target)))
            st = read_pairs(&files[i], INT64_MAX, NULL, NULL, err);
    return st;
}

ramus_status ramus_train_inputs_check(const ramus_training *t, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < t->vocab.n && !st; i++) {
        ramus_vocab *vocab = NULL;
        st = ramus_vocab_load(&vocab, t->vocab.items[i], err);
        ramus_vocab_destroy(vocab);
    }
    for (int i = 0; i < t->train.n && !st; i++)
        st = open_text(t->train.items[i], err);
    if (!st) st = check_valid(t, err);
    if (st || !t->init) return st;
    ramus_safetensors *file = NULL;
    ramus_arch arch = {0};
    st = ramus_checkpoint_open(&file, t->init, err);
    if (!st) st = ramus_checkpoint_arch(&arch, file, err);
    ramus_safetensors_close(file);
    return st;
}

ramus_status ramus_train_inputs_count(double *pairs, const ramus_training *t, ramus_error *err)
{
    *pairs = 0;
    for (int i = 0; i < t->train.n; i++) {
        const bool two_files = !ramus_lines_have_columns(t->train.items[i]);
        ramus_lines *lines = NULL;
        char *line = NULL;
        size_t size = 0;
        ramus_status st = ramus_lines_open(&lines, t->train.items[i], err);
        do {
            if (!st) st = ramus_lines_next(lines, &line, &size, err);
            *pairs += !st && line;
        } while (!st && line);
        ramus_lines_close(lines);
        if (st) return st;
        i += two_files;
    }
    return RAMUS_OK;
}

typedef struct {
    double letters[2][SCRIPTS];
} tally;

static void count_letters(double letters[SCRIPTS], const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, text + at, size - at);
        int script = SCRIPTS - 1;
        while (script >= 0 && code < scripts[script])
            script--;
        if (n && script >= 0 && ramus_letter(code)) letters[script]++;
        at += n ? (size_t)n : 1;
    }
}

static void see_pair(void *arg, const ramus_pair_text *text)
{
    tally *t = arg;
    count_letters(t->letters[0], text->source, text->source_size);
    count_letters(t->letters[1], text->target, text->target_size);
}

ramus_status ramus_train_inputs_scripts(bool *two, const ramus_training *t, ramus_error *err)
{
    tally seen = {0};
    double all[2] = {0}, common = 0;
    int n = 0;
    ramus_corpus_files *files = calloc((size_t)t->train.n, sizeof *files);
    if (!files) return ramus_fail_memory(err, "the names of files");
    ramus_status st = ramus_corpus_files_read(files, &n, &t->train, &t->weights, t->columns, err);
    if (!st) st = read_pairs(&files[0], SCRIPT_LINES, see_pair, &seen, err);
    free(files);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < SCRIPTS; i++)
            all[side] += seen.letters[side][i];
    for (int i = 0; i < SCRIPTS && all[0] > 0 && all[1] > 0; i++) {
        const double x = seen.letters[0][i] / all[0], y = seen.letters[1][i] / all[1];
        common += x < y ? x : y;
    }
    *two = common < 0.5;
    return st;
}
