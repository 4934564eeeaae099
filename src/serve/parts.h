/* parts.h - what the routes of a server work with. */
#ifndef RAMUS_SERVE_PARTS_H
#define RAMUS_SERVE_PARTS_H

#include "serve/cache.h"
#include "serve/documents.h"
#include "serve/exchange.h"
#include "serve/glossaries.h"
#include "serve/http.h"
#include "serve/keys.h"
#include "serve/log.h"
#include "serve/metrics.h"
#include "serve/queue.h"
#include "serve/server.h"
#include "serve/watch.h"
#include "serve/workers.h"

typedef struct ramus_server {
    const ramus_serve_settings *settings;
    ramus_models *models;
    ramus_glossaries *glossaries;
    ramus_documents *documents;
    ramus_queue *queue;
    ramus_cache *cache;
    ramus_metrics *metrics;
    ramus_workers *workers;
    ramus_keys *keys;
    ramus_rates *rates;
    ramus_watch *watch;
    ramus_log *log;
    ramus_http *http;
    int manager;          // of services, ramus_systemd_connect()
    long exchanges;       // numbers that were given; of the transport's thread
    atomic_int active;    // exchanges whose request is whole and whose answer is not sent
    atomic_bool draining; // it is about to end
} ramus_server;

#endif
