/* A folder of Hugging Face's Marian models: config.json says what the network is, vocab.json
 * numbers the pieces of source.spm and target.spm, model.safetensors or pytorch_model.bin has the
 * tensors. generation_config.json and tokenizer_config.json are read where they are there. */
#include "convert/import/import.h"

#include "base/folder.h"
#include "base/json.h"
#include "base/map.h"
#include "convert/import/marian.h"
#include "convert/import/words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NOT_GIVEN (-1)

/* What is read of the three files. */
typedef struct {
    const char *model_type;
    int width, encoder_layers, decoder_layers, encoder_filter, decoder_filter, encoder_heads,
        decoder_heads;
    int vocab_size, decoder_vocab_size, eos, pad, start;
    int activation;
    bool scaled, shared, tied, separate;
    const char *source_language, *target_language;
} config;

/* Swish has two names. Forms of gelu that are no exact ones, such as gelu_new, are refused. */
static const char *const activations[] = {"relu", "swish", "gelu", "silu", NULL};
static const int our_activations[] = {RAMUS_ACTIVATION_RELU, RAMUS_ACTIVATION_SWISH,
                                      RAMUS_ACTIVATION_GELU, RAMUS_ACTIVATION_SWISH};

// clang-format off
#define AT(field) offsetof(config, field)
static const ramus_setting rows[] = {
    {"model_type",              RAMUS_SETTING_TEXT,   AT(model_type), "", NULL, 0, 0, NULL, NULL},
    {"d_model",                 RAMUS_SETTING_INT,    AT(width), "", NULL, 4, 65536, NULL, NULL},
    {"encoder_layers",          RAMUS_SETTING_INT,    AT(encoder_layers), "", NULL, 1, 200, NULL, NULL},
    {"decoder_layers",          RAMUS_SETTING_INT,    AT(decoder_layers), "", NULL, 1, 200, NULL, NULL},
    {"encoder_ffn_dim",         RAMUS_SETTING_INT,    AT(encoder_filter), "", NULL, 1, 262144, NULL, NULL},
    {"decoder_ffn_dim",         RAMUS_SETTING_INT,    AT(decoder_filter), "", NULL, 1, 262144, NULL, NULL},
    {"encoder_attention_heads", RAMUS_SETTING_INT,    AT(encoder_heads), "", NULL, 1, 1024, NULL, NULL},
    {"decoder_attention_heads", RAMUS_SETTING_INT,    AT(decoder_heads), "", NULL, 1, 1024, NULL, NULL},
    {"vocab_size",              RAMUS_SETTING_INT,    AT(vocab_size), "", NULL, 2, 10000000, NULL, NULL},
    {"decoder_vocab_size",      RAMUS_SETTING_INT,    AT(decoder_vocab_size), "", "0", 2, 10000000, NULL, NULL},
    {"eos_token_id",            RAMUS_SETTING_INT,    AT(eos), "", NULL, 0, 9999999, NULL, NULL},
    {"pad_token_id",            RAMUS_SETTING_INT,    AT(pad), "", NULL, 0, 9999999, NULL, NULL},
    {"decoder_start_token_id",  RAMUS_SETTING_INT,    AT(start), "", NULL, 0, 9999999, NULL, NULL},
    {"activation_function",     RAMUS_SETTING_CHOICE, AT(activation), "", NULL, 0, 0, activations, NULL},
    {"scale_embedding",         RAMUS_SETTING_SWITCH, AT(scaled), "", NULL, 0, 0, NULL, NULL},
    {"share_encoder_decoder_embeddings", RAMUS_SETTING_SWITCH, AT(shared), "", NULL, 0, 0, NULL, NULL},
    {"tie_word_embeddings",     RAMUS_SETTING_SWITCH, AT(tied), "", NULL, 0, 0, NULL, NULL},
    {"separate_vocabs",         RAMUS_SETTING_SWITCH, AT(separate), "", NULL, 0, 0, NULL, NULL},
    {"source_lang",             RAMUS_SETTING_TEXT,   AT(source_language), "", NULL, 0, 0, NULL, NULL},
    {"target_lang",             RAMUS_SETTING_TEXT,   AT(target_language), "", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

/* A folder while it is read: its files, and the texts that the config points to. */
typedef struct {
    const char *folder;
    config config;
    ramus_buffer texts[3];
    int n_texts;
    ramus_ids bad; // all ids in bad_words_ids
} folder;

static bool is_there(const char *folder_path, const char *name)
{
    ramus_buffer path = {0};
    struct stat s;
    const bool there = !ramus_folder_path(&path, folder_path, name, NULL) &&
                       stat(path.data, &s) == 0 && S_ISREG(s.st_mode);
    ramus_buffer_free(&path);
    return there;
}

static ramus_status knows(bool *known, const char *path, ramus_error *err)
{
    (void)err;
    *known = is_there(path, "config.json");
    return RAMUS_OK;
}

static ramus_status map_file(ramus_file *out, const char *folder_path, const char *name,
                             ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_folder_path(&path, folder_path, name, err);
    if (!st) st = ramus_file_map(out, path.data, err);
    ramus_buffer_free(&path);
    return st;
}

/* [[id], [id]]: words of one piece each. */
static ramus_status read_bad_words(folder *f, ramus_json *json, ramus_error *err)
{
    bool more = false;
    int64_t id = 0;
    f->bad.n = 0;
    ramus_status st = ramus_json_enter(json, RAMUS_JSON_ARRAY, err);
    while (!st && !(st = ramus_json_element(json, &more, err)) && more) {
        st = ramus_json_enter(json, RAMUS_JSON_ARRAY, err);
        while (!st && !(st = ramus_json_element(json, &more, err)) && more) {
            st = ramus_json_whole(json, &id, err);
            if (!st) st = ramus_ids_add(&f->bad, id < 0 || id > 9999999 ? -1 : (int)id, err);
        }
    }
    return st;
}

/* The next value as a text that a setting takes; *found: it is one. */
static ramus_status read_value(ramus_json *json, ramus_buffer *out, bool *found, ramus_error *err)
{
    bool on = false;
    *found = true;
    switch (ramus_json_peek(json)) {
    case RAMUS_JSON_STRING:
        return ramus_json_string(json, out, err);
    case RAMUS_JSON_NUMBER:
        return ramus_json_number(json, out, err);
    case RAMUS_JSON_BOOL: {
        const ramus_status st = ramus_json_bool(json, &on, err);
        ramus_buffer_clear(out);
        ramus_buffer_text(out, on ? "on" : "off");
        return st;
    }
    default:
        *found = false;
        return ramus_json_skip(json, err);
    }
}

static ramus_status read_member(folder *f, ramus_json *json, const char *key, ramus_error *err)
{
    const ramus_settings table = {rows, RAMUS_COUNT(rows), &f->config};
    const ramus_setting *row = ramus_setting_find(&table, key);
    ramus_buffer value = {0};
    bool found = false;
    if (strcmp(key, "bad_words_ids") == 0 && ramus_json_peek(json) == RAMUS_JSON_ARRAY)
        return read_bad_words(f, json, err);
    if (!row) return ramus_json_skip(json, err);
    ramus_status st = read_value(json, &value, &found, err);
    if (!st && found && row->type == RAMUS_SETTING_TEXT) {
        const bool last = f->n_texts == RAMUS_COUNT(f->texts);
        if (last || memchr(value.data, 0, value.size))
            st = ramus_fail(err, RAMUS_BAD_FORMAT, "%s is given twice or has a zero byte", key);
        if (!st) {
            f->texts[f->n_texts] = value;
            st = ramus_setting_set(&table, row, f->texts[f->n_texts++].data, err);
            return st;
        }
    } else if (!st && found) {
        st = ramus_setting_set(&table, row, value.data, err);
    }
    ramus_buffer_free(&value);
    return st;
}

/* Reads what a file says; one that is not there says nothing, unless it must be there. */
static ramus_status read_json(folder *f, const char *name, bool needed, ramus_error *err)
{
    ramus_file file = {0};
    ramus_json json;
    ramus_buffer key = {0};
    bool more = false;
    if (!needed && !is_there(f->folder, name)) return RAMUS_OK;
    ramus_status st = map_file(&file, f->folder, name, err);
    if (st) return st;
    ramus_json_init(&json, file.data ? (const char *)file.data : "", 0, file.size);
    st = ramus_json_enter(&json, RAMUS_JSON_OBJECT, err);
    while (!st && !(st = ramus_json_member(&json, &more, &key, err)) && more)
        st = read_member(f, &json, key.data, err);
    if (!st) st = ramus_json_end(&json, err);
    ramus_buffer_free(&key);
    ramus_file_unmap(&file);
    return st ? ramus_fail_in(err, st, name) : RAMUS_OK;
}

static ramus_status check_config(folder *f, ramus_error *err)
{
    config *c = &f->config;
    if (!c->model_type || strcmp(c->model_type, "marian") != 0)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "config.json: model_type is '%.40s', expected marian",
                          c->model_type ? c->model_type : "");
    const struct {
        const char *name;
        int value;
    } needed[] = {
        {"d_model", c->width},
        {"encoder_layers", c->encoder_layers},
        {"decoder_layers", c->decoder_layers},
        {"encoder_ffn_dim", c->encoder_filter},
        {"decoder_ffn_dim", c->decoder_filter},
        {"encoder_attention_heads", c->encoder_heads},
        {"decoder_attention_heads", c->decoder_heads},
        {"vocab_size", c->vocab_size},
        {"eos_token_id", c->eos + 1},
        {"decoder_start_token_id", c->start + 1},
        {"activation_function", c->activation + 1},
    };
    for (int i = 0; i < RAMUS_COUNT(needed); i++)
        if (needed[i].value <= 0)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "config.json has no %s", needed[i].name);
    if (c->decoder_vocab_size == 0) c->decoder_vocab_size = c->vocab_size;
    for (int i = 0; i < f->bad.n; i++)
        if (f->bad.data[i] != c->start)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "bad_words_ids has the word %d: ramus excludes the start token %d "
                              "alone",
                              f->bad.data[i], c->start);
    return RAMUS_OK;
}

