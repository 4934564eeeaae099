/* Examples: of k dropped pairs each is kept with the same probability (reservoir sampling). */
#include "cli/clean_report.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

static char *join_pair(const ramus_pair_text *pair)
{
    char *text = malloc(pair->source_size + pair->target_size + 2);
    if (!text) return NULL;
    memcpy(text, pair->source, pair->source_size);
    text[pair->source_size] = '\t';
    memcpy(text + pair->source_size + 1, pair->target, pair->target_size);
    text[pair->source_size + 1 + pair->target_size] = '\0';
    return text;
}

ramus_status ramus_clean_report_add(ramus_clean_report *r, ramus_clean_rule rule,
                                    const ramus_pair_text *pair, ramus_error *err)
{
    r->read++;
    if (rule == RAMUS_CLEAN_KEPT) {
        r->kept++;
        return RAMUS_OK;
    }
    ramus_clean_examples *e = &r->examples[rule];
    const int64_t before = r->dropped[rule]++;
    if (!r->most_examples) return RAMUS_OK;
    if (!e->items) e->items = calloc((size_t)r->most_examples, sizeof *e->items);
    if (!e->items) return ramus_fail_memory(err, "examples");
    r->rng.op = (uint32_t)rule;
    const int at = before < r->most_examples
                       ? (int)before
                       : (int)(ramus_rng_bits(&r->rng, (uint64_t)before) % (before + 1));
    if (at >= r->most_examples) return RAMUS_OK;
    char *text = join_pair(pair);
    if (!text) return ramus_fail_memory(err, "examples");
    free(e->items[at]);
    e->items[at] = text;
    if (e->n <= at) e->n = at + 1;
    return RAMUS_OK;
}

void ramus_clean_report_score(ramus_clean_report *r, double score)
{
    const int last = RAMUS_CLEAN_SCORES - 1;
    r->n_scores++;
    r->scores[score >= 0 ? 0 : score < -last / 100.0 ? last : (int)(-100 * score)]++;
}

/* The score that a share of the pairs lies below. */
static double quantile(const ramus_clean_report *r, double share)
{
    int i = RAMUS_CLEAN_SCORES - 1;
    for (int64_t below = r->scores[i]; i > 0 && (double)below < share * (double)r->n_scores;)
        below += r->scores[--i];
    return -i / 100.0;
}

void ramus_clean_report_free(ramus_clean_report *r)
{
    for (int rule = 0; rule < RAMUS_CLEAN_RULES; rule++) {
        for (int i = 0; i < r->examples[rule].n; i++)
            free(r->examples[rule].items[i]);
        free(r->examples[rule].items);
        r->examples[rule] = (ramus_clean_examples){0};
    }
}

static const double shares[] = {0.01, 0.02, 0.05, 0.1, 0.25, 0.5};

static void print_json(const ramus_clean_report *r, ramus_buffer *out)
{
    ramus_buffer_print(out,
                       "{\"read\": %lld, \"kept\": %lld, \"expected_ratio\": %.3f, \"rules\": [",
                       (long long)r->read, (long long)r->kept, r->expected_ratio);
    for (int rule = 0; rule < RAMUS_CLEAN_RULES; rule++) {
        ramus_buffer_print(out, "%s{\"rule\": \"%s\", \"dropped\": %lld, \"examples\": [",
                           rule ? ", " : "", ramus_clean_rule_name((ramus_clean_rule)rule),
                           (long long)r->dropped[rule]);
        for (int i = 0; i < r->examples[rule].n; i++) {
            const char *text = r->examples[rule].items[i];
            const size_t n = strcspn(text, "\t");
            ramus_buffer_text(out, i ? ", {\"source\": " : "{\"source\": ");
            ramus_buffer_json(out, text, n);
            ramus_buffer_text(out, ", \"target\": ");
            ramus_buffer_json(out, text + n + 1, strlen(text + n + 1));
            ramus_buffer_text(out, "}");
        }
        ramus_buffer_text(out, "]}");
    }
    ramus_buffer_text(out, "]");
    if (r->n_scores) {
        ramus_buffer_text(out, ", \"scores\": [");
        for (int i = 0; i < RAMUS_COUNT(shares); i++)
            ramus_buffer_print(out, "%s{\"share\": %g, \"below\": %.2f}", i ? ", " : "", shares[i],
                               quantile(r, shares[i]));
        ramus_buffer_text(out, "]");
    }
    ramus_buffer_text(out, "}\n");
}

static void print_row(const ramus_clean_report *r, const char *name, int64_t n, ramus_buffer *out)
{
    ramus_buffer_print(out, "%-12s %10lld %8.2f %%\n", name, (long long)n,
                       r->read ? 100.0 * (double)n / (double)r->read : 0);
}

void ramus_clean_report_print(const ramus_clean_report *r, bool json, ramus_buffer *out)
{
    if (json) {
        print_json(r, out);
        return;
    }
    print_row(r, "read", r->read, out);
    for (int i = 0; i < RAMUS_CLEAN_RULES; i++)
        if (r->dropped[i])
            print_row(r, ramus_clean_rule_name((ramus_clean_rule)i), r->dropped[i], out);
    print_row(r, "kept", r->kept, out);
    if (r->n_scores) {
        ramus_buffer_text(out, "\nlog-probability of a token, mean of a pair:");
        for (int i = 0; i < RAMUS_COUNT(shares); i++)
            ramus_buffer_print(out, "%s %g %% below %.2f", i ? "," : "", 100 * shares[i],
                               quantile(r, shares[i]));
        ramus_buffer_text(out, "\n");
    }
    for (int rule = 0; rule < RAMUS_CLEAN_RULES; rule++) {
        if (!r->examples[rule].n) continue;
        ramus_buffer_print(out, "\n%s\n", ramus_clean_rule_name((ramus_clean_rule)rule));
        for (int i = 0; i < r->examples[rule].n; i++) {
            char *text = r->examples[rule].items[i];
            const size_t n = strcspn(text, "\t");
            text[n] = '\0';
            ramus_utf8_clean(text);
            ramus_utf8_clean(text + n + 1);
            ramus_buffer_print(out, "  %s\n    %s\n", text, text + n + 1);
            text[n] = '\t';
        }
    }
}
