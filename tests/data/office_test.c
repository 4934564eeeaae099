/* Archives of documents: entries are replaced, all else stays, and what is no document is refused.
 * Truth: documents that LibreOffice made (golden/office), and the library's own reading of what
 * was written; document.archives looks at the same with Python. */
#include "data/office.h"

#include "check.h"
#include "data/zip.h"

#include <stdbool.h>
#include <string.h>

#define EMPTY "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" // an archive without entries

static void read_golden(const char *name, ramus_buffer *out)
{
    char path[300], part[4096];
    (void)snprintf(path, sizeof path, "%s/office/%s", GOLDEN, name);
    FILE *f = fopen(path, "rb");
    EXPECT(f != NULL, "%s", path);
    if (!f) return;
    for (size_t n = 0; (n = fread(part, 1, sizeof part, f)) > 0;)
        ramus_buffer_add(out, part, n);
    (void)fclose(f);
}

/* Lists what it is asked for, and puts "<x/>" in its place. */
static ramus_status list(void *arg, const char *part, const ramus_format *format, const char *data,
                         size_t size, ramus_buffer *out, ramus_error *err)
{
    (void)err;
    EXPECT(size > 3 && data[0] == '<', "%s: %zu bytes", part, size);
    ramus_buffer_print(arg, "%s %s\n", part, format->name);
    ramus_buffer_text(out, "<x/>");
    return RAMUS_OK;
}

static ramus_status refuse(void *arg, const char *part, const ramus_format *format,
                           const char *data, size_t size, ramus_buffer *out, ramus_error *err)
{
    (void)arg;
    (void)format;
    (void)data;
    (void)size;
    (void)out;
    return ramus_fail(err, RAMUS_FAILED, "no to %s", part);
}

static void entries_with_text_are_translated(void)
{
    static const struct {
        const char *name, *parts;
    } cases[] = {
        {"letter.docx", "word/document.xml docx\nword/document.xml docx-outer\n"
                        "word/header1.xml docx\nword/header1.xml docx-outer\n"
                        "word/footer1.xml docx\nword/footer1.xml docx-outer\n"
                        "word/footnotes.xml docx\nword/footnotes.xml docx-outer\n"},
        {"letter.odt", "styles.xml odt\nstyles.xml odt-outer\n"
                       "content.xml odt\ncontent.xml odt-outer\n"},
    };
    for (int i = 0; i < RAMUS_COUNT(cases); i++) {
        ramus_buffer in = {0}, out = {0}, parts = {0}, text = {0}, before = {0}, after = {0};
        ramus_error err = {0};
        ramus_zip *old = NULL, *new = NULL;
        read_golden(cases[i].name, &in);
        REQUIRE_OK(ramus_office_write(in.data, in.size, list, &parts, &out, &err), err);
        EXPECT_TEXT(parts.data, cases[i].parts);
        REQUIRE_OK(ramus_zip_open(&old, in.data, in.size, &err), err);
        REQUIRE_OK(ramus_zip_open(&new, out.data, out.size, &err), err);
        EXPECT_INT(ramus_zip_count(new), ramus_zip_count(old), "entries");
        for (int k = 0; k < ramus_zip_count(old); k++) {
            const char *name = ramus_zip_name(old, k);
            EXPECT_TEXT(ramus_zip_name(new, k), name);
            ramus_buffer_clear(&before);
            ramus_buffer_clear(&after);
            ramus_buffer_clear(&text);
            REQUIRE_OK(ramus_zip_read(old, k, &before, &err), err);
            REQUIRE_OK(ramus_zip_read(new, k, &after, &err), err);
            ramus_buffer_print(&text, "%s ", name);
            if (strstr(cases[i].parts, text.data))
                EXPECT(after.size == 4 && memcmp(after.data, "<x/>", 4) == 0, "%s", name);
            else
                EXPECT(after.size == before.size &&
                           (!after.size || memcmp(after.data, before.data, after.size) == 0),
                       "%s", name);
        }
        ramus_zip_close(old);
        ramus_zip_close(new);
        ramus_buffer *const all[] = {&in, &out, &parts, &text, &before, &after};
        for (int k = 0; k < RAMUS_COUNT(all); k++)
            ramus_buffer_free(all[k]);
    }
}

