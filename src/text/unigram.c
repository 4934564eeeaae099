/* Unigram language model: the segmentation whose pieces have the largest sum of scores, or one
 * drawn at random (Kudo 2018, "Subword regularization"). */
#include "base/math.h"
#include "text/segment.h"

#include <math.h>
#include <string.h>

#define UNKNOWN_PENALTY 10.0f // below the least score of all pieces
#define MOST_WEIGHT     1e30  // far above any true score; sums over a text stay finite

/* The best way to cut the text up to a place: the last piece, and what all pieces sum to. Where no
 * piece ends yet, all bits are set: `score` is then a NaN. */
typedef struct path {
    float score;
    int32_t start, id;
} path;

static ramus_status set_segments(ramus_tokenizer *t, const path *paths, ramus_error *err)
{
    const int size = t->text_size;
    ramus_segment *all = ramus_scratch_reserve(&t->segment_memory, (size_t)size, sizeof *all);
    if (!all) return ramus_fail_memory(err, "segments");
    int first = size;
    for (int end = size; end > 0; end = paths[end].start)
        all[--first] = (ramus_segment){paths[end].id, end};
    t->segments = all + first;
    t->n_segments = size - first;
    return RAMUS_OK;
}

/* Takes the path over `start` if it is better than the one that `p` holds. SentencePiece keeps sums
 * as float but compares the new one before it is rounded; ties and near ties depend on that. */
static inline void improve(path *p, double score, int start, int id)
{
    if (score <= (double)p->score) return;
    *p = (path){(float)score, start, id};
}

ramus_status ramus_unigram_segment(ramus_tokenizer *t, ramus_error *err)
{
    const ramus_vocab *v = t->vocab;
    const unsigned char *text = (const unsigned char *)t->text.data;
    const int size = t->text_size;
    const float unknown_score = v->least_score - UNKNOWN_PENALTY;

    path *paths = ramus_scratch_reserve(&t->paths, (size_t)size + 1, sizeof *paths);
    if (!paths) return ramus_fail_memory(err, "a segmentation");
    memset(paths, 0xFF, ((size_t)size + 1) * sizeof *paths);
    paths[0].score = 0;

    for (int start = 0, length = 0; start < size; start += length) {
        const float so_far = paths[start].score;
        bool covered = false; // a piece is exactly this character
        length = ramus_lead_size(text[start]);
        if (length > size - start) length = size - start;

        uint32_t state = RAMUS_TRIE_ROOT;
        for (int at = start;; at++) { // the zero behind the text ends every walk
            state = ramus_trie_step(&v->normal, state, text[at]);
            if (state == RAMUS_TRIE_NONE) break;
            const int id = v->normal.units[state].value;
            if (id < 0) continue;
            const ramus_piece *p = &v->pieces[id];
            double score = (double)p->score;
            const int n = at + 1 - start;
            if (p->kind != RAMUS_PIECE_NORMAL) {
                if (p->kind == RAMUS_PIECE_UNUSED) continue;
                score = (double)((float)n * v->most_score) - 0.1; // a user's piece always wins
            }
            improve(&paths[at + 1], score + (double)so_far, start, id);
            if (n == length) covered = true;
        }
        if (!covered)
            improve(&paths[start + length], (double)(unknown_score + so_far), start, v->unk);
    }
    return set_segments(t, paths, err);
}

/* A piece that may stand at text[start .. end), in the list of those with the same end. */
typedef struct node {
    double weight; // alpha * score
    int32_t start, id, next;
} node;

/* What ends at a place: its list, and the logarithm of the sum over all ways to get there. */
typedef struct place {
    double total;
    int32_t first; // -1: nothing ends here
} place;

typedef struct lattice {
    ramus_tokenizer *t;
    place *places;
    int n_nodes;
    double alpha;
} lattice;

static double add_logs(double x, double y)
{
    const double most = x > y ? x : y, least = x > y ? y : x;
    return most + ramus_math_log(1 + ramus_math_exp(least - most));
}

