/* Opens a model and translates a word a few times: opening MODEL TIMES. opening.sh counts the
 * instructions. */
#include <ramus/ramus.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static const ramus_text text = {"Hello.", 6};
    ramus_model *model = NULL;
    ramus_session *session = NULL;
    ramus_error err = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: opening MODEL TIMES\n");
        return 2;
    }
    ramus_status st = ramus_model_open(&model, argv[1], &err);
    if (!st) st = ramus_session_create(&session, model, NULL, &err);
    for (long i = strtol(argv[2], NULL, 10); i > 0 && !st; i--) {
        ramus_translation out;
        st = ramus_translate_all(session, &text, 1, NULL, &out, &err);
    }
    if (st) fprintf(stderr, "error: %s\n", err.message);
    ramus_session_destroy(session);
    ramus_model_close(model);
    return st ? 1 : 0;
}
