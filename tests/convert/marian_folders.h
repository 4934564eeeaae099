/* marian_folders.h - folders of Marian models that a test makes of those in tests/golden. */
#ifndef RAMUS_TESTS_CONVERT_MARIAN_FOLDERS_H
#define RAMUS_TESTS_CONVERT_MARIAN_FOLDERS_H

#include "base/folder.h"
#include "base/map.h"
#include "convert/import/import.h"

#include "check.h"

#include <unistd.h>

#define JOINT GOLDEN "/opus-mt/joint-swish"
#define BIG   GOLDEN "/opus-mt/tc-big-relu"
#define HALF  GOLDEN "/opus-mt/identity-norm-half"
#define TWO   GOLDEN "/opus-mt/separate-vocab"

static ramus_error err;
static char made[64]; // the folder that a test makes

static const char *const files[] = {"config.json",
                                    "generation_config.json",
                                    "tokenizer_config.json",
                                    "vocab.json",
                                    "source.spm",
                                    "target.spm",
                                    "model.safetensors",
                                    "README.md",
                                    "pytorch_model.bin",
                                    "model.npz",
                                    "0.vocab.yml",
                                    "1.vocab.yml",
                                    "decoder.yml"};

static inline const char *in_made(const char *name)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", made, name);
    return path;
}

static inline void write_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(in_made(name), "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f)) exit(1);
}

static inline ramus_buffer read_file(const char *folder, const char *name)
{
    ramus_buffer path = {0}, data = {0};
    ramus_file file = {0};
    ramus_buffer_print(&path, "%s/%s", folder, name);
    REQUIRE_OK(ramus_file_map(&file, path.data, &err), err);
    ramus_buffer_add(&data, file.data, file.size);
    ramus_buffer_add(&data, "", 0);
    ramus_file_unmap(&file);
    ramus_buffer_free(&path);
    return data;
}

static inline void copy_file(const char *folder, const char *name)
{
    ramus_buffer data = read_file(folder, name);
    write_file(name, data.data, data.size);
    ramus_buffer_free(&data);
}

static inline void remove_made(void)
{
    for (int i = 0; i < RAMUS_COUNT(files); i++)
        (void)unlink(in_made(files[i]));
    (void)rmdir(made);
}

/* A folder with the files of another one. */
static inline void make_folder(const char *from)
{
    (void)snprintf(made, sizeof made, "import_marian.%d", (int)getpid());
    REQUIRE_OK(ramus_folder_make(made, &err), err);
    for (int i = 0; i < 7; i++)
        copy_file(from, files[i]);
}

static inline ramus_status import(ramus_checkpoint *c, const char *path)
{
    *c = (ramus_checkpoint){0};
    const ramus_status st = ramus_import(c, path, &(ramus_import_hints){0}, &err);
    return st;
}

#endif
