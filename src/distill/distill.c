/* The corpus is read once to count and hash it, then again in chunks. A chunk becomes
 * translations, verdicts and lines on any rank; rank 0 appends them to a part file, whose state
 * carries the counts. */
#include "distill/distill.h"

#include "base/hash.h"
#include "convert/load.h"
#include "data/corpus.h"
#include "data/lines.h"
#include "data/pair_lines.h"
#include "eval/words.h"
#include "ranks/chunks.h"
#include "ranks/part_file.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)16 << 20) // of text; ends a chunk of long lines early
#define N_NUMBERS   (RAMUS_VERDICTS + 2)
_Static_assert(sizeof(ramus_distill_counts) == N_NUMBERS * sizeof(int64_t), "they are all of it");

static const char *const closest_names[] = {"none", "bleu", "chrf", NULL};

// clang-format off
#define AT(field) offsetof(ramus_distill, field)
static const ramus_setting rows[] = {
    {"model",            RAMUS_SETTING_LIST,   AT(teachers), "the teacher: model file or checkpoint; again for an ensemble of several (also -m)", NULL, 1, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"input",            RAMUS_SETTING_LIST,   AT(inputs), "files of source sentences, one a line, or .tsv with a reference beside it; plain, .gz or .xz (also -i)", NULL, 1, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"reference",        RAMUS_SETTING_LIST,   AT(references), "files of reference translations, one for each input that is no .tsv", NULL, 1, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"source-column",    RAMUS_SETTING_INT,    AT(source_column), "of .tsv files: column of the source", "1", 1, 1000, NULL, NULL},
    {"target-column",    RAMUS_SETTING_INT,    AT(target_column), "of .tsv files: column of the reference", "2", 1, 1000, NULL, NULL},
    {"output",           RAMUS_SETTING_TEXT,   AT(output), "file to write: source, tab, translation; packed if it ends with .gz or .xz (also -o)", NULL, 0, 0, ramus_setting_file, NULL},
    {"to",               RAMUS_SETTING_TEXT,   AT(to), "of a teacher with several target languages: its code of one", NULL, 0, 0, ramus_setting_language, NULL},
    {"n-best",           RAMUS_SETTING_INT,    AT(n_best), "translations to choose from: the best that is not dropped, or the closest", "1", 1, 64, NULL, NULL},
    {"closest",          RAMUS_SETTING_CHOICE, AT(closest), "choose the translation closest to the reference, by BLEU of the sentence or chrF", "none", 0, 0, closest_names, NULL},
    {"tokenize",         RAMUS_SETTING_CHOICE, AT(tokenize), "how BLEU cuts words (as in evaluate)", "13a", 0, 0, ramus_tokenization_names, NULL},
    {"max-ratio",        RAMUS_SETTING_REAL,   AT(max_ratio), "largest ratio of the tokens of source and translation; others are dropped; 0: any", "3", 0, 1e6, NULL, NULL},
    {"mix",              RAMUS_SETTING_SWITCH, AT(mix), "also write the original pair, behind the translated one", "off", 0, 0, NULL, NULL},
    {"chunk",            RAMUS_SETTING_INT,    AT(chunk), "lines after which the work is saved", "4096", 1, 1000000, NULL, NULL},
};
#undef AT
// clang-format on

ramus_settings ramus_distill_settings(ramus_distill *d)
{
    return (ramus_settings){rows, RAMUS_COUNT(rows), d};
}

static bool needs_reference(const ramus_distill *d)
{
    return d->closest != RAMUS_CLOSEST_NONE || d->mix;
}

static ramus_status check_inputs(const ramus_distill *d, ramus_error *err)
{
    int plain = 0;
    for (int i = 0; i < d->inputs.n; i++) {
        const char *file = d->inputs.items[i];
        if (strcmp(file, "-") == 0)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "standard input cannot be read again after a stop: expected a file");
        if (ramus_lines_have_columns(file)) continue;
        plain++;
        if (needs_reference(d) && !d->references.n)
            return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                              "%s has no reference, which --closest and --mix need: expected a "
                              ".tsv file, or --reference FILE",
                              file);
    }
    if (d->references.n && d->references.n != plain)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "%d reference files for %d inputs: expected one each", d->references.n,
                          plain);
    return RAMUS_OK;
}

