/* Laws of a training run: what interrupts it or shares its work changes no bit of the weights; bad
 * files and broken checkpoints are told and lose nothing. */
#include "base/folder.h"
#include "base/map.h"
#include "convert/average.h"
#include "train/state.h"

#include "convert/checkpoints.h"
#include "train/runs.h"

#include <sys/wait.h>

static void use_everything(runs_run *r, const char *routing)
{
    SET(r, "routing", routing, "upper-noise", "0.1", "typo-noise", "0.1", "source-sampling", "0.3",
        "target-sampling", "0.5", "clip", "1", "ema", "0.9");
    if (strcmp(routing, "moe") == 0) SET(r, "gate-noise", "on", "optimizer", "muon");
    if (strcmp(routing, "dense") == 0) SET(r, "quantize", "int8");
    if (strcmp(routing, "dmb") == 0)
        SET(r, "quantize", "int4", "ranges", "learned", "optimizer", "muon", "schedule", "stable");
    if (strcmp(routing, "dmb") == 0 || strcmp(routing, "switch") == 0) SET(r, "products", "bf16");
}

static const char *const routings[] = {"dense", "dmb", "moe", "switch"};

static void a_stopped_run_goes_on_as_if_it_had_not(void)
{
    runs_begin();
    for (int i = 0; i < 4; i++) {
        char whole_name[32], parts_name[32];
        (void)snprintf(whole_name, sizeof whole_name, "whole.%s", routings[i]);
        (void)snprintf(parts_name, sizeof parts_name, "parts.%s", routings[i]);
        runs_run whole = runs_usual(), parts = runs_usual();
        runs_place(&whole, whole_name);
        runs_place(&parts, parts_name);
        use_everything(&whole, routings[i]);
        use_everything(&parts, routings[i]);
        EXPECT_INT(runs_finish(&whole, 1).update, 12, "updates");
        for (int stop = 1; stop <= 12; stop += 3) { // in the middle of pools and of epochs
            parts.stop_after = stop;
            const ramus_train_result done = runs_finish(&parts, 1 + stop % 3);
            EXPECT_INT(done.update, stop, "stopped where it should");
            EXPECT(done.stopped, "and says so");
            parts.spec.training.resume = true;
        }
        parts.stop_after = 0;
        EXPECT_INT(runs_finish(&parts, 2).update, 12, "updates");
        runs_expect_same(runs_checkpoint(whole_name, 12), runs_checkpoint(parts_name, 12),
                         routings[i]);
    }
    texts_end();
}

static void a_killed_run_goes_on_as_if_it_had_not(void)
{
    runs_begin();
    runs_run whole = runs_usual();
    runs_place(&whole, "whole");
    use_everything(&whole, "dmb");
    (void)runs_finish(&whole, 2);
    runs_run r = runs_usual();
    runs_place(&r, "killed");
    use_everything(&r, "dmb");
    r.spec.training.resume = true; // with nothing to go on from, it starts
    for (int kill = 3; kill < 12; kill += 4) {
        r.kill_after = kill;
        const pid_t child = fork();
        if (child == 0) {
            (void)runs_finish(&r, 2);
            _exit(0);
        }
        int status = 0;
        (void)waitpid(child, &status, 0);
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "killed after update %d", kill);
    }
    r.kill_after = 0;
    (void)runs_finish(&r, 1);
    runs_expect_same(runs_checkpoint("whole", 12), runs_checkpoint("killed", 12), "killed");
    texts_end();
}

static void threads_change_no_bit(void)
{
    runs_begin();
    for (int threads = 1; threads <= 3; threads++) {
        char name[32];
        (void)snprintf(name, sizeof name, "threads.%d", threads);
        runs_run r = runs_usual();
        runs_place(&r, name);
        use_everything(&r, "dmb");
        (void)runs_finish(&r, threads);
        runs_expect_same(runs_checkpoint("threads.1", 12), runs_checkpoint(name, 12), name);
    }
    texts_end();
}

