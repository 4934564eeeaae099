/* defaults.h - the settings of a run as `ramus train` offers them: where its user says nothing, it
 * takes what was measured to be best for updates of some thousand tokens. docs/guide/training.md
 * says where each was measured. */
#ifndef RAMUS_TRAIN_DEFAULTS_H
#define RAMUS_TRAIN_DEFAULTS_H

#include "train/trainer.h"

#define RAMUS_TRAIN_TABLES 4
#define RAMUS_TRAIN_ROWS   48 // of a table, at most

typedef struct ramus_train_tables {
    ramus_settings tables[RAMUS_TRAIN_TABLES]; // model, objective, optimizer, training
    ramus_setting rows[RAMUS_TRAIN_TABLES][RAMUS_TRAIN_ROWS];
} ramus_train_tables;

/* The tables of `spec`, which like `out` stays where it is, with the defaults of `ramus train`.
 * Preset `paper` sets those of the paper in all of them. */
void ramus_train_tables_init(ramus_train_tables *out, ramus_train_spec *spec);

/* Chooses the size of a vocabulary that is made, if it is auto, for a corpus of so many pairs. */
void ramus_train_settle_vocab(ramus_train_spec *spec, double pairs);

/* Chooses what else is auto and adds it to `chosen`, as ", rate 0.004". `tokens`: of an epoch, of
 * the side that has more of them. */
void ramus_train_settle(ramus_train_spec *spec, double pairs, double tokens, ramus_buffer *chosen);

#endif