static bool add_node(lattice *l, int start, int end, int id, float score)
{
    node *nodes = ramus_scratch_reserve(&l->t->nodes, (size_t)l->n_nodes + 1, sizeof *nodes);
    if (!nodes) return false;
    place *p = &l->places[end];
    const double weight = fmax(-MOST_WEIGHT, fmin(l->alpha * (double)score, MOST_WEIGHT));
    const double way = l->places[start].total + weight;
    nodes[l->n_nodes] = (node){weight, start, id, p->first};
    p->total = p->first < 0 ? way : add_logs(p->total, way);
    p->first = l->n_nodes++;
    return true;
}

static int count_characters(const unsigned char *text, int size)
{
    int n = 0;
    for (int at = 0; at < size; at += ramus_lead_size(text[at]))
        n++;
    return n;
}

/* Adds all pieces that begin at `start`; *length becomes the size of the character there. */
static bool add_nodes_at(lattice *l, int start, int *length)
{
    const ramus_vocab *v = l->t->vocab;
    const unsigned char *text = (const unsigned char *)l->t->text.data;
    const int size = l->t->text_size;
    bool covered = false;
    *length = ramus_lead_size(text[start]);
    if (*length > size - start) *length = size - start;

    uint32_t state = RAMUS_TRIE_ROOT;
    for (int at = start;; at++) {
        state = ramus_trie_step(&v->normal, state, text[at]);
        if (state == RAMUS_TRIE_NONE) break;
        const int id = v->normal.units[state].value;
        if (id < 0 || v->pieces[id].kind == RAMUS_PIECE_UNUSED) continue;
        const int n = at + 1 - start;
        float score = v->pieces[id].score;
        if (v->pieces[id].kind == RAMUS_PIECE_USER)
            score =
                (float)((double)((float)count_characters(text + start, n) * v->most_score) - 0.1);
        if (!add_node(l, start, at + 1, id, score)) return false;
        if (n == *length) covered = true;
    }
    return covered || add_node(l, start, start + *length, v->unk, v->least_score - UNKNOWN_PENALTY);
}

/* Draws the last piece of the text that ends at `end`, by its share of all ways to get there. */
static const node *draw_node(const lattice *l, int end, double chance)
{
    const node *nodes = l->t->nodes.data, *chosen = NULL;
    double sum = 0;
    for (int i = l->places[end].first; i >= 0; i = nodes[i].next) {
        chosen = &nodes[i];
        const double share = l->places[chosen->start].total + chosen->weight - l->places[end].total;
        sum += ramus_math_exp(share < 0 ? share : 0); // above 0 by rounding only
        if (chance < sum) break;
    }
    return chosen;
}

ramus_status ramus_unigram_sample(ramus_tokenizer *t, const ramus_sampling *how, ramus_error *err)
{
    const int size = t->text_size;
    lattice l = {.t = t, .alpha = how->alpha};
    l.places = ramus_scratch_reserve(&t->paths, (size_t)size + 1, sizeof *l.places);
    ramus_segment *all = ramus_scratch_reserve(&t->segment_memory, (size_t)size, sizeof *all);
    if (!l.places || !all) return ramus_fail_memory(err, "a segmentation");
    for (int i = 0; i <= size; i++)
        l.places[i] = (place){0, -1};
    for (int start = 0, length = 0; start < size; start += length)
        if (!add_nodes_at(&l, start, &length)) return ramus_fail_memory(err, "a segmentation");

    int first = size;
    uint64_t n_drawn = 0;
    for (int end = size; end > 0;) {
        const node *n = draw_node(&l, end, ramus_rng_uniform(&how->rng, n_drawn++));
        all[--first] = (ramus_segment){n->id, end};
        end = n->start;
    }
    t->segments = all + first;
    t->n_segments = size - first;
    return RAMUS_OK;
}