static void copy_checkpoint(const char *to, const char *from, int update)
{
    ramus_file file = {0};
    ramus_error err = {0};
    char name[96];
    (void)snprintf(name, sizeof name, "%s/checkpoint-%08d.safetensors", to, update);
    REQUIRE_OK(ramus_folder_make(texts_path(to), &err), err);
    REQUIRE_OK(ramus_file_map(&file, runs_checkpoint(from, update), &err), err);
    texts_write(name, file.data, file.size);
    ramus_file_unmap(&file);
}

static runs_run stable_run(const char *updates)
{
    runs_run r = runs_usual();
    SET(&r, "optimizer", "muon", "schedule", "stable", "decay-updates", "4", "keep-last", "1",
        "keep-best", "0", "updates", updates);
    return r;
}

/* A short run keeps the checkpoint with which its rate began to fall, and a longer one goes on from
 * there, or from where it was stopped before. */
static void a_stable_run_can_be_prolonged(void)
{
    runs_begin();
    runs_run whole = stable_run("16"), brief = stable_run("10"), on = stable_run("16");
    runs_place(&whole, "whole");
    runs_place(&brief, "brief");
    runs_place(&on, "on");
    (void)runs_finish(&whole, 1);
    (void)runs_finish(&brief, 2);
    EXPECT(access(runs_checkpoint("brief", 8), F_OK) != 0, "an older one is not kept");
    copy_checkpoint("on", "brief", 6);
    on.spec.training.resume = true;
    EXPECT_INT(runs_finish(&on, 1).update, 16, "updates");
    EXPECT(strstr(on.notes, "checkpoint-00000006"), "%s", on.notes);
    runs_expect_same(runs_checkpoint("whole", 16), runs_checkpoint("on", 16), "on");

    runs_run open = stable_run("100");
    runs_place(&open, "open");
    open.stop_after = 11;
    EXPECT(runs_finish(&open, 1).stopped, "stopped");
    open.stop_after = 0;
    open.spec.training.resume = true;
    SET(&open, "updates", "16");
    (void)runs_finish(&open, 1);
    runs_expect_same(runs_checkpoint("whole", 16), runs_checkpoint("open", 16), "open");
    texts_end();
}

/* The share of the pairs whose greedy translation is the target is seen in BLEU. */
static void every_routing_learns_200_pairs_by_heart(void)
{
    const bool by_heart = !CHECK_SANITIZED; // else only that it learns at all
    const char *const updates = by_heart ? "300" : "30", *const tokens = by_heart ? "1200" : "300";
    runs_begin();
    for (int i = 0; i < 4; i++) {
        runs_run r = runs_usual();
        runs_place(&r, routings[i]);
        SET(&r, "routing", routings[i], "width", "64", "filter", "128", "heads", "4",
            "encoder-layers", "2", "decoder-layers", "2", "batch-tokens", tokens, "micro-tokens",
            tokens, "updates", updates, "valid-every", updates, "rate", "0.004", "warmup", "40",
            "schedule", "linear", "dropout", "0", "attention-dropout", "0", "relu-dropout", "0",
            "label-smoothing", "0", "pool-pairs", "1000", "products", i % 2 ? "bf16" : "float");
        const ramus_train_result done = runs_finish(&r, 1); // as many tests at a time as cores
        EXPECT(by_heart ? done.best > 99 : r.loss < 5.5, "%s: BLEU %.2f, loss %.3f", routings[i],
               done.best, r.loss);
        printf("     %s: BLEU %.2f on what was learned, loss %.4f\n", routings[i], done.best,
               r.loss);
    }
    texts_end();
}

static ramus_status expect_run_fails(runs_run *r, const char *part)
{
    ramus_error err = {0};
    ramus_train_result done = {0};
    EXPECT_FAILS(runs_do(r, 1, &done, &err), err, part);
    return err.status;
}

static void bad_files_are_told(void)
{
    runs_begin();
    runs_run r = runs_usual();
    runs_place(&r, "out");
    r.spec.training.train.items[0] = "missing.en";
    expect_run_fails(&r, "missing.en");
    r.spec.training.train.items[0] = runs_path(&r, "short.en");
    texts_put("short.en", "one\ntwo\n");
    expect_run_fails(&r, "200");
    r.spec.training.train.n = 1;
    expect_run_fails(&r, "no partner");
    r.spec.training.train.n = 2;
    r.spec.training.train.items[0] = runs_path(&r, "s.en");
    r.spec.training.vocab.items[0] = runs_path(&r, "s.en");
    expect_run_fails(&r, "s.en");
    r.spec.training.vocab.items[0] = runs_path(&r, "v.model");
    r.spec.arch.source_vocab = 299;
    expect_run_fails(&r, "300 pieces");
    r.spec.arch.source_vocab = 0;
    r.spec.training.max_length = 500;
    expect_run_fails(&r, "max-length");
    r.spec.training.max_length = 3;
    expect_run_fails(&r, "left");
    texts_end();
}

