/* Gates are found in a build of the model without data. Counts are one table per gate: branch by
 * piece. */
#include "runtime/gates.h"

#include "model/routing.h"
#include "model/transformer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_LAYER 3 // figure of Tan et al. 2022: the fourth

static int words_of(const ramus_gates *g, bool target)
{
    return target ? g->model->arch.target_vocab : g->model->arch.source_vocab;
}

/* Lists the gates as ramus_token.gates has them: those of a phase in graph order. */
static void list_sites(ramus_gates *g, const ramus_graph *graph)
{
    static const ramus_phase phases[] = {RAMUS_SOURCE, RAMUS_TARGET};
    for (int side = 0; side < 2; side++) {
        int place = 0;
        for (ramus_tensor *gate = NULL; (gate = ramus_gate_next(graph, gate));) {
            if (gate->phase != phases[side]) continue;
            ramus_gate_site *s = &g->sites[g->n++];
            *s = (ramus_gate_site){.site = gate->site, .target = side == 1, .place = place};
            place++;
            if (s->site.place == RAMUS_GATE_X) s->site.place = 0; // goes without saying
            ramus_site_name(s->name, &s->site);
        }
    }
}

static ramus_status make_counts(ramus_gates *g, ramus_error *err)
{
    size_t words = 0;
    for (int i = 0; i < g->n; i++)
        words += (size_t)words_of(g, g->sites[i].target);
    g->counts = calloc(words * (size_t)g->branches + 1, sizeof *g->counts);
    if (!g->counts) return ramus_fail_memory(err, "the counts of the branches");
    uint64_t *next = g->counts;
    for (int i = 0; i < g->n; i++) {
        g->sites[i].counts = next;
        next += (size_t)words_of(g, g->sites[i].target) * (size_t)g->branches;
    }
    return RAMUS_OK;
}

ramus_status ramus_gates_create(ramus_gates **out, const ramus_model *model, ramus_error *err)
{
    const ramus_arch *a = &model->arch;
    const ramus_limits one = {1, 1, 1};
    const ramus_build build = {.kind = RAMUS_STEP,
                               .head = RAMUS_HEAD_SEARCH,
                               .source = one,
                               .target = one,
                               .best = 1,
                               .gates = true};
    ramus_graph *graph = NULL;
    if (a->routing == RAMUS_DENSE)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "the model is dense and has no gates: expected one that was trained with "
                          "--routing dmb, moe or switch");
    ramus_gates *g = calloc(1, sizeof *g);
    if (!g) return ramus_fail_memory(err, "the gates");
    g->model = model;
    g->branches = a->branches;
    ramus_status st = ramus_transformer_create(&graph, a, &build, err);
    if (st) goto done;
    g->sites = calloc((size_t)graph->n_nodes, sizeof *g->sites);
    if (!g->sites) {
        st = ramus_fail_memory(err, "the gates");
        goto done;
    }
    list_sites(g, graph);
    st = make_counts(g, err);
    if (st) goto done;
    *out = g;
    g = NULL;
done:
    ramus_graph_destroy(graph);
    ramus_gates_destroy(g);
    return st;
}

void ramus_gates_destroy(ramus_gates *g)
{
    if (!g) return;
    free(g->counts);
    free(g->sites);
    free(g);
}

/* How far a gate is from the one that the paper shows: by layer, in the encoder's attention if
 * that is routed. */
static int distance(const ramus_gate_site *s)
{
    const int far = s->site.stack != RAMUS_STACK_ENCODER           ? 2000
                    : s->site.sublayer != RAMUS_SUBLAYER_ATTENTION ? 1000
                                                                   : 0;
    return far + abs(s->site.layer - SHOWN_LAYER);
}

