/* Three products per map: forward, gradient of the input, gradient of the weights. A routed map
 * passes its lists of rows to them; a mixed one also gets the gradient of its probabilities. */
#include "graph/ops/linear.h"
#include "grad/gemm.h"
#include "grad/grad.h"
#include "graph/ops.h"

#define BLOCK 64

static const int *rows_of(const void *arg, int branch, int first, int last, int *n_rows)
{
    return ramus_linear_rows(arg, branch, first, last, n_rows);
}

/* The product that makes y from x, with the bounded kernel of training. */
static ramus_gemm_rows product(const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    return (ramus_gemm_rows){
        .n_rows = ramus_tensor_rows(n->in[0]),
        .branches = a->branches,
        .rows_of = n->in[4] ? rows_of : NULL,
        .arg = n,
        .depth = n->in[0]->dims[1],
        .columns = n->out[0]->dims[1],
        .a = n->in[0]->data,
        .w = n->in[1]->data,
        .bias = n->in[2] ? n->in[2]->data : NULL,
        .c = n->out[0]->data,
        .add = a->mix,
        .scale = a->mix ? n->in[3]->data : NULL,
    };
}

static void zero_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)run;
    (void)thread;
    const size_t width = ramus_tensor_width(n->out[0]);
    ramus_real *y = n->out[0]->data;
    for (size_t i = (size_t)first * width; i < (size_t)last * width; i++)
        y[i] = 0;
}

static void relu_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const size_t width = ramus_tensor_width(n->out[0]);
    ramus_real *y = n->out[0]->data;
    run->kernels->relu(y + (size_t)first * width, (last - first) * (int)width);
}

static void forward(ramus_run *run, const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    const ramus_gemm_rows g = product(n);
    if (a->mix) ramus_run_rows(run, n, g.n_rows, BLOCK, zero_rows);
    ramus_gemm_rows_run(run, &g);
    if (a->relu) ramus_run_rows(run, n, g.n_rows, BLOCK, relu_rows);
}

static void relu_backward_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    const int width = n->out[0]->dims[1];
    const size_t at = (size_t)first * (size_t)width;
    const ramus_real *y = n->out[0]->data;
    run->train->kernels.relu_backward(n->out[0]->grad + at, y + at, (last - first) * width);
}

/* dscale[r, b] += dy[r] . bias_b: what the product with w leaves out */
static void bias_scale_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)run;
    (void)thread;
    const ramus_linear_attr *a = n->attr;
    const size_t width = ramus_tensor_width(n->out[0]);
    for (int b = 0; b < a->branches; b++) {
        const ramus_real *bias = (const ramus_real *)n->in[2]->data + (size_t)b * width;
        int n_rows = 0;
        const int *rows = ramus_linear_rows(n, b, first, last, &n_rows);
        for (int i = 0; i < n_rows; i++) {
            const ramus_real *dy = n->out[0]->grad + (size_t)rows[i] * width;
            ramus_real sum = 0;
            for (size_t j = 0; j < width; j++)
                sum += dy[j] * bias[j];
            n->in[3]->grad[(size_t)rows[i] * (size_t)a->branches + (size_t)b] += sum;
        }
    }
}

/* dx[r] += scale[r] * w^T dy[r]; the unscaled product times x is the gradient of the scale. Without
 * a scale each row belongs to one branch, so that a fresh gradient can be set. */
static ramus_gemm_rows product_back(const ramus_run *run, const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    ramus_gemm_rows g = product(n);
    const int inputs = g.depth;
    g.depth = g.columns;
    g.columns = inputs;
    g.transposed = true;
    g.a = n->out[0]->grad;
    g.bias = NULL;
    g.c = n->in[0]->grad;
    g.add = a->mix || !run->train->fresh;
    if (a->mix && n->in[3]->grad) {
        g.x = n->in[0]->data;
        g.dscale = n->in[3]->grad;
    }
    return g;
}

static void begin_rows(ramus_run *run, const ramus_node *n, int first, int last, int thread)
{
    (void)thread;
    ramus_grad_begin(run, n, 0, first, last);
}

static void backward_rows(ramus_run *run, const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    const ramus_gemm_rows g = product_back(run, n);
    if (a->mix) ramus_run_rows(run, n, g.n_rows, BLOCK, begin_rows);
    if (g.dscale && n->in[2]) ramus_run_rows(run, n, g.n_rows, BLOCK, bias_scale_rows);
    ramus_gemm_rows_run(run, &g);
}

static void backward_weights(ramus_run *run, const ramus_node *n)
{
    const ramus_gemm_rows p = product(n);
    const ramus_gemm_weights g = {
        .n_rows = p.n_rows,
        .branches = p.branches,
        .rows_of = p.rows_of,
        .arg = n,
        .outputs = p.columns,
        .inputs = p.depth,
        .dy = n->out[0]->grad,
        .x = p.a,
        .scale = p.scale,
        .dw = n->in[1]->grad,
        .dbias = n->in[2] ? n->in[2]->grad : NULL,
    };
    ramus_gemm_weights_run(run, &g);
}

static void backward(ramus_run *run, const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    if (a->relu) ramus_run_rows(run, n, ramus_tensor_rows(n->in[0]), BLOCK, relu_backward_rows);
    if (n->in[0]->grad) backward_rows(run, n);
    if (n->in[1]->grad) backward_weights(run, n);
}

static void products(ramus_run *run, const ramus_node *n, bool back)
{
    const ramus_gemm_rows g = back ? product_back(run, n) : product(n);
    if (g.c) ramus_gemm_rows_run(run, &g);
    if (back && n->in[1]->grad) backward_weights(run, n);
}

static size_t shared(const ramus_node *n)
{
    const ramus_linear_attr *a = n->attr;
    const int outputs = n->out[0]->dims[1], inputs = n->in[0]->dims[1];
    const size_t forward_size = ramus_gemm_packed(outputs, inputs),
                 dx_size = ramus_gemm_packed(inputs, outputs);
    return (size_t)a->branches * (forward_size > dx_size ? forward_size : dx_size) *
           sizeof(ramus_real);
}

static size_t scratch(const ramus_node *n)
{
    return ramus_gemm_scratch(n->in[0]->dims[1]);
}

const ramus_grad_rule ramus_grad_linear = {.op = &ramus_op_linear,
                                           .backward = backward,
                                           .forward = forward,
                                           .products = products,
                                           .scratch = scratch,
                                           .shared = shared,
                                           .begins = RAMUS_GRAD_OF(0)};
