/* Two files, two directions: four functions that turn a text into what the file stores, or back.
 * A text of GGUF may hold zero bytes; ours end at the first, so such a text is refused. */
#include "format/values.h"

#include <stdlib.h>
#include <string.h>

static ramus_status read_gguf(const void *file, const char *key, ramus_setting_type type,
                              ramus_buffer *text, bool *found, ramus_error *err)
{
    const char *bytes = "";
    size_t size = 0;
    uint64_t number = 0;
    bool on = false;
    ramus_status st = RAMUS_OK;
    *found = ramus_gguf_value_find(file, key) != NULL;
    if (!*found) return RAMUS_OK;
    const ramus_gguf_value *value = ramus_gguf_value_find(file, key);
    if (type == RAMUS_SETTING_NUMBERS && value->type != RAMUS_GGUF_STRING) type = RAMUS_SETTING_INT;
    if (type == RAMUS_SETTING_INT) {
        st = ramus_gguf_get_uint(file, key, &number, err);
        ramus_buffer_print(text, "%llu", (unsigned long long)number);
    } else if (type == RAMUS_SETTING_SWITCH) {
        st = ramus_gguf_get_bool(file, key, &on, err);
        ramus_buffer_text(text, on ? "on" : "off");
    } else {
        st = ramus_gguf_get_text(file, key, &bytes, &size, err);
        if (!st && memchr(bytes, '\0', size))
            st = ramus_fail(err, RAMUS_BAD_FORMAT, "key %s has a zero byte in its text", key);
        ramus_buffer_add(text, bytes, size);
    }
    return st ? st : ramus_buffer_check(text, err);
}

static ramus_status write_gguf(void *file, const char *key, ramus_setting_type type,
                               const char *text, ramus_error *err)
{
    if (type == RAMUS_SETTING_NUMBERS && !strchr(text, ',')) type = RAMUS_SETTING_INT;
    if (type == RAMUS_SETTING_INT)
        return ramus_gguf_add_uint(file, key, (uint32_t)strtoul(text, NULL, 10), err);
    if (type == RAMUS_SETTING_SWITCH)
        return ramus_gguf_add_bool(file, key, strcmp(text, "on") == 0, err);
    return ramus_gguf_add_text(file, key, text, strlen(text), err);
}

static ramus_status read_safetensors(const void *file, const char *key, ramus_setting_type type,
                                     ramus_buffer *text, bool *found, ramus_error *err)
{
    (void)type;
    const char *value = ramus_safetensors_metadata_find(file, key);
    *found = value != NULL;
    ramus_buffer_text(text, value ? value : "");
    return ramus_buffer_check(text, err);
}

static ramus_status write_safetensors(void *file, const char *key, ramus_setting_type type,
                                      const char *text, ramus_error *err)
{
    (void)type;
    return ramus_safetensors_add_metadata(file, key, text, err);
}

ramus_values_reader ramus_gguf_values(const ramus_gguf *file)
{
    return (ramus_values_reader){file, read_gguf};
}

ramus_values_writer ramus_gguf_values_to(ramus_gguf_writer *file)
{
    return (ramus_values_writer){file, write_gguf};
}

ramus_values_reader ramus_safetensors_values(const ramus_safetensors *file)
{
    return (ramus_values_reader){file, read_safetensors};
}

ramus_values_writer ramus_safetensors_values_to(ramus_safetensors_writer *file)
{
    return (ramus_values_writer){file, write_safetensors};
}
