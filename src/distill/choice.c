/* Each translation is judged first; of those that pass, the closest to the reference wins, by a
 * score of one line, or the best where nothing is asked. */
#include "distill/choice.h"

#include "eval/bleu.h"
#include "eval/chrf.h"

#include <stdlib.h>
#include <string.h>

struct ramus_chooser {
    ramus_choice_rule rule;
    ramus_bleu *bleu; // NULL: not asked for
    ramus_chrf *chrf;
    int n; // lines that bleu or chrf has
};

const char *ramus_verdict_name(ramus_verdict v)
{
    static const char *const names[RAMUS_VERDICTS] = {
        [RAMUS_KEPT] = "kept",
        [RAMUS_DROPPED_EMPTY] = "empty",
        [RAMUS_DROPPED_INVALID] = "invalid",
        [RAMUS_DROPPED_UNTRANSLATED] = "untranslated",
        [RAMUS_DROPPED_LOOP] = "loop",
        [RAMUS_DROPPED_UNFINISHED] = "unfinished",
        [RAMUS_DROPPED_RATIO] = "ratio",
    };
    return names[v];
}

ramus_status ramus_chooser_create(ramus_chooser **out, const ramus_choice_rule *rule,
                                  ramus_error *err)
{
    ramus_chooser *c = calloc(1, sizeof *c);
    if (!c) return ramus_fail_memory(err, "a choice");
    const ramus_bleu_options bleu = {.tokenization = rule->tokenization};
    const ramus_chrf_options chrf = {0};
    ramus_status st = RAMUS_OK;
    c->rule = *rule;
    if (rule->closest == RAMUS_CLOSEST_BLEU) st = ramus_bleu_create(&c->bleu, &bleu, err);
    if (rule->closest == RAMUS_CLOSEST_CHRF) st = ramus_chrf_create(&c->chrf, &chrf, err);
    if (st)
        ramus_chooser_destroy(c);
    else
        *out = c;
    return st;
}

void ramus_chooser_destroy(ramus_chooser *c)
{
    if (!c) return;
    ramus_bleu_destroy(c->bleu);
    ramus_chrf_destroy(c->chrf);
    free(c);
}

static bool is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!memchr(" \t\r\n\f\v", text[i], 6)) return false;
    return true;
}

static ramus_verdict judge(const ramus_choice_rule *rule, const ramus_translation *t)
{
    const int source = t->n_source + 1, target = t->n_target + 1; // with EOS, as `ramus train` has
    const int longer = source > target ? source : target;
    const int shorter = source < target ? source : target;
    if (t->n_source == 0) return RAMUS_DROPPED_EMPTY;
    if (t->notes & RAMUS_NOTE_INVALID) return RAMUS_DROPPED_INVALID;
    if (is_blank(t->text, t->size)) return RAMUS_DROPPED_UNTRANSLATED;
    if (t->notes & RAMUS_NOTE_LOOP) return RAMUS_DROPPED_LOOP;
    if (t->notes & RAMUS_NOTE_LIMIT) return RAMUS_DROPPED_UNFINISHED;
    return rule->max_ratio > 0 && longer > rule->max_ratio * shorter ? RAMUS_DROPPED_RATIO
                                                                     : RAMUS_KEPT;
}

/* How close a translation is to the reference; 0 where the rule does not ask. */
static ramus_status measure(ramus_chooser *c, const ramus_translation *t, ramus_line reference,
                            double *score, ramus_error *err)
{
    const ramus_line line = {t->text, t->size};
    ramus_status st = RAMUS_OK;
    *score = 0;
    if (c->bleu) {
        st = ramus_bleu_add(c->bleu, line, &reference, 1, err);
        if (!st) *score = ramus_bleu_sentence(c->bleu, c->n++).score;
    } else if (c->chrf) {
        st = ramus_chrf_add(c->chrf, line, &reference, 1, err);
        if (!st) *score = ramus_chrf_sentence(c->chrf, c->n++);
    }
    return st;
}

ramus_status ramus_chooser_run(ramus_chooser *c, const ramus_translation *t, int n,
                               ramus_line reference, ramus_chosen *out, ramus_error *err)
{
    double best = -1;
    *out = (ramus_chosen){judge(&c->rule, &t[0]), 0};
    for (int i = 0; i < n && t[i].text; i++) {
        double score = 0;
        if (judge(&c->rule, &t[i]) != RAMUS_KEPT) continue;
        const ramus_status st = measure(c, &t[i], reference, &score, err);
        if (st) return st;
        if (!(score > best)) continue;
        best = score;
        *out = (ramus_chosen){RAMUS_KEPT, i};
    }
    return RAMUS_OK;
}
