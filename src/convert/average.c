/* Checkpoint after checkpoint is added to sums in double; the first one then gets the mean. */
#include "convert/average.h"

#include "convert/checkpoint.h"
#include "convert/checkpoints.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    ramus_checkpoint first; // gives shape and vocabulary, and in the end holds the mean
    double *sums;           // like the block of its weights
    int n;
} mean;

/* Kinds with the same shapes are not the same model. */
static bool same_settings(ramus_arch a, ramus_arch b)
{
    const ramus_settings x = ramus_arch_settings(&a), y = ramus_arch_settings(&b);
    ramus_buffer p = {0}, q = {0};
    bool same = true;
    for (int i = 0; i < x.n; i++) {
        if (x.rows[i].chosen) continue; // a preset is only a way to set others
        ramus_setting_print(&x, &x.rows[i], &p);
        ramus_setting_print(&y, &y.rows[i], &q);
        same &= !p.failed && !q.failed && strcmp(p.data, q.data) == 0;
        ramus_buffer_clear(&p);
        ramus_buffer_clear(&q);
    }
    ramus_buffer_free(&p);
    ramus_buffer_free(&q);
    return same;
}

static bool same_model(const ramus_checkpoint *a, const ramus_checkpoint *b)
{
    bool same = a->weights->n == b->weights->n;
    for (int i = 0; same && i < a->weights->n; i++) {
        const ramus_weight *x = &a->weights->items[i], *y = &b->weights->items[i];
        same = strcmp(x->name, y->name) == 0 && x->n_dims == y->n_dims &&
               memcmp(x->dims, y->dims, sizeof x->dims) == 0;
    }
    same = same && same_settings(a->arch, b->arch);
    for (int i = 0; same && i < 2; i++)
        same = a->vocabs[i].size == b->vocabs[i].size &&
               (a->vocabs[i].size == 0 ||
                memcmp(a->vocabs[i].data, b->vocabs[i].data, a->vocabs[i].size) == 0);
    return same;
}

static ramus_status add_file(mean *m, const char *path, ramus_error *err)
{
    ramus_checkpoint c = {0};
    ramus_status st = ramus_checkpoint_load(&c, path, err);
    if (st) return st;
    if (m->n == 0) {
        m->sums = calloc(c.weights->size, sizeof *m->sums);
        if (!m->sums) st = ramus_fail_memory(err, "the mean");
    } else if (!same_model(&m->first, &c)) {
        st = ramus_fail(err, RAMUS_BAD_ARGUMENT,
                        "%s: its shape or vocabulary is not that of the first checkpoint", path);
    }
    for (size_t i = 0; !st && m->sums && i < c.weights->size; i++)
        m->sums[i] += (double)c.weights->data[i];
    if (!st && m->n++ == 0)
        m->first = c;
    else
        ramus_checkpoint_free(&c);
    return st;
}

static ramus_status add_folder(mean *m, const char *folder, int last, ramus_error *err)
{
    int *updates = NULL, n = 0;
    ramus_buffer path = {0};
    ramus_status st = ramus_checkpoints_list(&updates, &n, folder, err);
    if (!st && n == 0)
        st = ramus_fail(err, RAMUS_NOT_FOUND, "%s: the folder holds no checkpoints", folder);
    for (int i = last && n > last ? n - last : 0; i < n && !st; i++) {
        st = ramus_checkpoints_path(&path, folder, updates[i], err);
        if (!st) st = add_file(m, path.data, err);
    }
    ramus_buffer_free(&path);
    free(updates);
    return st;
}

ramus_status ramus_average(const char *const *paths, int n_paths, int last, const char *out, int *n,
                           ramus_error *err)
{
    mean m = {0};
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < n_paths && !st; i++) {
        struct stat info;
        const bool folder = stat(paths[i], &info) == 0 && S_ISDIR(info.st_mode);
        st = folder ? add_folder(&m, paths[i], last, err) : add_file(&m, paths[i], err);
    }
    RAMUS_ASSERT(st || (m.sums && m.first.weights));
    if (!st) {
        for (size_t i = 0; i < m.first.weights->size; i++)
            m.first.weights->data[i] = (ramus_real)(m.sums[i] / m.n);
        st = ramus_checkpoint_save(&m.first, out, err);
    }
    if (!st) *n = m.n;
    ramus_checkpoint_free(&m.first);
    free(m.sums);
    return st;
}
