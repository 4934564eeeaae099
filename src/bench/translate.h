/* translate.h - the speed of translating, beside its matrix products alone. */
#ifndef RAMUS_BENCH_TRANSLATE_H
#define RAMUS_BENCH_TRANSLATE_H

#include "bench/systems.h"
#include "model/arch.h"

#define RAMUS_BENCH_BATCH 1024 // sentences, at most

typedef struct ramus_bench_translate {
    ramus_texts models;  // files to measure; none: random weights of shape `arch`
    const char *input;   // sentences for the files; NULL: random ids
    const char *compare; // routing kinds, "dense,dmb"; NULL: the one of `arch`
    ramus_arch arch;     // as given: not checked yet
    const char *types;   // of random weights: "int8,int4"
    int words;           // of their embeddings: ramus_export_words
    int source_length, target_length;
    int sentences; // of `input`
    int beam;
    int batch; // sentences of each thread that are translated together; 0: one after the other
    int runs;  // of each system; medians count
    bool cpu;  // count CPU time, not elapsed time
    bool ops;  // the time of each kind of op as well
} ramus_bench_translate;

ramus_settings ramus_bench_translate_settings(ramus_bench_translate *bench); // its own fields

/* Refuses options that cannot be timed, with a message. */
RAMUS_CHECKED ramus_status ramus_bench_translate_check(const ramus_bench_translate *bench,
                                                       const ramus_bench_how *how,
                                                       ramus_error *err);

/* Times all systems, interleaved, and prints a table, or lines of JSON. */
RAMUS_CHECKED ramus_status ramus_bench_translate_run(ramus_buffer *out,
                                                     const ramus_bench_translate *bench,
                                                     const ramus_bench_how *how, ramus_error *err);

#endif
