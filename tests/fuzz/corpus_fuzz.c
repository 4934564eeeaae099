/* Fuzz target (libFuzzer) for the cache of a corpus: the input is a file whose hashes and key are
 * made right, as somebody would who means harm. What opens is read to its end.
 *
 *     training_seeds SEEDS && corpus_fuzz FOLDER SEEDS/corpus
 */
#include "base/hash.h"
#include "data/corpus_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY 7

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The foot, as corpus_file.c has it. */
typedef struct {
    char magic[8];
    uint64_t format, key, text, index;
    ramus_corpus_counts counts;
    uint64_t bytes_hash, foot_hash;
} foot;

static char path[32];

static void require(bool condition)
{
    if (!condition) abort();
}

static void remove_file(void)
{
    (void)unlink(path);
}

static uint64_t sum(const void *data, size_t size)
{
    const volatile unsigned char *bytes = data;
    uint64_t all = 0;
    for (size_t i = 0; i < size; i++)
        all += bytes[i];
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*path) {
        memcpy(path, "/tmp/corpus_fuzz.XXXXXX", sizeof "/tmp/corpus_fuzz.XXXXXX");
        const int fd = mkstemp(path);
        require(fd >= 0 && close(fd) == 0);
        (void)atexit(remove_file);
    }
    foot f;
    uint8_t *copy = malloc(size ? size : 1);
    require(copy != NULL);
    if (size) memcpy(copy, data, size);
    if (size >= sizeof f) {
        const size_t before = size - sizeof f;
        memcpy(&f, data + before, sizeof f);
        memcpy(f.magic, "ramus pr", sizeof f.magic);
        f.format = RAMUS_CORPUS_FORMAT;
        f.key = KEY;
        f.bytes_hash = before ? ramus_hash(0, copy, before) : 0; // inputs are less than a block
        f.foot_hash = ramus_hash(0, &f, offsetof(foot, foot_hash));
        memcpy(copy + before, &f, sizeof f);
    }
    FILE *out = fopen(path, "wb");
    require(out && fwrite(copy, 1, size, out) == size && fclose(out) == 0);
    free(copy);
    ramus_corpus_file file = {0};
    ramus_error err = {0};
    if (ramus_corpus_file_open(&file, path, KEY, &err)) {
        require(err.message[0]);
        return 0;
    }
    for (int64_t i = 0; i < file.counts.kept; i++) {
        const ramus_pair p = ramus_corpus_file_pair(&file, i);
        (void)sum(p.source, (size_t)p.source_length * sizeof(int));
        (void)sum(p.target, (size_t)p.target_length * sizeof(int));
        if (!file.text) continue;
        const ramus_pair_text t = ramus_corpus_file_text(&file, i);
        const unsigned char *end = file.map.data + file.map.size;
        require((const unsigned char *)t.target + t.target_size <= end);
        (void)sum(t.source, t.source_size);
        (void)sum(t.target, t.target_size);
    }
    ramus_corpus_file_close(&file);
    return 0;
}
