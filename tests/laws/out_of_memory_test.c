/* Every allocation fails once: opening, translating, exporting and training each run again and
 * again, and allocation 1, 2, 3, .. of a run fails. A run ends with a sentence or with the result
 * of an undisturbed run; nothing leaks, and old files stay as they were. */
#include "allocations.h"
#include "base/hash.h"
#include "convert/load.h"
#include "runtime/models.h"
#include "train/runs.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>

#define TEXTS 3

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg);
static int threads_left; // until one does not start

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg)
{
    if (threads_left > 0 && --threads_left == 0) return EAGAIN;
    return __real_pthread_create(thread, how, run, arg);
}

int __wrap_fsync(int file); // what a crash of the machine leaves is not the matter here
int __wrap_fsync(int file)
{
    (void)file;
    return 0;
}

/* What is run. Everything between begin and end is done once per allocation. */
typedef struct {
    const char *name;
    ramus_status (*run)(ramus_error *err);
    const char *output; // file that is replaced, or not touched by a run that fails; NULL: none
    int least;          // allocations that it is known to make at least
    int step;           // from one that fails to the next: 1, or less of what others do as well
} scene;

static char result[1 << 14];   // of the run, as text
static ramus_checkpoint model; // with a vocabulary
static char model_file[160];

/* What the test itself allocates does not fail. */
static long hold_failures(void)
{
    return atomic_exchange(&allocations_left, 0);
}

