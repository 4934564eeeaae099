#include "train/trainer.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/hash.h"
#include "convert/checkpoints.h"
#include "report/training_page.h"
#include "train/exchange.h"
#include "train/journal.h"
#include "train/run_folder.h"
#include "train/start.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const ramus_train_spec *spec;
    const ramus_training *t;
    bool first; // rank 0, which alone writes and tells
    ramus_dataset data;
    ramus_checkpoint model; // what is not weights of each checkpoint
    ramus_batches *batches;
    ramus_learner *learner;
    ramus_exchange *exchange;
    ramus_optimizer *optimizer;
    ramus_validation *validation; // NULL: no files to validate on
    ramus_corpus_files valid_files;
    ramus_state state;
    ramus_buffer settings;
    int lock;
    FILE *log;

    double start, past_seconds;           // of this session; of the ones before
    int first_update;                     // of this session
    double window_seconds, window_tokens; // since the last line of the log
    double norm, rate, bleu;              // the latest ones
    int saved;                            // update of the newest checkpoint; -1: none
} trainer;

/* Tells the user and the log; a log that cannot be written is told to the user only. */
static void note(trainer *tr, const char *format, ...)
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

/* Something went wrong that training can live with. */
static void bear(trainer *tr, ramus_status st, const ramus_error *err)
{
    if (st) note(tr, "%s", err->message);
}

static void make_report(trainer *tr)
{
    ramus_error err = {0};
    if (tr->first) bear(tr, ramus_report_save(tr->t->out, &err), &err);
}

/* All settings as the lines of a settings file. */
static ramus_status print_settings(trainer *tr, ramus_error *err)
{
    ramus_train_spec spec = *tr->spec;
    spec.arch = tr->model.arch;
    spec.training.resume = false;
    const ramus_settings tables[] = {
        ramus_arch_settings(&spec.arch), ramus_objective_settings(&spec.objective),
        ramus_optimizer_settings(&spec.optimizer), ramus_training_settings(&spec.training)};
    ramus_buffer_print(&tr->settings, "seed = %d\n", spec.seed);
    for (int i = 0; i < RAMUS_COUNT(tables); i++)
        ramus_settings_print(&tables[i], &tr->settings);
    return ramus_buffer_check(&tr->settings, err);
}

static ramus_status open_data(trainer *tr, ramus_error *err)
{
    const ramus_training *t = tr->t;
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

static ramus_status open_validation(trainer *tr, ramus_error *err)
{
    static const char *const tokenizations[] = {"13a", "intl", "zh", "char", "none"};
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
        .tokenization = tokenizations[t->valid_tokenize],
        .lowercase = t->valid_lowercase,
        .pool = tr->spec->pool,
        .comm = tr->spec->comm,
    };
    st = ramus_validation_create(&tr->validation, &spec, err);
    if (!st && ramus_validation_left_out(tr->validation))
        note(tr, "%d of the pairs to validate on are left out: empty, or longer than %d tokens",
             ramus_validation_left_out(tr->validation), t->max_length);
    return st;
}

static ramus_status create_parts(trainer *tr, ramus_error *err)
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
    ramus_status st = ramus_batches_create(&tr->batches, &batches, err);
    if (!st) st = ramus_learner_create(&tr->learner, &learner, err);
    if (!st)
        st = ramus_exchange_create(&tr->exchange, spec->comm, tr->learner,
                                   (size_t)(t->bucket_mb * 1e6), err);
    if (!st)
        st = ramus_optimizer_create(&tr->optimizer, &spec->optimizer, tr->learner->weights,
                                    spec->pool, err);
    if (st) return st;
    tr->state.weights = tr->learner->weights;
    tr->state.optimizer = ramus_optimizer_remembers(tr->optimizer);
    return open_validation(tr, err);
}

static ramus_status start_from(trainer *tr, const char *path, ramus_error *err)
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
        if (c.arch.routing != tr->model.arch.routing)
            note(tr, "the dense model %s grows %d branches", path, tr->model.arch.branches);
    }
    ramus_checkpoint_free(&c);
    return st;
}

