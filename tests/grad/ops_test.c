/* Every op's backward rule against central differences, on sentences of unequal length. */
#include "gradient.h"

#define D 6
#define N 5

static const int source_lengths[] = {3, 1, 4}, target_lengths[] = {2, 4, 1};

static ramus_graph *new_graph(void)
{
    ramus_error err = {0};
    ramus_graph *g = NULL;
    const ramus_graph_spec spec = {RAMUS_FULL, true, 40, {12, 5, 6}, {10, 5, 5}, 0, 3};
    REQUIRE_OK(ramus_graph_create(&g, &spec, &err), err);
    ramus_axis_set(&g->source, source_lengths, 3);
    ramus_axis_set(&g->target, target_lengths, 3);
    return g;
}

/* Rows with a parameter behind them: an embedding in which every row has a word of its own. */
static ramus_tensor *rows_of(ramus_graph *g, ramus_axis *axis, const char *name, int width)
{
    char rows[32], words[32];
    (void)snprintf(rows, sizeof rows, "%s.rows", name);
    (void)snprintf(words, sizeof words, "%s.ids", name);
    ramus_tensor *table =
        ramus_param(g, rows, 2, (int[]){axis->max_rows, width}, RAMUS_INIT_ZERO, 0);
    ramus_tensor *ids = ramus_input(g, axis, words);
    return ramus_embed(g, ids, table, NULL,
                       ramus_signal(g, ids, &(ramus_signal_spec){.width = width}),
                       &(ramus_embed_spec){.scale = 1});
}

/* Fills every input with row numbers, modulo what `words` allows. */
static void number_inputs(ramus_graph *g, int words)
{
    for (int i = 0; i < g->n_named; i++)
        if (!g->named[i]->maker)
            for (int r = 0; r < g->named[i]->dims[0]; r++)
                ((int *)g->named[i]->data)[r] = r % words;
}

static void check_graph(ramus_graph *g, ramus_tensor *out, const char *what, int words)
{
    subject s = subject_create(g, out, NULL);
    number_inputs(g, words);
    subject_check(&s, what, 1);
    subject_destroy(&s);
}

static void linear_dense(void)
{
    for (int relu = 0; relu < 2; relu++) {
        ramus_graph *g = new_graph();
        ramus_tensor *x = rows_of(g, &g->target, "x", D);
        ramus_tensor *w = ramus_param(g, "w", 2, (int[]){4, D}, RAMUS_INIT_ZERO, 0);
        ramus_tensor *b = ramus_param(g, "b", 1, (int[]){4}, RAMUS_INIT_ZERO, 0);
        const ramus_linear_spec spec = {.relu = relu};
        check_graph(g, ramus_linear(g, x, w, b, &spec), relu ? "relu" : "linear", 10);
    }
}

static ramus_route route_of(ramus_graph *g, ramus_tensor *x, int k, bool sparse, bool noise)
{
    ramus_tensor *w = ramus_param(g, "gate", 2, (int[]){N, D}, RAMUS_INIT_ZERO, 0);
    ramus_tensor *wn = noise ? ramus_param(g, "noise", 2, (int[]){N, D}, RAMUS_INIT_ZERO, 0) : NULL;
    ramus_tensor *width = noise ? ramus_linear(g, x, wn, NULL, NULL) : NULL;
    const ramus_route_spec spec = {.top_k = k, .sparse = sparse};
    ramus_tensor *logits = ramus_linear(g, x, w, NULL, NULL);
    return noise ? ramus_route_noisy(g, logits, width, &spec)
                 : ramus_route_tokens(g, logits, &spec);
}

