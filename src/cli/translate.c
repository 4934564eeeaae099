/* `ramus translate`: its options, and the translation of a chunk. Where texts come from, what is
 * printed and where it goes is in translate_input.c, translate_print.c and translate_output.c. */
#include "cli/translate.h"

#include "cli/join.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "cli/translate_document.h"
#include "cli/translate_model.h"

#include "base/hash.h"
#include "base/pool.h"
#include "convert/load.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *const loop_names[] = {"allow", "flag", "end", NULL};

// clang-format off
#define AT(field) offsetof(ramus_translate_settings, field)
static const ramus_setting rows[] = {
    {"input",            RAMUS_SETTING_LIST,   AT(inputs), "files to translate, line by line, one after the other; plain, .gz or .xz; - is standard input (also -i; default: the arguments, else standard input)", NULL, 1, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"output",           RAMUS_SETTING_TEXT,   AT(output), "file to write, packed if it ends with .gz or .xz; it may be the input (also -o; default: standard output)", NULL, 0, 0, ramus_setting_file, NULL},
    {"format",           RAMUS_SETTING_TEXT,   AT(format), "what the input is: lines, text, html, markdown, srt, vtt, po, xliff, csv, tsv, json, docx, odt (default: as its name ends, else lines)", NULL, 0, 0, NULL, NULL},
    {"document",         RAMUS_SETTING_FLAG,   AT(how.document), "running text: lines stay lines, but sentences of wrapped paragraphs are found across line ends; as --format text", NULL, 0, 0, NULL, NULL},
    {"wrapped",          RAMUS_SETTING_FLAG,   AT(wrapped), "running text whose lines are wrapped: all lines of a paragraph belong together", NULL, 0, 0, NULL, NULL},
    {"column",           RAMUS_SETTING_TEXT,   AT(how.columns), "of csv and tsv: columns to translate, as 2 or 1,3 or their names in the first line (default: all)", NULL, 0, 0, NULL, NULL},
    {"whole-lines",      RAMUS_SETTING_FLAG,   AT(how.whole_lines), "translate each line as one sentence", NULL, 0, 0, NULL, NULL},
    {"unprotected",      RAMUS_SETTING_FLAG,   AT(how.unprotected), "translate addresses, placeholders and numbers with units like words, and capitals as capitals", NULL, 0, 0, NULL, NULL},
    {"n-best",           RAMUS_SETTING_INT,    AT(how.n_best), "translations of each line, as 'line ||| text ||| score', lines counted from 0; 0: the best alone, as text", "0", 0, 64, NULL, NULL},
    {"loops",            RAMUS_SETTING_CHOICE, AT(loops), "what to do about endless repetition", "flag", 0, 0, loop_names, NULL},
    {"prefix",           RAMUS_SETTING_TEXT,   AT(how.prefix), "what every translation begins with", NULL, 0, 0, NULL, NULL},
    {"verify",           RAMUS_SETTING_FLAG,   AT(verify), "compare the model file with its checksum first", NULL, 0, 0, NULL, NULL},
    {"resume",           RAMUS_SETTING_FLAG,   AT(resume), "survive a kill: the output is FILE.part until it is whole, and the same command continues it; needs -i and -o", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

typedef struct {
    ramus_translate_settings *s;
    const ramus_options *o;
    ramus_comm *comm;           // the other ranks; NULL: alone
    const ramus_format *format; // of the input; NULL: lines, or text

    /* Rank 0: */
    ramus_translate_input *in;
    ramus_file first; // of a document: the first input, if it was read
    ramus_translate_output *out;
    int64_t written; // texts
    double done;     // of the input, with them
    ramus_progress progress;

    /* Every rank: */
    ramus_translate_style style;
    ramus_model *model;
    ramus_session *session;
    ramus_text *texts;          // [RAMUS_CHUNK_TEXTS]
    ramus_translation *results; // [RAMUS_CHUNK_TEXTS * n_best]
} translation;

/* Of the arguments, which are one text. */
static int count_lines(const ramus_options *o)
{
    int lines = 1;
    for (int i = 0; i < o->n_arguments; i++)
        for (const char *c = o->arguments[i]; (c = strchr(c, '\n')) && lines < INT_MAX; c++)
            lines++;
    return lines;
}

static ramus_status open_session(translation *t, ramus_error *err)
{
    ramus_translate_settings *s = t->s;
    const ramus_options *o = t->o;
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    ramus_search_choose(&s->search, &options, &s->how);
    options.details = t->style.json;
    options.threads = o->common.threads ? o->common.threads : ramus_cores_available();
    if (ramus_inputs_is_text(o)) { // little text: no more memory than it needs
        const int lines = count_lines(o);
        options.batch = lines < options.batch ? lines : options.batch;
        options.threads = lines < options.threads ? lines : options.threads;
    }
    t->texts = calloc(RAMUS_CHUNK_TEXTS, sizeof *t->texts);
    t->results = calloc((size_t)RAMUS_CHUNK_TEXTS * (size_t)t->style.n_best, sizeof *t->results);
    if (!t->texts || !t->results) return ramus_fail_memory(err, "the text");
    ramus_status st = ramus_model_load(&t->model, s->model.model, err);
    if (!st && s->verify && (st = ramus_model_verify(t->model, err)))
        st = ramus_fail_in(err, st, s->model.model);
    if (!st) st = ramus_terms_choose(&s->terms, err);
    s->how.terms = s->terms.terms;
    return st ? st : ramus_session_create(&t->session, t->model, &options, err);
}

static ramus_status read_chunk(void *arg, ramus_parcel *chunk, ramus_error *err)
{
    translation *t = arg;
    const ramus_status st = ramus_stop_check(err);
    return st ? st : ramus_translate_input_read(t->in, chunk, err);
}

typedef struct {
    translation *t;
    double end; // of the input, when the chunk is done
} chunk_progress;

/* Within a chunk, for rank 0 alone: chunks of several ranks are not done in order. */
static void show_progress(void *arg, int done, int all)
{
    const chunk_progress *p = arg;
    const double part = (p->end - p->t->done) * done / all;
    ramus_progress_update(&p->t->progress, p->t->done + part);
}

static ramus_status work_chunk(void *arg, const ramus_parcel *chunk, ramus_parcel *result,
                               ramus_error *err)
{
    translation *t = arg;
    const ramus_chunk_head *head = (const ramus_chunk_head *)(const void *)chunk->head.data;
    const ramus_text_place *places = (const ramus_text_place *)(const void *)(head + 1);
    const int n_best = t->style.n_best;
    chunk_progress progress = {t, head->done};
    ramus_translate_options how = t->s->how;
    how.n_best = n_best;
    how.loops = (ramus_loops)t->s->loops;
    how.scores = t->style.json || t->style.scores;
    how.cancel = ramus_stop_asked;
    how.progress = t->comm ? NULL : show_progress;
    how.arg = &progress;
    for (int i = 0; i < head->n; i++)
        t->texts[i] = (ramus_text){chunk->body.data + places[i].start, places[i].size};
    const ramus_status st =
        ramus_translate_all(t->session, t->texts, (int)head->n, &how, t->results, err);
    if (st && ramus_stop_asked(NULL)) return ramus_stop_check(err);
    if (st) return st;
    ramus_buffer_add(&result->head, head, sizeof *head);
    for (int i = 0; i < head->n; i++) {
        const ramus_translation *found = &t->results[i * n_best];
        ramus_buffer_add(&result->head, &found->notes, sizeof found->notes);
        ramus_translate_print(&result->body, &t->style, &t->texts[i], found, head->first + i);
    }
    return RAMUS_OK;
}

static ramus_status write_chunk(void *arg, const ramus_parcel *result, ramus_error *err)
{
    translation *t = arg;
    const ramus_chunk_head *head = (const ramus_chunk_head *)(const void *)result->head.data;
    const ramus_status st = ramus_translate_output_write(t->out, result, &t->written, err);
    t->done = head->done;
    ramus_progress_update(&t->progress, t->done);
    return st;
}

/* Of everything that changes what is written. */
static uint64_t settings_key(const translation *t)
{
    const ramus_translate_settings *s = t->s;
    const ramus_translate_options *how = &s->how;
    ramus_buffer text = {0};
    ramus_buffer_print(&text, "%s beam %d n-best %d json %d document %d loops %d no-repeat %d ",
                       ramus_version(), how->beam, how->n_best, t->style.json, how->document,
                       s->loops, how->no_repeat);
    ramus_buffer_print(&text, "wrapped %d whole-lines %d unprotected %d glossary %s ", how->wrapped,
                       how->whole_lines, how->unprotected,
                       s->terms.glossary ? s->terms.glossary : "");
    for (int i = 0; i < s->terms.keep.n; i++)
        ramus_buffer_print(&text, "keep %s ", s->terms.keep.items[i]);
    ramus_buffer_print(&text, "search %d to %s ", (int)how->search, how->to ? how->to : "");
    ramus_buffer_print(&text, "length-penalty %a max-length-ratio %a prefix %s",
                       how->length_penalty, how->max_length_ratio, how->prefix ? how->prefix : "");
    const uint64_t key = ramus_hash(0, text.data, text.size);
    ramus_buffer_free(&text);
    return key;
}

/* Rank 0 opens the input, then the output. */
static ramus_status open_files(translation *t, ramus_error *err)
{
    int64_t lines = 0;
    ramus_status st = t->in ? RAMUS_OK : ramus_translate_input_open(&t->in, t->s, t->o, err);
    if (!st)
        st = ramus_translate_output_open(&t->out, t->s, t->o, settings_key(t), &t->written, &lines,
                                         err);
    if (!st) st = ramus_translate_input_skip(t->in, t->written, lines, err);
    if (st) return st;
    if (t->written) ramus_command_note(t->o, "going on after %lld texts", (long long)t->written);
    const ramus_inputs *files = ramus_translate_input_files(t->in);
    if (t->written) t->done = t->progress.before = ramus_inputs_done(files);
    t->progress.unit = ramus_inputs_extent(files, &t->progress.total);
    return RAMUS_OK;
}

static ramus_status translate(translation *t, ramus_error *err)
{
    const ramus_chunk_work work = {read_chunk, work_chunk, write_chunk, t};
    const bool first = ramus_comm_rank(t->comm) == 0;
    ramus_status st = ramus_translate_model(t->s, t->o, t->format, first, &t->in, &t->first, err);
    if (!st && first) st = ramus_options_check_output(t->o, t->s->output, "input", false, err);
    if (!st) st = open_session(t, err);
    if (!st && t->format)
        return ramus_translate_document(t->session, t->format, t->s, t->o, &t->first, err);
    if (!st && first) st = open_files(t, err);
    st = ramus_comm_agree(t->comm, st, err);
    if (st) return st;
    if (first) ramus_progress_start(&t->progress);
    st = ramus_chunks_run(t->comm, &work, err);
    if (first) {
        ramus_progress_end(&t->progress, t->done);
        if (!st) st = ramus_translate_output_finish(t->out, err);
    }
    return ramus_comm_agree(t->comm, st, err);
}

static void close_all(translation *t)
{
    ramus_translate_input_close(t->in);
    ramus_translate_output_close(t->out);
    ramus_file_unmap(&t->first);
    ramus_session_destroy(t->session);
    ramus_model_close(t->model);
    free(t->texts);
    free(t->results);
}

/* What has a format other than text is one document: it is translated by one process. */
static ramus_status check_format(ramus_translate_settings *s, const ramus_options *o,
                                 const ramus_format **format, ramus_error *err)
{
    const ramus_status st = ramus_translate_format(format, s, o, err);
    if (st) return st;
    if (s->wrapped) s->how.wrapped = RAMUS_WRAPPED_YES;
    s->how.document = *format && *format == ramus_format_find("text");
    if (s->how.document) *format = NULL;
    if (s->how.n_best && (s->how.document || *format) && !o->common.json)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "n-best of a document has no lines to print: expected --json too");
    if (*format && (*format)->alone && s->inputs.n > 1)
        return ramus_fail(
            err, RAMUS_BAD_ARGUMENT,
            "%d documents of format %s do not make one: translate one after the other", s->inputs.n,
            (*format)->name);
    if (*format && ramus_comm_launched() > 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "a document of format %s is translated by one process, not by ranks",
                          (*format)->name);
    if (*format && s->resume)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "--resume goes on with lines and text: expected no --format %s",
                          (*format)->name);
    return RAMUS_OK;
}