static ramus_status read_state(trainer *tr, const ramus_safetensors *file, ramus_error *err)
{
    ramus_checkpoint c = {0};
    ramus_status st = ramus_checkpoint_read(&c, file, err);
    if (!st) st = ramus_start_match(&tr->model, &c, false, err);
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

static ramus_status resume_from(trainer *tr, const char *path, ramus_error *err)
{
    ramus_safetensors *file = NULL;
    ramus_status st = ramus_safetensors_open(&file, path, err);
    if (st) return st;
    st = read_state(tr, file, err);
    ramus_safetensors_close(file);
    if (st) return ramus_fail_in(err, st, path);
    ramus_batches_seek(tr->batches, ramus_place_cursor(&tr->state.place));
    tr->saved = tr->state.place.update;
    note(tr, "going on from %s", path);
    return RAMUS_OK;
}

/* The update of the newest checkpoint, -1: none; rank 0 looks. */
static ramus_status find_newest(trainer *tr, int *newest, ramus_error *err)
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
static ramus_status find_place(trainer *tr, ramus_error *err)
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
    }
    ramus_buffer_free(&path);
    return ramus_comm_agree(tr->spec->comm, st, err);
}

/* The ranks' weights are the same bit by bit, since all take the same steps. */
static ramus_status check_weights(const trainer *tr, ramus_error *err)
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

static ramus_status open_folder(trainer *tr, ramus_error *err)
{
    const ramus_training *t = tr->t;
    ramus_status st = ramus_folder_make(t->out, err);
    if (!st) st = ramus_run_folder_lock(&tr->lock, t->out, err);
    return st ? st : clean(t, err);
}

static ramus_status open_log(trainer *tr, ramus_error *err)
{
    const ramus_training *t = tr->t;
    ramus_status st = print_settings(tr, err);
    if (!st) st = ramus_run_folder_save(t->out, "settings.conf", tr->settings.data, err);
    if (!st) st = ramus_run_folder_log(&tr->log, t->out, err);
    if (!st)
        st = ramus_journal_start(tr->log, &tr->state.place, &tr->data, tr->settings.data,
                                 tr->learner->weights->count, ramus_pool_threads(tr->spec->pool),
                                 err);
    return st;
}

static void tell_ranks(trainer *tr)
{
    const ramus_training *t = tr->t;
    const int ranks = ramus_comm_ranks(tr->spec->comm), most = t->batch_tokens / ranks;
    if (ranks == 1) return;
    note(tr, "%d ranks; threads of the first: %d", ranks, ramus_pool_threads(tr->spec->pool));
    if (t->micro_tokens > most)
        note(tr,
             "updates of %d tokens in micro-batches of %d leave ranks idle: a new run with "
             "--micro-tokens %d or less keeps all of them busy",
             t->batch_tokens, t->micro_tokens, most);
}

/* What only rank 0 does comes first, and all know how it went before they go on. */
static ramus_status open_all(trainer *tr, ramus_error *err)
{
    ramus_comm *c = tr->spec->comm;
    ramus_status st = ramus_training_check(tr->t, err);
    if (!st && tr->first) st = open_folder(tr, err);
    if (!st && tr->first) st = open_data(tr, err);
    st = ramus_comm_agree(c, st, err);
    if (!st && !tr->first) st = open_data(tr, err); // the caches are there now
    if (!st) st = create_parts(tr, err);
    st = ramus_comm_agree(c, st, err);
    if (!st) st = find_place(tr, err);
    if (!st) st = check_weights(tr, err);
    if (st) return st;
    if (tr->first) st = open_log(tr, err);
    st = ramus_comm_agree(c, st, err);
    if (!st) tell_ranks(tr);
    return st;
}

static void close_all(trainer *tr)
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
}

/* One update: all its micro-batches, then the weights move, unless a number is not finite. */
static ramus_status do_update(trainer *tr, ramus_error *err)
{
    ramus_place *p = &tr->state.place;
    ramus_learner *l = tr->learner;
    const double start = ramus_clock_now();
    const ramus_learned before = l->learned;
    ramus_update update;
    const ramus_status st =
        ramus_comm_agree(tr->spec->comm, ramus_batches_next(tr->batches, &update, err), err);
    if (st) return st;
    const int number = p->update + 1;
    ramus_exchange_learn(tr->exchange, &update, number);
    tr->norm = ramus_optimizer_norm(tr->optimizer, l->grads);
    tr->rate = ramus_learning_rate(&tr->spec->optimizer, number, tr->t->updates);
    if (!isfinite(l->learned.sums[0])) tr->norm = l->learned.sums[0];
    const bool moved =
        ramus_optimizer_step(tr->optimizer, l->weights, l->grads, tr->rate, tr->norm);

    const ramus_cursor next = ramus_batches_cursor(tr->batches);
    p->update = number;
    p->epoch = (double)next.epoch;
    p->pool = (double)next.pool;
    p->pool_update = (double)next.update;
    p->steps = tr->state.optimizer->steps;
    p->valid_loss = p->valid_bleu = -1;
    p->skipped_in_row = moved ? 0 : p->skipped_in_row + 1;
    if (moved) {
        p->source_tokens += (double)update.source_tokens;
        p->target_tokens += (double)update.target_tokens;
    } else {
        p->skipped++;
        l->learned = before;
        note(tr, "update %d was skipped: its loss or gradient is not finite", number);
    }
    p->seconds = tr->past_seconds + ramus_clock_now() - tr->start;
    tr->window_seconds += ramus_clock_now() - start;
    tr->window_tokens += (double)update.target_tokens;
    return RAMUS_OK;
}

