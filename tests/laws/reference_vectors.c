/* Does the model compute what the authors' code computes?
 *
 *     build/tests/reference_vectors FILE...
 *
 * Each file holds one model, one batch and what the reference made of it
 * (tests/golden/vectors/README.md). Search also runs on the model as it is deployed: exported with
 * 32-bit weights and opened again. Prints the largest error of each kind beside its bound; exit 1
 * when one is exceeded. */
#include "convert/import/thumt.h"

#include "vectors.h"

static int *lengths_of_mask(const vectors *v, const char *name)
{
    const ramus_safetensor *mask = floats(v, name, 2);
    int *lengths = calloc(mask->shape[0], sizeof *lengths);
    for (size_t i = 0; i < mask->count; i++)
        lengths[i / mask->shape[1]] += ((const float *)mask->data)[i] != 0;
    return lengths;
}

/* "encoder/layer_0/attention.x" of the reference is our "encoder.0.attention.gate.x". */
static void our_gate(char *out, size_t size, const char *name)
{
    char side[16] = "", sublayer[32] = "", part[8] = "";
    char layer[8] = "";
    if (sscanf(name, "%15[a-z]/layer_%7[0-9]/%31[a-z_].%7s", side, layer, sublayer, part) != 4)
        return;
    const char *ours = strcmp(sublayer, "ffn_layer") == 0          ? "ffn"
                       : strcmp(sublayer, "encdec_attention") == 0 ? "cross"
                                                                   : "attention";
    snprintf(out, size, "%s.%s.%s.gate.%s", side, layer, ours, part);
}

static void check_gate(vectors *v, const ramus_graph *g, const char *name, double *error,
                       int *other_choices)
{
    char ours[64] = "", full[80];
    our_gate(ours, sizeof ours, name + strlen("gate."));
    snprintf(full, sizeof full, "%s.probs", ours);
    const ramus_tensor *probs = ramus_graph_find(g, full);
    snprintf(full, sizeof full, "%s.index", ours);
    const ramus_tensor *index = ramus_graph_find(g, full);
    if (!probs || !index) {
        fprintf(stderr, "%s: the model has no gate for %s\n", v->path, name);
        exit(1);
    }
    const int *lengths = probs->axis == &g->source ? v->source_lengths : v->target_lengths;
    double largest = 0;
    *error = fmax(*error, row_error(v, name, lengths, probs->data, &largest));

    const ramus_safetensor *t = floats(v, name, 3);
    const int n = (int)t->shape[2], k = index->dims[1];
    const int *kept = index->data;
    for (size_t s = 0; s < t->shape[0]; s++)
        for (int i = 0; i < lengths[s];
             i++, kept += k) { // each kept branch must be among their k largest
            const float *want = (const float *)t->data + (s * t->shape[1] + (size_t)i) * (size_t)n;
            for (int j = 0; j < k; j++) {
                int better = 0;
                for (int b = 0; b < n; b++)
                    better += want[b] > want[kept[j]];
                *other_choices += better != j;
            }
        }
}

static void check_forward(vectors *v)
{
    ramus_graph *g = build(v, RAMUS_HEAD_LOGITS, NULL);
    ramus_run *run = NULL;
    if (ramus_run_create(&run, g, v->pool, &err)) die(v->path);
    ramus_weights_bind(g, v->folded, NULL);
    set_batch(v, g);
    ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_TARGET);

    double largest = 0, error = row_error(v, "encoder_output", v->source_lengths,
                                          ramus_graph_find(g, "encoder.output")->data, &largest);
    report(v, "encoder output, of the largest", error / largest, 1e-5);
    largest = 0;
    error =
        row_error(v, "logits", v->target_lengths, ramus_graph_find(g, "logits")->data, &largest);
    report(v, "logits, of the largest", error / largest, 1e-5);

    int gates = 0, other_choices = 0;
    double gate_error = 0;
    for (int i = 0; i < ramus_safetensors_count(v->file); i++) {
        const char *name = ramus_safetensors_at(v->file, i)->name;
        if (strncmp(name, "gate.", 5) != 0) continue;
        check_gate(v, g, name, &gate_error, &other_choices);
        gates++;
    }
    const ramus_arch *a = &v->model.arch;
    const int per_encoder = (a->routed != RAMUS_ROUTED_FFN) + (a->routed != RAMUS_ROUTED_ATTENTION);
    const int per_decoder =
        3 * (a->routed != RAMUS_ROUTED_FFN) + (a->routed != RAMUS_ROUTED_ATTENTION);
    const int expected = a->routing == RAMUS_DENSE
                             ? 0
                             : per_encoder * a->encoder_layers + per_decoder * a->decoder_layers;
    if (expected) report(v, "gate probabilities", gate_error, 1e-5);
    if (expected) report(v, "gate choices that differ", other_choices, 0);
    report(v, "gates not compared", abs(expected - gates), 0);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
}

