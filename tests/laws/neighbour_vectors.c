/* Do Lite Transformer and HAT compute here what their authors' code computes?
 *
 *     build/tests/neighbour_vectors FILE...
 *
 * Each file holds one model, one batch and what the reference made of it
 * (tests/golden/neighbours/README.md). Words are also found one by one, by a step graph and by
 * greedy search, with the model exported with 32-bit weights and opened again. Prints the largest
 * error of each kind beside its bound; exit 1 when one is exceeded. */
#include "vectors.h"

#define NAME_SIZE 128

typedef struct {
    const char *key, *setting;
} pair;

/* Metadata of both kinds that say the same as a setting; lists have spaces for commas. */
static const pair common[] = {
    {"encoder_layers", "encoder-layers"},   {"decoder_layers", "decoder-layers"},
    {"source_vocab", "source-vocab"},       {"target_vocab", "target-vocab"},
    {"layer_norm_epsilon", "norm-epsilon"}, {"first_position", "first-position"},
    {"first_input", "start-token"},         {"encoder_decoder_heads", "cross-heads"}};
static const pair lsra[] = {{"hidden_size", "width"},
                            {"filter_size", "filter"},
                            {"encoder_attention_heads", "heads"},
                            {"decoder_attention_heads", "decoder-heads"},
                            {"encoder_convolution_width", "convolution-width"},
                            {"encoder_convolution_heads", "convolution-heads"},
                            {"decoder_convolution_heads", "decoder-convolution-heads"},
                            {"encoder_kernels", "taps"},
                            {"decoder_kernels", "decoder-taps"}};
static const pair hat[] = {{"encoder_hidden_size", "width"},
                           {"decoder_hidden_size", "decoder-width"},
                           {"position_size", "position-width"},
                           {"qkv_size", "attention-width"},
                           {"encoder_filter_sizes", "filter"},
                           {"decoder_filter_sizes", "decoder-filter"},
                           {"encoder_heads", "heads"},
                           {"decoder_heads", "decoder-heads"},
                           {"encoder_layers_attended", "cross-layers"}};

static const char *text(const vectors *v, const char *key)
{
    const char *value = ramus_safetensors_metadata_find(v->file, key);
    if (value) return value;
    fprintf(stderr, "%s: no metadata %s\n", v->path, key);
    exit(1);
}

static void set(vectors *v, const char *setting, const char *value)
{
    char list[NAME_SIZE];
    const ramus_settings s = ramus_arch_settings(&v->model.arch);
    (void)snprintf(list, sizeof list, "%s", value);
    for (char *c = list; *c; c++)
        if (*c == ' ') *c = ',';
    if (ramus_setting_set(&s, ramus_setting_find(&s, setting), list, &err)) die(v->path);
}

static void set_all(vectors *v, const pair *pairs, int n)
{
    for (int i = 0; i < n; i++)
        set(v, pairs[i].setting, text(v, pairs[i].key));
}

static void set_convolution(vectors *v, const char *stack, const char *setting)
{
    char key[NAME_SIZE];
    (void)snprintf(key, sizeof key, "%s_glu", stack);
    const bool gated = strcmp(text(v, key), "1") == 0;
    (void)snprintf(key, sizeof key, "%s_convolution", stack);
    set(v, setting, gated ? "dynamic-glu" : text(v, key));
}

static bool is_hat(const vectors *v)
{
    return strcmp(text(v, "kind"), "hat") == 0;
}

static void read_arch(vectors *v)
{
    const ramus_settings s = ramus_arch_settings(&v->model.arch);
    ramus_settings_default(&s);
    set_all(v, common, RAMUS_COUNT(common));
    set(v, "start-excluded", "off");
    set(v, "source-bias", "off");
    set(v, "norm", strcmp(text(v, "normalization"), "before") == 0 ? "pre" : "post");
    set(v, "tie", strcmp(text(v, "shared_embeddings"), "1") == 0 ? "all" : "target");
    if (is_hat(v)) {
        set_all(v, hat, RAMUS_COUNT(hat));
    } else {
        set(v, "attention", "lsra");
        set_all(v, lsra, RAMUS_COUNT(lsra));
        set_convolution(v, "encoder", "convolution");
        set_convolution(v, "decoder", "decoder-convolution");
    }
    if (ramus_arch_check(&v->model.arch, &err)) die(v->path);
}

