/* Fields of event.proto and summary.proto of TensorFlow, written by hand: numbers little end first,
 * lengths as varints of 7 bits a byte. */
#include "report/tensorboard.h"

#include "base/folder.h"
#include "base/writer.h"
#include "report/values.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The number of a field and its type on the wire: 0 varint, 1 and 5 fixed 64 and 32 bits, 2 bytes
 * with their length before them. */
#define EVENT_WALL_TIME    "\x09" // 1, double
#define EVENT_STEP         "\x10" // 2, int64
#define EVENT_FILE_VERSION "\x1a" // 3, string
#define EVENT_SUMMARY      "\x2a" // 5, Summary
#define SUMMARY_VALUE      "\x0a" // 1, Value
#define VALUE_TAG          "\x0a" // 1, string
#define VALUE_SIMPLE       "\x15" // 2, float

#define CRC_POLYNOMIAL 0x82F63B78u // of CRC-32C, Castagnoli, its bits reversed
#define CRC_MASK_DELTA 0xA282EAD8u // of masked checksums, TensorFlow's record_writer

static void put_fixed(ramus_buffer *out, uint64_t x, int size)
{
    for (int i = 0; i < size; i++) {
        const char byte = (char)(x >> 8 * i & 0xFF);
        ramus_buffer_add(out, &byte, 1);
    }
}

static void put_varint(ramus_buffer *out, uint64_t x)
{
    for (; x >= 0x80; x >>= 7)
        put_fixed(out, (x & 0x7F) | 0x80, 1);
    put_fixed(out, x, 1);
}

static void put_double(ramus_buffer *out, double x)
{
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    put_fixed(out, bits, 8);
}

static void put_float(ramus_buffer *out, float x)
{
    uint32_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    put_fixed(out, bits, 4);
}

static void put_bytes(ramus_buffer *out, const char *field, const char *data, size_t size)
{
    ramus_buffer_text(out, field);
    put_varint(out, size);
    ramus_buffer_add(out, data, size);
}

static uint32_t masked_crc(const char *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned char)data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
    }
    crc = ~crc;
    return (crc >> 15 | crc << 17) + CRC_MASK_DELTA;
}

static void put_record(ramus_buffer *out, const ramus_buffer *event)
{
    const size_t begin = out->size;
    put_fixed(out, event->size, 8);
    if (out->failed || event->failed) {
        out->failed = true;
        return;
    }
    put_fixed(out, masked_crc(out->data + begin, 8), 4);
    ramus_buffer_add(out, event->data, event->size);
    put_fixed(out, masked_crc(event->data, event->size), 4);
}

typedef struct {
    ramus_buffer *out, tag, value, summary, event; // the last four: room
    const ramus_log *log;
} writing;

static double wall_time(const ramus_log *log, double update)
{
    const double started = isfinite(log->started) ? log->started : 0;
    const double seconds = ramus_curve_at(&log->values[RAMUS_LOG_SECONDS], update);
    return started + (isfinite(seconds) ? seconds : 0);
}

static void put_point(writing *w, const ramus_curve_point *p)
{
    ramus_buffer_clear(&w->value);
    put_bytes(&w->value, VALUE_TAG, w->tag.data, w->tag.size);
    ramus_buffer_text(&w->value, VALUE_SIMPLE);
    put_float(&w->value, (float)p->mean);
    ramus_buffer_clear(&w->summary);
    put_bytes(&w->summary, SUMMARY_VALUE, w->value.data, w->value.size);
    ramus_buffer_clear(&w->event);
    ramus_buffer_text(&w->event, EVENT_WALL_TIME);
    put_double(&w->event, wall_time(w->log, p->update));
    ramus_buffer_text(&w->event, EVENT_STEP);
    put_varint(&w->event, (uint64_t)llround(p->update));
    put_bytes(&w->event, EVENT_SUMMARY, w->summary.data, w->summary.size);
    w->event.failed = w->event.failed || w->tag.failed || w->value.failed || w->summary.failed;
    put_record(w->out, &w->event);
}

/* All points of the curve that w->tag names; then the tag is empty again. */
static void put_curve(writing *w, const ramus_curve *curve)
{
    for (int i = 0; i < curve->n_points && !w->tag.failed; i++)
        if (curve->points[i].n > 0) put_point(w, &curve->points[i]);
    if (w->tag.failed) w->out->failed = true;
    ramus_buffer_clear(&w->tag);
}

static void put_version(writing *w)
{
    static const char version[] = "brain.Event:2";
    ramus_buffer_text(&w->event, EVENT_WALL_TIME);
    put_double(&w->event, wall_time(w->log, 0));
    put_bytes(&w->event, EVENT_FILE_VERSION, version, strlen(version));
    put_record(w->out, &w->event);
}

void ramus_tensorboard_write(ramus_buffer *out, const ramus_report_run *run)
{
    const ramus_log *log = run->log;
    writing w = {.out = out, .log = log};
    put_version(&w);
    for (int i = 0; i < ramus_report_n_values; i++) {
        ramus_buffer_text(&w.tag, ramus_report_values[i].tag);
        put_curve(&w, &log->values[ramus_report_values[i].value]);
    }
    for (int i = 0; i < log->n_losses; i++) {
        ramus_buffer_print(&w.tag, "losses/%s", log->losses[i].name);
        put_curve(&w, &log->losses[i].curve);
    }
    for (int i = 0; i < log->n_gates; i++) {
        const ramus_log_gate *g = &log->gates[i];
        ramus_buffer_print(&w.tag, "entropy/%s", g->name);
        put_curve(&w, &g->entropy);
        for (int b = 0; b < g->n_branches; b++) {
            ramus_buffer_print(&w.tag, "shares/%s/%d", g->name, b);
            put_curve(&w, &g->shares[b]);
        }
    }
    ramus_buffer_free(&w.tag);
    ramus_buffer_free(&w.value);
    ramus_buffer_free(&w.summary);
    ramus_buffer_free(&w.event);
}

/* FOLDER/NAME; a name of points alone would lead elsewhere. */
static ramus_status make_folder(ramus_buffer *path, const char *folder, const ramus_report_run *run,
                                ramus_error *err)
{
    char name[sizeof run->name + 1];
    (void)snprintf(name, sizeof name, "%s%s", run->name[0] == '.' ? "_" : "", run->name);
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '_';
    const ramus_status st = ramus_folder_path(path, folder, name, err);
    return st ? st : ramus_folder_make(path->data, err);
}

ramus_status ramus_tensorboard_save(const ramus_report_run *run, const char *folder,
                                    ramus_error *err)
{
    ramus_buffer path = {0}, bytes = {0};
    ramus_writer *writer = NULL;
    ramus_status st = make_folder(&path, folder, run, err);
    ramus_buffer_print(&path, "/events.out.tfevents.%010.0f.ramus", wall_time(run->log, 0));
    if (!st) st = ramus_buffer_check(&path, err);
    if (!st) {
        ramus_tensorboard_write(&bytes, run);
        st = ramus_buffer_check(&bytes, err);
    }
    if (!st) st = ramus_writer_create(&writer, path.data, err);
    if (!st) st = ramus_writer_write(writer, bytes.data, bytes.size, err);
    if (!st) st = ramus_writer_commit(writer, err);
    ramus_writer_destroy(writer);
    ramus_buffer_free(&path);
    ramus_buffer_free(&bytes);
    return st;
}
