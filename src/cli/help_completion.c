/* Completions: a function for bash and for zsh, and lines for fish. Each completes commands,
 * options, and words that an option takes; files are completed by the shell. */
#include "cli/help.h"

#include <string.h>

static bool takes_file(const ramus_setting *row)
{
    return row->choices == ramus_setting_file || row->choices == ramus_setting_folder;
}

/* Adds the words that the row takes, with spaces between. */
static void put_words(ramus_buffer *out, const ramus_setting *row)
{
    if (row->type == RAMUS_SETTING_SWITCH) ramus_buffer_text(out, "on off");
    for (int i = 0; row->type == RAMUS_SETTING_CHOICE && row->choices[i]; i++)
        ramus_buffer_print(out, "%s%s", i ? " " : "", row->choices[i]);
}

static bool takes_words(const ramus_setting *row)
{
    return row->type == RAMUS_SETTING_SWITCH || row->type == RAMUS_SETTING_CHOICE;
}

static void put_names(ramus_buffer *out, const ramus_help_entry *entries, int n)
{
    for (int i = 0; i < n; i++)
        ramus_buffer_print(out, "%s ", entries[i].command->name);
    ramus_buffer_text(out, "help");
}

/* Adds text that stands between single quotes; a backslash goes before each of `special`. */
static void put_quoted(ramus_buffer *out, const char *text, const char *quote, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            ramus_buffer_text(out, quote);
            continue;
        }
        if (strchr(special, *text)) ramus_buffer_text(out, "\\");
        ramus_buffer_add(out, text, 1);
    }
}

static void begin_bash(ramus_buffer *out, const ramus_help_entry *entries, int n)
{
    ramus_buffer_text(out,
                      "# bash completion for ramus, printed by `ramus help --completion bash`\n"
                      "_ramus() {\n"
                      "    local word=${COMP_WORDS[COMP_CWORD]} options= values=\n"
                      "    local option=${COMP_WORDS[COMP_CWORD-1]}\n"
                      "    COMPREPLY=()\n"
                      "    if [ \"$COMP_CWORD\" = 1 ] || { [ \"$COMP_CWORD\" = 2 ] && "
                      "[ \"$option\" = help ]; }; then\n"
                      "        COMPREPLY=($(compgen -W '");
    put_names(out, entries, n);
    ramus_buffer_text(out, " --help --version' -- \"$word\"))\n"
                           "        return\n"
                           "    fi\n"
                           "    case ${COMP_WORDS[1]} in\n");
}

void ramus_help_bash(ramus_buffer *out, const ramus_options *o)
{
    ramus_buffer_print(out, "    %s)\n        options='", o->command->name);
    for (int i = o->n_tables - 1; i >= 0; i--)
        for (int j = 0; j < o->tables[i].n; j++)
            ramus_buffer_print(out, "--%s ", o->tables[i].rows[j].name);
    ramus_buffer_text(out, "'\n        case $option in\n");
    for (int i = o->n_tables - 1; i >= 0; i--)
        for (int j = 0; j < o->tables[i].n; j++) {
            const ramus_setting *row = &o->tables[i].rows[j];
            if (!takes_words(row)) continue;
            ramus_buffer_print(out, "        --%s) values='", row->name);
            put_words(out, row);
            ramus_buffer_text(out, "' ;;\n");
        }
    ramus_buffer_text(out, "        esac ;;\n");
}

