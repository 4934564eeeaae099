/* `ramus gates`: collects lines into chunks, translates them (or takes the given translations),
 * and hands tokens and branches to what prints them: text, JSON, or the page of report/. */
#include "cli/gates_print.h"
#include "cli/inputs.h"
#include "cli/model_choice.h"
#include "cli/progress.h"
#include "cli/stop.h"

#include "base/pool.h"
#include "convert/load.h"
#include "report/gates_page.h"
#include "runtime/search_choice.h"
#include "text/tokenizer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_TEXTS 256         // that are translated together, at most
#define CHUNK_BYTES (256 << 10) // from so many on, a chunk is full

typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_choice;

typedef struct {
    ramus_model_choice model;
    ramus_texts inputs;
    const char *reference, *sublayer, *html;
    int color; // color_choice
    bool usage;
    int sentences, top;
    ramus_search_choice search;
} settings;

static const char *const color_names[] = {"auto", "always", "never", NULL};

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"input",     RAMUS_SETTING_LIST,   AT(inputs), "files to translate, line by line; plain, .gz or .xz (also -i; default: the arguments, else standard input)", NULL, 1, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"reference", RAMUS_SETTING_TEXT,   AT(reference), "file of translations, one a line, to show in place of the model's own", NULL, 0, 0, ramus_setting_file, NULL},
    {"sublayer",  RAMUS_SETTING_TEXT,   AT(sublayer), "sublayer whose gate to show, for example encoder.3.ffn, or all; layers count from 0 (default: encoder.3.attention, or the nearest that is routed)", NULL, 0, 0, NULL, NULL},
    {"color",     RAMUS_SETTING_CHOICE, AT(color), "colours in the text; auto: on a terminal, unless NO_COLOR is set", "auto", 0, 0, color_names, NULL},
    {"usage",     RAMUS_SETTING_FLAG,   AT(usage), "print what each branch got over all lines, not the lines", NULL, 0, 0, NULL, NULL},
    {"html",      RAMUS_SETTING_TEXT,   AT(html), "write a page with sentences and counts of every sublayer, not text", NULL, 0, 0, ramus_setting_file, NULL},
    {"sentences", RAMUS_SETTING_INT,    AT(sentences), "first lines that the page shows; its counts cover all lines", "20", 0, 100000, NULL, NULL},
    {"top",       RAMUS_SETTING_INT,    AT(top), "most frequent tokens to list for each branch", "20", 0, 10000, NULL, NULL},
};
#undef AT
// clang-format on

/* A text of the chunk that is being collected. */
typedef struct {
    size_t start, size;
} place;

typedef struct {
    settings *s;
    const ramus_options *o;
    ramus_model *model;
    ramus_session *session;
    ramus_translate_options how;
    ramus_gates *gates;
    ramus_gates_print print;
    ramus_gates_page page;
    ramus_lines *reference;
    ramus_tokenizer *target; // with a reference
    ramus_ids ids;
    ramus_buffer text; // of the chunk
    place places[CHUNK_TEXTS];
    int n;
    ramus_text texts[CHUNK_TEXTS];
    ramus_translation results[CHUNK_TEXTS];
    ramus_buffer printed;
    ramus_inputs *in;
    ramus_progress progress;
    long done; // lines
} work;

static bool wants_colours(const settings *s)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (s->color != COLOR_AUTO) return s->color == COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

static ramus_status open_session(work *w, ramus_error *err)
{
    const settings *s = w->s;
    const ramus_options *o = w->o;
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    w->how = (ramus_translate_options)RAMUS_TRANSLATE_DEFAULTS;
    w->how.unprotected = true; // every word takes branches
    ramus_search_choose(&s->search, &options, &w->how);
    options.details = true;
    options.threads = o->common.threads ? o->common.threads : ramus_cores_available();
    if (ramus_inputs_is_text(o) || s->reference) // one text at a time
        options.batch = options.threads = 1;
    w->how.cancel = ramus_stop_asked;
    ramus_status st = ramus_model_load(&w->model, s->model.model, err);
    if (!st && (st = ramus_gates_create(&w->gates, w->model, err)))
        return ramus_fail_in(err, st, s->model.model);
    if (!st) st = ramus_session_create(&w->session, w->model, &options, err);
    if (!st && s->reference) {
        st = ramus_tokenizer_create(&w->target, w->model->vocabs[1], err);
        if (!st) st = ramus_lines_open(&w->reference, s->reference, err);
    }
    return st;
}

static ramus_status choose_sublayer(work *w, ramus_error *err)
{
    const settings *s = w->s;
    const bool all = s->sublayer && strcmp(s->sublayer, "all") == 0;
    const ramus_gate_site *shown = NULL;
    const ramus_status st = ramus_gates_find(&shown, w->gates, all ? NULL : s->sublayer, err);
    w->print = (ramus_gates_print){
        .gates = w->gates, .shown = all ? NULL : shown, .colours = wants_colours(s), .top = s->top};
    w->page = (ramus_gates_page){
        .gates = w->gates, .shown = shown, .sentences = s->sentences, .top = s->top};
    return st;
}