/* The network, as far as the config says. */
static void set_arch(ramus_arch *a, const config *c)
{
    a->width = c->width;
    a->filter = ramus_numbers_of(c->encoder_filter);
    a->heads = ramus_numbers_of(c->encoder_heads);
    a->encoder_layers = c->encoder_layers;
    a->decoder_layers = c->decoder_layers;
    a->decoder_filter =
        ramus_numbers_of(c->decoder_filter == c->encoder_filter ? 0 : c->decoder_filter);
    a->decoder_heads =
        ramus_numbers_of(c->decoder_heads == c->encoder_heads ? 0 : c->decoder_heads);
    a->activation = our_activations[c->activation];
    a->source_vocab = c->vocab_size;
    a->target_vocab = c->decoder_vocab_size;
    a->tie = !c->tied ? RAMUS_TIE_NONE : c->shared ? RAMUS_TIE_ALL : RAMUS_TIE_TARGET;
    a->embedding_scale = c->scaled;
    a->output_bias = true;
    a->start_token = c->start;
}

static ramus_status read_vocab(ramus_buffer *out, const folder *f, int side, ramus_error *err)
{
    static const char *const models[] = {"source.spm", "target.spm"};
    const bool own = side && (f->config.separate || is_there(f->folder, "target_vocab.json"));
    const char *name = own ? "target_vocab.json" : "vocab.json";
    ramus_words words = {.most = side ? f->config.decoder_vocab_size : f->config.vocab_size};
    ramus_file list = {0}, model = {0};
    ramus_status st = map_file(&list, f->folder, name, err);
    if (!st)
        st =
            ramus_words_read_json(&words, list.data ? (const char *)list.data : "", list.size, err);
    if (!st) st = map_file(&model, f->folder, models[side], err);
    if (!st)
        st = ramus_words_write(&words, words.most, f->config.eos, f->config.pad, model.data,
                               model.size, out, err);
    if (st) st = ramus_fail_in(err, st, name);
    ramus_file_unmap(&model);
    ramus_file_unmap(&list);
    ramus_words_free(&words);
    return st;
}

