/* The table of training settings, and what must hold between them. */
#include "train/settings.h"

#include "base/utf8.h"
#include "data/lines.h"
#include "eval/words.h"

#include <stdlib.h>
#include <string.h>

static const char *const stop_names[] = {"loss", "bleu", NULL};

// clang-format off
#define AT(field) offsetof(ramus_training, field)
static const ramus_setting rows[] = {
    {"train",           RAMUS_SETTING_LIST,   AT(train), "SOURCE TARGET files, or one .tsv; plain, .gz or .xz; again for further corpora", NULL, 1, 2, ramus_setting_file, NULL},
    {"weights",         RAMUS_SETTING_LIST,   AT(weights), "how often an epoch takes a pair of each corpus (default 1)", NULL, 1, RAMUS_MAX_TEXTS, NULL, NULL},
    {"columns",         RAMUS_SETTING_TEXT,   AT(columns), "source and target column of .tsv files", "1,2", 0, 0, NULL, NULL},
    {"valid",           RAMUS_SETTING_LIST,   AT(valid), "SOURCE TARGET files to validate on, or one .tsv", NULL, 1, 2, ramus_setting_file, NULL},
    {"vocab",           RAMUS_SETTING_LIST,   AT(vocab), "vocabulary of both sides, or SOURCE TARGET; without it one is made in the run's folder, or two where the sides have different scripts", NULL, 1, 2, ramus_setting_file, NULL},
    {"vocab-size",      RAMUS_SETTING_INT,    AT(vocab_size), "pieces of the vocabulary that is made without --vocab", "8000", 10, 1000000, NULL, NULL},
    {"source-language", RAMUS_SETTING_TEXT,   AT(source_language), "code of the source language, for example en: kept in the model, as the next three", NULL, 0, 0, ramus_setting_language, NULL},
    {"target-language", RAMUS_SETTING_TEXT,   AT(target_language), "code of the target language", NULL, 0, 0, ramus_setting_language, NULL},
    {"name",            RAMUS_SETTING_TEXT,   AT(name), "name of the model", NULL, 0, 0, NULL, NULL},
    {"license",         RAMUS_SETTING_TEXT,   AT(license), "licence of the model: an SPDX name, as Apache-2.0", NULL, 0, 0, NULL, NULL},
    {"out",             RAMUS_SETTING_TEXT,   AT(out), "folder of the run: checkpoints, log, report, settings", NULL, 0, 0, ramus_setting_folder, NULL},
    {"cache",           RAMUS_SETTING_TEXT,   AT(cache), "folder of tokenised corpora (default: cache in the run's folder)", NULL, 0, 0, ramus_setting_folder, NULL},
    {"resume",          RAMUS_SETTING_FLAG,   AT(resume), "continue from the newest checkpoint in --out, with the settings stored there", NULL, 0, 0, NULL, NULL},
    {"init",            RAMUS_SETTING_TEXT,   AT(init), "start with the weights of this checkpoint, or of the best one of a run (fine-tuning); a dense one grows the branches of a routed model", NULL, 0, 0, ramus_setting_file, NULL},
    {"updates",         RAMUS_SETTING_INT,    AT(updates), "end after this many updates", "100000", 1, 2147483647, NULL, NULL},
    {"epochs",          RAMUS_SETTING_INT,    AT(epochs), "end after this many epochs; 0: no limit", "0", 0, 2147483647, NULL, NULL},
    {"batch-tokens",    RAMUS_SETTING_INT,    AT(batch_tokens), "tokens of either side in an update", "4096", 1, 1000000000, NULL, NULL},
    {"micro-tokens",    RAMUS_SETTING_INT,    AT(micro_tokens), "tokens of either side in a micro-batch; an update has as many micro-batches as it needs", "4096", 1, 1000000, NULL, NULL},
    {"pool-pairs",      RAMUS_SETTING_INT,    AT(pool_pairs), "pairs that are sorted by length together", "100000", 1, 100000000, NULL, NULL},
    {"max-length",      RAMUS_SETTING_INT,    AT(max_length), "tokens of a sentence with its end; longer pairs are dropped", "200", 2, 65536, NULL, NULL},
    {"max-ratio",       RAMUS_SETTING_REAL,   AT(max_ratio), "largest ratio of the lengths of a pair; others are dropped; 0: any", "0", 0, 1e6, NULL, NULL},
    {"upper-noise",     RAMUS_SETTING_REAL,   AT(upper_noise), "share of the pairs that are put in capitals", "0", 0, 1, NULL, NULL},
    {"title-noise",     RAMUS_SETTING_REAL,   AT(title_noise), "share of the pairs whose source gets initial capitals", "0", 0, 1, NULL, NULL},
    {"typo-noise",      RAMUS_SETTING_REAL,   AT(typo_noise), "share of the pairs whose source gets typing errors", "0", 0, 1, NULL, NULL},
    {"source-sampling", RAMUS_SETTING_REAL,   AT(source_sampling), "alpha of SentencePiece sampling on the source side (BPE: dropout); 0: none", "0", 0, 1e6, NULL, NULL},
    {"target-sampling", RAMUS_SETTING_REAL,   AT(target_sampling), "the same on the target side", "0", 0, 1e6, NULL, NULL},
    {"valid-every",     RAMUS_SETTING_INT,    AT(valid_every), "updates between validations", "1000", 1, 2147483647, NULL, NULL},
    {"save-every",      RAMUS_SETTING_INT,    AT(save_every), "updates between checkpoints; 0: at each validation", "0", 0, 2147483647, NULL, NULL},
    {"log-every",       RAMUS_SETTING_INT,    AT(log_every), "updates between lines of the log", "100", 1, 2147483647, NULL, NULL},
    {"valid-beam",      RAMUS_SETTING_INT,    AT(valid_beam), "beam of the validation's translations; 1: greedy; 0: no BLEU", "1", 0, 64, NULL, NULL},
    {"valid-tokenize",  RAMUS_SETTING_CHOICE, AT(valid_tokenize), "how BLEU cuts words (as in evaluate)", "13a", 0, 0, ramus_tokenization_names, NULL},
    {"valid-lowercase", RAMUS_SETTING_SWITCH, AT(valid_lowercase), "BLEU ignores case", "off", 0, 0, NULL, NULL},
    {"stop-on",         RAMUS_SETTING_CHOICE, AT(stop_on), "measure of the best validation, for keep-best and patience", "bleu", 0, 0, stop_names, NULL},
    {"patience",        RAMUS_SETTING_INT,    AT(patience), "end after this many validations without a better one; 0: no limit", "0", 0, 1000000, NULL, NULL},
    {"keep-last",       RAMUS_SETTING_INT,    AT(keep_last), "newest checkpoints to keep", "5", 1, 1000000, NULL, NULL},
    {"keep-best",       RAMUS_SETTING_INT,    AT(keep_best), "best checkpoints to keep", "1", 0, 1000000, NULL, NULL},
    {"max-skipped",     RAMUS_SETTING_INT,    AT(max_skipped), "updates in a row that may be skipped because their loss or gradient is not finite", "20", 0, 1000000, NULL, NULL},
    {"bucket-mb",       RAMUS_SETTING_REAL,   AT(bucket_mb), "several ranks: megabytes of gradients summed at a time, while others are computed; 0: all at the end", "1", 0, 1e6, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_training_settings(ramus_training *t)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), t};
}

