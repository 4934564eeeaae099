/* Sentences are written as they come; counts come from runtime/gates at the end. Classes tie a
 * token to its branch, and a short script chooses the sublayer. */
#include "report/gates_page.h"

#include "base/writer.h"
#include "report/bar.h"
#include "report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPACE "\xE2\x96\x81" // U+2581, which pieces have for a space

static const char style[] = RAMUS_BAR_STYLE
    ".chooser{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:4px 20px;"
    "align-items:center;margin:16px 0 0;padding:8px 14px;background:var(--card);"
    "border:1px solid var(--line);border-radius:8px}\n"
    "select{max-width:100%;padding:3px 6px;font:inherit;color:inherit;background:var(--page);"
    "border:1px solid var(--line);border-radius:6px}\n"
    "[hidden]{display:none}\n"
    ".lines{margin:12px 0 0;padding:0;list-style:none}\n"
    ".lines li{padding:8px 14px;background:var(--card);border:1px solid var(--line)}\n"
    ".lines li+li{border-top:0}\n"
    ".lines p{margin:0;line-height:2.2}\n"
    ".t{color:var(--soft)}.t sub{padding-left:1px;font-size:10px;line-height:0;"
    "vertical-align:baseline}\n"
    ".t[class*=' p']{padding:2px 2px 8px;color:var(--text);border-radius:3px 3px 0 0;"
    "background-color:color-mix(in srgb,var(--c) 30%,transparent);"
    "background-image:var(--p),linear-gradient(var(--c) 0 0);background-position:bottom;"
    "background-size:100% 6px;background-repeat:no-repeat}\n"
    ".branches{display:grid;gap:10px;grid-template-columns:"
    "repeat(auto-fill,minmax(min(100%,320px),1fr));margin:12px 0 0}\n"
    ".words{display:flex;flex-wrap:wrap;gap:2px 14px;margin:8px 0 0;padding:0;list-style:none}\n"
    ".words span{font-size:13px;color:var(--soft)}\n"
    ".all{margin:12px 0 0;padding:10px 14px;list-style:none}\n"
    ".all li{display:grid;grid-template-columns:190px 1fr 150px;gap:0 16px;align-items:center;"
    "padding:3px 0}.all span{font-size:13px;color:var(--soft);text-align:right}\n"
    ".all a{color:inherit}section{scroll-margin-top:90px}\n"
    "@media(max-width:700px){.all li{grid-template-columns:1fr auto}.all .bar{grid-row:2;"
    "grid-column:1/-1}}\n";

/* Without '<' and '&', which XML would take for markup. */
static const char script[] =
    "const pick=document.getElementById('pick');\n"
    "function show(){\n"
    "const o=pick.options[pick.selectedIndex],side=o.dataset.side,place=Number(o.dataset.place);\n"
    "for(const t of document.querySelectorAll('.t')){\n"
    "const on=t.parentNode.className===side,b=on?Number(t.dataset.b.split(' ')[place]):0;\n"
    "t.className=on?'t b'+b%8+' p'+(b+Math.floor(b/8))%8:'t';\n"
    "t.lastChild.textContent=on?b:''}\n"
    "for(const s of document.querySelectorAll('section'))s.hidden=s.id!==pick.value}\n"
    "function follow(){for(const o of pick.options)if(o.value===location.hash.slice(1)){"
    "pick.value=o.value;show();document.getElementById(o.value).scrollIntoView()}}\n"
    "pick.addEventListener('change',show);window.addEventListener('hashchange',follow);\n"
    "document.getElementById('name').hidden=true;pick.parentNode.hidden=false;show();follow();\n";

/* --- sentences -------------------------------------------------------------------------------- */

static void write_token(ramus_buffer *out, const ramus_token *t, const ramus_gate_site *shown)
{
    const bool space = strncmp(t->piece, SPACE, strlen(SPACE)) == 0;
    const char *text = space ? t->piece + strlen(SPACE) : t->piece;
    ramus_buffer_print(out, "%s<span class=\"t", space ? " " : "");
    if (shown) {
        ramus_buffer_text(out, " ");
        ramus_bar_classes(out, t->gates[shown->place]);
    }
    ramus_buffer_text(out, "\" data-b=\"");
    for (int i = 0; i < t->n_gates; i++)
        ramus_buffer_print(out, "%s%d", i ? " " : "", t->gates[i]);
    ramus_buffer_text(out, "\">");
    ramus_html_text(out, *text ? text : SPACE);
    ramus_buffer_text(out, "<sub>");
    if (shown) ramus_buffer_print(out, "%d", t->gates[shown->place]);
    ramus_buffer_text(out, "</sub></span>");
}