static void linear_routed(void)
{
    for (int k = 1; k <= N; k++)
        for (int variant = 0; variant < 8; variant++) {
            ramus_graph *g = new_graph();
            const bool sparse = variant & 1, mix = variant & 2, relu = variant & 4;
            if (!mix && k > 1) { // several branches without mixing would overwrite each other
                ramus_graph_destroy(g);
                continue;
            }
            ramus_tensor *x = rows_of(g, &g->target, "x", D);
            const ramus_route route = route_of(g, x, k, sparse, false);
            ramus_tensor *w = ramus_param(g, "w", 3, (int[]){N, 4, D}, RAMUS_INIT_ZERO, 0);
            ramus_tensor *b = ramus_param(g, "b", 2, (int[]){N, 4}, RAMUS_INIT_ZERO, 0);
            const ramus_linear_spec spec = {.route = &route, .mix = mix, .relu = relu};
            ramus_tensor *y = ramus_linear(g, x, w, b, &spec);
            char what[64];
            snprintf(what, sizeof what, "routed k %d sparse %d mix %d relu %d", k, sparse, mix,
                     relu);
            check_graph(g, y, what, 10);
        }
}

static void route_probabilities(void)
{
    for (int k = 1; k <= N; k++)
        for (int variant = 0; variant < 4; variant++) {
            ramus_graph *g = new_graph();
            ramus_tensor *x = rows_of(g, &g->source, "x", D);
            const ramus_route route = route_of(g, x, k, variant & 1, variant & 2);
            check_graph(g, route.probs, variant & 2 ? "noisy route" : "route", 12);
        }
}

static void shared_part(void)
{
    ramus_graph *g = new_graph();
    ramus_tensor *own = ramus_param(g, "own", 3, (int[]){N, 3, D}, RAMUS_INIT_ZERO, 0);
    ramus_tensor *shared = ramus_param(g, "shared", 2, (int[]){3, D}, RAMUS_INIT_ZERO, 0);
    check_graph(g, ramus_share(g, own, shared), "share", 1);
}

static void attention_kinds(void)
{
    for (int variant = 0; variant < 6; variant++) { // self, causal, cross; with and without dropout
        ramus_graph *g = new_graph();
        const int kind = variant % 3;
        ramus_axis *keys = kind == 2 ? &g->source : &g->target;
        ramus_tensor *q = rows_of(g, &g->target, "q", D);
        ramus_tensor *k = rows_of(g, keys, "k", D), *v = rows_of(g, keys, "v", D);
        const ramus_attention_spec spec = {
            .heads = variant % 2 ? 3 : 2, .causal = kind == 1, .dropout = variant < 3 ? 0 : 0.3};
        char what[64];
        snprintf(what, sizeof what, "attention variant %d", variant);
        check_graph(g, ramus_attention(g, q, k, v, &spec), what, 12);
    }
}

/* Kernels shorter and longer than the sentences; taps of each row, and of all. */
static void convolutions(void)
{
    for (int variant = 0; variant < 12; variant++) {
        ramus_graph *g = new_graph();
        const bool causal = variant % 2, all = variant / 2 % 2;
        const ramus_convolution_spec spec = {.heads = variant % 3 ? 2 : 3,
                                             .kernel = (int[]){1, 3, 7}[variant / 4],
                                             .causal = causal};
        const int count = spec.heads * spec.kernel;
        ramus_tensor *v = rows_of(g, &g->target, "v", D);
        ramus_tensor *logits =
            all ? ramus_param(g, "taps", 1, &count, RAMUS_INIT_ZERO, 0)
                : ramus_linear(g, rows_of(g, &g->target, "t", D),
                               ramus_param(g, "w", 2, (int[]){count, D}, RAMUS_INIT_ZERO, 0), NULL,
                               NULL);
        ramus_tensor *taps = ramus_taps(g, logits, spec.kernel);
        if (variant > 7) taps = ramus_dropout(g, taps, 0.3);
        char what[64];
        snprintf(what, sizeof what, "convolution variant %d", variant);
        check_graph(g, ramus_convolution(g, v, taps, &spec), what, 10);
    }
}