/* The worst gradient error as a multiple of its bound: 1e-4 of the tensor's largest entry + 1e-6.
 * Tensors are the authors': one per branch. */
static double gradient_error(const ramus_weights *got, const ramus_weights *want,
                             const ramus_arch *a)
{
    double worst = 0;
    for (int i = 0; i < got->n; i++) {
        const ramus_weight *w = &want->items[i];
        const int stacked = w->n_dims > 1 && w->dims[0] == a->branches && a->branches > 1 &&
                            !strstr(w->name, ".gate.") && !strstr(w->name, ".shared.");
        const size_t n = stacked ? (size_t)a->branches : 1, count = w->count / n;
        for (size_t part = 0; part < n; part++) {
            double largest = 0, error = 0;
            for (size_t j = part * count; j < (part + 1) * count; j++) {
                largest = fmax(largest, fabs((double)w->data[j]));
                error = fmax(error, distance(got->items[i].data[j], w->data[j]));
            }
            if (largest == 0 && error > 0) error = HUGE_VAL; // a branch that no token chose
            worst = fmax(worst, error / (1e-4 * largest + 1e-6));
        }
    }
    return worst;
}

static void check_training(vectors *v)
{
    ramus_objective o = {0};
    const ramus_settings s = ramus_objective_settings(&o);
    ramus_settings_default(&s);
    o.dropout = 0;
    o.label_smoothing = number(v, "label_smoothing", 0.1);
    o.diversity_weight = o.entropy_weight = number(v, "alpha", 0.1);

    ramus_graph *g = build(v, RAMUS_HEAD_LOSS, &o);
    ramus_run *run = NULL;
    ramus_weights *grads = NULL, *want = NULL;
    if (ramus_grad_run_create(&run, g, v->pool, &err) || ramus_weights_create(&grads, g, &err) ||
        ramus_weights_create(&want, g, &err) ||
        ramus_import_weights(want, &v->model.arch, v->file, "grad.", &err))
        die(v->path);
    ramus_weights_bind(g, v->model.weights, grads);
    set_batch(v, g);
    run->train->loss_scale = 1.0 / g->target.rows;
    ramus_grad_forward(run);
    ramus_grad_seed(run);
    ramus_grad_backward(run);

    double total = 0, cross_entropy = 0;
    for (int i = 0; i < g->n_losses; i++) {
        const ramus_loss *loss = &g->losses[i];
        const double value = (double)*(const float *)loss->value->data * loss->weight;
        if (strcmp(loss->name, "cross_entropy") == 0)
            cross_entropy = value * run->train->loss_scale;
        else
            total += value;
    }
    total += cross_entropy;
    const double want_total = (double)*(const float *)floats(v, "loss", 1)->data;
    const double want_ce = (double)*(const float *)floats(v, "loss_cross_entropy", 1)->data;
    report(v, "loss, relative", fabs(total / want_total - 1), 1e-5);
    report(v, "cross-entropy, relative", fabs(cross_entropy / want_ce - 1), 1e-5);
    if (want_total != want_ce)
        report(v, "auxiliary losses, of the loss",
               fabs((total - cross_entropy) - (want_total - want_ce)) / want_total, 1e-5);
    report(v, "gradients, multiple of their bound", gradient_error(grads, want, &v->model.arch), 1);
    ramus_weights_destroy(want);
    ramus_weights_destroy(grads);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
}