static ramus_status check(ramus_translate_settings *s, const ramus_options *o, ramus_error *err)
{
    ramus_status st = ramus_model_choice_check(&s->model, err);
    if (st) return st;
    if (s->model.model) s->how.to = s->model.to;
    st = ramus_inputs_check(&s->inputs, o, err);
    if (st) return st;
    if (s->how.n_best > s->search.beam)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "n-best is %d, expected at most the beam, %d",
                          s->how.n_best, s->search.beam);
    bool files = s->inputs.n > 0;
    for (int i = 0; i < s->inputs.n; i++)
        files = files && !ramus_inputs_is_standard(s->inputs.items[i]);
    if (ramus_comm_launched() > 1 && !files)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "several ranks share a file: expected -i FILE");
    if (s->resume && (!files || !s->output || strcmp(s->output, "-") == 0))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "--resume goes on with a file: expected -i FILE and -o FILE");
    return RAMUS_OK;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    ramus_translate_settings s = {.how = RAMUS_TRANSLATE_DEFAULTS};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add_group(&o, "Search", ramus_search_choice_settings(&s.search));
    ramus_options_add_group(&o, "Model and languages", ramus_model_options(&s.model));
    ramus_options_add_group(&o, "Terms", ramus_terms_options(&s.terms));
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    ramus_status st = ramus_options_parse(&o, command, argc, argv, &err);
    if (o.common.help) return ramus_options_help(&o);
    translation t = {.s = &s,
                     .o = &o,
                     .style = {.json = o.common.json,
                               .scores = s.how.n_best > 0,
                               .n_best = s.how.n_best ? s.how.n_best : 1},
                     .progress = {.what = "translating", .quiet = o.common.quiet}};
    if (!st) st = check(&s, &o, &err);
    if (!st) st = check_format(&s, &o, &t.format, &err);
    t.style.feed = !s.how.document || ramus_inputs_is_text(&o);
    ramus_stop_listen();
    if (ramus_command_join(&t.comm, command, st, &err, &code) && translate(&t, &err))
        code = ramus_command_fail(command, &err);
    close_all(&t);
    ramus_comm_close(t.comm);
    ramus_terms_choice_free(&s.terms);
    ramus_model_choice_free(&s.model);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_translate = {
    "translate",
    "translates text",
    "[-m MODEL | --from LANGUAGE|auto --to LANGUAGE] [-i FILE...] [-o FILE] [TEXT...]",
    "  ramus translate \"Where is the station?\"\n"
    "  ramus translate --to en \"Wo ist der Bahnhof?\"\n"
    "  ramus translate -m en-de.gguf -i test.en -o test.de\n"
    "  ramus translate -i page.html -o seite.html\n"
    "  ramus translate --document <letter.txt\n"
    "  mpirun -n 8 ramus translate -m en-de.gguf -i big.en.xz -o big.de --resume\n"
    "  ramus translate -m en-de.gguf --json --n-best 4 \"Good morning.\"\n",
    .run = run,
    .without = "seed",
    .ranks = true,
};
