/* Marian's own files: an .npz, lists of pieces and a decoder.yml, made of folders of Hugging Face's
 * form, and broken ones. */
#include "convert/archives.h"
#include "convert/load.h"
#include "convert/marian_folders.h"
#include "format/tensors.h"
#include "model/param.h"

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
    char stack[16] = "", part[64] = "", last = 0;
    int layer = 0;
    out[0] = '\0';
    if (strcmp(name, "model.shared.weight") == 0) (void)snprintf(out, 64, "Wemb");
    if (strcmp(name, "final_logits_bias") == 0) (void)snprintf(out, 64, "decoder_ff_logit_out_b");
    if (sscanf(name, "model.%15[a-z].embed_tokens.weigh%c", stack, &last) == 2)
        (void)snprintf(out, 64, "%.15s_Wemb", stack);
    if (sscanf(name, "model.%15[a-z].layers.%d.%63s", stack, &layer, part) != 3) return;
    for (int i = 0; i < RAMUS_COUNT(parts); i++)
        if (strcmp(part, parts[i][0]) == 0)
            (void)snprintf(out, 64, "%.15s_l%d_%s", stack, layer + 1, parts[i][1]);
}

#define YML(width, layers, heads, filters, activation, ties, words)                                \
    "type: transformer\ndim-emb: " width "\n" layers "\ntransformer-heads: " heads "\n" filters    \
    "\ntransformer-ffn-activation: " activation "\ntransformer-postprocess: dan\n"                 \
    "transformer-preprocess: \"\"\ntransformer-postprocess-emb: d\n" ties ": true\n"               \
    "dim-vocabs:\n  - " words "\n  - " words "\nversion: v1.9.0 c65c26d\n"

/* Folders, and what Marian would say of their networks. */
typedef struct own_model {
    const char *folder, *config;
    int words; // without <pad>, which is the last
} own_model;

static const own_model models[] = {
    {JOINT,
     YML("64", "enc-depth: 2\ndec-depth: 2", "4", "transformer-dim-ffn: 128", "swish",
         "tied-embeddings-all", "720"),
     720},
    {BIG, // 16 bits, relu, and names of tied matrices more than once
     YML("64", "enc-depth: 3\ndec-depth: 1", "4", "transformer-dim-ffn: 160", "relu",
         "tied-embeddings-all", "723"),
     723},
    {HALF, // 16 bits, a decoder of another shape
     YML("64", "enc-depth: 2\ndec-depth: 3", "2",
         "transformer-dim-ffn: 128\ntransformer-decoder-dim-ffn: 96", "swish",
         "tied-embeddings-all", "720"),
     720},
    {TWO, // two vocabularies
     YML("48", "enc-depth: 2\ndec-depth: 2", "4",
         "transformer-dim-ffn: 96\ntransformer-decoder-dim-ffn: 128", "swish", "tied-embeddings",
         "416"),
     416},
};

/* Adds a tensor of Hugging Face's form by its own name: matrices by columns, without the last
 * word. */
static void add_own(archive *a, const char *name, const ramus_safetensor *x)
{
    const bool bias = strstr(name, "logit") != NULL, words = strstr(name, "Wemb") != NULL;
    const bool matrix = x->rank == 2 && !words && !bias, half = x->dtype == RAMUS_SAFETENSOR_F16;
    const size_t size = half ? 2 : 4, all = x->shape[x->rank - 1];
    const size_t rows = x->rank == 2 ? x->shape[0] - (words ? 1 : 0) : 1;
    const size_t columns = all - (bias ? 1 : 0);
    char entry[80], header[160];
    char *data = calloc(rows * columns, size);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            memcpy(data + (matrix ? c * rows + r : r * columns + c) * size,
                   (const char *)x->data + (r * all + c) * size, size);
    (void)snprintf(entry, sizeof entry, "%s.npy", name);
    (void)snprintf(header, sizeof header,
                   "{'descr': '<f%zu', 'fortran_order': False, 'shape': (%zu, %zu), }  \n", size,
                   matrix ? columns : rows, matrix ? rows : columns);
    archive_add_array(a, entry, header, data, rows * columns * size);
    free(data);
}

/* The .npz of a folder of Hugging Face's form. */
static archive own_archive(const char *folder, const char *config)
{
    archive a = {.n = 0};
    ramus_tensors *t = NULL;
    ramus_buffer path = {0};
    ramus_buffer_print(&path, "%s/model.safetensors", folder);
    REQUIRE_OK(ramus_tensors_open(&t, path.data, &err), err);
    const bool shared = ramus_tensors_find(t, "model.shared.weight") != NULL;
    for (int i = 0; i < ramus_tensors_count(t); i++) {
        const ramus_safetensor *x = ramus_tensors_at(t, i);
        char name[64];
        own_name(name, x->name);
        if (strstr(x->name, "embed_positions") || strcmp(x->name, "lm_head.weight") == 0 ||
            (shared && strstr(x->name, "embed_tokens")))
            continue; // copies
        EXPECT(*name, "a name for %s", x->name);
        add_own(&a, name, x);
    }
    char header[160];
    (void)snprintf(header, sizeof header,
                   "{'descr': '|i1', 'fortran_order': False, 'shape': (%zu,), }",
                   strlen(config) + 1);
    archive_add_array(&a, "special:model.yml.npy", header, config, strlen(config) + 1);
    archive_end(&a);
    ramus_tensors_close(t);
    ramus_buffer_free(&path);
    return a;
}