static void close_all(work *w)
{
    ramus_inputs_close(w->in);
    ramus_lines_close(w->reference);
    ramus_tokenizer_destroy(w->target);
    ramus_ids_free(&w->ids);
    ramus_gates_page_free(&w->page);
    ramus_gates_destroy(w->gates);
    ramus_session_destroy(w->session);
    ramus_model_close(w->model);
    ramus_buffer_free(&w->text);
    ramus_buffer_free(&w->printed);
}

/* Whether lines are printed as text. */
static bool prints_lines(const work *w)
{
    return !w->o->common.json && !w->s->usage && !w->s->html;
}

static void use_result(work *w, ramus_text source, const ramus_translation *t)
{
    ramus_gates_add(w->gates, t);
    if (w->s->html) ramus_gates_page_add(&w->page, t);
    if (w->o->common.json) ramus_gates_json_line(&w->printed, w->gates, source, t);
    if (!prints_lines(w)) return;
    if (w->done == 0) ramus_gates_print_legend(&w->printed, &w->print);
    ramus_gates_print_line(&w->printed, &w->print, t);
}

/* Puts the file and line of a reference before the sentence. */
static ramus_status fail_in_line(const work *w, ramus_status st, ramus_error *err)
{
    char line[64];
    (void)snprintf(line, sizeof line, "line %ld", w->done + 1);
    return ramus_fail_in(err, ramus_fail_in(err, st, line), w->s->reference);
}

/* The same for a text whose translation is given: the search is made to begin with it, and what
 * it adds is left out. */
static ramus_status use_reference(work *w, ramus_text source, ramus_error *err)
{
    char *line = NULL;
    size_t size = 0;
    ramus_translation t = {0};
    ramus_translate_options how = RAMUS_TRANSLATE_DEFAULTS;
    ramus_status st = ramus_stop_check(err);
    if (!st) st = ramus_lines_next(w->reference, &line, &size, err);
    if (st) return st;
    if (!line)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: ends before line %ld, expected one for each",
                          w->s->reference, w->done + 1);
    if (size > 0 && line[size - 1] == '\r') size--;
    line[size] = '\0';
    size = strlen(line);
    w->ids.n = 0;
    st = ramus_tokenizer_encode(w->target, line, size, &w->ids, err);
    how.beam = 1;
    how.whole_lines = how.unprotected = true;
    how.max_length_ratio = 0.01;
    how.prefix = line;
    if (!st) st = ramus_translate_all(w->session, &source, 1, &how, &t, err);
    if (st) return fail_in_line(w, st, err);
    if (t.sentences > 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "line %ld is too long for the model to go with one reference",
                          w->done + 1);
    t.text = line;
    t.size = size;
    t.n_target = w->ids.n < t.n_target ? w->ids.n : t.n_target;
    use_result(w, source, &t);
    return RAMUS_OK;
}

static ramus_status write_printed(work *w, ramus_error *err)
{
    const ramus_status st = ramus_buffer_check(&w->printed, err);
    if (st) return st;
    if (w->printed.size == 0) return RAMUS_OK;
    if (fwrite(w->printed.data, 1, w->printed.size, stdout) != w->printed.size || fflush(stdout))
        return ramus_fail(err, RAMUS_IO, "cannot write the result: %s", strerror(errno));
    ramus_buffer_clear(&w->printed);
    return RAMUS_OK;
}

/* Translates the collected texts, prints or counts the results, and empties the chunk. */
static ramus_status flush(work *w, ramus_error *err)
{
    ramus_status st = ramus_buffer_check(&w->text, err);
    for (int i = 0; i < w->n; i++)
        w->texts[i] = (ramus_text){w->text.data + w->places[i].start, w->places[i].size};
    if (!st && w->n && !w->reference)
        st = ramus_translate_all(w->session, w->texts, w->n, &w->how, w->results, err);
    for (int i = 0; i < w->n && !st; i++) {
        if (w->reference)
            st = use_reference(w, w->texts[i], err);
        else
            use_result(w, w->texts[i], &w->results[i]);
        w->done++;
    }
    w->n = 0;
    ramus_buffer_clear(&w->text);
    ramus_progress_update(&w->progress, ramus_inputs_done(w->in));
    if (st && ramus_stop_asked(NULL)) return ramus_stop_check(err);
    return st ? st : write_printed(w, err);
}

static void collect(work *w, const char *data, size_t size)
{
    w->places[w->n++] = (place){w->text.size, size};
    ramus_buffer_add(&w->text, data, size);
}

static ramus_status read_file(work *w, ramus_lines *lines, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    while (!st) {
        char *line = NULL;
        size_t size = 0;
        st = ramus_lines_next(lines, &line, &size, err);
        if (st || !line) break;
        collect(w, line, size);
        if (w->n == CHUNK_TEXTS || w->text.size >= CHUNK_BYTES || !ramus_lines_ready(lines))
            st = flush(w, err);
    }
    return st ? st : flush(w, err);
}