/* The authors' tensor in which a parameter of ours stands: its name, and our first row of it. */
typedef struct {
    char name[NAME_SIZE];
    int row;
} place;

/* Of a map of the sublayer; a map of attention in HAT is a third of one tensor. */
static void name_map(place *p, size_t used, const vectors *v, const ramus_weight *w)
{
    static const char *const far[] = {[RAMUS_MAP_Q] = "q_proj",
                                      [RAMUS_MAP_K] = "k_proj",
                                      [RAMUS_MAP_V] = "v_proj",
                                      [RAMUS_MAP_O] = "out_proj"};
    static const char *const near[] = {[RAMUS_MAP_IN] = "branches.1.linear1",
                                       [RAMUS_MAP_OUT] = "branches.1.linear2",
                                       [RAMUS_MAP_TAPS] = "branches.1.weight_linear"};
    const ramus_site *s = &w->site;
    const char *end = w->role == RAMUS_ROLE_BIAS ? "bias" : "weight";
    char *to = p->name + used;
    const size_t room = NAME_SIZE - used;
    if (s->sublayer == RAMUS_SUBLAYER_FFN) {
        (void)snprintf(to, room, "%s.%s", s->place == RAMUS_MAP_IN ? "fc1" : "fc2", end);
        return;
    }
    const bool self = s->sublayer == RAMUS_SUBLAYER_ATTENTION;
    const char *attention = self ? "self_attn" : "encoder_attn";
    if (w->role == RAMUS_ROLE_TAPS) {
        (void)snprintf(to, room, "%s.branches.1.weight", attention);
    } else if (is_hat(v) && s->place != RAMUS_MAP_O) {
        p->row = (s->place - RAMUS_MAP_Q) * v->model.arch.attention_width;
        (void)snprintf(to, room, "%s.in_proj_%s", attention, end);
    } else if (is_hat(v) || !self) {
        (void)snprintf(to, room, "%s.%s.%s", attention, far[s->place], end);
    } else if (s->place <= RAMUS_MAP_O) {
        (void)snprintf(to, room, "%s.branches.0.%s.%s", attention, far[s->place], end);
    } else {
        (void)snprintf(to, room, "%s.%s.%s", attention, near[s->place], end);
    }
}

static place place_of(const vectors *v, const char *prefix, const ramus_weight *w)
{
    static const char *const norms[] = {[RAMUS_SUBLAYER_ATTENTION] = "self_attn_layer_norm",
                                        [RAMUS_SUBLAYER_CROSS] = "encoder_attn_layer_norm",
                                        [RAMUS_SUBLAYER_FFN] = "final_layer_norm"};
    const ramus_site *s = &w->site;
    const bool decoder = s->stack == RAMUS_STACK_DECODER || w->role == RAMUS_ROLE_TARGET;
    const bool norm = w->role == RAMUS_ROLE_NORM_GAIN || w->role == RAMUS_ROLE_NORM_BIAS;
    const char *end = w->role == RAMUS_ROLE_NORM_GAIN ? "weight" : "bias";
    place p = {"", 0};
    size_t used =
        (size_t)snprintf(p.name, sizeof p.name, "%s%s.", prefix, decoder ? "decoder" : "encoder");
    if (s->sublayer)
        used += (size_t)snprintf(p.name + used, sizeof p.name - used, "layers.%d.", s->layer);
    if (!s->stack)
        (void)snprintf(p.name + used, sizeof p.name - used, "embed_tokens.weight");
    else if (norm)
        (void)snprintf(p.name + used, sizeof p.name - used, "%s.%s",
                       s->sublayer ? norms[s->sublayer] : "layer_norm", end);
    else
        name_map(&p, used, v, w);
    return p;
}