static void end_bash(ramus_buffer *out)
{
    ramus_buffer_text(out, "    esac\n"
                           "    case $word in\n"
                           "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                           "    *) COMPREPLY=($(compgen -W \"$values\" -- \"$word\")) ;;\n"
                           "    esac\n"
                           "} # where nothing fits, files do\n"
                           "complete -o default -F _ramus ramus\n");
}

static void begin_zsh(ramus_buffer *out, const ramus_help_entry *entries, int n)
{
    ramus_buffer_text(out, "#compdef ramus\n"
                           "# zsh completion for ramus, printed by `ramus help --completion zsh`\n"
                           "_ramus() {\n"
                           "    if (( CURRENT == 2 )) || [[ CURRENT -eq 3 && $words[2] == help ]]; "
                           "then\n"
                           "        local -a commands=(\n");
    for (int i = 0; i < n; i++) {
        ramus_buffer_print(out, "            '%s:", entries[i].command->name);
        put_quoted(out, entries[i].command->summary, "'\\''", ":\\");
        ramus_buffer_text(out, "'\n");
    }
    ramus_buffer_text(out, "            'help:explains the program or a command'\n"
                           "        )\n"
                           "        _describe command commands\n"
                           "        return\n"
                           "    fi\n"
                           "    local command=$words[2]\n"
                           "    shift words\n"
                           "    (( CURRENT-- ))\n"
                           "    case $command in\n");
}

void ramus_help_zsh(ramus_buffer *out, const ramus_options *o)
{
    ramus_buffer_print(out, "    %s) _arguments \\\n", o->command->name);
    for (int i = o->n_tables - 1; i >= 0; i--)
        for (int j = 0; j < o->tables[i].n; j++) {
            const ramus_setting *row = &o->tables[i].rows[j];
            ramus_buffer_print(out, "        '%s--%s[", row->type == RAMUS_SETTING_LIST ? "*" : "",
                               row->name);
            put_quoted(out, row->help, "'\\''", "[]:\\");
            ramus_buffer_text(out, "]");
            if (row->type != RAMUS_SETTING_FLAG) {
                ramus_buffer_text(out, ":");
                ramus_setting_values(row, out);
                ramus_buffer_text(out, ":");
            }
            if (takes_words(row)) {
                ramus_buffer_text(out, "(");
                put_words(out, row);
                ramus_buffer_text(out, ")");
            } else if (takes_file(row)) {
                ramus_buffer_text(out, "_files");
            }
            ramus_buffer_text(out, "' \\\n");
        }
    ramus_buffer_text(out, "        '*:file:_files' ;;\n");
}

static void end_zsh(ramus_buffer *out)
{
    ramus_buffer_text(out, "    esac\n}\n_ramus \"$@\"\n");
}

static void begin_fish(ramus_buffer *out, const ramus_help_entry *entries, int n)
{
    ramus_buffer_text(out,
                      "# fish completion for ramus, printed by `ramus help --completion fish`\n"
                      "set -l names ");
    put_names(out, entries, n);
    ramus_buffer_text(out, "\n");
    for (int i = 0; i < n; i++) {
        ramus_buffer_print(out,
                           "complete -c ramus -f -n \"not __fish_seen_subcommand_from $names; or "
                           "__fish_seen_subcommand_from help\" -a %s -d '",
                           entries[i].command->name);
        put_quoted(out, entries[i].command->summary, "\\'", "\\");
        ramus_buffer_text(out, "'\n");
    }
    ramus_buffer_text(out, "complete -c ramus -f -n \"not __fish_seen_subcommand_from $names\" "
                           "-a help -d 'explains the program or a command'\n");
}

void ramus_help_fish(ramus_buffer *out, const ramus_options *o)
{
    for (int i = o->n_tables - 1; i >= 0; i--)
        for (int j = 0; j < o->tables[i].n; j++) {
            const ramus_setting *row = &o->tables[i].rows[j];
            ramus_buffer_print(out,
                               "complete -c ramus -n '__fish_seen_subcommand_from %s' -l %s -d '",
                               o->command->name, row->name);
            put_quoted(out, row->help, "\\'", "\\");
            ramus_buffer_text(out, row->type == RAMUS_SETTING_FLAG ? "'"
                                   : takes_file(row)               ? "' -r -F"
                                                                   : "' -x");
            if (takes_words(row)) {
                ramus_buffer_text(out, " -a '");
                put_words(out, row);
                ramus_buffer_text(out, "'");
            }
            ramus_buffer_text(out, "\n");
        }
}

static void end_fish(ramus_buffer *out)
{
    (void)out; // each line is whole
}

const ramus_help_frame ramus_help_frame_bash = {begin_bash, ramus_help_bash, end_bash};
const ramus_help_frame ramus_help_frame_zsh = {begin_zsh, ramus_help_zsh, end_zsh};
const ramus_help_frame ramus_help_frame_fish = {begin_fish, ramus_help_fish, end_fish};
