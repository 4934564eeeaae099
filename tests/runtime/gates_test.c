/* Gates by name: what tokens took is what the full graph's tensors of that name hold; counts are
 * those of a plain loop. */
#include "runtime/gates.h"

#include "graph/run.h"
#include "train/learner.h"

#include "runtime/sessions.h"

#define TEXTS  12
#define LENGTH 600 // tokens of a side, at most
#define TOP    7

/* Settings in pairs, ended by NULL. */
static const char *const kinds[][10] = {
    {"routing", "dmb", "encoder-layers", "3", "decoder-layers", "2", "branches", "3", NULL},
    {"routing", "dmb", "encoder-layers", "6", "decoder-layers", "1", "routed", "ffn", NULL},
    {"routing", "moe", "encoder-layers", "2", "decoder-layers", "2", "routed", "attention", NULL},
    {"routing", "switch", "encoder-layers", "1", "decoder-layers", "2", "norm", "pre", NULL},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

static ramus_model *make_model(const char *const *settings)
{
    ramus_error err = {0};
    ramus_arch a = {0};
    const ramus_settings s = ramus_arch_settings(&a);
    ramus_vocab *vocabs[2] = {vocab_load("unigram-8k", false), vocab_load("bpe-4k", false)};
    ramus_settings_default(&s);
    a.width = 16;
    a.filter = ramus_numbers_of(20);
    a.heads = ramus_numbers_of(2);
    a.source_vocab = ramus_vocab_count(vocabs[0]);
    a.target_vocab = ramus_vocab_count(vocabs[1]);
    for (; *settings; settings += 2)
        REQUIRE_OK(ramus_setting_set(&s, ramus_setting_find(&s, settings[0]), settings[1], &err),
                   err);
    REQUIRE_OK(ramus_arch_check(&a, &err), err);
    ramus_model *m = NULL;
    ramus_weights *w = weights_create(&a, ramus_vocab_eos(vocabs[1]));
    REQUIRE_OK(ramus_model_from(&m, &a, w, vocabs, &err), err);
    return m;
}

static ramus_gates *make_gates(const ramus_model *m)
{
    ramus_error err = {0};
    ramus_gates *g = NULL;
    REQUIRE_OK(ramus_gates_create(&g, m, &err), err);
    return g;
}

/* Translates lines of a text; the caller ends the session, the model and the file. */
static ramus_session *translate(const ramus_model *m, ramus_file *file, ramus_translation *out)
{
    ramus_error err = {0};
    ramus_text texts[TEXTS];
    *file = golden_lines("sample.en-de", texts, TEXTS);
    ramus_session *s = session_create(m, (ramus_session_options){0, 2, 256, 4, 1, true});
    REQUIRE_OK(ramus_translate_all(s, texts, TEXTS, NULL, out, &err), err);
    return s;
}

/* --- names ------------------------------------------------------------------------------------ */

typedef struct {
    ramus_graph *graph;
    ramus_run *run;
} full_graph;

static full_graph make_full(const ramus_model *m)
{
    ramus_error err = {0};
    full_graph f = {0};
    const ramus_limits limits = {LENGTH, 1, LENGTH};
    const ramus_build build = {.kind = RAMUS_FULL,
                               .head = RAMUS_HEAD_LOSS,
                               .source = limits,
                               .target = limits,
                               .gates = true};
    REQUIRE_OK(ramus_transformer_create(&f.graph, &m->arch, &build, &err), err);
    REQUIRE_OK(ramus_run_create(&f.run, f.graph, NULL, &err), err);
    ramus_weights_bind(f.graph, m->weights, NULL);
    ramus_run_forward(f.run, RAMUS_WEIGHTS, RAMUS_WEIGHTS);
    return f;
}

/* Runs the whole model over the tokens of a translation of one sentence. */
static void run_full(const full_graph *f, const ramus_model *m, const ramus_translation *t)
{
    int source[LENGTH], target[LENGTH], lengths[2];
    RAMUS_ASSERT(t->n_source < LENGTH && t->n_target < LENGTH);
    for (int i = 0; i < t->n_source; i++)
        source[i] = t->source[i].id;
    for (int i = 0; i < t->n_target; i++)
        target[i] = t->target[i].id;
    source[t->n_source] = ramus_vocab_eos(m->vocabs[0]);
    target[t->n_target] = ramus_vocab_eos(m->vocabs[1]);
    const ramus_pair pair = {source, target, t->n_source + 1, t->n_target + 1};
    const ramus_batch batch = {.pairs = &pair,
                               .n = 1,
                               .source_tokens = pair.source_length,
                               .target_tokens = pair.target_length};
    ramus_batch_set(f->graph, &batch, lengths);
    ramus_run_forward(f->run, RAMUS_SOURCE, RAMUS_TARGET);
}

/* "decoder.0.cross.kv" is "decoder.0.cross.gate.kv.index" in the graph, "encoder.0.ffn"
 * "encoder.0.ffn.gate.x.index". */
static const ramus_tensor *find_index(const full_graph *f, const char *name)
{
    char full[2 * RAMUS_MAX_NAME];
    const char *cross = strstr(name, ".cross.");
    if (cross)
        (void)snprintf(full, sizeof full, "%.*s.cross.gate.%s.index", (int)(cross - name), name,
                       cross + strlen(".cross."));
    else
        (void)snprintf(full, sizeof full, "%s.gate.x.index", name);
    return ramus_graph_find(f->graph, full);
}

static void expect_site(const full_graph *f, const ramus_gate_site *s, const ramus_translation *t)
{
    const ramus_tensor *index = find_index(f, s->name);
    int n = 0;
    const ramus_token *tokens = ramus_gate_tokens(s, t, &n);
    EXPECT(index != NULL, "%s is no gate of the full graph", s->name);
    if (!index) return;
    EXPECT(index->axis == (s->target ? &f->graph->target : &f->graph->source), "side of %s",
           s->name);
    for (int i = 0; i < n; i++)
        EXPECT(tokens[i].gates[s->place] == ((const int *)index->data)[i * index->dims[1]],
               "%s: token %d took branch %d, in the full graph %d", s->name, i,
               tokens[i].gates[s->place], ((const int *)index->data)[i * index->dims[1]]);
}

static void names_and_branches_are_those_of_the_full_graph(void)
{
    for (int k = 0; k < KINDS; k++) {
        ramus_translation out[TEXTS];
        ramus_file file = {0};
        ramus_model *m = make_model(kinds[k]);
        ramus_gates *g = make_gates(m);
        ramus_session *session = translate(m, &file, out);
        full_graph full = make_full(m);
        int n_gates = 0;
        for (int i = 0; i < full.graph->n_named; i++)
            n_gates += strstr(full.graph->named[i]->name, ".index") != NULL;
        EXPECT_INT(g->n, n_gates, "gates");
        for (int i = 0; i < TEXTS; i++) {
            if (out[i].sentences != 1) continue;
            run_full(&full, m, &out[i]);
            for (int j = 0; j < g->n; j++)
                expect_site(&full, &g->sites[j], &out[i]);
        }
        ramus_run_destroy(full.run);
        ramus_graph_destroy(full.graph);
        ramus_session_destroy(session);
        ramus_gates_destroy(g);
        ramus_model_close(m);
        ramus_file_unmap(&file);
    }
}

static void the_nearest_to_the_papers_is_shown(void)
{
    static const char *const want[KINDS] = {"encoder.2.attention", "encoder.3.ffn",
                                            "encoder.1.attention", "encoder.0.attention"};
    ramus_error err = {0};
    for (int k = 0; k < KINDS; k++) {
        ramus_model *m = make_model(kinds[k]);
        ramus_gates *g = make_gates(m);
        const ramus_gate_site *s = NULL;
        REQUIRE_OK(ramus_gates_find(&s, g, NULL, &err), err);
        EXPECT_TEXT(s->name, want[k]);
        for (int i = 0; i < g->n; i++) {
            REQUIRE_OK(ramus_gates_find(&s, g, g->sites[i].name, &err), err);
            EXPECT(s == &g->sites[i], "%s is found by its name", g->sites[i].name);
        }
        EXPECT_FAILS(ramus_gates_find(&s, g, "encoder.99.ffn", &err), err, "'encoder.99.ffn'");
        if (k == 0)
            EXPECT(strstr(err.message,
                          ": encoder.0-2.attention, encoder.0-2.ffn, decoder.0-1.cross.kv, "
                          "decoder.0-1.attention, decoder.0-1.cross.q, decoder.0-1.ffn"),
                   "the list is in: %s", err.message);
        ramus_gates_destroy(g);
        ramus_model_close(m);
    }
}

static void a_dense_model_has_no_gates(void)
{
    static const char *const dense[] = {"routing", "dense", NULL};
    ramus_error err = {0};
    ramus_gates *g = NULL;
    ramus_model *m = make_model(dense);
    EXPECT_FAILS(ramus_gates_create(&g, m, &err), err, "dense");
    EXPECT(g == NULL, "nothing comes out");
    ramus_model_close(m);
}

/* --- counts ----------------------------------------------------------------------------------- */

/* How often the gate gave the branch to a piece of that text; all pieces: NULL. */
static long count_plainly(const ramus_gate_site *s, const ramus_translation *t, int branch,
                          const char *piece)
{
    long count = 0;
    for (int i = 0; i < TEXTS; i++) {
        const int n = s->target ? t[i].n_target : t[i].n_source;
        const ramus_token *tokens = s->target ? t[i].target : t[i].source;
        for (int k = 0; k < n; k++)
            count += tokens[k].gates[s->place] == branch &&
                     (!piece || strcmp(tokens[k].piece, piece) == 0);
    }
    return count;
}

/* The most frequent pieces: true counts, falling, and no other piece has more than the last. */
static void expect_frequent(const ramus_gates *g, const ramus_gate_site *s, int branch,
                            const ramus_translation *t)
{
    ramus_gate_word words[TOP];
    const int n = ramus_gates_frequent(g, s, branch, words, TOP);
    for (int i = 0; i < n; i++) {
        long all = 0;
        for (int b = 0; b < g->branches; b++)
            all += count_plainly(s, t, b, words[i].piece);
        const long count = count_plainly(s, t, branch, words[i].piece);
        EXPECT_INT(words[i].count, count, words[i].piece);
        EXPECT_NEAR(words[i].share, (double)count / (double)all, 1e-12, words[i].piece);
        EXPECT(i == 0 || words[i - 1].count >= words[i].count, "counts fall");
        for (int k = 0; k < i; k++)
            EXPECT(strcmp(words[k].piece, words[i].piece) != 0, "%s comes once", words[i].piece);
    }
    for (int i = 0; i < TEXTS; i++) {
        int n_tokens = 0;
        const ramus_token *tokens = ramus_gate_tokens(s, &t[i], &n_tokens);
        for (int k = 0; k < n_tokens; k++) {
            bool listed = tokens[k].gates[s->place] != branch;
            for (int j = 0; j < n; j++)
                listed = listed || strcmp(words[j].piece, tokens[k].piece) == 0;
            if (listed) continue;
            EXPECT_INT(n, TOP, "the list is full where a piece is missing");
            EXPECT(count_plainly(s, t, branch, tokens[k].piece) <= (long)words[n - 1].count,
                   "%s is missing", tokens[k].piece);
        }
    }
}

static void counts_are_those_of_a_plain_loop(void)
{
    ramus_translation out[TEXTS];
    ramus_file file = {0};
    ramus_model *m = make_model(kinds[0]);
    ramus_gates *g = make_gates(m);
    ramus_session *session = translate(m, &file, out);
    EXPECT_NEAR(ramus_gates_entropy(g, &g->sites[0]), 0, 0, "entropy of nothing");
    for (int i = 0; i < TEXTS; i++)
        ramus_gates_add(g, &out[i]);
    for (int i = 0; i < g->n; i++) {
        const ramus_gate_site *s = &g->sites[i];
        long total = 0, n_tokens = 0;
        double entropy = 0;
        for (int k = 0; k < TEXTS; k++)
            n_tokens += s->target ? out[k].n_target : out[k].n_source;
        for (int b = 0; b < g->branches; b++) {
            const long count = count_plainly(s, out, b, NULL);
            const double share = (double)count / (double)n_tokens;
            EXPECT_INT(ramus_gates_taken(g, s, b), count, s->name);
            entropy -= count ? share * log(share) : 0;
            total += count;
            expect_frequent(g, s, b, out);
        }
        EXPECT_INT(total, n_tokens, "every token took a branch");
        EXPECT_INT(ramus_gates_total(g, s), n_tokens, s->name);
        EXPECT_NEAR(ramus_gates_entropy(g, s), entropy, 1e-12, s->name);
    }
    ramus_session_destroy(session);
    ramus_gates_destroy(g);
    ramus_model_close(m);
    ramus_file_unmap(&file);
}

CHECK_MAIN({"names_and_branches_are_those_of_the_full_graph",
            names_and_branches_are_those_of_the_full_graph},
           {"the_nearest_to_the_papers_is_shown", the_nearest_to_the_papers_is_shown},
           {"a_dense_model_has_no_gates", a_dense_model_has_no_gates},
           {"counts_are_those_of_a_plain_loop", counts_are_those_of_a_plain_loop})
