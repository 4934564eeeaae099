/* A run is opened in four steps: its folder and its data (rank 0 makes the caches that the others
 * then map), the learner and the optimizer, the place where it begins, its log. */
#include "train/trainer_parts.h"

#include "base/folder.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "convert/checkpoints.h"
#include "train/defaults.h"
#include "train/inputs.h"
#include "train/journal.h"
#include "train/own_vocab.h"
#include "train/run_folder.h"
#include "train/start.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ramus_trainer_note(ramus_trainer *tr, const char *format, ...)
{
    char text[1024];
    ramus_error err = {0};
    va_list args;
    if (!tr->first) return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (tr->spec->hooks.note) tr->spec->hooks.note(tr->spec->hooks.arg, text);
    if (tr->log &&
        ramus_journal_text(tr->log, "note", tr->state.place.update, "text", text, &err) &&
        tr->spec->hooks.note)
        tr->spec->hooks.note(tr->spec->hooks.arg, err.message);
}

void ramus_trainer_bear(ramus_trainer *tr, ramus_status st, const ramus_error *err)
{
    if (st) ramus_trainer_note(tr, "%s", err->message);
}

ramus_status ramus_trainer_same_weights(const ramus_trainer *tr, ramus_error *err)
{
    const ramus_weights *w = tr->learner->weights;
    if (ramus_comm_ranks(tr->spec->comm) == 1 ||
        ramus_comm_same(tr->spec->comm, ramus_hash(0, w->data, w->size * sizeof *w->data)))
        return RAMUS_OK;
    return ramus_fail(err, RAMUS_FAILED,
                      "the weights of the ranks differ at update %d: all must run one program, "
                      "read the same files, and use one kind of CPU (RAMUS_ISA can choose it)",
                      tr->state.place.update);
}

/* All settings as the lines of a settings file, with names of files that are good from anywhere. */
static ramus_status print_settings(ramus_trainer *tr, ramus_error *err)
{
    char folder[PATH_MAX];
    if (!getcwd(folder, sizeof folder)) return ramus_fail_errno(err, ".", "find");
    if (strpbrk(folder, "\n\r"))
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "the name of the current folder has a line feed: a run keeps its "
                          "settings as lines");
    ramus_train_spec spec = *tr->spec;
    spec.arch = tr->model.arch;
    spec.training.resume = false;
    const ramus_settings tables[] = {
        ramus_arch_settings(&spec.arch), ramus_objective_settings(&spec.objective),
        ramus_optimizer_settings(&spec.optimizer), ramus_training_settings(&spec.training)};
    ramus_buffer_print(&tr->settings, "seed = %d\n", spec.seed);
    for (int i = 0; i < RAMUS_COUNT(tables); i++)
        ramus_settings_print(&tables[i], folder, &tr->settings);
    const ramus_status st = ramus_buffer_check(&tr->settings, err);
    if (st || ramus_utf8_check(tr->settings.data, tr->settings.size) == tr->settings.size)
        return st;
    return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                      "the name of the current folder is not UTF-8, as checkpoints hold names");
}

/* Looks at the files, and makes a vocabulary where none is named. */
static ramus_status make_vocab(ramus_trainer *tr, ramus_error *err)
{
    double pairs = 0;
    ramus_status st = ramus_train_inputs_check(tr->t, err);
    if (st || tr->t->vocab.n) return st;
    ramus_trainer_note(tr, "no --vocab is named: making a vocabulary of the training text");
    st = ramus_train_inputs_count(&pairs, tr->t, err);
    if (st) return st;
    ramus_train_settle_vocab(&tr->own, pairs);
    return ramus_own_vocab_make(tr->t, pairs, err);
}

static ramus_status open_data(ramus_trainer *tr, ramus_error *err)
{
    const ramus_training *t = tr->t;
    if (t->vocab.n == 0) {
        const ramus_status found = ramus_own_vocab_find(&tr->own.training, tr->vocab_paths, err);
        if (found) return found;
    }
    const ramus_dataset_spec spec = {
        .training = t,
        .pool = tr->spec->pool,
        .reading = tr->first ? tr->spec->hooks.reading : NULL,
        .arg = tr->spec->hooks.arg,
    };
    ramus_status st = ramus_dataset_open(&tr->data, &spec, err);
    if (st) return st;
    tr->model.arch = tr->spec->arch;
    st = ramus_dataset_fit(&tr->data, &tr->model.arch, err);
    tr->state.corpus_key = tr->data.key;
    for (int i = 0; i < 2 && !st; i++) {
        ramus_buffer_add(&tr->model.vocabs[i], tr->data.vocab_bytes[i].data,
                         tr->data.vocab_bytes[i].size);
        st = ramus_buffer_check(&tr->model.vocabs[i], err);
    }
    return st;
}

