/* A folder, or the .npz in it, of Marian itself: the tensors, among them special:model.yml, which
 * says what the network is; decoder.yml, which names the vocabularies; these, as lists `piece: id`
 * or as SentencePiece models; with lists, source.spm and target.spm, which cut text.
 *
 * What is computed is what Hugging Face's converter makes of such a folder, but for its pad word:
 * the decoder starts with the zero vector, as in Marian. */
#include "convert/import/import.h"

#include "base/folder.h"
#include "base/map.h"
#include "convert/import/marian.h"
#include "convert/import/words.h"
#include "graph/ops.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define NPZ    ".npz"
#define CONFIG "special:model.yml"

/* The text of one of Marian's .yml files: `key: value` lines; of a list the items behind `- ` or
 * within []. */
typedef struct {
    const char *text;
    size_t size;
} yml;

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* The line at `at` without its end. */
static size_t line_size(const yml *y, size_t at)
{
    const char *newline = memchr(y->text + at, '\n', y->size - at);
    return newline ? (size_t)(newline - y->text) - at : y->size - at;
}

/* Sets *out to text[0 .. size) without spaces and quotes around it. */
static void set_value(ramus_buffer *out, const char *text, size_t size)
{
    while (size && (*text == ' ' || *text == '"' || *text == '\'')) {
        text++;
        size--;
    }
    while (size && strchr(" \"'\r", text[size - 1]))
        size--;
    ramus_buffer_clear(out);
    ramus_buffer_add(out, text, size);
    ramus_buffer_add(out, "", 0);
}

/* Sets *out to item `item` of the list of a key, or with -1 to its value; "" where there is none.
 */
static void find_value(const yml *y, const char *key, int item, ramus_buffer *out)
{
    const size_t n = strlen(key);
    size_t at = 0, size = 0;
    set_value(out, "", 0);
    for (bool found = false; at < y->size && !found; at += size + 1) {
        size = line_size(y, at);
        found = size > n && memcmp(y->text + at, key, n) == 0 && y->text[at + n] == ':';
        if (!found) continue;
        const char *value = y->text + at + n + 1;
        const size_t left = size - n - 1;
        const char *open = memchr(value, '[', left), *close = memchr(value, ']', left);
        if (item < 0) {
            set_value(out, value, left);
            return;
        }
        if (open && close > open) {
            for (const char *from = open + 1; from < close; item--) {
                const char *comma = memchr(from, ',', (size_t)(close - from));
                const char *stop = comma ? comma : close;
                if (item == 0) set_value(out, from, (size_t)(stop - from));
                from = stop + 1;
            }
            return;
        }
    }
    for (; at < y->size && item >= 0; at += size + 1) { // the lines behind the key
        size = line_size(y, at);
        const char *line = y->text + at;
        const size_t spaces = strspn(line, " ") < size ? strspn(line, " ") : size;
        if (size < spaces + 2 || line[spaces] != '-') return;
        if (item-- == 0) set_value(out, line + spaces + 1, size - spaces - 1);
    }
}

/* The file of a folder whose name ends so; the first by name, or "". */
static void find_file(const char *folder, const char *end, ramus_buffer *out)
{
    DIR *d = opendir(folder);
    ramus_buffer_clear(out);
    for (struct dirent *e; d && (e = readdir(d));)
        if (ends_with(e->d_name, end) && (out->size == 0 || strcmp(e->d_name, out->data) < 0)) {
            ramus_buffer_clear(out);
            ramus_buffer_text(out, e->d_name);
        }
    if (d) (void)closedir(d);
}

static ramus_status knows(bool *known, const char *path, ramus_error *err)
{
    (void)err;
    ramus_buffer name = {0};
    find_file(path, NPZ, &name);
    *known = ends_with(path, NPZ) || name.size;
    ramus_buffer_free(&name);
    return RAMUS_OK;
}

/* Settings of the config: those that must have a value, and those that are ours. */
static const struct {
    const char *key;
    const char *values; // that are known, with commas around them; the first: if it is not given
} required[] = {
    {"type", ",,transformer,"},
    {"transformer-preprocess", ",,d,"},
    {"transformer-postprocess", ",dan,an,"},
    {"transformer-postprocess-top", ",,d,"},
    {"transformer-postprocess-emb", ",d,,nd,n,dn,"},
    {"transformer-decoder-autoreg", ",self-attention,"},
    {"transformer-ffn-depth", ",2,"},
    {"transformer-decoder-ffn-depth", ",0,2,"},
    {"transformer-train-position-embeddings", ",false,"},
    {"transformer-train-positions", ",false,"},
    {"transformer-no-projection", ",false,"},
    {"transformer-no-bias", ",false,"},
    {"transformer-rnn-projection", ",false,"},
    {"transformer-tied-layers", ",,[],"},
    {"transformer-ffn-activation", ",swish,relu,"}, // its gelu is x sigmoid(1.702 x)
    {"transformer-depth-scaling", ",false,true,"},  // of the start alone
    {"ulr", ",false,"},
    {"lemma-dim-emb", ",0,"},
};

