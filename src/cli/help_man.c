/* The manual page ramus(1), in the macros of man(7). */
#include "cli/help.h"

#include <string.h>

/* Adds text as roff reads it: nothing in it is a request or a character of another meaning. */
static void put(ramus_buffer *out, const char *text)
{
    bool start = out->size == 0 || out->data[out->size - 1] == '\n';
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) ramus_buffer_text(out, "\\&");
        start = *text == '\n';
        if (*text == '\\')
            ramus_buffer_text(out, "\\e");
        else if (*text == '-')
            ramus_buffer_text(out, "\\-");
        else if (*text == '`')
            ramus_buffer_text(out, "\\(ga");
        else if (*text == '~')
            ramus_buffer_text(out, "\\(ti");
        else if (*text == '^')
            ramus_buffer_text(out, "\\(ha");
        else
            ramus_buffer_add(out, text, 1);
    }
}

/* An entry of a list: what it is called, and a paragraph. */
static void put_entry(ramus_buffer *out, const char *name, const char *values, const char *text)
{
    ramus_buffer_text(out, ".TP\n\\fB");
    put(out, name);
    ramus_buffer_text(out, "\\fR");
    if (*values) {
        ramus_buffer_text(out, " \\fI");
        put(out, values);
        ramus_buffer_text(out, "\\fR");
    }
    ramus_buffer_text(out, "\n");
    put(out, text);
    ramus_buffer_text(out, "\n");
}

static void put_option(ramus_buffer *out, const ramus_setting *row)
{
    ramus_buffer name = {0}, values = {0}, text = {0};
    ramus_buffer_print(&name, "--%s", row->name);
    ramus_setting_values(row, &values);
    ramus_setting_explain(row, &text);
    put_entry(out, name.data, values.data ? values.data : "", text.data);
    ramus_buffer_free(&name);
    ramus_buffer_free(&values);
    ramus_buffer_free(&text);
}

static void before(ramus_buffer *out, const ramus_help_entry *entries, int n)
{
    ramus_buffer_print(out, ".TH RAMUS 1 \"\" \"ramus %s\" \"User Commands\"\n", ramus_version());
    ramus_buffer_text(out, ".SH NAME\nramus \\- neural machine translation on the device\n"
                           ".SH SYNOPSIS\n.B ramus\n.I COMMAND\n[options]\n.SH DESCRIPTION\n");
    for (int i = 0; i < n; i++)
        put_entry(out, entries[i].command->name, "", entries[i].command->summary);
    ramus_buffer_text(out, ".SH OPTIONS OF EVERY COMMAND\n");
    ramus_common common;
    const ramus_settings s = ramus_common_options(&common);
    for (int i = 0; i < s.n; i++)
        put_option(out, &s.rows[i]);
    ramus_buffer_text(out, ".SH COMMANDS\n");
}

void ramus_help_man(ramus_buffer *out, const ramus_options *o)
{
    const ramus_command *c = o->command;
    ramus_buffer_text(out, ".SS \"");
    put(out, "ramus ");
    put(out, c->name);
    ramus_buffer_text(out, "\"\n");
    put(out, c->usage);
    ramus_buffer_text(out, "\n.PP\n");
    put(out, c->summary);
    ramus_buffer_text(out, ".\n.PP\n.nf\n");
    put(out, c->examples);
    ramus_buffer_text(out, ".fi\n");
    for (int i = o->n_tables - 1; i > 0; i--)
        for (int j = 0; j < o->tables[i].n; j++)
            put_option(out, &o->tables[i].rows[j]);
}

static void after(ramus_buffer *out)
{
    ramus_buffer_text(out, ".SH ENVIRONMENT\n");
    for (int i = 0; ramus_help_environment[i][0]; i++)
        put_entry(out, ramus_help_environment[i][0], "", ramus_help_environment[i][1]);
    ramus_buffer_text(out, ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage.\n");
}

const ramus_help_frame ramus_help_frame_man = {before, ramus_help_man, after};
