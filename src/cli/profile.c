/* `ramus profile`: builds the graph without data and adds up parameters, Mult-Adds and bytes. */
#include "cli/command.h"

#include "convert/checkpoint.h"
#include "convert/checkpoints.h"
#include "convert/quantize.h"
#include "graph/ops.h"
#include "graph/run.h"
#include "model/arch_file.h"
#include "model/transformer.h"
#include "runtime/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    int source_length, target_length;
    double bleu;
    int counted;
} lengths;

/* Whose way of counting: what is in the sums (docs/MODEL.md, 5). */
typedef struct {
    bool words;    // the matrices of words, and the output product
    bool taps;     // products of convolutions
    bool norms;    // one for each element
    bool scalings; // likewise, of embeddings and queries
    bool flops;    // 2 for each Mult-Add are published
} counting;

static const char *const counting_names[] = {"dmb", "lite-transformer", "hat", NULL};
static const counting countings[] = {
    {.words = true, .taps = true},
    {.norms = true},
    {.taps = true, .norms = true, .scalings = true, .flops = true},
};

// clang-format off
static const ramus_setting rows[] = {
    {"source-length", RAMUS_SETTING_INT,  offsetof(lengths, source_length), "source tokens of the pass that is counted", "30", 1, 100000, NULL, NULL},
    {"target-length", RAMUS_SETTING_INT,  offsetof(lengths, target_length), "its target tokens", "30", 1, 100000, NULL, NULL},
    {"counted",       RAMUS_SETTING_CHOICE, offsetof(lengths, counted), "whose way of counting: dmb; lite-transformer, which leaves out words and taps; hat, which leaves out words", "dmb", 0, 0, counting_names, NULL},
    {"bleu",          RAMUS_SETTING_REAL, offsetof(lengths, bleu), "BLEU of the model: adds PTR = BLEU / sqrt(Mult-Adds) * 10^4", "0", 0, 100, NULL, NULL},
};
// clang-format on

static const struct {
    const char *key, *name;
    ramus_quantize_spec how;
} types[] = {
    {"f32", "f32", {RAMUS_REAL, RAMUS_REAL}},
    {"int8", "int8", {RAMUS_I8, RAMUS_I8}},
    {"int4", "int4", {RAMUS_I4, RAMUS_I8}},
    {"int4_embeddings_int4", "with its embeddings", {RAMUS_I4, RAMUS_I4}},
};

/* What one build of the model tells. */
typedef struct {
    size_t parameters, bytes[4]; // of `types`
    double mult_adds;
    struct {
        char name[32];
        size_t parameters;
    } parts[8];
    int n_parts;
} profile;

static void count_part(profile *p, const ramus_weight *w)
{
    const size_t size = strcspn(w->name, ".");
    int i = 0;
    while (i < p->n_parts &&
           (strlen(p->parts[i].name) != size || memcmp(p->parts[i].name, w->name, size) != 0))
        i++;
    if (i == RAMUS_COUNT(p->parts)) return;
    if (i == p->n_parts)
        (void)snprintf(p->parts[p->n_parts++].name, sizeof p->parts[i].name, "%.*s", (int)size,
                       w->name);
    p->parts[i].parameters += w->count;
}

static double elements(const ramus_tensor *t)
{
    return (double)ramus_tensor_rows(t) * (double)ramus_tensor_width(t);
}

static double count_node(const ramus_node *n, const counting *how)
{
    if (n->op == &ramus_op_project_loss && !how->words) return 0;
    if (n->op == &ramus_op_convolution && !how->taps) return 0;
    double total = n->op->cost ? n->op->cost(n) : 0;
    if (n->op == &ramus_op_norm && how->norms) total += elements(n->out[0]);
    const bool scales = n->op == &ramus_op_embed || n->op == &ramus_op_attention;
    return total + (scales && how->scalings ? elements(n->out[0]) : 0);
}

