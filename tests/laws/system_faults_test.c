/* Every call of the system fails once: opening, translating, exporting, distilling and training
 * each run again and again, and call 1, 2, 3, .. of a run fails: open, write, fsync, close, rename,
 * mmap or the start of a thread. A run ends with a sentence or with the result of an undisturbed
 * one, old files stay as they were, and the next run gives that result, too. */
#include "base/hash.h"
#include "convert/load.h"
#include "distill/distill.h"
#include "runtime/models.h"
#include "train/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_long calls_left; // until one fails, which is when it comes to 0
static const char *failed;     // the call that did
static bool short_writes;      // each write takes about half of what it was given

static bool call_fails(const char *name, int error)
{
    if (atomic_load(&calls_left) <= 0 || atomic_fetch_sub(&calls_left, 1) != 1) return false;
    failed = name;
    errno = error;
    return true;
}

/* What the test itself calls does not fail. */
static long hold_failures(void)
{
    return atomic_exchange(&calls_left, 0);
}

int __real_open(const char *path, int flags, ...); // the linker's names
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *data, size_t size);
ssize_t __wrap_write(int file, const void *data, size_t size);
int __wrap_fsync(int file);
int __real_close(int file);
int __wrap_close(int file);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
void *__real_mmap(void *at, size_t size, int access, int flags, int file, off_t from);
void *__wrap_mmap(void *at, size_t size, int access, int flags, int file, off_t from);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __real_fflush(FILE *file);
int __wrap_fflush(FILE *file);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg);

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = flags & O_CREAT ? va_arg(args, int) : 0;
    va_end(args);
    return call_fails("open", EMFILE) ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_write(int file, const void *data, size_t size)
{
    if (call_fails("write", ENOSPC)) return -1;
    return __real_write(file, data, short_writes && size > 1 ? size / 2 : size);
}

int __wrap_fsync(int file) // what a crash of the machine leaves is not the matter here
{
    (void)file;
    return call_fails("fsync", EIO) ? -1 : 0;
}

int __wrap_close(int file)
{
    const bool fails = call_fails("close", EIO);
    const int result = __real_close(file);
    if (fails) errno = EIO;
    return fails ? -1 : result;
}

int __wrap_rename(const char *from, const char *to)
{
    return call_fails("rename", EACCES) ? -1 : __real_rename(from, to);
}

void *__wrap_mmap(void *at, size_t size, int access, int flags, int file, off_t from)
{
    return call_fails("mmap", ENOMEM) ? MAP_FAILED
                                      : __real_mmap(at, size, access, flags, file, from);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return call_fails("fopen", EMFILE) ? NULL : __real_fopen(path, mode);
}

int __wrap_fflush(FILE *file)
{
    return call_fails("fflush", ENOSPC) ? EOF : __real_fflush(file);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg)
{
    return call_fails("pthread_create", 0) ? EAGAIN : __real_pthread_create(thread, how, run, arg);
}

static ramus_checkpoint model; // with a vocabulary
static char model_file[160], result[1 << 12];

static uint64_t hash_of(const char *path)
{
    uint64_t hash = 1;
    return ramus_hash_file(&hash, path, NULL) ? 0 : hash;
}

static void make_files(void)
{
    static const char *const shape[] = {
        "width",          "16",  "filter",  "20",  "heads",    "2", "encoder-layers", "1",
        "decoder-layers", "1",   "routing", "dmb", "branches", "2", "source-vocab",   "300",
        "target-vocab",   "300", NULL};
    const ramus_export_spec spec = {.type = RAMUS_EXPORT_I8, .name = "test"};
    ramus_error err = {0};
    ramus_file vocab = {0};
    texts_begin();
    runs_put_text(6);
    runs_put_vocab("v.model", 300, 0);
    const ramus_arch a = model_arch(shape, NULL);
    model = model_make(&a);
    REQUIRE_OK(ramus_file_map(&vocab, texts_path("v.model"), &err), err);
    ramus_buffer_add(&model.vocabs[0], vocab.data, vocab.size);
    ramus_file_unmap(&vocab);
    (void)snprintf(model_file, sizeof model_file, "%s", texts_path("model.gguf"));
    REQUIRE_OK(ramus_export(&model, &spec, model_file, &err), err);
    REQUIRE_OK(ramus_checkpoint_save(&model, texts_path("model.safetensors"), &err), err);
}

