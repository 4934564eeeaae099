/* Folders of Marian models: Hugging Face's, Marian's own made of it, and broken ones. What they
 * compute is compared in laws/opus_mt.c. */
#include "convert/import/import.h"

#include "base/folder.h"
#include "base/map.h"
#include "convert/archives.h"
#include "convert/export.h"
#include "convert/load.h"
#include "format/tensors.h"
#include "model/param.h"

#include <stdint.h>
#include <unistd.h>

#define JOINT GOLDEN "/opus-mt/joint-swish"
#define BIG   GOLDEN "/opus-mt/tc-big-relu"

static ramus_error err;
static char made[64]; // the folder that a test makes

static const char *const files[] = {"config.json",
                                    "generation_config.json",
                                    "tokenizer_config.json",
                                    "vocab.json",
                                    "source.spm",
                                    "target.spm",
                                    "model.safetensors",
                                    "README.md",
                                    "pytorch_model.bin",
                                    "model.npz",
                                    "m.vocab.yml",
                                    "decoder.yml"};

static const char *in_made(const char *name)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", made, name);
    return path;
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(in_made(name), "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f)) exit(1);
}

static ramus_buffer read_file(const char *folder, const char *name)
{
    ramus_buffer path = {0}, data = {0};
    ramus_file file = {0};
    ramus_buffer_print(&path, "%s/%s", folder, name);
    REQUIRE_OK(ramus_file_map(&file, path.data, &err), err);
    ramus_buffer_add(&data, file.data, file.size);
    ramus_buffer_add(&data, "", 0);
    ramus_file_unmap(&file);
    ramus_buffer_free(&path);
    return data;
}

static void copy_file(const char *folder, const char *name)
{
    ramus_buffer data = read_file(folder, name);
    write_file(name, data.data, data.size);
    ramus_buffer_free(&data);
}

static void remove_made(void)
{
    for (int i = 0; i < RAMUS_COUNT(files); i++)
        (void)unlink(in_made(files[i]));
    (void)rmdir(made);
}

/* A folder with the files of another one. */
static void make_folder(const char *from)
{
    (void)snprintf(made, sizeof made, "import_marian.%d", (int)getpid());
    REQUIRE_OK(ramus_folder_make(made, &err), err);
    for (int i = 0; i < 7; i++)
        copy_file(from, files[i]);
}

static ramus_status import(ramus_checkpoint *c, const char *path)
{
    *c = (ramus_checkpoint){0};
    const ramus_status st = ramus_import(c, path, &(ramus_import_hints){0}, &err);
    return st;
}

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

/* Marian's own name of a tensor of Hugging Face's form, or "". */
static void own_name(char out[64], const char *name)
{
    static const char *const parts[][2] = {
        {"self_attn.q_proj.weight", "self_Wq"},
        {"self_attn.q_proj.bias", "self_bq"},
        {"self_attn.k_proj.weight", "self_Wk"},
        {"self_attn.k_proj.bias", "self_bk"},
        {"self_attn.v_proj.weight", "self_Wv"},
        {"self_attn.v_proj.bias", "self_bv"},
        {"self_attn.out_proj.weight", "self_Wo"},
        {"self_attn.out_proj.bias", "self_bo"},
        {"self_attn_layer_norm.weight", "self_Wo_ln_scale"},
        {"self_attn_layer_norm.bias", "self_Wo_ln_bias"},
        {"encoder_attn.q_proj.weight", "context_Wq"},
        {"encoder_attn.q_proj.bias", "context_bq"},
        {"encoder_attn.k_proj.weight", "context_Wk"},
        {"encoder_attn.k_proj.bias", "context_bk"},
        {"encoder_attn.v_proj.weight", "context_Wv"},
        {"encoder_attn.v_proj.bias", "context_bv"},
        {"encoder_attn.out_proj.weight", "context_Wo"},
        {"encoder_attn.out_proj.bias", "context_bo"},
        {"encoder_attn_layer_norm.weight", "context_Wo_ln_scale"},
        {"encoder_attn_layer_norm.bias", "context_Wo_ln_bias"},
        {"fc1.weight", "ffn_W1"},
        {"fc1.bias", "ffn_b1"},
        {"fc2.weight", "ffn_W2"},
        {"fc2.bias", "ffn_b2"},
        {"final_layer_norm.weight", "ffn_ffn_ln_scale"},
        {"final_layer_norm.bias", "ffn_ffn_ln_bias"},
    };
    char stack[16] = "", part[64] = "";
    int layer = 0;
    out[0] = '\0';
    if (strcmp(name, "model.shared.weight") == 0) (void)snprintf(out, 64, "Wemb");
    if (strcmp(name, "final_logits_bias") == 0) (void)snprintf(out, 64, "decoder_ff_logit_out_b");
    if (sscanf(name, "model.%15[a-z].layers.%d.%63s", stack, &layer, part) != 3) return;
    for (int i = 0; i < RAMUS_COUNT(parts); i++)
        if (strcmp(part, parts[i][0]) == 0)
            (void)snprintf(out, 64, "%.15s_l%d_%s", stack, layer + 1, parts[i][1]);
}

