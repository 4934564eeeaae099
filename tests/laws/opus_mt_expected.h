/* opus_mt_expected.h - what expected.json has of a sentence: texts, ids, searches. */
#ifndef RAMUS_TESTS_LAWS_OPUS_MT_EXPECTED_H
#define RAMUS_TESTS_LAWS_OPUS_MT_EXPECTED_H

#include "base/json.h"
#include "text/ids.h"
#include <ramus/ramus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCES  8
#define MOST       16 // hypotheses of a search
#define MAX_LENGTH 64 // of Hugging Face's searches, the start token counted

/* One hypothesis as expected.json has it. */
typedef struct {
    ramus_ids ids;
    double score;
    ramus_buffer text;
} hypothesis;

/* A search of expected.json and how it is done here. */
static const struct {
    const char *name;
    int beam, max_length;
    double penalty;
    ramus_search_rules rules;
} searches[] = {
    {"greedy", 1, MAX_LENGTH, 1, RAMUS_SEARCH_HF},
    {"beam4", 4, MAX_LENGTH, 1, RAMUS_SEARCH_HF},
    {"beam6", 6, MAX_LENGTH, 1, RAMUS_SEARCH_HF},
    {"beam4_early_stopping", 4, MAX_LENGTH, 1, RAMUS_SEARCH_HF_EARLY},
    {"beam4_never", 4, MAX_LENGTH, 1, RAMUS_SEARCH_HF_NEVER},
    {"beam4_max8", 4, 8, 1, RAMUS_SEARCH_HF},
    {"beam4_lp0", 4, MAX_LENGTH, 0, RAMUS_SEARCH_HF},
};
#define SEARCHES RAMUS_COUNT(searches)

typedef struct {
    ramus_buffer text, target_text;
    ramus_ids source, target;
    double loss;
    hypothesis best[SEARCHES][MOST];
    int n_best[SEARCHES];
} sentence;

static ramus_error err;

static inline void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, err.message);
    exit(1);
}

static inline void read_ids(ramus_json *j, ramus_ids *out)
{
    bool more = false;
    int64_t id = 0;
    out->n = 0;
    if (ramus_json_enter(j, RAMUS_JSON_ARRAY, &err)) die("ids");
    for (;;) {
        if (ramus_json_element(j, &more, &err)) die("ids");
        if (!more) return;
        if (ramus_json_whole(j, &id, &err) || ramus_ids_add(out, (int)id, &err)) die("ids");
    }
}

static inline double read_number(ramus_json *j)
{
    ramus_buffer text = {0};
    if (ramus_json_number(j, &text, &err)) die("a number");
    const double x = strtod(text.data, NULL);
    ramus_buffer_free(&text);
    return x;
}

/* {"ids": [..], "score": x, "text": ".."} */
static inline void read_hypothesis(ramus_json *j, hypothesis *h)
{
    ramus_buffer key = {0};
    bool more = false;
    if (ramus_json_enter(j, RAMUS_JSON_OBJECT, &err)) die("a hypothesis");
    while (!ramus_json_member(j, &more, &key, &err) && more) {
        if (strcmp(key.data, "ids") == 0)
            read_ids(j, &h->ids);
        else if (strcmp(key.data, "score") == 0)
            h->score = read_number(j);
        else if (strcmp(key.data, "text") == 0 ? ramus_json_string(j, &h->text, &err)
                                               : ramus_json_skip(j, &err))
            die("a hypothesis");
    }
    ramus_buffer_free(&key);
}

static inline void read_search(ramus_json *j, sentence *s, int search)
{
    bool more = false;
    if (ramus_json_peek(j) == RAMUS_JSON_OBJECT) {
        read_hypothesis(j, &s->best[search][s->n_best[search]++]);
        return;
    }
    if (ramus_json_enter(j, RAMUS_JSON_ARRAY, &err)) die("a search");
    while (!ramus_json_element(j, &more, &err) && more && s->n_best[search] < MOST)
        read_hypothesis(j, &s->best[search][s->n_best[search]++]);
}

static inline void read_sentence(ramus_json *j, sentence *s)
{
    ramus_buffer key = {0};
    bool more = false;
    if (ramus_json_enter(j, RAMUS_JSON_OBJECT, &err)) die("a sentence");
    while (!ramus_json_member(j, &more, &key, &err) && more) {
        ramus_status st = RAMUS_OK;
        bool known = true;
        if (strcmp(key.data, "text") == 0)
            st = ramus_json_string(j, &s->text, &err);
        else if (strcmp(key.data, "target_text") == 0)
            st = ramus_json_string(j, &s->target_text, &err);
        else if (strcmp(key.data, "source_ids") == 0)
            read_ids(j, &s->source);
        else if (strcmp(key.data, "target_ids") == 0)
            read_ids(j, &s->target);
        else if (strcmp(key.data, "loss") == 0)
            s->loss = read_number(j);
        else
            known = false;
        for (int i = 0; i < SEARCHES && !known; i++)
            if (strcmp(key.data, searches[i].name) == 0) {
                read_search(j, s, i);
                known = true;
            }
        if (!known) st = ramus_json_skip(j, &err);
        if (st) die("a sentence");
    }
    ramus_buffer_free(&key);
}

#endif
