/* The loop of training: an update, then what is due after it. Everything it works with is opened by
 * trainer_open.c; its place is tr->state, which a checkpoint keeps. */
#include "train/trainer_parts.h"

#include "base/clock.h"
#include "convert/checkpoints.h"
#include "report/scores.h"
#include "report/training_page.h"
#include "train/journal.h"
#include "train/run_folder.h"

#include <math.h>
#include <string.h>

#define FORETELL_UPDATES 20 // after which the time that a run takes can be told
#define REPORT_SECONDS   60

static void make_report(ramus_trainer *tr)
{
    ramus_error err = {0};
    if (tr->first) ramus_trainer_bear(tr, ramus_report_save(tr->t->out, &err), &err);
    tr->reported = ramus_clock_now();
}

/* One update: all its micro-batches, then the weights move, unless loss or norm is not finite. */
static ramus_status do_update(ramus_trainer *tr, ramus_error *err)
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
        ramus_trainer_note(tr, "update %d was skipped: its loss or gradient is not finite", number);
    }
    p->seconds = tr->past_seconds + ramus_clock_now() - tr->start;
    tr->window_seconds += ramus_clock_now() - start;
    tr->window_tokens += (double)update.target_tokens;
    return RAMUS_OK;
}

static double tokens_per_second(const ramus_trainer *tr)
{
    return tr->window_seconds > 0 ? tr->window_tokens / tr->window_seconds : 0;
}

static void tell_progress(ramus_trainer *tr)
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
    if (done == FORETELL_UPDATES && p.seconds_left > 0) ramus_trainer_tell_time(tr, p.seconds_left);
}

static void write_log(ramus_trainer *tr)
{
    ramus_error err = {0};
    const ramus_journal_window window = {tr->rate, tr->norm, tokens_per_second(tr),
                                         ramus_batches_epochs(tr->batches)};
    if (tr->first) {
        ramus_learner_gates(tr->learner);
        ramus_trainer_bear(
            tr, ramus_journal_train(tr->log, &tr->state.place, tr->learner, &window, &err), &err);
    }
    ramus_learner_clear(tr->learner);
    tr->window_seconds = tr->window_tokens = 0;
}

/* Keeps the translations of the best checkpoint, by which runs are compared line by line. */
static ramus_status keep_translations(const ramus_trainer *tr, ramus_error *err)
{
    ramus_buffer translations = {0}, references = {0};
    ramus_status st = ramus_validation_texts(tr->validation, &translations, &references, err);
    if (!st && translations.size > 0)
        st = ramus_run_folder_save(tr->t->out, RAMUS_BEST_REFERENCE, references.data, err);
    if (!st && translations.size > 0)
        st = ramus_run_folder_save(tr->t->out, RAMUS_BEST_TRANSLATIONS, translations.data, err);
    ramus_buffer_free(&translations);
    ramus_buffer_free(&references);
    return st;
}

static ramus_status validate(ramus_trainer *tr, ramus_error *err)
{
    ramus_place *p = &tr->state.place;
    const ramus_weights *used =
        tr->state.optimizer->average ? tr->state.optimizer->average : tr->learner->weights;
    ramus_validated v = {0};
    if (!tr->validation) return RAMUS_OK;
    ramus_status st = ramus_trainer_same_weights(tr, err);
    if (!st) st = ramus_validation_run(tr->validation, used, &v, err);
    if (st) return st;
    const bool by_bleu = tr->t->stop_on == RAMUS_STOP_ON_BLEU && v.bleu >= 0;
    const double value = by_bleu ? v.bleu : v.nll;
    p->valid_loss = isfinite(v.nll) ? v.nll : -1;
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
                       p->update, v.nll, v.perplexity, bleu,
                       p->best_update == p->update ? " (best)" : "");
        tr->spec->hooks.note(tr->spec->hooks.arg, text);
    }
    ramus_error log_error = {0};
    ramus_trainer_bear(tr, ramus_journal_valid(tr->log, p, &v, tr->validation, &log_error),
                       &log_error);
    if (p->best_update == p->update)
        ramus_trainer_bear(tr, keep_translations(tr, &log_error), &log_error);
    return RAMUS_OK;
}