/* Copies the authors' tensors of that prefix, all of which must be read. */
static void read_weights(const vectors *v, ramus_weights *to, const char *prefix)
{
    int there = 0, taken = 0;
    for (int i = 0; i < to->n; i++) {
        const ramus_weight *w = &to->items[i];
        const place p = place_of(v, prefix, w);
        const ramus_safetensor *t = ramus_safetensors_find(v->file, p.name);
        const int rows = w->n_dims > 1 ? w->dims[0] : (int)w->count;
        const size_t columns = w->n_dims > 1 ? (size_t)w->dims[1] : 1;
        const size_t theirs = t && t->rank == 2 ? t->shape[1] : 1;
        if (!t || t->count < ((size_t)(p.row + rows) * theirs) || theirs < columns) {
            fprintf(stderr, "%s: no tensor %s for %s\n", v->path, p.name, w->name);
            exit(1);
        }
        for (int r = 0; r < rows; r++)
            memcpy(w->data + (size_t)r * columns,
                   (const float *)t->data + (size_t)(p.row + r) * theirs,
                   columns * sizeof *w->data);
        taken += p.row == 0; // once for each tensor of theirs
    }
    for (int i = 0; i < ramus_safetensors_count(v->file); i++)
        there += strncmp(ramus_safetensors_at(v->file, i)->name, prefix, strlen(prefix)) == 0;
    if (there == taken) return;
    fprintf(stderr, "%s: %d tensors %s*, %d read\n", v->path, there, prefix, taken);
    exit(1);
}

/* What encoder layer L gives: that which the norm of its last sublayer makes (post-norm). */
static const ramus_tensor *keep_layer(const ramus_graph *g, int layer)
{
    char gain[NAME_SIZE];
    (void)snprintf(gain, sizeof gain, "encoder.%d.ffn.norm.gain", layer);
    const ramus_tensor *param = ramus_graph_find(g, gain);
    for (int i = 0; i < g->n_nodes; i++)
        for (int j = 0; j < RAMUS_MAX_IN; j++)
            if (param && g->nodes[i]->in[j] == param) {
                g->nodes[i]->out[0]->kept = true;
                return g->nodes[i]->out[0];
            }
    return NULL;
}

static void report_rows(vectors *v, const char *what, const char *name, const int *lengths,
                        const ramus_tensor *got)
{
    double largest = 0;
    const double error = row_error(v, name, lengths, got->data, &largest);
    report(v, what, error / largest, 1e-5);
}

static void check_forward(vectors *v)
{
    ramus_graph *g = build(v, RAMUS_HEAD_LOGITS, NULL);
    ramus_run *run = NULL;
    const ramus_tensor *layers[8] = {NULL};
    const int inner = is_hat(v) ? v->model.arch.encoder_layers - 1 : 0;
    for (int i = 0; i < inner; i++)
        layers[i] = keep_layer(g, i);
    if (ramus_run_create(&run, g, v->pool, &err)) die(v->path);
    ramus_weights_bind(g, v->folded, NULL);
    set_batch(v, g);
    ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_TARGET);
    for (int i = 0; i < inner; i++) {
        char name[NAME_SIZE];
        (void)snprintf(name, sizeof name, "encoder_layer_output.%d", i);
        report_rows(v, "encoder layer, of the largest", name, v->source_lengths, layers[i]);
    }
    report_rows(v, "encoder output, of the largest", "encoder_output", v->source_lengths,
                ramus_graph_find(g, "encoder.output"));
    report_rows(v, "logits, of the largest", "logits", v->target_lengths,
                ramus_graph_find(g, "logits"));
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
}

/* The worst gradient error as a multiple of its bound: 1e-4 of the parameter's largest entry +
 * 1e-6. */
