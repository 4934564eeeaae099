/* `ramus inspect`: the first bytes tell the kind of file. Opening checks the header; here the
 * values are checked, and a checkpoint is loaded as training would load it. */
#include "cli/command.h"

#include "cli/inspect.h"
#include "convert/checkpoint.h"
#include "convert/checkpoints.h"
#include "format/gguf.h"
#include "kernels/cpu.h"
#include "kernels/select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of a tensor that are not finite; only float32 and float64 are checked. */
static size_t count_broken(const ramus_safetensor *t)
{
    size_t broken = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->dtype == RAMUS_SAFETENSOR_F32) broken += !isfinite(((const float *)t->data)[i]);
        if (t->dtype == RAMUS_SAFETENSOR_F64) broken += !isfinite(((const double *)t->data)[i]);
    }
    return broken;
}

/* The header was checked by opening. The values are checked here, and a checkpoint is loaded as
 * training would load it. */
static ramus_status check(const ramus_safetensors *file, const char *path, ramus_error *err)
{
    for (int i = 0; i < ramus_safetensors_count(file); i++) {
        const ramus_safetensor *t = ramus_safetensors_at(file, i);
        const size_t broken = count_broken(t);
        if (broken > 0)
            return ramus_fail(err, RAMUS_BAD_FORMAT,
                              "%s: %s has %zu numbers that are infinite or not a number", path,
                              t->name, broken);
    }
    if (!ramus_checkpoint_is(file)) return RAMUS_OK;
    ramus_checkpoint c = {0};
    const ramus_status st = ramus_checkpoint_load(&c, path, err);
    ramus_checkpoint_free(&c);
    return st;
}

static const char *kind_of(const ramus_safetensors *file)
{
    return ramus_checkpoint_is(file) ? "checkpoint" : "safetensors";
}

static void print_shape(ramus_buffer *out, const ramus_safetensor *t)
{
    ramus_buffer_text(out, "[");
    for (int i = 0; i < t->rank; i++)
        ramus_buffer_print(out, "%s%zu", i ? ", " : "", t->shape[i]);
    ramus_buffer_text(out, "]");
}

static void totals(const ramus_safetensors *file, size_t *count, size_t *size)
{
    for (int i = 0; i < ramus_safetensors_count(file); i++) {
        *count += ramus_safetensors_at(file, i)->count;
        *size += ramus_safetensors_at(file, i)->size;
    }
}

static void print_json(ramus_buffer *out, const ramus_safetensors *file, const char *path)
{
    size_t count = 0, size = 0;
    totals(file, &count, &size);
    ramus_buffer_text(out, "{\"file\": ");
    ramus_buffer_json(out, path, strlen(path));
    ramus_buffer_print(out, ", \"kind\": \"%s\", \"numbers\": %zu, \"bytes\": %zu, \"metadata\": {",
                       kind_of(file), count, size);
    for (int i = 0; i < ramus_safetensors_metadata_count(file); i++) {
        const ramus_safetensors_metadata *m = ramus_safetensors_metadata_at(file, i);
        if (i) ramus_buffer_text(out, ", ");
        ramus_buffer_json(out, m->key, strlen(m->key));
        ramus_buffer_text(out, ": ");
        ramus_buffer_json(out, m->value, strlen(m->value));
    }
    ramus_buffer_text(out, "}, \"tensors\": [");
    for (int i = 0; i < ramus_safetensors_count(file); i++) {
        const ramus_safetensor *t = ramus_safetensors_at(file, i);
        ramus_buffer_text(out, i ? ", {\"name\": " : "{\"name\": ");
        ramus_buffer_json(out, t->name, strlen(t->name));
        ramus_buffer_print(
            out, ", \"dtype\": \"%s\", \"shape\": ", ramus_safetensor_dtype_name(t->dtype));
        print_shape(out, t);
        ramus_buffer_text(out, "}");
    }
    ramus_buffer_text(out, "]}\n");
}

void ramus_inspect_text(ramus_buffer *out, const char *key, const char *text, size_t size)
{
    if (size > 0 && text[size - 1] == '\n') size--;
    ramus_buffer_print(out, "  %s = ", key);
    for (size_t i = 0; i < size; i++) // the settings of a run are many lines
        ramus_buffer_add(out, text[i] == '\n' ? "\n      " : text + i, text[i] == '\n' ? 7 : 1);
    ramus_buffer_text(out, "\n");
}

