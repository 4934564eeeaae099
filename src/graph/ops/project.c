/* The output product, a few rows at a time, so that no buffer of [rows, V] exists: for the loss,
 * and for search the best tokens of each row. */
#include "graph/ops/project.h"

#include "graph/ops.h"
#include "graph/ops/route.h"

#define BLOCK 24 // rows: a multiple of what every kernel takes at once
#define NEVER ((ramus_real)-1e30)

ramus_label_weights ramus_label_weights_of(const ramus_node *n)
{
    const ramus_project_attr *a = n->attr;
    const double others = n->in[1]->dims[0] - 1;
    ramus_label_weights s = {.high = 1};
    if (a->smoothing > 0) {
        s.high = 1 - a->smoothing;
        s.low = a->smoothing / others;
        s.least = -(s.high * log(s.high) + a->smoothing * log(s.low));
    }
    return s;
}

void ramus_project_rows(ramus_run *run, const ramus_node *n, ramus_real *logits, int row, int rows)
{
    const ramus_tensor *x = n->in[0], *table = n->in[1];
    const ramus_real *bias = n->in[3] ? n->in[3]->data : NULL;
    if (table->dtype != RAMUS_REAL) {
        ramus_linear_i8_job job;
        ramus_run_packed(&job, run, n, 0, row);
        job.n_rows = rows;
        job.bias = bias;
        job.y = logits;
        job.y_stride = table->dims[0];
        ramus_run_linear_packed(run, n, &job);
        return;
    }
    const ramus_linear_job job = {
        .n = table->dims[0],
        .k = table->dims[1],
        .n_rows = rows,
        .x = (const ramus_real *)x->data + (size_t)row * (size_t)x->dims[1],
        .w = table->data,
        .bias = bias,
        .y = logits,
    };
    ramus_run_linear(run, n, &job);
}

void ramus_project_total(const ramus_node *n)
{
    const ramus_real *losses = n->out[1]->data;
    double total = 0;
    for (int r = 0; r < ramus_tensor_rows(n->in[0]); r++)
        total += (double)losses[r];
    *(ramus_real *)n->out[0]->data = (ramus_real)total;
}

static void loss_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    const ramus_label_weights s = ramus_label_weights_of(n);
    const int words = n->in[1]->dims[0], *labels = n->in[2]->data;
    ramus_real *losses = n->out[1]->data, *logits = ramus_run_scratch(run, thread);
    ramus_project_rows(run, n, logits, first, last - first);
    for (int r = first; r < last; r++, logits += words) {
        RAMUS_ASSERT(labels[r] >= 0 && labels[r] < words);
        const double loss = run->kernels->cross_entropy(logits, words, labels[r], s.high, s.low);
        losses[r] = (ramus_real)(loss - s.least);
    }
}

static void loss_forward(ramus_run *run, const ramus_node *n)
{
    (void)ramus_run_quantize(run, n);
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, loss_rows);
    ramus_project_total(n);
}

static double cost(const ramus_node *n)
{
    return (double)ramus_tensor_rows(n->in[0]) * (double)ramus_tensor_count(n->in[1]);
}

static size_t scratch(const ramus_node *n)
{
    return BLOCK * (size_t)n->in[1]->dims[0] * sizeof(ramus_real);
}

const ramus_op ramus_op_project_loss = {
    .name = "project_loss",
    .forward = loss_forward,
    .cost = cost,
    .multiplies = true,
    .scratch = scratch,
    .saves = RAMUS_SAVES_OUT(2),
};

ramus_tensor *ramus_project_loss(ramus_graph *g, ramus_tensor *x, const ramus_output *output,
                                 ramus_tensor *labels, double smoothing)
{
    RAMUS_ASSERT(x->dims[1] == output->table->dims[1]);
    const ramus_project_attr attr = {smoothing};
    ramus_node *n = ramus_node_add(g, &ramus_op_project_loss, &attr, sizeof attr);
    ramus_node_read(n, 0, x);
    ramus_node_read(n, 1, output->table);
    ramus_node_read(n, 2, labels);
    ramus_node_read(n, 3, output->bias);
    ramus_tensor *total = ramus_node_make(g, n, 0, RAMUS_REAL, NULL, 1, (int[]){1});
    ramus_node_make(g, n, 1, RAMUS_REAL, x->axis, 1, x->dims)->saved = true;
    if (!g->spec.training) return total;
    ramus_node_make(g, n, 2, RAMUS_REAL, x->axis, 2, x->dims)->saved = true;
    ramus_keep(g, ramus_node_make(g, n, 3, RAMUS_REAL, x->axis, 1, x->dims), "nll");
    return total;
}

