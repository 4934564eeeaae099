/* The law of one answer: a model file and options decide every word and every bit of a score; the
 * batch size, the number of threads and the CPU's row of kernels decide nothing.
 *
 *     build/tests/one_answer                           models made here, 50 sentences, quickly
 *     build/tests/one_answer quick                     the same in two ways of the fastest row
 * alone build/tests/one_answer MODEL.gguf|- TEXT LINES   that model (-: those made here), the first
 *                                                      LINES lines of a file, larger batches
 *
 * Without a text the answers must also be those that were written down below, so that another
 * machine or compiler has to give the same. Exit 1 at a difference. */
#include "kernels/cpu.h"
#include "kernels/select.h"
#include "runtime/model.h"
#include "runtime/search.h"
#include "text/tokenizer.h"

#include "runtime/models.h"

#include <inttypes.h>

/* The models made here. FNV-1a, 64 bits, of the file, and of all answers with it: they change when
 * the file format, the tokenizer or the arithmetic changes, never with the machine. */
static const struct made_model {
    const char *name;
    const char *settings[17]; // besides those of the small model
    ramus_export_spec spec;
    uint64_t file_sum, beam_sum, greedy_sum;
} made[] = {
    {"int8",
     {NULL},
     {.type = RAMUS_EXPORT_I8},
     UINT64_C(0x70f8022e3e679aa3),
     UINT64_C(0x6016a226ac12c56c),
     UINT64_C(0x97a57eb203886f0c)},
    {"int4",
     {NULL},
     {.type = RAMUS_EXPORT_I4, .words = RAMUS_EXPORT_WORDS_I4},
     UINT64_C(0x2df6943b25f227ca),
     UINT64_C(0xfdfc8ddffc3a6e18),
     UINT64_C(0x6a29e3264b4b8979)},
    {"int8, lsra",
     {"attention", "lsra", "taps", "3,7", "convolution-heads", "2", "decoder-convolution",
      "lightweight", NULL},
     {.type = RAMUS_EXPORT_I8},
     UINT64_C(0x14cca6126e50ea39),
     UINT64_C(0x658980eecc89306a),
     UINT64_C(0x18621027b0539491)},
    {"int4, layers that differ",
     {"filter", "72,40", "heads", "4,8", "decoder-filter", "24,88", "decoder-width", "48",
      "attention-width", "64", "cross-layers", "2,1", NULL},
     {.type = RAMUS_EXPORT_I4},
     UINT64_C(0xa2c6dc5840ba89aa),
     UINT64_C(0x3a495fe0621d87ae),
     UINT64_C(0x95d79d89529410a4)},
};

#define MAX_LENGTH 120 // tokens of a source, EOS included: longer lines are cut
#define MAX_BATCH  64
#define MAX_BEAM   4
#ifdef __wasm__
#define THREADS 1
#else
#define THREADS 3
#endif
#define EOS 2 // of the golden vocabularies

static ramus_error err;

static void require(ramus_status st)
{
    if (!st) return;
    fprintf(stderr, "%s\n", err.message);
    exit(1);
}

/* Sentences of ids and what came of each. */
typedef struct {
    const ramus_model *model;
    int extra_length;
    ramus_ids ids;
    int *start; // [n + 1]
    int n;
} text;

/* How they are translated. */
typedef struct {
    const char *isa;
    int batch, threads;
    bool inside; // threads share out each op of one search; else each has a search of its own
    int beam;    // 1: greedy
} way;

typedef struct {
    const text *text;
    const way *way;
    ramus_search *searches[THREADS];
    ramus_buffer *answers; // of each sentence: length, ids, bits of the score, for each hypothesis
} work;

static uint64_t checksum(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001B3);
    return sum;
}

#define SUM_START UINT64_C(0xCBF29CE484222325)

static ramus_search *create_search(const text *t, const way *w, ramus_pool *pool)
{
    const ramus_search_limits limits = {.sentences = w->batch,
                                        .source_tokens = w->batch * MAX_LENGTH,
                                        .source_length = MAX_LENGTH,
                                        .target_length = MAX_LENGTH + t->extra_length,
                                        .beam = w->beam};
    ramus_search *s = NULL;
    require(ramus_search_create(&s, &t->model->arch, t->model->weights, &limits, pool, &err));
    return s;
}