/* Replaces the entry `name` of a golden document by `size` bytes. */
static void replace(const char *golden, const char *name, const char *data, size_t size,
                    ramus_buffer *out)
{
    ramus_buffer in = {0};
    ramus_zip *z = NULL;
    ramus_error err = {0};
    read_golden(golden, &in);
    REQUIRE_OK(ramus_zip_open(&z, in.data, in.size, &err), err);
    for (int i = 0; i < ramus_zip_count(z); i++)
        if (strcmp(ramus_zip_name(z, i), name) == 0)
            REQUIRE_OK(ramus_zip_replace(z, i, data, size, &err), err);
    REQUIRE_OK(ramus_zip_write(z, out, &err), err);
    ramus_zip_close(z);
    ramus_buffer_free(&in);
}

static void what_is_no_document_is_refused(void)
{
    ramus_buffer in = {0}, out = {0}, parts = {0};
    ramus_error err = {0};
    EXPECT_FAILS(ramus_office_write("PK\3\4text", 8, list, &parts, &out, &err), err,
                 "cannot read the archive");
    EXPECT_FAILS(ramus_office_write(EMPTY, 22, list, &parts, &out, &err), err,
                 "found an archive without word/document.xml and content.xml");
    EXPECT_FAILS(ramus_office_write("", 0, list, &parts, &out, &err), err, "it is empty");
    read_golden("letter.docx", &in);
    EXPECT_FAILS(ramus_office_write(in.data, in.size, refuse, NULL, &out, &err), err,
                 "no to word/document.xml");
    EXPECT_FAILS(ramus_office_write(in.data, in.size / 2, list, &parts, &out, &err), err,
                 "cannot read the archive");
    ramus_buffer_clear(&in);
    replace("letter.odt", "content.xml", "\x8F\x01 not XML", 9, &in);
    EXPECT_FAILS(ramus_office_write(in.data, in.size, list, &parts, &out, &err), err,
                 "content.xml: found no XML in UTF-8, expected some; is there a password?");
    EXPECT_INT(out.size, 0, "nothing was written");
    ramus_buffer_free(&in);
    ramus_buffer_free(&out);
    ramus_buffer_free(&parts);
}

static void broken_archives_do_no_harm(void)
{
    ramus_buffer in = {0}, out = {0}, parts = {0};
    ramus_error err = {0};
    unsigned x = check_seed();
    int refused = 0;
    read_golden("letter.docx", &in);
    for (int i = 0; i < 300; i++) {
        char *copy = malloc(in.size);
        if (!copy) abort();
        memcpy(copy, in.data, in.size);
        for (int k = 0; k < 1 + i % 5; k++) {
            x = x * 1664525u + 1013904223u;
            copy[(size_t)(x >> 8) % in.size] = (char)(x >> 3);
        }
        ramus_buffer_clear(&out);
        ramus_buffer_clear(&parts);
        err.message[0] = '\0';
        const bool failed = ramus_office_write(copy, in.size, list, &parts, &out, &err);
        EXPECT(!failed || err.message[0], "no message");
        refused += failed;
        free(copy);
    }
    EXPECT(refused > 50, "only %d of 300 were refused", refused);
    ramus_buffer_free(&in);
    ramus_buffer_free(&out);
    ramus_buffer_free(&parts);
}

static void a_bomb_is_refused(void)
{
    if (CHECK_SANITIZED) return; // it packs and unpacks 256 MB
    ramus_buffer in = {0}, out = {0}, parts = {0};
    ramus_error err = {0};
    char *zeros = calloc(RAMUS_ZIP_BYTES + 1, 1);
    if (!zeros) abort();
    replace("letter.docx", "word/document.xml", zeros, RAMUS_ZIP_BYTES + 1, &in);
    free(zeros);
    EXPECT(in.size < 1 << 20, "%zu bytes", in.size);
    EXPECT_FAILS(ramus_office_write(in.data, in.size, list, &parts, &out, &err), err,
                 "found more than 256 MB of text, expected less");
    ramus_buffer_free(&in);
    ramus_buffer_free(&out);
    ramus_buffer_free(&parts);
}

/* A program without libzip has one answer. */
static bool is_built_without_libzip(void)
{
    ramus_zip *z = NULL;
    ramus_error err = {0};
    const bool without =
        ramus_zip_open(&z, EMPTY, 22, &err) && strstr(err.message, "without libzip");
    if (without) printf("skipped: %s\n", err.message);
    ramus_zip_close(z);
    return without;
}

int main(int argc, char **argv)
{
    static const check_fact facts[] = {
        {"entries_with_text_are_translated", entries_with_text_are_translated},
        {"what_is_no_document_is_refused", what_is_no_document_is_refused},
        {"broken_archives_do_no_harm", broken_archives_do_no_harm},
        {"a_bomb_is_refused", a_bomb_is_refused},
    };
    if (is_built_without_libzip()) return 0;
    return check_run(argc, argv, facts, RAMUS_COUNT(facts));
}
