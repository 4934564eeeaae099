/* Pairs with noise and with sampled segmentations, decoded again and compared with their text. */
#include "base/buffer.h"
#include "data/batches.h"
#include "text/tokenizer.h"

#include "check.h"
#include "data/corpora.h"

#include <ctype.h>

/* The text of ids without EOS. */
static void decode(ramus_buffer *out, const int *ids, int length)
{
    ramus_error err = {0};
    ramus_buffer_clear(out);
    EXPECT_INT(ids[length - 1], ramus_vocab_eos(vocab), "the last id");
    REQUIRE_OK(ramus_vocab_decode(vocab, ids, length - 1, out, &err), err);
}

/* The first two words of a text say which pair it is, digits being spared by noise. */
static const char *original(const char *text, int side)
{
    static texts_sample s;
    if (!s.n) s = texts_load_sample();
    char *after = NULL;
    (void)strtol(text, &after, 10);
    const long i = strtol(after, &after, 10);
    return s.lines[2 * i % s.n + side];
}

/* What became of a text: 0 nothing, 1 capitals, 2 initials, 3 anything else. */
static int noise_of(const char *text, const char *was)
{
    const char *rest = strchr(strchr(text, ' ') + 1, ' ') + 1;
    if (strcmp(rest, was) == 0) return 0;
    int small = 0, initials = 0;
    for (const char *c = rest; *c; c++) {
        small += islower((unsigned char)*c) != 0;
        initials += islower((unsigned char)*c) && (c == rest || c[-1] == ' ');
    }
    return small == 0 ? 1 : initials == 0 ? 2 : 3;
}

static void noise_has_the_shares_asked_for(void)
{
    begin();
    ramus_batches_spec spec = usual();
    ramus_buffer text = {0};
    int counts[2][4] = {{0}}, both = 0, n = 0;
    spec.upper = 0.2;
    spec.title = 0.1;
    spec.typo = 0.3;
    ramus_batches *b = make_batches(&spec);
    while (ramus_batches_cursor(b).epoch < 3) {
        const ramus_update u = next(b);
        for (int i = 0; i < u.n; i++)
            for (int j = 0; j < u.batches[i].n; j++, n++) {
                const ramus_pair *p = &u.batches[i].pairs[j];
                decode(&text, p->source, p->source_length);
                const int source = noise_of(text.data, original(text.data, 0));
                decode(&text, p->target, p->target_length);
                const int target = noise_of(text.data, original(text.data, 1));
                counts[0][source]++;
                counts[1][target]++;
                both += source == 1 && target == 1;
            }
    }
    printf("of %d: source %d plain, %d upper, %d title, %d typo; target %d %d %d %d\n", n,
           counts[0][0], counts[0][1], counts[0][2], counts[0][3], counts[1][0], counts[1][1],
           counts[1][2], counts[1][3]);
    EXPECT_NEAR(counts[0][1], 0.2 * n, 0.03 * n, "source in capitals");
    EXPECT_NEAR(counts[1][1], 0.2 * n, 0.03 * n, "target in capitals");
    EXPECT_NEAR(both, 0.2 * n, 0.03 * n, "both in capitals");
    EXPECT_NEAR(counts[0][2], 0.1 * n, 0.03 * n, "source with initials");
    EXPECT_INT(counts[1][2], 0, "target with initials");
    EXPECT_NEAR(counts[0][3], 0.3 * n, 0.04 * n, "source with slips");
    EXPECT_NEAR(counts[1][3], 0, 0.02 * n, "target with slips");
    ramus_batches_destroy(b);
    ramus_buffer_free(&text);
    end();
}

/* Sampling changes the ids and not the text; limits and counts hold as without it. */
static void sampling_keeps_the_text(void)
{
    begin();
    ramus_batches_spec spec = usual();
    ramus_buffer text = {0};
    ramus_ids ids = {0};
    ramus_error err = {0};
    ramus_tokenizer *tok = NULL;
    int n = 0, others = 0, of_corpus[N_CORPORA] = {0};
    spec.target_sampling = 0.2;
    REQUIRE_OK(ramus_tokenizer_create(&tok, vocab, &err), err);
    ramus_batches *b = make_batches(&spec);
    while (ramus_batches_cursor(b).epoch == 0) {
        const ramus_update u = next(b);
        for (int i = 0; i < u.n; i++) {
            EXPECT(u.batches[i].target_tokens <= spec.micro_tokens, "%d tokens",
                   u.batches[i].target_tokens);
            for (int j = 0; j < u.batches[i].n; j++, n++) {
                const ramus_pair *p = &u.batches[i].pairs[j];
                int c = 0;
                const int at = find(p, &c);
                EXPECT(at >= 0 && p->target_length <= MAX_LENGTH, "a source of no corpus");
                if (at < 0) continue;
                of_corpus[c]++;
                decode(&text, p->target, p->target_length);
                EXPECT_INT(noise_of(text.data, original(text.data, 1)), 0, "noise");
                ids.n = 0;
                REQUIRE_OK(ramus_tokenizer_encode(tok, text.data, text.size, &ids, &err), err);
                others += ids.n + 1 != p->target_length ||
                          memcmp(ids.data, p->target, (size_t)ids.n * sizeof *ids.data) != 0;
            }
        }
    }
    EXPECT(others > n / 2, "%d of %d are segmented in another way", others, n);
    for (int c = 0; c < N_CORPORA; c++)
        EXPECT_INT(of_corpus[c], uses[c], "uses in an epoch");
    ramus_batches_destroy(b);
    ramus_tokenizer_destroy(tok);
    ramus_ids_free(&ids);
    ramus_buffer_free(&text);
    end();
}

/* Where no more tokens fit, a pair is used as it is in the corpus. */
static void what_noise_makes_too_long_stays_as_it_was(void)
{
    begin();
    ramus_batches_spec spec = usual();
    spec.max_length = 0;
    for (int c = 0; c < N_CORPORA; c++)
        for (int i = 0; i < sizes[c]; i++) {
            const ramus_pair p = ramus_corpus_pair(corpora[c], i);
            if (p.source_length > spec.max_length) spec.max_length = p.source_length;
            if (p.target_length > spec.max_length) spec.max_length = p.target_length;
        }
    spec.upper = 1; // capitals take far more pieces
    ramus_batches *b = make_batches(&spec);
    int n = 0, plain = 0;
    while (ramus_batches_cursor(b).epoch == 0) {
        const ramus_update u = next(b);
        for (int i = 0; i < u.n; i++)
            for (int j = 0; j < u.batches[i].n; j++, n++) {
                int c = 0;
                const ramus_pair *p = &u.batches[i].pairs[j];
                const int at = find(p, &c);
                EXPECT(p->source_length <= spec.max_length && p->target_length <= spec.max_length,
                       "%d and %d tokens", p->source_length, p->target_length);
                if (at < 0) continue;
                plain++;
                EXPECT(p->target == ramus_corpus_pair(corpora[c], at).target, "half of a pair");
            }
    }
    EXPECT(plain > 0 && plain < n, "%d of %d plain", plain, n);
    ramus_batches_destroy(b);
    end();
}

CHECK_MAIN({"noise_has_the_shares_asked_for", noise_has_the_shares_asked_for},
           {"sampling_keeps_the_text", sampling_keeps_the_text},
           {"what_noise_makes_too_long_stays_as_it_was", what_noise_makes_too_long_stays_as_it_was})
