/* Texts become items: each gets its language, its models, or its translation from the cache. */
#include "serve/translate.h"

#include "serve/languages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define BULK_SENTENCES 32   // of a work; more waits behind shorter ones
#define SENTENCE_BYTES 64   // of a document
#define DETECTED_BYTES 4096 // of a text tell its language

static bool is_value(const ramus_field *f)
{
    return f->type == RAMUS_FIELD_TEXT || f->type == RAMUS_FIELD_FILE;
}

/* Counts the texts of a field; -1: one is no text. */
static int count_texts(const ramus_fields *f, const char *name)
{
    int n = 0;
    for (const ramus_field *x = ramus_fields_find(f, name); x; x = ramus_fields_next(f, x)) {
        if (x->type == RAMUS_FIELD_LIST) continue;
        if (!is_value(x)) return -1;
        n++;
    }
    return n;
}

/* Sets the texts of the items, whose work owns the fields by now. */
static void set_texts(ramus_work *w, const char *name)
{
    int i = 0;
    for (const ramus_field *x = ramus_fields_find(&w->fields, name); x;
         x = ramus_fields_next(&w->fields, x)) {
        if (!is_value(x)) continue;
        w->items[i].source = ramus_field_text(&w->fields, x);
        w->characters += ramus_characters(w->items[i++].source);
    }
}

/* A model's source where the text does not tell. */
static bool other_source(ramus_server *s, const char *to, char *code)
{
    ramus_model_file **files = NULL;
    int n = 0;
    bool found = false;
    if (ramus_models_list(s->models, &files, &n, NULL)) return false;
    for (int i = 0; i < n; i++)
        if (strcmp(files[i]->to, to) == 0 && (!found || strcmp(files[i]->from, "en") == 0)) {
            memcpy(code, files[i]->from, sizeof files[i]->from);
            found = true;
        }
    ramus_models_release_all(s->models, files, n);
    return found;
}

bool ramus_translate_detect(ramus_server *s, ramus_text text, const char *to, char *code,
                            double *certainty)
{
    const size_t size = text.size < DETECTED_BYTES ? text.size : DETECTED_BYTES;
    const char *found = ramus_detect_language(text.data, size, certainty);
    if (!found && *certainty == 0) {
        memcpy(code, "en", 3);
        return false;
    }
    if (found && ramus_language_code(code, found, strlen(found))) return true;
    *certainty = 0;
    if (!other_source(s, to, code)) memcpy(code, "en", 3);
    return true;
}

/* At least 1. Of documents it is a guess: the thread of the transport must not read them. */
static int count_sentences(const ramus_item *item)
{
    const ramus_text t = item->source;
    const size_t n = item->work->bulk ? t.size / SENTENCE_BYTES
                                      : ramus_split_sentences(t.data, t.size, item->from, NULL, 0);
    return n < 1 ? 1 : n > INT_MAX / 2 ? INT_MAX / 2 : (int)n;
}

/* The languages and models of an item. */
static ramus_status find_models(ramus_server *s, ramus_item *item, ramus_error *err)
{
    ramus_work *w = item->work;
    const bool words = !w->detected ||
                       ramus_translate_detect(s, item->source, w->to, item->from, &item->certainty);
    item->copied = !words || item->source.size == 0 || strcmp(item->from, w->to) == 0;
    if (item->copied) return RAMUS_OK;
    item->n_steps = ramus_models_route(s->models, item->from, w->to, item->steps);
    if (item->n_steps == 0)
        return ramus_fail(err, RAMUS_NOT_FOUND, "no model translates from %s to %s", item->from,
                          w->to);
    item->sentences = count_sentences(item);
    return RAMUS_OK;
}

static ramus_status set_languages(ramus_server *s, ramus_work *w, const ramus_ask *ask,
                                  ramus_error *err)
{
    char from[RAMUS_LANGUAGE_ROOM] = "";
    if (!ask->to || !ramus_language_code(w->to, ask->to, strlen(ask->to)))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "the target language is '%.20s', expected a code",
                          ask->to ? ask->to : "");
    if (!ramus_models_writes(s->models, w->to))
        return ramus_fail(err, RAMUS_NOT_FOUND, "no model translates to %s", w->to);
    w->detected = !ask->from || !*ask->from || strcmp(ask->from, "auto") == 0;
    if (w->detected) return RAMUS_OK;
    if (!ramus_language_code(from, ask->from, strlen(ask->from)))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "the source language is '%.20s', expected a code", ask->from);
    if (!ramus_models_reads(s->models, from) && strcmp(from, w->to) != 0)
        return ramus_fail(err, RAMUS_NOT_FOUND, "no model translates from %s", from);
    for (int i = 0; i < w->n; i++)
        memcpy(w->items[i].from, from, sizeof from);
    return RAMUS_OK;
}

static ramus_status set_glossary(ramus_server *s, ramus_work *w, const char *id, ramus_error *err)
{
    if (!id) return RAMUS_OK;
    w->glossary = ramus_glossaries_find(s->glossaries, id);
    if (!w->glossary) return ramus_fail(err, RAMUS_NOT_FOUND, "there is no glossary %.40s", id);
    w->how.glossary = w->glossary;
    if (w->n > 0 && (strcmp(w->glossary->to, w->to) != 0 ||
                     (!w->detected && strcmp(w->glossary->from, w->items[0].from) != 0)))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "the glossary is for %s to %s",
                          w->glossary->from, w->glossary->to);
    return RAMUS_OK;
}