/* One softmax for each group, of rows and of the values of branches. */
static void tap_groups(void)
{
    for (int rows = 0; rows < 2; rows++) {
        ramus_graph *g = new_graph();
        ramus_tensor *x = rows ? rows_of(g, &g->source, "x", D)
                               : ramus_param(g, "x", 2, (int[]){N, D}, RAMUS_INIT_ZERO, 0);
        check_graph(g, ramus_taps(g, x, 3), rows ? "taps of rows" : "taps of branches", 12);
    }
}

static void values_of_branches(void)
{
    for (int variant = 0; variant < 4; variant++) {
        ramus_graph *g = new_graph();
        const bool mix = variant > 0;
        ramus_tensor *x = rows_of(g, &g->target, "x", D);
        const ramus_route route = route_of(g, x, mix ? variant : 1, variant == 2, false);
        ramus_tensor *values = ramus_param(g, "values", 2, (int[]){N, 4}, RAMUS_INIT_ZERO, 0);
        check_graph(g, ramus_choose(g, values, &route, mix), mix ? "choose, mixed" : "choose", 10);
    }
}

static void copies(void)
{
    for (int variant = 0; variant < 4; variant++) {
        ramus_graph *g = new_graph();
        ramus_tensor *x = rows_of(g, &g->source, "x", D), *y = rows_of(g, &g->source, "y", 4);
        ramus_tensor *both = ramus_beside(g, ramus_columns(g, x, 2, 3), ramus_columns(g, x, 1, 5));
        if (variant == 0) check_graph(g, both, "columns beside columns", 12);
        if (variant == 1) check_graph(g, ramus_columns(g, y, 1, 9), "columns and zeros", 12);
        if (variant == 2) check_graph(g, ramus_glu(g, both), "glu", 12);
        if (variant < 3) continue;
        ramus_tensor *layers[] = {x, ramus_add(g, x, x), x};
        ramus_tensor *all = ramus_behind(g, layers, 3);
        ramus_axis_set(&g->source, source_lengths, 3); // the longer axis is new
        check_graph(g, all, "behind", 12);
    }
}

static void norms_and_sums(void)
{
    for (int variant = 0; variant < 3; variant++) {
        ramus_graph *g = new_graph();
        ramus_tensor *x = rows_of(g, &g->source, "x", D), *y = rows_of(g, &g->source, "y", D);
        ramus_tensor *gain = ramus_param(g, "gain", 1, (int[]){D}, RAMUS_INIT_ONE, 0);
        ramus_tensor *bias = ramus_param(g, "bias", 1, (int[]){D}, RAMUS_INIT_ZERO, 0);
        ramus_tensor *sum = ramus_add(g, x, y); // read twice: gradients must add up
        if (variant == 0) check_graph(g, ramus_norm(g, x, sum, gain, bias, 1e-5), "add_norm", 12);
        if (variant == 1) check_graph(g, ramus_norm(g, sum, NULL, gain, bias, 1e-3), "norm", 12);
        if (variant == 2) check_graph(g, ramus_add(g, sum, ramus_add(g, sum, x)), "add", 12);
    }
}

static void smooth_activations(void)
{
    for (int kind = RAMUS_SWISH; kind <= RAMUS_GELU; kind++) {
        ramus_graph *g = new_graph();
        ramus_tensor *x = rows_of(g, &g->target, "x", D);
        ramus_tensor *sum = ramus_add(g, x, ramus_activate(g, x, (ramus_smooth)kind)); // x twice
        check_graph(g, ramus_activate(g, sum, (ramus_smooth)kind), kind ? "gelu" : "swish", 10);
    }
}

static void dropout_draws_the_same_again(void)
{
    ramus_graph *g = new_graph();
    check_graph(g, ramus_dropout(g, rows_of(g, &g->target, "x", D), 0.4), "dropout", 10);
}

