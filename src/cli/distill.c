/* `ramus distill`: reads the options, joins the other ranks, distils, and shows progress and
 * counts. */
#include "cli/join.h"
#include "cli/progress.h"

#include "base/pool.h"
#include "distill/distill.h"

typedef struct {
    const ramus_options *o;
    ramus_progress progress;
} display;

static void show_start(void *arg, int64_t done, int64_t all)
{
    display *s = arg;
    s->progress.before = (double)done;
    s->progress.total = (double)all;
    if (done)
        ramus_command_note(s->o, "going on after %lld of %lld lines", (long long)done,
                           (long long)all);
    ramus_progress_start(&s->progress);
}

static void show_progress(void *arg, double done)
{
    display *s = arg;
    ramus_progress_update(&s->progress, done);
}

static void note_counts(const ramus_options *o, const char *file, const ramus_distill_counts *c)
{
    ramus_buffer text = {0};
    ramus_buffer_print(&text, "%s: %lld of %lld lines kept", file,
                       (long long)c->verdicts[RAMUS_KEPT], (long long)c->lines);
    if (c->originals)
        ramus_buffer_print(&text, ", %lld original pairs added", (long long)c->originals);
    const char *between = "; dropped: ";
    for (int i = RAMUS_KEPT + 1; i < RAMUS_VERDICTS; i++, between = ", ")
        ramus_buffer_print(&text, "%s%lld %s", between, (long long)c->verdicts[i],
                           ramus_verdict_name((ramus_verdict)i));
    if (!text.failed) ramus_command_note(o, "%s", text.data);
    ramus_buffer_free(&text);
}

static int print_json(const ramus_command *command, const ramus_distill_counts *c)
{
    ramus_buffer out = {0};
    ramus_buffer_print(&out, "{\"lines\": %lld", (long long)c->lines);
    for (int i = 0; i < RAMUS_VERDICTS; i++)
        ramus_buffer_print(&out, ", \"%s\": %lld", ramus_verdict_name((ramus_verdict)i),
                           (long long)c->verdicts[i]);
    ramus_buffer_print(&out, ", \"originals\": %lld}\n", (long long)c->originals);
    return ramus_command_print(command, &out);
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    ramus_distill d = {0};
    ramus_distill_counts counts = {0};
    ramus_error err = {0};
    ramus_comm *comm = NULL;
    int code = RAMUS_EXIT_DONE;
    ramus_options_add_group(&o, "Search", ramus_search_choice_settings(&d.search));
    ramus_options_add(&o, ramus_distill_settings(&d));
    ramus_status st = ramus_options_parse(&o, command, argc, argv, &err);
    if (o.common.help) return ramus_options_help(&o);
    display s = {&o, {.what = "distilling", .unit = "lines", .quiet = o.common.quiet}};
    const ramus_distill_hooks hooks = {show_start, show_progress, &s};
    const int threads = o.common.threads ? o.common.threads : ramus_cores_available();
    if (!st && o.n_arguments)
        st = ramus_fail(&err, RAMUS_BAD_ARGUMENT, "unexpected argument '%s'", o.arguments[0]);
    if (!st) st = ramus_distill_check(&d, &err);
    if (!st) st = ramus_options_check_output(&o, d.output, NULL, false, &err);
    if (ramus_command_join(&comm, command, st, &err, &code)) {
        const bool first = ramus_comm_rank(comm) == 0;
        st = ramus_distill_run(&d, comm, threads, &hooks, &counts, &err);
        if (first) ramus_progress_end(&s.progress, (double)counts.lines);
        if (st)
            code = ramus_command_fail(command, &err);
        else if (first && o.common.json)
            code = print_json(command, &counts);
        else if (first)
            note_counts(&o, d.output, &counts);
    }
    ramus_comm_close(comm);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_distill = {
    "distill",
    "a teacher translates a corpus for a student to learn from",
    "-m MODEL --input FILE... -o FILE.tsv [options]",
    "  ramus distill -m teacher.gguf --input train.en -o student.tsv\n"
    "  ramus distill -m teacher.gguf --input corpus.tsv.xz -o student.tsv \\\n"
    "      --n-best 4 --closest bleu --mix on\n"
    "  ramus distill -m a.gguf -m b.gguf --input news.en.xz talks.en.gz -o student.tsv\n"
    "  mpirun -n 8 ramus distill -m teacher.gguf --input train.en.xz -o student.tsv.xz\n"
    "  ramus train --train student.tsv --vocab joint.model --out student\n",
    .run = run,
    .without = "seed",
    .ranks = true,
};
