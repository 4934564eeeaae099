/* A row per kind of packing: its first bytes, and how to unpack more. Unpacked text collects in
 * a buffer that gives out lines and moves or grows when it is full. */
#include "data/lines.h"

#include "data/text_check.h"
#include "text/normalise.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lzma.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define IN_SIZE    (1 << 16)
#define FIRST_SIZE (1 << 16)
#define PEEK_SIZE  (1 << 16)
#define MAGIC_SIZE 6 // of the longest magic

#define MOST_LINE     RAMUS_TEXT_MAX        // bytes
#define UNPACK_MEMORY ((uint64_t)256 << 20) // xz -9 needs 65 MB
#define MOST_COUNTED  ((int64_t)1 << 30)    // bytes of a file whose lines are soon counted

typedef struct packing packing;

struct ramus_lines {
    int file;
    char *path;
    const packing *kind;
    unsigned char in[IN_SIZE]; // bytes of the file
    size_t in_at, in_size;
    bool in_end;
    off_t begin; // where reading began; -1: in a pipe
    lzma_stream xz;
    z_stream gz;
    char *text; // unpacked bytes: text[at .. size) are not given out yet
    size_t at, size, capacity;
    bool end, checked;
    ramus_lines_amount done; // bytes: that have been read of the file
};

/* How a file is packed: its first bytes, and how to get more text out of it. */
struct packing {
    const char *magic;
    size_t magic_size;
    ramus_status (*start)(ramus_lines *l, ramus_error *err);
    /* Writes at most `room` bytes to `out` and sets *n; sets l->end when there are no more. */
    ramus_status (*unpack)(ramus_lines *l, char *out, size_t room, size_t *n, ramus_error *err);
};

/* Reads the bytes that are there, and waits only for the first. */
static ramus_status read_more(ramus_lines *l, ramus_error *err)
{
    const ssize_t n = read(l->file, l->in + l->in_size, IN_SIZE - l->in_size);
    if (n < 0 && errno == EINTR) return ramus_fail(err, RAMUS_STOPPED, "stopped");
    if (n < 0) return ramus_fail(err, RAMUS_IO, "%s: cannot read: %s", l->path, strerror(errno));
    l->in_size += (size_t)n;
    l->done.bytes += n;
    l->in_end = n == 0;
    return RAMUS_OK;
}

static ramus_status fill_in(ramus_lines *l, ramus_error *err)
{
    if (l->in_at < l->in_size || l->in_end) return RAMUS_OK;
    l->in_at = l->in_size = 0;
    return read_more(l, err);
}

static ramus_status fail_damaged(const ramus_lines *l, ramus_error *err)
{
    return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: the packed data is damaged or cut short",
                      l->path);
}

static ramus_status plain_start(ramus_lines *l, ramus_error *err)
{
    (void)l;
    (void)err;
    return RAMUS_OK;
}

static ramus_status plain_unpack(ramus_lines *l, char *out, size_t room, size_t *n,
                                 ramus_error *err)
{
    const ramus_status st = fill_in(l, err);
    if (st) return st;
    *n = l->in_size - l->in_at < room ? l->in_size - l->in_at : room;
    memcpy(out, l->in + l->in_at, *n);
    l->in_at += *n;
    l->end = l->in_end;
    return RAMUS_OK;
}

static ramus_status xz_start(ramus_lines *l, ramus_error *err)
{
    return lzma_stream_decoder(&l->xz, UNPACK_MEMORY, LZMA_CONCATENATED) == LZMA_OK
               ? RAMUS_OK
               : ramus_fail_memory(err, "unpacking");
}

