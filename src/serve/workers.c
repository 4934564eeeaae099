/* A worker has a few sessions: one for each model and kind of answer, and one more of that for long
 * texts, which are translated while the other one may be called from their `progress`. Each item
 * of a call that fails is tried again alone, so that no request spoils another. */
#include "serve/workers.h"

#include "base/clock.h"
#include "data/office.h"
#include "serve/details.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ITEMS    64
#define MOST_SESSIONS 16
#define WAIT          1.0          // seconds between two looks at idle sessions
#define LARGE         (256 * 1024) // bytes of a text after which its session is closed

/* A session and what it is for. */
typedef struct {
    ramus_model_file *file; // NULL: the place is free
    bool details, bulk;
    ramus_session *session;
    double used;
    bool busy;
} place;

typedef struct {
    const ramus_workers_spec *spec;
    pthread_t thread;
    bool started;
    place places[MOST_SESSIONS];
} worker;

struct ramus_workers {
    ramus_workers_spec spec;
    worker *items;
};

static void close_place(worker *w, place *p)
{
    ramus_session_destroy(p->session);
    ramus_models_close(w->spec->models, p->file);
    *p = (place){0};
}

/* Closes sessions that were not used for long. */
static void close_idle(worker *w)
{
    const double now = ramus_clock_now();
    for (int i = 0; i < MOST_SESSIONS; i++)
        if (w->places[i].file && now - w->places[i].used > w->spec->idle)
            close_place(w, &w->places[i]);
}

/* The place that was not used for longest; NULL: all that there are work. */
static place *oldest_place(worker *w)
{
    place *oldest = NULL;
    for (int i = 0; i < MOST_SESSIONS; i++) {
        place *p = &w->places[i];
        if (p->file && !p->busy && (!oldest || p->used < oldest->used)) oldest = p;
    }
    return oldest;
}

/* A free place; room is made under the memory cap. */
static place *free_place(worker *w)
{
    place *oldest = oldest_place(w);
    const ramus_workers_spec *s = w->spec;
    while (oldest && s->memory && ramus_metrics_resident(s->metrics) > s->memory) {
        close_place(w, oldest);
        oldest = oldest_place(w);
    }
    for (int i = 0; i < MOST_SESSIONS; i++)
        if (!w->places[i].file) return &w->places[i];
    close_place(w, oldest); // two at most work
    return oldest;
}

static ramus_status open_place(worker *w, place **out, ramus_model_file *file, bool details,
                               bool bulk, ramus_error *err)
{
    ramus_model *model = NULL;
    const ramus_session_options options = {.size = sizeof options,
                                           .beam = w->spec->beam,
                                           .batch = w->spec->batch,
                                           .threads = 1,
                                           .details = details};
    for (int i = 0; i < MOST_SESSIONS; i++) {
        place *p = &w->places[i];
        if (p->file == file && p->details == details && p->bulk == bulk) {
            *out = p;
            return RAMUS_OK;
        }
    }
    place *p = free_place(w);
    ramus_status st = ramus_models_open(w->spec->models, file, &model, err);
    if (st) return st;
    st = ramus_session_create(&p->session, model, &options, err);
    if (st) {
        ramus_models_close(w->spec->models, file);
        return st;
    }
    p->file = file;
    p->details = details;
    p->bulk = bulk;
    *out = p;
    return RAMUS_OK;
}

/* A call of the library. */
typedef struct {
    worker *worker;
    ramus_item **items;
    int n;
    bool bulk;
} call;

static bool is_cancelled(void *arg)
{
    const call *c = arg;
    for (int i = 0; i < c->n; i++)
        if (!atomic_load(&c->items[i]->work->cancelled)) return false;
    return true;
}

static void translate_waiting(worker *w);

static void show_progress(void *arg, int done, int all)
{
    const call *c = arg;
    (void)all;
    if (!c->bulk) return;
    atomic_store(&c->items[0]->work->progress, done);
    translate_waiting(c->worker);
}

static void tell_sentence(void *arg, const ramus_sentence_pair *pair)
{
    const call *c = arg;
    ramus_item *item = c->items[pair->text];
    if (item->step + 1 == item->n_steps)
        ramus_queue_tell(c->worker->spec->queue, item->work, (int)(item - item->work->items), pair);
}