/* The only place that knows how a search is called. */
static void run_search(ramus_search *s, const text *t, const way *w, int first, int n,
                       ramus_hypothesis *out)
{
    ramus_source sources[MAX_BATCH] = {{0}};
    ramus_error own = {0}; // this may be one of several threads
    const ramus_search_options options = {.beam = w->beam,
                                          .greedy = w->beam == 1,
                                          .scores = true,
                                          .length_penalty = 0.6,
                                          .length_ratio = 1,
                                          .extra_length = t->extra_length,
                                          .eos = ramus_vocab_eos(t->model->vocabs[1])};
    for (int i = 0; i < n; i++) {
        const int *start = t->start + first + i;
        sources[i] = (ramus_source){.ids = t->ids.data + start[0], .length = start[1] - start[0]};
    }
    if (!ramus_search_run(s, &options, sources, n, out, &own)) return;
    fprintf(stderr, "%s\n", own.message);
    exit(1);
}

static void run_batch(void *arg, int index, int thread)
{
    const work *w = arg;
    const int first = index * w->way->batch, left = w->text->n - first, beam = w->way->beam;
    const int n = left < w->way->batch ? left : w->way->batch;
    ramus_hypothesis found[MAX_BATCH * MAX_BEAM];
    run_search(w->searches[thread], w->text, w->way, first, n, found);
    for (int i = 0; i < n * beam; i++) {
        ramus_buffer *out = &w->answers[first + i / beam];
        const int32_t length = found[i].length;
        ramus_buffer_add(out, &length, sizeof length);
        ramus_buffer_add(out, found[i].ids, (size_t)length * sizeof(int));
        ramus_buffer_add(out, &found[i].score, sizeof found[i].score);
        require(ramus_buffer_check(out, NULL));
    }
}

/* Translates everything in one way. The caller frees the answers. */
static ramus_buffer *answers_of(const text *t, const way *w)
{
    work k = {.text = t, .way = w, .answers = calloc((size_t)t->n + 1, sizeof(ramus_buffer))};
    ramus_pool *pool = NULL;
    const int batches = (t->n + w->batch - 1) / w->batch, searches = w->inside ? 1 : w->threads;
    (void)setenv("RAMUS_ISA", w->isa, 1);
    require(ramus_pool_create(&pool, w->threads, &err));
    for (int i = 0; i < searches; i++)
        k.searches[i] = create_search(t, w, w->inside ? pool : NULL);
    if (w->inside)
        for (int i = 0; i < batches; i++)
            run_batch(&k, i, 0);
    else
        ramus_pool_for(pool, batches, run_batch, &k);
    for (int i = 0; i < searches; i++)
        ramus_search_destroy(k.searches[i]);
    ramus_pool_destroy(pool);
    return k.answers;
}

static void free_answers(ramus_buffer *answers, int n)
{
    for (int i = 0; answers && i < n; i++)
        ramus_buffer_free(&answers[i]);
    free(answers);
}

/* How many sentences were answered otherwise; tells the first. */
static int compare(const ramus_buffer *got, const ramus_buffer *want, int n, const way *w)
{
    int other = 0;
    for (int i = 0; i < n; i++) {
        const bool same = got[i].size == want[i].size && got[i].size > 0 &&
                          memcmp(got[i].data, want[i].data, got[i].size) == 0;
        if (!same && !other++)
            fprintf(stderr,
                    "%s, batch %d, %d threads %s, beam %d: sentence %d is answered otherwise\n",
                    w->isa, w->batch, w->threads,
                    w->inside ? "in one search" : "with a search each", w->beam, i + 1);
    }
    return other;
}

static uint64_t answers_sum(const ramus_buffer *answers, int n)
{
    uint64_t sum = SUM_START;
    for (int i = 0; i < n; i++)
        sum = checksum(sum, answers[i].data, answers[i].size);
    return sum;
}

/* The best hypothesis of an answer: its ids, and how many. */
static const char *best_ids(const ramus_buffer *answer, int32_t *length)
{
    memcpy(length, answer->data, sizeof *length);
    return answer->data + sizeof *length;
}

