/* `ramus translate`: lines or paragraphs are collected into chunks, translated and printed in
 * order. A chunk ends when it is full or, on a pipe, when no further line is ready. */
#include "cli/join.h"
#include "cli/model_choice.h"
#include "cli/progress.h"

#include "base/hash.h"
#include "base/pool.h"
#include "convert/load.h"
#include "data/corpus.h"
#include "data/lines.h"
#include "ranks/chunks.h"
#include "ranks/part_file.h"
#include "runtime/search_choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_TEXTS 1024        // that are translated together, at most
#define CHUNK_BYTES (1 << 20)   // from so many on, a chunk is full
#define PARAGRAPH   (64 * 1024) // bytes of a document that is translated as one text
#define SHOWN_NOTES 10

typedef struct {
    ramus_model_choice model;
    const char *input, *output;
    ramus_search_choice search;
    ramus_translate_options how;
    int loops; // ramus_loops
    bool document, resume;
} settings;

static const char *const loop_names[] = {"allow", "flag", "end", NULL};

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"input",            RAMUS_SETTING_TEXT,   AT(input), "file to translate, line by line; plain, .gz or .xz (also -i; default: the arguments, else standard input)", NULL, 0, 0, NULL, NULL},
    {"output",           RAMUS_SETTING_TEXT,   AT(output), "file to write (also -o; default: standard output)", NULL, 0, 0, NULL, NULL},
    {"document",         RAMUS_SETTING_FLAG,   AT(document), "running text: sentences are found, also across line ends; the white space between them stays", NULL, 0, 0, NULL, NULL},
    {"n-best",           RAMUS_SETTING_INT,    AT(how.n_best), "translations of each line, as 'line ||| text ||| score', lines counted from 0; 0: the best alone, as text", "0", 0, 64, NULL, NULL},
    {"loops",            RAMUS_SETTING_CHOICE, AT(loops), "what to do about endless repetition", "flag", 0, 0, loop_names, NULL},
    {"prefix",           RAMUS_SETTING_TEXT,   AT(how.prefix), "what every translation begins with", NULL, 0, 0, NULL, NULL},
    {"resume",           RAMUS_SETTING_FLAG,   AT(resume), "survive a kill: the output is FILE.part until it is whole, and the same command continues it; needs -i and -o", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

/* The head of a chunk: this, then a place for each text in the body; of a result: this, then an
 * unsigned of notes for each. */
typedef struct {
    int64_t first; // number of the first text, from 0
    int64_t lines; // of the input that they were
    int64_t n;     // texts
} chunk_head;

typedef struct {
    size_t start, size;
} place;

/* What is written, as the state of a part file has it. */
typedef struct {
    int64_t texts, lines, notes;
} amount;
#define N_NUMBERS 3
_Static_assert(sizeof(amount) == N_NUMBERS * sizeof(int64_t), "they are all of it");

typedef struct {
    settings *s;
    const ramus_options *o;
    ramus_comm *comm; // the other ranks; NULL: alone
    bool json;
    bool lines; // each translation gets a line of its own; documents in files have theirs

    /* Rank 0: */
    ramus_lines *in; // NULL: the arguments
    amount read;
    ramus_buffer places; // of the chunk that is being read
    FILE *out;
    ramus_part_file *part; // in place of `out`
    amount written;
    ramus_progress progress;

    /* Every rank: */
    ramus_model *model;
    ramus_session *session;
    ramus_text *texts;          // [CHUNK_TEXTS]
    ramus_translation *results; // [CHUNK_TEXTS * n_best]
} translation;

static int n_best_of(const settings *s)
{
    return s->how.n_best ? s->how.n_best : 1;
}

static ramus_status open_session(translation *t, ramus_error *err)
{
    settings *s = t->s;
    const ramus_options *o = t->o;
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    ramus_search_choose(&s->search, &options, &s->how);
    options.details = t->json;
    options.threads = o->common.threads ? o->common.threads : ramus_cores_available();
    if (o->n_arguments) { // little text: no more memory than it needs
        options.batch = o->n_arguments < options.batch ? o->n_arguments : options.batch;
        options.threads = o->n_arguments < options.threads ? o->n_arguments : options.threads;
    }
    t->texts = calloc(CHUNK_TEXTS, sizeof *t->texts);
    t->results = calloc((size_t)CHUNK_TEXTS * (size_t)n_best_of(s), sizeof *t->results);
    if (!t->texts || !t->results) return ramus_fail_memory(err, "the text");
    ramus_status st = ramus_model_choose(&s->model, err);
    if (!st) st = ramus_model_load(&t->model, s->model.model, err);
    return st ? st : ramus_session_create(&t->session, t->model, &options, err);
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

/* Text `i` of a chunk, which has `number` in the input. */
static void print_result(const translation *t, ramus_buffer *out, int i, int64_t number)
{
    const int n_best = n_best_of(t->s);
    const ramus_translation *r = &t->results[i * n_best];
    if (t->json) {
        print_json(out, &t->texts[i], r, n_best);
    } else if (t->s->how.n_best) {
        for (int j = 0; j < n_best && r[j].text; j++) {
            ramus_buffer_print(out, "%lld ||| ", (long long)number);
            ramus_buffer_add(out, r[j].text, r[j].size);
            ramus_buffer_print(out, " ||| %.6f\n", r[j].score);
        }
    } else {
        ramus_buffer_add(out, r->text, r->size);
        if (t->lines) ramus_buffer_text(out, "\n");
    }
}

static void tell_notes(translation *t, unsigned bits, int64_t number)
{
    for (int k = 0; k < RAMUS_COUNT(notes); k++)
        if (bits & notes[k].bit && t->written.notes++ < SHOWN_NOTES)
            ramus_command_note(t->o, "%s %lld %s", t->s->document ? "paragraph" : "line",
                               (long long)number + 1, notes[k].sentence);
}

static ramus_status work_chunk(void *arg, const ramus_parcel *chunk, ramus_parcel *result,
                               ramus_error *err)
{
    translation *t = arg;
    const chunk_head *head = (const chunk_head *)(const void *)chunk->head.data;
    const place *places = (const place *)(const void *)(head + 1);
    ramus_translate_options how = t->s->how;
    how.n_best = n_best_of(t->s);
    how.loops = (ramus_loops)t->s->loops;
    how.document = t->s->document;
    how.scores = t->json || t->s->how.n_best > 0;
    for (int i = 0; i < head->n; i++)
        t->texts[i] = (ramus_text){chunk->body.data + places[i].start, places[i].size};
    const ramus_status st =
        ramus_translate_all(t->session, t->texts, (int)head->n, &how, t->results, err);
    if (st) return st;
    ramus_buffer_add(&result->head, head, sizeof *head);
    for (int i = 0; i < head->n; i++) {
        const unsigned bits = t->results[i * n_best_of(t->s)].notes;
        ramus_buffer_add(&result->head, &bits, sizeof bits);
        print_result(t, &result->body, i, head->first + i);
    }
    return RAMUS_OK;
}

static ramus_status write_chunk(void *arg, const ramus_parcel *result, ramus_error *err)
{
    translation *t = arg;
    const chunk_head *head = (const chunk_head *)(const void *)result->head.data;
    const unsigned *bits = (const unsigned *)(const void *)(head + 1);
    const ramus_buffer *text = &result->body;
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < head->n; i++)
        tell_notes(t, bits[i], head->first + i);
    t->written.texts += head->n;
    t->written.lines += head->lines;
    if (t->part)
        st = ramus_part_file_add(t->part, text->data, text->size, &t->written.texts, err);
    else if (fwrite(text->data, 1, text->size, t->out) != text->size || fflush(t->out))
        st = ramus_fail(err, RAMUS_IO, "cannot write the translation: %s", strerror(errno));
    ramus_progress_update(&t->progress, (double)t->written.texts);
    return st;
}

static bool is_blank(const char *line, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\f\v", line[i]) || !line[i]) return false;
    return true;
}

/* Collects lines until the chunk is full, or none is ready. */
static ramus_status read_lines(translation *t, chunk_head *head, ramus_buffer *body,
                               ramus_error *err)
{
    place last = {0};
    bool inside = false; // a paragraph that the next line may belong to
    do {
        char *line = NULL;
        size_t size = 0;
        const ramus_status st = ramus_lines_next(t->in, &line, &size, err);
        if (st) return st;
        if (!line) break;
        const bool feed = line[size] == '\n'; // of a document, it stays where it is
        if (!inside) {
            if (head->n++) ramus_buffer_add(&t->places, &last, sizeof last);
            last = (place){.start = body->size};
        }
        head->lines++;
        ramus_buffer_add(body, line, t->s->document && feed ? size + 1 : size);
        last.size = body->size - last.start;
        inside = t->s->document && !is_blank(line, size) && last.size < PARAGRAPH &&
                 ramus_lines_ready(t->in);
    } while (inside ||
             (head->n < CHUNK_TEXTS && body->size < CHUNK_BYTES && ramus_lines_ready(t->in)));
    if (head->n) ramus_buffer_add(&t->places, &last, sizeof last);
    return RAMUS_OK;
}

static void read_arguments(translation *t, chunk_head *head, ramus_buffer *body)
{
    for (; head->n < CHUNK_TEXTS && head->first + head->n < t->o->n_arguments; head->n++) {
        const char *text = t->o->arguments[head->first + head->n];
        const place at = {body->size, strlen(text)};
        ramus_buffer_add(&t->places, &at, sizeof at);
        ramus_buffer_add(body, text, at.size);
    }
}

static ramus_status read_chunk(void *arg, ramus_parcel *chunk, ramus_error *err)
{
    translation *t = arg;
    chunk_head head = {.first = t->read.texts};
    ramus_buffer_clear(&t->places);
    if (!t->in) {
        read_arguments(t, &head, &chunk->body);
    } else {
        const ramus_status st = read_lines(t, &head, &chunk->body, err);
        if (st) return st;
    }
    if (!head.n) return RAMUS_OK;
    t->read.texts += head.n;
    ramus_buffer_add(&chunk->head, &head, sizeof head);
    ramus_buffer_add(&chunk->head, t->places.data, t->places.size);
    return ramus_buffer_check(&t->places, err);
}

/* Of everything that changes what is written. */
static uint64_t settings_key(const translation *t)
{
    const settings *s = t->s;
    const ramus_translate_options *how = &s->how;
    ramus_buffer text = {0};
    ramus_buffer_print(&text, "%s beam %d n-best %d json %d document %d loops %d no-repeat %d ",
                       ramus_version(), how->beam, how->n_best, t->json, s->document, s->loops,
                       how->no_repeat);
    ramus_buffer_print(&text, "length-penalty %a max-length-ratio %a prefix %s",
                       how->length_penalty, how->max_length_ratio, how->prefix ? how->prefix : "");
    const uint64_t key = ramus_hash(0, text.data, text.size);
    ramus_buffer_free(&text);
    return key;
}

/* Opens the output that survives kills, and resumes it. */
static ramus_status open_part(translation *t, ramus_error *err)
{
    const settings *s = t->s;
    ramus_part_key keys[] = {
        {"another model", 0}, {"another input", 0}, {"other settings", settings_key(t)}, {NULL, 0}};
    ramus_status st = ramus_hash_file(&keys[0].value, s->model.model, err);
    if (!st) st = ramus_hash_file(&keys[1].value, s->input, err);
    if (!st)
        st = ramus_part_file_open(&t->part, s->output, keys, &t->written.texts, N_NUMBERS, err);
    for (int64_t i = 0; i < t->written.lines && !st; i++) {
        char *line = NULL;
        size_t size = 0;
        st = ramus_lines_next(t->in, &line, &size, err);
    }
    t->read = t->written;
    if (!st && t->written.texts)
        ramus_command_note(t->o, "going on after %lld texts", (long long)t->written.texts);
    return st;
}

/* Rank 0 opens the input, so that a wrong name empties no file, then the output. */
static ramus_status open_files(translation *t, ramus_error *err)
{
    const settings *s = t->s;
    ramus_status st = RAMUS_OK;
    if (!t->o->n_arguments) st = ramus_lines_open(&t->in, s->input ? s->input : "-", err);
    if (st || s->resume) return st ? st : open_part(t, err);
    t->out = s->output ? fopen(s->output, "wb") : stdout;
    if (!t->out) st = ramus_fail(err, RAMUS_IO, "%s: cannot open: %s", s->output, strerror(errno));
    return st;
}

static ramus_status close_output(translation *t, ramus_status st, ramus_error *err)
{
    if (t->written.notes > SHOWN_NOTES)
        ramus_command_note(t->o, "and %lld more notes of this kind",
                           (long long)t->written.notes - SHOWN_NOTES);
    if (t->part && !st) st = ramus_part_file_finish(t->part, &t->written.texts, err);
    if (t->s->output && t->out && fclose(t->out) && !st)
        st = ramus_fail(err, RAMUS_IO, "%s: cannot write: %s", t->s->output, strerror(errno));
    return st;
}

static ramus_status translate(translation *t, ramus_error *err)
{
    const ramus_chunk_work work = {read_chunk, work_chunk, write_chunk, t};
    const bool first = ramus_comm_rank(t->comm) == 0;
    ramus_status st = open_session(t, err);
    if (!st && first) st = open_files(t, err);
    st = ramus_comm_agree(t->comm, st, err);
    if (st) return st;
    if (first) ramus_progress_start(&t->progress);
    st = ramus_chunks_run(t->comm, &work, err);
    if (first) {
        ramus_progress_end(&t->progress, (double)t->written.texts);
        st = close_output(t, st, err);
    }
    return ramus_comm_agree(t->comm, st, err);
}

static void close_all(translation *t)
{
    ramus_part_file_close(t->part);
    ramus_lines_close(t->in);
    ramus_session_destroy(t->session);
    ramus_model_close(t->model);
    ramus_buffer_free(&t->places);
    free(t->texts);
    free(t->results);
}

static ramus_status check(const settings *s, const ramus_options *o, ramus_error *err)
{
    const ramus_status st = ramus_model_choice_check(&s->model, err);
    if (st) return st;
    if (s->input && o->n_arguments)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "both -i FILE and text are given: expected one of them");
    if (s->how.n_best > s->search.beam)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "n-best is %d, expected at most the beam, %d",
                          s->how.n_best, s->search.beam);
    if (s->how.n_best && s->document && !o->common.json)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "n-best of a document has no lines to print: expected --json too");
    const bool files = s->input && strcmp(s->input, "-") != 0;
    if (ramus_comm_launched() > 1 && !files)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "several ranks share a file: expected -i FILE");
    if (s->resume && (!files || !s->output))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "--resume goes on with a file: expected -i FILE and -o FILE");
    return ramus_model_choice_check(&s->model, err);
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {.how = RAMUS_TRANSLATE_DEFAULTS};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, ramus_search_choice_settings(&s.search));
    ramus_options_add(&o, ramus_model_options(&s.model));
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    ramus_status st = ramus_options_parse(&o, command, argc, argv, &err);
    if (o.common.help) return ramus_options_help(&o);
    translation t = {.s = &s,
                     .o = &o,
                     .json = o.common.json,
                     .lines = !s.document || o.n_arguments,
                     .progress = {"translating", "lines", 0, o.common.quiet, 0, 0, false, false}};
    if (!st) st = check(&s, &o, &err);
    if (ramus_command_join(&t.comm, command, st, &err, &code) && translate(&t, &err))
        code = ramus_command_fail(command, &err);
    close_all(&t);
    ramus_comm_close(t.comm);
    ramus_model_choice_free(&s.model);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_translate = {
    "translate",
    "translates text",
    "[-m MODEL | --to LANGUAGE] [-i FILE] [-o FILE] [TEXT...]",
    "  ramus translate \"Where is the station?\"\n"
    "  ramus translate --to en \"Wo ist der Bahnhof?\"\n"
    "  ramus translate -m en-de.gguf -i test.en -o test.de\n"
    "  ramus translate -m en-de.gguf --document <letter.txt\n"
    "  mpirun -n 8 ramus translate -m en-de.gguf -i big.en.xz -o big.de --resume\n"
    "  ramus translate -m en-de.gguf --json --n-best 4 \"Good morning.\"\n",
    .run = run,
    .ranks = true,
};
