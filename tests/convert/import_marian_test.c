/* Folders of Marian models of Hugging Face's form, and broken ones. What they compute is compared
 * in laws/opus_mt.c. */
#include "convert/marian_folders.h"

#include "convert/export.h"
#include "convert/load.h"
#include "format/safetensors.h"

#include <stdint.h>

/* One place of a text file is replaced; what importing says then. */
static void expect_edited(const char *name, const char *from, const char *to, const char *part)
{
    ramus_checkpoint c;
    ramus_buffer data = read_file(JOINT, name), edited = {0};
    const char *at = strstr(data.data, from);
    EXPECT(at != NULL, "%s has no %s", name, from);
    if (!at) return;
    ramus_buffer_add(&edited, data.data, (size_t)(at - data.data));
    ramus_buffer_text(&edited, to);
    ramus_buffer_text(&edited, at + strlen(from));
    write_file(name, edited.data, edited.size);
    const ramus_status st = import(&c, made);
    EXPECT(st == RAMUS_BAD_FORMAT && strstr(err.message, part) && strstr(err.message, made),
           "%s for %s: status %d, \"%s\", expected one with \"%s\"", to, from, (int)st, err.message,
           part);
    ramus_checkpoint_free(&c);
    copy_file(JOINT, name);
    ramus_buffer_free(&data);
    ramus_buffer_free(&edited);
}

