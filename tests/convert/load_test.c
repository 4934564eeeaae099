/* Checkpoints to translate with: they are held to what model files are held to. */
#include "convert/load.h"

#include "runtime/models.h"

#include <math.h>

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
            EXPECT(strncmp(err.message, path, strlen(path)) == 0, "the file: %s", err.message);
        } else {
            REQUIRE_OK(ramus_model_load(&m, path, &err), err);
        }
        ramus_model_close(m);
    }
    (void)unlink(path);
}

static ramus_checkpoint small(void)
{
    static const char *const settings[] = {"width",
                                           "16",
                                           "filter",
                                           "8",
                                           "heads",
                                           "2",
                                           "encoder-layers",
                                           "1",
                                           "source-vocab",
                                           "1000",
                                           "decoder-layers",
                                           "1",
                                           "target-vocab",
                                           "4000",
                                           NULL};
    const ramus_arch a = model_arch(NULL, settings);
    ramus_checkpoint c = model_make(&a);
    model_vocab(&c, 0, "identity");
    model_vocab(&c, 1, "bpe-4k");
    return c;
}

static void numbers_that_are_none_are_refused(void)
{
    static const float none[] = {NAN, INFINITY, -INFINITY};
    const char *path = model_path("checkpoint");
    ramus_checkpoint c = small();
    int refused = 0;
    for (int i = 0; i < c.weights->n; i++) {
        ramus_weight *w = &c.weights->items[i];
        float *number = &w->data[i % 2 ? w->count - 1 : 0];
        const float was = *number;
        ramus_checkpoint read = {0};
        *number = none[i % 3];
        REQUIRE_OK(ramus_checkpoint_save(&c, path, &err), err);
        EXPECT_FAILS(ramus_checkpoint_load(&read, path, &err), err,
                     "has a number that is infinite or NaN");
        EXPECT(strstr(err.message, w->name) && strstr(err.message, path), "%s", err.message);
        refused++;
        *number = was;
    }
    EXPECT(refused > 20, "%d parameters", refused);
    model_free(&c);
    (void)unlink(path);
}

/* What is written is opened before it takes the place of an old file. */
static void export_keeps_the_old_file_if_the_new_one_is_no_model(void)
{
    const ramus_export_spec spec = {.type = RAMUS_EXPORT_I8};
    const char *path = model_path("kept");
    ramus_checkpoint c = small();
    ramus_file old = {0}, now = {0};
    REQUIRE_OK(ramus_export(&c, &spec, path, &err), err);
    REQUIRE_OK(ramus_file_map(&old, path, &err), err);
    model_vocab(&c, 1, "zh-4k");
    EXPECT_FAILS(ramus_export(&c, &spec, path, &err), err,
                 "the target vocabulary has no piece for the end of a sentence");
    EXPECT(strncmp(err.message, path, strlen(path)) == 0 && err.message[strlen(path)] == ':',
           "the file: %s", err.message);
    model_vocab(&c, 1, "bpe-4k");
    c.weights->data[0] = NAN; // which quantising would round to 0
    const ramus_export_spec f32 = {.type = RAMUS_EXPORT_F32};
    EXPECT_FAILS(ramus_export(&c, &f32, path, &err), err, "infinite or NaN");
    REQUIRE_OK(ramus_file_map(&now, path, &err), err);
    EXPECT(now.size == old.size && memcmp(now.data, old.data, old.size) == 0, "the old file");
    ramus_file_unmap(&now);
    ramus_file_unmap(&old);
    model_free(&c);
    (void)unlink(path);
}

CHECK_MAIN({"numbers_that_are_none_are_refused", numbers_that_are_none_are_refused},
           {"export_keeps_the_old_file_if_the_new_one_is_no_model",
            export_keeps_the_old_file_if_the_new_one_is_no_model},
           {"vocabularies_of_checkpoints_are_checked", vocabularies_of_checkpoints_are_checked})