/* Answers whose words no other answer has: where there are few, the law says little. */
static int distinct(const ramus_buffer *answers, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool seen = false;
        int32_t a = 0, b = 0;
        const char *ids = best_ids(&answers[i], &a);
        for (int j = 0; j < n && !seen; j++) {
            const char *others = best_ids(&answers[j], &b);
            seen = j != i && a == b && memcmp(ids, others, (size_t)a * sizeof a) == 0;
        }
        count += !seen;
    }
    return count;
}

/* Answers that end with EOS, not with the limit of their length. */
static int ended(const ramus_buffer *answers, int n, int32_t eos)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        int32_t length = 0;
        const char *ids = best_ids(&answers[i], &length);
        count += length && memcmp(ids + (size_t)(length - 1) * sizeof eos, &eos, sizeof eos) == 0;
    }
    return count;
}

static int fastest_row(void)
{
    int row = ramus_kernels_count() - 1;
    while (!ramus_cpu_has(ramus_kernels_at(row)->needs))
        row--;
    return row;
}

/* Runs every way with one beam against the first; quick: few. Returns how many answers differ. */
static int check_ways(const text *t, int beam, const int batches[3], bool quick, uint64_t *sum)
{
    ramus_buffer *want = NULL;
    int other = 0, ways = 0;
    for (int row = quick ? fastest_row() : 0; row < ramus_kernels_count(); row++) {
        const ramus_kernels *kernels = ramus_kernels_at(row);
        if (!ramus_cpu_has(kernels->needs)) continue;
        const bool slow = row == 0 && t->n > 200; // the reference row: one way is enough
        for (int i = 0; i < 3 * THREADS * 2; i++) {
            const way w = {kernels->isa, batches[i / 2 / THREADS], i / 2 % THREADS + 1, i % 2,
                           beam};
            if (quick && (w.batch != batches[1] || w.threads != THREADS)) continue;
            if (w.threads == 1 && !w.inside) continue;       // the same way again
            if (w.threads == 2 && CHECK_SANITIZED) continue; // 1 and 3 run all of the code
            if (slow && want && (w.batch != batches[1] || w.threads != 2 || w.inside)) continue;
            ramus_buffer *got = answers_of(t, &w);
            if (want) other += compare(got, want, t->n, &w);
            ways++;
            if (want)
                free_answers(got, t->n);
            else
                want = got;
        }
        printf("beam %d, kernels %s: %d ways so far, %d answers differ\n", beam, kernels->isa, ways,
               other);
        (void)fflush(stdout);
    }
    if (!want) return 1; // there always is a row
    *sum = answers_sum(want, t->n);
    printf("beam %d: %d answers are unlike all others, %d end with EOS\n", beam,
           distinct(want, t->n), ended(want, t->n, ramus_vocab_eos(t->model->vocabs[1])));
    free_answers(want, t->n);
    return other;
}

/* The small model, with weights under which translations end and differ. */
static void make_model(const char *path, const struct made_model *made_of)
{
    static const char *const shape[] = {"width",
                                        "40",
                                        "filter",
                                        "72",
                                        "heads",
                                        "4",
                                        "encoder-layers",
                                        "2",
                                        "branches",
                                        "4",
                                        "decoder-layers",
                                        "2",
                                        "source-vocab",
                                        "1000",
                                        "target-vocab",
                                        "1000",
                                        "routing",
                                        "dmb",
                                        NULL};
    const ramus_arch a = model_arch(shape, made_of->settings);
    ramus_checkpoint c = model_make(&a);
    model_vocab(&c, 0, "identity");
    for (int i = 0; i < c.weights->n; i++) {
        const ramus_weight *w = &c.weights->items[i];
        const int width = w->dims[1];
        for (int j = 0; j < width && strcmp(w->name, "embedding.weight") == 0; j++)
            w->data[EOS * width + j] *= 2; // larger logits: it comes up
        for (size_t j = 0; j < w->count && strstr(w->name, "norm.gain"); j++)
            w->data[j] += 1;
    }
    require(ramus_export(&c, &made_of->spec, path, &err));
    model_free(&c);
}

