/* Tokens with small numbers and background colours for the terminal, and the same facts as JSON. */
#include "cli/gates_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE        "\xE2\x96\x81" // U+2581, which pieces have for a space
#define NAME_WIDTH   21             // of "encoder.10.attention" and a space
#define LEGEND_MOST  16             // branches that the legend lists one by one
#define COLOURS      RAMUS_COUNT(colours)
#define COLOUR_RESET "\033[0m"

/* Colours of Okabe and Ito 2008, which colour-blind readers can tell apart, as near as the 256
 * colours of a terminal come: letters, background. The order is that of src/report/html.c. */
static const int colours[][2] = {
    {231, 25}, {16, 178}, {16, 36}, {16, 117}, {16, 166}, {16, 227}, {16, 175}, {16, 247},
};

/* The number of a branch in small digits: U+2080 and so on. */
static void print_branch(ramus_buffer *out, int branch)
{
    char digits[16];
    (void)snprintf(digits, sizeof digits, "%d", branch);
    for (const char *d = digits; *d; d++)
        ramus_buffer_print(out, "\xE2\x82%c", 0x80 + (*d - '0'));
}

/* Text of a piece: spaces for U+2581, and nothing that moves the cursor of a terminal. */
static void print_piece(ramus_buffer *out, const char *piece)
{
    for (const char *c = piece; *c; c++) {
        const bool space = strncmp(c, SPACE, strlen(SPACE)) == 0;
        if (space) c += strlen(SPACE) - 1;
        ramus_buffer_print(out, "%c",
                           space                                    ? ' '
                           : (unsigned char)*c < 0x20 || *c == 0x7F ? '?'
                                                                    : *c);
    }
}

static void print_marked(ramus_buffer *out, const ramus_gates_print *p, const char *piece,
                         int branch)
{
    const int *colour = colours[branch % COLOURS];
    if (p->colours) ramus_buffer_print(out, "\033[38;5;%d;48;5;%dm", colour[0], colour[1]);
    print_piece(out, piece);
    print_branch(out, branch);
    if (p->colours) ramus_buffer_text(out, COLOUR_RESET);
}

void ramus_gates_print_legend(ramus_buffer *out, const ramus_gates_print *p)
{
    const int n = p->gates->branches;
    if (p->shown)
        ramus_buffer_print(out, "%s, %s tokens, each with its branch:", p->shown->name,
                           p->shown->target ? "target" : "source");
    else
        ramus_buffer_text(out, "all sublayers, tokens each with its branch:");
    for (int b = 0; b < n; b++) {
        if (n > LEGEND_MOST && b > 0 && b < n - 1) continue;
        ramus_buffer_text(out, n > LEGEND_MOST && b ? " to " : " ");
        print_marked(out, p, "", b);
    }
    ramus_buffer_text(out, "\n");
}

static void print_tokens(ramus_buffer *out, const ramus_gates_print *p, const ramus_gate_site *s,
                         const ramus_translation *t)
{
    int n = 0;
    const ramus_token *tokens = ramus_gate_tokens(s, t, &n);
    for (int i = 0; i < n; i++) {
        const char *piece = tokens[i].piece;
        const bool space = strncmp(piece, SPACE, strlen(SPACE)) == 0;
        if (space && i > 0) ramus_buffer_text(out, " ");
        print_marked(out, p, space ? piece + strlen(SPACE) : piece, tokens[i].gates[s->place]);
    }
    ramus_buffer_text(out, "\n");
}

void ramus_gates_print_line(ramus_buffer *out, const ramus_gates_print *p,
                            const ramus_translation *t)
{
    if (p->shown) {
        print_tokens(out, p, p->shown, t);
        return;
    }
    ramus_buffer_text(out, "\n");
    for (int i = 0; i < p->gates->n; i++) {
        const ramus_gate_site *s = &p->gates->sites[i];
        ramus_buffer_print(out, "%-*s ", NAME_WIDTH - 1, s->name);
        print_tokens(out, p, s, t);
    }
}

static double share_of(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : 0;
}

static void print_site(ramus_buffer *out, const ramus_gates_print *p, const ramus_gate_site *s,
                       ramus_gate_word *words)
{
    const ramus_gates *g = p->gates;
    const uint64_t total = ramus_gates_total(g, s);
    ramus_buffer_print(out, "%s: %llu %s tokens, entropy %.2f of %.2f\n", s->name,
                       (unsigned long long)total, s->target ? "target" : "source",
                       ramus_gates_entropy(g, s), log(g->branches));
    for (int b = 0; b < g->branches; b++) {
        ramus_buffer_text(out, "  ");
        print_marked(out, p, "branch ", b);
        ramus_buffer_print(out, " %5.1f %% ", 100 * share_of(ramus_gates_taken(g, s, b), total));
        const int n = ramus_gates_frequent(g, s, b, words, p->top);
        for (int i = 0; i < n; i++) {
            const char *piece = words[i].piece;
            const bool inside = strncmp(piece, SPACE, strlen(SPACE)) != 0;
            ramus_buffer_text(out, inside ? " +" : ""); // a piece without a space before it
            print_piece(out, piece);
            if (strcmp(piece, SPACE) == 0) ramus_buffer_text(out, SPACE);
            ramus_buffer_print(out, " %llu", (unsigned long long)words[i].count);
        }
        ramus_buffer_text(out, "\n");
    }
}

