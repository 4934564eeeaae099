/* Two lists under one lock. Waiters are told with the lock free: they may add works. */
#include "serve/queue.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    ramus_item *first, *last;
} item_list;

enum { SHORT, BULK, N_LISTS };

struct ramus_queue {
    ramus_models *models;
    ramus_glossaries *glossaries;
    int most;
    pthread_mutex_t lock;
    pthread_cond_t came;
    item_list lists[N_LISTS];
    int waiting, works;
    bool closed;
};

ramus_status ramus_queue_create(ramus_queue **out, int most_sentences, ramus_models *models,
                                ramus_glossaries *glossaries, ramus_error *err)
{
    ramus_queue *q = calloc(1, sizeof *q);
    pthread_condattr_t clock;
    if (!q) return ramus_fail_memory(err, "the queue");
    q->most = most_sentences;
    q->models = models;
    q->glossaries = glossaries;
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&q->came, &clock);
    (void)pthread_condattr_destroy(&clock);
    *out = q;
    return RAMUS_OK;
}

void ramus_queue_destroy(ramus_queue *q)
{
    if (!q) return;
    (void)pthread_cond_destroy(&q->came);
    (void)pthread_mutex_destroy(&q->lock);
    free(q);
}

static void append(item_list *list, ramus_item *item)
{
    item->next = NULL;
    if (list->last)
        list->last->next = item;
    else
        list->first = item;
    list->last = item;
}

static void prepend(item_list *list, ramus_item *item)
{
    item->next = list->first;
    list->first = item;
    if (!list->last) list->last = item;
}

/* Takes out the item behind `before`, NULL: the first one. */
static ramus_item *take_behind(item_list *list, ramus_item *before)
{
    ramus_item *item = before ? before->next : list->first;
    if (before)
        before->next = item->next;
    else
        list->first = item->next;
    if (list->last == item) list->last = before;
    return item;
}

static void free_work(ramus_queue *q, ramus_work *w)
{
    for (int i = 0; i < w->n; i++) {
        ramus_item *item = &w->items[i];
        for (int k = 0; k < item->n_steps; k++)
            ramus_models_release(q->models, item->steps[k]);
        ramus_buffer_free(&item->between);
        ramus_found_free(&item->found);
        free(item->failure);
    }
    ramus_glossaries_release(q->glossaries, w->glossary);
    ramus_fields_free(&w->fields);
    free(w->items);
    free(w);
}

/* With the lock held; true: the caller frees the work when it has let go of the lock. */
static bool let_go(ramus_work *w)
{
    return --w->references == 0;
}

/* With the lock held. */
static void *take_waiter(ramus_queue *q, ramus_work *w)
{
    void *waiter = w->waiter;
    if (waiter) q->works--;
    w->waiter = NULL;
    return waiter;
}

static bool is_open(const ramus_item *item)
{
    return item->n_steps > 0 && item->found.n == 0 && !item->status;
}

ramus_status ramus_queue_add(ramus_queue *q, ramus_work *w, void *waiter, ramus_error *err)
{
    int sentences = 0;
    for (int i = 0; i < w->n; i++)
        if (is_open(&w->items[i])) sentences += w->items[i].sentences;
    w->submitted = ramus_clock_now();
    (void)pthread_mutex_lock(&q->lock);
    if (q->closed || (sentences > 0 && q->waiting > 0 && q->waiting + sentences > q->most)) {
        const int waiting = q->waiting;
        (void)pthread_mutex_unlock(&q->lock);
        return ramus_fail(err, RAMUS_FAILED, "%d sentences are waiting: try again later", waiting);
    }
    w->waiter = waiter;
    q->works++;
    w->left = 0;
    for (int i = 0; i < w->n; i++) {
        if (!is_open(&w->items[i])) continue;
        append(&q->lists[w->bulk ? BULK : SHORT], &w->items[i]);
        w->left++;
        w->references++;
    }
    q->waiting += sentences;
    if (w->left == 0) (void)take_waiter(q, w);
    const bool done = w->left == 0;
    (void)pthread_mutex_unlock(&q->lock);
    if (!done) (void)pthread_cond_signal(&q->came); // who wakes up wants the lock
    if (done) w->done(waiter);
    return RAMUS_OK;
}

static bool share_a_call(const ramus_item *a, const ramus_item *b)
{
    return a->steps[a->step] == b->steps[b->step] && a->step + 1 == a->n_steps &&
           b->step + 1 == b->n_steps && ramus_how_equal(&a->work->how, &b->work->how);
}