/* Chooses what is auto, now that the size of the corpora is known. */
static void settle(ramus_trainer *tr)
{
    double pairs = 0, tokens[2] = {0};
    for (int i = 0; i < tr->data.n; i++) {
        const ramus_corpus_counts *n = ramus_corpus_count(tr->data.corpora[i]);
        pairs += (double)n->read;
        tokens[0] += tr->data.weights[i] * (double)n->source_tokens;
        tokens[1] += tr->data.weights[i] * (double)n->target_tokens;
    }
    const double most = fmax(tokens[0], tokens[1]);
    ramus_train_settle_vocab(&tr->own, pairs); // of no use any more, but auto is no setting
    ramus_train_settle(&tr->own, pairs, most, &tr->chosen);
    tr->updates_per_epoch = ceil(most / tr->t->batch_tokens);
}

static ramus_status open_validation(ramus_trainer *tr, ramus_error *err)
{
    const ramus_training *t = tr->t;
    const ramus_texts none = {.n = 0};
    ramus_corpus_files files[2];
    int n = 0;
    if (t->valid.n == 0) return RAMUS_OK;
    if (t->valid.n > 2)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d files to validate on: expected one corpus",
                          t->valid.n);
    ramus_status st = ramus_corpus_files_read(files, &n, &t->valid, &none, t->columns, err);
    if (st) return st;
    if (n != 1)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "%d corpora to validate on: expected one", n);
    tr->valid_files = files[0];
    const ramus_validation_spec spec = {
        .files = &tr->valid_files,
        .arch = &tr->model.arch,
        .objective = &tr->spec->objective,
        .source_vocab = ramus_dataset_vocab(&tr->data, 0),
        .target_vocab = ramus_dataset_vocab(&tr->data, 1),
        .max_length = t->max_length,
        .beam = t->valid_beam,
        .tokenization = ramus_tokenization_at(t->valid_tokenize),
        .lowercase = t->valid_lowercase,
        .pool = tr->spec->pool,
        .comm = tr->spec->comm,
    };
    st = ramus_validation_create(&tr->validation, &spec, err);
    if (!st && ramus_validation_left_out(tr->validation))
        ramus_trainer_note(
            tr, "%d of the pairs to validate on are left out: empty, or longer than %d tokens",
            ramus_validation_left_out(tr->validation), t->max_length);
    return st;
}

static ramus_status create_parts(ramus_trainer *tr, ramus_error *err)
{
    const ramus_train_spec *spec = tr->spec;
    const ramus_training *t = tr->t;
    const int micro = t->micro_tokens < t->batch_tokens ? t->micro_tokens : t->batch_tokens;
    const ramus_learner_spec learner = {
        .arch = &tr->model.arch,
        .objective = &spec->objective,
        .tokens = micro,
        .max_length = t->max_length,
        .seed = (uint64_t)spec->seed,
        .pool = spec->pool,
    };
    const ramus_batches_spec batches = {
        .corpora = (const ramus_corpus *const *)tr->data.corpora,
        .weights = tr->data.weights,
        .n_corpora = tr->data.n,
        .source_vocab = ramus_dataset_vocab(&tr->data, 0),
        .target_vocab = ramus_dataset_vocab(&tr->data, 1),
        .seed = (uint64_t)spec->seed,
        .batch_tokens = t->batch_tokens,
        .micro_tokens = micro,
        .pool_pairs = t->pool_pairs,
        .max_length = t->max_length,
        .upper = t->upper_noise,
        .title = t->title_noise,
        .typo = t->typo_noise,
        .source_sampling = t->source_sampling,
        .target_sampling = t->target_sampling,
        .pool = spec->pool,
    };
    ramus_optimizer_options optimizer = spec->optimizer;
    optimizer.products = spec->objective.products;
    ramus_status st = ramus_batches_create(&tr->batches, &batches, err);
    if (!st) st = ramus_learner_create(&tr->learner, &learner, err);
    if (!st)
        st = ramus_exchange_create(&tr->exchange, spec->comm, tr->learner,
                                   (size_t)(t->bucket_mb * 1e6), err);
    if (!st)
        st = ramus_optimizer_create(&tr->optimizer, &optimizer, tr->learner->weights, spec->pool,
                                    err);
    if (st) return st;
    tr->state.weights = tr->learner->weights;
    tr->state.optimizer = ramus_optimizer_remembers(tr->optimizer);
    return open_validation(tr, err);
}