/* The options of a call; equal ones share it. */
static ramus_translate_options choose(call *c)
{
    const ramus_item *first = c->items[0];
    const ramus_how *how = &first->work->how;
    const bool last = first->step + 1 == first->n_steps;
    ramus_translate_options o = RAMUS_TRANSLATE_DEFAULTS;
    o.beam = how->beam;
    o.n_best = last ? how->n_best : 1;
    o.scores = how->scores;
    o.format = how->format;
    o.whole_lines = how->whole_lines;
    o.unprotected = how->unprotected;
    o.prefix = last ? how->prefix : NULL;
    o.terms = how->glossary && last ? how->glossary->terms : NULL;
    o.cancel = is_cancelled;
    o.progress = show_progress;
    o.arg = c;
    for (int i = 0; i < c->n; i++)
        if (c->items[i]->work->sentence) o.sentence = tell_sentence;
    return o;
}

static ramus_text source_of(const ramus_item *item)
{
    if (item->step == 0) return item->source;
    return (ramus_text){item->between.data, item->between.size};
}

/* What an item, text number `text` of the call, got: t[0 .. n) of the last step, or t[0] for the
 * next one. */
static void keep(const worker *w, ramus_item *item, const ramus_session *session, int text,
                 const ramus_translation *t, int n)
{
    ramus_found *f = &item->found;
    if (item->step + 1 < item->n_steps) {
        ramus_buffer_add(&item->between, t->text, t->size);
        if (item->between.failed) item->status = RAMUS_NO_MEMORY;
        return;
    }
    for (int j = 0; j < n && t[j].text; j++)
        ramus_found_add(f, t[j].text, t[j].size);
    f->score = t->score;
    f->log_prob = t->log_prob;
    f->notes = t->notes;
    f->sentences = t->sentences;
    f->n_source = t->n_source;
    f->n_target = t->n_target;
    if (item->work->how.details)
        ramus_details_print(&f->details, session, text, source_of(item), t, &item->work->how);
    ramus_metrics_found(w->spec->metrics, f);
    if (f->texts.failed || f->details.failed) {
        ramus_found_free(f);
        item->status = RAMUS_NO_MEMORY;
    }
}

static ramus_status translate_texts(call *c, const place *p, ramus_error *err)
{
    ramus_text texts[MOST_ITEMS];
    const ramus_translate_options how = choose(c);
    ramus_translation *found = calloc((size_t)c->n * (size_t)how.n_best, sizeof *found);
    if (!found) return ramus_fail_memory(err, "the translations");
    for (int i = 0; i < c->n; i++)
        texts[i] = source_of(c->items[i]);
    const ramus_status st = ramus_translate_all(p->session, texts, c->n, &how, found, err);
    for (int i = 0; i < c->n && !st; i++)
        keep(c->worker, c->items[i], p->session, i, &found[i * how.n_best], how.n_best);
    free(found);
    return st;
}

/* A part of an archive. */
typedef struct {
    call *call;
    const place *place;
} office;

static ramus_status translate_part(void *arg, const char *part, const ramus_format *format,
                                   const char *data, size_t size, ramus_buffer *out,
                                   ramus_error *err)
{
    const office *o = arg;
    ramus_translation found;
    const ramus_text text = {data, size};
    ramus_translate_options how = choose(o->call);
    how.format = format->name;
    how.n_best = 1;
    const ramus_status st = ramus_translate_all(o->place->session, &text, 1, &how, &found, err);
    if (st) return ramus_fail_in(err, st, part);
    ramus_buffer_add(out, found.text, found.size);
    return RAMUS_OK;
}

static ramus_status translate_archive(call *c, const place *p, ramus_error *err)
{
    ramus_item *item = c->items[0];
    const ramus_text source = source_of(item);
    office o = {c, p};
    ramus_buffer out = {0};
    ramus_status st = ramus_office_write(source.data, source.size, translate_part, &o, &out, err);
    if (!st) st = ramus_buffer_check(&out, err);
    const ramus_translation all = {.text = out.data, .size = out.size};
    if (!st) keep(c->worker, item, p->session, 0, &all, 1);
    ramus_buffer_free(&out);
    return st;
}

