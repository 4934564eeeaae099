/* Writes tiny models of all kinds, for model_fuzz to begin with:  model_seeds FOLDER */
#include "runtime/models.h"

#include <sys/stat.h>

// clang-format off
static const char *const kinds[][9] = {
    {"routing", "dense"},
    {"routing", "dense", "norm", "pre", "tie", "none"},
    {"routing", "dmb", "branches", "2"},
    {"routing", "dmb", "branches", "3", "routed", "ffn", "tie", "target"},
    {"routing", "moe", "branches", "3", "top-k", "2", "norm", "pre"},
    {"routing", "switch", "branches", "2", "routed", "attention"},
};
// clang-format on

int main(int argc, char **argv)
{
    static const char *const shape[] = {"width",
                                        "4",
                                        "filter",
                                        "3",
                                        "heads",
                                        "2",
                                        "encoder-layers",
                                        "1",
                                        "decoder-layers",
                                        "1",
                                        "source-vocab",
                                        "5",
                                        "target-vocab",
                                        "5",
                                        NULL};
    static const char *const words[] = {"source-vocab", "1000", "target-vocab", "1000", NULL};
    ramus_error err = {0};
    if (argc != 2) return 2;
    (void)mkdir(argv[1], 0777);
    for (int i = 0; i <= 3 * RAMUS_COUNT(kinds); i++) { // the last one has a vocabulary
        const bool last = i == 3 * RAMUS_COUNT(kinds);
        const ramus_arch a = model_arch(shape, last ? words : kinds[i / 3]);
        const ramus_export_spec spec = {.type = (ramus_export_type)(i % 3),
                                        .words = (ramus_export_words)(i / 3 % 2),
                                        .source_language = "en",
                                        .target_language = "de"};
        ramus_checkpoint c = model_make(&a);
        char path[512];
        if (last) model_vocab(&c, 0, "identity");
        (void)snprintf(path, sizeof path, "%s/%d.gguf", argv[1], i);
        REQUIRE_OK(ramus_export(&c, &spec, path, &err), err);
        model_free(&c);
    }
    return 0;
}
