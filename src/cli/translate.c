#include "cli/command.h"
#include "cli/progress.h"

#include "base/pool.h"
#include "train/lines.h"
#include "train/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_TEXTS 1024        // that are translated together, at most
#define CHUNK_BYTES (1 << 20)   // from so many on, a chunk is full
#define PARAGRAPH   (64 * 1024) // bytes of a document that is translated as one text
#define SHOWN_NOTES 10

typedef struct {
    const char *model, *input, *output;
    ramus_session_options session;
    ramus_translate_options how;
    int loops; // ramus_loops
    bool document;
} settings;

static const char *const loop_names[] = {"allow", "flag", "end", NULL};

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"model",            RAMUS_SETTING_TEXT,   AT(model), "model file, or a checkpoint of a training run (also -m)", NULL, 0, 0, NULL, NULL},
    {"input",            RAMUS_SETTING_TEXT,   AT(input), "file to translate, one sentence a line; plain, .gz or .xz (also -i; default: the arguments, else standard input)", NULL, 0, 0, NULL, NULL},
    {"output",           RAMUS_SETTING_TEXT,   AT(output), "file to write (also -o; default: standard output)", NULL, 0, 0, NULL, NULL},
    {"document",         RAMUS_SETTING_FLAG,   AT(document), "running text: sentences are found; white space and line breaks stay", NULL, 0, 0, NULL, NULL},
    {"beam",             RAMUS_SETTING_INT,    AT(how.beam), "hypotheses of the search; 1: greedy", "4", 1, 64, NULL, NULL},
    {"n-best",           RAMUS_SETTING_INT,    AT(how.n_best), "translations of each line, as 'line ||| text ||| score', lines counted from 0; 0: the best alone, as text", "0", 0, 64, NULL, NULL},
    {"length-penalty",   RAMUS_SETTING_REAL,   AT(how.length_penalty), "exponent of the length in scores", "0.6", 0, 10, NULL, NULL},
    {"max-length-ratio", RAMUS_SETTING_REAL,   AT(how.max_length_ratio), "a translation has at most this times the source's tokens, and 50 more", "1", 0.01, 100, NULL, NULL},
    {"no-repeat",        RAMUS_SETTING_INT,    AT(how.no_repeat), "no sequence of that many tokens occurs twice in a translation; 0: any may", "0", 0, 1000, NULL, NULL},
    {"loops",            RAMUS_SETTING_CHOICE, AT(loops), "what to do about endless repetition", "flag", 0, 0, loop_names, NULL},
    {"prefix",           RAMUS_SETTING_TEXT,   AT(how.prefix), "what every translation begins with", NULL, 0, 0, NULL, NULL},
    {"batch",            RAMUS_SETTING_INT,    AT(session.batch), "sentences that are translated together", "32", 1, 4096, NULL, NULL},
};
#undef AT
// clang-format on

/* A text of the chunk that is being collected. */
typedef struct {
    size_t start, size;
} place;

typedef struct {
    const settings *s;
    bool json;
    bool lines; // each translation gets a line of its own; documents in files have theirs
    ramus_model *model;
    ramus_session *session;
    FILE *out;
    ramus_buffer text; // of the chunk
    place places[CHUNK_TEXTS];
    int n;
    ramus_text *texts;          // [CHUNK_TEXTS]
    ramus_translation *results; // [CHUNK_TEXTS * n_best]
    ramus_buffer printed;
    ramus_progress progress;
    long done, notes;
} translation;

static int n_best_of(const settings *s)
{
    return s->how.n_best ? s->how.n_best : 1;
}

static ramus_status open_session(translation *t, const ramus_options *o, ramus_error *err)
{
    const settings *s = t->s;
    ramus_session_options options = s->session;
    options.beam = s->how.beam;
    options.details = t->json;
    options.threads = o->common.threads ? o->common.threads : ramus_cores_available();
    if (o->n_arguments) { // little text: no more memory than it needs
        options.batch = o->n_arguments < options.batch ? o->n_arguments : options.batch;
        options.threads = o->n_arguments < options.threads ? o->n_arguments : options.threads;
    }
    t->texts = calloc(CHUNK_TEXTS, sizeof *t->texts);
    t->results = calloc((size_t)CHUNK_TEXTS * (size_t)n_best_of(s), sizeof *t->results);
    if (!t->texts || !t->results) return ramus_fail_memory(err, "the text");
    const ramus_status st = ramus_model_load(&t->model, s->model, err);
    return st ? st : ramus_session_create(&t->session, t->model, &options, err);
}

static void close_session(translation *t)
{
    ramus_session_destroy(t->session);
    ramus_model_close(t->model);
    ramus_buffer_free(&t->text);
    ramus_buffer_free(&t->printed);
    free(t->texts);
    free(t->results);
}

