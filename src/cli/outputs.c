/* Files are the same if device and inode are: links and other spellings are seen through. */
#include "cli/command.h"

#include <string.h>
#include <sys/stat.h>

typedef struct {
    const char *path;
    struct stat is;
} file;

static ramus_status check(const file *output, const char *what, const char *path, ramus_error *err)
{
    struct stat is;
    if (!path || path == output->path /* its own row */ || stat(path, &is) ||
        is.st_dev != output->is.st_dev || is.st_ino != output->is.st_ino)
        return RAMUS_OK;
    return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                      "%s is both the output and %s, which it would replace: expected another "
                      "output",
                      output->path, what);
}

static ramus_status check_table(const file *output, const ramus_settings *table, const char *same,
                                ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < table->n && !st; i++) {
        const ramus_setting *row = &table->rows[i];
        const void *at = (const char *)table->target + row->offset;
        const bool excepted = same && strcmp(row->name, same) == 0;
        if (row->choices != ramus_setting_file || excepted) continue;
        const ramus_texts *texts = row->type == RAMUS_SETTING_LIST ? at : NULL;
        const char *text = texts ? NULL : *(const char *const *)at;
        char what[64] = "the file of --";
        (void)strncat(what, row->name, sizeof what - sizeof "the file of --");
        st = check(output, what, text, err);
        for (int j = 0; texts && j < texts->n && !st; j++)
            st = check(output, what, texts->items[j], err);
    }
    return st;
}

ramus_status ramus_options_check_output(const ramus_options *o, const char *output,
                                        const char *same, bool arguments, ramus_error *err)
{
    file f = {.path = output};
    if (!output || strcmp(output, "-") == 0 || stat(output, &f.is) || !S_ISREG(f.is.st_mode))
        return RAMUS_OK;
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < o->n_tables && !st; i++)
        st = check_table(&f, &o->tables[i], same, err);
    for (int i = 0; i < o->n_arguments && arguments && !st; i++)
        st = check(&f, "an input", o->arguments[i], err);
    return st;
}