/* Everything follows from a build without data; there is no second list of shapes. */
static ramus_status measure(profile *p, const ramus_arch *a, const lengths *l, ramus_error *err)
{
    const ramus_build build = {.head = RAMUS_HEAD_LOSS,
                               .source = {l->source_length, 1, l->source_length},
                               .target = {l->target_length, 1, l->target_length}};
    ramus_graph *g = NULL;
    ramus_weights *list = NULL;
    ramus_status st = ramus_transformer_create(&g, a, &build, err);
    if (!st) st = ramus_weights_list(&list, g, err);
    if (st) goto done;
    ramus_axis_set(&g->source, &l->source_length, 1);
    ramus_axis_set(&g->target, &l->target_length, 1);
    const counting *how = &countings[l->counted];
    for (int i = 0; i < g->n_nodes; i++)
        p->mult_adds += count_node(g->nodes[i], how);
    for (int i = 0; i < list->n; i++) {
        const ramus_weight *w = &list->items[i];
        if (w->site.stack || how->words) p->parameters += w->count;
        for (int t = 0; t < RAMUS_COUNT(types); t++)
            p->bytes[t] += ramus_quantize_bytes(w, types[t].how);
        count_part(p, w);
    }
done:
    ramus_weights_destroy(list);
    ramus_graph_destroy(g);
    return st;
}

static double ptr(const profile *p, double bleu)
{
    return bleu / sqrt(p->mult_adds) * 1e4;
}

/* An object of JSON that values are written to. */
typedef struct {
    ramus_buffer *out;
    const char *comma;
} object;

static ramus_status write_member(void *file, const char *key, ramus_setting_type type,
                                 const char *text, ramus_error *err)
{
    object *o = file;
    ramus_buffer_print(o->out, "%s\"%s\": ", o->comma, key + strlen(RAMUS_ARCH_PREFIX));
    o->comma = ", ";
    if (type == RAMUS_SETTING_NUMBERS && strchr(text, ','))
        ramus_buffer_print(o->out, "[%s]", text);
    else if (type == RAMUS_SETTING_INT || type == RAMUS_SETTING_NUMBERS)
        ramus_buffer_text(o->out, text);
    else if (type == RAMUS_SETTING_SWITCH)
        ramus_buffer_text(o->out, strcmp(text, "on") == 0 ? "true" : "false");
    else
        ramus_buffer_json(o->out, text, strlen(text));
    return ramus_buffer_check(o->out, err);
}

static void print_json(ramus_buffer *out, const profile *p, const ramus_settings *arch,
                       const lengths *l)
{
    object model = {out, ""};
    const ramus_values_writer values = {&model, write_member};
    ramus_buffer_print(out,
                       "{\"parameters\": %zu, \"mult_adds\": %.0f, \"source_length\": %d, "
                       "\"target_length\": %d, \"counted\": \"%s\"",
                       p->parameters, p->mult_adds, l->source_length, l->target_length,
                       counting_names[l->counted]);
    if (l->bleu > 0)
        ramus_buffer_print(out, ", \"bleu\": %g, \"ptr\": %.4f", l->bleu, ptr(p, l->bleu));
    for (int t = 0; t < RAMUS_COUNT(types); t++)
        ramus_buffer_print(out, "%s\"%s\": %zu", t ? ", " : ", \"bytes\": {", types[t].key,
                           p->bytes[t]);
    ramus_buffer_text(out, "}, \"parts\": {");
    for (int i = 0; i < p->n_parts; i++)
        ramus_buffer_print(out, "%s\"%s\": %zu", i ? ", " : "", p->parts[i].name,
                           p->parts[i].parameters);
    ramus_buffer_text(out, "}, \"model\": {");
    if (ramus_arch_write_table(arch, &values, NULL)) out->failed = true; // no memory
    ramus_buffer_text(out, "}}\n");
}