static double tokens_per_second(const trainer *tr)
{
    return tr->window_seconds > 0 ? tr->window_tokens / tr->window_seconds : 0;
}

static void tell_progress(const trainer *tr)
{
    const ramus_train_hooks *hooks = &tr->spec->hooks;
    const int done = tr->state.place.update - tr->first_update;
    const double each = (ramus_clock_now() - tr->start) / (done > 0 ? done : 1);
    const ramus_train_progress p = {
        .update = tr->state.place.update,
        .updates = tr->t->updates,
        .epoch = ramus_batches_epochs(tr->batches),
        .loss = ramus_learner_loss(tr->learner, 0),
        .rate = tr->rate,
        .tokens_per_second = tokens_per_second(tr),
        .seconds_left = each * (tr->t->updates - tr->state.place.update),
        .bleu = tr->bleu,
    };
    if (hooks->progress && tr->first) hooks->progress(hooks->arg, &p);
}

static void write_log(trainer *tr)
{
    ramus_error err = {0};
    const ramus_journal_window window = {tr->rate, tr->norm, tokens_per_second(tr),
                                         ramus_batches_epochs(tr->batches)};
    if (tr->first) {
        ramus_learner_gates(tr->learner);
        bear(tr, ramus_journal_train(tr->log, &tr->state.place, tr->learner, &window, &err), &err);
    }
    ramus_learner_clear(tr->learner);
    tr->window_seconds = tr->window_tokens = 0;
}

static ramus_status validate(trainer *tr, ramus_error *err)
{
    ramus_place *p = &tr->state.place;
    const ramus_weights *used =
        tr->state.optimizer->average ? tr->state.optimizer->average : tr->learner->weights;
    ramus_validated v = {0};
    if (!tr->validation) return RAMUS_OK;
    ramus_status st = check_weights(tr, err);
    if (!st) st = ramus_validation_run(tr->validation, used, &v, err);
    if (st) return st;
    const bool by_bleu = tr->t->stop_on == RAMUS_STOP_ON_BLEU && v.bleu >= 0;
    const double value = by_bleu ? v.bleu : v.loss;
    p->valid_loss = isfinite(v.loss) ? v.loss : -1;
    p->valid_bleu = tr->bleu = v.bleu;
    if (isfinite(value) && (p->best < 0 || (by_bleu ? value > p->best : value < p->best))) {
        p->best = value;
        p->best_update = p->update;
        p->waited = 0;
    } else {
        p->waited++;
    }
    char bleu[32] = "";
    if (v.bleu >= 0) (void)snprintf(bleu, sizeof bleu, ", BLEU %.2f", v.bleu);
    if (!tr->first) return RAMUS_OK;
    if (tr->spec->hooks.note) {
        char text[200];
        (void)snprintf(text, sizeof text, "update %d: validation loss %.4f, perplexity %.2f%s%s",
                       p->update, v.loss, v.perplexity, bleu,
                       p->best_update == p->update ? " (best)" : "");
        tr->spec->hooks.note(tr->spec->hooks.arg, text);
    }
    ramus_error log_error = {0};
    bear(tr, ramus_journal_valid(tr->log, p, &v, &log_error), &log_error);
    return RAMUS_OK;
}

