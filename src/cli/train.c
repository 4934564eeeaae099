/* `ramus train`: settings of the command line, of a resumed run or of a first checkpoint;
 * signals ask the trainer to stop; progress lines; the exit code. */
#include "cli/join.h"
#include "cli/stop.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/pool.h"
#include "convert/checkpoint.h"
#include "train/defaults.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TERMINAL_SECONDS 0.5
#define PLAIN_SECONDS    30

/* The line that shows where training is. */
typedef struct {
    bool quiet, terminal, open; // open: the line is not ended
    double shown;
} display;

static void end_line(display *d)
{
    if (d->open) (void)fputc('\n', stderr);
    d->open = false;
}

/* Whether it is time for another line; starts it. */
static bool due(display *d)
{
    const double now = ramus_clock_now();
    if (d->quiet || now - d->shown < (d->terminal ? TERMINAL_SECONDS : PLAIN_SECONDS)) return false;
    d->shown = now;
    if (d->terminal) (void)fputs("\r\033[K", stderr);
    d->open = d->terminal;
    return true;
}

static void show_reading(void *arg, const char *file, double lines)
{
    display *d = arg;
    if (!due(d)) return;
    (void)fprintf(stderr, "reading %s: %.0f lines%s", file, lines, d->terminal ? "" : "\n");
}

static void show_progress(void *arg, const ramus_train_progress *p)
{
    display *d = arg;
    if (!due(d)) return;
    const double left = p->seconds_left;
    (void)fprintf(stderr, "update %d of %d (epoch %.2f): loss %.3f, %.0f tokens/s, rate %.2e, ",
                  p->update, p->updates, p->epoch, p->loss, p->tokens_per_second, p->rate);
    if (left >= 3600)
        (void)fprintf(stderr, "%d h %02d min left", (int)(left / 3600), (int)(left / 60) % 60);
    else
        (void)fprintf(stderr, "%d min %02d s left", (int)(left / 60), (int)left % 60);
    if (!d->terminal) (void)fputc('\n', stderr);
}

static void show_note(void *arg, const char *text)
{
    display *d = arg;
    if (d->quiet) return;
    end_line(d);
    (void)fprintf(stderr, "%s\n", text);
}

static int asked_to_stop(void *arg)
{
    return ramus_stop_asked(arg);
}

/* The word behind `option` on the command line, or NULL. */
static const char *value_of(int argc, char **argv, const char *option)
{
    const size_t n = strlen(option);
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], option) == 0) return i + 1 < argc ? argv[i + 1] : NULL;
        if (strncmp(argv[i], option, n) == 0 && argv[i][n] == '=') return argv[i] + n + 1;
    }
    return NULL;
}

static bool is_named(int argc, char **argv, const char *option)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], option) == 0) return true;
    return false;
}

/* A resumed run has its own settings as defaults. A run that starts with the weights of a model has
 * the shape of that model as default. What cannot be read fails later. */
static void prepare(ramus_options *o, int argc, char **argv)
{
    const char *out = value_of(argc, argv, "--out"), *init = value_of(argc, argv, "--init");
    if (is_named(argc, argv, "--resume") && out) {
        (void)snprintf(o->config_path, sizeof o->config_path, "%s/settings.conf", out);
        if (access(o->config_path, F_OK) == 0) o->common.config = o->config_path;
    }
    ramus_safetensors *file = NULL;
    if (!init || ramus_checkpoint_open(&file, init, NULL)) return;
    ramus_arch arch = {0};
    for (int i = 0; i < o->n_tables; i++) // that of the model is the one with widths
        if (ramus_setting_find(&o->tables[i], "width") && !ramus_checkpoint_arch(&arch, file, NULL))
            *(ramus_arch *)o->tables[i].target = arch;
    ramus_safetensors_close(file);
}

