/* posix.h - what POSIX has of files and WASI, the system of WebAssembly programs, lacks: users and
 * permissions, which nobody has there, and a second descriptor of a stream, which nobody gets. */
#ifndef RAMUS_BASE_POSIX_H
#define RAMUS_BASE_POSIX_H

#if defined __wasi__
#include <sys/types.h>

#define F_DUPFD_CLOEXEC 1030

static inline int fchown(int fd, uid_t user, gid_t group)
{
    (void)fd, (void)user, (void)group;
    return 0;
}

static inline int fchmod(int fd, mode_t mode)
{
    (void)fd, (void)mode;
    return 0;
}
#endif

#endif
