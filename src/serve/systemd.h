/* systemd.h - what a service manager and its services tell each other: a socket, and a few words.
 */
#ifndef RAMUS_SERVE_SYSTEMD_H
#define RAMUS_SERVE_SYSTEMD_H

#include "base/status.h"

/* The socket that was opened for this process; -1: there is none. It is given once. */
int ramus_systemd_socket(void);

/* A socket to who started this process, for the caller to close; -1: nobody listens. */
int ramus_systemd_connect(void);

/* Sends "READY=1" and the like there; -1 is fine. */
void ramus_systemd_notify(int to, const char *state);

/* A socket that listens at "ADDRESS:PORT", "[ADDRESS]:PORT" or "PORT", which is on 127.0.0.1; a
 * name is no address. */
RAMUS_CHECKED ramus_status ramus_listen(int *out, const char *where, ramus_error *err);

/* Writes where a socket listens as "ADDRESS:PORT". */
void ramus_listen_print(char *out, size_t size, int socket);

#endif