static ramus_status check_config(const yml *y, ramus_buffer *value, ramus_error *err)
{
    for (int i = 0; i < RAMUS_COUNT(required); i++) {
        ramus_buffer wanted = {0};
        find_value(y, required[i].key, -1, value);
        const char *text = value->size ? value->data : "";
        ramus_buffer_print(&wanted, ",%s,", text);
        const bool known = !value->size || (wanted.data && strstr(required[i].values, wanted.data));
        ramus_buffer_free(&wanted);
        if (!known)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              CONFIG ": %s is '%.40s', which ramus does not have (known:%s)",
                              required[i].key, text, required[i].values);
    }
    return RAMUS_OK;
}

/* A whole number of the config, at most 10,000,000. */
static ramus_status read_number(const yml *y, const char *key, int item, int *out,
                                ramus_buffer *value, ramus_error *err)
{
    find_value(y, key, item, value);
    char *end = NULL;
    const char *text = value->size ? value->data : "";
    const long n = strtol(text, &end, 10);
    if (*text == '\0' || *end || n < 0 || n > 10000000)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          CONFIG ": %s is '%.40s', expected a number up to 10000000", key, text);
    *out = (int)n;
    return RAMUS_OK;
}

static bool is_on(const yml *y, const char *key, ramus_buffer *value)
{
    find_value(y, key, -1, value);
    return value->size && strcmp(value->data, "true") == 0;
}

static ramus_status set_arch(ramus_arch *a, const yml *y, ramus_buffer *value, ramus_error *err)
{
    const struct {
        const char *key;
        int item;
        int *out;
    } numbers[] = {
        {"dim-emb", -1, &a->width},
        {"enc-depth", -1, &a->encoder_layers},
        {"dec-depth", -1, &a->decoder_layers},
        {"transformer-heads", -1, &a->heads.items[0]},
        {"transformer-dim-ffn", -1, &a->filter.items[0]},
        {"dim-vocabs", 0, &a->source_vocab},
        {"dim-vocabs", 1, &a->target_vocab},
    };
    ramus_status st = check_config(y, value, err);
    a->heads.n = a->filter.n = 1;
    for (int i = 0; i < RAMUS_COUNT(numbers) && !st; i++)
        st = read_number(y, numbers[i].key, numbers[i].item, numbers[i].out, value, err);
    find_value(y, "transformer-decoder-dim-ffn", -1, value);
    if (!st && value->size)
        st = read_number(y, "transformer-decoder-dim-ffn", -1, &a->decoder_filter.items[0], value,
                         err);
    if (st) return st;
    find_value(y, "transformer-ffn-activation", -1, value);
    const bool relu = value->size && strcmp(value->data, "relu") == 0;
    a->activation = relu ? RAMUS_ACTIVATION_RELU : RAMUS_ACTIVATION_SWISH;
    find_value(y, "transformer-postprocess-emb", -1, value);
    a->embedding_norm = value->size && strchr(value->data, 'n');
    a->positions = RAMUS_POSITIONS_MARIAN;
    a->output_bias = true;
    a->tie = is_on(y, "tied-embeddings-all", value) ? RAMUS_TIE_ALL
             : is_on(y, "tied-embeddings", value)   ? RAMUS_TIE_TARGET
                                                    : RAMUS_TIE_NONE;
    if (a->tie != RAMUS_TIE_ALL && is_on(y, "tied-embeddings-src", value))
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          CONFIG ": tied-embeddings-src without tied-embeddings-all, which ramus "
                                 "does not have");
    return RAMUS_OK;
}

/* The list of a side: as decoder.yml says, else the only one there is. */
static ramus_status find_list(const char *folder, int side, ramus_buffer *name, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_file file = {0};
    ramus_status st = ramus_folder_path(&path, folder, "decoder.yml", err);
    ramus_buffer_clear(name);
    if (!st && !ramus_file_map(&file, path.data, NULL)) {
        const yml y = {file.data ? (const char *)file.data : "", file.size};
        find_value(&y, "vocabs", side, name);
    }
    ramus_file_unmap(&file);
    ramus_buffer_free(&path);
    if (!st && name->size == 0) find_file(folder, "vocab.yml", name);
    if (!st && name->size == 0)
        st =
            ramus_fail(err, RAMUS_BAD_FORMAT,
                       "neither decoder.yml nor a file ..vocab.yml says what the vocabularies are");
    if (!st && strchr(name->data, '/'))
        st =
            ramus_fail(err, RAMUS_BAD_FORMAT, "vocabulary %.80s is outside the folder", name->data);
    return st;
}

