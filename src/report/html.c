/* One style for all pages, with colours of Okabe and Ito, and the formats of numbers for people. */
#include "report/html.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DASH "&#8211;"

/* Colours of curves and branches: Okabe and Ito 2008, which colour-blind readers can tell apart, in
 * an order that alternates dark and light. */
static const char common_style[] =
    ":root{color-scheme:light dark;--page:#f7f7f5;--card:#fff;--text:#1d2024;--soft:#5b636d;"
    "--line:#dfe2e5;--grid:#e9ebed;--hover:#0000000d;--warn:#b34700;--warn-back:#fdf3ea;"
    "--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#1d2024;--b0:#0072b2;--b1:#e69f00;--b2:#009e73;--"
    "b3:#79c3ee;"
    "--b4:#d55e00;--b5:#e8dc40;--b6:#cc79a7;--b7:#8c929a}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#121518;--card:#1a1e22;--text:#e3e6e9;"
    "--soft:#9ba5af;--line:#2d3339;--grid:#282e34;--hover:#ffffff14;--warn:#f0a868;"
    "--warn-back:#2a2119;--c0:#56b4e9;--c1:#e69f00;--c2:#1fa882;--c3:#e3e6e9;--b0:#1f7ab0;--b1:#"
    "c98d0e;"
    "--b2:#0b8d69;--b3:#72b6de;--b4:#bd560c;--b5:#c9bf3a;--b6:#b26c93;--b7:#7b828a}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:24px 16px 48px;max-width:1400px;background:var(--page);"
    "color:var(--text);font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
    "font-variant-numeric:tabular-nums;overflow-wrap:anywhere}\n"
    "h1{margin:0 0 4px;font-size:26px;font-weight:650;line-height:1.25}\n"
    "h2{margin:36px 0 12px;font-size:18px;font-weight:650}\n"
    "h3{margin:24px 0 8px;font-size:15px;font-weight:600}\n"
    "p{margin:0 0 12px}.soft{color:var(--soft)}\n"
    ".state{font-weight:600}.state::before{content:'';display:inline-block;width:9px;height:9px;"
    "margin-right:7px;border:2px solid var(--c0);border-radius:50%;background:var(--c0)}\n"
    ".state.ended::before{background:none}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(158px,1fr));gap:12px;"
    "margin:20px 0 0}\n"
    ".tiles div,figure,details,.sheet{background:var(--card);border:1px solid var(--line);"
    "border-radius:8px}\n"
    ".tiles div{padding:10px 14px 12px}\n"
    "dt{color:var(--soft);font-size:13px}dd{margin:0}\n"
    ".tiles dd{font-size:21px;font-weight:600;line-height:1.3}\n"
    ".tiles dd+dd{font-size:13px;font-weight:400;color:var(--soft)}\n"
    "details,.sheet{margin:12px 0 0;padding:10px 14px}\n"
    "summary{cursor:pointer;font-weight:600}\n"
    ".settings{columns:3 260px;column-gap:32px;margin:10px 0 4px;font-size:14px}\n"
    ".settings div{display:flex;justify-content:space-between;gap:16px;padding:3px 0;"
    "border-bottom:1px solid var(--grid);break-inside:avoid}\n"
    ".settings dt{font-size:14px;white-space:nowrap}.settings dd{text-align:right}\n"
    "table{width:100%;border-collapse:collapse;font-size:14px}\n"
    "th,td{padding:5px 0 5px 16px;text-align:right;vertical-align:top;"
    "border-bottom:1px solid var(--grid)}\n"
    "th{font-weight:400;color:var(--soft);font-size:13px}\n"
    "th:first-child,td:first-child{padding-left:0;text-align:left}\n"
    "tr:last-child td{border-bottom:0}\n"
    "td+td,th{white-space:nowrap}\n"
    "@media(max-width:1080px){.stacked thead{display:none}"
    ".stacked,.stacked tbody{display:block}"
    ".stacked tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(230px,1fr));"
    "gap:0 32px;padding:6px 0}.stacked tr+tr{border-top:1px solid var(--line)}"
    ".stacked td:first-child{grid-column:1/-1;font-weight:600}"
    ".stacked td,.stacked td:first-child{padding:2px 0;border:0}"
    ".stacked td+td{display:flex;justify-content:space-between}"
    ".stacked td+td::before{content:attr(data-label);color:var(--soft)}}\n"
    ".charts,.gates{display:grid;gap:14px}\n"
    ".charts{grid-template-columns:repeat(auto-fill,minmax(min(100%,360px),1fr))}\n"
    ".gates{grid-template-columns:repeat(auto-fill,minmax(160px,1fr));gap:10px}\n"
    "@media(min-width:760px){.gates{grid-template-columns:repeat(auto-fill,minmax(270px,1fr))}}\n"
    "@media(min-width:900px){.wide{grid-column:span 2}}\n"
    "figure{margin:0;padding:12px 14px 10px;min-width:0}\n"
    "figcaption{display:flex;flex-wrap:wrap;gap:0 14px;align-items:baseline;margin-bottom:10px}\n"
    "figcaption b{font-weight:600}\n"
    ".unit,.key{font-size:13px;color:var(--soft)}.key{white-space:nowrap}\n"
    ".keys{display:flex;flex-wrap:wrap;gap:0 14px}figcaption .keys{margin-left:auto}\n"
    ".key svg{margin-right:6px;vertical-align:middle}\n"
    ".key i{display:inline-block;width:12px;height:12px;margin-right:6px;border-radius:3px;"
    "background:var(--c);vertical-align:-1px}\n"
    ".plot{padding:4px 12px 40px 46px}.gates .plot{padding:0 14px 18px 0}\n"
    "svg{display:block;overflow:visible}.key svg{display:inline-block}\n"
    "text{font-size:12px;fill:var(--soft)}.y{text-anchor:end}.x{text-anchor:middle}\n"
    ".x0{text-anchor:start}.x1{text-anchor:end}\n"
    ".grid{stroke:var(--grid);shape-rendering:crispEdges}\n"
    ".full{stroke:var(--soft);stroke-dasharray:2 3;opacity:.6}\n"
    ".l,.d{fill:none;stroke:var(--c);stroke-width:1.75;stroke-linejoin:round;"
    "vector-effect:non-scaling-stroke}\n"
    ".d{stroke-width:6;stroke-linecap:round}\n"
    ".dash{stroke-dasharray:6 3}.d.dash{stroke-dasharray:none}\n"
    ".r{fill:var(--c);opacity:.18}\n"
    ".b{fill:var(--c);stroke:var(--card);stroke-width:.75;"
    "vector-effect:non-scaling-stroke}\n"
    ".e{stroke:var(--text);stroke-width:1.5}.d.e{stroke-width:5}\n"
    ".h{fill:transparent}.h:hover{fill:var(--hover)}\n"
    ".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}\n"
    ".b0{--c:var(--b0)}.b1{--c:var(--b1)}.b2{--c:var(--b2)}.b3{--c:var(--b3)}\n"
    ".b4{--c:var(--b4)}.b5{--c:var(--b5)}.b6{--c:var(--b6)}.b7{--c:var(--b7)}\n"
    ".gates figure{padding:9px 12px}.gates figcaption{margin-bottom:6px;font-size:14px}\n"
    ".gates p{margin:2px 0 0;font-size:13px;color:var(--soft);line-height:1.4}\n"
    ".starving,.gates p.starving{color:var(--warn);font-weight:600}\n"
    ".warnings{margin:0 0 14px;padding:10px 14px;border:1px solid var(--warn);border-radius:8px;"
    "background:var(--warn-back)}.warnings p{margin:0}\n"
    ".warnings ul{columns:440px;column-gap:32px;margin-top:4px}\n"
    "ul{margin:0;padding-left:20px}\n"
    ".none{margin:0;padding:56px 0;text-align:center;color:var(--soft)}\n"
    ".notes{list-style:none;padding:0;font-size:14px}\n"
    ".notes li{display:flex;gap:16px;padding:3px 0;border-bottom:1px solid var(--grid)}\n"
    ".notes li:last-child{border:0}\n"
    ".notes b{flex:0 0 72px;text-align:right;font-weight:400;color:var(--soft)}\n";

