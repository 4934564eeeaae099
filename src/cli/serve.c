/* `ramus serve`: its options; the server is in serve/. */
#include "cli/command.h"
#include "cli/model_choice.h"
#include "serve/server.h"

#include <stddef.h>

// clang-format off
#define AT(field) offsetof(ramus_serve_settings, field)
static const ramus_setting rows[] = {
    {"listen",          RAMUS_SETTING_TEXT, AT(listen), "ADDRESS:PORT, [ADDRESS]:PORT or PORT; port 0 takes a free one", "127.0.0.1:5000", 0, 0, NULL, NULL},
    {"model",           RAMUS_SETTING_LIST, AT(models), "model files (also -m; default: all of --models)", NULL, 1, RAMUS_MAX_TEXTS, ramus_setting_file, NULL},
    {"models",          RAMUS_SETTING_TEXT, AT(folder), "folder of model files (default without -m: the models that ship)", NULL, 0, 0, ramus_setting_folder, NULL},
    {"beam",            RAMUS_SETTING_INT,  AT(beam), "hypotheses of the search, unless a request says otherwise; 1: greedy", "4", 1, 64, NULL, NULL},
    {"batch",           RAMUS_SETTING_INT,  AT(batch), "sentences that are translated together, of whatever requests", "16", 1, 64, NULL, NULL},
    {"idle",            RAMUS_SETTING_REAL, AT(idle), "seconds after which a model that nobody uses is closed", "600", 1, 1e9, NULL, NULL},
    {"memory",          RAMUS_SETTING_REAL, AT(memory), "MB of memory above which models in use give way to others; 0: any", "0", 0, 1e9, NULL, NULL},
    {"cache",           RAMUS_SETTING_REAL, AT(cache), "MB of translations that are kept for when they are asked for again; 0: none", "16", 0, 1e6, NULL, NULL},
    {"queue",           RAMUS_SETTING_INT,  AT(queue), "sentences that may wait; more are refused with 503", "4096", 1, 100000000, NULL, NULL},
    {"timeout",         RAMUS_SETTING_REAL, AT(timeout), "seconds after which a request is refused with 503", "60", 0.001, 1e6, NULL, NULL},
    {"keep-alive",      RAMUS_SETTING_INT,  AT(keep_alive), "seconds without a byte after which a connection ends", "60", 1, 100000, NULL, NULL},
    {"drain",           RAMUS_SETTING_REAL, AT(drain), "seconds that requests have left after SIGTERM", "30", 0, 1e6, NULL, NULL},
    {"max-body",        RAMUS_SETTING_REAL, AT(max_body), "KB of a request", "1000", 1, 1e6, NULL, NULL},
    {"max-upload",      RAMUS_SETTING_REAL, AT(max_upload), "MB of a document", "10", 0.001, 1000, NULL, NULL},
    {"max-characters",  RAMUS_SETTING_INT,  AT(max_characters), "characters of a request; 0: any number", "100000", 0, 1000000000, NULL, NULL},
    {"max-texts",       RAMUS_SETTING_INT,  AT(max_texts), "texts of a request", "1000", 1, 10000, NULL, NULL},
    {"max-alternatives", RAMUS_SETTING_INT, AT(max_alternatives), "further translations of a text", "3", 0, 63, NULL, NULL},
    {"max-connections", RAMUS_SETTING_INT,  AT(max_connections), "open connections", "4096", 1, 1000000, NULL, NULL},
    {"address-connections", RAMUS_SETTING_INT, AT(address_connections), "open connections of one address; 0: any number", "0", 0, 1000000, NULL, NULL},
    {"per-minute",      RAMUS_SETTING_INT,  AT(per_minute), "texts a minute of one address; 0: any number", "0", 0, 100000000, NULL, NULL},
    {"max-glossaries",  RAMUS_SETTING_INT,  AT(max_glossaries), "glossaries that clients may keep here", "100", 0, 100000, NULL, NULL},
    {"max-documents",   RAMUS_SETTING_INT,  AT(max_documents), "documents that are kept until they are fetched, for an hour at most", "64", 0, 100000, NULL, NULL},
    {"keys",            RAMUS_SETTING_TEXT, AT(keys), "file of API keys, one on each line (default: none is needed)", NULL, 0, 0, ramus_setting_file, NULL},
    {"cors",            RAMUS_SETTING_TEXT, AT(cors), "origin whose pages may ask, or * (default: none)", NULL, 0, 0, NULL, NULL},
    {"cert",            RAMUS_SETTING_TEXT, AT(cert), "certificate (PEM): serve TLS", NULL, 0, 0, ramus_setting_file, NULL},
    {"key",             RAMUS_SETTING_TEXT, AT(key), "private key of --cert (PEM)", NULL, 0, 0, ramus_setting_file, NULL},
    {"log",             RAMUS_SETTING_TEXT, AT(log), "file to append a JSON object to for each request; - is standard output (default: no log)", NULL, 0, 0, ramus_setting_file, NULL},
    {"sandbox",         RAMUS_SETTING_FLAG, AT(sandbox), "open all models now, then have the kernel refuse every system call but those on what is open", NULL, 0, 0, NULL, NULL},
    {"log-texts",       RAMUS_SETTING_FLAG, AT(log_texts), "write texts to the log, too", NULL, 0, 0, NULL, NULL},
};
#undef AT
// clang-format on

static ramus_status check(const ramus_serve_settings *s, const ramus_options *o, ramus_error *err)
{
    if (o->n_arguments)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "'%s' is no option: ramus serve --help",
                          o->arguments[0]);
    if (!s->cert != !s->key)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "--cert and --key: expected both or none");
    return RAMUS_OK;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    ramus_serve_settings s = {0};
    ramus_buffer folder = {0};
    ramus_error err = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    s.threads = o.common.threads;
    s.quiet = o.common.quiet;
    if (check(&s, &o, &err)) {
        code = ramus_command_misuse(command, &err);
    } else {
        ramus_status st = RAMUS_OK;
        if (!s.folder && s.models.n == 0) {
            st = ramus_model_folder(&folder, &err);
            s.folder = folder.data;
        }
        if (!st) st = ramus_serve(&s, &err);
        if (st) code = ramus_command_fail(command, &err);
    }
    ramus_buffer_free(&folder);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_serve = {
    "serve",
    "answers translation clients over HTTP",
    "[--listen ADDRESS:PORT] [-m MODEL... | --models FOLDER] [--threads N] [--keys FILE]",
    "  ramus serve\n"
    "  curl -d q='Where is the station?' -d source=en -d target=de "
    "http://127.0.0.1:5000/translate\n"
    "  ramus serve --listen 0.0.0.0:8080 --models /srv/models --keys keys.txt --log requests.log\n"
    "  ramus serve --cert fullchain.pem --key privkey.pem --listen '[::]:443'\n",
    .run = run,
    .without = "json seed",
};
