/* The browser draws the bar: parts are inline elements whose widths are percents. */
#include "report/bar.h"

#include "report/html.h"

#define PATTERNS 8

void ramus_bar_classes(ramus_buffer *out, int branch)
{
    ramus_buffer_print(out, "b%d p%d", branch % RAMUS_HTML_COLOURS,
                       (branch + branch / RAMUS_HTML_COLOURS) % PATTERNS);
}

void ramus_bar_part(ramus_buffer *out, int branch, double share)
{
    ramus_buffer_text(out, "<i class=\"");
    ramus_bar_classes(out, branch);
    ramus_buffer_print(out, "\" style=\"width:%.2f%%\" title=\"branch %d: ", 100 * share, branch);
    ramus_html_percent(out, share);
    ramus_buffer_text(out, "\"></i>");
}