void ramus_html_open(ramus_buffer *out, const char *title, const char *style)
{
    ramus_buffer_text(out,
                      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                      "<meta name=\"viewport\" content=\"width=device-width, "
                      "initial-scale=1\"/>\n<title>");
    ramus_html_text(out, title);
    ramus_buffer_print(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<main>\n",
                       common_style, style ? style : "");
}

void ramus_html_close(ramus_buffer *out)
{
    ramus_buffer_text(out, "</main>\n</body>\n</html>\n");
}

void ramus_html_text(ramus_buffer *out, const char *text)
{
    const size_t size = strlen(text);
    for (size_t at = 0; at < size;) {
        uint32_t code = 0;
        const int n = ramus_utf8_decode(&code, text + at, size - at);
        at += n ? (size_t)n : 1;
        if (code == '\t' || code == '\n' || code == '\r') code = ' ';
        if (code < 0x20 || (code >= 0x7F && code < 0xA0) || (code & 0xFFFE) == 0xFFFE)
            code = RAMUS_UTF8_REPLACEMENT; // not allowed in HTML
        if (code >= 0x7F || strchr("<>&\"'", (int)code))
            ramus_buffer_print(out, "&#%u;", (unsigned)code);
        else
            ramus_buffer_print(out, "%c", (int)code);
    }
}