static double gradient_error(const ramus_weights *got, const ramus_weights *want)
{
    double worst = 0;
    for (int i = 0; i < got->n; i++) {
        const ramus_weight *w = &want->items[i];
        double largest = 0, error = 0;
        for (size_t j = 0; j < w->count; j++) {
            largest = fmax(largest, fabs((double)w->data[j]));
            error = fmax(error, distance(got->items[i].data[j], w->data[j]));
        }
        worst = fmax(worst, error / (1e-4 * largest + 1e-6));
    }
    return worst;
}

/* fairseq spreads e over all words, the label among them; ramus over the others, and subtracts the
 * least value that there can be. */
static double least_loss(double smoothing, int words)
{
    if (smoothing <= 0) return 0;
    return -(1 - smoothing) * log(1 - smoothing) - smoothing * log(smoothing / (words - 1));
}

static void check_training(vectors *v, const char *want_name, double smoothing)
{
    const int words = v->model.arch.target_vocab;
    const ramus_objective o = {.label_smoothing = smoothing * (words - 1) / words};
    ramus_graph *g = build(v, RAMUS_HEAD_LOSS, &o);
    ramus_run *run = NULL;
    ramus_weights *grads = NULL, *want = NULL;
    if (ramus_grad_run_create(&run, g, v->pool, &err) || ramus_weights_create(&grads, g, &err) ||
        ramus_weights_create(&want, g, &err))
        die(v->path);
    ramus_weights_bind(g, v->model.weights, grads);
    set_batch(v, g);
    run->train->loss_scale = 1.0 / g->target.rows;
    ramus_grad_forward(run);
    ramus_grad_seed(run);
    ramus_grad_backward(run);
    const double got = (double)*(const float *)g->losses[0].value->data * run->train->loss_scale +
                       least_loss(o.label_smoothing, words);
    char what[NAME_SIZE];
    (void)snprintf(what, sizeof what, "%s, relative", want_name);
    report(v, what, fabs(got / (double)*(const float *)floats(v, want_name, 1)->data - 1), 1e-5);
    if (smoothing <= 0) {
        read_weights(v, want, "grad.");
        report(v, "gradients, multiple of their bound", gradient_error(grads, want), 1);
    }
    ramus_weights_destroy(want);
    ramus_weights_destroy(grads);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
}

static const long long *greedy_ids(const vectors *v, int *steps)
{
    const ramus_safetensor *t = tensor(v, "greedy.ids", RAMUS_SAFETENSOR_I64, 2);
    *steps = (int)t->shape[1];
    return t->data;
}

/* Word by word through caches, all sentences at once; rows change places at every step. EOS ends
 * nothing. */
static void check_steps(vectors *v)
{
    int steps = 0, other = 0;
    const long long *want = greedy_ids(v, &steps);
    const int n = v->n_sentences;
    const ramus_build b = {.kind = RAMUS_STEP,
                           .head = RAMUS_HEAD_LOGITS,
                           .source = limits_of(v->source_lengths, n),
                           .target = {n, n, steps}};
    ramus_graph *g = NULL;
    ramus_run *run = NULL;
    if (ramus_transformer_create(&g, &v->exported->arch, &b, &err)) die(v->path);
    ramus_weights_bind(g, v->exported->weights, NULL);
    if (ramus_run_create(&run, g, v->pool, &err)) die(v->path);
    ramus_axis_set(&g->source, v->source_lengths, n);
    pack_ids(v, "batch.source", v->source_lengths, ramus_graph_find(g, "source_ids")->data);
    ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_SOURCE);
    int *previous = ramus_graph_find(g, "previous_ids")->data;
    const ramus_tensor *logits = ramus_graph_find(g, "logits");
    int *past = calloc((size_t)(n * steps), sizeof *past);
    int *last = calloc((size_t)n, sizeof *last);
    for (int p = 0; p < steps; p++) {
        g->target.rows = n;
        for (int r = 0; r < n; r++) {
            const int s = (r + p) % n;
            g->target.sequence[r] = s;
            g->target.position[r] = p;
            past[s * steps + p] = p * g->target.stride + r;
            memcpy(g->target.ancestor + r * g->target.span, past + s * steps,
                   (size_t)steps * sizeof *past);
            previous[r] = last[s];
        }
        ramus_run_forward(run, RAMUS_TARGET, RAMUS_TARGET);
        for (int r = 0; r < n; r++) {
            const float *row = (const float *)logits->data + (ptrdiff_t)r * logits->dims[1];
            int best = 0;
            for (int k = 1; k < logits->dims[1]; k++)
                if (row[k] > row[best]) best = k;
            last[(r + p) % n] = best;
            other += best != want[(r + p) % n * steps + p];
        }
    }
    report(v, "file, step by step: ids that differ", other, 0);
    free(last);
    free(past);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
}

