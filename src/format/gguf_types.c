/* Names and sizes of the types of tensors and values, by ggml's numbers, and what follows from
 * them: bytes of a tensor, padding, alignment, checksum. */
#include "format/gguf_header.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct row {
    const char *name; // NULL: no such number
    size_t size;      // bytes of one value; 0: not supported, or they differ
} row;

/* By ggml's numbers. Those without a size, mostly blocks of quantised values, are here for the
 * message that refuses them. */
static const row dtypes[] = {
    [RAMUS_GGUF_F32] = {"F32", 4},
    [RAMUS_GGUF_F16] = {"F16", 2},
    [2] = {"Q4_0", 0},
    [3] = {"Q4_1", 0},
    [4] = {"Q4_2", 0},
    [5] = {"Q4_3", 0},
    [6] = {"Q5_0", 0},
    [7] = {"Q5_1", 0},
    [8] = {"Q8_0", 0},
    [9] = {"Q8_1", 0},
    [10] = {"Q2_K", 0},
    [11] = {"Q3_K", 0},
    [12] = {"Q4_K", 0},
    [13] = {"Q5_K", 0},
    [14] = {"Q6_K", 0},
    [15] = {"Q8_K", 0},
    [16] = {"IQ2_XXS", 0},
    [17] = {"IQ2_XS", 0},
    [18] = {"IQ3_XXS", 0},
    [19] = {"IQ1_S", 0},
    [20] = {"IQ4_NL", 0},
    [21] = {"IQ3_S", 0},
    [22] = {"IQ2_S", 0},
    [23] = {"IQ4_XS", 0},
    [RAMUS_GGUF_I8] = {"I8", 1},
    [RAMUS_GGUF_I16] = {"I16", 2},
    [RAMUS_GGUF_I32] = {"I32", 4},
    [RAMUS_GGUF_I64] = {"I64", 8},
    [RAMUS_GGUF_F64] = {"F64", 8},
    [29] = {"IQ1_M", 0},
    [RAMUS_GGUF_BF16] = {"BF16", 2},
    [31] = {"Q4_0_4_4", 0},
    [32] = {"Q4_0_4_8", 0},
    [33] = {"Q4_0_8_8", 0},
    [34] = {"TQ1_0", 0},
    [35] = {"TQ2_0", 0},
    [36] = {"IQ4_NL_4_4", 0},
    [37] = {"IQ4_NL_4_8", 0},
    [38] = {"IQ4_NL_8_8", 0},
    [39] = {"MXFP4", 0},
    [40] = {"NVFP4", 0},
    [41] = {"Q1_0", 0},
};

static const row types[] = {
    [RAMUS_GGUF_UINT8] = {"uint8", 1},     [RAMUS_GGUF_INT8] = {"int8", 1},
    [RAMUS_GGUF_UINT16] = {"uint16", 2},   [RAMUS_GGUF_INT16] = {"int16", 2},
    [RAMUS_GGUF_UINT32] = {"uint32", 4},   [RAMUS_GGUF_INT32] = {"int32", 4},
    [RAMUS_GGUF_FLOAT32] = {"float32", 4}, [RAMUS_GGUF_BOOL] = {"bool", 1},
    [RAMUS_GGUF_STRING] = {"string", 0},   [RAMUS_GGUF_ARRAY] = {"array", 0},
    [RAMUS_GGUF_UINT64] = {"uint64", 8},   [RAMUS_GGUF_INT64] = {"int64", 8},
    [RAMUS_GGUF_FLOAT64] = {"float64", 8},
};

const char *ramus_gguf_dtype_name(ramus_gguf_dtype dtype)
{
    RAMUS_ASSERT((int)dtype >= 0 && (int)dtype < RAMUS_COUNT(dtypes) && dtypes[dtype].size);
    return dtypes[dtype].name;
}

size_t ramus_gguf_dtype_size(ramus_gguf_dtype dtype)
{
    RAMUS_ASSERT((int)dtype >= 0 && (int)dtype < RAMUS_COUNT(dtypes) && dtypes[dtype].size);
    return dtypes[dtype].size;
}

ramus_status ramus_gguf_dtype_check(uint64_t number, ramus_error *err)
{
    static const char these[] = "F32, F16, BF16, F64, I8, I16, I32 or I64";
    if (number >= (uint64_t)RAMUS_COUNT(dtypes))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "its type is %llu, expected that of %s",
                          (unsigned long long)number, these);
    if (!dtypes[number].size)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "its type %s is not supported, expected %s",
                          dtypes[number].name, these);
    return RAMUS_OK;
}

const char *ramus_gguf_type_name(ramus_gguf_type type)
{
    RAMUS_ASSERT((int)type >= 0 && (int)type < RAMUS_COUNT(types));
    return types[type].name;
}

size_t ramus_gguf_type_size(ramus_gguf_type type)
{
    RAMUS_ASSERT((int)type >= 0 && (int)type < RAMUS_COUNT(types));
    return types[type].size;
}

bool ramus_gguf_alignment_fits(uint64_t alignment)
{
    return alignment >= 8 && alignment <= 65536 && (alignment & (alignment - 1)) == 0;
}

size_t ramus_gguf_pad(size_t size, size_t alignment)
{
    return (size + alignment - 1) / alignment * alignment;
}

ramus_status ramus_gguf_measure(ramus_gguf_tensor *t, ramus_error *err)
{
    size_t size = ramus_gguf_dtype_size(t->dtype);
    RAMUS_ASSERT(t->n_dims >= 0 && t->n_dims <= RAMUS_GGUF_DIMS);
    for (int i = 0; i < t->n_dims; i++) {
        if (t->dims[i] == 0)
            return ramus_fail(err, RAMUS_BAD_FORMAT, "its dimension %d is 0, expected at least 1",
                              i);
        if (size > SIZE_MAX / t->dims[i])
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "its dimensions have more values than memory has addresses");
        size *= t->dims[i];
    }
    t->size = size;
    t->count = size / ramus_gguf_dtype_size(t->dtype);
    return RAMUS_OK;
}

uint64_t ramus_gguf_whole(const void *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)((const unsigned char *)bytes)[i] << 8 * i;
    return value;
}

void ramus_gguf_checksum(char sum[RAMUS_GGUF_CHECKSUM + 1], const char *header, size_t size,
                         size_t at, const ramus_gguf_tensor *tensors, size_t n)
{
    const size_t behind = at + RAMUS_GGUF_CHECKSUM;
    uint64_t hash = ramus_hash(0, header, at);
    hash = ramus_hash(hash, header + behind, size - behind);
    for (size_t i = 0; i < n; i++)
        hash = ramus_hash(hash, tensors[i].data, tensors[i].size);
    (void)snprintf(sum, RAMUS_GGUF_CHECKSUM + 1, "%016" PRIx64, hash);
}