static ramus_status train(ramus_train_spec *spec, const ramus_options *o, ramus_train_result *done,
                          ramus_error *err)
{
    ramus_pool *pool = NULL;
    ramus_math_flush_tiny(); // before its threads start
    const int threads = o->common.threads ? o->common.threads : ramus_cores_available();
    ramus_status st = ramus_comm_agree(spec->comm, ramus_pool_create(&pool, threads, err), err);
    if (st) {
        ramus_pool_destroy(pool);
        return st;
    }
    spec->pool = pool;
    ramus_stop_listen_to(SIGINT);
    ramus_stop_listen_to(SIGTERM);
    if (spec->comm) ramus_stop_listen_to(SIGUSR1); // mpirun hands it on and waits
    st = ramus_train(spec, done, err);
    ramus_pool_destroy(pool);
    return st;
}

/* Rank 0 reports how training ended. Returns the exit code. */
static int tell_end(const ramus_options *o, ramus_status st, const ramus_error *err,
                    const ramus_train_spec *spec, const ramus_train_result *done)
{
    end_line(spec->hooks.arg);
    if (st) return ramus_command_fail(o->command, err);
    if (!done->stopped) return RAMUS_EXIT_DONE;
    if (ramus_comm_rank(spec->comm) == 0)
        ramus_command_note(o, "stopped after update %d; `ramus train --resume --out %s` goes on",
                           done->update, spec->training.out);
    const int number = ramus_stop_signal();
    return 128 + (number ? number : SIGTERM); // the signal may have come to another rank
}

static const char *const groups[RAMUS_TRAIN_TABLES] = {"Model", "Objective", "Optimiser",
                                                       "Training"};

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {.prepare = prepare};
    ramus_train_spec spec = {0};
    ramus_train_result done = {0};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_train_tables tables;
    ramus_train_tables_init(&tables, &spec);
    for (int i = 0; i < RAMUS_TRAIN_TABLES; i++)
        ramus_options_add_group(&o, groups[i], tables.tables[i]);
    ramus_status st = ramus_options_parse(&o, command, argc, argv, &err);
    if (o.common.help) return ramus_options_help(&o);
    display d = {.quiet = o.common.quiet, .terminal = isatty(STDERR_FILENO) != 0};
    spec.seed = o.common.seed;
    spec.hooks = (ramus_train_hooks){show_reading, show_progress, show_note, asked_to_stop, &d};
    ramus_arch shape = spec.arch;
    if (!shape.source_vocab) shape.source_vocab = shape.target_vocab = 2; // known later
    if (!st && o.n_arguments)
        st = ramus_fail(&err, RAMUS_BAD_ARGUMENT, "unexpected argument '%s'", o.arguments[0]);
    if (!st && is_named(argc, argv, "--resume") && value_of(argc, argv, "--init"))
        st = ramus_fail(&err, RAMUS_BAD_ARGUMENT,
                        "--resume and --init: a run either goes on or starts anew");
    if (!st) st = ramus_training_check(&spec.training, &err);
    if (!st) st = ramus_arch_check(&shape, &err);
    if (!st) st = ramus_objective_check(&spec.objective, &shape, &err);
    if (ramus_command_join(&spec.comm, command, st, &err, &code)) {
        st = train(&spec, &o, &done, &err);
        code = tell_end(&o, st, &err, &spec, &done);
    }
    ramus_comm_close(spec.comm);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_train = {
    "train",
    "trains a model on parallel text",
    "--train SOURCE TARGET [--valid SOURCE TARGET] --out FOLDER [options]",
    "  ramus train --train train.en train.de --valid dev.en dev.de --out run\n"
    "  ramus train --train train.en train.de --valid dev.en dev.de --out run --routing dmb\n"
    "  ramus train --train corpus.tsv.xz --valid dev.tsv --vocab joint.model --out run \\\n"
    "      --preset small --updates 20000 --dropout 0.3\n"
    "  ramus train --resume --out run\n"
    "  mpirun -n 8 ramus train --resume --out run\n"
    "  ramus train --init run/checkpoint-00020000.safetensors --train small.en small.de \\\n"
    "      --vocab joint.model --out tuned --updates 500 --rate 1e-4 --warmup 100\n",
    .run = run,
    .without = "json",
    .ranks = true,
};
