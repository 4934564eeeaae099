/* A role is a row: the end of its name, whether it is a matrix, what the branches share of it, and
 * how it starts. A name is the words of the site, then the end, with points between them. */
#include "model/param.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BY_WIDTH (-1.0) // D^-1/2, for a standard deviation or half width

// clang-format off
static const struct {
    const char *name;
    bool is_matrix;
    ramus_role shared;
    ramus_init init;
    double scale;
} roles[RAMUS_ROLES] = {
    //                            end of the name     matrix what branches share       starts as
    [RAMUS_ROLE_NONE]          = {"",                 false, RAMUS_ROLE_NONE,          RAMUS_INIT_ZERO, 0},
    [RAMUS_ROLE_EMBEDDING]     = {"embedding.weight", true,  RAMUS_ROLE_NONE,          RAMUS_INIT_NORMAL, BY_WIDTH},
    [RAMUS_ROLE_SOURCE]        = {"source.weight",    true,  RAMUS_ROLE_NONE,          RAMUS_INIT_NORMAL, BY_WIDTH},
    [RAMUS_ROLE_TARGET]        = {"target.weight",    true,  RAMUS_ROLE_NONE,          RAMUS_INIT_NORMAL, BY_WIDTH},
    [RAMUS_ROLE_SOFTMAX]       = {"softmax.weight",   true,  RAMUS_ROLE_NONE,          RAMUS_INIT_NORMAL, BY_WIDTH},
    [RAMUS_ROLE_SOURCE_BIAS]   = {"source_bias",      false, RAMUS_ROLE_NONE,          RAMUS_INIT_ZERO, 0},
    [RAMUS_ROLE_OUTPUT_BIAS]   = {"output_bias",      false, RAMUS_ROLE_NONE,          RAMUS_INIT_ZERO, 0},
    [RAMUS_ROLE_WEIGHT]        = {"weight",           true,  RAMUS_ROLE_SHARED_WEIGHT, RAMUS_INIT_UNIFORM, 0},
    [RAMUS_ROLE_BIAS]          = {"bias",             false, RAMUS_ROLE_SHARED_BIAS,   RAMUS_INIT_ZERO, 0},
    [RAMUS_ROLE_SHARED_WEIGHT] = {"shared.weight",    true,  RAMUS_ROLE_NONE,          RAMUS_INIT_ZERO, 0},
    [RAMUS_ROLE_SHARED_BIAS]   = {"shared.bias",      false, RAMUS_ROLE_NONE,          RAMUS_INIT_ZERO, 0},
    [RAMUS_ROLE_TAPS]          = {"logits",           false, RAMUS_ROLE_SHARED_TAPS,   RAMUS_INIT_UNIFORM, 0},
    [RAMUS_ROLE_SHARED_TAPS]   = {"shared.logits",    false, RAMUS_ROLE_NONE,          RAMUS_INIT_ZERO, 0},
    [RAMUS_ROLE_INPUT_RANGE]   = {"input_range",      false, RAMUS_ROLE_NONE,          RAMUS_INIT_CONSTANT, 6}, // Tan et al. 2022
    [RAMUS_ROLE_WEIGHT_RANGE]  = {"weight_range",     false, RAMUS_ROLE_NONE,          RAMUS_INIT_CONSTANT, 1}, // likewise
    [RAMUS_ROLE_GATE_WEIGHT]   = {"gate.weight",      false, RAMUS_ROLE_NONE,          RAMUS_INIT_UNIFORM, BY_WIDTH},
    [RAMUS_ROLE_GATE_BIAS]     = {"gate.bias",        false, RAMUS_ROLE_NONE,          RAMUS_INIT_UNIFORM, BY_WIDTH},
    [RAMUS_ROLE_GATE_NOISE]    = {"gate.noise",       false, RAMUS_ROLE_NONE,          RAMUS_INIT_ZERO, 0},
    [RAMUS_ROLE_NORM_GAIN]     = {"norm.gain",        false, RAMUS_ROLE_NONE,          RAMUS_INIT_ONE, 0},
    [RAMUS_ROLE_NORM_BIAS]     = {"norm.bias",        false, RAMUS_ROLE_NONE,          RAMUS_INIT_ZERO, 0},
};
// clang-format on

static const char *const stacks[] = {"", "encoder", "decoder"};
static const char *const sublayers[] = {"", "attention", "cross", "ffn"};
static const char *const places[] = {"",    "q",    "k", "v", "o",  "in",
                                     "out", "taps", "x", "q", "kv", "embedding"};

bool ramus_role_is_matrix(int role)
{
    return roles[role].is_matrix;
}

ramus_role ramus_role_shared(int role)
{
    return roles[role].shared;
}

ramus_role ramus_role_unshared(int role)
{
    for (int i = 0; role && i < RAMUS_ROLES; i++)
        if (roles[i].shared == (ramus_role)role) return (ramus_role)i;
    return RAMUS_ROLE_NONE;
}

ramus_init ramus_role_init(int role, int width, double *scale)
{
    *scale = roles[role].scale < 0 ? 1 / sqrt(width) : roles[role].scale;
    return roles[role].init;
}

/* Adds a word, unless it is empty, and a point before it. */
static void append(char out[RAMUS_MAX_NAME], const char *word)
{
    const size_t size = strlen(word);
    size_t used = strlen(out);
    if (size == 0) return;
    RAMUS_ASSERT(used + 1 + size < RAMUS_MAX_NAME);
    if (used) out[used++] = '.';
    memcpy(out + used, word, size + 1);
}

void ramus_site_name(char out[RAMUS_MAX_NAME], const ramus_site *site)
{
    char layer[16] = "";
    if (site->stack && site->sublayer) (void)snprintf(layer, sizeof layer, "%d", site->layer);
    out[0] = '\0';
    append(out, stacks[site->stack]);
    append(out, layer);
    append(out, sublayers[site->sublayer]);
    append(out, places[site->place]);
}

void ramus_param_name(char out[RAMUS_MAX_NAME], int role, const ramus_site *site)
{
    ramus_site_name(out, site);
    append(out, roles[role].name);
}

void ramus_gate_name(char out[RAMUS_MAX_NAME], const ramus_site *site)
{
    ramus_site sublayer = *site;
    sublayer.place = 0;
    ramus_site_name(out, &sublayer);
    append(out, "gate");
    append(out, places[site->place]);
}

bool ramus_site_equal(const ramus_site *a, const ramus_site *b)
{
    return a->stack == b->stack && a->layer == b->layer && a->sublayer == b->sublayer &&
           a->place == b->place;
}

const ramus_weight *ramus_weights_at(const ramus_weights *w, int role, const ramus_site *site)
{
    for (int i = 0; role && i < w->n; i++)
        if (w->items[i].role == role && ramus_site_equal(&w->items[i].site, site))
            return &w->items[i];
    return NULL;
}
