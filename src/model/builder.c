/* The graph knows parameters by name; a model declares them by role and site. */
#include "model/builder.h"

ramus_tensor *ramus_builder_param(const ramus_builder *b, ramus_role role, int n_dims,
                                  const int *dims)
{
    char name[RAMUS_MAX_NAME];
    double scale = 0;
    const int width = b->site.stack ? ramus_arch_width(b->arch, b->site.stack) : dims[n_dims - 1];
    const ramus_init init = ramus_role_init(role, width, &scale);
    ramus_param_name(name, role, &b->site);
    ramus_tensor *t = ramus_param(b->graph, name, n_dims, dims, init, scale);
    t->role = role;
    t->site = b->site;
    return t;
}
