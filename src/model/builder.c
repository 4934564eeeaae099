/* The graph knows parameters by name; a model declares them by role and site. */
#include "model/builder.h"

ramus_tensor *ramus_builder_param(const ramus_builder *b, ramus_role role, int n_dims,
                                  const int *dims, ramus_init init, double init_scale)
{
    char name[RAMUS_MAX_NAME];
    ramus_param_name(name, role, &b->site);
    ramus_tensor *t = ramus_param(b->graph, name, n_dims, dims, init, init_scale);
    t->role = role;
    t->site = b->site;
    return t;
}
