/* Where attention looks. */
#include "graph/ops.h"

#include "laws/model.h"

#define WIDTH 12
#define HEADS 3
#define MOST  3 // layers of keys

/* Where a row looks, by plain loops: keys j of the layers k, which are positions of one sentence.
 */
static int plain_look(const float *q, const float *const *k, int layers, int keys)
{
    double total[12] = {0};
    const int size = WIDTH / HEADS;
    int best = 0;
    for (int h = 0; h < HEADS; h++) {
        double p[MOST][12], sum = 0;
        for (int l = 0; l < layers; l++)
            for (int j = 0; j < keys; j++) {
                double dot = 0;
                for (int i = h * size; i < (h + 1) * size; i++)
                    dot += (double)q[i] * (double)k[l][j * WIDTH + i];
                p[l][j] = exp(dot / sqrt(size));
                sum += p[l][j];
            }
        for (int l = 0; l < layers; l++)
            for (int j = 0; j < keys; j++)
                total[j] += p[l][j] / sum;
    }
    for (int j = 1; j < keys - 1; j++) // the last one is EOS
        if (total[j] > total[best]) best = j;
    return best;
}

/* Words of a table of their own. */
static ramus_tensor *words_of(ramus_graph *g, ramus_tensor *ids, const char *name)
{
    char rows[16];
    (void)snprintf(rows, sizeof rows, "%s.rows", name);
    ramus_tensor *table = ramus_param(g, name, 2, (int[]){VOCAB, WIDTH}, RAMUS_INIT_ZERO, 0);
    ramus_tensor *x =
        ramus_embed(g, ids, table, NULL, ramus_signal(g, ids, &(ramus_signal_spec){.width = WIDTH}),
                    &(ramus_embed_spec){.scale = 1});
    ramus_keep(g, x, rows);
    return x;
}

static void check_looks(int layers)
{
    static const char *const names[MOST] = {"k", "l", "m"};
    const ramus_graph_spec spec = {
        .max_nodes = 24, .source = {40, 4, 12}, .target = {40, 4, 12}, .times = layers};
    ramus_error err = {0};
    ramus_graph *g = NULL;
    ramus_run *run = NULL;
    ramus_weights *w = NULL;
    REQUIRE_OK(ramus_graph_create(&g, &spec, &err), err);
    ramus_tensor *source = ramus_input(g, &g->source, "source_ids");
    ramus_tensor *keys[MOST], *q = words_of(g, ramus_input(g, &g->target, "target_ids"), "q");
    for (int l = 0; l < layers; l++)
        keys[l] = words_of(g, source, names[l]);
    ramus_tensor *all = ramus_behind(g, keys, layers);
    const ramus_attention_spec attention = {.heads = HEADS, .look = true};
    ramus_tensor *out = ramus_attention(g, q, all, all, &attention);
    ramus_keep(g, out, "out");
    ramus_keep(g, out->maker->out[2], "look");
    REQUIRE_OK(ramus_run_create(&run, g, NULL, &err), err);
    REQUIRE_OK(ramus_weights_create(&w, g, &err), err);
    const ramus_rng rng = {check_seed(), 1, 2, 3};
    for (size_t i = 0; i < w->size; i++)
        w->data[i] = (ramus_real)ramus_rng_normal(&rng, i);
    ramus_weights_bind(g, w, NULL);
    ramus_axis_set(&g->source, source_lengths, 4); // 5 1 9 3
    ramus_axis_set(&g->target, target_lengths, 4);
    for (int i = 0; i < 18; i++) {
        ((int *)source->data)[i] = word_at(0, i, 0);
        ((int *)ramus_graph_find(g, "target_ids")->data)[i] = word_at(0, i, 1);
    }
    ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_TARGET);
    for (int r = 0; r < g->target.rows; r++) {
        const int s = g->target.sequence[r];
        const float *k[MOST] = {NULL};
        for (int l = 0; l < layers; l++)
            k[l] = (const float *)keys[l]->data + g->source.start[s] * WIDTH;
        const int want =
            plain_look((const float *)q->data + r * WIDTH, k, layers, source_lengths[s]);
        EXPECT_INT(((const int *)ramus_graph_find(g, "look")->data)[r], want, "look");
    }
    ramus_weights_destroy(w);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
}

static void attention_looks_where_the_heads_together_look(void)
{
    for (int layers = 1; layers <= MOST; layers++)
        check_looks(layers);
}

CHECK_MAIN({"attention_looks_where_the_heads_together_look",
            attention_looks_where_the_heads_together_look})
