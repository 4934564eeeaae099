/* A plugin of qemu-user that counts the instructions that a program executes:
 *
 *     cc -shared -fPIC count.c -o count.so
 *     qemu-aarch64 -plugin count.so,out=FILE PROGRAM
 *
 * FILE gets "COUNT FUNCTION" lines, the largest first: how many instructions were executed in
 * blocks that begin in that function, and a line with their sum, "COUNT total". The counts do not
 * depend on the machine or its load. Debian has no qemu-plugin.h, so what is used of it stands here
 * (version 1 of qemu's docs/devel/tcg-plugins.rst). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id;
struct block; // of translated code, as qemu hands it out
struct instruction;
enum { ADD_U64 };

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*told)(plugin_id, struct block *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct block *b, int op, void *to, uint64_t add);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*told)(plugin_id, void *), void *arg);
size_t qemu_plugin_tb_n_insns(const struct block *b);
struct instruction *qemu_plugin_tb_get_insn(const struct block *b, size_t i);
const char *qemu_plugin_insn_symbol(const struct instruction *i);
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

typedef struct counter {
    char *function;
    uint64_t count;
    struct counter *next;
} counter;

static counter *counters; // one for each function
static FILE *out;

static counter *counter_of(const char *function)
{
    for (counter *c = counters; c; c = c->next)
        if (strcmp(c->function, function) == 0) return c;
    counter *c = malloc(sizeof *c);
    if (!c) abort();
    *c = (counter){strdup(function), 0, counters};
    return counters = c;
}

static void count_block(plugin_id id, struct block *b)
{
    (void)id;
    const char *function = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(b, 0));
    qemu_plugin_register_vcpu_tb_exec_inline(
        b, ADD_U64, &counter_of(function && *function ? function : "?")->count,
        qemu_plugin_tb_n_insns(b));
}

static void report(plugin_id id, void *arg)
{
    uint64_t total = 0;
    (void)id, (void)arg;
    for (counter *c = counters; c; c = c->next) {
        fprintf(out, "%llu %s\n", (unsigned long long)c->count, c->function);
        total += c->count;
    }
    fprintf(out, "%llu total\n", (unsigned long long)total);
    (void)fclose(out);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info,
                                                               int argc, char **argv)
{
    (void)info;
    if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || !(out = fopen(argv[0] + 4, "w"))) {
        fprintf(stderr, "count.so: expected out=FILE, a file to write\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
    qemu_plugin_register_atexit_cb(id, report, NULL);
    return 0;
}
