#include "cli/command.h"

#include "train/import.h"

typedef struct {
    const char *output;
    ramus_import_hints hints;
} settings;

// clang-format off
static const ramus_setting rows[] = {
    {"output", RAMUS_SETTING_TEXT, offsetof(settings, output), "the checkpoint to write (also -o)", NULL, 0, 0, NULL, NULL},
    {"heads",  RAMUS_SETTING_INT,  offsetof(settings, hints.heads), "attention heads; 0: as the file says, else 8", "0", 0, 1024, NULL, NULL},
    {"top-k",  RAMUS_SETTING_INT,  offsetof(settings, hints.top_k), "experts per token; 0: as the file says, else 2", "0", 0, 64, NULL, NULL},
};
// clang-format on

static ramus_status import(ramus_checkpoint *c, const char *path, const settings *s,
                           ramus_error *err)
{
    ramus_safetensors *file = NULL;
    ramus_status st = ramus_safetensors_open(&file, path, err);
    if (st) return st;
    st = ramus_import_model(c, file, &s->hints, err);
    if (st) st = ramus_fail_in(err, st, path);
    ramus_safetensors_close(file);
    if (!st) st = ramus_checkpoint_save(c, s->output, err);
    return st;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    ramus_checkpoint c = {0};
    int code = RAMUS_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;

    if (o.n_arguments != 1 || !s.output) {
        (void)ramus_fail(&err, RAMUS_BAD_ARGUMENT,
                         "expected one file to read and -o FILE to write");
        code = ramus_command_fail(command, &err, RAMUS_WRONG_USAGE);
    } else if (import(&c, o.arguments[0], &s, &err)) {
        code = ramus_command_fail(command, &err, RAMUS_FAILED);
    } else {
        ramus_command_note(&o, "%s: %zu parameters in %d tensors", s.output, c.weights->count,
                           c.weights->n);
    }
    ramus_checkpoint_free(&c);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_import = {
    "import",
    "a model with the tensor names of the paper's authors -> a checkpoint of ours",
    "FILE.safetensors -o CHECKPOINT.safetensors [--heads N] [--top-k K]",
    "  ramus import transformer_dmb.safetensors -o model.safetensors --heads 8\n",
    .run = run,
};
