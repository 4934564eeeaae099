/* `ramus report`: reads the logs, scores what translations the runs keep, and writes the page,
 * JSON, event files. */
#include "cli/inputs.h"

#include "base/pool.h"
#include "base/writer.h"
#include "report/comparison.h"
#include "report/tensorboard.h"

#define MAX_TEXTS 16

typedef struct {
    const char *output, *tensorboard;
    ramus_texts tests; // FILE REFERENCE, one pair after the other
} settings;

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"output",      RAMUS_SETTING_TEXT, AT(output), "the page (also -o; default comparison.html, with --json none)", NULL, 0, 0, ramus_setting_file, NULL},
    {"test",        RAMUS_SETTING_LIST, AT(tests), "FILE REFERENCE: compare the translations FILE in each run's folder, too; again for further ones", NULL, 1, 2, ramus_setting_file, NULL},
    {"tensorboard", RAMUS_SETTING_TEXT, AT(tensorboard), "also write the curves as event files that TensorBoard reads, a folder for each run", NULL, 0, 0, ramus_setting_folder, NULL},
};
#undef AT
// clang-format on

static ramus_status check(const settings *s, const ramus_options *o, ramus_error *err)
{
    if (o->n_arguments == 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "expected RUN..., folders of `ramus train`");
    if (o->n_arguments > RAMUS_RUNS_MAX)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d runs, at most %d can be told apart",
                          o->n_arguments, RAMUS_RUNS_MAX);
    if (s->tests.n % 2)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "--test %s has no reference: expected --test FILE REFERENCE",
                          s->tests.items[s->tests.n - 1]);
    if (s->tests.n / 2 >= MAX_TEXTS)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d tests, at most %d can be given",
                          s->tests.n / 2, MAX_TEXTS - 1);
    if (o->common.json && ramus_inputs_is_standard(s->output))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "--json and -o -: standard output is for one");
    return RAMUS_OK;
}

/* The validation set, then the tests that were named. */
static ramus_status score(ramus_compared *c, ramus_scores *scores, const settings *s,
                          const ramus_options *o, ramus_error *err)
{
    ramus_pool *pool = NULL;
    const int threads = o->common.threads ? o->common.threads : ramus_cores_available();
    ramus_status st = ramus_pool_create(&pool, threads, err);
    if (!st)
        st = ramus_scores_compute(&scores[0], c->runs, RAMUS_BEST_TRANSLATIONS, NULL, pool, err);
    for (int i = 0; i < s->tests.n && !st; i += 2)
        st = ramus_scores_compute(&scores[1 + i / 2], c->runs, s->tests.items[i],
                                  s->tests.items[i + 1], pool, err);
    ramus_pool_destroy(pool);
    c->scores = scores;
    c->n_scores = 1 + s->tests.n / 2;
    return st;
}

static ramus_status write_file(const char *path, const ramus_buffer *text, ramus_error *err)
{
    ramus_writer *writer = NULL;
    ramus_status st = ramus_writer_create(&writer, path, err);
    if (!st) st = ramus_writer_write(writer, text->data, text->size, err);
    if (!st) st = ramus_writer_commit(writer, err);
    ramus_writer_destroy(writer);
    return st;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    ramus_runs runs = {0};
    ramus_scores scores[MAX_TEXTS];
    ramus_buffer page = {0}, json = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    if (check(&s, &o, &err)) {
        code = ramus_command_misuse(command, &err);
        ramus_options_free(&o);
        return code;
    }
    if (!s.output && !o.common.json) s.output = "comparison.html";
    ramus_compared c = {.runs = &runs};
    ramus_status st = ramus_runs_load(&runs, (const char *const *)o.arguments, o.n_arguments, &err);
    if (!st) st = score(&c, scores, &s, &o, &err);
    if (!st) st = ramus_comparison_page(&page, &c, &err);
    if (!st && o.common.json) st = ramus_comparison_json(&json, &c, &err);
    if (!st && s.output) st = write_file(s.output, &page, &err);
    for (int i = 0; i < runs.n && !st && s.tensorboard; i++)
        st = ramus_tensorboard_save(&runs.items[i], s.tensorboard, &err);
    if (st) {
        code = ramus_command_fail(command, &err);
    } else if (o.common.json) {
        code = ramus_command_print(command, &json);
    } else if (!ramus_inputs_is_standard(s.output)) {
        ramus_command_note(&o, "the page is %s", s.output);
    }
    ramus_buffer_free(&page);
    ramus_buffer_free(&json);
    ramus_runs_free(&runs);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_report = {
    "report",
    "one page that compares training runs",
    "RUN... [-o PAGE.html]",
    "  ramus report dense dmb\n"
    "  ramus report dense dmb moe -o moe.html\n"
    "  ramus report dense dmb --test test2016.out test2016.de\n"
    "  ramus report dense dmb --tensorboard events && tensorboard --logdir events\n"
    "  ramus report dense dmb --json | jq '.runs[].best_bleu'\n",
    .run = run,
    .without = "seed",
};