static ramus_status map_in(ramus_file *out, const char *folder, const char *name, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_folder_path(&path, folder, name, err);
    if (!st) st = ramus_file_map(out, path.data, err);
    ramus_buffer_free(&path);
    return st;
}

static ramus_status read_vocab(ramus_buffer *out, const char *folder, int side, int words,
                               ramus_error *err)
{
    static const char *const models[] = {"source.spm", "target.spm"};
    ramus_buffer name = {0};
    ramus_file list = {0}, model = {0};
    ramus_words all = {.most = words};
    ramus_status st = find_list(folder, side, &name, err);
    if (!st) st = map_in(&list, folder, name.data, err);
    const bool own = !st && ends_with(name.data, ".spm");
    const char *text = list.data ? (const char *)list.data : "";
    if (own) ramus_buffer_add(out, text, list.size);
    if (!st && !own) st = ramus_words_read_yml(&all, text, list.size, err);
    if (!st && !own) st = map_in(&model, folder, models[side], err);
    if (!st && !own)
        st = ramus_words_write(&all, words, ramus_words_find(&all, "</s>"), -1, model.data,
                               model.size, out, err);
    if (!st) st = ramus_buffer_check(out, err);
    if (st && name.size) st = ramus_fail_in(err, st, name.data);
    ramus_file_unmap(&model);
    ramus_file_unmap(&list);
    ramus_words_free(&all);
    ramus_buffer_free(&name);
    return st;
}

static ramus_status read_tensors(ramus_checkpoint *c, const char *path, ramus_error *err)
{
    ramus_tensors *file = NULL;
    ramus_buffer value = {0};
    ramus_status st = ramus_tensors_open(&file, path, err);
    if (st) return st;
    const ramus_safetensor *config = ramus_tensors_find(file, CONFIG);
    if (config) {
        const yml y = {config->data, strnlen(config->data, config->size)};
        st = set_arch(&c->arch, &y, &value, err);
        if (!st) st = ramus_marian_weights(c, file, RAMUS_MARIAN_OWN, err);
    } else {
        st = ramus_fail(err, RAMUS_BAD_FORMAT, "there is no " CONFIG ", as Marian writes it");
    }
    ramus_buffer_free(&value);
    ramus_tensors_close(file);
    return st ? ramus_fail_in(err, st, path) : RAMUS_OK;
}

/* folder = the folder of the model, file = its .npz */
static ramus_status find_model(const char *path, ramus_buffer *folder, ramus_buffer *file,
                               ramus_error *err)
{
    const char *slash = strrchr(path, '/');
    if (!ends_with(path, NPZ)) {
        ramus_buffer name = {0};
        ramus_buffer_text(folder, path);
        find_file(path, NPZ, &name);
        const ramus_status st = ramus_folder_path(file, path, name.data ? name.data : "", err);
        ramus_buffer_free(&name);
        return st ? st : ramus_buffer_check(folder, err);
    }
    ramus_buffer_text(file, path);
    if (slash)
        ramus_buffer_add(folder, path, (size_t)(slash - path));
    else
        ramus_buffer_text(folder, ".");
    const ramus_status st = ramus_buffer_check(folder, err);
    return st ? st : ramus_buffer_check(file, err);
}

static ramus_status read_model(ramus_checkpoint *out, const char *path,
                               const ramus_import_hints *hints, ramus_error *err)
{
    (void)hints; // the files say everything
    ramus_checkpoint c = {0};
    ramus_buffer folder = {0}, file = {0};
    const ramus_settings defaults = ramus_arch_settings(&c.arch);
    ramus_settings_default(&defaults);
    ramus_status st = find_model(path, &folder, &file, err);
    if (!st) st = read_tensors(&c, file.data, err);
    for (int side = 0; side < 2 && !st; side++)
        st = read_vocab(&c.vocabs[side], folder.data, side,
                        side ? c.arch.target_vocab : c.arch.source_vocab, err);
    if (!st) st = ramus_import_origin(&c, folder.data, "Marian", err);
    if (st)
        ramus_checkpoint_free(&c);
    else
        *out = c;
    ramus_buffer_free(&folder);
    ramus_buffer_free(&file);
    return st;
}

const ramus_import_dialect ramus_import_marian = {"marian", knows, read_model};
