/* `ramus export`: writes the model file, reads it again to report what quantising lost, and
 * compares BLEU where a test set is given. */
#include "cli/command.h"
#include "cli/export_loss.h"

#include "base/map.h"
#include "convert/export.h"
#include "model/fold.h"
#include "model/transformer.h"
#include "runtime/model.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *output;
    ramus_export_spec spec;
    int type, words; // ramus_export_type or AUTO, ramus_export_words
    bool errors;
    ramus_export_test test;
} settings;

#define AUTO (RAMUS_EXPORT_I4 + 1)
static const char *const types[] = {"f32", "int8", "int4", "auto", NULL};
static const char *const word_types[] = {"int8", "int4", NULL};
static const char *const dtype_names[] = {
    [RAMUS_REAL] = "f32", [RAMUS_INT] = "int", [RAMUS_I8] = "int8", [RAMUS_I4] = "int4"};

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"output",          RAMUS_SETTING_TEXT,   AT(output), "the model file to write (also -o)", NULL, 0, 0, ramus_setting_file, NULL},
    {"type",            RAMUS_SETTING_CHOICE, AT(type), "how matrices are stored; auto: int4 where layers have dmb branches, else int8", "auto", 0, 0, types, NULL},
    {"embeddings",      RAMUS_SETTING_CHOICE, AT(words), "how embeddings and softmax are stored, unless f32", "int8", 0, 0, word_types, NULL},
    {"errors",          RAMUS_SETTING_FLAG,   AT(errors), "print the squared error of each matrix", NULL, 0, 0, NULL, NULL},
    {"source-language", RAMUS_SETTING_TEXT,   AT(spec.source_language), "code of the source language, for example en", NULL, 0, 0, ramus_setting_language, NULL},
    {"target-language", RAMUS_SETTING_TEXT,   AT(spec.target_language), "code of the target language", NULL, 0, 0, ramus_setting_language, NULL},
    {"name",            RAMUS_SETTING_TEXT,   AT(spec.name), "name of the model", NULL, 0, 0, NULL, NULL},
    {"description",     RAMUS_SETTING_TEXT,   AT(spec.description), "where the model comes from: data, settings", NULL, 0, 0, NULL, NULL},
    {"license",         RAMUS_SETTING_TEXT,   AT(spec.license), "licence of the model: an SPDX name, as Apache-2.0", NULL, 0, 0, NULL, NULL},
    {"scores",          RAMUS_SETTING_TEXT,   AT(spec.scores), "what it scores, as \"newstest2014 BLEU 21.3\"", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

/* What is reported about the file, read from it: each of its matrices beside that of the
 * checkpoint. */
typedef struct {
    ramus_model *m;
    ramus_weights *folded; // of the checkpoint
    size_t bytes;          // of the file
    ramus_export_tested tested;
} report;

static void report_free(report *r)
{
    ramus_model_close(r->m);
    ramus_weights_destroy(r->folded);
}

/* Branches are most of a dmb model, a step reads few of them, and 4 bits cost them no quality
 * (docs/lab/compression.md). */
static ramus_export_type type_for(const ramus_arch *a)
{
    return a->routing == RAMUS_DMB ? RAMUS_EXPORT_I4 : RAMUS_EXPORT_I8;
}

static ramus_status export_file(report *r, settings *s, const char *path, ramus_error *err)
{
    ramus_checkpoint c = {0};
    ramus_file file = {0};
    ramus_status st = ramus_checkpoint_load(&c, path, err);
    if (!st && s->type == AUTO) s->type = (int)type_for(&c.arch);
    s->spec.type = (ramus_export_type)s->type;
    if (!st) st = ramus_export(&c, &s->spec, s->output, err);
    if (!st) st = ramus_transformer_weights(&r->folded, &c.arch, false, err);
    if (!st) ramus_weights_fold(r->folded, c.weights);
    ramus_checkpoint_free(&c);
    if (!st) st = ramus_file_map(&file, s->output, err);
    r->bytes = file.size;
    ramus_file_unmap(&file);
    if (!st) st = ramus_model_open(&r->m, s->output, err);
    if (!st && s->test.files.n)
        st = ramus_export_test_run(&r->tested, &s->test, path, s->output, err);
    return st;
}

/* Squared error as a part of the squared weights, and in decibels: below -20 is little. */
static double part_of(ramus_quantize_error e)
{
    return e.all > 0 ? e.lost / e.all : 0;
}

static double decibels(ramus_quantize_error e)
{
    return e.lost > 0 ? 10 * log10(e.lost / e.all) : (double)-INFINITY;
}

/* Of all packed matrices together; prints each unless `out` is NULL. */
static ramus_quantize_error errors(const report *r, ramus_buffer *out, bool json)
{
    ramus_quantize_error all = {0};
    const char *comma = "";
    for (int i = 0; i < r->m->weights->n; i++) {
        const ramus_weight *w = &r->m->weights->items[i];
        if (w->dtype == RAMUS_REAL) continue;
        const ramus_quantize_error e = ramus_quantize_compare(w, &r->folded->items[i]);
        all.lost += e.lost;
        all.all += e.all;
        if (!out) continue;
        if (json)
            ramus_buffer_print(out, "%s{\"name\": \"%s\", \"type\": \"%s\", \"error\": %.6g}",
                               comma, w->name, dtype_names[w->dtype], part_of(e));
        else
            ramus_buffer_print(out, "%-5s %11.3e %8.2f dB  %s\n", dtype_names[w->dtype], part_of(e),
                               decibels(e), w->name);
        comma = ", ";
    }
    return all;
}

static void print_json(ramus_buffer *out, const report *r, const settings *s)
{
    const ramus_export_tested *t = &r->tested;
    ramus_buffer_text(out, "{\"file\": ");
    ramus_buffer_json(out, s->output, strlen(s->output));
    ramus_buffer_print(out, ", \"bytes\": %zu, \"type\": \"%s\"", r->bytes, types[s->type]);
    if (s->type != RAMUS_EXPORT_F32)
        ramus_buffer_print(out, ", \"embeddings\": \"%s\"", word_types[s->words]);
    ramus_buffer_text(out, ", \"tensors\": [");
    ramus_buffer_print(out, "], \"error\": %.6g", part_of(errors(r, out, true)));
    if (s->test.files.n) {
        ramus_buffer_print(out,
                           ", \"test\": {\"lines\": %d, \"different\": %d, \"bleu_f32\": %.10g, "
                           "\"bleu\": %.10g, \"p_value\": ",
                           t->lines, t->different, t->compared[0].score, t->compared[1].score);
        if (t->different)
            ramus_buffer_print(out, "%.10g", t->compared[1].p_value);
        else
            ramus_buffer_text(out, "null");
        ramus_buffer_text(out, ", \"signature\": ");
        ramus_buffer_json(out, t->signature, strlen(t->signature));
        ramus_buffer_text(out, "}");
    }
    ramus_buffer_text(out, "}\n");
}

static void print_text(ramus_buffer *out, const report *r, const settings *s)
{
    const ramus_export_tested *t = &r->tested;
    if (s->errors) (void)errors(r, out, false);
    if (!s->test.files.n) return;
    const double before = t->compared[0].score, after = t->compared[1].score;
    ramus_buffer_print(out, "BLEU %.2f, of the checkpoint %.2f: %+.2f", after, before,
                       after - before);
    if (t->different) ramus_buffer_print(out, ", p %.4f", t->compared[1].p_value);
    ramus_buffer_print(out, "; %d of %d lines differ\n%s\n", t->different, t->lines, t->signature);
}

static ramus_status check(const settings *s, const ramus_options *o, ramus_error *err)
{
    if (s->output && strcmp(s->output, "-") == 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "the model is read again once it is written: expected -o FILE, not -");
    if (!s->output || o->n_arguments != 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected one checkpoint and -o FILE.gguf");
    if (s->test.files.n && s->test.files.n != 2)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "test has %d files, expected a source and a reference", s->test.files.n);
    if (s->type == RAMUS_EXPORT_F32 && s->words != RAMUS_EXPORT_WORDS_I8)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "embeddings is %s with type f32: expected type int8 or int4",
                          word_types[s->words]);
    return RAMUS_OK;
}