static void print_text(ramus_buffer *out, const ramus_safetensors *file, const char *path)
{
    size_t count = 0, size = 0;
    totals(file, &count, &size);
    ramus_buffer_print(out, "%s: %s, %d tensors, %zu numbers, %zu bytes; everything checked\n",
                       path, kind_of(file), ramus_safetensors_count(file), count, size);
    for (int i = 0; i < ramus_safetensors_metadata_count(file); i++) {
        const ramus_safetensors_metadata *m = ramus_safetensors_metadata_at(file, i);
        ramus_inspect_text(out, m->key, m->value, strlen(m->value));
    }
    int left_out = 0;
    for (int i = 0; i < ramus_safetensors_count(file); i++) {
        const ramus_safetensor *t = ramus_safetensors_at(file, i);
        if (strncmp(t->name, "train.", 6) == 0 && ++left_out) continue;
        ramus_buffer_print(out, "  %-4s %-48s ", ramus_safetensor_dtype_name(t->dtype), t->name);
        print_shape(out, t);
        ramus_buffer_text(out, "\n");
    }
    if (left_out)
        ramus_buffer_print(out, "  and %d tensors train.* with which the run goes on\n", left_out);
}

static ramus_status inspect_safetensors(ramus_buffer *out, const char *path, bool json,
                                        ramus_error *err)
{
    ramus_safetensors *file = NULL;
    ramus_status st = ramus_safetensors_open(&file, path, err);
    if (st) return st;
    st = check(file, path, err);
    if (!st) (json ? print_json : print_text)(out, file, path);
    ramus_safetensors_close(file);
    return st;
}

/* A file of either kind, told by its first bytes; of a run's folder, the best checkpoint. */
static ramus_status inspect(ramus_buffer *out, const char *name, bool json, ramus_error *err)
{
    bool gguf = false;
    ramus_buffer path = {0};
    ramus_status st = ramus_checkpoints_find(&path, name, err);
    if (!st) st = ramus_gguf_detect(&gguf, path.data, err);
    if (!st) st = (gguf ? ramus_inspect_gguf : inspect_safetensors)(out, path.data, json, err);
    ramus_buffer_free(&path);
    return st;
}

typedef struct {
    bool cpu;
} settings;

static const ramus_setting rows[] = {
    {"cpu", RAMUS_SETTING_FLAG, offsetof(settings, cpu),
     "rows of kernels that this machine can use, and the one that is used (RAMUS_ISA caps it)",
     NULL, 0, 0, NULL, NULL},
};

/* The rows of kernels, slowest first, and the one that is used now. */
static ramus_status print_cpu(ramus_buffer *out, bool json, ramus_error *err)
{
    ramus_kernels chosen;
    const ramus_status st = ramus_kernels_choose(&chosen, err);
    const char *cap = getenv("RAMUS_ISA");
    if (st) return st;
    ramus_buffer_print(out, json ? "{\"chosen\": \"%s\", \"rows\": [" : "kernels: %s is used\n",
                       chosen.isa);
    for (int i = 0; i < ramus_kernels_count(); i++) {
        const ramus_kernels *row = ramus_kernels_at(i);
        const bool usable = ramus_cpu_has(row->needs);
        if (json)
            ramus_buffer_print(out, "%s{\"isa\": \"%s\", \"usable\": %s}", i ? ", " : "", row->isa,
                               usable ? "true" : "false");
        else
            ramus_buffer_print(out, "  %-10s %s\n", row->isa,
                               usable ? "usable"
                                      : "not on this CPU, or not with this operating system");
    }
    if (json) ramus_buffer_text(out, "]}\n");
    if (!json && cap) ramus_buffer_print(out, "RAMUS_ISA is %s\n", cap);
    return RAMUS_OK;
}

static int run(const ramus_command *command, int argc, char **argv)
{
    ramus_options o = {0};
    ramus_error err = {0};
    ramus_buffer out = {0};
    settings s = {0};
    int code = RAMUS_EXIT_DONE;
    ramus_options_add(&o, (ramus_settings){rows, RAMUS_COUNT(rows), &s});
    if (!ramus_options_read(&o, command, argc, argv, &code)) return code;
    if (s.cpu) {
        code = print_cpu(&out, o.common.json, &err) ? ramus_command_fail(command, &err)
                                                    : ramus_command_print(command, &out);
    } else if (o.n_arguments == 0) {
        (void)ramus_fail(&err, RAMUS_BAD_ARGUMENT, "no file given");
        code = ramus_command_misuse(command, &err);
    }
    for (int i = 0; i < o.n_arguments && code == RAMUS_EXIT_DONE; i++)
        code = inspect(&out, o.arguments[i], o.common.json, &err)
                   ? ramus_command_fail(command, &err)
                   : ramus_command_print(command, &out);
    ramus_buffer_free(&out);
    ramus_options_free(&o);
    return code;
}

const ramus_command ramus_command_inspect = {
    "inspect",
    "what a model or checkpoint file holds; checks it whole",
    "FILE... | --cpu",
    "  ramus inspect model.safetensors model.gguf\n"
    "  ramus inspect --cpu\n"
    "  ramus inspect --json model.safetensors\n",
    .run = run,
    .without = "threads seed",
};