static ramus_status xz_unpack(ramus_lines *l, char *out, size_t room, size_t *n, ramus_error *err)
{
    const ramus_status st = fill_in(l, err);
    if (st) return st;
    l->xz.next_in = l->in + l->in_at;
    l->xz.avail_in = l->in_size - l->in_at;
    l->xz.next_out = (unsigned char *)out;
    l->xz.avail_out = room;
    const lzma_ret ret = lzma_code(&l->xz, l->in_end ? LZMA_FINISH : LZMA_RUN);
    if (ret == LZMA_MEM_ERROR) return ramus_fail_memory(err, "unpacking");
    if (ret == LZMA_MEMLIMIT_ERROR)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: unpacking needs %llu MB of memory, not %llu",
                          l->path, (unsigned long long)(lzma_memusage(&l->xz) >> 20),
                          (unsigned long long)(UNPACK_MEMORY >> 20));
    if (ret != LZMA_OK && ret != LZMA_STREAM_END) return fail_damaged(l, err);
    l->in_at = l->in_size - l->xz.avail_in;
    *n = room - l->xz.avail_out;
    l->end = ret == LZMA_STREAM_END;
    return RAMUS_OK;
}

static ramus_status gz_start(ramus_lines *l, ramus_error *err)
{
    return inflateInit2(&l->gz, 15 + 16) == Z_OK ? RAMUS_OK : ramus_fail_memory(err, "unpacking");
}

static ramus_status gz_unpack(ramus_lines *l, char *out, size_t room, size_t *n, ramus_error *err)
{
    const ramus_status st = fill_in(l, err);
    if (st) return st;
    l->gz.next_in = l->in + l->in_at;
    l->gz.avail_in = (unsigned)(l->in_size - l->in_at);
    l->gz.next_out = (unsigned char *)out;
    l->gz.avail_out = (unsigned)room;
    const int ret = inflate(&l->gz, Z_NO_FLUSH);
    if (ret == Z_MEM_ERROR) return ramus_fail_memory(err, "unpacking");
    if (ret != Z_OK && ret != Z_STREAM_END) return fail_damaged(l, err);
    l->in_at = l->in_size - l->gz.avail_in;
    *n = room - l->gz.avail_out;
    if (ret == Z_STREAM_END) { // another member may follow: cat a.gz b.gz
        const ramus_status more = fill_in(l, err);
        if (more) return more;
        l->end = l->in_end;
        if (!l->end && inflateReset(&l->gz) != Z_OK) return fail_damaged(l, err);
    } else if (l->in_end && *n == 0) {
        return fail_damaged(l, err);
    }
    return RAMUS_OK;
}

static const packing packings[] = {
    {"\xFD"
     "7zXZ",
     6, xz_start, xz_unpack}, // the sixth byte is the string's zero
    {"\x1F\x8B", 2, gz_start, gz_unpack},
    {"", 0, plain_start, plain_unpack},
};

static ramus_status more_text(ramus_lines *l, ramus_error *err);

/* Returns NULL without memory. */
static ramus_lines *create(const char *name, size_t capacity)
{
    ramus_lines *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->file = -1;
    l->begin = -1;
    l->path = strdup(name);
    l->text = malloc(capacity);
    l->capacity = capacity;
    if (l->path && l->text) return l;
    ramus_lines_close(l);
    return NULL;
}

static ramus_status open_file(ramus_lines *l, const char *path, ramus_error *err)
{
    l->file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (l->file < 0) return ramus_fail(err, RAMUS_IO, "%s: cannot open: %s", path, strerror(errno));
    struct stat info;
    if (fstat(l->file, &info) == 0 && S_ISREG(info.st_mode)) l->begin = lseek(l->file, 0, SEEK_CUR);
    ramus_status st = RAMUS_OK;
    do
        st = read_more(l, err);
    while (!st && !l->in_end && l->in_size < MAGIC_SIZE && (l->in[0] == 0xFD || l->in[0] == 0x1F));
    if (st) return st;
    for (l->kind = packings; l->in_size < l->kind->magic_size ||
                             memcmp(l->in, l->kind->magic, l->kind->magic_size) != 0;)
        l->kind++;
    st = l->kind->start(l, err);
    return st ? st : more_text(l, err); // so that what is no text is refused at once
}

ramus_status ramus_lines_open(ramus_lines **out, const char *path, ramus_error *err)
{
    ramus_lines *l = create(strcmp(path, "-") == 0 ? "standard input" : path, FIRST_SIZE);
    if (!l) return ramus_fail_memory(err, "a reader");
    const ramus_status st = open_file(l, path, err);
    if (st)
        ramus_lines_close(l);
    else
        *out = l;
    return st;
}

