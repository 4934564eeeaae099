/* texts.h - parallel text in a folder of its own, and vocabularies, for tests of corpora. */
#ifndef RAMUS_TESTS_DATA_TEXTS_H
#define RAMUS_TESTS_DATA_TEXTS_H

#include "text/vocab.h"

#include "check.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char texts_folder[32];

/* A new folder below the one that the test runs in. */
static inline void texts_begin(void)
{
    (void)snprintf(texts_folder, sizeof texts_folder, "texts.XXXXXX");
    if (!mkdtemp(texts_folder)) exit(1);
}

/* The path of a file or folder in it, in one of eight places that are used in turn. */
static inline const char *texts_path(const char *name)
{
    static char paths[8][128];
    static int next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", texts_folder, name);
    return path;
}

/* Removes the files of a folder, and the folder; those in it first. */
static inline void texts_remove(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e = NULL; d && (e = readdir(d));) {
        char path[512];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        const int size = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (size < (int)sizeof path && unlink(path)) texts_remove(path);
    }
    if (d) (void)closedir(d);
    (void)rmdir(folder);
}

static inline void texts_end(void)
{
    texts_remove(texts_folder);
}

static inline void texts_write(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(texts_path(name), "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f)) exit(1);
}

static inline void texts_put(const char *name, const char *text)
{
    texts_write(name, text, strlen(text));
}

static inline ramus_vocab *texts_vocab(const char *name)
{
    ramus_error err = {0};
    ramus_vocab *v = NULL;
    char path[4096];
    (void)snprintf(path, sizeof path, GOLDEN "/text/%s.model", name);
    REQUIRE_OK(ramus_vocab_load(&v, path, &err), err);
    return v;
}

/* The sentences of the golden sample: English and German in turn. */
typedef struct texts_sample {
    char *bytes;
    const char *lines[800];
    int n;
} texts_sample;

static inline texts_sample texts_load_sample(void)
{
    texts_sample s = {0};
    const size_t room = 1 << 20;
    FILE *f = fopen(GOLDEN "/text/sample.en-de.txt", "rb");
    s.bytes = calloc(1, room);
    if (!f || !s.bytes || fread(s.bytes, 1, room - 1, f) == 0) exit(1);
    (void)fclose(f);
    char *next = NULL;
    for (char *line = strtok_r(s.bytes, "\n", &next); line && s.n < 800;
         line = strtok_r(NULL, "\n", &next))
        s.lines[s.n++] = line;
    if (s.n != 800) exit(1);
    return s;
}

#endif
