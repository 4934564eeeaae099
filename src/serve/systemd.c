/* sd_listen_fds(3) and sd_notify(3) in their own few lines, and the socket without them. */
#include "serve/systemd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_SOCKET 3
#define BACKLOG      512

int ramus_systemd_socket(void)
{
    const char *process = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
    if (!process || !n || strtol(process, NULL, 10) != (long)getpid() || strtol(n, NULL, 10) < 1)
        return -1;
    (void)unsetenv("LISTEN_PID");
    (void)unsetenv("LISTEN_FDS");
    (void)fcntl(FIRST_SOCKET, F_SETFD, FD_CLOEXEC);
    (void)fcntl(FIRST_SOCKET, F_SETFL, O_NONBLOCK);
    return FIRST_SOCKET;
}

int ramus_systemd_connect(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    if (!path || (*path != '/' && *path != '@') || strlen(path) >= sizeof to.sun_path) return -1;
    memcpy(to.sun_path, path, strlen(path));
    if (*path == '@') to.sun_path[0] = '\0'; // an abstract name
    const int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    if (s < 0 || connect(s, (const struct sockaddr *)&to, size) == 0) return s;
    (void)close(s);
    return -1;
}

void ramus_systemd_notify(int to, const char *state)
{
    if (to >= 0) (void)send(to, state, strlen(state), MSG_NOSIGNAL);
}

/* Cuts "ADDRESS:PORT" in two. */
static ramus_status cut(const char *where, char *address, size_t room, const char **port,
                        ramus_error *err)
{
    const char *colon = strrchr(where, ':');
    const char *start = where, *end = colon;
    *port = colon ? colon + 1 : where;
    (void)snprintf(address, room, "127.0.0.1");
    if (colon && *where == '[' && colon > where && colon[-1] == ']') {
        start++;
        end--;
    }
    const size_t size = colon ? (size_t)(end - start) : 0;
    char *after = NULL;
    const long number = strtol(*port, &after, 10);
    if (size >= room || !**port || *after || number < 0 || number > 65535)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT, "--listen is %s, expected ADDRESS:PORT", where);
    if (size > 0) {
        memcpy(address, start, size);
        address[size] = '\0';
    }
    return RAMUS_OK;
}

static ramus_status bind_socket(int *out, const struct addrinfo *a, const char *where,
                                ramus_error *err)
{
    const int on = 1, s = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0) return ramus_fail_errno(err, where, "open a socket for");
    (void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(s, a->ai_addr, a->ai_addrlen) != 0 || listen(s, BACKLOG) != 0) {
        const ramus_status st = ramus_fail_errno(err, where, "listen at");
        (void)close(s);
        return st;
    }
    *out = s;
    return RAMUS_OK;
}

ramus_status ramus_listen(int *out, const char *where, ramus_error *err)
{
    char address[64];
    const char *port = NULL;
    struct addrinfo *found = NULL;
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    ramus_status st = cut(where, address, sizeof address, &port, err);
    if (st) return st;
    const char *host = strcmp(address, "*") == 0 ? NULL : address;
    if (getaddrinfo(host, port, &hints, &found) != 0)
        return ramus_fail(err, RAMUS_BAD_ARGUMENT,
                          "--listen is %s, expected a numeric ADDRESS:PORT", where);
    st = bind_socket(out, found, where, err);
    freeaddrinfo(found);
    return st;
}

void ramus_listen_print(char *out, size_t size, int socket_number)
{
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    char address[INET6_ADDRSTRLEN] = "", port[8] = "";
    if (getsockname(socket_number, (struct sockaddr *)&own, &length) != 0 ||
        getnameinfo((struct sockaddr *)&own, length, address, sizeof address, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        (void)snprintf(out, size, "a socket");
    else
        (void)snprintf(out, size, own.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", address, port);
}
