/* Options are rows of settings tables. argv is split into options and arguments; then defaults,
 * the file of --config and the command line are applied in that order. */
#include "cli/command.h"
#include "cli/help.h"

#include "ranks/comm.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// clang-format off
#define AT(field) offsetof(ramus_common, field)
static const ramus_setting common_rows[] = {
    {"help",    RAMUS_SETTING_FLAG, AT(help), "print this help", NULL, 0, 0, NULL, NULL},
    {"quiet",   RAMUS_SETTING_FLAG, AT(quiet), "no progress and no notes (also -q)", NULL, 0, 0, NULL, NULL},
    {"config",  RAMUS_SETTING_TEXT, AT(config), "a file of `name = value` lines; the command line wins", NULL, 0, 0, ramus_setting_file, NULL},
};
#define SHARED_JSON 0
static const ramus_setting shared_rows[RAMUS_SHARED_OPTIONS] = { // of the commands that have a use for them
    {"json",    RAMUS_SETTING_FLAG, AT(json), "print the result as JSON", NULL, 0, 0, NULL, NULL},
    {"threads", RAMUS_SETTING_INT,  AT(threads), "threads; 0 uses every core that this process may use", "0", 0, 1024, NULL, NULL},
    {"seed",    RAMUS_SETTING_INT,  AT(seed), "seed of random choices", "1", 0, 2147483647, NULL, NULL},
};
#undef AT
// clang-format on

#define MOST_CONFIG (1 << 20) // bytes of a settings file

static const char *const short_names[][2] = {
    {"-h", "help"}, {"-q", "quiet"}, {"-o", "output"}, {"-i", "input"}, {"-m", "model"}};

/* One `name value` that the user gave. */
typedef struct {
    const ramus_settings *table;
    const ramus_setting *row;
    const char *value;
    int line; // of the file; 0: of the command line
} assignment;

typedef struct {
    assignment *items;
    int n;
} assignments;

void ramus_options_add_group(ramus_options *o, const char *title, ramus_settings table)
{
    RAMUS_ASSERT(o->n_tables < RAMUS_MAX_TABLES);
    o->titles[o->n_tables] = title;
    o->tables[o->n_tables++] = table;
}

void ramus_options_add(ramus_options *o, ramus_settings table)
{
    ramus_options_add_group(o, "Options", table);
}

ramus_settings ramus_common_options(ramus_common *common)
{
    return (ramus_settings){common_rows, RAMUS_COUNT(common_rows), common};
}

void ramus_options_free(ramus_options *o)
{
    free(o->config_text);
    o->config_text = NULL;
}

/* What comes before a line on standard error, so that a terminal shows it in place of the progress
 * (cli/progress.h). */
static const char *over_progress(void)
{
    return isatty(STDERR_FILENO) ? "\r\033[K" : "";
}

int ramus_command_fail(const ramus_command *command, const ramus_error *err)
{
    if (!command->ranks || ramus_comm_launched_as() == 0)
        (void)fprintf(stderr, "%sramus %s: %s\n", over_progress(), command->name, err->message);
    return RAMUS_EXIT_FAILED;
}

int ramus_command_misuse(const ramus_command *command, const ramus_error *err)
{
    (void)ramus_command_fail(command, err);
    return RAMUS_EXIT_USAGE;
}

int ramus_command_print(const ramus_command *command, ramus_buffer *out)
{
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    if (ramus_buffer_check(out, &err)) {
        code = ramus_command_fail(command, &err);
    } else if (out->size &&
               (fwrite(out->data, 1, out->size, stdout) != out->size || fflush(stdout))) {
        (void)ramus_fail(&err, RAMUS_IO, "cannot write the result: %s", strerror(errno));
        code = ramus_command_fail(command, &err);
    }
    ramus_buffer_free(out);
    return code;
}

void ramus_command_note(const ramus_options *o, const char *format, ...)
{
    if (o->common.quiet) return;
    va_list args;
    (void)fputs(over_progress(), stderr);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
}

