/* Records are hashed and written block by block; index and foot follow. Opening checks the
 * hashes and that every record lies where the index says. */
#include "data/corpus_file.h"

#include "base/hash.h"
#include "base/list.h"
#include "base/writer.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "ramus pr"
#define BLOCK ((size_t)1 << 20) // bytes that are hashed together

static const unsigned char zeros[8];

typedef struct foot {
    char magic[8];
    uint64_t format;
    uint64_t key;
    uint64_t text;  // 1: the records have texts
    uint64_t index; // where it begins; the records end there
    ramus_corpus_counts counts;
    uint64_t bytes_hash; // of everything before the foot, block by block
    uint64_t foot_hash;  // of everything in the foot before this
} foot;

struct ramus_corpus_writer {
    ramus_writer *file;
    bool text;
    unsigned char *block;
    size_t filled;
    uint64_t written; // to the file and to the block
    uint64_t hash;
    ramus_corpus_entry *index;
    size_t n, room;
};

ramus_status ramus_corpus_writer_create(ramus_corpus_writer **out, const char *path, bool text,
                                        ramus_error *err)
{
    ramus_corpus_writer *w = calloc(1, sizeof *w);
    if (!w) return ramus_fail_memory(err, "a corpus");
    ramus_status st = RAMUS_OK;
    w->text = text;
    w->block = malloc(BLOCK);
    if (!w->block) {
        st = ramus_fail_memory(err, "a corpus");
        goto done;
    }
    st = ramus_writer_create(&w->file, path, err);
    if (st) goto done;
    *out = w;
    w = NULL;
done:
    ramus_corpus_writer_destroy(w);
    return st;
}

void ramus_corpus_writer_destroy(ramus_corpus_writer *w)
{
    if (!w) return;
    ramus_writer_destroy(w->file);
    free(w->index);
    free(w->block);
    free(w);
}

static ramus_status flush_block(ramus_corpus_writer *w, ramus_error *err)
{
    w->hash = ramus_hash(w->hash, w->block, w->filled);
    const size_t size = w->filled;
    w->filled = 0;
    return ramus_writer_write(w->file, w->block, size, err);
}

static ramus_status write_bytes(ramus_corpus_writer *w, const void *data, size_t size,
                                ramus_error *err)
{
    const unsigned char *from = data;
    while (size > 0) {
        const size_t part = size < BLOCK - w->filled ? size : BLOCK - w->filled;
        memcpy(w->block + w->filled, from, part);
        w->filled += part;
        w->written += part;
        from += part;
        size -= part;
        const ramus_status st = w->filled == BLOCK ? flush_block(w, err) : RAMUS_OK;
        if (st) return st;
    }
    return RAMUS_OK;
}

static ramus_status add_entry(ramus_corpus_writer *w, const ramus_pair *pair, ramus_error *err)
{
    const ramus_status st =
        RAMUS_LIST_RESERVE(w->index, w->room, w->n + 1, "the index of a corpus", err);
    if (st) return st;
    w->index[w->n++] = (ramus_corpus_entry){w->written, pair->source_length, pair->target_length};
    return RAMUS_OK;
}

ramus_status ramus_corpus_writer_add(ramus_corpus_writer *w, const ramus_pair *pair,
                                     const ramus_pair_text *text, ramus_error *err)
{
    ramus_status st = add_entry(w, pair, err);
    if (w->text && !st) {
        const uint32_t sizes[2] = {(uint32_t)text->source_size, (uint32_t)text->target_size};
        RAMUS_ASSERT(text->source_size <= INT32_MAX && text->target_size <= INT32_MAX);
        st = write_bytes(w, sizes, sizeof sizes, err);
    }
    if (!st) st = write_bytes(w, pair->source, (size_t)pair->source_length * sizeof(int), err);
    if (!st) st = write_bytes(w, pair->target, (size_t)pair->target_length * sizeof(int), err);
    if (w->text && !st) st = write_bytes(w, text->source, text->source_size, err);
    if (w->text && !st) st = write_bytes(w, text->target, text->target_size, err);
    return st ? st : write_bytes(w, zeros, (size_t)(-w->written % sizeof zeros), err);
}

