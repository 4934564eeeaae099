/* Values are checked: a line end in one would be a line of its own. */
#include "serve/exchange.h"

#include <stdio.h>

void ramus_exchange_head(ramus_exchange *x, const char *name, const char *value)
{
    RAMUS_ASSERT(x->n_heads < RAMUS_ANSWER_HEADS);
    char *to = x->heads[x->n_heads].value;
    x->heads[x->n_heads++].name = name;
    (void)snprintf(to, sizeof x->heads[0].value, "%s", value);
    for (; *to; to++)
        if ((unsigned char)*to < ' ') *to = ' ';
}