void ramus_command_note_waiting(const ramus_options *o)
{
    if (isatty(STDIN_FILENO)) ramus_command_note(o, "reading standard input; Ctrl-D ends it");
}

static bool find_row(const ramus_options *o, const char *name, assignment *found)
{
    for (int i = 0; i < o->n_tables; i++) {
        found->table = &o->tables[i];
        found->row = ramus_setting_find(found->table, name);
        if (found->row) return true;
    }
    found->table = &o->unlisted;
    found->row = ramus_setting_find(found->table, name);
    return found->row;
}

/* The sentence for a name that no table has, with the nearest one that some table has. */
static ramus_status fail_unknown(const ramus_options *o, const char *name, ramus_error *err)
{
    const char *words[256];
    int n = 0;
    for (int i = 0; i < o->n_tables; i++)
        for (int j = 0; j < o->tables[i].n && n < RAMUS_COUNT(words); j++)
            words[n++] = o->tables[i].rows[j].name;
    const char *near = ramus_nearest_word(name, words, n);
    return ramus_fail(err, RAMUS_BAD_ARGUMENT, "unknown option '%s'%s%s%s", name,
                      near ? "; did you mean --" : " (--help lists them)", near ? near : "",
                      near ? "?" : "");
}

/* Says where in the file of --config it went wrong. */
static ramus_status fail_in_config(const ramus_options *o, int line, ramus_status st,
                                   ramus_error *err)
{
    char place[sizeof o->config_path + 32];
    (void)snprintf(place, sizeof place, "%s: line %d", o->common.config, line);
    return ramus_fail_in(err, st, place);
}

/* Rows that set other fields are applied first, so that `--width 96 --preset tiny` keeps its width.
 */
static ramus_status apply(const ramus_options *o, const assignments *list, ramus_error *err)
{
    for (int i = 0; i < list->n; i++) // a list given here replaces that of --config
        ramus_setting_clear(list->items[i].table, list->items[i].row);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < list->n; i++) {
            const assignment *a = &list->items[i];
            if ((a->row->chosen != NULL) != (pass == 0)) continue;
            const ramus_status st = ramus_setting_set(a->table, a->row, a->value, err);
            if (st) return a->line ? fail_in_config(o, a->line, st, err) : st;
        }
    return RAMUS_OK;
}

/* "-" is a file, "- milk" is text. */
static bool is_option(const char *word)
{
    return word[0] == '-' && !strchr(" \t\n", word[1]);
}

/* Reads the word at argv[*i] and, if it needs one, the value behind it. */
static ramus_status read_option(const ramus_options *o, assignments *list, int argc, char **argv,
                                int *i, ramus_error *err)
{
    char *word = argv[*i];
    const char *name = word + 2;
    if (word[1] != '-') {
        name = NULL;
        for (int j = 0; j < RAMUS_COUNT(short_names); j++)
            if (strcmp(short_names[j][0], word) == 0) name = short_names[j][1];
        if (!name) return fail_unknown(o, word, err);
    }
    char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
    if (equals) *equals = '\0';
    assignment a = {0};
    if (!find_row(o, name, &a)) return fail_unknown(o, word[1] == '-' ? name : word, err);
    const bool flag = a.row->type == RAMUS_SETTING_FLAG;
    if (flag && equals)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "--%s takes no value", a.row->name);
    if (!flag && !equals && *i + 1 >= argc)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "--%s needs a value", a.row->name);
    a.value = flag ? "on" : equals ? equals + 1 : argv[++*i];
    list->items[list->n++] = a;
    if (a.row->type != RAMUS_SETTING_LIST || equals) return RAMUS_OK;
    for (int more = 1; more < a.row->most && *i + 1 < argc && !is_option(argv[*i + 1]); more++) {
        a.value = argv[++*i];
        list->items[list->n++] = a;
    }
    return RAMUS_OK;
}

