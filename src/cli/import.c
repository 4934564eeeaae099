/* `ramus import`: the model of whatever dialect the file or folder has is written as a checkpoint
 * of ours, and its vocabularies beside it if asked. */
#include "cli/command.h"

#include "base/writer.h"
#include "convert/import/import.h"

typedef struct {
    const char *output;
    ramus_texts vocabs;
    ramus_import_hints hints;
} settings;

// clang-format off
static const ramus_setting rows[] = {
    {"output", RAMUS_SETTING_TEXT, offsetof(settings, output), "the checkpoint to write (also -o)", NULL, 0, 0, ramus_setting_file, NULL},
    {"vocab",  RAMUS_SETTING_LIST, offsetof(settings, vocabs), "also write the model's vocabulary; two files if it has one for each side", NULL, 1, 2, ramus_setting_file, NULL},
    {"heads",  RAMUS_SETTING_INT,  offsetof(settings, hints.heads), "attention heads; 0: as the file says, else 8", "0", 0, 1024, NULL, NULL},
    {"top-k",  RAMUS_SETTING_INT,  offsetof(settings, hints.top_k), "experts per token; 0: as the file says, else 2", "0", 0, 64, NULL, NULL},
};
// clang-format on

static ramus_status save_vocab(const ramus_buffer *vocab, const char *path, ramus_error *err)
{
    ramus_writer *w = NULL;
    ramus_status st = ramus_writer_create(&w, path, err);
    if (!st) st = ramus_writer_write(w, vocab->data, vocab->size, err);
    if (!st) st = ramus_writer_commit(w, err);
    ramus_writer_destroy(w);
    return st;
}

static ramus_status save_vocabs(const ramus_checkpoint *c, const ramus_texts *paths,
                                ramus_error *err)
{
    const int n = (c->vocabs[0].size > 0) + (c->vocabs[1].size > 0);
    ramus_status st = RAMUS_OK;
    if (paths->n && paths->n != n)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "--vocab with %d files: the model's vocabularies are %d", paths->n, n);
    for (int i = 0; i < paths->n && !st; i++)
        st = save_vocab(&c->vocabs[i], paths->items[i], err);
    return st;
}

static ramus_status import(ramus_checkpoint *c, const char *path, const settings *s,
                           ramus_error *err)
{
    ramus_status st = ramus_import(c, path, &s->hints, err);
    if (!st) st = save_vocabs(c, &s->vocabs, err);
    if (!st) st = ramus_checkpoint_save(c, s->output, err);
    return st;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    ramus_checkpoint c = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;

    if (o.n_arguments != 1 || !s.output) {
        (void)ramus_fail(&err, RAMUS_BAD_ARGUMENT,
                         "expected one file or folder to read and -o FILE to write");
        code = ramus_command_misuse(command, &err);
    } else if (ramus_options_check_output(&o, s.output, NULL, true, &err) ||
               import(&c, o.arguments[0], &s, &err)) {
        code = ramus_command_fail(command, &err);
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
    "a model of others (OPUS-MT, Marian, the paper's authors), or an exported one -> a checkpoint",
    "FOLDER|FILE -o CHECKPOINT.safetensors [--vocab FILE.model...] [--heads N] [--top-k K]",
    "  ramus import opus-mt-en-de -o en-de.safetensors\n"
    "  ramus import marian/model.npz -o model.safetensors\n"
    "  ramus import transformer_dmb.safetensors -o model.safetensors --heads 8\n"
    "  ramus import models/en-de.gguf -o en-de.safetensors --vocab joint.model\n"
    "  ramus train --init en-de.safetensors --vocab joint.model --train mine.tsv --out tuned\n",
    .run = run,
    .without = "json threads seed",
};