ramus_status ramus_distill_check(const ramus_distill *d, ramus_error *err)
{
    if (!d->teachers.n) return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected -m MODEL");
    if (!d->inputs.n) return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected --input FILE");
    if (!d->output) return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected -o FILE");
    if (d->n_best > d->search.beam)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "n-best is %d, expected at most the beam, %d",
                          d->n_best, d->search.beam);
    if (d->closest != RAMUS_CLOSEST_NONE && d->n_best == 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "--closest %s has one translation to choose from: expected --n-best 2 or "
                          "more",
                          closest_names[d->closest]);
    return check_inputs(d, err);
}

/* The files of the corpus, one after the other. */
typedef struct {
    const ramus_distill *d;
    ramus_corpus_spec spec; // of the file that is open
    ramus_pair_lines *lines;
    int next, next_reference; // files
} reader;

static ramus_status open_next(reader *r, ramus_error *err)
{
    const ramus_distill *d = r->d;
    const char *file = d->inputs.items[r->next++];
    const bool columns = ramus_lines_have_columns(file), needed = needs_reference(d);
    const int source = columns ? d->source_column : 0;
    r->spec = (ramus_corpus_spec){.source = file,
                                  .source_column = source,
                                  .target_column = columns && needed ? d->target_column : source};
    if (!columns && needed) r->spec.target = d->references.items[r->next_reference++];
    return ramus_pair_lines_open(&r->lines, &r->spec, err);
}

static void reader_close(reader *r)
{
    ramus_pair_lines_close(r->lines);
    r->lines = NULL;
}

/* Sets *text to the next line, without a source at the end. Where no reference is needed, target is
 * the source. */
static ramus_status reader_next(reader *r, ramus_pair_text *text, ramus_error *err)
{
    *text = (ramus_pair_text){0};
    for (;;) {
        ramus_status st = RAMUS_OK;
        if (!r->lines) {
            if (r->next == r->d->inputs.n) return RAMUS_OK;
            st = open_next(r, err);
        }
        if (!st) st = ramus_pair_lines_next(r->lines, text, err);
        if (st || text->source) return st;
        reader_close(r);
    }
}

/* Counts the lines and makes a key of them. */
static ramus_status survey(const ramus_distill *d, uint64_t *key, int64_t *n, ramus_error *err)
{
    reader r = {.d = d};
    ramus_pair_text text = {0};
    ramus_status st = RAMUS_OK;
    while (!(st = reader_next(&r, &text, err)) && text.source) {
        *key = ramus_hash(*key, text.source, text.source_size);
        if (needs_reference(d)) *key = ramus_hash(*key, text.target, text.target_size);
        ++*n;
    }
    reader_close(&r);
    return st;
}

/* A line of a chunk, in its head; the body has their texts, reference behind source. */
typedef struct {
    size_t source_size, target_size;
} chunk_line;

/* The head of a result; and, as the state of the output has them, of all so far. */
typedef union {
    int64_t numbers[N_NUMBERS];
    ramus_distill_counts counts;
} tally;

typedef struct {
    const ramus_distill *d;
    const ramus_distill_hooks *hooks;
    ramus_comm *comm;

    /* Rank 0: */
    reader in;
    ramus_part_file *out;
    int64_t all; // lines of the corpus
    tally so_far;

    /* Every rank: */
    ramus_model *model;
    ramus_session *session;
    ramus_translate_options how;
    ramus_text *texts;          // [chunk]
    ramus_translation *results; // [chunk, n_best]
    ramus_buffer printed;
} distiller;

static ramus_status join_teacher(ramus_model *model, const char *path, ramus_error *err)
{
    ramus_model *other = NULL;
    ramus_status st = ramus_model_load(&other, path, err);
    if (st) return st;
    st = ramus_model_join(model, other, err);
    if (!st) return RAMUS_OK;
    ramus_model_close(other);
    return ramus_fail_in(err, st, path);
}

static ramus_status open_teacher(distiller *w, int threads, ramus_error *err)
{
    const ramus_distill *d = w->d;
    const size_t chunk = (size_t)d->chunk;
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    w->how = (ramus_translate_options)RAMUS_TRANSLATE_DEFAULTS;
    w->how.whole_lines = w->how.unprotected = true; // a line of a corpus is what a student learns
    ramus_search_choose(&d->search, &options, &w->how);
    w->how.to = d->to;
    options.threads = threads;
    w->texts = calloc(chunk, sizeof *w->texts);
    w->results = calloc(chunk * (size_t)d->n_best, sizeof *w->results);
    if (!w->texts || !w->results) return ramus_fail_memory(err, "a chunk of text");
    ramus_status st = ramus_model_load(&w->model, d->teachers.items[0], err);
    for (int i = 1; i < d->teachers.n && !st; i++)
        st = join_teacher(w->model, d->teachers.items[i], err);
    return st ? st : ramus_session_create(&w->session, w->model, &options, err);
}

