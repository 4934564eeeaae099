/* Fuzz target (libFuzzer) for archives of tensors. The input is a file; and, so that not every find
 * needs a whole archive, the first array of one. */
#include "format/tensor_list.h"
#include "format/tensors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every byte of a tensor is inside data[0 .. size). */
static void require_inside(const ramus_safetensor *t, const uint8_t *data, size_t size)
{
    const uint8_t *at = t->data;
    if (t->size && (at < data || at > data + size || t->size > (size_t)(data + size - at))) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ramus_error err = {0};
    ramus_tensors *t = NULL;
    uint64_t *room = malloc(size + 8);
    if (!room) return 0;
    memcpy(room, data, size);
    const uint8_t *bytes = (const uint8_t *)room;
    if (!ramus_tensors_open_memory(&t, room, size, &err)) {
        for (int i = 0; i < ramus_tensors_count(t); i++) {
            const ramus_safetensor *x = ramus_tensors_at(t, i);
            if (ramus_tensors_find(t, x->name) != x) abort();
            if (ramus_stored_is(bytes, size)) require_inside(x, bytes, size);
        }
        ramus_tensors_close(t);
    }
    ramus_tensor_list list = {0};
    ramus_stored_entry entry = {"x.npy", bytes, size};
    const ramus_stored one = {.entries = &entry, .n = 1};
    if (!ramus_npz_read(&list, &one, &err)) require_inside(&list.items[0], bytes, size);
    ramus_tensor_list_free(&list);
    free(room);
    return 0;
}
