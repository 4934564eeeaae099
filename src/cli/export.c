#include "cli/command.h"

#include "train/export.h"

typedef struct {
    const char *output;
    ramus_export_spec spec;
    int type, words; // ramus_export_type, ramus_export_words
} settings;

static const char *const types[] = {"f32", "int8", "int4", NULL};
static const char *const word_types[] = {"int8", "int4", NULL};

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"output",          RAMUS_SETTING_TEXT,   AT(output), "the model file to write (also -o)", NULL, 0, 0, NULL, NULL},
    {"type",            RAMUS_SETTING_CHOICE, AT(type), "how matrices are stored", "int8", 0, 0, types, NULL},
    {"embeddings",      RAMUS_SETTING_CHOICE, AT(words), "how embeddings and softmax are stored, unless f32", "int8", 0, 0, word_types, NULL},
    {"source-language", RAMUS_SETTING_TEXT,   AT(spec.source_language), "code of the language that is translated, for example en", NULL, 0, 0, NULL, NULL},
    {"target-language", RAMUS_SETTING_TEXT,   AT(spec.target_language), "code of the language of the translation", NULL, 0, 0, NULL, NULL},
    {"name",            RAMUS_SETTING_TEXT,   AT(spec.name), "name of the model", NULL, 0, 0, NULL, NULL},
    {"description",     RAMUS_SETTING_TEXT,   AT(spec.description), "where the model comes from: data, settings", NULL, 0, 0, NULL, NULL},
    {"license",         RAMUS_SETTING_TEXT,   AT(spec.license), "licence of the model", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

static ramus_status export_file(const settings *s, const char *path, ramus_error *err)
{
    ramus_checkpoint c = {0};
    ramus_status st = ramus_checkpoint_load(&c, path, err);
    if (!st) st = ramus_export(&c, &s->spec, s->output, err);
    ramus_checkpoint_free(&c);
    return st;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    int code = RAMUS_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    s.spec.type = (ramus_export_type)s.type;
    s.spec.words = (ramus_export_words)s.words;
    if (!s.output || o.n_arguments != 1) {
        (void)ramus_fail(&err, RAMUS_BAD_ARGUMENT, "expected one checkpoint and -o FILE.gguf");
        code = ramus_command_fail(command, &err, RAMUS_WRONG_USAGE);
    } else if (export_file(&s, o.arguments[0], &err)) {
        code = ramus_command_fail(command, &err, RAMUS_FAILED);
    }
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_export = {
    "export",
    "a checkpoint as one file to deploy",
    "CHECKPOINT -o MODEL.gguf [--type int8|f32] [--source-language CODE --target-language CODE]",
    "  ramus export run/average.safetensors -o en-de.gguf --type int8 --source-language en \\\n"
    "      --target-language de --name \"English to German\"\n",
    run,
};