static void print_text(ramus_buffer *out, const profile *p, const ramus_settings *arch,
                       const lengths *l)
{
    ramus_buffer_text(out, "model       ");
    for (int i = 0; i < arch->n; i++) {
        if (arch->rows[i].chosen) continue;
        ramus_buffer_print(out, " %s ", arch->rows[i].name);
        ramus_setting_print(arch, &arch->rows[i], out);
        ramus_buffer_text(out, i + 1 < arch->n ? "," : "\n");
    }
    ramus_buffer_print(out, "parameters   %.1fM (%zu)\n", (double)p->parameters / 1e6,
                       p->parameters);
    for (int i = 0; i < p->n_parts; i++)
        ramus_buffer_print(out, "  %-12s %zu\n", p->parts[i].name, p->parts[i].parameters);
    ramus_buffer_print(out, "Mult-Adds    %.1fM (%.0f, %d source and %d target tokens)\n",
                       p->mult_adds / 1e6, p->mult_adds, l->source_length, l->target_length);
    if (countings[l->counted].flops)
        ramus_buffer_print(out, "FLOPs        %.2fG\n", 2 * p->mult_adds / 1e9);
    ramus_buffer_text(out, "bytes       ");
    for (int t = 0; t < RAMUS_COUNT(types); t++)
        ramus_buffer_print(out, "%s %s %.1f MB", t ? "," : "", types[t].name,
                           (double)p->bytes[t] / 1e6);
    ramus_buffer_text(out, "\n");
    if (l->bleu > 0)
        ramus_buffer_print(out, "PTR          %.1f at BLEU %g\n", ptr(p, l->bleu), l->bleu);
}

static ramus_status model_arch(ramus_arch *a, const char *path, ramus_error *err)
{
    ramus_model *m = NULL;
    const ramus_status st = ramus_model_open(&m, path, err);
    if (st) return st;
    *a = m->arch;
    ramus_model_close(m);
    return RAMUS_OK;
}

static ramus_status check(ramus_arch *a, const ramus_options *o, ramus_error *err)
{
    if (o->n_arguments > 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d files given, expected at most one",
                          o->n_arguments);
    return o->n_arguments ? RAMUS_OK : ramus_arch_check(a, err);
}

/* The shape of the model file or checkpoint. */
static ramus_status read_arch(ramus_arch *a, const char *path, ramus_error *err)
{
    bool gguf = false;
    ramus_status st = ramus_gguf_detect(&gguf, path, err);
    if (st) return st;
    if (gguf) return model_arch(a, path, err);
    ramus_safetensors *file = NULL;
    st = ramus_safetensors_open(&file, path, err);
    if (st) return st;
    st = ramus_checkpoint_arch(a, file, err);
    if (st) st = ramus_fail_in(err, st, path);
    ramus_safetensors_close(file);
    return st;
}

/* The same; or of the best checkpoint of a run's folder. */
static ramus_status find_arch(ramus_arch *a, const char *name, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_checkpoints_find(&path, name, err);
    if (!st) st = read_arch(a, path.data, err);
    ramus_buffer_free(&path);
    return st;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    ramus_arch arch = {0};
    lengths l = {0};
    ramus_error err = {0};
    ramus_buffer out = {0};
    profile p = {0};
    int code = RAMUS_EXIT_DONE;
    const ramus_settings arch_table = ramus_arch_settings(&arch);
    ramus_options_add_group(&o, "Model", arch_table);
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &l});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;

    if (check(&arch, &o, &err)) {
        code = ramus_command_misuse(command, &err);
    } else if ((o.n_arguments && find_arch(&arch, o.arguments[0], &err)) ||
               measure(&p, &arch, &l, &err)) {
        code = ramus_command_fail(command, &err);
    } else {
        (o.common.json ? print_json : print_text)(&out, &p, &arch_table, &l);
        code = ramus_command_print(command, &out);
    }
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_profile = {
    "profile",
    "parameters, Mult-Adds and bytes of a model, from its shape or its file",
    "[CHECKPOINT | MODEL.gguf] [model options]",
    "  ramus profile --preset tiny --routing dmb --branches 4 --source-vocab 37056 --target-vocab "
    "37056\n"
    "  ramus profile --preset small --tie target --source-vocab 31900 --target-vocab 32036 --bleu "
    "24.3\n"
    "  ramus profile --preset hat-3.5 --counted hat --source-vocab 32768 --target-vocab 32768\n"
    "  ramus profile model.safetensors --json\n"
    "  ramus profile en-de.gguf\n",
    .run = run,
    .without = "threads seed",
};