typedef struct {
    const ramus_wanted *wanted; // changes from run to run
    bool excludes;
    int excluded;
} search_attr;

/* logits = the mean of these, of rows `first` and behind, and of those of the other models */
static void mix_logits(const ramus_wanted *w, ramus_real *logits, int first, int rows, int words)
{
    const size_t n = (size_t)rows * (size_t)words, at = (size_t)first * (size_t)words;
    const ramus_real share = (ramus_real)1 / (ramus_real)(w->n_others + 1);
    for (int i = 0; i < w->n_others; i++) {
        const ramus_real *x = (const ramus_real *)w->others[i]->data + at;
        for (size_t j = 0; j < n; j++)
            logits[j] += x[j];
    }
    for (size_t j = 0; j < n; j++)
        logits[j] *= share;
}

static void search_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    const search_attr *a = n->attr;
    const ramus_wanted *w = a->wanted;
    const int words = n->in[1]->dims[0], room = n->out[0]->dims[1];
    const int k = w->words ? w->words : room, *asked = n->in[2]->data;
    ramus_real *logits = ramus_run_scratch(run, thread);
    ramus_project_rows(run, n, logits, first, last - first);
    if (w->n_others) mix_logits(w, logits, first, last - first, words);
    for (int r = first; r < last; r++, logits += words) {
        if (a->excludes) logits[a->excluded] = NEVER;
        int *ids = (int *)n->out[0]->data + (size_t)r * (size_t)room;
        ramus_real *scores = (ramus_real *)n->out[1]->data + (size_t)r * (size_t)room;
        ramus_real *score = (ramus_real *)n->out[2]->data + r;
        run->kernels->top_k(ids, logits, words, k);
        const ramus_real lse =
            w->unscored ? 0 : run->kernels->log_sum_exp(logits, words, logits[ids[0]]);
        for (int i = 0; i < k; i++)
            scores[i] = w->unscored ? 0 : logits[ids[i]] - lse;
        *score = w->unscored ? 0 : logits[asked[r]] - lse;
    }
}

static void search_forward(ramus_run *run, const ramus_node *n)
{
    const search_attr *a = n->attr;
    RAMUS_ASSERT(a->wanted->words <= n->out[0]->dims[1]);
    (void)ramus_run_quantize(run, n);
    ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, search_rows);
}

const ramus_op ramus_op_project_search = {
    .name = "project_search",
    .forward = search_forward,
    .cost = cost,
    .multiplies = true,
    .scratch = scratch,
};

ramus_best ramus_project_search(ramus_graph *g, ramus_tensor *x, const ramus_output *output,
                                ramus_tensor *asked, int k, const ramus_wanted *wanted)
{
    const ramus_tensor *table = output->table;
    RAMUS_ASSERT(x->dims[1] == table->dims[1] && k >= 1 && k <= table->dims[0]);
    static const ramus_wanted all;
    const search_attr attr = {wanted ? wanted : &all, output->excludes, output->excluded};
    ramus_node *n = ramus_node_add(g, &ramus_op_project_search, &attr, sizeof attr);
    ramus_node_read(n, 0, x);
    ramus_node_read(n, 1, output->table);
    ramus_node_read(n, 2, asked);
    ramus_node_read(n, 3, output->bias);
    const int shape[] = {x->dims[0], k};
    ramus_best best = {ramus_node_make(g, n, 0, RAMUS_INT, x->axis, 2, shape),
                       ramus_node_make(g, n, 1, RAMUS_REAL, x->axis, 2, shape),
                       ramus_node_make(g, n, 2, RAMUS_REAL, x->axis, 1, shape)};
    return best;
}
