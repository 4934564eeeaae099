#include "graph/ops/attention.h"
#include "grad/grad.h"
#include "graph/ops.h"

/* One piece is one sentence and head: its keys' gradients are added to by this thread alone.
 * Queries are those rows of the target axis that belong to the sentence. */
static void backward_pieces(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    const ramus_attention_spec *a = n->attr;
    const ramus_axis *axis = n->in[0]->axis;
    const ramus_real *lse = n->out[1]->data;
    for (int piece = first; piece < last; piece++) {
        const int s = piece / a->heads, h = piece % a->heads;
        for (int r = axis->start[s]; r < axis->start[s + 1]; r++) {
            ramus_attention_job job =
                ramus_attention_part(run, n, r, h, ramus_run_scratch(run, thread));
            job.lse = lse[(size_t)r * (size_t)a->heads + (size_t)h];
            run->kernels->attention_backward(&job);
        }
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    const ramus_attention_spec *a = n->attr;
    ramus_run_rows(run, n, n->in[0]->axis->sequences * a->heads, 1, backward_pieces);
}

const ramus_grad_rule ramus_grad_attention = {&ramus_op_attention, backward, NULL, NULL};
