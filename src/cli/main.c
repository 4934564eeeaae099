/* The table of commands. The first argument picks one; the command does the rest. */
#include "cli/command.h"
#include "cli/stop.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const ramus_command *const commands[] = {
    &ramus_command_vocab,    &ramus_command_tokenize, &ramus_command_detokenize,
    &ramus_command_evaluate, &ramus_command_profile,  &ramus_command_bench,
    &ramus_command_inspect,  &ramus_command_import,   &ramus_command_train,
    &ramus_command_average,  &ramus_command_export,   &ramus_command_translate,
    &ramus_command_score,    &ramus_command_distill,  &ramus_command_gates,
    &ramus_command_serve,
};

static int print_overview(void)
{
    printf(
        "ramus %s: neural machine translation on the device\n\nUsage: ramus COMMAND [options]\n\n",
        ramus_version());
    for (int i = 0; i < RAMUS_COUNT(commands); i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    printf(
        "\n`ramus COMMAND --help` explains a command with examples. Exit codes: 0 done, 1 failed, "
        "2 wrong usage.\n");
    return fflush(stdout) ? RAMUS_EXIT_FAILED : RAMUS_EXIT_DONE;
}

static int unknown_command(const char *name)
{
    const char *names[RAMUS_COUNT(commands)];
    for (int i = 0; i < RAMUS_COUNT(commands); i++)
        names[i] = commands[i]->name;
    const char *near = ramus_nearest_word(name, names, RAMUS_COUNT(commands));
    (void)fprintf(stderr, "ramus: unknown command '%s'%s%s%s\n", name,
                  near ? "; did you mean " : " (ramus --help lists them)", near ? near : "",
                  near ? "?" : "");
    return RAMUS_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "ramus: no command given (ramus --help lists them)\n");
        return RAMUS_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_overview();
    if (strcmp(argv[1], "--version") == 0) {
        printf("ramus %s\n", ramus_version());
        return fflush(stdout) ? RAMUS_EXIT_FAILED : RAMUS_EXIT_DONE;
    }
    for (int i = 0; i < RAMUS_COUNT(commands); i++) {
        if (strcmp(argv[1], commands[i]->name) != 0) continue;
        if (argc == 3 && strcmp(argv[2], "--version") == 0) {
            printf("ramus %s\n", ramus_version());
            return fflush(stdout) ? RAMUS_EXIT_FAILED : RAMUS_EXIT_DONE;
        }
        (void)signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
        const int code = commands[i]->run(commands[i], argc - 2, argv + 2);
        if (code == RAMUS_EXIT_FAILED) ramus_stop_obey();
        return code;
    }
    return unknown_command(argv[1]);
}
