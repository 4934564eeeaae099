/* Ten thousand times a model is opened, translates in a session and is closed: memory, mappings and
 * open files of the process stay what they were. */
#include "runtime/models.h"
#include "runtime/session.h"

#include <dirent.h>
#include <malloc.h>

#define CYCLES (CHECK_SANITIZED ? 300 : 10000)
#define WARM   (CYCLES / 10) // until then what is set up once is
#define GROWTH (1 << 20)     // bytes of resident memory, which the allocator moves about

typedef struct {
    long resident, used; // bytes; used: handed out by malloc
    int mappings, files;
} process;

static int count_lines(const char *path)
{
    int n = 0;
    FILE *f = fopen(path, "r");
    for (int c = f ? fgetc(f) : EOF; c != EOF; c = fgetc(f))
        n += c == '\n';
    if (f) (void)fclose(f);
    return n;
}

static int count_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d) (void)closedir(d);
    return n;
}

static process look(void)
{
    process p = {.mappings = count_lines("/proc/self/maps"), .files = count_files()};
    long all = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &p.resident) != 2) exit(1);
    (void)fclose(f);
    p.resident *= sysconf(_SC_PAGESIZE);
    p.used = (long)mallinfo2().uordblks;
    return p;
}

static void cycle(const char *path, int i)
{
    static const ramus_text texts[] = {{"Two dogs. They run.", 19}, {"A man is sleeping.", 18}};
    ramus_error err = {0};
    ramus_model *m = NULL;
    ramus_session *s = NULL;
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    ramus_translate_options how = RAMUS_TRANSLATE_DEFAULTS;
    ramus_translation out[2];
    options.threads = 1 + i % 16 / 15; // a thread now and then: starting one takes long
    options.batch = 1 + i % 3;
    options.tokens = 64;
    how.beam = options.beam = 1 + i % 2;
    how.max_length_ratio = 0.1;
    REQUIRE_OK(ramus_model_open(&m, path, &err), err);
    REQUIRE_OK(ramus_session_create(&s, m, &options, &err), err);
    REQUIRE_OK(ramus_translate_all(s, texts, 2, &how, out, &err), err);
    ramus_session_destroy(s);
    ramus_model_close(m);
}

static void ten_thousand_cycles_leave_nothing(void)
{
    static const char *const shape[] = {
        "width",        "8",    "filter",   "8",   "heads",          "2",
        "routing",      "dmb",  "branches", "2",   "encoder-layers", "1",
        "source-vocab", "1000", "tie",      "all", "decoder-layers", "1",
        "target-vocab", "1000", NULL};
    const ramus_export_spec spec = {.type = RAMUS_EXPORT_I8};
    const ramus_arch a = model_arch(shape, NULL);
    const char *path = model_path("soak");
    ramus_error err = {0};
    ramus_checkpoint c = model_make(&a);
    process before = {0}, after = {0};
    model_vocab(&c, 0, "identity");
    REQUIRE_OK(ramus_export(&c, &spec, path, &err), err);
    model_free(&c);
    for (int i = 0; i < CYCLES; i++) {
        if (i == WARM) before = look();
        cycle(path, i);
    }
    after = look();
    printf("     %d cycles: %ld bytes more in use, %ld resident\n", CYCLES,
           after.used - before.used, after.resident - before.resident);
    EXPECT(CHECK_SANITIZED || after.used <= before.used + 1024, "%ld bytes in use, then %ld",
           before.used, after.used);
    EXPECT(CHECK_SANITIZED || after.resident - before.resident <= GROWTH,
           "%ld bytes, then %ld bytes", before.resident, after.resident);
    EXPECT(CHECK_SANITIZED || after.mappings <= before.mappings + 1, "%d mappings, then %d",
           before.mappings, after.mappings);
    EXPECT_INT(after.files, before.files, "open files");
    (void)unlink(path);
}

CHECK_MAIN({"ten_thousand_cycles_leave_nothing", ten_thousand_cycles_leave_nothing})
