/* --search marian against Marian's search as its source has it (beam_search.cpp,
 * history.h), written down plainly: no caches, every word of the vocabulary sorted. */
#include "runtime/plain_search.h"
#include "runtime/searches.h"

/* History::add(): a hypothesis that ended, with its score, best first. */
static void add_to_history(plain_search *s, plain x)
{
    x.score = x.log_prob / pow(x.length, s->o->length_penalty);
    int at = s->n_ended++;
    for (; at > 0 && x.score > s->ended[at - 1].score; at--)
        s->ended[at] = s->ended[at - 1];
    s->ended[at] = x;
}

/* All continuations of a hypothesis but that by the unknown word, whose path is made invalid after
 * the softmax. */
static void expand(plain_search *s, const plain *h)
{
    float logits[VOCAB], largest = -INFINITY;
    plain_logits(s, h, logits);
    for (int v = 0; v < VOCAB; v++)
        largest = logits[v] > largest ? logits[v] : largest;
    const float lse = ramus_kernels_ref.log_sum_exp(logits, VOCAB, largest);
    for (int v = 0; v < VOCAB; v++)
        if (v != s->o->unk) s->next[s->n_next++] = behind(h, v, logits[v] - lse, s->o->eos);
}

/* As many continuations go on as hypotheses are alive, at first as the beam has places. What ends
 * leaves the beam, and its place with it. */
static void search_as_marian(plain_search *s)
{
    static const plain *sorted[BEAM * VOCAB];
    s->live[0] = (plain){.length = 0};
    s->n_live = 1;
    s->n_ended = 0;
    int width = s->o->beam;
    for (int length = 1; width > 0; length++) {
        const bool last = length == s->limit;
        s->n_next = 0;
        for (int i = 0; i < s->n_live; i++)
            expand(s, &s->live[i]);
        for (int i = 0; i < s->n_next; i++)
            sorted[i] = &s->next[i];
        qsort(sorted, (size_t)s->n_next, sizeof *sorted, by_log_prob);
        s->n_live = 0;
        for (int i = 0; i < width && i < s->n_next; i++) {
            if (sorted[i]->finished || last) add_to_history(s, *sorted[i]);
            if (!sorted[i]->finished && !last) s->live[s->n_live++] = *sorted[i];
        }
        width = s->n_live;
    }
}

static void expect_same_list(const plain_search *p, const ramus_hypothesis *got, const char *what)
{
    for (int j = 0; j < p->o->beam; j++) {
        const plain *want = &p->ended[j];
        const ramus_hypothesis *h = &got[j];
        if (j >= p->n_ended) {
            EXPECT_INT(h->length, 0, "one too many");
            continue;
        }
        EXPECT(h->length == want->length &&
                   !memcmp(h->ids, want->words, (size_t)want->length * sizeof(int)),
               "%s: hypothesis %d has %d words, want %d, or others", what, j, h->length,
               want->length);
        EXPECT(h->finished == want->finished && h->log_prob == want->log_prob &&
                   fabs(h->score - want->score) <= 1e-9,
               "%s: hypothesis %d: %d %.17g, want %d %.17g", what, j, h->finished, h->score,
               want->finished, want->score);
    }
}

static void the_search_is_marians(void)
{
    static plain_search p;
    static const double penalties[] = {0, 0.6, 1, 2};
    ramus_error err = {0};
    int finished = 0, cut_off = 0, before = 0;
    for (int k = 0; k < KINDS; k++) {
        const ramus_arch a = make_arch(kinds[k]);
        ramus_weights *w = make_weights(&a, k % 2 ? BYTES : REALS);
        ramus_search *search = make_search(&a, w, NULL);
        const bench full = full_model(&a, w);
        for (int m = 0; m < 240; m++) {
            ramus_hypothesis got[SENTENCES * BEAM];
            ramus_search_options o = {.beam = 1 + m % BEAM,
                                      .scores = true,
                                      .rules = RAMUS_SEARCH_MARIAN,
                                      .length_penalty = penalties[m / 4 % 4],
                                      .extra_length = 1 + m % 13,
                                      .eos = (7 * m + k) % VOCAB,
                                      .unk = m % 3 ? (5 * m + 3) % VOCAB : -1};
            if (o.unk == o.eos) o.unk = -1;
            make_sources();
            p.full = &full;
            p.o = &o;
            p.limit = o.extra_length;
            REQUIRE_OK(ramus_search_run(search, &o, sources, SENTENCES, got, &err), err);
            for (int s = 0; s < SENTENCES; s++) {
                char what[80];
                (void)snprintf(what, sizeof what, "%s, options %d, sentence %d", kinds[k][1], m, s);
                p.source = &sources[s];
                search_as_marian(&p);
                expect_same_list(&p, &got[s * o.beam], what);
                for (int j = 0; j < p.n_ended; j++) {
                    finished += p.ended[j].finished;
                    cut_off += !p.ended[j].finished;
                    before += j > 0 && p.ended[j].finished && !p.ended[j - 1].finished;
                }
            }
        }
        bench copy = full;
        bench_destroy(&copy);
        ramus_search_destroy(search);
        ramus_weights_destroy(w);
    }
    EXPECT(finished > 200 && cut_off > 200 && before > 20,
           "%d ended, %d cut off, %d of these before one that ended", finished, cut_off, before);
}

CHECK_MAIN({"the_search_is_marians", the_search_is_marians})