static ramus_status read_tensors(ramus_checkpoint *c, const char *folder_path, ramus_error *err)
{
    const char *name =
        is_there(folder_path, "model.safetensors") ? "model.safetensors" : "pytorch_model.bin";
    ramus_buffer path = {0};
    ramus_tensors *file = NULL;
    ramus_status st = ramus_folder_path(&path, folder_path, name, err);
    if (!st) st = ramus_tensors_open(&file, path.data, err);
    if (!st) {
        st = ramus_marian_positions(&c->arch, file, err);
        if (!st) st = ramus_marian_weights(c, file, RAMUS_MARIAN_HUGGINGFACE, err);
        if (st) st = ramus_fail_in(err, st, name);
    }
    ramus_tensors_close(file);
    ramus_buffer_free(&path);
    return st;
}

static ramus_status read_model(ramus_checkpoint *c, folder *f, ramus_error *err)
{
    const ramus_settings defaults = ramus_arch_settings(&c->arch);
    ramus_settings_default(&defaults);
    ramus_status st = read_json(f, "config.json", true, err);
    if (!st) st = read_json(f, "generation_config.json", false, err);
    if (!st) st = read_json(f, "tokenizer_config.json", false, err);
    if (!st) st = check_config(f, err);
    if (st) return st;
    set_arch(&c->arch, &f->config);
    st = read_tensors(c, f->folder, err);
    for (int side = 0; side < 2 && !st; side++)
        st = read_vocab(&c->vocabs[side], f, side, err);
    if (!st) st = ramus_import_origin(c, f->folder, "Marian, from Hugging Face's form", err);
    if (!st)
        st = ramus_checkpoint_tell(c, RAMUS_ABOUT_SOURCE_LANGUAGE, f->config.source_language, err);
    if (!st)
        st = ramus_checkpoint_tell(c, RAMUS_ABOUT_TARGET_LANGUAGE, f->config.target_language, err);
    return st;
}

static ramus_status read_folder(ramus_checkpoint *out, const char *path,
                                const ramus_import_hints *hints, ramus_error *err)
{
    (void)hints; // the files say everything
    ramus_checkpoint c = {0};
    folder f = {.folder = path,
                .config = {.activation = NOT_GIVEN,
                           .eos = NOT_GIVEN,
                           .pad = NOT_GIVEN,
                           .start = NOT_GIVEN,
                           .shared = true,
                           .tied = true}};
    const ramus_status st = read_model(&c, &f, err);
    if (st)
        ramus_checkpoint_free(&c);
    else
        *out = c;
    for (int i = 0; i < f.n_texts; i++)
        ramus_buffer_free(&f.texts[i]);
    ramus_ids_free(&f.bad);
    if (!st) return RAMUS_OK;
    return ramus_fail_in(err, st == RAMUS_BAD_ARGUMENT ? RAMUS_BAD_FORMAT : st, path);
}

const ramus_import_dialect ramus_import_huggingface = {"huggingface", knows, read_folder};