static void a_checkpoint_must_belong_to_the_run(void)
{
    runs_begin();
    runs_run r = runs_usual();
    runs_place(&r, "out");
    (void)runs_finish(&r, 1);
    expect_run_fails(&r, "--resume goes on");

    r.spec.training.resume = true;
    r.spec.training.updates = 16;
    r.spec.seed = 6;
    expect_run_fails(&r, "seed is 5");
    r.spec.seed = 5;
    r.spec.arch.width = 32;
    expect_run_fails(&r, "width is 16");
    r.spec.arch.width = 16;
    runs_put_text(RUN_PAIRS - 1);
    expect_run_fails(&r, "have changed");
    runs_put_text(RUN_PAIRS);

    runs_run other = runs_usual();
    runs_put_vocab("large.model", 310, 0);
    runs_place(&other, "other");
    other.spec.training.vocab.items[0] = runs_path(&other, "large.model");
    (void)runs_finish(&other, 1);
    other.spec.training.resume = true;
    other.spec.training.vocab.items[0] = runs_path(&other, "v.model");
    expect_run_fails(&other, "vocab is 310");
    other.spec.training.resume = false;
    other.spec.training.out = runs_path(&other, "third");
    other.spec.training.init = runs_checkpoint("other", 12);
    expect_run_fails(&other, "vocab is 310");

    EXPECT_INT(runs_finish(&r, 1).update, 16, "after all that it goes on");
    texts_end();
}

static void a_vocabulary_of_the_same_size_is_another_one(void)
{
    runs_begin();
    runs_run r = runs_usual();
    runs_place(&r, "out");
    (void)runs_finish(&r, 1);
    runs_put_vocab("other.model", 300, 400);
    r.spec.training.vocab.items[0] = runs_path(&r, "other.model");
    r.spec.training.resume = true;
    expect_run_fails(&r, "another vocabulary");
    r.spec.training.resume = false;
    r.spec.training.out = runs_path(&r, "tuned");
    r.spec.training.init = runs_path(&r, "out/checkpoint-00000012.safetensors");
    expect_run_fails(&r, "another vocabulary");
    texts_end();
}

static void a_broken_checkpoint_is_told_and_nothing_is_lost(void)
{
    runs_begin();
    runs_run r = runs_usual();
    runs_place(&r, "out");
    (void)runs_finish(&r, 1);
    const char *newest = runs_checkpoint("out", 12);
    ramus_file file = {0};
    ramus_error err = {0};
    REQUIRE_OK(ramus_file_map(&file, newest, &err), err);
    char *bytes = malloc(file.size);
    const size_t size = file.size;
    memcpy(bytes, file.data, size);
    ramus_file_unmap(&file);
    r.spec.training.resume = true;
    r.spec.training.updates = 14;
    const size_t sizes[] = {0, 7, 1000, size - 1};
    for (int i = 0; i < RAMUS_COUNT(sizes); i++) {
        texts_write("out/checkpoint-00000012.safetensors", bytes, sizes[i]);
        expect_run_fails(&r, "checkpoint-00000012.safetensors: ");
    }
    EXPECT(access(runs_checkpoint("out", 8), F_OK) == 0, "the older one is still there");
    texts_write("out/checkpoint-00000012.safetensors", bytes, size);
    EXPECT_INT(runs_finish(&r, 1).update, 14, "the whole one goes on");
    free(bytes);
    texts_end();
}

