/* The table of formats, and what all documents have in common: blocks are read ahead, and what
 * stands between them is copied when they are written. */
#include "document/formats.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// clang-format off
static const ramus_format *const formats[] = {
    &ramus_format_text,
    &ramus_format_html,
    &ramus_format_markdown,
    &ramus_format_srt,
    &ramus_format_vtt,
    &ramus_format_po,
    &ramus_format_xliff,
    &ramus_format_csv,
    &ramus_format_tsv,
    &ramus_format_json,
    &ramus_format_docx,
    &ramus_format_odt,
    &ramus_format_docx_outer, // the second halves of docx and odt
    &ramus_format_odt_outer,
};
// clang-format on
#define N_FORMATS RAMUS_COUNT(formats)
#define N_HALVES  2

const ramus_format *const *ramus_formats(int *n)
{
    *n = N_FORMATS - N_HALVES;
    return formats;
}

const ramus_format *ramus_format_find(const char *name)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0) return formats[i];
    return NULL;
}

/* Whether the word text[0 .. size) is in a list with spaces between words. */
static bool is_listed(const char *list, const char *text, size_t size)
{
    while (*list) {
        const size_t n = strcspn(list, " ");
        if (n == size && strncasecmp(list, text, size) == 0) return true;
        list += n + (list[n] == ' ');
    }
    return false;
}

const ramus_format *ramus_format_of_path(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *end = name + strlen(name);
    for (;;) {
        const char *dot = end;
        while (dot > name && *--dot != '.')
            continue;
        if (dot == name) return NULL; // no extension, or a hidden file
        if (!is_listed("gz xz", dot + 1, (size_t)(end - dot - 1))) {
            for (int i = 0; i < N_FORMATS; i++)
                if (is_listed(formats[i]->extensions, dot + 1, (size_t)(end - dot - 1)))
                    return formats[i];
            return NULL;
        }
        end = dot;
    }
}

ramus_status ramus_document_open(ramus_document **out, const ramus_format *format, const char *data,
                                 size_t size, const ramus_format_options *options, ramus_error *err)
{
    static const ramus_format_options none = {0};
    ramus_document *d = calloc(1, sizeof *d);
    if (!d) return ramus_fail_memory(err, "a document");
    *d = (ramus_document){
        .format = format, .options = options ? options : &none, .data = data, .size = size};
    if (format->state_size) {
        d->state = calloc(1, format->state_size);
        if (!d->state) {
            free(d);
            return ramus_fail_memory(err, "a document");
        }
    }
    const ramus_status st = format->open ? format->open(d, err) : RAMUS_OK;
    if (st) {
        ramus_document_close(d);
        return st;
    }
    *out = d;
    return RAMUS_OK;
}

void ramus_document_close(ramus_document *d)
{
    if (!d) return;
    if (d->format->close) d->format->close(d);
    free(d->state);
    free(d);
}

bool ramus_document_ended(const ramus_document *d)
{
    return d->at == d->size && d->written == d->size;
}

ramus_status ramus_document_read(ramus_document *d, ramus_blocks *out, size_t bytes,
                                 ramus_error *err)
{
    const size_t start = out->texts.size + out->raws.size, from = d->at;
    while (d->at < d->size && out->texts.size + out->raws.size - start < bytes &&
           (d->at - from) / 16 < bytes) {
        const size_t before = d->at;
        ramus_status st = d->format->read(d, out, err);
        if (!st) st = ramus_blocks_check(out, err);
        if (st) return st;
        RAMUS_ASSERT(d->at > before && d->at <= d->size);
    }
    return RAMUS_OK;
}

void ramus_document_write(ramus_document *d, const ramus_block *block,
                          const ramus_marked *translation, ramus_buffer *out)
{
    RAMUS_ASSERT(d->written <= block->from && block->from <= block->to && block->to <= d->size);
    ramus_buffer_add(out, d->data + d->written, block->from - d->written);
    d->written = block->from;
    if (!translation) return;
    d->format->write(d, block, translation, out);
    d->written = block->to;
}

void ramus_document_write_rest(ramus_document *d, ramus_buffer *out)
{
    if (d->written < d->at) ramus_buffer_add(out, d->data + d->written, d->at - d->written);
    d->written = d->at;
}
