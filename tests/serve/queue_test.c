/* The queue and the cache, with model files that are never opened. */
#include "serve/cache.h"
#include "serve/queue.h"

#include "check.h"

static ramus_error err;
static ramus_models *models;
static ramus_queue *queue;
static int told;

static void count(void *waiter)
{
    (void)waiter;
    told++;
}

/* The models are those that ship. */
static void begin(int most)
{
    static ramus_texts files;
    told = 0;
    REQUIRE_OK(ramus_models_create(&models, &files, GOLDEN "/../../models", &err), err);
    REQUIRE_OK(ramus_queue_create(&queue, most, models, NULL, &err), err);
}

static void end(void)
{
    ramus_queue_destroy(queue);
    ramus_models_destroy(models);
}

/* A work of n texts, "a", "b", .., of so many sentences each. */
static ramus_work *work_of(int n, int sentences, int beam, bool bulk)
{
    static const char letters[] = "abcdefgh";
    ramus_work *w = NULL;
    REQUIRE_OK(ramus_work_create(&w, n, &err), err);
    for (int i = 0; i < n; i++) {
        w->items[i].source = (ramus_text){letters + i, 1};
        w->items[i].sentences = sentences;
        w->items[i].n_steps = ramus_models_route(models, "en", "de", w->items[i].steps);
    }
    w->how = (ramus_how){.beam = beam, .n_best = 1};
    w->bulk = bulk;
    w->done = count;
    return w;
}

static int take(int items, int sentences, bool bulk, ramus_item **out)
{
    const ramus_wish wish = {items, sentences, bulk, 0};
    return ramus_queue_take(queue, &wish, out);
}

static void equal_works_share_a_call(void)
{
    ramus_item *got[8];
    begin(100);
    ramus_work *w[4] = {work_of(2, 1, 4, false), work_of(1, 1, 1, false), work_of(3, 2, 4, false),
                        work_of(1, 9, 4, true)};
    for (int i = 3; i >= 0; i--)
        REQUIRE_OK(ramus_queue_add(queue, w[i], &told, &err), err);
    EXPECT_INT(ramus_queue_waiting(queue), 2 + 1 + 6 + 9, "sentences");
    int n = take(8, 5, true, got);
    EXPECT_INT(n, 3, "items of 2 + 2 + 1 sentences; a third of 2 is too much");
    EXPECT(got[0] == &w[2]->items[0] && got[1] == &w[2]->items[1], "the first come first");
    EXPECT(got[2] == &w[0]->items[0], "the work between wants something else");
    for (int i = 0; i < n; i++)
        ramus_queue_finish(queue, got[i]);
    EXPECT_INT(told, 0, "a work with an item left is not done");
    n = take(8, 8, true, got);
    EXPECT_INT(n, 2, "what is left of two works");
    for (int i = 0; i < n; i++)
        ramus_queue_finish(queue, got[i]);
    EXPECT_INT(told, 2, "works that are done");
    n = take(8, 8, false, got);
    EXPECT(n == 1 && got[0] == &w[1]->items[0], "the other beam");
    ramus_queue_finish(queue, got[0]);
    n = take(8, 8, false, got);
    EXPECT_INT(n, 0, "long works are left alone");
    n = take(8, 8, true, got);
    EXPECT_INT(n, 1, "unless they may be taken, however long");
    ramus_queue_finish(queue, got[0]);
    EXPECT_INT(told, 4, "all are done");
    EXPECT_INT(ramus_queue_works(queue), 0, "nobody waits");
    for (int i = 0; i < 4; i++)
        ramus_queue_release(queue, w[i]);
    end();
}

static void a_full_queue_takes_no_more(void)
{
    ramus_item *got[8];
    begin(10);
    ramus_work *huge = work_of(1, 50, 4, false), *more = work_of(1, 1, 4, false);
    REQUIRE_OK(ramus_queue_add(queue, huge, &told, &err), err); // one always fits
    EXPECT_FAILS(ramus_queue_add(queue, more, &told, &err), err, "50 sentences are waiting");
    const int n = take(8, 8, true, got);
    EXPECT_INT(n, 1, "the huge one");
    REQUIRE_OK(ramus_queue_add(queue, more, &told, &err), err);
    EXPECT(ramus_queue_cancel(queue, more) == &told, "who waited");
    EXPECT(!ramus_queue_cancel(queue, more), "only once");
    EXPECT_INT(ramus_queue_waiting(queue), 0, "sentences");
    EXPECT(ramus_queue_cancel(queue, huge) == &told, "also one that runs");
    ramus_queue_release(queue, huge);
    ramus_queue_finish(queue, got[0]); // frees it
    ramus_queue_release(queue, more);
    EXPECT_INT(told, 0, "nobody is told of what was cancelled");
    end();
}

static void what_needs_nothing_is_done_at_once(void)
{
    begin(10);
    ramus_work *w = work_of(2, 1, 4, false);
    ramus_found_add(&w->items[0].found, "A", 1);
    ramus_found_add(&w->items[1].found, "B", 1);
    REQUIRE_OK(ramus_queue_add(queue, w, &told, &err), err);
    EXPECT_INT(told, 1, "it was told");
    ramus_queue_release(queue, w);
    end();
}

static void the_cache_keeps_what_was_used_last(void)
{
    ramus_cache *cache = NULL;
    begin(10);
    REQUIRE_OK(ramus_cache_create(&cache, 3000, &err), err);
    ramus_work *w = work_of(8, 1, 4, false);
    for (int i = 0; i < 8; i++) {
        ramus_item *first = &w->items[0];
        ramus_found_add(&w->items[i].found, "x\0y", 3);
        ramus_cache_keep(cache, &w->items[i]);
        ramus_found_free(&first->found);
        EXPECT(ramus_cache_find(cache, first), "the one that is used stays, at %d", i);
    }
    EXPECT(ramus_cache_bytes(cache) <= 3000, "%zu bytes", ramus_cache_bytes(cache));
    const ramus_text text = ramus_found_text(&w->items[0].found, 0);
    EXPECT(text.size == 3 && memcmp(text.data, "x\0y", 4) == 0, "its bytes");
    ramus_found_free(&w->items[1].found);
    EXPECT(!ramus_cache_find(cache, &w->items[1]), "the oldest one is gone");
    ramus_found_free(&w->items[7].found);
    w->how.beam = 1;
    EXPECT(!ramus_cache_find(cache, &w->items[7]), "another beam");
    w->how.beam = 4;
    w->how.format = "html";
    EXPECT(!ramus_cache_find(cache, &w->items[7]), "another format");
    w->how.format = NULL;
    EXPECT(ramus_cache_find(cache, &w->items[7]), "the newest");
    REQUIRE_OK(ramus_models_reload(models, &err), err);
    ramus_work *again = work_of(8, 1, 4, false);
    EXPECT(!ramus_cache_find(cache, &again->items[7]), "a model that was read anew");
    ramus_queue_release(queue, w);
    ramus_queue_release(queue, again);
    ramus_cache_destroy(cache);
    end();
}

CHECK_MAIN({"equal_works_share_a_call", equal_works_share_a_call},
           {"a_full_queue_takes_no_more", a_full_queue_takes_no_more},
           {"what_needs_nothing_is_done_at_once", what_needs_nothing_is_done_at_once},
           {"the_cache_keeps_what_was_used_last", the_cache_keeps_what_was_used_last})
