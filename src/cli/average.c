/* `ramus average`: checkpoints, or the newest ones of run folders, become one with their mean. */
#include "cli/command.h"

#include "convert/average.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *output;
    int last;
} settings;

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"output", RAMUS_SETTING_TEXT, AT(output), "the checkpoint to write (also -o)", NULL, 0, 0, ramus_setting_file, NULL},
    {"last",   RAMUS_SETTING_INT,  AT(last), "newest checkpoints to take of each run folder; 0: all", "0", 0, 1000000, NULL, NULL},
};
#undef AT
// clang-format on

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE, n = 0;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    if (!s.output || o.n_arguments == 0) {
        (void)ramus_fail(&err, RAMUS_BAD_ARGUMENT,
                         "expected checkpoints or run folders, and -o FILE.safetensors");
        code = ramus_command_misuse(command, &err);
    } else if (ramus_average((const char *const *)o.arguments, o.n_arguments, s.last, s.output, &n,
                             &err)) {
        code = ramus_command_fail(command, &err);
    } else {
        ramus_command_note(&o, "%s: the mean of %d checkpoints", s.output, n);
    }
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_average = {
    "average",
    "the mean of several checkpoints of one run",
    "CHECKPOINT|FOLDER... -o FILE.safetensors [--last N]",
    "  ramus average run --last 5 -o run/average.safetensors\n"
    "  ramus average run/checkpoint-00009000.safetensors run/checkpoint-00010000.safetensors \\\n"
    "      -o mean.safetensors\n",
    .run = run,
    .without = "json threads seed",
};
