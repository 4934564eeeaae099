/* Translates with libramus: the arguments, or standard input line by line.
 *
 *     cc translate.c $(pkg-config --cflags --libs ramus) -o translate
 *     ./translate [-a] MODEL [TEXT...]
 *
 * Each translation is printed with its score behind it; with -a, below it the source token that
 * each target token comes from. docs/guide/library.md explains the calls. */
#define _POSIX_C_SOURCE 200809L // getline

#include <ramus/ramus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints "target=source" for each target token; "-" where it comes from the end of the sentence. */
static void print_alignment(const ramus_translation *t)
{
    for (int i = 0; i < t->n_target; i++) {
        const int source = t->target[i].source;
        printf(" %s=%s", t->target[i].piece, source < 0 ? "-" : t->source[source].piece);
    }
    putchar('\n');
}

/* What comes out belongs to the session until its next call. */
static ramus_status translate(ramus_session *session, const char *text, ramus_error *err)
{
    ramus_translation t;
    const ramus_status status = ramus_translate(session, text, NULL, &t, err);
    if (status) return status;
    printf("%s\t%.4f\n", t.text, t.score);
    if (t.target) print_alignment(&t); // NULL: the session was created without details
    return RAMUS_OK;
}

static ramus_status translate_lines(ramus_session *session, ramus_error *err)
{
    char *line = NULL;
    size_t room = 0;
    ramus_status status = RAMUS_OK;
    while (!status && getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        status = translate(session, line, err);
    }
    free(line);
    return status;
}

int main(int argc, char **argv)
{
    const int details = argc > 1 && strcmp(argv[1], "-a") == 0;
    argc -= details;
    argv += details;
    if (argc < 2) {
        fprintf(stderr, "usage: translate [-a] MODEL [TEXT...]\n");
        return 2;
    }
    ramus_model *model = NULL;
    ramus_session *session = NULL;
    ramus_error err;
    ramus_session_options options = RAMUS_SESSION_DEFAULTS;
    options.details = details;
    ramus_status status = ramus_model_open(&model, argv[1], &err);
    if (!status) status = ramus_session_create(&session, model, &options, &err);
    if (!status && argc == 2) status = translate_lines(session, &err);
    for (int i = 2; i < argc && !status; i++)
        status = translate(session, argv[i], &err);
    if (status) fprintf(stderr, "translate: %s\n", err.message);
    ramus_session_destroy(session); // NULL is fine
    ramus_model_close(model);
    return status ? 1 : 0;
}
