/* command.h - what a command of the program is, and what all of them share: options, errors,
 * output.
 *
 * Data goes to standard output, everything else to standard error. A command returns its exit code:
 * 0 done, 1 failed, 2 wrong usage. Usage is wrong where reading the options says so, or the
 * command's own check of them; every later failure is 1. No exit code depends on a ramus_status. */
#ifndef RAMUS_CLI_COMMAND_H
#define RAMUS_CLI_COMMAND_H

#include "base/buffer.h"
#include "base/settings.h"

#define RAMUS_EXIT_DONE   0
#define RAMUS_EXIT_FAILED 1
#define RAMUS_EXIT_USAGE  2

#define RAMUS_MAX_TABLES     8
#define RAMUS_SHARED_OPTIONS 3

struct ramus_options;

typedef struct ramus_command {
    const char *name;
    const char *summary;  // one line, for the list of commands
    const char *usage;    // what follows the name
    const char *examples; // lines
    int (*run)(const struct ramus_command *command, int argc, char **argv);
    bool ranks;          // the processes that mpirun starts do one job together
    const char *without; // shared options of no use here, as "json seed"; NULL: none
    /* Writes its help, told the options; NULL: as text for a terminal. */
    void (*form)(ramus_buffer *out, const struct ramus_options *o);
} ramus_command;

extern const ramus_command ramus_command_vocab, ramus_command_tokenize, ramus_command_detokenize,
    ramus_command_evaluate, ramus_command_profile, ramus_command_bench, ramus_command_inspect,
    ramus_command_import, ramus_command_train, ramus_command_average, ramus_command_export,
    ramus_command_translate, ramus_command_score, ramus_command_distill, ramus_command_gates,
    ramus_command_models, ramus_command_serve, ramus_command_clean, ramus_command_report;

/* Options of every command, and three that several share. */
typedef struct ramus_common {
    bool help, quiet, json;
    int threads; // 0: the cores this process may use
    int seed;
    const char *config;
} ramus_common;

/* What a command was called with. Starts as {0}; the command adds its tables, then reads. */
typedef struct ramus_options {
    const ramus_command *command;
    ramus_common common;
    ramus_settings tables[RAMUS_MAX_TABLES];
    const char *titles[RAMUS_MAX_TABLES]; // of the tables, in help
    int n_tables;
    ramus_setting shared[RAMUS_SHARED_OPTIONS];
    ramus_settings unlisted; // taken, but not shown in help
    char **arguments;        // what is not an option, in order
    int n_arguments;
    char *config_text; // values from the file point into it

    /* May change defaults before --config and the command line are read; NULL: nothing to do. */
    void (*prepare)(struct ramus_options *o, int argc, char **argv);
    char config_path[4096]; // room for a name that `prepare` gives to common.config
} ramus_options;

/* Adds a table of the command's own options, or of a group with a title. */
void ramus_options_add(ramus_options *o, ramus_settings table);
void ramus_options_add_group(ramus_options *o, const char *title, ramus_settings table);

/* The options of every command; ramus_options_parse() adds them. */
ramus_settings ramus_common_options(ramus_common *common);

/* Gives all fields of all tables their defaults, then what --config says, then what the command
 * line says. argv is reordered. With --help, the rest is ignored. */
RAMUS_CHECKED ramus_status ramus_options_parse(ramus_options *o, const ramus_command *command,
                                               int argc, char **argv, ramus_error *err);

/* Prints the help and frees `o`. Returns the exit code. */
int ramus_options_help(ramus_options *o);

/* Refuses an output, or NULL, that is also read: a file of another option, except the row `same`
 * (NULL: none), which the output may be. `arguments`: they are files, too. */
RAMUS_CHECKED ramus_status ramus_options_check_output(const ramus_options *o, const char *output,
                                                      const char *same, bool arguments,
                                                      ramus_error *err);

/* Parses and returns true. On false *code is the exit code: help was printed, or a message about
 * wrong usage. For commands without `ranks`; others join (cli/join.h).
 */
bool ramus_options_read(ramus_options *o, const ramus_command *command, int argc, char **argv,
                        int *code);
void ramus_options_free(ramus_options *o);

/* Prints "ramus NAME: message" on standard error and returns RAMUS_EXIT_FAILED. Ranks have agreed
 * on the failure (cli/join.h): the first prints, before ramus_comm_close(), since mpirun kills all
 * others when one has ended with a code that is not 0. */
int ramus_command_fail(const ramus_command *command, const ramus_error *err);

/* The same for a command's check of its options; returns RAMUS_EXIT_USAGE. */
int ramus_command_misuse(const ramus_command *command, const ramus_error *err);

/* Prints the buffer on standard output, frees it, and returns the exit code. */
int ramus_command_print(const ramus_command *command, ramus_buffer *out);

/* A note on standard error unless --quiet. */
void ramus_command_note(const ramus_options *o, const char *format, ...) RAMUS_PRINTF(2, 3);

/* The note that standard input is read, though it was not named, where it is a terminal. */
void ramus_command_note_waiting(const ramus_options *o);

#endif