static void print_tokens(ramus_buffer *out, const char *key, const ramus_token *tokens, int n)
{
    ramus_buffer_print(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i) ramus_buffer_text(out, ", ");
        ramus_buffer_json(out, tokens[i].piece, strlen(tokens[i].piece));
    }
    ramus_buffer_text(out, "]");
}

/* The fields of one translation. */
static void print_fields(ramus_buffer *out, const ramus_translation *t)
{
    ramus_buffer_text(out, "\"text\": ");
    ramus_buffer_json(out, t->text, t->size);
    ramus_buffer_print(out, ", \"score\": %.9g, \"log_prob\": %.9g", t->score, t->log_prob);
    print_tokens(out, "tokens", t->target, t->n_target);
    ramus_buffer_text(out, ", \"log_probs\": [");
    for (int i = 0; i < t->n_target; i++)
        ramus_buffer_print(out, "%s%.6g", i ? ", " : "", (double)t->target[i].log_prob);
    ramus_buffer_text(out, "], \"alignment\": [");
    for (int i = 0; i < t->n_target; i++)
        ramus_buffer_print(out, "%s%d", i ? ", " : "", t->target[i].source);
    ramus_buffer_text(out, "]");
}

static const struct {
    unsigned bit;
    const char *word, *sentence;
} notes[] = {
    {RAMUS_NOTE_INVALID, "invalid", "is not UTF-8: wrong bytes were read as U+FFFD"},
    {RAMUS_NOTE_SPLIT, "split", "is too long for the model and was translated in parts"},
    {RAMUS_NOTE_LIMIT, "limit", "has a translation of the greatest length allowed"},
    {RAMUS_NOTE_LOOP, "loop", "has a translation that repeats itself"},
};

static void print_json(ramus_buffer *out, const ramus_text *source, const ramus_translation *t,
                       int n_best)
{
    ramus_buffer_text(out, "{\"source\": ");
    ramus_buffer_json(out, source->data, source->size);
    ramus_buffer_text(out, ", ");
    print_fields(out, t);
    print_tokens(out, "source_tokens", t->source, t->n_source);
    ramus_buffer_print(out, ", \"sentences\": %d, \"notes\": [", t->sentences);
    const char *comma = "";
    for (int i = 0; i < RAMUS_COUNT(notes); i++)
        if (t->notes & notes[i].bit) {
            ramus_buffer_print(out, "%s\"%s\"", comma, notes[i].word);
            comma = ", ";
        }
    ramus_buffer_text(out, "]");
    if (n_best > 1) {
        ramus_buffer_text(out, ", \"n_best\": [");
        for (int j = 0; j < n_best && t[j].text; j++) {
            ramus_buffer_text(out, j ? ", {" : "{");
            print_fields(out, &t[j]);
            ramus_buffer_text(out, "}");
        }
        ramus_buffer_text(out, "]");
    }
    ramus_buffer_text(out, "}\n");
}

static void print_result(translation *t, int i)
{
    const int n_best = n_best_of(t->s);
    const ramus_translation *r = &t->results[i * n_best];
    ramus_buffer *out = &t->printed;
    if (t->json) {
        print_json(out, &t->texts[i], r, n_best);
    } else if (t->s->how.n_best) {
        for (int j = 0; j < n_best && r[j].text; j++) {
            ramus_buffer_print(out, "%ld ||| ", t->done + i);
            ramus_buffer_add(out, r[j].text, r[j].size);
            ramus_buffer_print(out, " ||| %.6f\n", r[j].score);
        }
    } else {
        ramus_buffer_add(out, r->text, r->size);
        if (t->lines) ramus_buffer_text(out, "\n");
    }
}

static void tell_notes(translation *t, const ramus_options *o, int i)
{
    const ramus_translation *r = &t->results[i * n_best_of(t->s)];
    for (int k = 0; k < RAMUS_COUNT(notes); k++)
        if (r->notes & notes[k].bit && t->notes++ < SHOWN_NOTES)
            ramus_command_note(o, "%s %ld %s", t->s->document ? "paragraph" : "line",
                               t->done + i + 1, notes[k].sentence);
}

/* Translates the texts that were collected, writes the result and forgets them. */
static ramus_status flush(translation *t, const ramus_options *o, ramus_error *err)
{
    if (t->n == 0) return RAMUS_OK;
    ramus_translate_options how = t->s->how;
    how.n_best = n_best_of(t->s);
    how.loops = (ramus_loops)t->s->loops;
    how.document = t->s->document;
    how.scores = t->json || t->s->how.n_best > 0;
    ramus_status st = ramus_buffer_check(&t->text, err);
    for (int i = 0; i < t->n; i++)
        t->texts[i] = (ramus_text){t->text.data + t->places[i].start, t->places[i].size};
    if (!st) st = ramus_translate_all(t->session, t->texts, t->n, &how, t->results, err);
    if (st) return st;
    ramus_buffer_clear(&t->printed);
    for (int i = 0; i < t->n; i++) {
        print_result(t, i);
        tell_notes(t, o, i);
    }
    st = ramus_buffer_check(&t->printed, err);
    if (!st &&
        (fwrite(t->printed.data, 1, t->printed.size, t->out) != t->printed.size || fflush(t->out)))
        st = ramus_fail(err, RAMUS_IO, "cannot write the translation: %s", strerror(errno));
    t->done += t->n;
    ramus_progress_update(&t->progress, (double)t->done);
    t->n = 0;
    ramus_buffer_clear(&t->text);
    return st;
}

