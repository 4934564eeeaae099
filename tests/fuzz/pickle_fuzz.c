/* Fuzz target (libFuzzer) for PyTorch's pickles. The input is the pickle of an archive with two
 * storages. */
#include "format/tensor_list.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char values[64];
    ramus_error err = {0};
    ramus_tensor_list list = {0};
    ramus_stored_entry entries[] = {
        {"m/data.pkl", data, size}, {"m/data/0", values, 64}, {"m/data/1", values, 1}};
    const ramus_stored archive = {.entries = entries, .n = 3};
    (void)ramus_pickle_read(&list, &archive, &entries[0], &err);
    for (int i = 0; i < list.n; i++) {
        const unsigned char *at = list.items[i].data;
        if (list.items[i].size &&
            (at < values || at > values + 64 || list.items[i].size > (size_t)(values + 64 - at)))
            abort();
    }
    ramus_tensor_list_free(&list);
    return 0;
}