/* Splits argv into options and arguments; "--" ends the options, "-" is an argument. */
static ramus_status read_words(ramus_options *o, assignments *list, int argc, char **argv,
                               ramus_error *err)
{
    bool open = true;
    o->arguments = argv;
    for (int i = 0; i < argc; i++) {
        if (open && strcmp(argv[i], "--") == 0) {
            open = false;
        } else if (open && is_option(argv[i])) {
            const ramus_status st = read_option(o, list, argc, argv, &i, err);
            if (st) return st;
        } else {
            o->arguments[o->n_arguments++] = argv[i];
        }
    }
    return RAMUS_OK;
}

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    char *end = text + strlen(text);
    while (end > text && strchr(" \t\r", end[-1]))
        *--end = '\0';
    return text;
}

/* The quote that ends the value which begins with the quote at `text`, or NULL. */
static char *closing_quote(char *text)
{
    char *c = strchr(text + 1, '"');
    while (c && c[1] == '"')
        c = strchr(c + 2, '"');
    return c;
}

/* Cuts the first value off *rest, which becomes NULL behind the last one. Spaces separate the
 * values of a list; double quotes hold a value as it is, and two of them mean one. */
static char *next_value(char **rest, bool is_list)
{
    char *value = *rest;
    char *end = *value == '"' ? closing_quote(value) : NULL;
    if (end && (is_list || !end[1])) {
        char *to = value;
        for (const char *from = value + 1; from < end; from++) {
            *to++ = *from;
            from += *from == '"';
        }
        *to = '\0';
        *rest = end + 1;
    } else {
        end = is_list ? strpbrk(value, " \t") : NULL;
        *rest = end ? end + 1 : NULL;
        if (end) *end = '\0';
    }
    if (*rest) *rest = trim(*rest);
    if (*rest && !**rest) *rest = NULL;
    return value;
}

/* "name = value", "# comment" or nothing. */
static ramus_status read_line(const ramus_options *o, assignments *list, char *line, int number,
                              ramus_error *err)
{
    line = trim(line);
    if (*line == '#' || *line == '\0') return RAMUS_OK;
    char *equals = strchr(line, '=');
    if (!equals)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: line %d is '%.60s', expected name = value",
                          o->common.config, number, line);
    *equals = '\0';
    assignment a = {0};
    const char *name = trim(line);
    if (!find_row(o, name, &a)) return fail_in_config(o, number, fail_unknown(o, name, err), err);
    a.line = number;
    char *rest = trim(equals + 1);
    do {
        a.value = next_value(&rest, a.row->type == RAMUS_SETTING_LIST);
        list->items[list->n++] = a;
    } while (rest);
    return RAMUS_OK;
}

static ramus_status load_text(char **out, const char *path, ramus_error *err)
{
    ramus_buffer text = {0};
    char part[4096];
    size_t n = 0;
    const bool standard = strcmp(path, "-") == 0;
    FILE *f = standard ? stdin : fopen(path, "rb");
    if (!f) return ramus_fail(err, RAMUS_IO, "%s: cannot open: %s", path, strerror(errno));
    while (text.size <= MOST_CONFIG && (n = fread(part, 1, sizeof part, f)) > 0)
        ramus_buffer_add(&text, part, n);
    const bool failed = ferror(f) != 0;
    if (!standard) (void)fclose(f);
    ramus_buffer_text(&text, "");
    if (text.size > MOST_CONFIG) {
        ramus_buffer_free(&text);
        return ramus_fail(err, RAMUS_IO, "%s: more than %d KB, expected lines of settings", path,
                          MOST_CONFIG >> 10);
    }
    if (failed || text.failed || strlen(text.data) != text.size) {
        ramus_buffer_free(&text);
        return ramus_fail(err, RAMUS_IO, "%s: cannot be read as text", path);
    }
    *out = text.data;
    return RAMUS_OK;
}

