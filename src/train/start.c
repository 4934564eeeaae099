/* Compares the shapes of two models setting by setting, then copies parameters by name. A dense
 * map becomes the shared part, or every branch, of a routed one. */
#include "train/start.h"

#include "model/fold.h"

#include <string.h>

static ramus_status match_setting(const ramus_settings *ours, const ramus_settings *theirs, int row,
                                  ramus_error *err)
{
    ramus_buffer x = {0}, y = {0};
    ramus_setting_print(ours, &ours->rows[row], &x);
    ramus_setting_print(theirs, &theirs->rows[row], &y);
    ramus_status st = ramus_buffer_check(&x, err);
    if (!st) st = ramus_buffer_check(&y, err);
    if (!st && strcmp(x.data, y.data) != 0)
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT, "its %s is %s but the settings say %s",
                        ours->rows[row].name, y.data, x.data);
    ramus_buffer_free(&x);
    ramus_buffer_free(&y);
    return st;
}

ramus_status ramus_start_match(const ramus_checkpoint *ours, const ramus_checkpoint *theirs,
                               bool grow, ramus_error *err)
{
    ramus_arch a = ours->arch, b = theirs->arch;
    if (grow && b.routing == RAMUS_DENSE) {
        b.routing = a.routing;
        b.branches = a.branches;
        b.top_k = a.top_k;
        b.routed = a.routed;
        b.shared_private = a.shared_private;
        b.gate_noise = a.gate_noise;
    }
    const ramus_settings x = ramus_arch_settings(&a), y = ramus_arch_settings(&b);
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < x.n && !st; i++)
        if (!x.rows[i].chosen) st = match_setting(&x, &y, i, err);
    for (int i = 0; i < 2 && !st && theirs->vocabs[0].size; i++) {
        const ramus_buffer *p = &ours->vocabs[i], *q = &theirs->vocabs[i];
        if (p->size != q->size || (p->size && memcmp(p->data, q->data, p->size) != 0))
            st = ramus_fail(err, RAMUS_BAD_ARGUMENT,
                            "it was trained with another vocabulary than the %s that is given: a "
                            "model keeps its vocabulary for life",
                            i ? "target one" : "one");
    }
    return st;
}

void ramus_start_copy(ramus_weights *to, const ramus_weights *from)
{
    for (int i = 0; i < to->n; i++) {
        ramus_weight *w = &to->items[i];
        const ramus_weight *same = ramus_weights_at(from, w->role, &w->site);
        const ramus_weight *one =
            same ? same : ramus_weights_at(from, ramus_role_unshared(w->role), &w->site);
        if (!one) continue;
        const bool grown = same && same->count < w->count;
        RAMUS_ASSERT(w->count % one->count == 0);
        for (size_t at = 0; at < w->count; at += one->count)
            memcpy(w->data + at, one->data, one->count * sizeof *one->data);
        if (grown && ramus_weights_shared(to, w)) memset(w->data, 0, w->count * sizeof *w->data);
    }
}