ramus_status ramus_corpus_writer_commit(ramus_corpus_writer *w, uint64_t key,
                                        const ramus_corpus_counts *counts, ramus_error *err)
{
    RAMUS_ASSERT(counts->kept == (int64_t)w->n);
    foot f = {.format = RAMUS_CORPUS_FORMAT,
              .key = key,
              .text = w->text,
              .index = w->written,
              .counts = *counts};
    memcpy(f.magic, MAGIC, sizeof f.magic);
    ramus_status st = write_bytes(w, w->index, w->n * sizeof *w->index, err);
    if (!st && w->filled > 0) st = flush_block(w, err);
    if (st) return st;
    f.bytes_hash = w->hash;
    f.foot_hash = ramus_hash(0, &f, offsetof(foot, foot_hash));
    st = ramus_writer_write(w->file, &f, sizeof f, err);
    return st ? st : ramus_writer_commit(w->file, err);
}

static uint64_t hash_blocks(const unsigned char *data, size_t size)
{
    uint64_t hash = 0;
    for (size_t at = 0; at < size; at += BLOCK)
        hash = ramus_hash(hash, data + at, size - at < BLOCK ? size - at : BLOCK);
    return hash;
}

/* The bytes of a record, its texts aside. */
static uint64_t record_size(const ramus_corpus_entry *e, bool text)
{
    const uint64_t ids = (uint64_t)e->source_length + (uint64_t)e->target_length;
    return ids * sizeof(int) + (text ? 2 * sizeof(uint32_t) : 0);
}

/* The bytes of its texts. */
static uint64_t text_size(const ramus_corpus_file *file, const ramus_corpus_entry *e)
{
    uint32_t sizes[2] = {0};
    if (file->text) memcpy(sizes, file->map.data + e->at, sizeof sizes);
    return (uint64_t)sizes[0] + sizes[1];
}

/* Every record lies, with its texts, between the one before it and the index. */
static bool index_is_sound(const ramus_corpus_file *file, uint64_t end)
{
    uint64_t at = 0;
    for (int64_t i = 0; i < file->counts.kept; i++) {
        const ramus_corpus_entry *e = &file->index[i];
        if (e->at < at || e->at > end || e->at % 8 || e->source_length < 1 ||
            e->target_length < 1 || record_size(e, file->text) > end - e->at)
            return false;
        at = e->at + record_size(e, file->text);
        if (text_size(file, e) > end - at) return false;
        at += text_size(file, e);
    }
    return true;
}

static bool file_is_sound(ramus_corpus_file *file, uint64_t key)
{
    const ramus_file *map = &file->map;
    foot f;
    if (map->size < sizeof f) return false;
    const size_t size = map->size - sizeof f;
    memcpy(&f, map->data + size, sizeof f);
    if (memcmp(f.magic, MAGIC, sizeof f.magic) != 0 || f.format != RAMUS_CORPUS_FORMAT ||
        f.key != key || f.foot_hash != ramus_hash(0, &f, offsetof(foot, foot_hash)))
        return false;
    if (f.index % 8 || f.index > size || f.counts.kept < 0 ||
        (size - f.index) / sizeof *file->index != (uint64_t)f.counts.kept ||
        (size - f.index) % sizeof *file->index)
        return false;
    if (f.bytes_hash != hash_blocks(map->data, size)) return false;
    file->index = (const void *)(map->data + f.index);
    file->counts = f.counts;
    file->text = f.text == 1;
    return index_is_sound(file, f.index);
}

ramus_status ramus_corpus_file_open(ramus_corpus_file *out, const char *path, uint64_t key,
                                    ramus_error *err)
{
    ramus_corpus_file file = {0};
    const ramus_status st = ramus_file_map(&file.map, path, err);
    if (st) return st;
    if (!file_is_sound(&file, key)) {
        ramus_corpus_file_close(&file);
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: damaged, or not a corpus of this key", path);
    }
    *out = file;
    return RAMUS_OK;
}

void ramus_corpus_file_close(ramus_corpus_file *file)
{
    ramus_file_unmap(&file->map);
    *file = (ramus_corpus_file){0};
}

ramus_pair ramus_corpus_file_pair(const ramus_corpus_file *file, int64_t i)
{
    const ramus_corpus_entry *e = &file->index[i];
    const unsigned char *record = file->map.data + e->at;
    const int *source = (const void *)(record + (file->text ? 2 * sizeof(uint32_t) : 0));
    return (ramus_pair){source, source + e->source_length, e->source_length, e->target_length};
}

ramus_pair_text ramus_corpus_file_text(const ramus_corpus_file *file, int64_t i)
{
    const ramus_corpus_entry *e = &file->index[i];
    uint32_t sizes[2];
    memcpy(sizes, file->map.data + e->at, sizeof sizes);
    const char *source = (const char *)file->map.data + e->at + record_size(e, true);
    return (ramus_pair_text){source, source + sizes[0], sizes[0], sizes[1]};
}