static void a_run_that_diverges_ends_with_a_sentence(void)
{
    runs_begin();
    runs_run r = runs_usual();
    runs_place(&r, "out");
    SET(&r, "optimizer", "sgd", "schedule", "constant", "warmup", "0", "rate", "1000", "updates",
        "200", "max-skipped", "3", "norm", "pre");
    EXPECT_INT(expect_run_fails(&r, "4 updates in a row"), RAMUS_FAILED, "no setting is wrong");
    EXPECT(strstr(r.notes, "was skipped"), "each is told: %s", r.notes);
    texts_end();
}

static void other_weights_start_a_new_run(void)
{
    runs_begin();
    runs_run r = runs_usual();
    runs_place(&r, "out");
    (void)runs_finish(&r, 1);
    runs_run tuned = runs_usual();
    runs_place(&tuned, "tuned");
    tuned.spec.training.init = runs_path(&tuned, "out/checkpoint-00000012.safetensors");
    SET(&tuned, "updates", "1", "rate", "0", "warmup", "0"); // no step: the weights stay
    EXPECT_INT(runs_finish(&tuned, 1).update, 1, "it counts from 0");
    ramus_error err = {0};
    ramus_checkpoint a = {0}, b = {0};
    REQUIRE_OK(ramus_checkpoint_load(&a, runs_checkpoint("out", 12), &err), err);
    REQUIRE_OK(ramus_checkpoint_load(&b, runs_checkpoint("tuned", 1), &err), err);
    EXPECT_BYTES(a.weights->data, b.weights->data, a.weights->size * sizeof *a.weights->data,
                 "weights");
    ramus_checkpoint_free(&b);

    runs_run clipped = runs_usual(); // learned ranges begin where they always do
    runs_place(&clipped, "clipped");
    clipped.spec.training.init = runs_path(&clipped, "out/checkpoint-00000012.safetensors");
    SET(&clipped, "updates", "1", "rate", "0", "warmup", "0", "quantize", "int8", "ranges",
        "learned");
    (void)runs_finish(&clipped, 1);
    REQUIRE_OK(ramus_checkpoint_load(&b, runs_checkpoint("clipped", 1), &err), err);
    EXPECT_INT(b.weights->n - a.weights->n, 2 * (6 + 10), "two ranges for each map");
    for (int i = 0; i < b.weights->n; i++) {
        const ramus_weight *w = &b.weights->items[i], *old = ramus_weights_find(a.weights, w->name);
        if (old) EXPECT_BYTES(w->data, old->data, w->count * sizeof *w->data, "%s", w->name);
        if (!old)
            EXPECT(w->data[0] == (strstr(w->name, ".input_range") ? 6 : 1), "%s starts with %g",
                   w->name, (double)w->data[0]);
    }
    ramus_checkpoint_free(&a);
    ramus_checkpoint_free(&b);
    texts_end();
}

static int list_checkpoints(const char *out, int *updates)
{
    ramus_error err = {0};
    int *list = NULL, n = 0;
    REQUIRE_OK(ramus_checkpoints_list(&list, &n, texts_path(out), &err), err);
    for (int i = 0; i < n && i < 20; i++)
        updates[i] = list[i];
    free(list);
    return n;
}

static void the_newest_and_the_best_are_kept(void)
{
    runs_begin();
    runs_run r = runs_usual();
    runs_place(&r, "out");
    SET(&r, "updates", "20", "valid-every", "2", "keep-last", "2", "keep-best", "2", "stop-on",
        "loss", "rate", "0.05", "schedule", "constant"); // steps wide enough to go up and down
    const ramus_train_result done = runs_finish(&r, 2);
    double losses[11];
    int n = 0;
    for (const char *at = r.notes; (at = strstr(at, "validation loss ")); at++)
        losses[n++] = strtod(at + strlen("validation loss "), NULL);
    EXPECT_INT(n, 10, "validations");
    int best = 0, second = -1;
    for (int i = 1; i < n; i++)
        if (losses[i] < losses[best]) best = i;
    for (int i = 0; i < n; i++)
        if (i != best && (second < 0 || losses[i] < losses[second])) second = i;
    EXPECT_INT(done.best_update, 2 * (best + 1), "the best");
    bool wanted[11] = {false};
    wanted[best] = wanted[second] = wanted[8] = wanted[9] = true;
    int updates[20], kept = list_checkpoints("out", updates), expected = 0;
    for (int i = 0; i < 10; i++)
        expected += wanted[i];
    EXPECT_INT(kept, expected, "checkpoints");
    for (int i = 0; i < kept; i++)
        EXPECT(updates[i] % 2 == 0 && wanted[updates[i] / 2 - 1], "%d is kept", updates[i]);
    texts_end();
}

