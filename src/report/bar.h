/* bar.h - a bar cut into the shares of branches.
 *
 * A branch has a number, a colour and a pattern. Colours come again after eight branches, with
 * other patterns. */
#ifndef RAMUS_REPORT_BAR_H
#define RAMUS_REPORT_BAR_H

#include "base/buffer.h"

/* What pages with bars add to their style. */
#define RAMUS_BAR_STYLE                                                                            \
    ".p0{--p:none}\n"                                                                              \
    ".p1{--p:repeating-linear-gradient(90deg,#0000 0 5px,var(--card) 5px 8px)}\n"                  \
    ".p2{--p:linear-gradient(#0000 34%,var(--card) 34% 67%,#0000 67%)}\n"                          \
    ".p3{--p:repeating-linear-gradient(90deg,#0000 0 2px,var(--card) 2px 4px)}\n"                  \
    ".p4{--p:repeating-linear-gradient(135deg,#0000 0 3px,var(--card) 3px 5px)}\n"                 \
    ".p5{--p:repeating-linear-gradient(90deg,#0000 0 11px,var(--card) 11px 14px)}\n"               \
    ".p6{--p:linear-gradient(var(--card) 50%,#0000 50%)}\n"                                        \
    ".p7{--p:repeating-linear-gradient(45deg,#0000 0 7px,var(--card) 7px 10px)}\n"                 \
    ".key i{background-image:var(--p)}\n"                                                          \
    ".bar{display:flex;height:14px;background:var(--grid);border-radius:3px;overflow:hidden}\n"    \
    ".bar i{background:var(--c) var(--p)}\n"

/* The classes of a branch: its colour and its pattern. */
void ramus_bar_classes(ramus_buffer *out, int branch);

/* A part that has `share` of the bar's width. */
void ramus_bar_part(ramus_buffer *out, int branch, double share);

#endif