ramus_status ramus_gates_print_usage(ramus_buffer *out, const ramus_gates_print *p,
                                     ramus_error *err)
{
    ramus_gate_word *words = calloc((size_t)p->top + 1, sizeof *words);
    if (!words) return ramus_fail_memory(err, "the usage");
    for (int i = 0; i < p->gates->n; i++)
        if (!p->shown || p->shown == &p->gates->sites[i])
            print_site(out, p, &p->gates->sites[i], words);
    free(words);
    return RAMUS_OK;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_pieces(ramus_buffer *out, const char *key, const ramus_token *tokens, int n)
{
    ramus_buffer_print(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i) ramus_buffer_text(out, ", ");
        ramus_buffer_json(out, tokens[i].piece, strlen(tokens[i].piece));
    }
    ramus_buffer_text(out, "]");
}

void ramus_gates_json_line(ramus_buffer *out, const ramus_gates *g, ramus_text source,
                           const ramus_translation *t)
{
    ramus_buffer_text(out, "{\"source\": ");
    ramus_buffer_json(out, source.data, source.size);
    ramus_buffer_text(out, ", \"text\": ");
    ramus_buffer_json(out, t->text, t->size);
    json_pieces(out, "source_tokens", t->source, t->n_source);
    json_pieces(out, "tokens", t->target, t->n_target);
    ramus_buffer_text(out, ", \"gates\": {");
    for (int i = 0; i < g->n; i++) {
        const ramus_gate_site *s = &g->sites[i];
        int n = 0;
        const ramus_token *tokens = ramus_gate_tokens(s, t, &n);
        ramus_buffer_print(out, "%s\"%s\": [", i ? ", " : "", s->name);
        for (int k = 0; k < n; k++)
            ramus_buffer_print(out, "%s%d", k ? ", " : "", tokens[k].gates[s->place]);
        ramus_buffer_text(out, "]");
    }
    ramus_buffer_text(out, "}}\n");
}

static void json_branch(ramus_buffer *out, const ramus_gates_print *p, const ramus_gate_site *s,
                        int branch, ramus_gate_word *words)
{
    const uint64_t count = ramus_gates_taken(p->gates, s, branch);
    ramus_buffer_print(out, "%s{\"count\": %llu, \"share\": %.6g, \"frequent\": [",
                       branch ? ", " : "", (unsigned long long)count,
                       share_of(count, ramus_gates_total(p->gates, s)));
    const int n = ramus_gates_frequent(p->gates, s, branch, words, p->top);
    for (int i = 0; i < n; i++) {
        ramus_buffer_text(out, i ? ", {\"token\": " : "{\"token\": ");
        ramus_buffer_json(out, words[i].piece, strlen(words[i].piece));
        ramus_buffer_print(out, ", \"count\": %llu, \"share\": %.6g}",
                           (unsigned long long)words[i].count, words[i].share);
    }
    ramus_buffer_text(out, "]}");
}

ramus_status ramus_gates_json_usage(ramus_buffer *out, const ramus_gates_print *p, long lines,
                                    ramus_error *err)
{
    const ramus_gates *g = p->gates;
    ramus_gate_word *words = calloc((size_t)p->top + 1, sizeof *words);
    if (!words) return ramus_fail_memory(err, "the usage");
    ramus_buffer_print(out, "{\"lines\": %ld, \"usage\": {", lines);
    for (int i = 0; i < g->n; i++) {
        const ramus_gate_site *s = &g->sites[i];
        ramus_buffer_print(out,
                           "%s\"%s\": {\"side\": \"%s\", \"tokens\": %llu, \"entropy\": %.6g, "
                           "\"branches\": [",
                           i ? ", " : "", s->name, s->target ? "target" : "source",
                           (unsigned long long)ramus_gates_total(g, s), ramus_gates_entropy(g, s));
        for (int b = 0; b < g->branches; b++)
            json_branch(out, p, s, b, words);
        ramus_buffer_text(out, "]}");
    }
    ramus_buffer_text(out, "}}\n");
    free(words);
    return RAMUS_OK;
}