static ramus_status open_file(ramus_error *err)
{
    ramus_model *m = NULL;
    const ramus_status st = ramus_model_open(&m, model_file, err);
    if (!st) (void)snprintf(result, sizeof result, "%s", ramus_model_info(m, "name"));
    ramus_model_close(m);
    return st;
}

static ramus_status load_checkpoint(ramus_error *err)
{
    ramus_model *m = NULL;
    const ramus_status st = ramus_model_load(&m, texts_path("model.safetensors"), err);
    if (!st) (void)snprintf(result, sizeof result, "%zu", m->weights->count);
    ramus_model_close(m);
    return st;
}

static ramus_status translate(ramus_error *err)
{
    static const ramus_text texts[] = {{"A man is sleeping.", 18}, {"Two dogs run.", 13}};
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    ramus_translate_options how = RAMUS_TRANSLATE_DEFAULTS;
    ramus_translation out[2];
    ramus_model *m = NULL;
    ramus_session *s = NULL;
    options.threads = 4;
    options.tokens = 64;
    ramus_status st = ramus_model_open(&m, model_file, err);
    if (!st) st = ramus_session_create(&s, m, &options, err);
    if (!st) st = ramus_translate_all(s, texts, 2, &how, out, err);
    if (!st)
        (void)snprintf(result, sizeof result, "%s %a, %s %a", out[0].text, out[0].score,
                       out[1].text, out[1].score);
    ramus_session_destroy(s);
    ramus_model_close(m);
    return st;
}

static ramus_status export_model(ramus_error *err)
{
    const ramus_export_spec spec = {.type = RAMUS_EXPORT_I4, .name = "new"};
    return ramus_export(&model, &spec, texts_path("out"), err);
}

static ramus_status save_checkpoint(ramus_error *err)
{
    return ramus_checkpoint_save(&model, texts_path("out"), err);
}

static void told_start(void *arg, int64_t done, int64_t all)
{
    (void)arg, (void)done, (void)all;
}

static void told_progress(void *arg, double done)
{
    (void)arg, (void)done;
}

static ramus_status distill(ramus_error *err)
{
    ramus_distill d = {0};
    ramus_distill_counts counts = {0};
    char path[2][160];
    const ramus_distill_hooks none = {told_start, told_progress, NULL};
    const ramus_settings tables[] = {ramus_distill_settings(&d),
                                     ramus_search_choice_settings(&d.search)};
    ramus_settings_default(&tables[0]);
    ramus_settings_default(&tables[1]);
    (void)snprintf(path[0], sizeof path[0], "%s", texts_path("s.en"));
    (void)snprintf(path[1], sizeof path[1], "%s", texts_path("out"));
    d.teachers = (ramus_texts){{model_file}, 1};
    d.inputs = (ramus_texts){{path[0]}, 1};
    d.output = path[1];
    d.chunk = 2;
    return ramus_distill_run(&d, NULL, 1, &none, &counts, err);
}

/* Three updates, and a checkpoint after each, in a new folder or in what is there. */
static ramus_status train_in(bool resume, ramus_error *err)
{
    runs_run r = runs_usual();
    ramus_train_result done = {0};
    runs_place(&r, "run");
    SET(&r, "encoder-layers", "1", "batch-tokens", "60", "micro-tokens", "60", "max-length", "20",
        "valid-every", "1", "log-every", "1", "updates", "3");
    r.spec.training.resume = resume;
    const ramus_status st = runs_do(&r, 1, &done, err);
    const long left = hold_failures();
    ramus_checkpoint c = {0};
    if (!st && !ramus_checkpoint_load(&c, runs_checkpoint("run", 3), NULL))
        (void)snprintf(result, sizeof result, "%llx",
                       (unsigned long long)ramus_hash(0, c.weights->data,
                                                      c.weights->size * sizeof *c.weights->data));
    ramus_checkpoint_free(&c);
    atomic_store(&calls_left, left);
    return st;
}

static ramus_status train(ramus_error *err)
{
    const long left = hold_failures();
    texts_remove(texts_path("run"));
    texts_remove(texts_path("cache"));
    atomic_store(&calls_left, left);
    return train_in(false, err);
}

static ramus_status train_on(ramus_error *err)
{
    return train_in(true, err);
}

