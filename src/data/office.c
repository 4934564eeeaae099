/* The entries with text are known by their names, and so is the kind of document. */
#include "data/office.h"

#include "data/zip.h"

#include <fnmatch.h>
#include <string.h>

typedef struct part {
    const char *pattern; // of the name of the entry
    const char *formats[2];
} part;

static const part parts[] = {
    {"word/document*.xml", {"docx", "docx-outer"}}, {"word/header*.xml", {"docx", "docx-outer"}},
    {"word/footer*.xml", {"docx", "docx-outer"}},   {"word/footnotes.xml", {"docx", "docx-outer"}},
    {"word/endnotes.xml", {"docx", "docx-outer"}},  {"word/comments.xml", {"docx", "docx-outer"}},
    {"content.xml", {"odt", "odt-outer"}},          {"styles.xml", {"odt", "odt-outer"}},
};

bool ramus_office_is(const ramus_format *format)
{
    return strcmp(format->name, "docx") == 0 || strcmp(format->name, "odt") == 0;
}

static const part *find_part(const char *name)
{
    for (int i = 0; i < RAMUS_COUNT(parts); i++)
        if (fnmatch(parts[i].pattern, name, FNM_PATHNAME) == 0) return &parts[i];
    return NULL;
}

/* What is encrypted is not XML; nor is UTF-16 read. */
static ramus_status check_xml(const char *name, const ramus_buffer *b, ramus_error *err)
{
    const bool mark = b->size >= 3 && memcmp(b->data, "\xEF\xBB\xBF", 3) == 0;
    const size_t at = mark ? 3 : 0;
    if (b->size > at && b->data[at] == '<') return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "%s: found no XML in UTF-8, expected some; is there a password?", name);
}

/* Translates an entry, as both formats one after the other. */
static ramus_status write_part(ramus_zip *z, int entry, const part *p,
                               ramus_office_translate *translate, void *arg, ramus_error *err)
{
    ramus_buffer texts[3] = {0};
    ramus_status st = ramus_zip_read(z, entry, &texts[0], err);
    if (!st) st = check_xml(ramus_zip_name(z, entry), &texts[0], err);
    for (int i = 0; i < 2 && !st; i++) {
        const char *data = texts[i].data ? texts[i].data : "";
        st = translate(arg, ramus_zip_name(z, entry), ramus_format_find(p->formats[i]), data,
                       texts[i].size, &texts[i + 1], err);
        if (!st) st = ramus_buffer_check(&texts[i + 1], err);
    }
    const char *data = texts[2].data ? texts[2].data : "";
    if (!st) st = ramus_zip_replace(z, entry, data, texts[2].size, err);
    for (int i = 0; i < 3; i++)
        ramus_buffer_free(&texts[i]);
    return st;
}

ramus_status ramus_office_write(const char *data, size_t size, ramus_office_translate *translate,
                                void *arg, ramus_buffer *out, ramus_error *err)
{
    ramus_zip *z = NULL;
    int n_parts = 0;
    ramus_status st = ramus_zip_open(&z, data, size, err);
    if (st) return st;
    for (int i = 0; i < ramus_zip_count(z) && !st; i++) {
        const part *p = find_part(ramus_zip_name(z, i));
        if (p) st = write_part(z, i, p, translate, arg, err);
        n_parts += p != NULL;
    }
    if (!st && n_parts == 0)
        st = ramus_fail(err, RAMUS_BAD_FORMAT,
                        "found an archive without word/document.xml and content.xml, expected a "
                        "document of Word (docx) or OpenDocument (odt)");
    if (!st) st = ramus_zip_write(z, out, err);
    ramus_zip_close(z);
    return st;
}