/* The settings, and the model that the run starts from where they say nothing. */
static ramus_status tell_about(ramus_trainer *tr, const ramus_checkpoint *from, ramus_error *err)
{
    const ramus_training *t = tr->t;
    const char *const said[RAMUS_ABOUTS] = {
        [RAMUS_ABOUT_SOURCE_LANGUAGE] = t->source_language,
        [RAMUS_ABOUT_TARGET_LANGUAGE] = t->target_language,
        [RAMUS_ABOUT_NAME] = t->name,
        [RAMUS_ABOUT_LICENSE] = t->license,
    };
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < RAMUS_ABOUTS && !st; i++) {
        if (from) st = ramus_checkpoint_tell(&tr->model, (ramus_about)i, from->about[i], err);
        if (!st) st = ramus_checkpoint_tell(&tr->model, (ramus_about)i, said[i], err);
    }
    return st;
}

static ramus_status start_from(ramus_trainer *tr, const char *path, ramus_error *err)
{
    ramus_checkpoint c = {0};
    ramus_status st = ramus_checkpoint_load(&c, path, err);
    if (st) return st;
    st = ramus_start_match(&tr->model, &c, true, err);
    if (st) {
        st = ramus_fail_in(err, st, path);
    } else {
        const ramus_weights *w = tr->learner->weights, *average = tr->state.optimizer->average;
        ramus_start_copy(tr->learner->weights, c.weights);
        if (average) memcpy(average->data, w->data, w->size * sizeof *w->data);
        st = tell_about(tr, &c, err);
        if (c.arch.routing != tr->model.arch.routing)
            ramus_trainer_note(tr, "the dense model %s grows %d branches", path,
                               tr->model.arch.branches);
    }
    ramus_checkpoint_free(&c);
    return st;
}

static ramus_status read_state(ramus_trainer *tr, const ramus_safetensors *file, ramus_error *err)
{
    ramus_checkpoint c = {0};
    ramus_status st = ramus_checkpoint_read(&c, file, err);
    if (!st) st = ramus_start_match(&tr->model, &c, false, err);
    if (!st) st = tell_about(tr, &c, err);
    ramus_checkpoint_free(&c);
    if (!st) st = ramus_state_read(&tr->state, file, err);
    if (!st && tr->state.place.seed != tr->spec->seed)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT, "its seed is %d but the settings say %d",
                        tr->state.place.seed, tr->spec->seed);
    if (!st && tr->state.corpus_key != tr->data.key)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT,
                        "the training files, their weights or filters have changed since it was "
                        "saved: restore them, or start a new run with --init");
    return st;
}

static ramus_status resume_from(ramus_trainer *tr, const char *path, ramus_error *err)
{
    ramus_safetensors *file = NULL;
    ramus_status st = ramus_safetensors_open(&file, path, err);
    if (st) return st;
    st = read_state(tr, file, err);
    ramus_safetensors_close(file);
    if (st) return ramus_fail_in(err, st, path);
    ramus_batches_seek(tr->batches, ramus_place_cursor(&tr->state.place));
    tr->saved = tr->state.place.update;
    ramus_trainer_note(tr, "going on from %s", path);
    return RAMUS_OK;
}

/* The update of the newest checkpoint, -1: none; rank 0 looks. */
static ramus_status find_newest(ramus_trainer *tr, int *newest, ramus_error *err)
{
    const ramus_training *t = tr->t;
    int *updates = NULL, n = 0;
    ramus_status st = tr->first ? ramus_checkpoints_list(&updates, &n, t->out, err) : RAMUS_OK;
    if (!st && !t->resume && n)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT,
                        "%s holds the checkpoints of a run: --resume goes on with it; choose "
                        "another folder for a new one",
                        t->out);
    *newest = n ? updates[n - 1] : -1;
    free(updates);
    st = ramus_comm_agree(tr->spec->comm, st, err);
    if (!st) ramus_comm_broadcast(tr->spec->comm, newest, sizeof *newest);
    return st;
}