static ramus_status read_columns(const char *text, int *source, int *target, ramus_error *err)
{
    char *comma = NULL, *end = NULL;
    const long first = strtol(text, &comma, 10);
    const long second = *comma == ',' ? strtol(comma + 1, &end, 10) : 0;
    if (!end || *end || first < 1 || second < 1 || first > 1000 || second > 1000)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "columns is '%s', expected the numbers of two columns such as 1,2", text);
    *source = (int)first;
    *target = (int)second;
    return RAMUS_OK;
}

static ramus_status read_weight(const char *text, double *weight, ramus_error *err)
{
    char *end = NULL;
    *weight = strtod(text, &end);
    if (end == text || *end || !(*weight > 0) || *weight > 1e6)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "a weight is '%s', expected a number above 0",
                          text);
    return RAMUS_OK;
}

ramus_status ramus_corpus_files_read(ramus_corpus_files *out, int *n, const ramus_texts *files,
                                     const ramus_texts *weights, const char *columns,
                                     ramus_error *err)
{
    int count = 0, source = 0, target = 0;
    ramus_status st = read_columns(columns, &source, &target, err);
    for (int i = 0; i < files->n && !st; i++) {
        const char *file = files->items[i];
        ramus_corpus_files *c = &out[count++];
        *c = (ramus_corpus_files){file, NULL, source, target, 1};
        if (ramus_lines_have_columns(file)) continue;
        if (i + 1 == files->n || ramus_lines_have_columns(files->items[i + 1]))
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "%s has no partner: expected SOURCE TARGET, or a .tsv file with both",
                              file);
        c->target = files->items[++i];
    }
    if (!st && weights->n && weights->n != count)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d weights for %d corpora: expected one each",
                          weights->n, count);
    for (int i = 0; i < weights->n && !st; i++)
        st = read_weight(weights->items[i], &out[i].weight, err);
    if (!st) *n = count;
    return st;
}

/* Names go into settings.conf, a value on a line, and into checkpoints, which hold UTF-8. */
static ramus_status check_text(const char *what, const char *text, ramus_error *err)
{
    const bool feed = strpbrk(text, "\n\r") != NULL;
    if (!feed && ramus_utf8_check(text, strlen(text)) == strlen(text)) return RAMUS_OK;
    const ramus_status st = ramus_fail(
        err, RAMUS_BAD_ARGUMENT, "%s is '%s', which %s: a run keeps its settings as lines of UTF-8",
        what, text, feed ? "has a line feed" : "is not UTF-8");
    if (err) ramus_utf8_clean(err->message);
    return st;
}

static ramus_status check_texts(const ramus_training *t, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < RAMUS_COUNT(rows) && !st; i++) {
        const void *at = (const char *)t + rows[i].offset;
        const ramus_texts *texts = rows[i].type == RAMUS_SETTING_LIST ? at : NULL;
        const char *text = rows[i].type == RAMUS_SETTING_TEXT ? *(const char *const *)at : NULL;
        if (text) st = check_text(rows[i].name, text, err);
        for (int j = 0; texts && j < texts->n && !st; j++)
            st = check_text(rows[i].name, texts->items[j], err);
    }
    return st;
}

ramus_status ramus_training_check(const ramus_training *t, ramus_error *err)
{
    const bool small = t->batch_tokens != RAMUS_AUTO && t->batch_tokens < t->micro_tokens;
    const int micro = small ? t->batch_tokens : t->micro_tokens;
    if (!t->out) return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected --out FOLDER");
    if (!t->train.n)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected --train SOURCE TARGET (or a .tsv)");
    if (t->vocab.n > 2)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d vocabularies: expected one or two",
                          t->vocab.n);
    if (t->max_length > micro)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "max-length is %d, expected at most the %d tokens that fit a micro-batch",
                          t->max_length, micro);
    if (t->upper_noise + t->title_noise + t->typo_noise > 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "upper-noise, title-noise and typo-noise are more than 1 together");
    return check_texts(t, err);
}