/* Adds a text to the chunk, or goes on with the last one. */
static void collect(translation *t, const char *data, size_t size, bool go_on)
{
    if (!go_on) t->places[t->n++] = (place){.start = t->text.size};
    ramus_buffer_add(&t->text, data, size);
    t->places[t->n - 1].size = t->text.size - t->places[t->n - 1].start;
}

static bool is_blank(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\f\v", line[i]) || !line[i]) return false;
    return true;
}

static ramus_status translate_file(translation *t, const char *path, const ramus_options *o,
                                   ramus_error *err)
{
    ramus_lines *lines = NULL;
    bool inside = false; // a paragraph that the next line may belong to
    ramus_status st = ramus_lines_open(&lines, path, err);
    while (!st) {
        char *line = NULL;
        size_t size = 0;
        st = ramus_lines_next(lines, &line, &size, err);
        if (st || !line) break;
        const bool feed = line[size] == '\n'; // of a document, it stays where it is
        collect(t, line, t->s->document && feed ? size + 1 : size, inside);
        inside = t->s->document && !is_blank(line, size) && t->places[t->n - 1].size < PARAGRAPH &&
                 ramus_lines_ready(lines);
        if (!inside &&
            (t->n == CHUNK_TEXTS || t->text.size >= CHUNK_BYTES || !ramus_lines_ready(lines)))
            st = flush(t, o, err);
    }
    if (!st) st = flush(t, o, err);
    ramus_lines_close(lines);
    return st;
}

static ramus_status translate_arguments(translation *t, const ramus_options *o, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < o->n_arguments && !st; i++) {
        collect(t, o->arguments[i], strlen(o->arguments[i]), false);
        if (t->n == CHUNK_TEXTS) st = flush(t, o, err);
    }
    return st ? st : flush(t, o, err);
}

static ramus_status translate(translation *t, const ramus_options *o, ramus_error *err)
{
    const settings *s = t->s;
    ramus_status st = open_session(t, o, err);
    if (st) return st;
    if (s->output) {
        t->out = fopen(s->output, "wb");
        if (!t->out)
            return ramus_fail(err, RAMUS_IO, "%s: cannot open: %s", s->output, strerror(errno));
    }
    ramus_progress_start(&t->progress);
    st = o->n_arguments ? translate_arguments(t, o, err)
                        : translate_file(t, s->input ? s->input : "-", o, err);
    ramus_progress_end(&t->progress, (double)t->done);
    if (t->notes > SHOWN_NOTES)
        ramus_command_note(o, "and %ld more notes of this kind", t->notes - SHOWN_NOTES);
    if (s->output && fclose(t->out) && !st)
        st = ramus_fail(err, RAMUS_IO, "%s: cannot write: %s", s->output, strerror(errno));
    return st;
}

static ramus_status check(const settings *s, const ramus_options *o, ramus_error *err)
{
    if (!s->model) return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected -m MODEL");
    if (s->input && o->n_arguments)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "both -i FILE and text are given: expected one of them");
    if (s->how.n_best > s->how.beam)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "n-best is %d, expected at most the beam, %d",
                          s->how.n_best, s->how.beam);
    if (s->how.n_best && s->document && !o->common.json)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "n-best of a document has no lines to print: expected --json too");
    return RAMUS_OK;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    int code = RAMUS_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    translation t = {.s = &s,
                     .json = o.common.json,
                     .lines = !s.document || o.n_arguments,
                     .out = stdout,
                     .progress = {"translating", "lines", 0, o.common.quiet, 0, 0, false, false}};
    if (check(&s, &o, &err))
        code = ramus_command_fail(command, &err, RAMUS_WRONG_USAGE);
    else if (translate(&t, &o, &err))
        code = ramus_command_fail(command, &err, RAMUS_FAILED);
    close_session(&t);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_translate = {
    "translate",
    "translates text",
    "-m MODEL [-i FILE] [-o FILE] [TEXT...]",
    "  ramus translate -m en-de.gguf \"Where is the station?\"\n"
    "  ramus translate -m en-de.gguf -i test.en -o test.de\n"
    "  ramus translate -m en-de.gguf --document <letter.txt\n"
    "  ramus translate -m en-de.gguf --json --n-best 4 \"Good morning.\"\n",
    .run = run,
};
