/* `ramus bench`: options of three benchmarks; the chosen one runs in src/bench and prints each
 * part as soon as it is there. */
#include "bench/kernels.h"
#include "bench/train.h"
#include "bench/translate.h"
#include "cli/join.h"

typedef struct {
    bool kernels, train;
    ramus_bench_train training;
    ramus_bench_translate translation;
} settings;

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"kernels", RAMUS_SETTING_FLAG, AT(kernels), "time each kernel alone, on each row of kernels that this CPU has", NULL, 0, 0, NULL, NULL},
    {"train",   RAMUS_SETTING_FLAG, AT(train), "time updates of training, not translation: random text, forward and backward pass, norm, Adam", NULL, 0, 0, NULL, NULL},
    {"compare", RAMUS_SETTING_TEXT, AT(training.compare), "routing kinds to time interleaved, such as dense,dmb; ratios are over the first", NULL, 0, 0, NULL, NULL},
    {"cpu-time", RAMUS_SETTING_FLAG, AT(training.cpu), "count the CPU time of all threads, not elapsed time: for machines with other work", NULL, 0, 0, NULL, NULL},
    {"tokens",  RAMUS_SETTING_INT,  AT(training.tokens), "train: target tokens of an update", "4096", 1, 1000000, NULL, NULL},
    {"bucket-mb", RAMUS_SETTING_REAL, AT(training.bucket_mb), "train, several ranks: megabytes of gradients summed at a time; 0: all at the end", "1", 0, 1e6, NULL, NULL},
    {"runs",    RAMUS_SETTING_INT,  AT(training.runs), "rounds; the median counts, of kernels the best", "20", 1, 100000, NULL, NULL},
};
#undef AT
// clang-format on

/* Prints each part as soon as it is there. */
static int run_kernels(const ramus_command *command, int runs, bool json)
{
    int code = RAMUS_EXIT_DONE;
    for (int i = 0; i < ramus_bench_kernels_count() && code == RAMUS_EXIT_DONE; i++) {
        ramus_error err = {0};
        ramus_buffer out = {0};
        code = ramus_bench_kernels_run(&out, i, runs, json, &err)
                   ? ramus_command_fail(command, &err)
                   : ramus_command_print(command, &out);
    }
    return code;
}

static ramus_status check(const settings *s, const ramus_options *o, const ramus_bench_how *how,
                          ramus_error *err)
{
    const int ranks = ramus_comm_launched();
    if (o->n_arguments)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "unexpected argument '%s'", o->arguments[0]);
    if (s->kernels && s->train)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "both --kernels and --train are given: expected one of them");
    if (!s->train && ranks > 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "mpirun started %d ranks, which share the work of --train alone", ranks);
    return s->train     ? ramus_bench_train_check(&s->training, err)
           : s->kernels ? RAMUS_OK
                        : ramus_bench_translate_check(&s->translation, how, err);
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    ramus_buffer out = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add_group(&o, "Objective", ramus_objective_settings(&s.training.objective));
    ramus_options_add_group(&o, "Model", ramus_arch_settings(&s.training.arch));
    ramus_options_add_group(&o, "Translating", ramus_bench_translate_settings(&s.translation));
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    ramus_status st = ramus_options_parse(&o, command, argc, argv, &err);
    if (o.common.help) return ramus_options_help(&o);
    ramus_bench_how how = {o.common.threads, (uint64_t)o.common.seed, o.common.json, NULL};
    s.translation.arch = s.training.arch;
    s.translation.compare = s.training.compare;
    s.translation.cpu = s.training.cpu;
    s.translation.runs = s.training.runs;
    if (!st) st = check(&s, &o, &how, &err);
    if (!ramus_command_join(&how.comm, command, st, &err, &code)) {
        ;
    } else if (s.kernels) {
        code = run_kernels(command, s.training.runs, o.common.json);
    } else {
        st = s.train ? ramus_bench_train_run(&out, &s.training, &how, &err)
                     : ramus_bench_translate_run(&out, &s.translation, &how, &err);
        code = st ? ramus_command_fail(command, &err) : ramus_command_print(command, &out);
    }
    ramus_comm_close(how.comm);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_bench = {
    "bench",
    "how fast translation, training and kernels are on this machine",
    "[model options | -m MODEL...] | --train [model options] | --kernels",
    "  ramus bench --preset tiny --source-vocab 37056 --target-vocab 37056 --compare dense,moe,dmb "
    "--threads 1\n"
    "  ramus bench -m dense.gguf dmb.gguf -i test.en --beam 1\n"
    "  ramus bench --source-vocab 8000 --target-vocab 8000 --batch 64 --threads 2\n"
    "  ramus bench --train --compare dense,dmb --source-vocab 8000 --target-vocab 8000\n"
    "  mpirun -n 2 ramus bench --train --threads 1 --source-vocab 8000 --target-vocab 8000\n"
    "  RAMUS_ISA=avx2 ramus bench --kernels --json\n",
    .run = run,
    .ranks = true,
};
