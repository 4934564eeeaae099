/* Fuzz target (libFuzzer) for checkpoints: the input is a safetensors file; its model, its
 * vocabularies and the place of its run are read.
 *
 *     training_seeds SEEDS && checkpoint_fuzz FOLDER SEEDS/checkpoint
 */
#include "convert/checkpoint.h"
#include "fuzz/shapes.h"
#include "train/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void read_place(const ramus_safetensors *file)
{
    ramus_state state = {0};
    ramus_error err = {0};
    if (ramus_state_read_place(&state, file, &err)) {
        require(err.message[0]);
        return;
    }
    const ramus_place *p = &state.place;
    require(p->update >= 0 && p->steps >= 0 && p->steps <= p->update && p->waited <= p->update);
    const ramus_cursor c = ramus_place_cursor(p);
    require(c.epoch >= 0 && c.pool >= 0 && c.update >= 0);
}

static void read_model(const ramus_safetensors *file)
{
    ramus_checkpoint c = {0};
    ramus_error err = {0};
    if (ramus_checkpoint_arch(&c.arch, file, &err) || c.arch.source_vocab > 100000 ||
        c.arch.target_vocab > 100000 || !shape_within(&c.arch, 1024, 4096))
        return;
    c = (ramus_checkpoint){0};
    if (ramus_checkpoint_read(&c, file, &err)) {
        require(err.message[0]);
        return;
    }
    for (int i = 0; i < c.weights->n; i++)
        for (size_t j = 0; j < c.weights->items[i].count; j++)
            require(isfinite(c.weights->items[i].data[j]));
    for (int side = 0; side < 2; side++) {
        ramus_vocab *v = NULL;
        (void)!ramus_checkpoint_vocab(&v, &c, side, &err);
        ramus_vocab_destroy(v);
    }
    ramus_checkpoint_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ramus_error err = {0};
    ramus_safetensors *file = NULL;
    uint8_t *copy = malloc(size ? size : 1); // aligned, and asan knows its end
    require(copy != NULL);
    if (size) memcpy(copy, data, size);
    const ramus_status st = ramus_safetensors_open_memory(&file, copy, size, "it", &err);
    require(!st == (file != NULL) && (!st || err.message[0]));
    if (!st) {
        read_place(file);
        read_model(file);
    }
    ramus_safetensors_close(file);
    free(copy);
    return 0;
}