/* Finds out where training begins: anew, from other weights, or where it stopped. */
static ramus_status find_place(ramus_trainer *tr, ramus_error *err)
{
    const ramus_training *t = tr->t;
    ramus_buffer path = {0};
    int newest = -1;
    const ramus_settings place = ramus_place_settings(&tr->state.place);
    ramus_settings_default(&place);
    tr->state.place.seed = tr->spec->seed;
    tr->saved = -1;
    ramus_status st = find_newest(tr, &newest, err);
    if (!st && newest >= 0) {
        st = ramus_checkpoints_path(&path, t->out, newest, err);
        if (!st) st = resume_from(tr, path.data, err);
    } else if (!st && t->init) {
        st = start_from(tr, t->init, err);
    } else if (!st) {
        st = tell_about(tr, NULL, err);
    }
    ramus_buffer_free(&path);
    return ramus_comm_agree(tr->spec->comm, st, err);
}

/* What a killed run had not finished: in the folder and in the cache that is the run's own. */
static ramus_status clean(const ramus_training *t, ramus_error *err)
{
    ramus_buffer cache = {0};
    const ramus_status st = ramus_folder_path(&cache, t->out, "cache", err);
    ramus_run_folder_clean(t->out);
    if (!st) ramus_run_folder_clean(cache.data);
    ramus_buffer_free(&cache);
    return st;
}

static ramus_status open_folder(ramus_trainer *tr, ramus_error *err)
{
    const ramus_training *t = tr->t;
    ramus_status st = ramus_folder_make(t->out, err);
    if (!st) st = ramus_run_folder_lock(&tr->lock, t->out, err);
    return st ? st : clean(t, err);
}

/* What keeps a new run from saving shows before its first update. */
static ramus_status try_save(const ramus_trainer *tr, ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_status st = ramus_folder_path(&path, tr->t->out, RAMUS_RUN_TRIAL, err);
    if (!st) st = ramus_state_save(&tr->state, &tr->model, tr->settings.data, path.data, err);
    if (!st) (void)unlink(path.data);
    ramus_buffer_free(&path);
    return st;
}

static ramus_status open_log(ramus_trainer *tr, ramus_error *err)
{
    const ramus_training *t = tr->t;
    ramus_status st = print_settings(tr, err);
    if (!st && tr->saved < 0) st = try_save(tr, err);
    if (!st) st = ramus_run_folder_save(t->out, "settings.conf", tr->settings.data, err);
    if (!st) st = ramus_run_folder_log(&tr->log, t->out, err);
    if (!st)
        st = ramus_journal_start(tr->log, &tr->state.place, &tr->data, tr->settings.data,
                                 tr->learner->weights->count, ramus_pool_threads(tr->spec->pool),
                                 tr->updates_per_epoch, err);
    return st;
}

ramus_status ramus_trainer_open(ramus_trainer *tr, ramus_error *err)
{
    ramus_comm *c = tr->spec->comm;
    ramus_status st = ramus_training_check(tr->t, err);
    if (!st && tr->first) st = open_folder(tr, err);
    if (!st && tr->first) st = make_vocab(tr, err);
    if (!st && tr->first) st = open_data(tr, err);
    st = ramus_comm_agree(c, st, err);
    if (!st && !tr->first) st = open_data(tr, err); // the caches are there now
    if (!st) settle(tr);
    if (!st) st = create_parts(tr, err);
    st = ramus_comm_agree(c, st, err);
    if (!st) st = find_place(tr, err);
    if (!st) st = ramus_trainer_same_weights(tr, err);
    if (st) return st;
    if (tr->first) st = open_log(tr, err);
    st = ramus_comm_agree(c, st, err);
    if (st) return st;
    ramus_trainer_tell_start(tr);
    return RAMUS_OK;
}

void ramus_trainer_close(ramus_trainer *tr)
{
    if (tr->log) (void)fclose(tr->log);
    if (tr->lock >= 0) (void)close(tr->lock);
    ramus_validation_destroy(tr->validation);
    ramus_optimizer_destroy(tr->optimizer);
    ramus_exchange_destroy(tr->exchange);
    ramus_learner_destroy(tr->learner);
    ramus_batches_destroy(tr->batches);
    ramus_checkpoint_free(&tr->model);
    ramus_dataset_close(&tr->data);
    ramus_buffer_free(&tr->settings);
    ramus_buffer_free(&tr->chosen);
    for (int i = 0; i < 2; i++)
        ramus_buffer_free(&tr->vocab_paths[i]);
}