static void translate_call(call *c)
{
    worker *w = c->worker;
    ramus_item *first = c->items[0];
    ramus_error err = {0};
    place *p = NULL;
    int sentences = 0;
    ramus_status st =
        open_place(w, &p, first->steps[first->step], first->work->how.details, c->bulk, &err);
    if (!st) {
        p->busy = true;
        st = first->work->office ? translate_archive(c, p, &err) : translate_texts(c, p, &err);
        p->busy = false;
        p->used = ramus_clock_now();
        if (first->source.size > LARGE) close_place(w, p);
    }
    for (int i = 0; i < c->n && st && c->n > 1 && st != RAMUS_STOPPED; i++) {
        call alone = {w, c->items + i, 1, c->bulk};
        translate_call(&alone);
    }
    for (int i = 0; i < c->n; i++) {
        if (c->n == 1 && st) ramus_item_fail(c->items[i], st, &err);
        sentences += c->items[i]->sentences;
    }
    if (!st) ramus_metrics_batch(w->spec->metrics, sentences);
}

static void finish(const worker *w, ramus_item *item)
{
    const ramus_workers_spec *s = w->spec;
    const bool cancelled = atomic_load(&item->work->cancelled);
    if (!item->status && !cancelled && ++item->step < item->n_steps) {
        ramus_queue_again(s->queue, item);
        return;
    }
    if (!item->status && item->found.n > 0) ramus_cache_keep(s->cache, item);
    ramus_queue_finish(s->queue, item);
}

/* Takes items and translates them; false: there were none. */
static bool translate_some(worker *w, bool bulk, double wait)
{
    ramus_item *items[MOST_ITEMS];
    const int batch = w->spec->batch < MOST_ITEMS ? w->spec->batch : MOST_ITEMS;
    const ramus_wish wish = {.items = batch, .sentences = batch, .bulk = bulk, .wait = wait};
    const int n = ramus_queue_take(w->spec->queue, &wish, items);
    if (n == 0) return false;
    call c = {w, items, n, items[0]->work->bulk};
    translate_call(&c);
    for (int i = 0; i < n; i++)
        finish(w, items[i]);
    return true;
}

/* Short texts that came while a long one is translated. */
static void translate_waiting(worker *w)
{
    while (translate_some(w, false, 0)) {
    }
}

static void *run(void *arg)
{
    worker *w = arg;
    double looked = 0;
    while (!ramus_queue_closed(w->spec->queue)) {
        (void)translate_some(w, true, WAIT);
        if (ramus_clock_now() - looked < WAIT) continue;
        looked = ramus_clock_now();
        close_idle(w);
    }
    for (int i = 0; i < MOST_SESSIONS; i++)
        if (w->places[i].file) close_place(w, &w->places[i]);
    return NULL;
}

ramus_status ramus_workers_create(ramus_workers **out, const ramus_workers_spec *spec,
                                  ramus_error *err)
{
    ramus_workers *all = calloc(1, sizeof *all);
    if (!all || !(all->items = calloc((size_t)spec->threads, sizeof *all->items))) {
        free(all);
        return ramus_fail_memory(err, "the workers");
    }
    all->spec = *spec;
    for (int i = 0; i < spec->threads; i++) {
        all->items[i].spec = &all->spec;
        all->items[i].started =
            pthread_create(&all->items[i].thread, NULL, run, &all->items[i]) == 0;
        if (all->items[i].started) continue;
        ramus_workers_destroy(all);
        return ramus_fail(err, RAMUS_FAILED, "thread %d of %d cannot be started", i + 1,
                          spec->threads);
    }
    *out = all;
    return RAMUS_OK;
}

void ramus_workers_destroy(ramus_workers *all)
{
    if (!all) return;
    ramus_queue_close(all->spec.queue);
    for (int i = 0; i < all->spec.threads; i++)
        if (all->items[i].started) (void)pthread_join(all->items[i].thread, NULL);
    free(all->items);
    free(all);
}
