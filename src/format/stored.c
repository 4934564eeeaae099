/* The list of an archive is at its end: the end record says where. Archives of PyTorch have the
 * 64-bit form of both (APPNOTE.TXT 6.3, sections 4.3.12 to 4.3.16). */
#include "format/stored.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL        0x04034b50u
#define CENTRAL      0x02014b50u
#define END          0x06054b50u
#define END64        0x06064b50u
#define END64_PLACE  0x07064b50u
#define LOCAL_SIZE   30 // of the fixed part
#define CENTRAL_SIZE 46
#define END_SIZE     22
#define END64_SIZE   56
#define PLACE_SIZE   20
#define COMMENT_MOST 65535
#define MANY         0xFFFFFFFFu // the true number is in the 64-bit form

typedef struct {
    const unsigned char *data;
    size_t size;
} archive;

typedef struct {
    uint64_t n, at, size; // entries of the list, its place and bytes
} list_place;

static uint64_t number(const unsigned char *p, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++)
        x |= (uint64_t)p[i] << 8 * i;
    return x;
}

/* The record of n bytes at `at` if it has this mark, else NULL. */
static const unsigned char *record(const archive *a, uint64_t at, size_t n, uint32_t mark)
{
    if (at > a->size || a->size - at < n) return NULL;
    const unsigned char *p = a->data + at;
    return number(p, 4) == mark ? p : NULL;
}

bool ramus_stored_is(const unsigned char *data, size_t size)
{
    const archive a = {data, size};
    return record(&a, 0, LOCAL_SIZE, LOCAL) || record(&a, 0, END_SIZE, END);
}

static ramus_status find_list(const archive *a, list_place *out, ramus_error *err)
{
    const size_t most = END_SIZE + COMMENT_MOST, back = a->size < most ? a->size : most;
    for (size_t n = END_SIZE; n <= back; n++) {
        const uint64_t at = a->size - n;
        const unsigned char *end = record(a, at, END_SIZE, END);
        if (!end || number(end + 20, 2) != n - END_SIZE) continue;
        *out = (list_place){number(end + 10, 2), number(end + 16, 4), number(end + 12, 4)};
        if (at < PLACE_SIZE || (out->n != 0xFFFF && out->at != MANY && out->size != MANY))
            return RAMUS_OK;
        const unsigned char *place = record(a, at - PLACE_SIZE, PLACE_SIZE, END64_PLACE);
        const unsigned char *end64 =
            place ? record(a, number(place + 8, 8), END64_SIZE, END64) : NULL;
        if (end64)
            *out =
                (list_place){number(end64 + 32, 8), number(end64 + 48, 8), number(end64 + 40, 8)};
        return RAMUS_OK;
    }
    return ramus_fail(err, RAMUS_BAD_FORMAT, "the archive has no end: it is not whole");
}

/* The sizes and the place of an entry; those that are MANY are in field 1 of what follows its name,
 * in this order. */
static bool read_sizes(const unsigned char *p, const unsigned char *extra, size_t extra_size,
                       uint64_t sizes[3])
{
    static const int places[3] = {24, 20, 42}; // unpacked, packed, place
    const unsigned char *more = NULL;
    size_t left = 0;
    for (size_t i = 0; i + 4 <= extra_size; i += 4 + (size_t)number(extra + i + 2, 2))
        if (number(extra + i, 2) == 1) {
            more = extra + i + 4;
            left = (size_t)number(extra + i + 2, 2);
            if (left > extra_size - i - 4) return false;
        }
    for (int i = 0; i < 3; i++) {
        sizes[i] = number(p + places[i], 4);
        if (sizes[i] != MANY) continue;
        if (!more || left < 8) return false;
        sizes[i] = number(more, 8);
        more += 8;
        left -= 8;
    }
    return true;
}

/* Reads the entry of the list at *at and moves *at behind it. */
static ramus_status read_entry(const archive *a, uint64_t *at, ramus_stored_entry *out,
                               char **names, ramus_error *err)
{
    const unsigned char *p = record(a, *at, CENTRAL_SIZE, CENTRAL);
    if (!p) return ramus_fail(err, RAMUS_BAD_FORMAT, "the list of the archive is broken");
    const size_t name = (size_t)number(p + 28, 2), extra = (size_t)number(p + 30, 2),
                 all = CENTRAL_SIZE + name + extra + (size_t)number(p + 32, 2);
    uint64_t sizes[3];
    if (all > a->size - *at || memchr(p + CENTRAL_SIZE, 0, name) ||
        !read_sizes(p, p + CENTRAL_SIZE + name, extra, sizes))
        return ramus_fail(err, RAMUS_BAD_FORMAT, "the list of the archive is broken");
    memcpy(*names, p + CENTRAL_SIZE, name);
    (*names)[name] = '\0';
    out->name = *names;
    *names += name + 1;
    *at += all;
    if (number(p + 8, 2) & 1 || number(p + 10, 2) != 0 || sizes[0] != sizes[1])
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "entry '%.80s' of the archive is packed or encrypted, expected stored: "
                          "unpack the archive and put it together with zip -0",
                          out->name);
    const unsigned char *local = record(a, sizes[2], LOCAL_SIZE, LOCAL);
    const uint64_t start =
        local ? sizes[2] + LOCAL_SIZE + number(local + 26, 2) + number(local + 28, 2) : 0;
    if (!local || start > a->size || sizes[0] > a->size - start)
        return ramus_fail(err, RAMUS_BAD_FORMAT, "entry '%.80s' of the archive is not inside of it",
                          out->name);
    out->data = a->data + start;
    out->size = (size_t)sizes[0];
    return RAMUS_OK;
}

ramus_status ramus_stored_read(ramus_stored *out, const unsigned char *data, size_t size,
                               ramus_error *err)
{
    const archive a = {data, size};
    ramus_stored s = {0};
    list_place list = {0};
    ramus_status st = find_list(&a, &list, err);
    if (st) return st;
    if (list.at > size || list.size > size - list.at || list.n > list.size / CENTRAL_SIZE)
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "the list of the archive with %llu entries is not inside of it",
                          (unsigned long long)list.n);
    s.entries = calloc((size_t)list.n + 1, sizeof *s.entries);
    s.names = malloc((size_t)list.size + 1); // a record has more bytes than its name and a zero
    char *names = s.names;
    const archive part = {data, (size_t)(list.at + list.size)};
    if (!s.entries || !s.names) st = ramus_fail_memory(err, "the list of an archive");
    for (uint64_t at = list.at; (uint64_t)s.n < list.n && !st; s.n++)
        st = read_entry(&part, &at, &s.entries[s.n], &names, err);
    if (st)
        ramus_stored_free(&s);
    else
        *out = s;
    return st;
}

void ramus_stored_free(ramus_stored *s)
{
    free(s->entries);
    free(s->names);
    *s = (ramus_stored){0};
}

const ramus_stored_entry *ramus_stored_find(const ramus_stored *s, const char *end)
{
    const size_t n = strlen(end);
    for (int i = 0; i < s->n; i++) {
        const size_t size = strlen(s->entries[i].name);
        if (size >= n && strcmp(s->entries[i].name + size - n, end) == 0) return &s->entries[i];
    }
    return NULL;
}
