/* Fuzz target (libFuzzer) for the log of a run: the input is log.jsonl as --resume finds it. What a
 * killed run left is cut off, a line is added, and the report is made.
 *
 *     training_seeds SEEDS && log_fuzz FOLDER SEEDS/log
 */
#include "report/training_page.h"
#include "train/run_folder.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[32], name[64], page[64];

static void require(bool condition)
{
    if (!condition) abort();
}

static void remove_files(void)
{
    (void)unlink(name);
    (void)unlink(page);
    (void)rmdir(folder);
}

int fsync(int file) // slow, and nothing is lost
{
    (void)file;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ramus_error err = {0};
    if (!*folder) {
        memcpy(folder, "/tmp/log_fuzz.XXXXXX", sizeof "/tmp/log_fuzz.XXXXXX");
        require(mkdtemp(folder) != NULL);
        (void)snprintf(name, sizeof name, "%s/log.jsonl", folder);
        (void)snprintf(page, sizeof page, "%s/report.html", folder);
        (void)atexit(remove_files);
    }
    FILE *f = fopen(name, "wb");
    require(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
    FILE *log = NULL;
    require(!ramus_run_folder_log(&log, folder, &err));
    const long kept = ftell(log);
    require(kept >= 0 && (size_t)kept <= size && (kept == 0 || data[kept - 1] == '\n'));
    require(fputs("{\"kind\":\"end\",\"update\":1,\"reason\":\"x\"}\n", log) >= 0);
    require(fclose(log) == 0);
    if (ramus_report_save(folder, &err)) require(err.message[0]);
    return 0;
}