/* Each sentence alone, as the reference did, or all sentences at once. */
static void check_search(vectors *v, bool exported, int beam, bool together)
{
    char name[64];
    snprintf(name, sizeof name, "search.beam%d.ids", beam);
    const ramus_safetensor *ids = tensor(v, name, RAMUS_SAFETENSOR_I64, 3);
    snprintf(name, sizeof name, "search.beam%d.scores", beam);
    const ramus_safetensor *scores = floats(v, name, 2);
    searcher s = create_searcher(v, exported ? v->exported->weights : v->folded, beam);

    int other_ids = 0;
    double error = 0;
    const int step = together ? v->n_sentences : 1;
    for (int i = 0; i < v->n_sentences; i += step) {
        run_search(v, &s, i, step);
        for (int j = 0; j < step * beam; j++) {
            const ramus_hypothesis *got = &s.best[j];
            const size_t at = (size_t)i * (size_t)beam + (size_t)j, length = ids->shape[2];
            const long long *want = (const long long *)ids->data + at * length;
            for (size_t k = 0; k < length; k++)
                other_ids += want[k] != (k < (size_t)got->length ? got->ids[k] : -1);
            error = fmax(error, fabs(got->score - (double)((const float *)scores->data)[at]));
        }
    }
    const char *kind = exported ? "file, " : "", *batch = together ? " in a batch" : "";
    snprintf(name, sizeof name, "%sbeam %d%s: ids that differ", kind, beam, batch);
    report(v, name, other_ids, 0);
    snprintf(name, sizeof name, "%sbeam %d%s: scores", kind, beam, batch);
    report(v, name, error, 1e-4);
    destroy_searcher(&s);
}

/* How many of a sentence's words are not the largest logit of a graph that sees all of it. */
static int other_words(const vectors *v, ramus_graph *g, ramus_run *run, const searcher *s, int i)
{
    const ramus_hypothesis *got = &s->best[0];
    int *previous = ramus_graph_find(g, "previous_ids")->data, other = 0;
    const ramus_tensor *logits = ramus_graph_find(g, "logits");
    const int words = logits->dims[1];
    ramus_axis_set(&g->source, v->source_lengths + i, 1);
    ramus_axis_set(&g->target, &got->length, 1);
    memcpy(ramus_graph_find(g, "source_ids")->data, s->sources[i].ids,
           (size_t)v->source_lengths[i] * sizeof(int));
    for (int j = 0; j < got->length; j++)
        previous[j] = j ? got->ids[j - 1] : 0;
    ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_TARGET);
    for (int j = 0; j < got->length; j++) {
        const float *row = (const float *)logits->data + (size_t)j * (size_t)words;
        int best = j == 0 && s->options.eos == 0; // no sentence begins with EOS
        for (int k = 0; k < words; k++)
            if (row[k] > row[best] && !(j == 0 && k == s->options.eos)) best = k;
        other += best != got->ids[j];
    }
    return other;
}

/* Greedy search with the deployed model, word by word, against all positions at once. */
static void check_greedy(vectors *v)
{
    searcher s = create_searcher(v, v->exported->weights, 1);
    s.options.greedy = true;
    const ramus_limits l = limits_of(v->source_lengths, v->n_sentences);
    const int most = l.length + s.options.extra_length;
    const ramus_build b = {
        .head = RAMUS_HEAD_LOGITS, .source = {l.length, 1, l.length}, .target = {most, 1, most}};
    ramus_graph *g = NULL;
    ramus_run *run = NULL;
    if (ramus_transformer_create(&g, &v->exported->arch, &b, &err)) die(v->path);
    ramus_weights_bind(g, v->exported->weights, NULL);
    if (ramus_run_create(&run, g, v->pool, &err)) die(v->path);
    int other = 0, words = 0;
    for (int i = 0; i < v->n_sentences; i++) {
        run_search(v, &s, i, 1);
        words += s.best[0].length;
        other += other_words(v, g, run, &s, i);
    }
    report(v, "file, greedy: not the largest logit", words ? other : HUGE_VAL, 0);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
    destroy_searcher(&s);
}

static int check_file(const char *path, ramus_pool *pool)
{
    vectors v = {.path = path, .pool = pool};
    if (ramus_safetensors_open(&v.file, path, &err)) die(NULL);
    if (ramus_import_model(&v.model, v.file, &(ramus_import_hints){0}, &err)) die(path);
    if (ramus_transformer_weights(&v.folded, &v.model.arch, false, &err)) die(path);
    ramus_weights_fold(v.folded, v.model.weights);
    v.n_sentences = (int)tensor(&v, "batch.source", RAMUS_SAFETENSOR_I64, 2)->shape[0];
    v.source_lengths = lengths_of_mask(&v, "batch.source_mask");
    v.target_lengths = lengths_of_mask(&v, "batch.target_mask");

    const char *slash = strrchr(path, '/');
    printf("%s (%zu parameters)\n", slash ? slash + 1 : path, v.model.weights->count);
    check_forward(&v);
    check_training(&v);
    v.exported = export_and_open(&v);
    for (int i = 0; i < 8; i++)
        check_search(&v, i & 4, i & 1 ? 4 : 1, i & 2);
    check_greedy(&v);
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
