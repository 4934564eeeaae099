/* Fuzz target (libFuzzer) for model files: the input is a file; a small model that opens is used.
 *
 *     model_seeds SEEDS && model_fuzz FOLDER SEEDS -max_len=65536
 *
 * Weights may be any numbers, so large that activations are infinite, too: then a translation has
 * no meaning, but its words are words of the model. A finding is a crash, a sanitizer report or a
 * broken law (abort).
 */
#include "fuzz/shapes.h"
#include "runtime/model.h"
#include "runtime/search.h"

#include <stdlib.h>
#include <string.h>

#define SOURCE 3 // words
#define TARGET 6
#define BEAM   2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static bool is_small(const ramus_arch *a)
{
    return shape_within(a, 64, 256) && a->branches <= 32 && a->encoder_layers <= 4 &&
           a->decoder_layers <= 4 && a->source_vocab <= 5000 && a->target_vocab <= 5000;
}

static void translate(const ramus_model *m, int beam)
{
    const ramus_search_limits limits = {.sentences = 1,
                                        .source_tokens = SOURCE,
                                        .source_length = SOURCE,
                                        .target_length = TARGET,
                                        .beam = beam};
    const ramus_search_options options = {.beam = beam,
                                          .greedy = beam == 1,
                                          .scores = true,
                                          .length_penalty = 0.6,
                                          .length_ratio = 1,
                                          .extra_length = TARGET,
                                          .eos = m->vocabs[1] ? ramus_vocab_eos(m->vocabs[1]) : 0};
    const int ids[SOURCE] = {0, 1, m->arch.source_vocab - 1};
    const ramus_source source = {.ids = ids, .length = SOURCE};
    ramus_hypothesis best[BEAM] = {{0}};
    ramus_search *search = NULL;
    ramus_error err = {0};
    require(!ramus_search_create(&search, &m->arch, m->weights, &limits, NULL, &err));
    require(!ramus_search_run(search, &options, &source, 1, best, &err));
    for (int i = 0; i < beam; i++) {
        require(best[i].length >= 0 && best[i].length <= TARGET);
        for (int j = 0; j < best[i].length; j++)
            require(best[i].ids[j] >= 0 && best[i].ids[j] < m->arch.target_vocab);
    }
    ramus_search_destroy(search);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ramus_error err = {0};
    ramus_model *m = NULL;
    uint8_t *copy = malloc(size ? size : 1); // aligned, and asan knows its end
    require(copy != NULL);
    if (size) memcpy(copy, data, size);
    const ramus_status st = ramus_model_open_memory(&m, copy, size, &err);
    require(st == RAMUS_OK || (st == RAMUS_BAD_FORMAT && !m &&
                               strncmp(err.message, "the model in memory: ", 21) == 0));
    if (m && is_small(&m->arch)) {
        translate(m, 1);
        translate(m, BEAM);
    }
    ramus_model_close(m);
    free(copy);
    return 0;
}
