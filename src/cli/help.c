/* The overview, the help of a command, and `ramus help`. A manual page or a completion is made by
 * asking each command for its help in another form. */
#include "cli/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 80 // where nobody knows

const char *const ramus_help_environment[][2] = {
    {"RAMUS_MODELS", "folder of the models that are used without -m"},
    {"RAMUS_ISA", "the fastest kernels to use, of those that `ramus inspect --cpu` lists"},
    {"RAMUS_PLUGINS", "folder of the shared objects that learn vocabularies and join ranks"},
    {"TMPDIR", "folder of temporary files"},
    {"NO_COLOR", "if it is set, `ramus gates` uses no colours"},
    {"COLUMNS", "width of help"},
    {NULL, NULL},
};

/* Columns of help: as COLUMNS says, or the terminal. */
static int find_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize window = {0};
    int width = columns ? atoi(columns) : 0;
    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) width = window.ws_col;
    return width <= 0 ? WIDTH : width < 60 ? 60 : width;
}

void ramus_help_text(ramus_buffer *out, const ramus_options *o)
{
    const ramus_command *c = o->command;
    const int width = find_width();
    ramus_buffer_print(out, "ramus %s: ", c->name);
    ramus_buffer_wrap(out, c->summary, 0, width);
    ramus_buffer_print(out, "\n\nUsage: ramus %s ", c->name);
    ramus_buffer_wrap(out, c->usage, 4, width);
    ramus_buffer_print(out, "\n\n%s", c->examples);
    for (int i = o->n_tables - 1; i >= 0; i--) { // its own options first, the common ones last
        ramus_buffer_print(out, "\n%s:\n", o->titles[i]);
        ramus_settings_help(&o->tables[i], width, out);
    }
    ramus_buffer names = {0};
    ramus_buffer_text(&names, "Environment, explained by `ramus help`:");
    for (int i = 0; ramus_help_environment[i][0]; i++)
        ramus_buffer_print(&names, "%s %s", i ? "," : "", ramus_help_environment[i][0]);
    ramus_buffer_text(out, "\n");
    ramus_buffer_wrap(out, names.data ? names.data : "", 4, width);
    ramus_buffer_text(out, "\n");
    ramus_buffer_free(&names);
}

static int print(ramus_buffer *out)
{
    static const ramus_command command = {.name = "help"};
    return ramus_command_print(&command, out);
}

static void add_row(ramus_buffer *out, const char *name, const char *text, int width)
{
    ramus_buffer_print(out, "  %-13s ", name);
    ramus_buffer_wrap(out, text, 16, width);
    ramus_buffer_text(out, "\n");
}

static int print_overview(const ramus_help_entry *entries, int n)
{
    ramus_buffer out = {0};
    const int width = find_width();
    ramus_buffer_print(&out,
                       "ramus %s: neural machine translation on the device\n\n"
                       "Usage: ramus COMMAND [options]\n",
                       ramus_version());
    for (int i = 0; i < n; i++) {
        if (i == 0 || strcmp(entries[i].group, entries[i - 1].group) != 0)
            ramus_buffer_print(&out, "\n%s:\n", entries[i].group);
        add_row(&out, entries[i].command->name, entries[i].command->summary, width);
    }
    ramus_buffer_text(&out, "\nEnvironment:\n");
    for (int i = 0; ramus_help_environment[i][0]; i++)
        add_row(&out, ramus_help_environment[i][0], ramus_help_environment[i][1], width);
    ramus_buffer_text(&out, "\n");
    ramus_buffer_wrap(&out,
                      "`ramus help COMMAND` explains a command with examples. `ramus help --man` "
                      "and `ramus help --completion bash|zsh|fish` print a manual page and what "
                      "completes commands in a shell. Exit codes: 0 done, 1 failed, 2 wrong usage.",
                      0, width);
    ramus_buffer_text(&out, "\n");
    return print(&out);
}

/* Lets a command print its part of a form, as it prints its help. */
static int ask(const ramus_command *command, void (*form)(ramus_buffer *, const ramus_options *))
{
    char help[] = "--help", *words[] = {help, NULL};
    ramus_command asked = *command;
    asked.form = form;
    return asked.run(&asked, 1, words);
}

static int print_frame(const ramus_help_frame *frame, const ramus_help_entry *entries, int n)
{
    ramus_buffer out = {0};
    frame->before(&out, entries, n);
    int code = print(&out);
    for (int i = 0; i < n && code == RAMUS_EXIT_DONE; i++)
        code = ask(entries[i].command, frame->part);
    if (code == RAMUS_EXIT_DONE) {
        frame->after(&out);
        code = print(&out);
    }
    return code;
}

int ramus_help_unknown(const ramus_help_entry *entries, int n, const char *name)
{
    const char *names[64];
    RAMUS_ASSERT(n <= RAMUS_COUNT(names));
    for (int i = 0; i < n; i++)
        names[i] = entries[i].command->name;
    const char *near = ramus_nearest_word(name, names, n);
    (void)fprintf(stderr, "ramus: unknown command '%s'%s%s%s\n", name,
                  near ? "; did you mean " : " (ramus --help lists them)", near ? near : "",
                  near ? "?" : "");
    return RAMUS_EXIT_USAGE;
}

static int misuse(const char *word)
{
    (void)fprintf(stderr,
                  "ramus help: unexpected '%s', expected COMMAND, --man or --completion "
                  "bash|zsh|fish\n",
                  word);
    return RAMUS_EXIT_USAGE;
}

int ramus_help(const ramus_help_entry *entries, int n, int argc, char **argv)
{
    static const struct {
        const char *shell;
        const ramus_help_frame *frame;
    } shells[] = {{"bash", &ramus_help_frame_bash},
                  {"zsh", &ramus_help_frame_zsh},
                  {"fish", &ramus_help_frame_fish}};
    if (argc == 0) return print_overview(entries, n);
    if (strcmp(argv[0], "--completion") == 0) {
        for (int i = 0; i < RAMUS_COUNT(shells) && argc == 2; i++)
            if (strcmp(argv[1], shells[i].shell) == 0)
                return print_frame(shells[i].frame, entries, n);
        return misuse(argv[argc - 1]);
    }
    if (argc > 1) return misuse(argv[1]);
    if (strcmp(argv[0], "--man") == 0) return print_frame(&ramus_help_frame_man, entries, n);
    if (strcmp(argv[0], "--help") == 0) return print_overview(entries, n);
    for (int i = 0; i < n; i++)
        if (strcmp(argv[0], entries[i].command->name) == 0) return ask(entries[i].command, NULL);
    return argv[0][0] == '-' ? misuse(argv[0]) : ramus_help_unknown(entries, n, argv[0]);
}