static void note_result(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note_result(const char *format, ...)
{
    const size_t used = strlen(result);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(result + used, sizeof result - used, format, args);
    va_end(args);
}

static uint64_t hash_of(const char *path)
{
    uint64_t hash = 1;
    const long left = hold_failures();
    if (ramus_hash_file(&hash, path, NULL)) hash = 0;
    atomic_store(&allocations_left, left);
    return hash;
}

static int count_files(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        n++;
    if (d) (void)closedir(d);
    return n;
}

static ramus_status open_file(ramus_error *err)
{
    ramus_model *m = NULL;
    const ramus_status st = ramus_model_open(&m, model_file, err);
    if (!st) note_result("%s", ramus_model_info(m, "name"));
    ramus_model_close(m);
    return st;
}

static ramus_status open_memory(ramus_error *err)
{
    ramus_file file = {0};
    ramus_model *m = NULL;
    const long left = hold_failures();
    if (ramus_file_map(&file, model_file, err)) exit(1);
    atomic_store(&allocations_left, left);
    const ramus_status st = ramus_model_open_memory(&m, file.data, file.size, err);
    if (!st) note_result("%s", ramus_model_info(m, "name"));
    ramus_model_close(m);
    ramus_file_unmap(&file);
    return st;
}

static ramus_status load_checkpoint(ramus_error *err)
{
    ramus_model *m = NULL;
    const ramus_status st = ramus_model_load(&m, texts_path("model.safetensors"), err);
    if (!st) note_result("%zu", m->weights->count);
    ramus_model_close(m);
    return st;
}

static void note_translations(const ramus_translation *t, int n)
{
    for (int i = 0; i < n; i++) {
        note_result("%s %a %d %d %u\n", t[i].text ? t[i].text : "(none)", t[i].score, t[i].n_source,
                    t[i].n_target, t[i].notes);
        for (int j = 0; t[i].text && j < t[i].n_target; j++)
            note_result(" %d", t[i].target[j].id);
    }
}

/* One session; a call that failed is made again, and nothing fails then. */
static ramus_status translate_with(ramus_model *m, int threads, ramus_error *err)
{
    static const ramus_text texts[TEXTS] = {
        {"A man is sleeping.", 18}, {"Two dogs. They run, and they run.\n", 34}, {"", 0}};
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    ramus_translate_options how = RAMUS_TRANSLATE_DEFAULTS;
    ramus_translation out[TEXTS * 2];
    ramus_session *s = NULL;
    options.beam = how.n_best = 2;
    options.tokens = 64;
    options.batch = 2;
    options.threads = threads;
    options.details = true;
    how.document = true;
    how.prefix = "Ein";
    how.no_repeat = 2;
    ramus_status st = ramus_session_create(&s, m, &options, err);
    if (!st) {
        st = ramus_translate_all(s, texts, TEXTS, &how, out, err);
        if (!st) {
            note_translations(out, TEXTS * 2);
        } else {
            const long left = hold_failures();
            ramus_error less = {0};
            EXPECT(!ramus_translate_all(s, texts, TEXTS, &how, out, &less),
                   "after a failed call: %s", less.message);
            atomic_store(&allocations_left, left);
        }
    }
    ramus_session_destroy(s);
    return st;
}

static ramus_status translate_one(ramus_error *err)
{
    ramus_model *m = NULL;
    ramus_error less = {0};
    long left = hold_failures();
    REQUIRE_OK(ramus_model_open(&m, model_file, &less), less);
    atomic_store(&allocations_left, left);
    const ramus_status st = translate_with(m, 1, err);
    left = hold_failures();
    ramus_model_close(m);
    atomic_store(&allocations_left, left);
    return st;
}

static ramus_status translate_threads(ramus_error *err)
{
    ramus_model *m = NULL;
    ramus_status st = ramus_model_open(&m, model_file, err);
    if (!st) st = translate_with(m, 2, err);
    ramus_model_close(m);
    return st;
}

static ramus_status export_i8(ramus_error *err)
{
    const ramus_export_spec spec = {
        .type = RAMUS_EXPORT_I8, .source_language = "en", .target_language = "de", .name = "test"};
    return ramus_export(&model, &spec, texts_path("out.gguf"), err);
}

static ramus_status export_i4(ramus_error *err)
{
    const ramus_export_spec spec = {.type = RAMUS_EXPORT_I4, .words = RAMUS_EXPORT_WORDS_I4};
    return ramus_export(&model, &spec, texts_path("out.gguf"), err);
}

static ramus_status save_checkpoint(ramus_error *err)
{
    return ramus_checkpoint_save(&model, texts_path("out.safetensors"), err);
}

/* The weights of the checkpoint of an update, so that a run is known by its result. */
static void note_weights(int update)
{
    ramus_error err = {0};
    ramus_checkpoint c = {0};
    const long left = hold_failures();
    REQUIRE_OK(ramus_checkpoint_load(&c, runs_checkpoint("run", update), &err), err);
    note_result("%llx", (unsigned long long)ramus_hash(0, c.weights->data,
                                                       c.weights->size * sizeof *c.weights->data));
    ramus_checkpoint_free(&c);
    atomic_store(&allocations_left, left);
}

static ramus_status train_to(int update, bool resume, ramus_error *err)
{
    runs_run r = runs_usual();
    ramus_train_result done = {0};
    runs_place(&r, "run");
    SET(&r, "encoder-layers", "1", "routing", "dmb", "branches", "2", "batch-tokens", "60",
        "micro-tokens", "60", "max-length", "20", "valid-every", "1", "log-every", "1",
        "upper-noise", "0.3", "title-noise", "0.3", "typo-noise", "0.3");
    r.spec.training.updates = update;
    r.spec.training.resume = resume;
    const ramus_status st = runs_do(&r, 1, &done, err);
    if (!st) note_weights(update);
    return st;
}

/* Reads the corpus, creates learner and optimizer, does an update, validates, saves, reports. */
static ramus_status train_anew(ramus_error *err)
{
    const long left = hold_failures();
    texts_remove(texts_path("run"));
    texts_remove(texts_path("cache"));
    atomic_store(&allocations_left, left);
    return train_to(1, false, err);
}

/* From the checkpoint of the first update to the second one. */
static ramus_status train_on(ramus_error *err)
{
    const long left = hold_failures();
    ramus_file first = {0};
    ramus_error less = {0};
    if (access(texts_path("first"), F_OK)) {
        REQUIRE_OK(train_anew(&less), less);
        if (rename(runs_checkpoint("run", 1), texts_path("first"))) exit(1);
        *result = '\0';
    }
    texts_remove(texts_path("run"));
    if (mkdir(texts_path("run"), 0777)) exit(1);
    REQUIRE_OK(ramus_file_map(&first, texts_path("first"), &less), less);
    texts_write("run/checkpoint-00000001.safetensors", first.data, first.size);
    ramus_file_unmap(&first);
    atomic_store(&allocations_left, left);
    const ramus_status st = train_to(2, true, err);
    EXPECT(hash_of(runs_checkpoint("run", 1)) == hash_of(texts_path("first")),
           "the old checkpoint");
    return st;
}

static void make_files(void)
{
    ramus_error err = {0};
    ramus_file vocab = {0};
    texts_begin();
    runs_put_text(6);
    runs_put_vocab("v.model", 300, 0);
    static const char *const shape[] = {
        "width",          "16",  "filter",  "20",  "heads",    "2", "encoder-layers", "1",
        "decoder-layers", "1",   "routing", "dmb", "branches", "2", "source-vocab",   "300",
        "target-vocab",   "300", NULL};
    const ramus_arch a = model_arch(shape, NULL);
    const ramus_export_spec spec = {
        .type = RAMUS_EXPORT_I8, .source_language = "en", .name = "test"};
    model = model_make(&a);
    REQUIRE_OK(ramus_file_map(&vocab, texts_path("v.model"), &err), err);
    ramus_buffer_add(&model.vocabs[0], vocab.data, vocab.size);
    ramus_file_unmap(&vocab);
    (void)snprintf(model_file, sizeof model_file, "%s", texts_path("model.gguf"));
    REQUIRE_OK(ramus_export(&model, &spec, model_file, &err), err);
    REQUIRE_OK(ramus_checkpoint_save(&model, texts_path("model.safetensors"), &err), err);
    texts_put("out.gguf", "an old file");
    texts_put("out.safetensors", "an old file");
}

/* Runs it with allocation `k` failing (0: none). Returns whether it got that far. */
static bool run_once(const scene *s, long k, const char *want)
{
    const char *path = s->output ? texts_path(s->output) : NULL;
    char output[160] = "";
    if (path) (void)snprintf(output, sizeof output, "%s", path);
    const uint64_t before = path ? hash_of(output) : 0;
    const int files = count_files(texts_folder);
    const long live = allocations_live;
    ramus_error err = {0};
    *result = '\0';
    atomic_store(&allocations_left, k);
    const ramus_status st = s->run(&err);
    const bool reached = k && hold_failures() <= 0;
    EXPECT(allocations_live == live, "%s, allocation %ld: %ld more live", s->name, k,
           (long)(allocations_live - live));
    EXPECT(!path || count_files(texts_folder) == files, "%s, allocation %ld: other files", s->name,
           k);
    if (st) {
        EXPECT(st == RAMUS_NO_MEMORY && err.status == st && err.message[0],
               "%s, allocation %ld: status %d, \"%s\"", s->name, k, st, err.message);
        EXPECT(k > 0, "%s fails: %s", s->name, err.message);
        EXPECT(!path || hash_of(output) == before, "%s, allocation %ld: the old file", s->name, k);
    } else if (want) {
        EXPECT(strcmp(result, want) == 0, "%s, allocation %ld: another result: \"%s\" not \"%s\"",
               s->name, k, result, want);
    }
    return reached;
}

static void run_scene(const scene *s)
{
    static char want[sizeof result];
    long k = 1;
    make_files();
    (void)run_once(s, 0, NULL); // whatever is set up once is, then
    texts_put("out.gguf", "an old file");
    texts_put("out.safetensors", "an old file");
    (void)run_once(s, 0, NULL);
    memcpy(want, result, sizeof want);
    texts_put("out.gguf", "an old file");
    texts_put("out.safetensors", "an old file");
    while (run_once(s, k, want))
        k += CHECK_SANITIZED ? 13 * s->step : s->step;
    EXPECT(k > s->least, "%s makes %ld allocations", s->name, k - 1);
    model_free(&model);
    texts_end();
}

static void a_thread_that_does_not_start_is_told(void)
{
    ramus_error err = {0};
    ramus_pool *pool = NULL;
    const long live = allocations_live;
    for (int i = 1; i <= 2; i++) {
        char part[64];
        (void)snprintf(part, sizeof part, "thread %d of 3 could not be started: ", i + 1);
        threads_left = i;
        EXPECT_FAILS(ramus_pool_create(&pool, 3, &err), err, part);
        EXPECT_INT(err.status, RAMUS_FAILED, "status");
    }
    EXPECT(!pool && allocations_live == live, "nothing is left");
}

#define SCENE(function, ...)                                                                       \
    static void function##_survives(void)                                                          \
    {                                                                                              \
        static const scene s = {#function, function, __VA_ARGS__};                                 \
        run_scene(&s);                                                                             \
    }
SCENE(open_file, NULL, 30, 1)
SCENE(open_memory, NULL, 30, 1)
SCENE(load_checkpoint, NULL, 80, 1)
SCENE(translate_one, NULL, 20, 1)
SCENE(translate_threads, NULL, 60, 1)
SCENE(export_i8, "out.gguf", 80, 1)
SCENE(export_i4, "out.gguf", 80, 1)
SCENE(save_checkpoint, "out.safetensors", 80, 1)
SCENE(train_anew, NULL, 800, 1)
SCENE(train_on, NULL, 600, 5)

CHECK_MAIN({"a_thread_that_does_not_start_is_told", a_thread_that_does_not_start_is_told},
           {"open_file", open_file_survives}, {"open_memory", open_memory_survives},
           {"load_checkpoint", load_checkpoint_survives}, {"translate_one", translate_one_survives},
           {"translate_threads", translate_threads_survives}, {"export_i8", export_i8_survives},
           {"export_i4", export_i4_survives}, {"save_checkpoint", save_checkpoint_survives},
           {"train_anew", train_anew_survives}, {"train_on", train_on_survives})
