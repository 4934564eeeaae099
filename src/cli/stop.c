/* The handler notes the signal; the work looks at the note. No SA_RESTART: a signal also ends the
 * wait for input. */
#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t asked; // the signal, or 0: a handler has no other place to write to

static void note(int number)
{
    asked = number;
}

void ramus_stop_listen_to(int number)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
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