void ramus_gates_page_add(ramus_gates_page *p, const ramus_translation *t)
{
    if (p->lines++ >= p->sentences) return;
    ramus_buffer_text(&p->text, "<li>\n");
    for (int side = 0; side < 2; side++) {
        const int n = side ? t->n_target : t->n_source;
        const ramus_token *tokens = side ? t->target : t->source;
        ramus_buffer_print(&p->text, "<p class=\"%s\">", side ? "target" : "source");
        for (int i = 0; i < n; i++)
            write_token(&p->text, &tokens[i], p->shown->target == (side == 1) ? p->shown : NULL);
        ramus_buffer_text(&p->text, "</p>\n");
    }
    ramus_buffer_text(&p->text, "</li>\n");
}

/* --- counts ----------------------------------------------------------------------------------- */

static double share_of(const ramus_gates *g, const ramus_gate_site *s, int branch)
{
    const double total = (double)ramus_gates_total(g, s);
    return total > 0 ? (double)ramus_gates_taken(g, s, branch) / total : 0;
}

static void write_branch(ramus_buffer *out, const ramus_gates_page *p, const ramus_gate_site *s,
                         int branch, ramus_gate_word *words)
{
    const ramus_gates *g = p->gates;
    const double share = share_of(g, s, branch);
    ramus_buffer_print(out, "<figure><figcaption><b>branch %d</b><span class=\"unit\">", branch);
    ramus_html_percent(out, share);
    ramus_buffer_text(out, ", ");
    ramus_html_count(out, (double)ramus_gates_taken(g, s, branch));
    ramus_buffer_text(out, " tokens</span></figcaption>\n<div class=\"bar\">");
    ramus_bar_part(out, branch, share);
    ramus_buffer_text(out, "</div>\n<ul class=\"words\">");
    const int n = ramus_gates_frequent(g, s, branch, words, p->top);
    for (int i = 0; i < n; i++) {
        ramus_buffer_text(out, "<li>");
        ramus_html_text(out, words[i].piece);
        ramus_buffer_text(out, " <span>");
        ramus_html_count(out, (double)words[i].count);
        ramus_buffer_text(out, ", ");
        ramus_html_percent(out, words[i].share);
        ramus_buffer_text(out, "</span></li>\n");
    }
    ramus_buffer_text(out, "</ul></figure>\n");
}

static void write_entropy(ramus_buffer *out, const ramus_gates *g, const ramus_gate_site *s)
{
    ramus_buffer_print(out, "entropy %.2f of %.2f", ramus_gates_entropy(g, s), log(g->branches));
}

static void write_site(ramus_buffer *out, const ramus_gates_page *p, const ramus_gate_site *s,
                       ramus_gate_word *words)
{
    ramus_buffer_print(out, "<section id=\"%s\"%s><h2>Branches of %s</h2>\n<p class=\"soft\">",
                       s->name, s == p->shown ? "" : " hidden=\"hidden\"", s->name);
    ramus_html_count(out, (double)ramus_gates_total(p->gates, s));
    ramus_buffer_print(out, " %s tokens; ", s->target ? "target" : "source");
    write_entropy(out, p->gates, s);
    ramus_buffer_text(out, " (nats). Beside each frequent piece: how often the branch got it, and "
                           "which share of it that is. &#9601; stands for a space.</p>\n"
                           "<div class=\"branches\">\n");
    for (int b = 0; b < p->gates->branches; b++)
        write_branch(out, p, s, b, words);
    ramus_buffer_text(out, "</div></section>\n");
}

