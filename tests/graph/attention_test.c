/* Where attention looks. */
#include "graph/ops.h"

#include "laws/model.h"

/* Where a row looks, by plain loops. */
static int plain_look(const float *q, const float *k, int keys, int heads, int width)
{
    double total[12] = {0};
    const int size = width / heads;
    int best = 0;
    for (int h = 0; h < heads; h++) {
        double p[12], sum = 0;
        for (int j = 0; j < keys; j++) {
            double dot = 0;
            for (int i = h * size; i < (h + 1) * size; i++)
                dot += (double)q[i] * (double)k[j * width + i];
            p[j] = exp(dot / sqrt(size));
            sum += p[j];
        }
        for (int j = 0; j < keys; j++)
            total[j] += p[j] / sum;
    }
    for (int j = 1; j < keys - 1; j++) // the last one is EOS
        if (total[j] > total[best]) best = j;
    return best;
}

static void attention_looks_where_the_heads_together_look(void)
{
    enum { WIDTH = 12, HEADS = 3 };
    const ramus_graph_spec spec = {.max_nodes = 16, .source = {40, 4, 12}, .target = {40, 4, 12}};
    const ramus_embed_spec embed = {.scale = 1};
    ramus_error err = {0};
    ramus_graph *g = NULL;
    ramus_run *run = NULL;
    ramus_weights *w = NULL;
    REQUIRE_OK(ramus_graph_create(&g, &spec, &err), err);
    ramus_tensor *rows[2];
    for (int i = 0; i < 2; i++) {
        ramus_axis *axis = i ? &g->target : &g->source;
        ramus_tensor *table =
            ramus_param(g, i ? "q" : "k", 2, (int[]){VOCAB, WIDTH}, RAMUS_INIT_ZERO, 0);
        ramus_tensor *ids = ramus_input(g, axis, i ? "target_ids" : "source_ids");
        rows[i] = ramus_embed(g, ids, table, NULL,
                              ramus_signal(g, ids, &(ramus_signal_spec){.width = WIDTH}), &embed);
        ramus_keep(g, rows[i], i ? "queries" : "keys");
    }
    const ramus_attention_spec attention = {.heads = HEADS, .look = true};
    ramus_tensor *out = ramus_attention(g, rows[1], rows[0], rows[0], &attention);
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
        ((int *)ramus_graph_find(g, "source_ids")->data)[i] = word_at(0, i, 0);
        ((int *)ramus_graph_find(g, "target_ids")->data)[i] = word_at(0, i, 1);
    }
    ramus_run_forward(run, RAMUS_WEIGHTS, RAMUS_TARGET);
    for (int r = 0; r < g->target.rows; r++) {
        const int s = g->target.sequence[r];
        const int want = plain_look((const float *)rows[1]->data + r * WIDTH,
                                    (const float *)rows[0]->data + g->source.start[s] * WIDTH,
                                    source_lengths[s], HEADS, WIDTH);
        EXPECT_INT(((const int *)ramus_graph_find(g, "look")->data)[r], want, "look");
    }
    ramus_weights_destroy(w);
    ramus_run_destroy(run);
    ramus_graph_destroy(g);
}

CHECK_MAIN({"attention_looks_where_the_heads_together_look",
            attention_looks_where_the_heads_together_look})
