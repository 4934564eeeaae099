/* help.h - what the program says of itself: help on a terminal, a manual page, and completions for
 * shells. All of it follows from the tables of options and the list of commands. */
#ifndef RAMUS_CLI_HELP_H
#define RAMUS_CLI_HELP_H

#include "cli/command.h"

/* A command in the list of them. */
typedef struct ramus_help_entry {
    const char *group; // what it is for
    const ramus_command *command;
} ramus_help_entry;

/* `ramus help` with what follows it: nothing, a command, --man or --completion SHELL. Returns the
 * exit code. */
int ramus_help(const ramus_help_entry *entries, int n, int argc, char **argv);

/* Prints the message about a name that no command has; returns the exit code. */
int ramus_help_unknown(const ramus_help_entry *entries, int n, const char *name);

/* The part about one command, by the form that it is asked for. */
void ramus_help_text(ramus_buffer *out, const ramus_options *o);
void ramus_help_man(ramus_buffer *out, const ramus_options *o);
void ramus_help_bash(ramus_buffer *out, const ramus_options *o);
void ramus_help_zsh(ramus_buffer *out, const ramus_options *o);
void ramus_help_fish(ramus_buffer *out, const ramus_options *o);

/* What stands around these parts. */
typedef struct ramus_help_frame {
    void (*before)(ramus_buffer *out, const ramus_help_entry *entries, int n);
    void (*part)(ramus_buffer *out, const ramus_options *o);
    void (*after)(ramus_buffer *out);
} ramus_help_frame;

extern const ramus_help_frame ramus_help_frame_man, ramus_help_frame_bash, ramus_help_frame_zsh,
    ramus_help_frame_fish;

/* Variables of the environment that ramus looks at; ends with NULL. */
extern const char *const ramus_help_environment[][2];

#endif
