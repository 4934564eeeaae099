/* The handler notes the signal; the work looks at the note. No SA_RESTART: a signal also ends the
 * wait for input. */
#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#define PATIENCE 1 // seconds: `timeout` and others send the same signal twice

/* A handler has no other place to write to. */
static volatile sig_atomic_t asked; // the signal, or 0
static volatile sig_atomic_t since; // the second in which it came

static void note(int number)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (!asked) since = (sig_atomic_t)now.tv_sec;
    if (asked && now.tv_sec - since > PATIENCE) {
        (void)signal(number, SIG_DFL);
        (void)raise(number); // when the handler has returned
    }
    asked = number;
}

void ramus_stop_listen_to(int number)
{
    struct sigaction action = {.sa_handler = note};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

void ramus_stop_listen(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < RAMUS_COUNT(signals); i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            ramus_stop_listen_to(signals[i]);
    }
}

int ramus_stop_signal(void)
{
    return asked;
}

bool ramus_stop_asked(void *arg)
{
    (void)arg;
    return asked != 0;
}

ramus_status ramus_stop_check(ramus_error *err)
{
    return asked ? ramus_fail(err, RAMUS_STOPPED, "stopped") : RAMUS_OK;
}

void ramus_stop_obey(void)
{
    if (!asked) return;
    (void)signal(asked, SIG_DFL);
    (void)raise(asked);
}
