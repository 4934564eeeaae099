/* models.h - the models that a server has: files, opened when they are needed.
 *
 * Any thread. A model file lives as long as somebody retains it, also when a reload has left it
 * out; its model is open as long as somebody has opened it. */
#ifndef RAMUS_SERVE_MODELS_H
#define RAMUS_SERVE_MODELS_H

#include "base/map.h"
#include "base/settings.h"

#include <stdbool.h>

#define RAMUS_LANGUAGE_ROOM 16 // bytes of a code

typedef struct ramus_model_file {
    char *path;
    const char *name; // of the file, without its folder
    char from[RAMUS_LANGUAGE_ROOM], to[RAMUS_LANGUAGE_ROOM];
    char *title, *license; // "" if it does not say
    size_t bytes;
    long serial;           // no two files of a server have the same, also after a reload
    ramus_file bytes_held; // by ramus_models_hold()

    /* Guarded by the lock of the models: */
    ramus_model *model; // NULL: not open
    int users;
    int references;
} ramus_model_file;

typedef struct ramus_models ramus_models;

/* Reads what each file says of itself. `files` are paths; without any, those of `folder`. A file of
 * a folder that is no model with two languages is left out, with a line on standard error. The
 * caller ends *out with ramus_models_destroy(). */
RAMUS_CHECKED ramus_status ramus_models_create(ramus_models **out, const ramus_texts *files,
                                               const char *folder, ramus_error *err);
void ramus_models_destroy(ramus_models *m); // after all users; NULL is fine

/* Reads the files or the folder again. On failure all stays as it was. */
RAMUS_CHECKED ramus_status ramus_models_reload(ramus_models *m, ramus_error *err);

/* Opens all files, for good: from now on nothing is opened, and there is no reload. Before there
 * are threads. */
RAMUS_CHECKED ramus_status ramus_models_hold(ramus_models *m, ramus_error *err);

/* How to get from one language to another: steps[0], or that and steps[1] through a common
 * language. Returns how many there are, 0 for none, and retains them. */
int ramus_models_route(ramus_models *m, const char *from, const char *to,
                       ramus_model_file *steps[2]);

/* A list of model files, retained. The caller ends it with ramus_models_release_all(). */
RAMUS_CHECKED ramus_status ramus_models_list(ramus_models *m, ramus_model_file ***out, int *n,
                                             ramus_error *err);
void ramus_models_release_all(ramus_models *m, ramus_model_file **files, int n);

void ramus_models_retain(ramus_models *m, ramus_model_file *file);
void ramus_models_release(ramus_models *m, ramus_model_file *file);

/* The model of a file, for somebody who has it retained; opened if it was not. */
RAMUS_CHECKED ramus_status ramus_models_open(ramus_models *m, ramus_model_file *file,
                                             ramus_model **out, ramus_error *err);
void ramus_models_close(ramus_models *m, ramus_model_file *file);

/* How many files are open. */
int ramus_models_count_open(ramus_models *m);

/* Whether a code as in a model file names a language that some model reads, or writes. */
bool ramus_models_reads(ramus_models *m, const char *code);
bool ramus_models_writes(ramus_models *m, const char *code);

#endif
