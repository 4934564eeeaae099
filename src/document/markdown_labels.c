/* Names of link definitions: those of a document are gathered before it is read, since "[text]" may
 * stand before "[text]: place". What is kept of a name is one bit at the place of its hash. */
#include "document/markdown.h"

#include <string.h>

/* Of a name without regard to case, and with single spaces, as names are compared. */
static uint32_t hash(const char *name, size_t size)
{
    uint64_t h = 14695981039346656037u; // FNV-1a
    bool space = false, begun = false;
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        if (ramus_md_is_space(c)) {
            space = begun;
            continue;
        }
        if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
        if (space) h = (h ^ ' ') * 1099511628211u;
        h = (h ^ (unsigned char)c) * 1099511628211u;
        space = false;
        begun = true;
    }
    return (uint32_t)(h ^ h >> 32) % RAMUS_MD_LABEL_BITS;
}

static size_t label_in_line(const char *line, size_t size, size_t *end)
{
    size_t i = 0;
    while (i < size && i < 200 && (ramus_md_is_space(line[i]) || strchr(">*-+", line[i])) &&
           line[i])
        i++;
    if (i >= size || line[i] != '[') return size;
    *end = ramus_md_label_end(line, size, i);
    return *end && *end < size && line[*end] == ':' ? i + 1 : size;
}

void ramus_md_labels_find(ramus_md_labels *l, const char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        const char *feed = memchr(data + at, '\n', size - at);
        const size_t n = feed ? (size_t)(feed - data) - at : size - at;
        size_t end = 0;
        const size_t name = label_in_line(data + at, n, &end);
        if (name < n) {
            const uint32_t bit = hash(data + at + name, end - 1 - name);
            l->bits[bit / 8] |= (uint8_t)(1u << bit % 8);
        }
        at += n + 1;
    }
}

bool ramus_md_labels_have(const ramus_md_labels *l, const char *name, size_t size)
{
    const uint32_t bit = hash(name, size);
    size_t i = 0;
    while (i < size && ramus_md_is_space(name[i]))
        i++;
    return i < size && (l->bits[bit / 8] >> bit % 8 & 1);
}