static void embeddings(void)
{
    for (int variant = 0; variant < 5; variant++) { // the last: a table with more columns
        ramus_graph *g = new_graph();
        ramus_axis *axis = &g->target;
        const int columns = variant == 4 ? D + 3 : D;
        ramus_tensor *table = ramus_param(g, "table", 2, (int[]){3, columns}, RAMUS_INIT_ZERO, 0);
        ramus_tensor *bias =
            variant & 1 ? ramus_param(g, "bias", 1, (int[]){D}, RAMUS_INIT_ZERO, 0) : NULL;
        const ramus_embed_spec spec = {
            .scale = 2.5, .starts = variant & 2, .start = variant == 3 ? 1 : -1};
        ramus_tensor *ids = ramus_input(g, axis, "ids");
        ramus_tensor *x = ramus_embed(
            g, ids, table, bias, ramus_signal(g, ids, &(ramus_signal_spec){.width = D}), &spec);
        check_graph(g, x, "embed", 3); // 3 words on 7 rows: words repeat
    }
}

static void cross_entropy(void)
{
    for (int variant = 0; variant < 3; variant++) {
        ramus_graph *g = new_graph();
        ramus_tensor *x = rows_of(g, &g->target, "x", D);
        ramus_tensor *table = ramus_param(g, "table", 2, (int[]){11, D}, RAMUS_INIT_ZERO, 0);
        ramus_tensor *labels = ramus_input(g, &g->target, "labels");
        const ramus_output output = {
            .table = table,
            .bias = variant ? ramus_param(g, "bias", 1, (int[]){11}, RAMUS_INIT_ZERO, 0) : NULL};
        ramus_loss_add(g, "ce", ramus_project_loss(g, x, &output, labels, 0.1 * variant), 1);
        subject s = subject_create(g, NULL, NULL);
        number_inputs(g, 10);
        s.run->train->loss_scale = 0.37;
        subject_check(&s, "project_loss", 1);
        subject_destroy(&s);
    }
}

static void gate_losses(void)
{
    for (int variant = 0; variant < 10; variant++) {
        ramus_graph *g = new_graph();
        const int kind = variant % 5, k = variant < 5 ? 1 : 3;
        ramus_tensor *x = rows_of(g, &g->source, "x", D);
        ramus_tensor *w = ramus_param(g, "gate", 2, (int[]){N, D}, RAMUS_INIT_ZERO, 0);
        ramus_tensor *wn = ramus_param(g, "noise", 2, (int[]){N, D}, RAMUS_INIT_ZERO, 0);
        ramus_tensor *logits = ramus_linear(g, x, w, NULL, NULL);
        ramus_tensor *width = ramus_linear(g, x, wn, NULL, NULL);
        const ramus_route_spec spec = {.top_k = k, .sparse = kind == 1};
        const ramus_route route = kind == 4 ? ramus_route_noisy(g, logits, width, &spec)
                                            : ramus_route_tokens(g, logits, &spec);
        ramus_tensor *loss = NULL;
        if (kind == 0) loss = ramus_diversity(g, route.probs, false);
        if (kind == 1) loss = ramus_diversity(g, route.probs, true);
        if (kind == 2) loss = ramus_entropy(g, route.probs);
        if (kind == 3) loss = ramus_switch_load(g, &route);
        if (kind == 4) loss = ramus_noisy_load(g, &route, logits, width);
        ramus_loss_add(g, "aux", loss, 0.7);
        subject s = subject_create(g, NULL, NULL);
        number_inputs(g, 12);
        s.run->train->aux_scale = 1.3;
        char what[64];
        snprintf(what, sizeof what, "gate loss %d k %d", kind, k);
        subject_check(&s, what, 1);
        subject_destroy(&s);
    }
}

#define K 70 // more than one group of 4-bit numbers