void ramus_html_setting(ramus_buffer *out, const char *name, const char *value)
{
    ramus_buffer_text(out, "<div><dt>");
    ramus_html_text(out, name);
    ramus_buffer_text(out, "</dt><dd>");
    ramus_html_text(out, value ? value : "");
    ramus_buffer_text(out, "</dd></div>\n");
}

void ramus_html_gate(ramus_buffer *out, const char *name)
{
    static const char gate[] = ".gate";
    char shown[256];
    const char *at = strstr(name, gate), *rest = at ? at + strlen(gate) : "";
    const size_t before = at ? (size_t)(at - name) : strlen(name);
    (void)snprintf(shown, sizeof shown, "%.*s%s", (int)before, name,
                   strcmp(rest, ".x") == 0 ? "" : rest);
    ramus_html_text(out, shown);
}

void ramus_html_power(ramus_buffer *out, int exponent)
{
    static const int raised[] = {0x2070, 0xB9,   0xB2,   0xB3,   0x2074,
                                 0x2075, 0x2076, 0x2077, 0x2078, 0x2079};
    char digits[16];
    (void)snprintf(digits, sizeof digits, "%d", exponent);
    ramus_buffer_text(out, "10");
    for (const char *d = digits; *d; d++)
        ramus_buffer_print(out, "&#%d;", *d == '-' ? 0x207B : raised[*d - '0']);
}

void ramus_html_count(ramus_buffer *out, double value)
{
    char digits[400]; // the greatest double has 309
    if (!isfinite(value)) {
        ramus_buffer_text(out, DASH);
        return;
    }
    const int n = snprintf(digits, sizeof digits, "%.0f", fabs(value));
    if (value <= -0.5) ramus_buffer_text(out, "-");
    for (int i = 0; i < n; i++)
        ramus_buffer_print(out, "%s%c", i > 0 && (n - i) % 3 == 0 ? "," : "", digits[i]);
}

void ramus_html_number(ramus_buffer *out, double value)
{
    const double size = fabs(value);
    if (!isfinite(value) || (size >= 1000 && size < 1e15)) {
        ramus_html_count(out, value);
    } else if (size == 0 || (size >= 0.001 && size < 1000)) {
        ramus_buffer_print(out, "%.4g", value);
    } else {
        char text[32];
        (void)snprintf(text, sizeof text, "%.2e", value);
        char *mark = strchr(text, 'e');
        *mark = '\0';
        ramus_buffer_print(out, "%s &#215; ", text);
        ramus_html_power(out, (int)strtol(mark + 1, NULL, 10));
    }
}

void ramus_html_short(ramus_buffer *out, double value)
{
    const bool large = isfinite(value) && fabs(value) >= 1e6;
    if (!large)
        ramus_html_count(out, value);
    else if (fabs(value) < 1e9)
        ramus_buffer_print(out, "%.*f million", fabs(value) < 1e8 ? 1 : 0, value / 1e6);
    else
        ramus_buffer_print(out, "%.1f billion", value / 1e9);
}

void ramus_html_percent(ramus_buffer *out, double share)
{
    if (isfinite(share))
        ramus_buffer_print(out, "%.*f&#160;%%",
                           share > 0 && share < 0.1 ? (share < 0.001 ? 2 : 1) : 0, 100 * share);
    else
        ramus_buffer_text(out, DASH);
}

void ramus_html_duration(ramus_buffer *out, double seconds)
{
    const double minute = 60, hour = 3600, day = 86400;
    if (!isfinite(seconds) || seconds < 0)
        ramus_buffer_text(out, DASH);
    else if (seconds < minute)
        ramus_buffer_print(out, "%.0f s", floor(seconds));
    else if (seconds < hour)
        ramus_buffer_print(out, "%.0f min %.0f s", floor(seconds / minute),
                           floor(fmod(seconds, minute)));
    else if (seconds < day)
        ramus_buffer_print(out, "%.0f h %.0f min", floor(seconds / hour),
                           floor(fmod(seconds, hour) / minute));
    else
        ramus_buffer_print(out, "%.0f d %.0f h", floor(seconds / day),
                           floor(fmod(seconds, day) / hour));
}

void ramus_html_time(ramus_buffer *out, double seconds)
{
    struct tm tm = {0};
    const bool fits = seconds >= 0 && seconds < 1e11; // year 5138
    const time_t time = fits ? (time_t)seconds : 0;
    if (fits && gmtime_r(&time, &tm))
        ramus_buffer_print(out, "%04d-%02d-%02d %02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1,
                           tm.tm_mday, tm.tm_hour, tm.tm_min);
    else
        ramus_buffer_text(out, DASH);
}