static void write_all(ramus_buffer *out, const ramus_gates *g)
{
    ramus_buffer_text(out, "<h2>All sublayers</h2>\n<ul class=\"sheet all\">\n");
    for (int i = 0; i < g->n; i++) {
        const ramus_gate_site *s = &g->sites[i];
        ramus_buffer_print(out, "<li><a href=\"#%s\">%s</a><div class=\"bar\">", s->name, s->name);
        for (int b = 0; b < g->branches; b++)
            ramus_bar_part(out, b, share_of(g, s, b));
        ramus_buffer_text(out, "</div><span>");
        write_entropy(out, g, s);
        ramus_buffer_text(out, "</span></li>\n");
    }
    ramus_buffer_text(out, "</ul>\n");
}

/* --- the page --------------------------------------------------------------------------------- */

static void write_head(ramus_buffer *out, const ramus_gates_page *p, const char *title)
{
    ramus_html_open(out, title, style);
    ramus_buffer_text(out, "<noscript><style>section[hidden]{display:block}</style></noscript>\n"
                           "<h1>");
    ramus_html_text(out, title);
    ramus_buffer_text(out, "</h1>\n<p class=\"soft\">Which branch the gate of a sublayer chose for "
                           "each token, over ");
    ramus_html_count(out, (double)p->lines);
    ramus_buffer_text(out, p->lines == 1 ? " line" : " lines");
    ramus_buffer_text(out,
                      ". The number beside a token, its colour and the pattern below it say the "
                      "same: the branch. A target token has that of the step which made it. "
                      "Layers and branches count from 0.</p>\n");
}

static void write_chooser(ramus_buffer *out, const ramus_gates_page *p)
{
    const ramus_gates *g = p->gates;
    ramus_buffer_print(out,
                       "<div class=\"chooser\"><b id=\"name\">%s</b><label hidden=\"hidden\">"
                       "Sublayer <select id=\"pick\">\n",
                       p->shown->name);
    for (int i = 0; i < g->n; i++) {
        const ramus_gate_site *s = &g->sites[i];
        ramus_buffer_print(
            out, "<option value=\"%s\" data-side=\"%s\" data-place=\"%d\"%s>%s</option>\n", s->name,
            s->target ? "target" : "source", s->place,
            s == p->shown ? " selected=\"selected\"" : "", s->name);
    }
    ramus_buffer_text(out, "</select></label>\n<span class=\"keys\">");
    for (int b = 0; b < g->branches; b++) {
        ramus_buffer_text(out, "<span class=\"key ");
        ramus_bar_classes(out, b);
        ramus_buffer_print(out, "\"><i></i>branch %d</span>", b);
    }
    ramus_buffer_text(out, "</span></div>\n");
}

static void write_page(ramus_buffer *out, const ramus_gates_page *p, const char *title,
                       ramus_gate_word *words)
{
    write_head(out, p, title);
    write_chooser(out, p);
    ramus_buffer_text(out, "<h2>Sentences</h2>\n");
    if (p->lines > p->sentences)
        ramus_buffer_print(out, "<p class=\"soft\">The first %d; the figures are about all.</p>\n",
                           p->sentences);
    ramus_buffer_text(out, "<ol class=\"lines\">\n");
    ramus_buffer_add(out, p->text.data, p->text.size);
    ramus_buffer_text(out, "</ol>\n");
    for (int i = 0; i < p->gates->n; i++)
        write_site(out, p, &p->gates->sites[i], words);
    write_all(out, p->gates);
    ramus_buffer_print(out, "<script>\n%s</script>\n", script);
    ramus_html_close(out);
}

ramus_status ramus_gates_page_save(const ramus_gates_page *p, const char *title, const char *path,
                                   ramus_error *err)
{
    ramus_buffer page = {0};
    ramus_writer *writer = NULL;
    ramus_gate_word *words = calloc((size_t)p->top + 1, sizeof *words);
    if (!words) return ramus_fail_memory(err, "the page");
    write_page(&page, p, title, words);
    ramus_status st = ramus_buffer_check(&p->text, err);
    if (!st) st = ramus_buffer_check(&page, err);
    if (!st) st = ramus_writer_create(&writer, path, err);
    if (!st) st = ramus_writer_write(writer, page.data, page.size, err);
    if (!st) st = ramus_writer_commit(writer, err);
    ramus_writer_destroy(writer);
    ramus_buffer_free(&page);
    free(words);
    return st;
}

void ramus_gates_page_free(ramus_gates_page *p)
{
    ramus_buffer_free(&p->text);
}