static uint64_t settings_key(const ramus_distill *d)
{
    ramus_buffer text = {0};
    ramus_buffer_print(&text, "%s beam %d n-best %d closest %d tokenize %d max-ratio %a mix %d ",
                       ramus_version(), d->search.beam, d->n_best, d->closest, d->tokenize,
                       d->max_ratio, d->mix);
    ramus_buffer_print(&text, "search %d to %s ", d->search.rules, d->to ? d->to : "");
    ramus_buffer_print(&text, "length-penalty %a max-length-ratio %a no-repeat %d",
                       d->search.length_penalty, d->search.max_length_ratio, d->search.no_repeat);
    const uint64_t key = ramus_hash(0, text.data, text.size);
    ramus_buffer_free(&text);
    return key;
}

/* Reads the whole corpus once, so that its errors show before the work begins, and opens the
 * output. */
static ramus_status open_output(distiller *w, ramus_error *err)
{
    const ramus_distill *d = w->d;
    ramus_part_key keys[] = {{"another teacher", 0},
                             {"another corpus", 0},
                             {"other settings", settings_key(d)},
                             {NULL, 0}};
    ramus_status st = survey(d, &keys[1].value, &w->all, err);
    for (int i = 0; i < d->teachers.n && !st; i++)
        st = ramus_hash_file(&keys[0].value, d->teachers.items[i], err);
    if (!st) st = ramus_part_file_open(&w->out, d->output, keys, w->so_far.numbers, N_NUMBERS, err);
    return st;
}

static ramus_status skip_lines(distiller *w, ramus_error *err)
{
    ramus_pair_text text = {0};
    ramus_status st = RAMUS_OK;
    for (int64_t i = 0; i < w->so_far.counts.lines && !st; i++)
        st = reader_next(&w->in, &text, err);
    return st;
}

/* The next lines; none at the end. */
static ramus_status read_chunk(void *arg, ramus_parcel *chunk, ramus_error *err)
{
    distiller *w = arg;
    for (int n = 0; n < w->d->chunk && chunk->body.size < CHUNK_BYTES; n++) {
        ramus_pair_text text = {0};
        const ramus_status st = reader_next(&w->in, &text, err);
        if (st) return st;
        if (!text.source) break;
        const chunk_line line = {text.source_size, text.target_size};
        ramus_buffer_add(&chunk->head, &line, sizeof line);
        ramus_buffer_add(&chunk->body, text.source, text.source_size);
        ramus_buffer_add(&chunk->body, text.target, text.target_size);
    }
    return RAMUS_OK;
}

static void show_progress(void *arg, int done, int all)
{
    const distiller *w = arg;
    const double left = (double)(w->all - w->so_far.counts.lines);
    const double chunk = left < w->d->chunk ? left : w->d->chunk;
    w->hooks->progress(w->hooks->arg, (double)w->so_far.counts.lines + chunk * done / all);
}

/* Translates w->texts[0 .. n). */
static ramus_status translate_texts(distiller *w, int n, ramus_error *err)
{
    const ramus_distill *d = w->d;
    ramus_translate_options how = w->how;
    how.n_best = d->n_best;
    how.scores = false;
    how.progress = w->comm ? NULL : show_progress; // of many ranks, a chunk is soon done
    how.arg = w;
    return ramus_translate_all(w->session, w->texts, n, &how, w->results, err);
}

/* Adds a field of the output; what would end it becomes a space. */
static void print_field(ramus_buffer *out, const char *text, size_t size, const char *behind)
{
    const size_t start = out->size;
    ramus_buffer_add(out, text, size);
    for (size_t i = start; i < out->size; i++)
        if (memchr("\t\n\r", out->data[i], 3)) out->data[i] = ' ';
    ramus_buffer_text(out, behind);
}

