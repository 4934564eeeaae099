/* A clock decides when the next line is due; a terminal gets it on the same line. */
#include "cli/progress.h"

#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

#define TERMINAL_SECONDS 0.2
#define PLAIN_SECONDS    10

static void show_left(double seconds)
{
    if (seconds < 600)
        (void)fprintf(stderr, ", %.0f s left", seconds);
    else if (seconds < 7200)
        (void)fprintf(stderr, ", %.0f minutes left", seconds / 60);
    else
        (void)fprintf(stderr, ", %.1f hours left", seconds / 3600);
}

static void show(ramus_progress *p, double done, double now)
{
    const double seconds = now - p->start;
    const double rate = seconds > 0 ? (done - p->before) / seconds : 0;
    if (p->terminal) (void)fputs("\r\033[K", stderr);
    (void)fprintf(stderr, "%s: %.0f", p->what, done);
    if (p->total > 0) (void)fprintf(stderr, " of %.0f", p->total);
    (void)fprintf(stderr, " %s, %.0f a second", p->unit, rate);
    if (p->total > 0 && rate > 0 && done < p->total) show_left((p->total - done) / rate);
    if (!p->terminal) (void)fputc('\n', stderr);
    p->shown = now;
    p->open = p->terminal;
}

void ramus_progress_start(ramus_progress *p)
{
    p->start = p->shown = ramus_clock_now();
    p->terminal = isatty(STDERR_FILENO) != 0;
}

void ramus_progress_update(ramus_progress *p, double done)
{
    if (p->quiet) return;
    const double now = ramus_clock_now();
    if (now - p->shown >= (p->terminal ? TERMINAL_SECONDS : PLAIN_SECONDS)) show(p, done, now);
}

void ramus_progress_end(ramus_progress *p, double done)
{
    if (p->quiet || !p->open) return;
    show(p, done, ramus_clock_now());
    (void)fputc('\n', stderr);
}