static const char yml[] = "type: transformer\ndim-emb: 64\nenc-depth: 2\ndec-depth: 2\n"
                          "transformer-heads: 4\ntransformer-dim-ffn: 128\n"
                          "transformer-ffn-activation: swish\ntransformer-postprocess: dan\n"
                          "transformer-preprocess: \"\"\ntransformer-postprocess-emb: d\n"
                          "tied-embeddings-all: true\ndim-vocabs:\n  - 720\n  - 720\n"
                          "version: v1.9.0 c65c26d\n";

/* The .npz of the joint model: matrices by columns, without the word of <pad>, which is the last.
 */
static archive own_archive(const char *config)
{
    archive a = {.n = 0};
    ramus_tensors *t = NULL;
    REQUIRE_OK(ramus_tensors_open(&t, JOINT "/model.safetensors", &err), err);
    for (int i = 0; i < ramus_tensors_count(t); i++) {
        const ramus_safetensor *x = ramus_tensors_at(t, i);
        char name[64], entry[80], header[160];
        own_name(name, x->name);
        EXPECT(*name, "a name for %s", x->name);
        const bool words = strcmp(name, "Wemb") == 0, bias = strstr(name, "logit") != NULL;
        const bool matrix = x->rank == 2 && !words && !bias;
        const size_t cut = words || bias ? 1 : 0; // word
        const size_t rows = x->rank == 2 ? x->shape[0] - (words ? cut : 0) : 1;
        const size_t columns = x->shape[x->rank - 1] - (bias ? cut : 0);
        float *data = calloc(rows * columns, sizeof *data);
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < columns; c++)
                data[matrix ? c * rows + r : r * columns + c] =
                    ((const float *)x->data)[r * columns + c];
        (void)snprintf(entry, sizeof entry, "%s.npy", name);
        (void)snprintf(header, sizeof header,
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }  \n",
                       matrix ? columns : rows, matrix ? rows : columns);
        archive_add_array(&a, entry, header, data, rows * columns * sizeof *data);
        free(data);
    }
    char header[160];
    (void)snprintf(header, sizeof header,
                   "{'descr': '|i1', 'fortran_order': False, 'shape': (%zu,), }",
                   strlen(config) + 1);
    archive_add_array(&a, "special:model.yml.npy", header, config, strlen(config) + 1);
    archive_end(&a);
    ramus_tensors_close(t);
    return a;
}

/* vocab.json without <pad> as Marian writes it. */
static void write_list(void)
{
    ramus_buffer out = {0};
    ramus_checkpoint c;
    ramus_vocab *v = NULL;
    REQUIRE_OK(import(&c, JOINT), err);
    REQUIRE_OK(ramus_checkpoint_vocab(&v, &c, 0, &err), err);
    for (int i = 0; i < 720; i++) {
        const char *piece = ramus_vocab_piece(v, i);
        if (i % 3 == 0) {
            ramus_buffer_json(&out, piece, strlen(piece));
        } else if (i % 3 == 1 || strchr(":'\"", *piece)) {
            ramus_buffer_text(&out, "'");
            for (const char *p = piece; *p; p++)
                ramus_buffer_print(&out, *p == '\'' ? "''" : "%c", *p);
            ramus_buffer_text(&out, "'");
        } else {
            ramus_buffer_text(&out, piece);
        }
        ramus_buffer_print(&out, ": %d\n", i);
    }
    write_file("m.vocab.yml", out.data, out.size);
    ramus_buffer_free(&out);
    ramus_vocab_destroy(v);
    ramus_checkpoint_free(&c);
}

