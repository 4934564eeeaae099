/* libzip works on the bytes of the archive as on a file: when it closes an archive, it leaves the
 * new one in the same source, which copies what was not replaced without unpacking it. */
#include "data/zip.h"

#include <stdlib.h>
#include <string.h>

#ifdef RAMUS_LIBZIP
#include <zip.h>

struct ramus_zip {
    zip_t *zip;
    zip_source_t *source; // the bytes, before and after
    size_t unpacked;
};

static ramus_status fail_zip(zip_t *zip, const char *what, ramus_error *err)
{
    return ramus_fail(err, RAMUS_BAD_FORMAT, "cannot %s: %s", what, zip_strerror(zip));
}

/* A source that owns a copy of data[0 .. size): libzip 1.7 may free what it was told not to own. */
static zip_source_t *copy_source(const void *data, size_t size, zip_error_t *e)
{
    void *copy = malloc(size ? size : 1);
    if (!copy) {
        zip_error_set(e, ZIP_ER_MEMORY, 0);
        return NULL;
    }
    memcpy(copy, data, size);
    zip_source_t *source = zip_source_buffer_create(copy, size, 1, e);
    if (!source) free(copy);
    return source; // NOLINT(clang-analyzer-unix.Malloc): the source frees the copy
}

ramus_status ramus_zip_open(ramus_zip **out, const void *data, size_t size, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    zip_error_t e;
    if (size == 0) return ramus_fail(err, RAMUS_BAD_FORMAT, "it is empty, expected an archive");
    ramus_zip *z = calloc(1, sizeof *z);
    if (!z) return ramus_fail_memory(err, "an archive");
    zip_error_init(&e);
    z->source = copy_source(data, size, &e);
    z->zip = z->source ? zip_open_from_source(z->source, 0, &e) : NULL;
    if (z->zip) {
        zip_source_keep(z->source); // the archive has one, and so have we
        *out = z;
        z = NULL;
    } else {
        st = ramus_fail(err, RAMUS_BAD_FORMAT, "cannot read the archive: %s",
                        zip_error_strerror(&e));
    }
    ramus_zip_close(z);
    zip_error_fini(&e);
    return st;
}

void ramus_zip_close(ramus_zip *z)
{
    if (!z) return;
    if (z->zip) zip_discard(z->zip);
    if (z->source) zip_source_free(z->source);
    free(z);
}

int ramus_zip_count(const ramus_zip *z)
{
    return (int)zip_get_num_entries(z->zip, 0);
}

const char *ramus_zip_name(const ramus_zip *z, int entry)
{
    const char *name = zip_get_name(z->zip, (zip_uint64_t)entry, 0);
    return name ? name : "";
}

ramus_status ramus_zip_read(ramus_zip *z, int entry, ramus_buffer *out, ramus_error *err)
{
    static const char what[] = "unpack an entry of the archive";
    char part[16 * 1024];
    zip_int64_t n = 0;
    zip_file_t *file = zip_fopen_index(z->zip, (zip_uint64_t)entry, 0);
    if (!file) return fail_zip(z->zip, what, err);
    ramus_status st = RAMUS_OK;
    while (!st && (n = zip_fread(file, part, sizeof part)) > 0) {
        z->unpacked += (size_t)n;
        ramus_buffer_add(out, part, (size_t)n);
        if (z->unpacked > RAMUS_ZIP_BYTES)
            st = ramus_fail(err, RAMUS_BAD_FORMAT, "found more than %zu MB of text, expected less",
                            RAMUS_ZIP_BYTES >> 20);
    }
    if (!st && n < 0)
        st = ramus_fail(err, RAMUS_BAD_FORMAT, "cannot %s: %s", what, zip_file_strerror(file));
    (void)zip_fclose(file);
    return st ? st : ramus_buffer_check(out, err);
}

ramus_status ramus_zip_replace(ramus_zip *z, int entry, const void *data, size_t size,
                               ramus_error *err)
{
    const zip_uint64_t i = (zip_uint64_t)entry;
    zip_stat_t was;
    zip_source_t *source = copy_source(data, size, zip_get_error(z->zip));
    if (!source) return fail_zip(z->zip, "take an entry of the archive", err);
    if (zip_stat_index(z->zip, i, 0, &was) || zip_file_replace(z->zip, i, source, 0)) {
        zip_source_free(source);
        return fail_zip(z->zip, "replace an entry of the archive", err);
    }
    if (zip_set_file_compression(z->zip, i, was.comp_method, 0) ||
        zip_file_set_mtime(z->zip, i, was.mtime, 0))
        return fail_zip(z->zip, "replace an entry of the archive", err);
    return RAMUS_OK;
}

/* Lets libzip write the first entry anew and so all of them. It would leave the beginning of the
 * archive as it is, but drop the flag of UTF-8 from the list of the same entries. */
static void write_all(zip_t *zip)
{
    zip_stat_t first;
    if (zip_stat_index(zip, 0, 0, &first) == 0) (void)zip_file_set_mtime(zip, 0, first.mtime, 0);
}

ramus_status ramus_zip_write(ramus_zip *z, ramus_buffer *out, ramus_error *err)
{
    char part[16 * 1024];
    zip_int64_t n = 0;
    write_all(z->zip);
    if (zip_close(z->zip)) return fail_zip(z->zip, "write the archive", err);
    z->zip = NULL;
    if (zip_source_open(z->source) == 0) {
        while ((n = zip_source_read(z->source, part, sizeof part)) > 0)
            ramus_buffer_add(out, part, (size_t)n);
        (void)zip_source_close(z->source);
        if (n == 0) return ramus_buffer_check(out, err);
    }
    return ramus_fail(err, RAMUS_BAD_FORMAT, "cannot read what was written: %s",
                      zip_error_strerror(zip_source_error(z->source)));
}

#else

ramus_status ramus_zip_open(ramus_zip **out, const void *data, size_t size, ramus_error *err)
{
    (void)out;
    (void)data;
    (void)size;
    return ramus_fail(err, RAMUS_FAILED,
                      "this program was built without libzip, which docx and odt need");
}

void ramus_zip_close(ramus_zip *z)
{
    RAMUS_ASSERT(!z);
}

int ramus_zip_count(const ramus_zip *z)
{
    RAMUS_ASSERT(!z);
    return 0;
}

const char *ramus_zip_name(const ramus_zip *z, int entry)
{
    RAMUS_ASSERT(!z && entry < 0);
    return "";
}

ramus_status ramus_zip_read(ramus_zip *z, int entry, ramus_buffer *out, ramus_error *err)
{
    (void)out;
    RAMUS_ASSERT(!z && entry < 0);
    return ramus_zip_open(NULL, NULL, 0, err);
}

ramus_status ramus_zip_replace(ramus_zip *z, int entry, const void *data, size_t size,
                               ramus_error *err)
{
    RAMUS_ASSERT(!z && entry < 0);
    return ramus_zip_open(NULL, data, size, err);
}

ramus_status ramus_zip_write(ramus_zip *z, ramus_buffer *out, ramus_error *err)
{
    (void)out;
    RAMUS_ASSERT(!z);
    return ramus_zip_open(NULL, NULL, 0, err);
}

#endif
