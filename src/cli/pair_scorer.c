/* Lines become ids one after the other; a run makes pairs of them. */
#include "cli/pair_scorer.h"

#include "convert/load.h"

#include <stdlib.h>

ramus_status ramus_pair_scorer_open(ramus_pair_scorer *s, const char *model, int threads,
                                    ramus_error *err)
{
    ramus_status st = ramus_model_load(&s->model, model, err);
    for (int side = 0; side < 2 && !st; side++)
        st = ramus_tokenizer_create(&s->tok[side], s->model->vocabs[side], err);
    if (!st) st = ramus_pool_create(&s->pool, threads ? threads : ramus_cores_available(), err);
    if (st) return st;
    const ramus_scorer_spec spec = {.arch = &s->model->arch,
                                    .weights = s->model->weights,
                                    .max_length = RAMUS_PAIR_SCORER_LENGTH,
                                    .pool = s->pool};
    return ramus_scorer_create(&s->scorer, &spec, err);
}

void ramus_pair_scorer_close(ramus_pair_scorer *s)
{
    ramus_scorer_destroy(s->scorer);
    ramus_pool_destroy(s->pool);
    ramus_tokenizer_destroy(s->tok[0]);
    ramus_tokenizer_destroy(s->tok[1]);
    ramus_model_close(s->model);
    ramus_ids_free(&s->ids);
    *s = (ramus_pair_scorer){0};
}

ramus_status ramus_pair_scorer_add(ramus_pair_scorer *s, ramus_scored_pair *pair, int side,
                                   const char *text, size_t size, ramus_error *err)
{
    pair->first[side] = s->ids.n;
    ramus_status st = ramus_tokenizer_encode(s->tok[side], text, size, &s->ids, err);
    if (!st) st = ramus_ids_add(&s->ids, ramus_vocab_eos(s->model->vocabs[side]), err);
    if (!st) pair->n[side] = s->ids.n - pair->first[side];
    return st;
}

ramus_status ramus_pair_scorer_run(ramus_pair_scorer *s, const ramus_scored_pair *pairs, int n,
                                   ramus_real **log_probs, ramus_error *err)
{
    size_t tokens = 0;
    for (int i = 0; i < n; i++)
        tokens += (size_t)pairs[i].n[1];
    ramus_status st = RAMUS_OK;
    ramus_pair *ids = calloc((size_t)n + 1, sizeof *ids);
    ramus_real *scores = calloc(tokens + 1, sizeof *scores);
    if (!ids || !scores) {
        st = ramus_fail_memory(err, "the scores");
        goto done;
    }
    for (int i = 0; i < n; i++)
        ids[i] = (ramus_pair){s->ids.data + pairs[i].first[0], s->ids.data + pairs[i].first[1],
                              pairs[i].n[0], pairs[i].n[1]};
    st = ramus_scorer_run(s->scorer, ids, n, scores, err);
    if (st) goto done;
    *log_probs = scores;
    scores = NULL;
done:
    free(ids);
    free(scores);
    return st;
}