static ramus_status read_config(ramus_options *o, ramus_error *err)
{
    ramus_status st = load_text(&o->config_text, o->common.config, err);
    if (st) return st;
    size_t values = 1; // at most
    for (const char *c = o->config_text; *c; c++)
        values += strchr("\n \t\"", *c) != NULL;
    assignments list = {calloc(values, sizeof(assignment)), 0};
    if (!list.items) return ramus_fail_memory(err, "the settings file");
    char *line = o->config_text;
    for (int number = 1; line && !st; number++) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        st = read_line(o, &list, line, number, err);
        line = end ? end + 1 : NULL;
    }
    if (!st) st = apply(o, &list, err);
    free(list.items);
    return st;
}

int ramus_options_help(ramus_options *o)
{
    const ramus_command *c = o->command;
    ramus_buffer out = {0};
    (c->form ? c->form : ramus_help_text)(&out, o);
    ramus_options_free(o);
    if (c->ranks && ramus_comm_launched_as() > 0) ramus_buffer_free(&out);
    return ramus_command_print(c, &out);
}

/* Puts a table in front of the others: help shows it behind them. */
static void add_first(ramus_options *o, const char *title, ramus_settings table)
{
    RAMUS_ASSERT(o->n_tables < RAMUS_MAX_TABLES);
    memmove(o->titles + 1, o->titles, (size_t)o->n_tables * sizeof *o->titles);
    memmove(o->tables + 1, o->tables, (size_t)o->n_tables++ * sizeof *o->tables);
    o->titles[0] = title;
    o->tables[0] = table;
}

/* Those of the shared options that the command has a use for. Of the others, all but json are taken
 * all the same, for scripts that give them to every command. */
static ramus_settings choose_shared(ramus_options *o, const ramus_command *command)
{
    const ramus_settings all = {shared_rows, RAMUS_SHARED_OPTIONS, &o->common};
    ramus_setting unlisted[RAMUS_SHARED_OPTIONS];
    int n = 0, n_unlisted = 0;
    ramus_settings_default(&all);
    for (int i = 0; i < all.n; i++)
        if (!command->without || !strstr(command->without, all.rows[i].name))
            o->shared[n++] = all.rows[i];
        else if (i != SHARED_JSON)
            unlisted[n_unlisted++] = all.rows[i];
    memcpy(o->shared + n, unlisted, (size_t)n_unlisted * sizeof *unlisted);
    o->unlisted = (ramus_settings){o->shared + n, n_unlisted, &o->common};
    return (ramus_settings){o->shared, n, &o->common};
}

ramus_status ramus_options_parse(ramus_options *o, const ramus_command *command, int argc,
                                 char **argv, ramus_error *err)
{
    const ramus_settings common = ramus_common_options(&o->common);
    o->command = command;
    const ramus_settings shared = choose_shared(o, command);
    if (shared.n > 0) add_first(o, "Of several commands", shared);
    add_first(o, "Of every command", common);
    for (int i = 0; i < o->n_tables; i++)
        ramus_settings_default(&o->tables[i]);

    assignments list = {calloc((size_t)argc + 1, sizeof(assignment)), 0};
    if (!list.items) return ramus_fail_memory(err, "the command line");
    if (o->prepare) o->prepare(o, argc, argv);
    ramus_status st = read_words(o, &list, argc, argv, err);
    for (int i = 0; i < list.n && !st; i++) // --help and --config first, whatever else there is
        if (list.items[i].table == &o->tables[0])
            st = ramus_setting_set(&common, list.items[i].row, list.items[i].value, err);
    if (!st && !o->common.help && o->common.config) st = read_config(o, err);
    if (!st && !o->common.help) st = apply(o, &list, err);
    free(list.items);
    if (st) o->common.help = false;
    return st;
}

bool ramus_options_read(ramus_options *o, const ramus_command *command, int argc, char **argv,
                        int *code)
{
    ramus_error err = {0};
    const ramus_status st = ramus_options_parse(o, command, argc, argv, &err);
    if (!st && !o->common.help) return true;
    *code = st ? ramus_command_misuse(command, &err) : ramus_options_help(o);
    ramus_options_free(o);
    return false;
}