ramus_status ramus_lines_open_text(ramus_lines **out, const char *text, size_t size,
                                   ramus_error *err)
{
    ramus_lines *l = create("the text", size + 1);
    if (!l) return ramus_fail_memory(err, "a reader");
    memcpy(l->text, text, size);
    l->size = size;
    l->end = true;
    *out = l;
    return RAMUS_OK;
}

void ramus_lines_close(ramus_lines *l)
{
    if (!l) return;
    lzma_end(&l->xz);
    if (l->gz.state) (void)inflateEnd(&l->gz);
    if (l->file > STDIN_FILENO) (void)close(l->file);
    free(l->text);
    free(l->path);
    free(l);
}

/* Appends more text; moves or grows the buffer first when it is full. A buffer without a line feed
 * grows to the longest line there may be. */
static ramus_status more_text(ramus_lines *l, ramus_error *err)
{
    if (l->size - l->at > MOST_LINE)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: line %lld has more than %d MB", l->path,
                          (long long)l->done.lines + 1, MOST_LINE >> 20);
    if (l->at > 0) {
        memmove(l->text, l->text + l->at, l->size - l->at);
        l->size -= l->at;
        l->at = 0;
    }
    if (l->capacity - l->size < FIRST_SIZE / 2) {
        char *text = l->capacity < (size_t)-1 / 2 ? realloc(l->text, 2 * l->capacity) : NULL;
        if (!text) return ramus_fail_memory(err, "a line");
        l->text = text;
        l->capacity *= 2;
    }
    size_t n = 0;
    const size_t room =
        l->capacity - l->size - 1 < FIRST_SIZE ? l->capacity - l->size - 1 : FIRST_SIZE;
    const ramus_status st = l->kind->unpack(l, l->text + l->size, room, &n, err);
    l->size += st ? 0 : n;
    if (st || l->checked || n == 0) return st;
    l->checked = true;
    return ramus_text_check(l->path, l->text, l->size, err);
}

ramus_status ramus_lines_next(ramus_lines *l, char **line, size_t *size, ramus_error *err)
{
    size_t searched = 0;
    *line = NULL;
    *size = 0;
    for (;;) {
        char *start = l->text + l->at;
        const size_t there = l->size - l->at;
        char *feed = memchr(start + searched, '\n', there - searched);
        if (feed || (l->end && there > 0)) {
            if (!feed) start[there] = '\0'; // more_text() leaves room for it
            *line = start;
            *size = feed ? (size_t)(feed - start) : there;
            l->at += feed ? *size + 1 : there;
            l->done.lines++;
            return RAMUS_OK;
        }
        if (l->end) return RAMUS_OK;
        searched = there;
        const ramus_status st = more_text(l, err);
        if (st) return st;
    }
}

/* Counts line feeds without moving the place where the file is read next. */
static int64_t count_lines(const ramus_lines *l)
{
    char block[IN_SIZE];
    ssize_t n = 0;
    int64_t lines = 0;
    char last = '\n';
    for (off_t at = l->begin; (n = pread(l->file, block, sizeof block, at)) > 0; at += n) {
        const char *end = block + n;
        for (const char *c = block; (c = memchr(c, '\n', (size_t)(end - c))); c++)
            lines++;
        last = end[-1];
    }
    return lines + (last != '\n');
}

ramus_lines_amount ramus_lines_total(const ramus_lines *l)
{
    ramus_lines_amount total = {-1, -1};
    struct stat info;
    if (l->begin < 0 || fstat(l->file, &info)) return total;
    total.bytes = info.st_size - l->begin;
    if (!l->kind->magic_size && total.bytes <= MOST_COUNTED) total.lines = count_lines(l);
    return total;
}

ramus_status ramus_lines_count(ramus_lines *l, long *n, ramus_error *err)
{
    char *line = NULL;
    size_t size = 0;
    ramus_status st = ramus_lines_next(l, &line, &size, err);
    for (; !st && line; st = ramus_lines_next(l, &line, &size, err))
        ++*n;
    return st;
}