static void patience_ends_a_run(void)
{
    runs_begin();
    runs_run r = runs_usual();
    runs_place(&r, "out");
    SET(&r, "updates", "100", "valid-every", "1", "patience", "3", "rate", "0", "warmup", "0");
    EXPECT_INT(runs_finish(&r, 1).update, 4, "one best, three that are no better");
    runs_run epochs = runs_usual();
    runs_place(&epochs, "epochs");
    SET(&epochs, "updates", "1000", "epochs", "2", "valid-every", "1000");
    runs_finish(&epochs, 1);
    EXPECT(strstr(epochs.notes, "all epochs"), "%s", epochs.notes);
    texts_end();
}

static void average_is_the_mean(void)
{
    runs_begin();
    runs_run r = runs_usual();
    runs_place(&r, "out");
    SET(&r, "routing", "dmb");
    (void)runs_finish(&r, 1);
    ramus_error err = {0};
    int n = 0;
    const char *out = texts_path("mean.safetensors"), *folder = texts_path("out");
    REQUIRE_OK(ramus_average(&folder, 1, 2, out, &n, &err), err);
    EXPECT_INT(n, 2, "the newest two");
    ramus_checkpoint a = {0}, b = {0}, mean = {0};
    REQUIRE_OK(ramus_checkpoint_load(&a, runs_checkpoint("out", 8), &err), err);
    REQUIRE_OK(ramus_checkpoint_load(&b, runs_checkpoint("out", 12), &err), err);
    REQUIRE_OK(ramus_checkpoint_load(&mean, out, &err), err);
    for (size_t i = 0; i < mean.weights->size; i++)
        EXPECT_NEAR(mean.weights->data[i],
                    ((double)a.weights->data[i] + (double)b.weights->data[i]) / 2, 1e-7, "mean");
    EXPECT(mean.vocabs[0].size && mean.vocabs[0].size == a.vocabs[0].size, "its vocabulary");
    ramus_checkpoint_free(&a);
    ramus_checkpoint_free(&b);
    ramus_checkpoint_free(&mean);

    runs_run other = runs_usual();
    runs_place(&other, "other");
    (void)runs_finish(&other, 1);
    const char *both[] = {texts_path("out"), texts_path("other")};
    EXPECT_FAILS(ramus_average(both, 2, 0, out, &n, &err), err, "not that of the first");
    const char *none = texts_path("cache");
    EXPECT_FAILS(ramus_average(&none, 1, 0, out, &n, &err), err, "no checkpoints");
    texts_end();
}

CHECK_MAIN({"a_stopped_run_goes_on_as_if_it_had_not", a_stopped_run_goes_on_as_if_it_had_not},
           {"a_killed_run_goes_on_as_if_it_had_not", a_killed_run_goes_on_as_if_it_had_not},
           {"threads_change_no_bit", threads_change_no_bit},
           {"a_stable_run_can_be_prolonged", a_stable_run_can_be_prolonged},
           {"every_routing_learns_200_pairs_by_heart", every_routing_learns_200_pairs_by_heart},
           {"bad_files_are_told", bad_files_are_told},
           {"a_checkpoint_must_belong_to_the_run", a_checkpoint_must_belong_to_the_run},
           {"a_vocabulary_of_the_same_size_is_another_one",
            a_vocabulary_of_the_same_size_is_another_one},
           {"a_broken_checkpoint_is_told_and_nothing_is_lost",
            a_broken_checkpoint_is_told_and_nothing_is_lost},
           {"a_run_that_diverges_ends_with_a_sentence", a_run_that_diverges_ends_with_a_sentence},
           {"other_weights_start_a_new_run", other_weights_start_a_new_run},
           {"the_newest_and_the_best_are_kept", the_newest_and_the_best_are_kept},
           {"patience_ends_a_run", patience_ends_a_run},
           {"average_is_the_mean", average_is_the_mean})