/* A map of x or, with `words`, a loss, whose input and matrix are rounded if there are bits. */
static ramus_graph *rounded_graph(int bits, bool routed, bool words, ramus_tensor **out)
{
    ramus_graph *g = new_graph();
    ramus_tensor *x = rows_of(g, &g->target, "x", K), *z = rows_of(g, &g->target, "z", D);
    const ramus_route route = route_of(g, z, 1, false, false);
    const int shape[] = {N, 11, K};
    ramus_tensor *w =
        ramus_param(g, "w", routed ? 3 : 2, routed ? shape : shape + 1, RAMUS_INIT_ZERO, 0);
    if (bits) {
        x = ramus_round_rows(g, x);
        w = ramus_round_weight(g, w, bits);
    }
    ramus_keep(g, x, "used.x");
    if (bits) ramus_keep(g, w, "used.w");
    *out = NULL;
    if (words)
        ramus_loss_add(g, "ce",
                       ramus_project_loss(g, x, &(ramus_output){.table = w},
                                          ramus_input(g, &g->target, "labels"), 0.1),
                       1);
    else
        *out = ramus_linear(g, x, w, NULL, &(ramus_linear_spec){.route = routed ? &route : NULL});
    return g;
}

/* Gives the parameters of the plain graph what the other one rounds them to. */
static void take_rounded(const subject *plain, const subject *rounded)
{
    const ramus_weight *rows = ramus_weights_find(plain->weights, "x.rows");
    const ramus_weight *w = ramus_weights_find(plain->weights, "w");
    const ramus_real *x = ramus_graph_find(plain->graph, "used.x")->data;
    const ramus_real *want = ramus_graph_find(rounded->graph, "used.x")->data;
    int moved = 0;
    ramus_grad_forward(plain->run);
    for (int i = 0; i < 7 * K; i++) { // row r has word r
        moved += x[i] != want[i];
        rows->data[i] += want[i] - x[i]; // the position signal stays
    }
    memcpy(w->data, ramus_graph_find(rounded->graph, "used.w")->data, w->count * sizeof *w->data);
    EXPECT(moved > 6 * K, "only %d numbers were rounded", moved);
}

/* Straight through: the gradients of a rounded map are those of the plain map at the rounded
 * numbers. */
static void rounding_passes_gradients(void)
{
    for (int variant = 0; variant < 6; variant++) {
        const int bits = variant % 2 ? 4 : 8;
        const bool routed = variant / 2 == 1, words = variant / 2 == 2;
        ramus_tensor *out = NULL;
        ramus_graph *g = rounded_graph(bits, routed, words, &out);
        subject rounded = subject_create(g, out, NULL);
        number_inputs(g, 10);
        g = rounded_graph(0, routed, words, &out);
        subject plain = subject_create(g, out, NULL);
        number_inputs(g, 10);
        subject_backward(&rounded);
        take_rounded(&plain, &rounded);
        for (int i = 0; i < plain.weights->n; i++) {
            const ramus_weight *w = &plain.weights->items[i];
            const ramus_real *rule = rounded.grads->items[i].data;
            double most = 1e-3;
            for (size_t j = 0; j < w->count; j++)
                most = fmax(most, fabs(rule[j]));
            for (size_t j = 0; j < w->count; j += 3) {
                const double value = w->data[j];
                w->data[j] = value + STEP;
                const double up = subject_value(&plain);
                w->data[j] = value - STEP;
                const double down = subject_value(&plain);
                w->data[j] = value;
                EXPECT(fabs(rule[j] - (up - down) / (2 * STEP)) <= BOUND * most,
                       "variant %d: %s[%zu]: rule %.10g, difference %.10g", variant, w->name, j,
                       rule[j], (up - down) / (2 * STEP));
            }
        }
        subject_destroy(&plain);
        subject_destroy(&rounded);
    }
}

#define CLIPPED 10 // numbers of a row

typedef struct {
    int kind, bits; // of kind: rows, rows with branches, weights
    ramus_tensor *x, *y, *range, *index;
} clipped_graph;

