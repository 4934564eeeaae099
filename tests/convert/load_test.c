/* Checkpoints to translate with: they are held to what model files are held to. */
#include "convert/load.h"

#include "runtime/models.h"

static ramus_error err;

/* The file of a small model with words of both sides and the vocabularies of tests/golden/text. */
static void save(const char *path, const char *const words[2], const char *const vocabs[2])
{
    const char *const settings[] = {"width",
                                    "16",
                                    "filter",
                                    "8",
                                    "heads",
                                    "2",
                                    "encoder-layers",
                                    "1",
                                    "source-vocab",
                                    words[0],
                                    "decoder-layers",
                                    "1",
                                    "target-vocab",
                                    words[1],
                                    NULL};
    const ramus_arch a = model_arch(NULL, settings);
    ramus_checkpoint c = model_make(&a);
    for (int i = 0; i < 2; i++)
        if (vocabs[i]) model_vocab(&c, i, vocabs[i]);
    REQUIRE_OK(ramus_checkpoint_save(&c, path, &err), err);
    model_free(&c);
}

static void vocabularies_of_checkpoints_are_checked(void)
{
    static const struct {
        const char *words[2], *vocabs[2], *part; // NULL: fine
    } cases[] = {
        {{"1000", "1000"}, {"identity"}, NULL},
        {{"1000", "4000"}, {"identity", "bpe-4k"}, NULL},
        {{"999", "999"},
         {"identity"},
         "the source vocabulary has 1000 pieces, the model 999 words"},
        {{"1001", "1001"}, {"identity"}, "the source vocabulary has 1000 pieces"},
        {{"1000", "1001"}, {"identity"}, "the target vocabulary has 1000 pieces"},
        {{"1000", "3999"}, {"identity", "bpe-4k"}, "the target vocabulary has 4000 pieces"},
        {{"4000", "1000"},
         {"zh-4k", "identity"},
         "the source vocabulary has no piece for the end of a sentence"},
        {{"1000", "4000"},
         {"identity", "zh-4k"},
         "the target vocabulary has no piece for the end of a sentence"},
        {{"1000", "1000"}, {NULL}, "carries no vocabulary"},
    };
    const char *path = model_path("checkpoint");
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_model *m = NULL;
        save(path, cases[i].words, cases[i].vocabs);
        if (cases[i].part) {
            EXPECT_FAILS(ramus_model_load(&m, path, &err), err, cases[i].part);
            EXPECT(!m && err.status != RAMUS_OK, "no result");
        } else {
            REQUIRE_OK(ramus_model_load(&m, path, &err), err);
        }
        ramus_model_close(m);
    }
    (void)unlink(path);
}

CHECK_MAIN({"vocabularies_of_checkpoints_are_checked", vocabularies_of_checkpoints_are_checked})
