/* The table of dialects. The last row knows every file, so that its message says what is missing.
 */
#include "convert/import/import.h"

static const ramus_import_dialect *const dialects[] = {
    &ramus_import_deployed,
    &ramus_import_thumt,
};

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