/* The vocabulary of a side without <pad> as Marian writes it. */
static void write_list(const own_model *m, int side)
{
    ramus_buffer out = {0};
    ramus_checkpoint c;
    ramus_vocab *v = NULL;
    REQUIRE_OK(import(&c, m->folder), err);
    REQUIRE_OK(ramus_checkpoint_vocab(&v, &c, side, &err), err);
    for (int i = 0; i < m->words; i++) {
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
    write_file(side ? "1.vocab.yml" : "0.vocab.yml", out.data, out.size);
    ramus_buffer_free(&out);
    ramus_vocab_destroy(v);
    ramus_checkpoint_free(&c);
}

static void make_own(const own_model *m, const char *config)
{
    static const char decoder[] = "vocabs:\n  - 0.vocab.yml\n  - 1.vocab.yml\nbeam-size: 6\n";
    (void)snprintf(made, sizeof made, "import_marian.%d", (int)getpid());
    REQUIRE_OK(ramus_folder_make(made, &err), err);
    copy_file(m->folder, "source.spm");
    copy_file(m->folder, "target.spm");
    archive a = own_archive(m->folder, config);
    write_file("model.npz", a.data.data, a.data.size);
    archive_free(&a);
    write_list(m, 0);
    if (m->folder != models[0].folder) { // else the list is found by its name
        write_list(m, 1);
        write_file("decoder.yml", decoder, sizeof decoder - 1);
    }
}

static void expect_same_model(const own_model *m, const ramus_checkpoint *own,
                              const ramus_checkpoint *theirs)
{
    EXPECT_INT(own->weights->n, theirs->weights->n, "parameters");
    EXPECT(own->arch.start_token == -1 && own->arch.source_vocab == m->words, "no word for <pad>");
    for (int i = 0; i < own->weights->n; i++) {
        const ramus_weight *a = &own->weights->items[i];
        const ramus_weight *b = ramus_weights_at(theirs->weights, a->role, &a->site);
        EXPECT(b && b->count >= a->count, "%s", a->name);
        if (b) EXPECT_BYTES(a->data, b->data, a->count * sizeof *a->data, "%s", a->name);
    }
    for (int side = 0; side < 2; side++) {
        ramus_vocab *v[2] = {NULL};
        REQUIRE_OK(ramus_checkpoint_vocab(&v[0], own, side, &err), err);
        REQUIRE_OK(ramus_checkpoint_vocab(&v[1], theirs, side, &err), err);
        int other = 0;
        for (int i = 0; i < m->words; i++)
            other += strcmp(ramus_vocab_piece(v[0], i), ramus_vocab_piece(v[1], i)) != 0;
        EXPECT_INT(other, 0, "pieces that differ");
        EXPECT_INT(ramus_vocab_eos(v[0]), ramus_vocab_eos(v[1]), "</s>");
        EXPECT_INT(ramus_vocab_unk(v[0]), ramus_vocab_unk(v[1]), "<unk>");
        ramus_vocab_destroy(v[0]);
        ramus_vocab_destroy(v[1]);
    }
}

static void marians_own_files_give_the_same_model(void)
{
    for (int i = 0; i < RAMUS_COUNT(models); i++) {
        const own_model *m = &models[i];
        ramus_checkpoint own, theirs;
        make_own(m, m->config);
        REQUIRE_OK(import(&theirs, m->folder), err);
        for (int as_file = 0; as_file < 2; as_file++) {
            REQUIRE_OK(import(&own, as_file ? in_made("model.npz") : made), err);
            expect_same_model(m, &own, &theirs);
            ramus_checkpoint_free(&own);
        }
        ramus_checkpoint_free(&theirs);
        remove_made();
    }
}

/* What stands in the header of one array of a good archive, and what importing says. */
static void wrong_headers_are_refused(void)
{
    static const struct {
        const char *from, *to, *part;
    } cases[] = {
        {"'fortran_order': False", "'fortran_order': True ", "header"},
        {"'<f4'", "'>f4'", "header"},
        {"'<f4'", "'<f8'", "bytes"},
        {"'<f4'", "'<i4'", "encoder_l1_"},
        {"(64, 64)", "(32,128)", "encoder_l1_"},
        {"(64, 64)", "(4096, )", "encoder_l1_"},
        {"(64, 64)", "(64, 65)", "bytes"},
        {"(64, 64)", "(64,-64)", "header"},
        {"(64, 64)", "(99,1e9)", "header"},
        {"\x93NUMPY\x01", "\x93NUMPY\x09", "no array"},
        {"\x93NUMPY\x01", "\x93NUMPY\x02", "header"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_checkpoint c;
        make_own(&models[0], models[0].config);
        ramus_buffer file = read_file(made, "model.npz");
        char *at = file.data;
        const size_t size = strlen(cases[i].from);
        while (memcmp(at, "encoder_l1_self_Wk.npy", 22) != 0) // the name, and the array behind it
            at++;
        while (memcmp(at, cases[i].from, size) != 0)
            at++;
        memcpy(at, cases[i].to, size);
        write_file("model.npz", file.data, file.size);
        EXPECT_FAILS(import(&c, made), err, cases[i].part);
        ramus_checkpoint_free(&c);
        ramus_buffer_free(&file);
        remove_made();
    }
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
        (void)snprintf(config, sizeof config, "%s%s", cases[i].line, models[0].config);
        make_own(&models[0], config); // the first of two lines counts
        EXPECT_FAILS(import(&c, made), err, cases[i].part);
        ramus_checkpoint_free(&c);
        remove_made();
    }
}

CHECK_MAIN({"marians_own_files_give_the_same_model", marians_own_files_give_the_same_model},
           {"wrong_headers_are_refused", wrong_headers_are_refused},
           {"marians_features_that_ramus_lacks_are_named",
            marians_features_that_ramus_lacks_are_named})