ramus_lines_amount ramus_lines_done(const ramus_lines *l)
{
    ramus_lines_amount done = l->done;
    done.bytes -= (int64_t)(l->in_size - l->in_at);
    if (l->kind && !l->kind->magic_size) done.bytes -= (int64_t)(l->size - l->at);
    return done;
}

/* Whether the file would have to wait for a writer. */
static bool must_wait(const ramus_lines *l)
{
    struct pollfd p = {.fd = l->file, .events = POLLIN};
    return l->in_at == l->in_size && !l->in_end && poll(&p, 1, 0) < 1;
}

bool ramus_lines_ready(ramus_lines *l)
{
    size_t searched = 0;
    for (;;) {
        const char *start = l->text + l->at;
        const size_t there = l->size - l->at;
        if (l->end || memchr(start + searched, '\n', there - searched)) return true;
        searched = there;
        if (must_wait(l)) return false;
        if (more_text(l, NULL)) return true; // the next call reports the error
    }
}

const char *ramus_lines_peek(ramus_lines *l, size_t *size)
{
    while (!l->end && l->size - l->at < PEEK_SIZE && !must_wait(l) && !more_text(l, NULL)) {
    } // the next call reports the error
    *size = l->size - l->at;
    return l->text + l->at;
}

#define XZ_PRESET 3 // its dictionary of 4 MB is enough for text that comes in pieces

static ramus_status pack_xz(ramus_buffer *out, const char *text, size_t size, ramus_error *err)
{
    const size_t room = lzma_stream_buffer_bound(size);
    size_t n = 0;
    uint8_t *packed = room ? malloc(room) : NULL;
    const bool done =
        packed && lzma_easy_buffer_encode(XZ_PRESET, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text,
                                          size, packed, &n, room) == LZMA_OK;
    ramus_buffer_add(out, packed, done ? n : 0);
    free(packed);
    return done ? RAMUS_OK : ramus_fail_memory(err, "packing");
}

static ramus_status pack_gz(ramus_buffer *out, const char *text, size_t size, ramus_error *err)
{
    z_stream z = {0};
    if (size > UINT_MAX ||
        deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return ramus_fail_memory(err, "packing");
    const size_t room = deflateBound(&z, size);
    uint8_t *packed = malloc(room);
    z.next_in = (uint8_t *)text; // it is only read
    z.avail_in = (unsigned)size;
    z.next_out = packed;
    z.avail_out = (unsigned)room;
    const bool done = packed && deflate(&z, Z_FINISH) == Z_STREAM_END;
    ramus_buffer_add(out, packed, done ? room - z.avail_out : 0);
    (void)deflateEnd(&z);
    free(packed);
    return done ? RAMUS_OK : ramus_fail_memory(err, "packing");
}

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), n = strlen(end);
    return size >= n && strcmp(text + size - n, end) == 0;
}

bool ramus_lines_are_packed(const char *path)
{
    return ends_with(path, ".xz") || ends_with(path, ".gz");
}

ramus_status ramus_lines_pack(ramus_buffer *out, const char *path, const char *text, size_t size,
                              ramus_error *err)
{
    if (ends_with(path, ".xz")) return pack_xz(out, text, size, err);
    if (ends_with(path, ".gz")) return pack_gz(out, text, size, err);
    ramus_buffer_add(out, text, size);
    return ramus_buffer_check(out, err);
}

const char *ramus_lines_field(const char *line, size_t size, int column, size_t *field_size)
{
    for (; column > 1; column--) {
        const char *tab = memchr(line, '\t', size);
        if (!tab) return NULL;
        size -= (size_t)(tab + 1 - line);
        line = tab + 1;
    }
    const char *tab = column ? memchr(line, '\t', size) : NULL;
    *field_size = tab ? (size_t)(tab - line) : size;
    return line;
}

bool ramus_lines_have_columns(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strstr(slash ? slash : path, ".tsv") != NULL;
}