/* Greedy search ends a sentence at EOS. */
static void check_search(vectors *v)
{
    int steps = 0, other = 0, words = 0;
    const long long *want = greedy_ids(v, &steps);
    searcher s = create_searcher(v, v->exported->weights, 1);
    s.options.greedy = true;
    run_search(v, &s, 0, v->n_sentences);
    for (int i = 0; i < v->n_sentences; i++, want += steps)
        for (int k = 0; k < s.best[i].length && k < steps; k++, words++)
            other += s.best[i].ids[k] != want[k];
    report(v, "file, greedy search: ids that differ", words ? other : HUGE_VAL, 0);
    destroy_searcher(&s);
}

static int *read_lengths(const vectors *v, const char *name)
{
    const ramus_safetensor *t = tensor(v, name, RAMUS_SAFETENSOR_I64, 1);
    int *lengths = calloc(t->shape[0], sizeof *lengths);
    for (size_t i = 0; i < t->shape[0]; i++)
        lengths[i] = (int)((const long long *)t->data)[i];
    return lengths;
}

/* The authors' own counter leaves out the words. */
static void check_parameters(vectors *v)
{
    const double want = number(v, "params_without_embeddings", -1);
    double got = 0;
    for (int i = 0; i < v->folded->n; i++)
        if (v->folded->items[i].site.stack) got += (double)v->folded->items[i].count;
    if (want >= 0) report(v, "parameters, difference", fabs(got - want), 0);
}

static int check_file(const char *path, ramus_pool *pool)
{
    vectors v = {.path = path, .pool = pool};
    if (ramus_safetensors_open(&v.file, path, &err)) die(NULL);
    read_arch(&v);
    if (ramus_transformer_weights(&v.model.weights, &v.model.arch, true, &err)) die(path);
    if (ramus_transformer_weights(&v.folded, &v.model.arch, false, &err)) die(path);
    read_weights(&v, v.model.weights, "param.");
    ramus_weights_fold(v.folded, v.model.weights);
    v.source_lengths = read_lengths(&v, "batch.source_length");
    v.target_lengths = read_lengths(&v, "batch.target_length");
    v.n_sentences = (int)tensor(&v, "batch.source", RAMUS_SAFETENSOR_I64, 2)->shape[0];

    const char *slash = strrchr(path, '/');
    printf("%s (%zu parameters)\n", slash ? slash + 1 : path, v.model.weights->count);
    check_parameters(&v);
    check_forward(&v);
    check_training(&v, "loss", 0);
    check_training(&v, "loss_smoothed", number(&v, "label_smoothing", 0.1));
    v.exported = export_and_open(&v);
    check_steps(&v);
    check_search(&v);
    ramus_model_close(v.exported);
    free(v.target_lengths);
    free(v.source_lengths);
    ramus_weights_destroy(v.folded);
    ramus_weights_destroy(v.model.weights);
    ramus_safetensors_close(v.file);
    return v.failures;
}

int main(int argc, char **argv)
{
    return check_files(argc, argv, check_file);
}