static void make_own(const char *config)
{
    (void)snprintf(made, sizeof made, "import_marian.%d", (int)getpid());
    REQUIRE_OK(ramus_folder_make(made, &err), err);
    copy_file(JOINT, "source.spm");
    copy_file(JOINT, "target.spm");
    archive a = own_archive(config);
    write_file("model.npz", a.data.data, a.data.size);
    archive_free(&a);
    write_list();
}

static void marians_own_files_give_the_same_model(void)
{
    ramus_checkpoint own, theirs;
    make_own(yml);
    REQUIRE_OK(import(&theirs, JOINT), err);
    for (int as_file = 0; as_file < 2; as_file++) {
        REQUIRE_OK(import(&own, as_file ? in_made("model.npz") : made), err);
        EXPECT_INT(own.weights->n, theirs.weights->n, "parameters");
        EXPECT(own.arch.start_token == -1 && own.arch.source_vocab == 720, "no word for <pad>");
        for (int i = 0; i < own.weights->n; i++) {
            const ramus_weight *a = &own.weights->items[i];
            const ramus_weight *b = ramus_weights_at(theirs.weights, a->role, &a->site);
            EXPECT(b && b->count >= a->count, "%s", a->name);
            if (b) EXPECT_BYTES(a->data, b->data, a->count * sizeof *a->data, "%s", a->name);
        }
        ramus_vocab *v[2] = {NULL};
        REQUIRE_OK(ramus_checkpoint_vocab(&v[0], &own, 0, &err), err);
        REQUIRE_OK(ramus_checkpoint_vocab(&v[1], &theirs, 0, &err), err);
        int other = 0;
        for (int i = 0; i < 720; i++)
            other += strcmp(ramus_vocab_piece(v[0], i), ramus_vocab_piece(v[1], i)) != 0;
        EXPECT_INT(other, 0, "pieces that differ");
        ramus_vocab_destroy(v[0]);
        ramus_vocab_destroy(v[1]);
        ramus_checkpoint_free(&own);
    }
    ramus_checkpoint_free(&theirs);
    remove_made();
}

static void marians_features_that_ramus_lacks_are_named(void)
{
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"type: s2s\n", "type is 's2s'"},
        {"transformer-decoder-autoreg: rnn\n", "transformer-decoder-autoreg is 'rnn'"},
        {"transformer-preprocess: n\n", "transformer-preprocess is 'n'"},
        {"transformer-ffn-activation: gelu\n", "transformer-ffn-activation is 'gelu'"},
        {"transformer-train-position-embeddings: true\n", "is 'true'"},
        {"dim-emb: many\n", "dim-emb is 'many'"},
        {"dim-emb: 99999999999\n", "dim-emb"},
        {"enc-depth: 3\n", "encoder_l3_"},
        {"dim-vocabs: [719, 720]\n", "tie is all but"},
        {"dim-vocabs: [721, 721]\n", "Wemb"},
        {"transformer-postprocess-emb: n\n", "encoder_emb_ln_scale_pre"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        char config[1024];
        ramus_checkpoint c;
        (void)snprintf(config, sizeof config, "%s%s", cases[i].line, yml); // the first one counts
        make_own(config);
        EXPECT_FAILS(import(&c, made), err, cases[i].part);
        ramus_checkpoint_free(&c);
        remove_made();
    }
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
           {"marians_own_files_give_the_same_model", marians_own_files_give_the_same_model},
           {"marians_features_that_ramus_lacks_are_named",
            marians_features_that_ramus_lacks_are_named},
           {"a_language_is_the_first_word", a_language_is_the_first_word})