static void add_line(text *t, ramus_tokenizer *tok, const char *line, size_t size)
{
    const int first = t->ids.n;
    require(ramus_tokenizer_encode(tok, line, size, &t->ids, &err));
    if (t->ids.n == first) return; // nothing to translate
    if (t->ids.n - first >= MAX_LENGTH) t->ids.n = first + MAX_LENGTH - 1;
    require(ramus_ids_add(&t->ids, ramus_vocab_eos(t->model->vocabs[0]), &err));
    t->start[++t->n] = t->ids.n;
}

/* Every `step`th line of a file, at most `most` of them. */
static void read_text(text *t, const char *path, int step, int most)
{
    ramus_file file = {0};
    ramus_tokenizer *tok = NULL;
    require(ramus_file_map(&file, path, &err));
    require(ramus_tokenizer_create(&tok, t->model->vocabs[0], &err));
    t->start = calloc((size_t)most + 1, sizeof *t->start);
    const char *at = (const char *)file.data, *end = at + file.size;
    for (int line = 0; at < end && t->n < most; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        if (line % step == 0) add_line(t, tok, at, (size_t)(stop - at));
        at = stop + 1;
    }
    ramus_tokenizer_destroy(tok);
    ramus_file_unmap(&file);
}

static int expect_sum(const char *what, uint64_t got, uint64_t want)
{
    printf("checksum of %s: %016" PRIx64 "\n", what, got);
    if (got == want) return 0;
    fprintf(stderr, "checksum of %s: %016" PRIx64 ", expected %016" PRIx64 "\n", what, got, want);
    return 1;
}

static uint64_t file_sum(const char *path)
{
    ramus_file file = {0};
    require(ramus_file_map(&file, path, &err));
    const uint64_t sum = checksum(SUM_START, file.data, file.size);
    ramus_file_unmap(&file);
    return sum;
}

/* The law for one model; the text is the caller's, or the sample. Returns how much is wrong. */
static int check_model(const char *path, int extra_length, char **given, bool quick,
                       uint64_t sums[2])
{
    static const int few[] = {1, 7, 50}, many[] = {1, 7, MAX_BATCH};
    text t = {.extra_length = extra_length};
    ramus_model *m = NULL;
    require(ramus_model_open(&m, path, &err));
    t.model = m;
    if (given) // Tatoeba: English on every other line (tests/golden/text/README.md)
        read_text(&t, given[2], 1, (int)strtol(given[3], NULL, 10));
    else
        read_text(&t, GOLDEN "/text/sample.en-de.txt", 16, 50);
    printf("%d sentences of %d tokens\n", t.n, t.ids.n);
    int bad = t.n == 0;
    bad += check_ways(&t, MAX_BEAM, given ? many : few, quick, &sums[0]);
    bad += check_ways(&t, 1, given ? many : few, quick, &sums[1]);
    ramus_model_close(m);
    ramus_ids_free(&t.ids);
    free(t.start);
    return bad;
}

int main(int argc, char **argv)
{
    char **given = argc == 4 ? argv : NULL;
    const bool quick = argc == 2 && strcmp(argv[1], "quick") == 0;
    uint64_t sums[2] = {0};
    int bad = 0;
    if (argc != 1 && !given && !quick) {
        fprintf(stderr, "expected nothing, quick, or MODEL.gguf TEXT LINES\n");
        return 2;
    }
    if (given && strcmp(given[1], "-") != 0)
        return check_model(given[1], 50, given, false, sums) > 0;
    for (int i = 0; i < RAMUS_COUNT(made); i++) {
        const char *path = model_path("one_answer");
        printf("weights of type %s\n", made[i].name);
        make_model(path, &made[i]);
        bad += check_model(path, 8, given, quick, sums);
        if (!given) {
            bad += expect_sum("the model file", file_sum(path), made[i].file_sum);
            bad += expect_sum("the answers, beam 4", sums[0], made[i].beam_sum);
            bad += expect_sum("the answers, greedy", sums[1], made[i].greedy_sum);
        }
        (void)unlink(path);
    }
    return bad > 0;
}