/* Fails with the names that there are: "encoder.0-5.ffn" for six of them. */
static ramus_status fail_unknown(const ramus_gates *g, const char *name, ramus_error *err)
{
    ramus_buffer list = {0};
    for (int i = 0; i < g->n; i++) {
        const ramus_gate_site *s = &g->sites[i];
        const int layers = s->site.stack == RAMUS_STACK_ENCODER ? g->model->arch.encoder_layers
                                                                : g->model->arch.decoder_layers;
        const ramus_site stack = {.stack = s->site.stack},
                         kind = {.sublayer = s->site.sublayer, .place = s->site.place};
        char before[RAMUS_MAX_NAME], after[RAMUS_MAX_NAME];
        if (s->site.layer != 0) continue;
        ramus_site_name(before, &stack);
        ramus_site_name(after, &kind);
        ramus_buffer_print(&list, "%s%s.", list.size ? ", " : "", before);
        ramus_buffer_print(&list, layers > 1 ? "0-%d.%s" : "%d.%s", layers - 1, after);
    }
    ramus_status st = ramus_buffer_check(&list, err);
    if (!st)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT,
                        "no sublayer '%.60s' is routed; those that are: %s", name, list.data);
    ramus_buffer_free(&list);
    return st;
}

ramus_status ramus_gates_find(const ramus_gate_site **out, const ramus_gates *g, const char *name,
                              ramus_error *err)
{
    const ramus_gate_site *found = name ? NULL : &g->sites[0];
    for (int i = 0; i < g->n; i++) {
        const ramus_gate_site *s = &g->sites[i];
        if (name ? strcmp(s->name, name) == 0 : distance(s) < distance(found)) found = s;
    }
    if (!found) return fail_unknown(g, name, err);
    *out = found;
    return RAMUS_OK;
}

const ramus_token *ramus_gate_tokens(const ramus_gate_site *s, const ramus_translation *t, int *n)
{
    *n = s->target ? t->n_target : t->n_source;
    return s->target ? t->target : t->source;
}

void ramus_gates_add(ramus_gates *g, const ramus_translation *t)
{
    for (int i = 0; i < g->n; i++) {
        const ramus_gate_site *s = &g->sites[i];
        const size_t words = (size_t)words_of(g, s->target);
        int n = 0;
        const ramus_token *tokens = ramus_gate_tokens(s, t, &n);
        for (int k = 0; k < n; k++)
            s->counts[(size_t)tokens[k].gates[s->place] * words + (size_t)tokens[k].id]++;
    }
}

uint64_t ramus_gates_taken(const ramus_gates *g, const ramus_gate_site *s, int branch)
{
    const size_t words = (size_t)words_of(g, s->target);
    uint64_t sum = 0;
    for (size_t i = 0; i < words; i++)
        sum += s->counts[(size_t)branch * words + i];
    return sum;
}

uint64_t ramus_gates_total(const ramus_gates *g, const ramus_gate_site *s)
{
    uint64_t sum = 0;
    for (int b = 0; b < g->branches; b++)
        sum += ramus_gates_taken(g, s, b);
    return sum;
}

double ramus_gates_entropy(const ramus_gates *g, const ramus_gate_site *s)
{
    const double total = (double)ramus_gates_total(g, s);
    double sum = 0;
    for (int b = 0; b < g->branches; b++) {
        const double share = (double)ramus_gates_taken(g, s, b) / total;
        if (share > 0) sum -= share * log(share);
    }
    return sum;
}

int ramus_gates_frequent(const ramus_gates *g, const ramus_gate_site *s, int branch,
                         ramus_gate_word *out, int n)
{
    const int words = words_of(g, s->target);
    const uint64_t *counts = s->counts + (size_t)branch * (size_t)words;
    int found = 0;
    for (int id = 0; id < words; id++) {
        int at = found;
        while (at > 0 && out[at - 1].count < counts[id])
            at--;
        if (counts[id] == 0 || at == n) continue;
        if (found < n) found++;
        memmove(out + at + 1, out + at, (size_t)(found - 1 - at) * sizeof *out);
        uint64_t all = 0;
        for (int b = 0; b < g->branches; b++)
            all += s->counts[(size_t)b * (size_t)words + (size_t)id];
        out[at] = (ramus_gate_word){
            .piece = ramus_vocab_piece(g->model->vocabs[s->target ? 1 : 0], id),
            .count = counts[id],
            .share = (double)counts[id] / (double)all,
        };
    }
    return found;
}
