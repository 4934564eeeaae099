/* A sublayer is: gate, norm, the hidden layer, the map out, residual. An activation is how the
 * hidden layer is made: a new one is an enum value in arch.h, its name, function and row. */
#include "model/ffn.h"

#include "graph/ops.h"
#include "model/norm.h"
#include "model/routing.h"

/* x [R, D] -> [R, filter] */
typedef ramus_tensor *activation(ramus_builder *b, ramus_tensor *x, const ramus_route *route);

static ramus_tensor *relu(ramus_builder *b, ramus_tensor *x, const ramus_route *route)
{
    const ramus_map_spec spec = {.width = b->arch->filter, .gain = 1, .relu = true};
    return ramus_map(b, x, RAMUS_MAP_IN, route, &spec);
}

const char *const ramus_activation_names[] = {[RAMUS_ACTIVATION_RELU] = "relu", NULL};
static activation *const activations[] = {[RAMUS_ACTIVATION_RELU] = relu};

ramus_tensor *ramus_feed_forward(ramus_builder *b, ramus_tensor *x)
{
    const ramus_arch *a = b->arch;
    const ramus_map_spec out = {.width = a->width, .gain = 1, .output = true};
    const ramus_route route = ramus_gate(b, x, RAMUS_GATE_X, a->routed != RAMUS_ROUTED_ATTENTION);
    ramus_tensor *hidden = activations[a->activation](b, ramus_sublayer_enter(b, x), &route);
    hidden = ramus_dropout(b->graph, hidden, b->objective->relu_dropout);
    return ramus_sublayer_leave(b, x, ramus_map(b, hidden, RAMUS_MAP_OUT, &route, &out));
}
