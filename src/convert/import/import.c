/* The table of dialects. The last row knows every file, so that its message says what is missing.
 */
#include "convert/import/import.h"

#include "base/folder.h"
#include "base/map.h"
#include "base/utf8.h"

#include <string.h>

static const ramus_import_dialect *const dialects[] = {
    &ramus_import_huggingface,
    &ramus_import_marian,
    &ramus_import_deployed,
    &ramus_import_thumt,
};

/* The licence that the front matter of a page names: `license: apache-2.0`. */
static ramus_status read_license(ramus_checkpoint *c, const char *folder, ramus_error *err)
{
    static const char key[] = "license:";
    ramus_buffer path = {0};
    ramus_file page = {0};
    ramus_status st = ramus_folder_path(&path, folder, "README.md", err);
    if (!st && !ramus_file_map(&page, path.data, NULL)) {
        const char *at = (const char *)page.data, *end = at + page.size;
        const bool front = page.size > 4 && memcmp(at, "---\n", 4) == 0;
        for (at += 4; front && at < end && !st;) {
            const char *newline = memchr(at, '\n', (size_t)(end - at));
            const char *stop = newline ? newline : end;
            if (stop - at == 3 && memcmp(at, "---", 3) == 0) break;
            if ((size_t)(stop - at) > sizeof key && memcmp(at, key, sizeof key - 1) == 0) {
                for (at += sizeof key - 1; at < stop && *at == ' ';)
                    at++;
                ramus_buffer_clear(&path);
                ramus_buffer_add(&path, at, (size_t)(stop - at));
                if (path.size && ramus_utf8_check(path.data, path.size) == path.size)
                    st = ramus_checkpoint_tell(c, RAMUS_ABOUT_LICENSE, path.data, err);
            }
            at = stop + 1;
        }
    }
    ramus_file_unmap(&page);
    ramus_buffer_free(&path);
    return st;
}

ramus_status ramus_import_origin(ramus_checkpoint *c, const char *folder, const char *kind,
                                 ramus_error *err)
{
    size_t size = strlen(folder);
    while (size > 1 && folder[size - 1] == '/')
        size--;
    size_t start = size;
    while (start > 0 && folder[start - 1] != '/')
        start--;
    ramus_buffer text = {0};
    ramus_buffer_add(&text, folder + start, size - start);
    ramus_status st = ramus_buffer_check(&text, err);
    const bool named = text.size && strcmp(text.data, ".") != 0 && strcmp(text.data, "..") != 0 &&
                       ramus_utf8_check(text.data, text.size) == text.size;
    if (!st && named) st = ramus_checkpoint_tell(c, RAMUS_ABOUT_NAME, text.data, err);
    ramus_buffer_clear(&text);
    ramus_buffer_print(&text, "imported: %s", kind);
    if (!st) st = ramus_buffer_check(&text, err);
    if (!st) st = ramus_checkpoint_tell(c, RAMUS_ABOUT_DESCRIPTION, text.data, err);
    ramus_buffer_free(&text);
    return st ? st : read_license(c, folder, err);
}

ramus_status ramus_import(ramus_checkpoint *out, const char *path, const ramus_import_hints *hints,
                          ramus_error *err)
{
    for (int i = 0; i < RAMUS_COUNT(dialects); i++) {
        bool known = !dialects[i]->knows;
        const ramus_status st = known ? RAMUS_OK : dialects[i]->knows(&known, path, err);
        if (st) return st;
        if (known) return dialects[i]->read(out, path, hints, err);
    }
    return ramus_fail(err, RAMUS_BAD_FORMAT, "%s: is of no dialect that can be imported", path);
}
