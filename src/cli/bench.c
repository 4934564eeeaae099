#include "cli/bench_products.h"
#include "cli/bench_train.h"
#include "cli/bench_translate.h"
#include "cli/command.h"
#include "cli/kernel_cases.h"

#include "base/clock.h"
#include "kernels/select.h"

#include <stdio.h>

#define SECONDS 0.002 // of one timing

typedef struct {
    bool kernels, train;
    ramus_bench_train training;
    ramus_bench_translate translation;
} settings;

// clang-format off
#define AT(field) offsetof(settings, field)
static const ramus_setting rows[] = {
    {"kernels", RAMUS_SETTING_FLAG, AT(kernels), "time every kernel alone, on every row that this CPU has", NULL, 0, 0, NULL, NULL},
    {"train",   RAMUS_SETTING_FLAG, AT(train), "time updates of training (default: translation): random text, forward, backward, norm and Adam", NULL, 0, 0, NULL, NULL},
    {"compare", RAMUS_SETTING_TEXT, AT(training.compare), "routing kinds to time in turn, the first is the measure of the others (dense,dmb)", NULL, 0, 0, NULL, NULL},
    {"cpu-time", RAMUS_SETTING_FLAG, AT(training.cpu), "count the CPU time of all threads, not the time that passed: for machines with other work", NULL, 0, 0, NULL, NULL},
    {"tokens",  RAMUS_SETTING_INT,  AT(training.tokens), "train: target tokens of an update", "4096", 1, 1000000, NULL, NULL},
    {"bucket-mb", RAMUS_SETTING_REAL, AT(training.bucket_mb), "train with several ranks: megabytes of gradients that are summed together; 0: all at the end", "1", 0, 1e6, NULL, NULL},
    {"runs",    RAMUS_SETTING_INT,  AT(training.runs), "rounds; of kernels the best one counts, else the median", "20", 1, 100000, NULL, NULL},
};
#undef AT
// clang-format on

static const int sizes[] = {16, 128, 512};

/* Seconds of one call: as many calls as fill a timing. */
static double time_call(const kernel_case *c, const ramus_kernels *k, float *const *buffers, int n)
{
    const double start = ramus_clock_now();
    double now = 0;
    int calls = 0;
    do {
        for (int i = 0; i < 8; i++)
            c->run(k, buffers, n);
        calls += 8;
        now = ramus_clock_now();
    } while (now - start < SECONDS);
    return (now - start) / calls;
}

/* Numbers near 1, so that nothing overflows however often a kernel runs over its own result. */
static void fill(const kernel_case *c, float *const *buffers, int n)
{
    for (int i = 0; i < c->n_buffers; i++) {
        RAMUS_ASSERT(buffers[i] != NULL);
        for (int j = 0; j < c->length(n, i); j++)
            buffers[i][j] = 0.5f + (float)((i * 31 + j * 7) % 64) / 128;
    }
}

/* Every row that this CPU has, the rows before it laid under. */
static void choose_tables(ramus_bench_products *how)
{
    for (int i = 0; i < ramus_kernels_count() && how->n_tables < RAMUS_BENCH_ROWS; i++) {
        const ramus_kernels *row = ramus_kernels_at(i);
        const bool first = i == 0 || strcmp(row->isa, ramus_kernels_at(i - 1)->isa) != 0;
        if (!first || !ramus_kernels_usable(row)) continue;
        (void)ramus_kernels_select(&how->tables[how->n_tables++], row->isa);
    }
}

/* All rows in turn, round after round. */
static ramus_status time_case(ramus_buffer *out, const kernel_case *c, int n,
                              const ramus_bench_products *how, ramus_error *err)
{
    float *buffers[MAX_BUFFERS] = {0};
    double best[RAMUS_BENCH_ROWS] = {0};
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < c->n_buffers && !st; i++) {
        buffers[i] = malloc((size_t)c->length(n, i) * sizeof(float));
        if (!buffers[i]) st = ramus_fail_memory(err, "a benchmark");
    }
    for (int run = 0; run < how->runs && !st; run++)
        for (int i = 0; i < how->n_tables; i++) {
            fill(c, buffers, n);
            const double seconds = time_call(c, &how->tables[i], buffers, n);
            if (run == 0 || seconds < best[i]) best[i] = seconds;
        }
    for (int i = 0; i < how->n_tables && !st; i++)
        ramus_buffer_print(out,
                           how->json
                               ? "{\"kernel\": \"%s\", \"size\": %d, \"isa\": \"%s\", \"ns\": "
                                 "%.1f, \"ratio\": %.2f}\n"
                               : "%-24s %5d  %-10s %12.1f ns  %6.2f\n",
                           c->name, n, how->tables[i].isa, best[i] * 1e9, best[0] / best[i]);
    for (int i = 0; i < MAX_BUFFERS; i++)
        free(buffers[i]);
    return st;
}

/* Every kernel alone; then the products of 8-bit numbers. */
static int run_kernels(const ramus_command *command, int runs, bool json)
{
    ramus_bench_products how = {.runs = runs, .json = json};
    ramus_error err = {0};
    ramus_buffer out = {0};
    int code = RAMUS_EXIT_DONE;
    choose_tables(&how);
    for (int i = 0; i < RAMUS_COUNT(kernel_cases) && code == RAMUS_EXIT_DONE; i++)
        for (int j = 0; j < RAMUS_COUNT(sizes) && code == RAMUS_EXIT_DONE; j++)
            code = time_case(&out, &kernel_cases[i], sizes[j], &how, &err)
                       ? ramus_command_fail(command, &err)
                       : ramus_command_print(command, &out);
    for (int i = 0; i < ramus_bench_products_count() && code == RAMUS_EXIT_DONE; i++)
        code = ramus_bench_products_run(&out, i, &how, &err) ? ramus_command_fail(command, &err)
                                                             : ramus_command_print(command, &out);
    return code;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    settings s = {0};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, ramus_objective_settings(&s.training.objective));
    ramus_options_add(&o, ramus_arch_settings(&s.training.arch));
    ramus_options_add(&o, ramus_bench_translate_settings(&s.translation));
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    ramus_status st = RAMUS_OK;
    if (o.n_arguments)
        st = ramus_fail(&err, RAMUS_BAD_ARGUMENT, "unexpected argument '%s'", o.arguments[0]);
    else if (s.kernels && s.train)
        st = ramus_fail(&err, RAMUS_BAD_ARGUMENT,
                        "both --kernels and --train are given: expected one of them");
    else if (!s.train && o.comm)
        st = ramus_fail(&err, RAMUS_BAD_ARGUMENT,
                        "mpirun started %d ranks, which share the work of --train alone",
                        ramus_comm_ranks(o.comm));
    st = ramus_comm_agree(o.comm, st, &err);
    if (st) {
        code = ramus_command_misuse(command, &err);
    } else if (s.train) {
        code = ramus_bench_train_run(&o, &s.training);
    } else if (s.kernels) {
        code = run_kernels(command, s.training.runs, o.common.json);
    } else {
        s.translation.arch = s.training.arch;
        s.translation.compare = s.training.compare;
        s.translation.cpu = s.training.cpu;
        s.translation.runs = s.training.runs;
        code = ramus_bench_translate_run(&o, &s.translation);
    }
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