static ramus_graph *clip_graph(clipped_graph *c)
{
    ramus_graph *g = new_graph();
    const ramus_route route = route_of(g, rows_of(g, &g->target, "z", D), 1, false, false);
    c->range = ramus_param(g, "range", 1, (int[]){c->kind ? N : 1}, RAMUS_INIT_ZERO, 0);
    c->index = route.index;
    ramus_keep(g, c->index, "index");
    if (c->kind == 2) {
        c->x = ramus_param(g, "w", 3, (int[]){N, 4, CLIPPED}, RAMUS_INIT_ZERO, 0);
        c->y = ramus_clip_weight(g, c->x, c->range, c->bits);
    } else {
        c->x = rows_of(g, &g->target, "x", CLIPPED);
        ramus_keep(g, c->x, "x");
        c->y = ramus_clip_rows(g, c->x, c->range, c->kind ? &route : NULL, c->bits);
    }
    ramus_keep(g, c->y, "y");
    return g;
}

static double clamp(double x, double r)
{
    return fmax(fmin(x, r), -r);
}

/* Values by the definition; gradients by differences of clamp(x, -r, r), without the rounding. */
static void check_clipped(const clipped_graph *c, const subject *s)
{
    const int count = (c->kind == 2 ? N * 4 : 7) * CLIPPED, levels = c->bits == 8 ? 127 : 7;
    const ramus_real *x = c->x->data, *y = c->y->data, *range = c->range->data;
    const ramus_real *dx = ramus_weights_find(s->grads, c->kind == 2 ? "w" : "x.rows")->data;
    double want[N] = {0};
    int outside = 0;
    for (int i = 0; i < count; i++) {
        const int row = i / CLIPPED, chosen = ((const int *)c->index->data)[row % 7];
        const int b = c->kind == 2 ? row / 4 : c->kind == 1 ? chosen : 0;
        const double r = range[b], f = s->factors[i];
        const double slope = (clamp(x[i] + STEP, r) - clamp(x[i] - STEP, r)) / (2 * STEP);
        EXPECT(fabs(y[i] - rint(clamp(x[i], r) * levels / r) * r / levels) <= 1e-12, "y[%d]", i);
        EXPECT(fabs(dx[i] - f * slope) <= BOUND, "kind %d: x[%d]", c->kind, i);
        want[b] += f * (clamp(x[i], r + STEP) - clamp(x[i], r - STEP)) / (2 * STEP);
        outside += fabs(x[i]) > r;
    }
    EXPECT(outside > count / 10 && outside < count, "%d of %d are clipped", outside, count);
    for (int b = 0; b < c->range->dims[0]; b++)
        EXPECT(fabs(ramus_weights_find(s->grads, "range")->data[b] - want[b]) <= BOUND,
               "kind %d: range %d", c->kind, b);
}

static void clipping_moves_the_ranges(void)
{
    for (int variant = 0; variant < 6; variant++) {
        clipped_graph c = {.kind = variant % 3, .bits = variant < 3 ? 8 : 4};
        ramus_graph *g = clip_graph(&c);
        subject s = subject_create(g, c.y, NULL);
        number_inputs(g, 10);
        for (int i = 0; i < c.range->dims[0]; i++)
            ((ramus_real *)c.range->data)[i] = 0.3 + 0.1 * i;
        subject_backward(&s);
        check_clipped(&c, &s);
        subject_destroy(&s);
    }
}

CHECK_MAIN({"linear_dense", linear_dense}, {"linear_routed", linear_routed},
           {"route_probabilities", route_probabilities}, {"shared_part", shared_part},
           {"convolutions", convolutions}, {"tap_groups", tap_groups},
           {"values_of_branches", values_of_branches}, {"copies", copies},
           {"attention_kinds", attention_kinds}, {"norms_and_sums", norms_and_sums},
           {"smooth_activations", smooth_activations},
           {"dropout_draws_the_same_again", dropout_draws_the_same_again},
           {"embeddings", embeddings}, {"cross_entropy", cross_entropy},
           {"gate_losses", gate_losses}, {"rounding_passes_gradients", rounding_passes_gradients},
           {"clipping_moves_the_ranges", clipping_moves_the_ranges})
