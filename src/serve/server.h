/* server.h - a translation server: its settings, its parts, and how it runs.
 *
 * The thread of the transport reads requests and writes answers; workers translate; the thread of
 * ramus_serve() waits for signals. */
#ifndef RAMUS_SERVE_SERVER_H
#define RAMUS_SERVE_SERVER_H

#include "base/settings.h"

typedef struct ramus_serve_settings {
    const char *listen; // ADDRESS:PORT
    ramus_texts models;
    const char *folder; // of models
    int threads;
    int beam, batch;
    double idle;       // seconds
    double memory;     // MB
    double cache;      // MB
    int queue;         // sentences
    double timeout;    // seconds for a request
    int keep_alive;    // seconds without a byte after which a connection ends
    double drain;      // seconds for what is left at the end
    double max_body;   // KB
    double max_upload; // MB, of documents
    int max_characters, max_texts, max_alternatives;
    int max_connections, address_connections, per_minute;
    int max_glossaries, max_documents;
    const char *keys; // file
    const char *cors; // origin
    const char *cert, *key;
    const char *log; // file of the access log; NULL: none
    bool log_texts;
    bool sandbox;
    bool quiet;
} ramus_serve_settings;

/* Serves until SIGTERM or SIGINT, which are blocked from now on in this thread and all that it
 * starts; prints where it listens on standard error, unless quiet. */
RAMUS_CHECKED ramus_status ramus_serve(const ramus_serve_settings *s, ramus_error *err);

#endif