/* Line i of the chunk, with its reference, into w->printed and the counts. */
static ramus_status print_line(distiller *w, ramus_chooser *chooser, int i, ramus_line reference,
                               ramus_distill_counts *counts, ramus_error *err)
{
    const ramus_text source = w->texts[i];
    const ramus_translation *t = &w->results[(size_t)i * (size_t)w->d->n_best];
    ramus_chosen chosen = {0};
    const ramus_status st = ramus_chooser_run(chooser, t, w->d->n_best, reference, &chosen, err);
    if (st) return st;
    counts->lines++;
    counts->verdicts[chosen.verdict]++;
    if (chosen.verdict == RAMUS_KEPT) {
        print_field(&w->printed, source.data, source.size, "\t");
        print_field(&w->printed, t[chosen.index].text, t[chosen.index].size, "\n");
    }
    if (w->d->mix && t->n_source > 0 && reference.size > 0) {
        print_field(&w->printed, source.data, source.size, "\t");
        print_field(&w->printed, reference.data, reference.size, "\n");
        counts->originals++;
    }
    return RAMUS_OK;
}

/* What a chunk gives: counts, and lines as they go into the output. */
static ramus_status work_chunk(void *arg, const ramus_parcel *chunk, ramus_parcel *result,
                               ramus_error *err)
{
    distiller *w = arg;
    const chunk_line *lines = (const chunk_line *)(const void *)chunk->head.data;
    const int n = (int)(chunk->head.size / sizeof *lines);
    const ramus_choice_rule rule = {
        .closest = (ramus_closest)w->d->closest,
        .tokenization = ramus_tokenization_at(w->d->tokenize),
        .max_ratio = w->d->max_ratio,
    };
    ramus_chooser *chooser = NULL;
    tally done = {0};
    const char *at = chunk->body.data;
    for (int i = 0; i < n; at += lines[i].source_size + lines[i].target_size, i++)
        w->texts[i] = (ramus_text){at, lines[i].source_size};
    ramus_status st = translate_texts(w, n, err);
    if (!st) st = ramus_chooser_create(&chooser, &rule, err);
    ramus_buffer_clear(&w->printed);
    for (int i = 0; i < n && !st; i++) {
        const ramus_line reference = {w->texts[i].data + lines[i].source_size,
                                      lines[i].target_size};
        st = print_line(w, chooser, i, reference, &done.counts, err);
    }
    if (!st) st = ramus_buffer_check(&w->printed, err);
    if (!st)
        st = ramus_lines_pack(&result->body, w->d->output, w->printed.data, w->printed.size, err);
    ramus_buffer_add(&result->head, &done, sizeof done);
    ramus_chooser_destroy(chooser);
    return st;
}

static ramus_status write_chunk(void *arg, const ramus_parcel *result, ramus_error *err)
{
    distiller *w = arg;
    const tally *done = (const tally *)(const void *)result->head.data;
    for (int i = 0; i < N_NUMBERS; i++)
        w->so_far.numbers[i] += done->numbers[i];
    const ramus_status st =
        ramus_part_file_add(w->out, result->body.data, result->body.size, w->so_far.numbers, err);
    if (!st) w->hooks->progress(w->hooks->arg, (double)w->so_far.counts.lines);
    return st;
}

static ramus_status distill(distiller *w, int threads, ramus_error *err)
{
    const ramus_chunk_work work = {read_chunk, work_chunk, write_chunk, w};
    const bool first = ramus_comm_rank(w->comm) == 0;
    ramus_status st = open_teacher(w, threads, err);
    if (!st && first) st = open_output(w, err);
    if (!st && first) st = skip_lines(w, err);
    st = ramus_comm_agree(w->comm, st, err);
    if (st) return st;
    if (first) w->hooks->started(w->hooks->arg, w->so_far.counts.lines, w->all);
    st = ramus_chunks_run(w->comm, &work, err);
    if (!st && first) st = ramus_part_file_finish(w->out, w->so_far.numbers, err);
    return ramus_comm_agree(w->comm, st, err);
}

ramus_status ramus_distill_run(const ramus_distill *d, ramus_comm *comm, int threads,
                               const ramus_distill_hooks *hooks, ramus_distill_counts *counts,
                               ramus_error *err)
{
    distiller w = {.d = d, .hooks = hooks, .comm = comm, .in = {.d = d}};
    const ramus_status st = distill(&w, threads, err);
    *counts = w.so_far.counts;
    reader_close(&w.in);
    ramus_part_file_close(w.out);
    ramus_session_destroy(w.session);
    ramus_model_close(w.model);
    ramus_buffer_free(&w.printed);
    free(w.texts);
    free(w.results);
    return st;
}
