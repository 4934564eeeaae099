/* Translates lines and prints each text with all digits of its score:
 *     lines MODEL BEAM TEXT FIRST COUNT
 * lines FIRST .. FIRST + COUNT - 1 of the file TEXT, counted from 1; beam 1: greedily. So outputs
 * of two machines are compared byte by byte. */
#include <ramus/ramus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ramus_status translate_lines(ramus_session *session, FILE *text, long first, long count,
                                    ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    char line[4096];
    for (long i = 1; !st && i < first + count && fgets(line, sizeof line, text); i++) {
        ramus_translation out;
        if (i < first) continue;
        line[strcspn(line, "\n")] = '\0';
        st = ramus_translate(session, line, NULL, &out, err);
        if (!st) printf("%s\t%.17g\n", out.text, out.score);
    }
    return st;
}

int main(int argc, char **argv)
{
    ramus_model *model = NULL;
    ramus_session *session = NULL;
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    ramus_error err = {0};
    FILE *text = argc == 6 ? fopen(argv[3], "r") : NULL;
    if (!text) {
        fprintf(stderr, "usage: lines MODEL BEAM TEXT FIRST COUNT\n");
        return 2;
    }
    options.beam = (int)strtol(argv[2], NULL, 10);
    ramus_status st = ramus_model_open(&model, argv[1], &err);
    if (!st) st = ramus_session_create(&session, model, &options, &err);
    if (!st)
        st = translate_lines(session, text, strtol(argv[4], NULL, 10), strtol(argv[5], NULL, 10),
                             &err);
    if (st) fprintf(stderr, "lines: %s\n", err.message);
    ramus_session_destroy(session);
    ramus_model_close(model);
    (void)fclose(text);
    return st ? 1 : 0;
}
