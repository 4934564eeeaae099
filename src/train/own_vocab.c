/* Each side is read from its files or columns, a million lines spread over them. */
#include "train/own_vocab.h"

#include "base/folder.h"
#include "base/writer.h"
#include "data/lines.h"
#include "data/vocab_files.h"
#include "train/inputs.h"

#include <stdlib.h>
#include <unistd.h>

#define MOST_LINES 1e6

static const char joint[] = "vocab.model";
static const char *const names[2] = {"source.model", "target.model"};

static ramus_status save(const char *folder, const char *name, const ramus_buffer *model,
                         ramus_error *err)
{
    ramus_buffer path = {0};
    ramus_writer *w = NULL;
    ramus_status st = ramus_folder_path(&path, folder, name, err);
    if (!st) st = ramus_writer_create(&w, path.data, err);
    if (!st) st = ramus_writer_write(w, model->data, model->size, err);
    if (!st) st = ramus_writer_commit(w, err);
    ramus_writer_destroy(w);
    ramus_buffer_free(&path);
    return st;
}

static void forget(const char *folder, const char *name)
{
    ramus_buffer path = {0};
    if (!ramus_folder_path(&path, folder, name, NULL)) (void)unlink(path.data);
    ramus_buffer_free(&path);
}

/* Of the sides from `first` to `last`: 0 the source, 1 the target. */
static ramus_status make(const ramus_training *t, const ramus_corpus_files *corpora, int n,
                         const char *name, int first, int last, int every, ramus_error *err)
{
    ramus_buffer model = {0};
    double n_texts = 0;
    ramus_vocab_files in = {.every = every};
    ramus_vocab_file *files = calloc(2 * (size_t)n, sizeof *files);
    if (!files) return ramus_fail_memory(err, "the names of files");
    for (int i = 0; i < n; i++)
        for (int side = first; side <= last; side++) {
            const ramus_corpus_files *f = &corpora[i];
            files[in.n++] = (ramus_vocab_file){
                f->target && side ? f->target : f->source,
                f->target ? 0
                : side    ? f->target_column
                          : f->source_column,
            };
        }
    in.files = files;
    const ramus_vocab_training how = {.size = t->vocab_size,
                                      .at_most = true,
                                      .type = "unigram",
                                      .coverage = 0.9995,
                                      .byte_fallback = true,
                                      .split_digits = true,
                                      .threads = 1,
                                      .quiet = true};
    ramus_status st = ramus_vocab_train_files(&model, &n_texts, &in, &how, err);
    if (st)
        st = ramus_fail_in(err, st, "no --vocab is named, and making a vocabulary failed");
    else
        st = save(t->out, name, &model, err);
    free(files);
    ramus_buffer_free(&model);
    return st;
}

ramus_status ramus_own_vocab_make(const ramus_training *t, double pairs, ramus_error *err)
{
    int n = 0;
    bool two = false;
    const int every = pairs > MOST_LINES ? (int)(pairs / MOST_LINES) : 1;
    ramus_corpus_files *corpora = calloc((size_t)t->train.n, sizeof *corpora);
    if (!corpora) return ramus_fail_memory(err, "the names of files");
    ramus_status st = ramus_corpus_files_read(corpora, &n, &t->train, &t->weights, t->columns, err);
    if (!st) st = ramus_train_inputs_scripts(&two, t, err);
    forget(t->out, joint);
    for (int i = 0; i < 2; i++)
        forget(t->out, names[i]);
    if (!st && !two) st = make(t, corpora, n, joint, 0, 1, every, err);
    for (int i = 0; i < 2 && two && !st; i++)
        st = make(t, corpora, n, names[i], i, i, every, err);
    free(corpora);
    return st;
}

ramus_status ramus_own_vocab_find(ramus_training *t, ramus_buffer paths[2], ramus_error *err)
{
    ramus_status st = ramus_folder_path(&paths[0], t->out, joint, err);
    if (!st && access(paths[0].data, F_OK) == 0) {
        t->vocab = (ramus_texts){{paths[0].data}, 1};
        return st;
    }
    for (int i = 0; i < 2 && !st; i++)
        st = ramus_folder_path(&paths[i], t->out, names[i], err);
    if (!st) t->vocab = (ramus_texts){{paths[0].data, paths[1].data}, 2};
    return st;
}
