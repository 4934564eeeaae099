/* Text collects in a buffer until there is enough for a write, or for a piece that packs well. */
#include "data/output.h"

#include "base/writer.h"
#include "data/lines.h"

#include <stdbool.h>
#include <stdlib.h>

#define PLAIN_SIZE  (1 << 16) // from so many bytes on they are written
#define PACKED_SIZE (4 << 20)

struct ramus_output {
    const char *path;
    bool packed, begun;
    ramus_buffer text, piece;
    ramus_writer *file;
};

ramus_status ramus_output_open(ramus_output **out, const char *path, ramus_error *err)
{
    ramus_output *o = calloc(1, sizeof *o);
    if (!o) return ramus_fail_memory(err, "the output");
    o->path = path ? path : "-";
    o->packed = ramus_lines_are_packed(o->path);
    const ramus_status st = ramus_writer_create(&o->file, o->path, err);
    if (st)
        ramus_output_close(o);
    else
        *out = o;
    return st;
}

static ramus_status write_text(ramus_output *o, ramus_error *err)
{
    ramus_status st = ramus_buffer_check(&o->text, err);
    if (!st && o->packed)
        st = ramus_lines_pack(&o->piece, o->path, o->text.data, o->text.size, err);
    const ramus_buffer *from = o->packed ? &o->piece : &o->text;
    if (!st && from->size) st = ramus_writer_write(o->file, from->data, from->size, err);
    ramus_buffer_clear(&o->text);
    ramus_buffer_clear(&o->piece);
    o->begun = true;
    return st;
}

ramus_status ramus_output_write(ramus_output *o, const char *text, size_t size, ramus_error *err)
{
    ramus_buffer_add(&o->text, text, size);
    if (!o->text.failed && o->text.size < (o->packed ? PACKED_SIZE : PLAIN_SIZE)) return RAMUS_OK;
    return write_text(o, err);
}

ramus_status ramus_output_flush(ramus_output *o, ramus_error *err)
{
    return o->packed || !o->text.size ? RAMUS_OK : write_text(o, err);
}

ramus_status ramus_output_commit(ramus_output *o, ramus_error *err)
{
    const ramus_status st = o->text.size || !o->begun ? write_text(o, err) : RAMUS_OK;
    return st ? st : ramus_writer_commit(o->file, err);
}

void ramus_output_close(ramus_output *o)
{
    if (!o) return;
    ramus_writer_destroy(o->file);
    ramus_buffer_free(&o->text);
    ramus_buffer_free(&o->piece);
    free(o);
}
