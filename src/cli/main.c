/* The table of commands. The first argument picks one; the command does the rest. */
#include "cli/command.h"
#include "cli/help.h"
#include "cli/stop.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

// clang-format off
static const ramus_help_entry commands[] = {
    {"Translating", &ramus_command_translate},
    {"Translating", &ramus_command_gates},
    {"Translating", &ramus_command_models},
    {"Translating", &ramus_command_serve},
    {"Training",    &ramus_command_clean},
    {"Training",    &ramus_command_vocab},
    {"Training",    &ramus_command_train},
    {"Training",    &ramus_command_average},
    {"Training",    &ramus_command_report},
    {"Training",    &ramus_command_distill},
    {"Model files", &ramus_command_export},
    {"Model files", &ramus_command_import},
    {"Model files", &ramus_command_inspect},
    {"Measuring",   &ramus_command_evaluate},
    {"Measuring",   &ramus_command_score},
    {"Measuring",   &ramus_command_profile},
    {"Measuring",   &ramus_command_bench},
    {"Text",        &ramus_command_tokenize},
    {"Text",        &ramus_command_detokenize},
};
// clang-format on

static bool is_version(const char *word)
{
    return strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0;
}

static int print_version(void)
{
    printf("ramus %s\n", ramus_version());
    return fflush(stdout) ? RAMUS_EXIT_FAILED : RAMUS_EXIT_DONE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "ramus: no command given (ramus --help lists them)\n");
        return RAMUS_EXIT_USAGE;
    }
    const int n = RAMUS_COUNT(commands);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return ramus_help(commands, n, 0, NULL);
    if (strcmp(argv[1], "help") == 0) return ramus_help(commands, n, argc - 2, argv + 2);
    if (is_version(argv[1])) return print_version();
    for (int i = 0; i < n; i++) {
        const ramus_command *command = commands[i].command;
        if (strcmp(argv[1], command->name) != 0) continue;
        if (argc == 3 && is_version(argv[2])) return print_version();
        (void)signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
        const int code = command->run(command, argc - 2, argv + 2);
        if (code == RAMUS_EXIT_FAILED) ramus_stop_obey();
        return code;
    }
    return ramus_help_unknown(commands, n, argv[1]);
}