static ramus_status read_all(work *w, ramus_error *err)
{
    ramus_lines *lines = NULL;
    const char *name = NULL;
    ramus_status st = w->in ? RAMUS_OK : ramus_inputs_open(&w->in, &w->s->inputs, w->o, err);
    if (st) return st;
    w->progress.unit = ramus_inputs_extent(w->in, &w->progress.total);
    ramus_progress_start(&w->progress);
    while (!st && !(st = ramus_inputs_next(w->in, &lines, &name, err)) && lines)
        st = read_file(w, lines, err);
    ramus_progress_end(&w->progress, ramus_inputs_done(w->in));
    return st;
}

/* Every line of a reference belongs to a text. */
static ramus_status end_reference(work *w, ramus_error *err)
{
    char *line = NULL;
    size_t size = 0;
    const ramus_status st = ramus_lines_next(w->reference, &line, &size, err);
    if (st || !line) return st;
    return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: goes on after line %ld, the last of the text",
                      w->s->reference, w->done);
}

/* The report at the end, about all lines. */
static ramus_status finish(work *w, ramus_error *err)
{
    const settings *s = w->s;
    ramus_status st = w->reference ? end_reference(w, err) : RAMUS_OK;
    if (st) return st;
    if (w->o->common.json)
        st = ramus_gates_json_usage(&w->printed, &w->print, w->done, err);
    else if (s->usage)
        st = ramus_gates_print_usage(&w->printed, &w->print, err);
    if (!st) st = write_printed(w, err);
    if (!st && s->html) {
        const char *path = s->model.model, *slash = strrchr(path, '/');
        ramus_buffer title = {0};
        ramus_buffer_print(&title, "Gates of %s", slash ? slash + 1 : path);
        st = ramus_buffer_check(&title, err);
        if (!st) st = ramus_gates_page_save(&w->page, title.data, s->html, err);
        ramus_buffer_free(&title);
    }
    return st;
}

/* Without -m the text tells which model. */
static ramus_status choose_model(work *w, ramus_error *err)
{
    ramus_model_choice *model = &w->s->model;
    const bool given = model->model;
    size_t size = 0;
    ramus_status st = ramus_model_choose(model, err);
    if (st || given) return st;
    st = ramus_inputs_open(&w->in, &w->s->inputs, w->o, err);
    if (st) return st;
    const char *text = ramus_inputs_peek(w->in, &size);
    st = ramus_model_choose_by_text(model, text, size, err);
    if (model->hint.size) ramus_command_note(w->o, "%s", model->hint.data);
    return st;
}

static int look(work *w)
{
    ramus_error err = {0};
    ramus_status st = choose_model(w, &err);
    if (!st) st = ramus_options_check_output(w->o, w->s->html, NULL, false, &err);
    if (!st) st = open_session(w, &err);
    if (!st) {
        st = choose_sublayer(w, &err);
        if (st) return ramus_command_misuse(w->o->command, &err);
    }
    if (!st) st = read_all(w, &err);
    if (!st) st = finish(w, &err);
    return st ? ramus_command_fail(w->o->command, &err) : RAMUS_EXIT_DONE;
}

static ramus_status check(const settings *s, const ramus_options *o, ramus_error *err)
{
    const ramus_status st = ramus_inputs_check(&s->inputs, o, err);
    if (!st && s->model.model && s->model.to)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "both -m MODEL and --to are given: expected one of them");
    return st ? st : ramus_model_choice_check(&s->model, err);
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add_group(&o, "Search", ramus_search_choice_settings(&s.search));
    ramus_options_add_group(&o, "Model and languages", ramus_model_options(&s.model));
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    work *w = calloc(1, sizeof *w);
    ramus_stop_listen();
    if (check(&s, &o, &err)) {
        code = ramus_command_misuse(command, &err);
    } else if (!w) {
        (void)ramus_fail_memory(&err, "the text");
        code = ramus_command_fail(command, &err);
    } else {
        w->s = &s;
        w->o = &o;
        const bool quiet = o.common.quiet || prints_lines(w);
        w->progress = (ramus_progress){.what = "translating", .quiet = quiet};
        code = look(w);
        close_all(w);
    }
    free(w);
    ramus_model_choice_free(&s.model);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_gates = {
    "gates",
    "shows which branch each token took",
    "[-m MODEL | --from LANGUAGE|auto --to LANGUAGE] [-i FILE...] [--sublayer NAME|all] [--usage] "
    "[--html FILE] "
    "[TEXT...]",
    "  ramus gates \"Where is the station?\"\n"
    "  ramus gates -m en-de.gguf --sublayer encoder.2.ffn -i test.en\n"
    "  ramus gates -m en-de.gguf -i test.en --usage --top 10\n"
    "  ramus gates -m en-de.gguf -i test.en --html gates.html\n"
    "  ramus gates -m en-de.gguf -i test.en --reference test.de --json\n",
    .run = run,
    .without = "seed",
};