static int tell(const settings *s, const ramus_options *o, const report *r)
{
    ramus_buffer out = {0};
    if (!o->common.json && s->type == RAMUS_EXPORT_F32)
        ramus_command_note(o, "%s: %.1f MB", s->output, (double)r->bytes / 1e6);
    else if (!o->common.json)
        ramus_command_note(o, "%s: %.1f MB, squared error of the matrices %.1f dB", s->output,
                           (double)r->bytes / 1e6, decibels(errors(r, NULL, false)));
    (o->common.json ? print_json : print_text)(&out, r, s);
    return ramus_command_print(o->command, &out);
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    report r = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add_group(&o, "Search", ramus_search_choice_settings(&s.test.search));
    ramus_options_add_group(&o, "Test", ramus_export_test_settings(&s.test));
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    s.spec.words = (ramus_export_words)s.words;
    s.test.threads = o.common.threads ? o.common.threads : ramus_cores_available();
    s.test.seed = (uint64_t)o.common.seed;
    if (check(&s, &o, &err))
        code = ramus_command_misuse(command, &err);
    else if (ramus_options_check_output(&o, s.output, NULL, true, &err) ||
             export_file(&r, &s, o.arguments[0], &err))
        code = ramus_command_fail(command, &err);
    else
        code = tell(&s, &o, &r);
    report_free(&r);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_export = {
    "export",
    "a checkpoint as one file to deploy",
    "CHECKPOINT|FOLDER -o MODEL.gguf [--type auto|int8|int4|f32] [--embeddings int8|int4] [--test "
    "SOURCE "
    "REFERENCE]",
    "  ramus export run -o en-de.gguf\n"
    "  ramus export run/average.safetensors -o en-de.gguf --type int8 --source-language en \\\n"
    "      --target-language de --name \"English to German\"\n"
    "  ramus export run/average.safetensors -o en-de.gguf --type int4 --errors --test test.en "
    "test.de\n",
    .run = run,
};
