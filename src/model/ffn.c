/* A sublayer is: gate, norm, the hidden layer, the map out, residual. An activation is how the
 * hidden layer is made: a new one is an enum value in arch.h, its name, function and row. */
#include "model/ffn.h"

#include "graph/ops.h"
#include "model/norm.h"
#include "model/routing.h"

/* x [R, D] -> [R, filter] */
typedef ramus_tensor *activation(ramus_builder *b, ramus_tensor *x, const ramus_route *route);

static ramus_tensor *map_in(ramus_builder *b, ramus_tensor *x, const ramus_route *route, bool relu)
{
    const ramus_map_spec spec = {
        .width = ramus_arch_filter(b->arch, &b->site), .gain = 1, .relu = relu};
    return ramus_map(b, x, RAMUS_MAP_IN, route, &spec);
}

static ramus_tensor *relu(ramus_builder *b, ramus_tensor *x, const ramus_route *route)
{
    return map_in(b, x, route, true);
}

static ramus_tensor *swish(ramus_builder *b, ramus_tensor *x, const ramus_route *route)
{
    return ramus_activate(b->graph, map_in(b, x, route, false), RAMUS_SWISH);
}

static ramus_tensor *gelu(ramus_builder *b, ramus_tensor *x, const ramus_route *route)
{
    return ramus_activate(b->graph, map_in(b, x, route, false), RAMUS_GELU);
}

const char *const ramus_activation_names[] = {[RAMUS_ACTIVATION_RELU] = "relu",
                                              [RAMUS_ACTIVATION_SWISH] = "swish",
                                              [RAMUS_ACTIVATION_GELU] = "gelu",
                                              NULL};
static activation *const activations[] = {[RAMUS_ACTIVATION_RELU] = relu,
                                          [RAMUS_ACTIVATION_SWISH] = swish,
                                          [RAMUS_ACTIVATION_GELU] = gelu};

ramus_tensor *ramus_feed_forward(ramus_builder *b, ramus_tensor *x)
{
    const ramus_arch *a = b->arch;
    const ramus_map_spec out = {.width = x->dims[1], .gain = 1, .output = true};
    const ramus_route route = ramus_gate(b, x, RAMUS_GATE_X, a->routed != RAMUS_ROUTED_ATTENTION);
    ramus_tensor *hidden = activations[a->activation](b, ramus_sublayer_enter(b, x), &route);
    hidden = ramus_dropout(b->graph, hidden, b->objective->relu_dropout);
    return ramus_sublayer_leave(b, x, ramus_map(b, hidden, RAMUS_MAP_OUT, &route, &out));
}
