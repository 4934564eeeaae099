/* One piece is a head of one sentence or, where all rows share their taps, of all sentences: its
 * gradients are added to by one thread alone, row after row. */
#include "graph/ops/convolution.h"
#include "grad/grad.h"

static void backward_row(const ramus_run *run, const ramus_node *n, int r, int h)
{
    const ramus_convolution_spec *a = n->attr;
    const ramus_tensor *v = n->in[0], *taps = n->in[1];
    const int *start = v->axis->start + v->axis->sequence[r];
    const int width = v->dims[1], size = width / a->heads;
    const ramus_window w = ramus_convolution_window(a, v->axis->position[r], start[1] - start[0]);
    const ptrdiff_t at = (ptrdiff_t)(start[0] + w.first) * width + h * size;
    const ptrdiff_t tap = (taps->axis ? (ptrdiff_t)r * taps->dims[1] : 0) + h * a->kernel + w.tap;
    const ramus_convolution_back job = {.n = w.n,
                                        .size = size,
                                        .stride = width,
                                        .taps = (const ramus_real *)taps->data + tap,
                                        .v = (const ramus_real *)v->data + at,
                                        .dout = n->out[0]->grad + (ptrdiff_t)r * width + h * size,
                                        .dtaps = taps->grad + tap,
                                        .dv = v->grad + at};
    run->train->kernels.convolution_backward(&job);
}

static void backward_pieces(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const ramus_convolution_spec *a = n->attr;
    const ramus_axis *axis = n->in[0]->axis;
    for (int piece = first; piece < last; piece++) {
        const int s = piece / a->heads, h = piece % a->heads;
        const int from = n->in[1]->axis ? axis->start[s] : 0;
        const int to = n->in[1]->axis ? axis->start[s + 1] : axis->rows;
        for (int r = from; r < to; r++)
            backward_row(run, n, r, h);
    }
}

static void backward(ramus_run *run, const ramus_node *n)
{
    const ramus_convolution_spec *a = n->attr;
    const int parts = n->in[1]->axis ? n->in[0]->axis->sequences : 1;
    ramus_run_rows(run, n, parts * a->heads, 1, backward_pieces);
}

const ramus_grad_rule ramus_grad_convolution = {.op = &ramus_op_convolution, .backward = backward};
