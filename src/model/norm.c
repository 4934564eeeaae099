/* A place of the norm is a row of a table: what a sublayer reads, what it gives, and what the stack
 * gives. Post-norm normalises each sum; pre-norm each input, and once more the end of the stack. */
#include "model/norm.h"

#include "graph/ops.h"

typedef struct {
    ramus_tensor *(*enter)(ramus_builder *b, ramus_tensor *x);
    ramus_tensor *(*leave)(ramus_builder *b, ramus_tensor *x, ramus_tensor *y);
    ramus_tensor *(*stack)(ramus_builder *b, ramus_tensor *x);
} placement;

static ramus_tensor *build_norm(ramus_builder *b, ramus_tensor *x, ramus_tensor *residual)
{
    const int *width = &x->dims[1];
    ramus_tensor *gain = ramus_builder_param(b, RAMUS_ROLE_NORM_GAIN, 1, width);
    ramus_tensor *bias = ramus_builder_param(b, RAMUS_ROLE_NORM_BIAS, 1, width);
    return ramus_norm(b->graph, x, residual, gain, bias, b->arch->norm_epsilon);
}

static ramus_tensor *as_it_is(ramus_builder *b, ramus_tensor *x)
{
    (void)b;
    return x;
}

static ramus_tensor *normalise(ramus_builder *b, ramus_tensor *x)
{
    return build_norm(b, x, NULL);
}

static ramus_tensor *normalise_sum(ramus_builder *b, ramus_tensor *x, ramus_tensor *y)
{
    return build_norm(b, y, x);
}

static ramus_tensor *add(ramus_builder *b, ramus_tensor *x, ramus_tensor *y)
{
    return ramus_add(b->graph, x, y);
}

// clang-format off
const char *const ramus_norm_names[] = {[RAMUS_NORM_POST] = "post", [RAMUS_NORM_PRE] = "pre", NULL};
static const placement placements[] = {
    //                   a sublayer reads  and gives      the stack gives
    [RAMUS_NORM_POST] = {as_it_is,         normalise_sum, as_it_is},
    [RAMUS_NORM_PRE]  = {normalise,        add,           normalise},
};
// clang-format on

ramus_tensor *ramus_sublayer_enter(ramus_builder *b, ramus_tensor *x)
{
    return placements[b->arch->norm].enter(b, x);
}

ramus_tensor *ramus_sublayer_leave(ramus_builder *b, ramus_tensor *x, ramus_tensor *y)
{
    return placements[b->arch->norm].leave(b, x, ramus_dropout(b->graph, y, b->objective->dropout));
}

ramus_tensor *ramus_stack_enter(ramus_builder *b, ramus_tensor *x)
{
    if (!b->arch->embedding_norm) return x;
    b->site.place = RAMUS_NORM_EMBEDDING;
    x = build_norm(b, x, NULL);
    b->site.place = 0;
    return x;
}

ramus_tensor *ramus_stack_leave(ramus_builder *b, ramus_tensor *x)
{
    return placements[b->arch->norm].stack(b, x);
}