static void features_that_ramus_lacks_are_named(void)
{
    make_folder(JOINT);
    static const struct {
        const char *from, *to, *part;
    } cases[] = {
        {"\"marian\"", "\"bart\"", "model_type is 'bart', expected marian"},
        {"\"swish\"", "\"gelu_new\"", "activation_function is 'gelu_new', expected one of"},
        {"\"d_model\": 64", "\"d_model\": 65", "width is 65"},
        {"\"d_model\": 64", "\"d_model\": 1000000", "d_model is 1000000"},
        {"\"d_model\": 64,", "", "no d_model"},
        {"\"d_model\": 64", "\"d_model\": 32", "model.safetensors: model.shared.weight"},
        {"\"d_model\": 64", "\"d_model\": null", "no d_model"},
        {"\"encoder_layers\": 2", "\"encoder_layers\": 3", "model.encoder.layers.2"},
        {"\"encoder_layers\": 2", "\"encoder_layers\": 1", "model.encoder.layers.1"},
        {"\"encoder_attention_heads\": 4", "\"encoder_attention_heads\": 5", "among 5 heads"},
        {"\"vocab_size\": 721", "\"vocab_size\": 722", "tie is all but"},
        {"\"share_encoder_decoder_embeddings\": true",
         "\"share_encoder_decoder_embeddings\": false",
         "no tensor model.encoder.embed_tokens.weight"},
        {"\"vocab_size\": 721", "\"tie_word_embeddings\": false, \"vocab_size\": 721",
         "no tensor lm_head.weight"},
        {"{", "[", "config.json: byte"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++)
        expect_edited("config.json", cases[i].from, cases[i].to, cases[i].part);
    expect_edited("generation_config.json", "      720\n", "      7, 720\n",
                  "bad_words_ids has the word 7");
    expect_edited("generation_config.json", "\"decoder_start_token_id\": 720",
                  "\"decoder_start_token_id\": 721", "excludes the start token 721 alone");
    remove_made();
}

static void lists_of_pieces_have_each_number_once(void)
{
    make_folder(JOINT);
    static const struct {
        const char *from, *to, *part;
    } cases[] = {
        {"\"<unk>\": 1", "\"<unk>\": 721", "has number 721, the model has words 0 to 720"},
        {"\"<unk>\": 1", "\"<unk>\": -1", "has number -1"},
        {"\"<unk>\": 1", "\"<unk>\": 9223372036854775807", "the model has words 0 to 720"},
        {"\"<unk>\": 1", "\"<unk>\": 2", "both have number 2"},
        {"\"<unk>\": 1", "\"<unk>\": 1.5", "vocab.json"},
        {"\"<unk>\": 1", "\"<unk>\": {\"<unk>\": 1}", "vocab.json"},
        {"\"<unk>\": 1", "\"\": 1", "piece 1 is empty"},
        {"\"<unk>\": 1", "\"\\u0000\": 1", "zero byte"},
        {"\"<unk>\": 1", "\"<nuk>\": 1", "it has no piece <unk>"},
        {"\"<unk>\": 1,", "", "no piece has number 1"},
        {"{", "", "vocab.json: byte"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++)
        expect_edited("vocab.json", cases[i].from, cases[i].to, cases[i].part);
    write_file("source.spm", "spm", 3);
    ramus_checkpoint c;
    REQUIRE_OK(import(&c, made), err); // the bytes are read with the vocabulary
    ramus_vocab *v = NULL;
    EXPECT_FAILS(ramus_checkpoint_vocab(&v, &c, 0, &err), err, "SentencePiece");
    ramus_checkpoint_free(&c);
    remove_made();
}

static void positions_of_their_own_are_refused(void)
{
    make_folder(BIG);
    ramus_buffer data = read_file(BIG, "model.safetensors");
    ramus_safetensors *file = NULL;
    ramus_checkpoint c;
    REQUIRE_OK(ramus_safetensors_open(&file, BIG "/model.safetensors", &err), err);
    const char *name = "model.decoder.embed_positions.weight";
    const ramus_safetensor *t = ramus_safetensors_find(file, name);
    const ramus_safetensor *last = ramus_safetensors_at(file, ramus_safetensors_count(file) - 1);
    const size_t end = (size_t)((const char *)t->data - (const char *)last->data) + t->size;
    data.data[data.size - last->size + end - 1] ^= 1; // of the last position
    write_file("model.safetensors", data.data, data.size);
    EXPECT_FAILS(import(&c, made), err, "learned positions");
    ramus_checkpoint_free(&c);
    ramus_safetensors_close(file);
    ramus_buffer_free(&data);
    remove_made();
}

static void origin_is_carried_into_the_file(void)
{
    static const char page[] = "---\nlanguage: en\nlicense: apache-2.0\n---\n# license: none\n";
    ramus_checkpoint c, back = {0};
    ramus_model *m = NULL;
    char path[64];
    make_folder(JOINT);
    write_file("README.md", page, sizeof page - 1);
    REQUIRE_OK(import(&c, made), err);
    (void)snprintf(path, sizeof path, "import_marian.%d.bin", (int)getpid());
    REQUIRE_OK(ramus_checkpoint_save(&c, path, &err), err);
    REQUIRE_OK(ramus_checkpoint_load(&back, path, &err), err);
    REQUIRE_OK(ramus_export(&back, &(ramus_export_spec){.name = "mine"}, path, &err), err);
    REQUIRE_OK(ramus_model_open(&m, path, &err), err);
    EXPECT_TEXT(ramus_model_info(m, "license"), "apache-2.0");
    EXPECT_TEXT(ramus_model_info(m, "source_language"), "en");
    EXPECT_TEXT(ramus_model_info(m, "target_language"), "de");
    EXPECT_TEXT(ramus_model_info(m, "name"), "mine");
    EXPECT(strstr(ramus_model_info(m, "description"), "Marian") != NULL, "where it comes from");
    ramus_model_close(m);
    ramus_checkpoint_free(&back);
    ramus_checkpoint_free(&c);
    (void)unlink(path);
    remove_made();
}

static void a_language_is_the_first_word(void)
{
    ramus_checkpoint c;
    ramus_model *m = NULL;
    ramus_session *s = NULL;
    ramus_translation a, b;
    char path[64];
    REQUIRE_OK(import(&c, BIG), err);
    (void)snprintf(path, sizeof path, "import_marian.%d.bin", (int)getpid());
    REQUIRE_OK(ramus_checkpoint_save(&c, path, &err), err);
    REQUIRE_OK(ramus_model_load(&m, path, &err), err);
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    options.details = true;
    REQUIRE_OK(ramus_session_create(&s, m, &options, &err), err);
    ramus_translate_options how = RAMUS_TRANSLATE_DEFAULTS;
    REQUIRE_OK(ramus_translate(s, ">>nld<< Tom is here. He is old.", &how, &b, &err), err);
    EXPECT_TEXT(b.source[0].piece, ">>nld<<");
    how.to = "nld";
    REQUIRE_OK(ramus_translate(s, "Tom is here. He is old.", &how, &a, &err), err);
    int codes = 0;
    for (int i = 0; i < a.n_source; i++)
        codes += strcmp(a.source[i].piece, ">>nld<<") == 0;
    EXPECT_INT(codes, 2, "one code for each sentence");
    how.to = "xyz";
    EXPECT_FAILS(ramus_translate(s, "Tom is here.", &how, &a, &err), err, "no word >>xyz<<");
    how.to = NULL;
    REQUIRE_OK(ramus_translate(s, "Tom is here.", &how, &a, &err), err);
    for (int i = 0; i < a.n_source; i++)
        EXPECT(a.source[i].piece[0] != '>', "no code is left");
    ramus_session_destroy(s);
    ramus_model_close(m);
    ramus_checkpoint_free(&c);
    (void)unlink(path);
}

CHECK_MAIN({"features_that_ramus_lacks_are_named", features_that_ramus_lacks_are_named},
           {"lists_of_pieces_have_each_number_once", lists_of_pieces_have_each_number_once},
           {"positions_of_their_own_are_refused", positions_of_their_own_are_refused},
           {"origin_is_carried_into_the_file", origin_is_carried_into_the_file},
           {"a_language_is_the_first_word", a_language_is_the_first_word})