/* Writes a checkpoint and clears away old ones; rank 0 does. */
static ramus_status save(trainer *tr, ramus_error *err)
{
    if (!tr->first) return RAMUS_OK;
    const ramus_training *t = tr->t;
    const ramus_keep_rule rule = {t->keep_last, t->keep_best,
                                  t->stop_on == RAMUS_STOP_ON_BLEU && t->valid_beam > 0};
    ramus_buffer path = {0};
    ramus_error less = {0};
    ramus_status st = ramus_checkpoints_path(&path, t->out, tr->state.place.update, err);
    if (!st) st = ramus_state_save(&tr->state, &tr->model, tr->settings.data, path.data, err);
    if (!st) {
        tr->saved = tr->state.place.update;
        bear(tr,
             ramus_journal_text(tr->log, "save", tr->saved, "file", strrchr(path.data, '/') + 1,
                                &less),
             &less);
        bear(tr, ramus_run_folder_prune(t->out, &rule, &less), &less);
    }
    ramus_buffer_free(&path);
    return st;
}

/* Why training is over, or NULL. */
static const char *reason_to_end(const trainer *tr)
{
    const ramus_training *t = tr->t;
    const ramus_place *p = &tr->state.place;
    if (p->update >= t->updates) return "all updates are done";
    if (t->epochs && p->epoch >= t->epochs) return "all epochs are done";
    if (t->patience && p->waited >= t->patience) return "validation gets no better";
    return NULL;
}

/* What is due after an update: a line in the log, a validation, a checkpoint. */
static ramus_status do_due(trainer *tr, const char *end, ramus_error *err)
{
    const ramus_training *t = tr->t;
    const int u = tr->state.place.update;
    const bool valid_due = u % t->valid_every == 0 || end;
    const bool save_due = t->save_every ? u % t->save_every == 0 : valid_due;
    ramus_error trouble = {0};
    ramus_status st = RAMUS_OK;
    tell_progress(tr);
    if (u % t->log_every == 0) write_log(tr);
    if (valid_due) st = validate(tr, err);
    if (st || !(save_due || end)) return st;
    st = save(tr, &trouble);
    if (st) note(tr, "checkpoint not saved, training goes on: %s", trouble.message);
    if (valid_due) make_report(tr);
    return RAMUS_OK;
}

static ramus_status check_skipped(const trainer *tr, ramus_error *err)
{
    const ramus_place *p = &tr->state.place;
    if (p->skipped_in_row <= tr->t->max_skipped) return RAMUS_OK;
    return ramus_fail(err, RAMUS_FAILED,
                      "%d updates in a row had a loss or gradient that is not finite: training has "
                      "diverged at update %d; go back to a checkpoint and lower --rate, raise "
                      "--warmup or set --clip",
                      p->skipped_in_row, p->update);
}

static ramus_status loop(trainer *tr, bool *stopped, ramus_error *err)
{
    const ramus_train_hooks *hooks = &tr->spec->hooks;
    const char *end = reason_to_end(tr);
    ramus_status st = RAMUS_OK;
    while (!st && !end) {
        const bool asked = hooks->stop && hooks->stop(hooks->arg);
        if (ramus_comm_max(tr->spec->comm, asked) > 0) {
            *stopped = true;
            end = "it was told to stop";
            break;
        }
        st = do_update(tr, err);
        if (!st) st = check_skipped(tr, err);
        if (st) break;
        end = reason_to_end(tr);
        st = do_due(tr, end, err);
        if (!st && !end) end = reason_to_end(tr); // patience may have run out
    }
    ramus_error less = {0};
    if (!st && tr->saved != tr->state.place.update) st = save(tr, err);
    if (!st && tr->first) {
        bear(tr, ramus_journal_text(tr->log, "end", tr->state.place.update, "reason", end, &less),
             &less);
        if (!*stopped) note(tr, "the end: %s", end);
    }
    make_report(tr);
    return ramus_comm_agree(tr->spec->comm, st, err);
}

ramus_status ramus_train(const ramus_train_spec *spec, ramus_train_result *out, ramus_error *err)
{
    trainer tr = {.spec = spec,
                  .t = &spec->training,
                  .first = ramus_comm_rank(spec->comm) == 0,
                  .lock = -1,
                  .bleu = -1};
    bool stopped = false;
    ramus_status st = open_all(&tr, err);
    if (!st) {
        tr.start = ramus_clock_now();
        tr.past_seconds = tr.state.place.seconds;
        tr.first_update = tr.state.place.update;
        st = loop(&tr, &stopped, err);
    }
    if (!st)
        *out = (ramus_train_result){tr.state.place.update, tr.state.place.best_update,
                                    tr.state.place.best, stopped};
    close_all(&tr);
    return st;
}
