/* One walk over the table reads, one writes. What tells a setting of the first format from a later
 * one is the list `always`; it is closed, for older files have nothing else. A later setting is a
 * feature of the file: "kernel", or with its value, where that is a word, "attention=lsra". A list
 * of numbers is one too: "filter=list". */
#include "model/arch_file.h"

#include <stdio.h>
#include <string.h>

static const char *const always[] = {
    "width",      "filter",   "heads", "encoder-layers", "decoder-layers",
    "routing",    "branches", "top-k", "routed",         "shared-private",
    "gate-noise", "norm",     "tie",   "source-vocab",   "target-vocab",
};

static bool is_always(const ramus_setting *row)
{
    for (int i = 0; i < RAMUS_COUNT(always); i++)
        if (strcmp(row->name, always[i]) == 0) return true;
    return false;
}

/* A preset is only a way to set others. */
static bool is_stored(const ramus_setting *row)
{
    return !row->chosen;
}

static void print_key(const ramus_setting *row, ramus_buffer *key)
{
    ramus_buffer_clear(key);
    ramus_buffer_text(key, RAMUS_ARCH_PREFIX);
    ramus_setting_key(row, key);
}

static const char list_word[] = "list"; // of a setting that has several numbers

static bool is_list(const ramus_setting *row, const char *value)
{
    return row->type == RAMUS_SETTING_NUMBERS && strchr(value, ',');
}

/* Whether the table has the setting of a feature and, if it names one, the word. */
static bool has_feature(const ramus_settings *table, const char *feature)
{
    char name[64];
    const char *equals = strchr(feature, '=');
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(feature, "="), feature);
    const ramus_setting *row = ramus_setting_find(table, name);
    if (!row || !equals) return row;
    if (row->type == RAMUS_SETTING_NUMBERS) return strcmp(equals + 1, list_word) == 0;
    for (int i = 0; row->choices && row->choices[i]; i++)
        if (strcmp(row->choices[i], equals + 1) == 0) return true;
    return false;
}

static ramus_status check_features(const ramus_settings *table, const ramus_values_reader *from,
                                   ramus_error *err)
{
    ramus_buffer list = {0};
    bool found = false;
    ramus_status st =
        from->read(from->file, RAMUS_ARCH_FEATURES, RAMUS_SETTING_TEXT, &list, &found, err);
    for (char *feature = list.size ? list.data : NULL; feature && !st;) {
        char *comma = strchr(feature, ',');
        if (comma) *comma++ = '\0';
        if (!has_feature(table, feature))
            st = ramus_fail(err, RAMUS_BAD_FORMAT,
                            "needs feature '%.60s', which this version of ramus does not have",
                            feature);
        feature = comma;
    }
    ramus_buffer_free(&list);
    return st;
}

ramus_status ramus_arch_read_table(const ramus_settings *table, const ramus_values_reader *from,
                                   ramus_error *err)
{
    ramus_buffer key = {0}, value = {0};
    ramus_settings_default(table);
    ramus_status st = check_features(table, from, err);
    for (int i = 0; i < table->n && !st; i++) {
        const ramus_setting *row = &table->rows[i];
        bool found = false;
        if (!is_stored(row)) continue;
        print_key(row, &key);
        ramus_buffer_clear(&value);
        st = ramus_buffer_check(&key, err);
        if (!st) st = from->read(from->file, key.data, row->type, &value, &found, err);
        if (!st && found) st = ramus_setting_set(table, row, value.data ? value.data : "", err);
        if (!st && !found && is_always(row))
            st = ramus_fail(err, RAMUS_BAD_FORMAT, "it has no key '%s'", key.data);
    }
    ramus_buffer_free(&value);
    ramus_buffer_free(&key);
    return st;
}

ramus_status ramus_arch_read(ramus_arch *out, const ramus_values_reader *from, ramus_error *err)
{
    ramus_arch a = {0};
    const ramus_settings table = ramus_arch_settings(&a);
    ramus_status st = ramus_arch_read_table(&table, from, err);
    if (!st) st = ramus_arch_check(&a, err);
    if (!st) *out = a;
    return st == RAMUS_BAD_ARGUMENT ? RAMUS_BAD_FORMAT : st; // nobody but the file chose it
}

static void add_feature(ramus_buffer *features, const ramus_setting *row, const char *value)
{
    if (features->size) ramus_buffer_text(features, ",");
    ramus_setting_key(row, features);
    if (row->type == RAMUS_SETTING_CHOICE) ramus_buffer_print(features, "=%s", value);
    if (is_list(row, value)) ramus_buffer_print(features, "=%s", list_word);
}

ramus_status ramus_arch_write_table(const ramus_settings *table, const ramus_values_writer *to,
                                    ramus_error *err)
{
    ramus_buffer key = {0}, value = {0}, features = {0};
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < table->n && !st; i++) {
        const ramus_setting *row = &table->rows[i];
        if (!is_stored(row)) continue;
        print_key(row, &key);
        ramus_buffer_clear(&value);
        ramus_setting_print(table, row, &value);
        st = ramus_buffer_check(&key, err);
        if (!st) st = ramus_buffer_check(&value, err);
        if (st) break;
        const char *text = value.data ? value.data : "";
        if (!is_always(row)) {
            RAMUS_ASSERT(row->fallback != NULL); // else what would older files mean?
            if (strcmp(text, row->fallback) == 0) continue;
            add_feature(&features, row, text);
        } else if (is_list(row, text)) { // older versions know one number
            add_feature(&features, row, text);
        }
        st = to->write(to->file, key.data, row->type, text, err);
    }
    if (!st) st = ramus_buffer_check(&features, err);
    if (!st && features.size)
        st = to->write(to->file, RAMUS_ARCH_FEATURES, RAMUS_SETTING_TEXT, features.data, err);
    ramus_buffer_free(&features);
    ramus_buffer_free(&value);
    ramus_buffer_free(&key);
    return st;
}

ramus_status ramus_arch_write(const ramus_arch *a, const ramus_values_writer *to, ramus_error *err)
{
    ramus_arch arch = *a;
    const ramus_settings table = ramus_arch_settings(&arch);
    return ramus_arch_write_table(&table, to, err);
}