/* What is run, and what goes on after a failure: the same, or what takes up the work. */
typedef struct {
    const char *name;
    ramus_status (*run)(ramus_error *err), (*again)(ramus_error *err);
    const char *output; // that is replaced, or not touched by a run that fails; NULL: none
    int least;          // calls that it is known to make
} scene;

/* Files of `folder` that a writer had not finished. */
static int count_temporary(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e = NULL; d && (e = readdir(d));)
        n += strstr(e->d_name, ".tmp-") != NULL;
    if (d) (void)closedir(d);
    return n;
}

static void put_old(const scene *s)
{
    if (!s->output) return;
    texts_put(s->output, "an old file");
    (void)unlink(texts_path("out.part"));
    (void)unlink(texts_path("out.state"));
}

/* Runs it with call `k` failing. Returns whether it got that far. */
static bool run_once(const scene *s, long k, const char *want, uint64_t want_output)
{
    ramus_error err = {0};
    put_old(s);
    const uint64_t old = s->output ? hash_of(texts_path(s->output)) : 0;
    *result = '\0';
    failed = "none";
    atomic_store(&calls_left, k);
    ramus_status st = s->run(&err);
    const bool reached = hold_failures() <= 0;
    const uint64_t output = s->output ? hash_of(texts_path(s->output)) : 0;
    EXPECT(!st == !err.message[0] || !st, "%s, call %ld (%s): status %d without a sentence",
           s->name, k, failed, st);
    EXPECT(!st || reached, "%s, call %ld fails undisturbed: %s", s->name, k, err.message);
    if (st)
        EXPECT(!s->output || output == old || output == want_output,
               "%s, call %ld (%s): a broken file", s->name, k, failed);
    else
        EXPECT(strcmp(result, want) == 0 && output == want_output,
               "%s, call %ld (%s): another result: \"%s\" not \"%s\"", s->name, k, failed, result,
               want);
    EXPECT_INT(count_temporary(texts_folder) + count_temporary(texts_path("run")), 0, "temporary");
    if (!st) return reached;
    err = (ramus_error){0};
    st = s->again(&err);
    EXPECT(!st && strcmp(result, want) == 0, "%s after call %ld (%s): %s; \"%s\" not \"%s\"",
           s->name, k, failed, err.message, result, want);
    EXPECT(!s->output || hash_of(texts_path(s->output)) == want_output,
           "%s after call %ld (%s): another file", s->name, k, failed);
    return reached;
}

static void run_scene(const scene *s)
{
    static char want[sizeof result];
    ramus_error err = {0};
    make_files();
    for (int half = 0; half < 2; half++) { // a write may take a part, which changes nothing
        short_writes = half;
        put_old(s);
        *result = '\0'; // of the scene before
        REQUIRE_OK(s->run(&err), err);
        EXPECT(!half || strcmp(want, result) == 0, "%s with short writes", s->name);
        memcpy(want, result, sizeof want);
    }
    short_writes = false;
    const uint64_t output = s->output ? hash_of(texts_path(s->output)) : 0;
    long k = 1;
    while (run_once(s, k, want, output))
        k += CHECK_SANITIZED && k > 50 ? 11 : 1;
    EXPECT(k > s->least, "%s makes %ld calls", s->name, k - 1);
    printf("     %s: %ld calls%s\n", s->name, k - 1, CHECK_SANITIZED ? "" : ", each failed once");
    model_free(&model);
    texts_end();
}

#define SCENE(function, again, output, least)                                                      \
    static void function##_survives(void)                                                          \
    {                                                                                              \
        static const scene s = {#function, function, again, output, least};                        \
        run_scene(&s);                                                                             \
    }
SCENE(open_file, open_file, NULL, 2)
SCENE(load_checkpoint, load_checkpoint, NULL, 2)
SCENE(translate, translate, NULL, 5)
SCENE(export_model, export_model, "out", 20)
SCENE(save_checkpoint, save_checkpoint, "out", 20)
SCENE(distill, distill, "out", 20)
SCENE(train, train_on, NULL, 100)

CHECK_MAIN({"open_file", open_file_survives}, {"load_checkpoint", load_checkpoint_survives},
           {"translate", translate_survives}, {"export_model", export_model_survives},
           {"save_checkpoint", save_checkpoint_survives}, {"distill", distill_survives},
           {"train", train_survives})