/* Writes a checkpoint and clears away old ones; rank 0 does. */
static ramus_status save(ramus_trainer *tr, ramus_error *err)
{
    if (!tr->first) return RAMUS_OK;
    const ramus_training *t = tr->t;
    const ramus_keep_rule rule = {t->keep_last, t->keep_best,
                                  t->stop_on == RAMUS_STOP_ON_BLEU && t->valid_beam > 0,
                                  ramus_decay_start(&tr->spec->optimizer, t->updates)};
    ramus_buffer path = {0};
    ramus_error less = {0};
    ramus_status st = ramus_checkpoints_path(&path, t->out, tr->state.place.update, err);
    if (!st) st = ramus_state_save(&tr->state, &tr->model, tr->settings.data, path.data, err);
    if (!st) {
        tr->saved = tr->state.place.update;
        ramus_trainer_bear(tr,
                           ramus_journal_text(tr->log, "save", tr->saved, "file",
                                              strrchr(path.data, '/') + 1, &less),
                           &less);
        ramus_trainer_bear(tr, ramus_run_folder_best(t->out, tr->saved, rule.by_bleu, &less),
                           &less);
        ramus_trainer_bear(tr, ramus_run_folder_prune(t->out, &rule, &less), &less);
    }
    ramus_buffer_free(&path);
    return st;
}

/* Why training is over, or NULL. */
static const char *reason_to_end(const ramus_trainer *tr)
{
    const ramus_training *t = tr->t;
    const ramus_place *p = &tr->state.place;
    if (p->update >= t->updates) return "all updates are done";
    if (t->epochs && p->epoch >= t->epochs) return "all epochs are done";
    if (t->patience && p->waited >= t->patience) return "validation gets no better";
    return NULL;
}

/* What is due after an update: a line in the log, a validation, a checkpoint. */
static ramus_status do_due(ramus_trainer *tr, const char *end, ramus_error *err)
{
    const ramus_training *t = tr->t;
    const int u = tr->state.place.update;
    const bool valid_due = u % t->valid_every == 0 || end;
    const bool stage = u == ramus_decay_start(&tr->spec->optimizer, t->updates);
    const bool save_due = stage || (t->save_every ? u % t->save_every == 0 : valid_due);
    ramus_error trouble = {0};
    ramus_status st = RAMUS_OK;
    tell_progress(tr);
    if (u % t->log_every == 0) write_log(tr);
    if (ramus_clock_now() - tr->reported >= REPORT_SECONDS) make_report(tr);
    if (valid_due) st = validate(tr, err);
    if (st || !(save_due || end)) return st;
    st = save(tr, &trouble);
    if (st) ramus_trainer_note(tr, "checkpoint not saved, training goes on: %s", trouble.message);
    if (valid_due) make_report(tr);
    return RAMUS_OK;
}

static ramus_status check_skipped(const ramus_trainer *tr, ramus_error *err)
{
    const ramus_place *p = &tr->state.place;
    if (p->skipped_in_row <= tr->t->max_skipped) return RAMUS_OK;
    return ramus_fail(err, RAMUS_FAILED,
                      "%d updates in a row had a loss or gradient that is not finite: training has "
                      "diverged at update %d; go back to a checkpoint and lower --rate, raise "
                      "--warmup or set --clip",
                      p->skipped_in_row, p->update);
}

static ramus_status loop(ramus_trainer *tr, bool *stopped, ramus_error *err)
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
        ramus_trainer_bear(
            tr,
            ramus_journal_end(tr->log, tr->state.place.update, end, RAMUS_BEST_CHECKPOINT, &less),
            &less);
        if (!*stopped) ramus_trainer_tell_end(tr, end);
    }
    make_report(tr);
    return ramus_comm_agree(tr->spec->comm, st, err);
}

ramus_status ramus_train(const ramus_train_spec *spec, ramus_train_result *out, ramus_error *err)
{
    ramus_trainer tr = {.own = *spec,
                        .spec = &tr.own,
                        .t = &tr.own.training,
                        .first = ramus_comm_rank(spec->comm) == 0,
                        .lock = -1,
                        .bleu = -1};
    bool stopped = false;
    ramus_status st = ramus_trainer_open(&tr, err);
    if (!st) {
        tr.start = ramus_clock_now();
        tr.past_seconds = tr.state.place.seconds;
        tr.first_update = tr.state.place.update;
        make_report(&tr);
        st = loop(&tr, &stopped, err);
    }
    if (!st)
        *out = (ramus_train_result){tr.state.place.update, tr.state.place.best_update,
                                    tr.state.place.best, stopped};
    ramus_trainer_close(&tr);
    return st;
}