static void set_how(const ramus_server *s, ramus_work *w, const ramus_ask *ask)
{
    const int n_best = ask->alternatives + 1, beam = ask->beam ? ask->beam : s->settings->beam;
    w->how.n_best = n_best;
    w->how.beam = beam > n_best ? beam : n_best;
    w->how.scores = ask->scores || w->how.beam > 1; // a beam has them anyway
    w->how.details = ask->details;
    w->how.unprotected = ask->unprotected;
    w->how.whole_lines = ask->whole_lines;
    w->how.format = ask->format;
    w->how.prefix = ask->prefix;
    w->bulk = ask->bulk;
    w->office = ask->office;
    w->sentence = ask->sentence;
}

/* Finds the models of all items, or what the cache has. */
static ramus_status set_items(ramus_server *s, ramus_work *w, bool lenient, ramus_error *err)
{
    int sentences = 0;
    for (int i = 0; i < w->n; i++) {
        ramus_item *item = &w->items[i];
        const ramus_status st = find_models(s, item, err);
        if (st && !lenient) return st;
        if (st) item->copied = true;
        sentences += item->sentences;
        if (ramus_cache_find(s->cache, item))
            ramus_metrics_count(s->metrics, RAMUS_METRIC_CACHED, 1);
    }
    w->bulk |= sentences > BULK_SENTENCES;
    return RAMUS_OK;
}

/* The limits on what one request may ask. Returns whether it may go on. */
static bool is_allowed(ramus_server *s, ramus_exchange *x, const ramus_ask *ask, int n)
{
    const ramus_serve_settings *set = s->settings;
    const int too_much = x->route->dialect->too_much;
    if (n < 0)
        ramus_answer_error(s, x, 400, "%s: expected a text or a list of texts", ask->field);
    else if (n == 0)
        ramus_answer_error(s, x, 400, "%s is missing", ask->field);
    else if (n > set->max_texts)
        ramus_answer_error(s, x, too_much, "%d texts, expected at most %d", n, set->max_texts);
    else if (ask->alternatives < 0 || ask->alternatives > set->max_alternatives)
        ramus_answer_error(s, x, 400, "%d alternatives, expected at most %d", ask->alternatives,
                           set->max_alternatives);
    else if (n > 1 && ramus_rates_ask(s->rates, x->peer, n - 1))
        ramus_answer_error(s, x, 429, "more than %d texts a minute from this address",
                           set->per_minute);
    else
        return true;
    return false;
}

void ramus_translate_prepare(ramus_server *s, ramus_exchange *x, const ramus_ask *ask,
                             ramus_work **out)
{
    ramus_error err = {0};
    ramus_work *w = NULL;
    *out = NULL;
    const int n = count_texts(&x->fields, ask->field);
    if (!is_allowed(s, x, ask, n)) return;
    ramus_status st = ramus_work_create(&w, n, &err);
    if (!st) {
        w->fields = x->fields;
        x->fields = (ramus_fields){0};
        set_texts(w, ask->field);
        set_how(s, w, ask);
        const int most = s->settings->max_characters;
        if (most && !ask->bulk && w->characters > most) {
            ramus_answer_error(s, x, x->route->dialect->too_much,
                               "%d characters, expected at most %d", w->characters, most);
            ramus_queue_release(s->queue, w);
            return;
        }
    }
    if (!st) st = set_languages(s, w, ask, &err);
    if (!st) st = set_glossary(s, w, ask->glossary, &err);
    if (!st) st = set_items(s, w, x->route->dialect->lenient, &err);
    if (st) {
        ramus_answer_error(s, x, st == RAMUS_NO_MEMORY ? 503 : 400, "%s", err.message);
        ramus_queue_release(s->queue, w);
        return;
    }
    ramus_metrics_count(s->metrics, RAMUS_METRIC_CHARACTERS, w->characters);
    *out = w;
}

static void wake(void *waiter)
{
    ramus_http_wake(waiter);
}

void ramus_translate_start(ramus_server *s, ramus_exchange *x, const ramus_ask *ask)
{
    ramus_error err = {0};
    ramus_work *w = NULL;
    ramus_translate_prepare(s, x, ask, &w);
    if (!w) return;
    w->done = wake;
    x->work = w;
    x->pending = !ask->streaming;
    x->streaming = ask->streaming;
    if (x->streaming) x->code = 200;
    ramus_status st = ramus_queue_add(s->queue, w, x, &err);
    if (!st) {
        st = ramus_watch_add(s->watch, x->number, x->socket, s->settings->timeout, x, &err);
        if (st && !ramus_queue_cancel(s->queue, w)) return; // it is done already
    }
    if (!st) return;
    x->pending = x->streaming = false;
    ramus_answer_error(s, x, 503, "%s", err.message);
}

bool ramus_translate_done(ramus_server *s, ramus_exchange *x)
{
    ramus_work *w = x->work;
    char between[64] = "";
    for (int i = 0; i < w->n; i++) {
        ramus_item *item = &w->items[i];
        if (item->n_steps == 2) memcpy(between, item->steps[0]->to, RAMUS_LANGUAGE_ROOM);
        if (item->copied || item->found.n > 0) continue;
        if (x->route->dialect->lenient) {
            item->copied = true;
            continue;
        }
        const bool theirs = item->status == RAMUS_BAD_FORMAT || item->status == RAMUS_BAD_ARGUMENT;
        ramus_answer_error(s, x,
                           theirs                            ? 400
                           : item->status == RAMUS_NO_MEMORY ? 503
                                                             : 500,
                           "%s",
                           theirs && item->failure ? item->failure : "the translation failed");
        return false;
    }
    if (*between) ramus_exchange_head(x, "X-Pivot", between);
    return true;
}

ramus_text ramus_item_text(const ramus_item *item, int j)
{
    return item->found.n > 0 ? ramus_found_text(&item->found, j) : item->source;
}

int ramus_item_count(const ramus_item *item)
{
    return item->found.n > 0 ? item->found.n : 1;
}
