/* Fuzz target (libFuzzer) for settings files: the input is the file of --config. What is accepted
 * is printed as a run prints its settings, and read from that it is the same.
 *
 *     training_seeds SEEDS && config_fuzz FOLDER SEEDS/config
 */
#include "cli/command.h"
#include "cli/help.h"
#include "model/arch.h"
#include "ranks/comm.h"
#include "runtime/search_choice.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    ramus_texts files;
    const char *file, *text;
    bool flag;
    double real;
} settings;

// clang-format off
static const ramus_setting rows[] = {
    {"files", RAMUS_SETTING_LIST, offsetof(settings, files), "files", NULL, 1, 2, ramus_setting_file, NULL},
    {"file",  RAMUS_SETTING_TEXT, offsetof(settings, file),  "a file", NULL, 0, 0, ramus_setting_file, NULL},
    {"text",  RAMUS_SETTING_TEXT, offsetof(settings, text),  "a text", NULL, 0, 0, NULL, NULL},
    {"flag",  RAMUS_SETTING_FLAG, offsetof(settings, flag),  "a flag", NULL, 0, 0, NULL, NULL},
    {"real",  RAMUS_SETTING_REAL, offsetof(settings, real),  "a number", "1", 0, 1e9, NULL, NULL},
};
// clang-format on

static const ramus_command command = {.name = "fuzz", .summary = "", .usage = "", .examples = ""};
static char path[40];

void ramus_help_text(ramus_buffer *out, const ramus_options *o) // nobody asks for it
{
    (void)out, (void)o;
}

int ramus_comm_launched_as(void)
{
    return 0;
}

static void require(bool condition)
{
    if (!condition) abort();
}

static void remove_file(void)
{
    (void)unlink(path);
}

/* Reads the file and prints what it says; false: refused. */
static bool read_settings(const void *data, size_t size, ramus_buffer *out)
{
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
    settings s = {0};
    ramus_arch arch = {0};
    ramus_search_choice search = {0};
    ramus_options o = {0};
    ramus_error err = {0};
    char option[] = "--config";
    char *argv[] = {option, path};
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    ramus_options_add(&o, ramus_arch_settings(&arch));
    ramus_options_add(&o, ramus_search_choice_settings(&search));
    const ramus_status st = ramus_options_parse(&o, &command, 2, argv, &err);
    require(!st || err.message[0]);
    if (!st) ramus_settings_print(&o.tables[1], "/a \"folder\"", out); // the others may lack values
    ramus_options_free(&o);
    return !st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*path) {
        memcpy(path, "/tmp/config_fuzz.XXXXXX", sizeof "/tmp/config_fuzz.XXXXXX");
        const int fd = mkstemp(path);
        require(fd >= 0 && close(fd) == 0);
        (void)atexit(remove_file);
    }
    ramus_buffer first = {0}, second = {0};
    if (read_settings(data, size, &first)) {
        require(read_settings(first.data, first.size, &second));
        require(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    }
    ramus_buffer_free(&first);
    ramus_buffer_free(&second);
    return 0;
}
