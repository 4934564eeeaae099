/* The channels are split, and what becomes of them is put side by side; there is no map over both.
 * A kind of convolution is a row: whether a gated linear unit precedes it, and where its taps come
 * from. A new one is an enum value in arch.h, its name and its row. */
#include "model/lsra.h"

#include "model/attention.h"
#include "model/routing.h"

typedef struct {
    bool gated; // the map in has twice the channels: values and their gates
    /* The taps of the rows of v, heads * kernel of each, before their softmax. */
    ramus_tensor *(*taps)(ramus_builder *b, ramus_tensor *v, const ramus_route *route, int heads);
} convolution_kind;

static int kernel_of(const ramus_builder *b)
{
    return ramus_arch_taps(b->arch, &b->site);
}

/* Taps that a map computes from each row. */
static ramus_tensor *dynamic(ramus_builder *b, ramus_tensor *v, const ramus_route *route, int heads)
{
    const int kernel = kernel_of(b);
    const ramus_map_spec spec = {.width = heads * kernel, .gain = 1, .plain = true};
    return ramus_taps(b->graph, ramus_map(b, v, RAMUS_MAP_TAPS, route, &spec), kernel);
}

/* Taps that are parameters, of each branch its own. */
static ramus_tensor *lightweight(ramus_builder *b, ramus_tensor *v, const ramus_route *route,
                                 int heads)
{
    (void)v;
    const int kernel = kernel_of(b);
    ramus_tensor *taps = ramus_taps(b->graph, ramus_map_taps(b, route, heads, kernel), kernel);
    return ramus_map_choose(b, taps, route);
}

// clang-format off
const char *const ramus_encoder_convolution_names[] = {
    [RAMUS_CONVOLUTION_DYNAMIC_GLU] = "dynamic-glu", [RAMUS_CONVOLUTION_DYNAMIC] = "dynamic",
    [RAMUS_CONVOLUTION_LIGHTWEIGHT] = "lightweight", NULL};
const char *const ramus_convolution_names[] = {
    [RAMUS_CONVOLUTION_DYNAMIC_GLU] = "dynamic-glu", [RAMUS_CONVOLUTION_DYNAMIC] = "dynamic",
    [RAMUS_CONVOLUTION_LIGHTWEIGHT] = "lightweight", [RAMUS_CONVOLUTION_AS_ENCODER] = "as-encoder", NULL};
static const convolution_kind kinds[] = {
    //                                gated  taps
    [RAMUS_CONVOLUTION_DYNAMIC_GLU] = {true,  dynamic},
    [RAMUS_CONVOLUTION_DYNAMIC]     = {false, dynamic},
    [RAMUS_CONVOLUTION_LIGHTWEIGHT] = {false, lightweight},
};
// clang-format on

/* What the near channels x [R, c] become: [R, c] */
static ramus_tensor *convolve(ramus_builder *b, ramus_tensor *x, const ramus_route *route,
                              bool causal)
{
    const ramus_arch *a = b->arch;
    ramus_graph *g = b->graph;
    const int stack = b->site.stack, width = x->dims[1];
    const convolution_kind *kind = &kinds[ramus_arch_convolution(a, stack)];
    const ramus_convolution_spec spec = {
        .heads = ramus_arch_convolution_heads(a, stack), .kernel = kernel_of(b), .causal = causal};
    const ramus_map_spec in = {.width = kind->gated ? 2 * width : width, .gain = 1};
    const ramus_map_spec out = {.width = width, .gain = 1, .output = true};
    ramus_tensor *v = ramus_map(b, x, RAMUS_MAP_IN, route, &in);
    if (kind->gated) v = ramus_glu(g, v);
    ramus_tensor *taps = kind->taps(b, v, route, spec.heads);
    taps = ramus_dropout(g, taps, b->objective->convolution_dropout);
    if (causal) v = ramus_history(g, v);
    return ramus_map(b, ramus_convolution(g, v, taps, &spec), RAMUS_MAP_OUT, route, &out);
}

int ramus_lsra_far(const ramus_arch *a, int stack)
{
    return ramus_arch_width(a, stack) - ramus_arch_convolution_width(a, stack);
}

ramus_tensor *ramus_lsra(ramus_builder *b, ramus_tensor *x, const ramus_route *route, bool causal)
{
    const int width = x->dims[1], far = ramus_lsra_far(b->arch, b->site.stack);
    ramus_tensor *first = ramus_columns(b->graph, x, 0, far);
    ramus_tensor *rest = ramus_columns(b->graph, x, far, width - far);
    const ramus_heads heads = {.query = first,
                               .keys = first,
                               .route = route,
                               .keys_route = route,
                               .width = far,
                               .causal = causal};
    ramus_tensor *attended = ramus_multi_head(b, &heads);
    return ramus_beside(b->graph, attended, convolve(b, rest, route, causal));
}

ramus_status ramus_lsra_check(const ramus_arch *a, const ramus_site *site, ramus_error *err)
{
    const int width = ramus_arch_width(a, site->stack);
    const int convolved = ramus_arch_convolution_width(a, site->stack);
    const int heads = ramus_arch_convolution_heads(a, site->stack);
    const int kernel = ramus_arch_taps(a, site);
    if (convolved >= width)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "convolution-width is %d, which leaves none of %d channels to attention",
                          convolved, width);
    if (convolved % heads)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "convolution-heads is %d, expected a divisor of the %d channels that are "
                          "convolved",
                          heads, convolved);
    if (site->stack == RAMUS_STACK_ENCODER && kernel % 2 == 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "taps is %d in layer %d, expected odd numbers",
                          kernel, site->layer);
    return RAMUS_OK;
}
