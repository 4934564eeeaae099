/* What a run says at its start and end. Numbers have commas, as in the report. */
#include "train/trainer_parts.h"

#include "convert/checkpoints.h"
#include "report/html.h"

#include <math.h>

static void tell_ranks(ramus_trainer *tr)
{
    const ramus_training *t = tr->t;
    const int ranks = ramus_comm_ranks(tr->spec->comm), most = t->batch_tokens / ranks;
    if (ranks == 1) return;
    ramus_trainer_note(tr, "%d ranks; threads of the first: %d", ranks,
                       ramus_pool_threads(tr->spec->pool));
    if (t->micro_tokens > most)
        ramus_trainer_note(
            tr,
            "updates of %d tokens in micro-batches of %d leave ranks idle: a new run with "
            "--micro-tokens %d or less keeps all of them busy",
            t->batch_tokens, t->micro_tokens, most);
}

static void tell_products(ramus_trainer *tr)
{
    const ramus_gemm *gemm = tr->learner->run->train->kernels.gemm;
    if (tr->spec->objective.products == RAMUS_PRODUCTS_BF16 && gemm->terms == 1)
        ramus_trainer_note(tr, "this CPU has no instructions for bf16 products: their factors are "
                               "rounded in software, which is no faster than --products float");
}

static void tell_encoding(ramus_trainer *tr)
{
    for (int i = 0; i < tr->data.n && tr->first; i++) {
        const ramus_corpus_files *f = &tr->data.files[i];
        const ramus_corpus_counts *n = ramus_corpus_count(tr->data.corpora[i]);
        if (n->not_utf8)
            ramus_trainer_note(tr,
                               "%s%s%s: %lld of %lld pairs are not UTF-8: their wrong bytes are "
                               "read as U+FFFD; iconv -t UTF-8 converts a file",
                               f->source, f->target ? ", " : "", f->target ? f->target : "",
                               (long long)n->not_utf8, (long long)n->read);
    }
}

/* ", 12 are empty"; nothing for none */
static void add_reason(ramus_buffer *b, const char **separator, int64_t n, const char *what)
{
    if (n == 0) return;
    ramus_buffer_text(b, *separator);
    ramus_html_count(b, (double)n);
    ramus_buffer_print(b, " %s", what);
    *separator = ", ";
}

static void tell_pairs(ramus_trainer *tr)
{
    for (int i = 0; i < tr->data.n; i++) {
        const ramus_corpus_files *f = &tr->data.files[i];
        const ramus_corpus_counts *n = ramus_corpus_count(tr->data.corpora[i]);
        char longer[64];
        const char *separator = "; dropped: ";
        ramus_buffer b = {0};
        ramus_buffer_print(&b, "%s%s%s: ", f->source, f->target ? ", " : "",
                           f->target ? f->target : "");
        ramus_html_count(&b, (double)n->kept);
        ramus_buffer_text(&b, " of ");
        ramus_html_count(&b, (double)n->read);
        ramus_buffer_text(&b, " pairs are kept");
        (void)snprintf(longer, sizeof longer, "with more than %d tokens", tr->t->max_length);
        add_reason(&b, &separator, n->empty, "with an empty side");
        add_reason(&b, &separator, n->too_long, longer);
        add_reason(&b, &separator, n->ratio, "with lengths too different");
        if (b.data) ramus_trainer_note(tr, "%s", b.data);
        ramus_buffer_free(&b);
    }
}

static void tell_model(ramus_trainer *tr)
{
    ramus_buffer b = {0};
    ramus_html_count(&b, (double)tr->learner->weights->count);
    ramus_buffer_text(&b, " parameters in training; about ");
    ramus_html_count(&b, tr->updates_per_epoch);
    ramus_buffer_text(&b, " updates an epoch");
    if (tr->chosen.size) ramus_buffer_print(&b, "; chosen%s", tr->chosen.data + 1);
    if (b.data) ramus_trainer_note(tr, "%s", b.data);
    ramus_buffer_free(&b);
}

void ramus_trainer_tell_start(ramus_trainer *tr)
{
    const char *out = tr->t->out;
    tell_ranks(tr);
    tell_products(tr);
    tell_pairs(tr);
    tell_encoding(tr);
    tell_model(tr);
    ramus_trainer_note(tr, "report: %s/report.html; log: %s/log.jsonl; best model: %s/%s", out, out,
                       out, RAMUS_BEST_CHECKPOINT);
}

void ramus_trainer_tell_time(ramus_trainer *tr, double seconds_left)
{
    const double minutes = ceil(seconds_left / 60);
    if (minutes >= 60)
        ramus_trainer_note(tr, "%d updates: about %.0f h %02.0f min, and validations",
                           tr->t->updates, floor(minutes / 60), fmod(minutes, 60));
    else
        ramus_trainer_note(tr, "%d updates: about %.0f min, and validations", tr->t->updates,
                           minutes);
}

void ramus_trainer_tell_end(ramus_trainer *tr, const char *why)
{
    const ramus_place *p = &tr->state.place;
    char *const *about = tr->model.about;
    const char *from = about[RAMUS_ABOUT_SOURCE_LANGUAGE], *to = about[RAMUS_ABOUT_TARGET_LANGUAGE];
    const bool named = from && to;
    ramus_trainer_note(tr, "the end: %s", why);
    if (p->best >= 0)
        ramus_trainer_note(tr, "best model: %s/%s (update %d)", tr->t->out, RAMUS_BEST_CHECKPOINT,
                           p->best_update);
    else
        ramus_trainer_note(tr, "newest model: %s/%s", tr->t->out, RAMUS_BEST_CHECKPOINT);
    ramus_trainer_note(tr, "next: ramus export %s -o %s%s%s.gguf", tr->t->out,
                       named ? from : "model", named ? "-" : "", named ? to : "");
}