/* With the lock held. */
static int take(ramus_queue *q, const ramus_wish *wish, ramus_item **out)
{
    item_list *list = &q->lists[SHORT];
    int n = 0, sentences = 0;
    if (q->closed) return 0;
    if (!list->first && wish->bulk) list = &q->lists[BULK];
    if (!list->first) return 0;
    const int most = list == &q->lists[BULK] ? 1 : wish->items;
    ramus_item *before = NULL;
    while (n < most && (before ? before->next : list->first)) {
        ramus_item *item = before ? before->next : list->first;
        const bool fits = n == 0 || (share_a_call(out[0], item) &&
                                     sentences + item->sentences <= wish->sentences);
        if (!fits) {
            before = item;
            continue;
        }
        out[n++] = take_behind(list, before);
        sentences += item->sentences;
    }
    q->waiting -= sentences;
    return n;
}

int ramus_queue_take(ramus_queue *q, const ramus_wish *wish, ramus_item **out)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)wish->wait;
    (void)pthread_mutex_lock(&q->lock);
    int n = take(q, wish, out);
    while (n == 0 && wish->wait > 0 && !q->closed) {
        if (pthread_cond_timedwait(&q->came, &q->lock, &until) != 0) break;
        n = take(q, wish, out);
    }
    const bool more = q->waiting > 0;
    (void)pthread_mutex_unlock(&q->lock);
    if (more) (void)pthread_cond_signal(&q->came); // another worker takes what is left
    return n;
}

void ramus_queue_finish(ramus_queue *q, ramus_item *item)
{
    ramus_work *w = item->work;
    void *waiter = NULL;
    (void)pthread_mutex_lock(&q->lock);
    if (--w->left == 0) waiter = take_waiter(q, w);
    void (*done)(void *) = w->done;
    const bool last = let_go(w);
    (void)pthread_mutex_unlock(&q->lock);
    if (waiter) done(waiter);
    if (last) free_work(q, w);
}

void ramus_queue_again(ramus_queue *q, ramus_item *item)
{
    (void)pthread_mutex_lock(&q->lock);
    prepend(&q->lists[item->work->bulk ? BULK : SHORT], item);
    q->waiting += item->sentences;
    (void)pthread_mutex_unlock(&q->lock);
    (void)pthread_cond_signal(&q->came);
}

/* With the lock held: takes the items of a work out of a list. Returns how many there were. */
static int remove_items(ramus_queue *q, item_list *list, const ramus_work *w)
{
    int n = 0;
    ramus_item *before = NULL;
    for (ramus_item *item = list->first; item; item = before ? before->next : list->first) {
        if (item->work != w) {
            before = item;
            continue;
        }
        (void)take_behind(list, before);
        q->waiting -= item->sentences;
        n++;
    }
    return n;
}

void *ramus_queue_cancel(ramus_queue *q, ramus_work *w)
{
    (void)pthread_mutex_lock(&q->lock);
    void *waiter = take_waiter(q, w);
    if (waiter) {
        atomic_store(&w->cancelled, true);
        const int n = remove_items(q, &q->lists[SHORT], w) + remove_items(q, &q->lists[BULK], w);
        w->left -= n;
        w->references -= n; // the caller has another one
    }
    (void)pthread_mutex_unlock(&q->lock);
    return waiter;
}

void ramus_queue_release(ramus_queue *q, ramus_work *w)
{
    if (!w) return;
    (void)pthread_mutex_lock(&q->lock);
    const bool last = let_go(w);
    (void)pthread_mutex_unlock(&q->lock);
    if (last) free_work(q, w);
}

bool ramus_queue_done(ramus_queue *q, const ramus_work *w)
{
    (void)pthread_mutex_lock(&q->lock);
    const bool done = w->left == 0;
    (void)pthread_mutex_unlock(&q->lock);
    return done;
}

void ramus_queue_tell(ramus_queue *q, ramus_work *w, int item, const ramus_sentence_pair *pair)
{
    (void)pthread_mutex_lock(&q->lock);
    if (w->waiter && w->sentence) w->sentence(w->waiter, item, pair);
    (void)pthread_mutex_unlock(&q->lock);
}

void ramus_queue_close(ramus_queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    q->closed = true;
    (void)pthread_cond_broadcast(&q->came);
    (void)pthread_mutex_unlock(&q->lock);
}

bool ramus_queue_closed(ramus_queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const bool closed = q->closed;
    (void)pthread_mutex_unlock(&q->lock);
    return closed;
}

int ramus_queue_waiting(ramus_queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const int n = q->waiting;
    (void)pthread_mutex_unlock(&q->lock);
    return n;
}

int ramus_queue_works(ramus_queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    const int n = q->works;
    (void)pthread_mutex_unlock(&q->lock);
    return n;
}
