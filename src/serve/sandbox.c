/* A program of the kernel's small language (linux/filter.h) that looks at the number of a system
 * call and, for a few, at one argument. It is made from two lists; what is in none is refused.
 * A call by the rules of another CPU ends the process: its numbers mean other calls. */
#if defined __linux__
#define _GNU_SOURCE // syscall, CLONE_THREAD
#endif
#include "serve/sandbox.h"

#if defined __linux__ && (defined __x86_64__ || defined __aarch64__)

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define OWN_CPU AUDIT_ARCH_X86_64
#else
#define OWN_CPU AUDIT_ARCH_AARCH64
#endif

// clang-format off
static const int allowed[] = {
    // of open files and connections
    SYS_read, SYS_write, SYS_writev, SYS_pread64, SYS_close, SYS_recvfrom, SYS_recvmsg, SYS_sendmsg,
    SYS_accept4, SYS_shutdown, SYS_setsockopt, SYS_getsockopt, SYS_getsockname, SYS_getpeername,
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2,
#ifdef SYS_epoll_wait // 64-bit ARM has epoll_pwait alone
    SYS_epoll_wait,
#endif
    // memory
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk,
    // threads and signals
    SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_sched_yield, SYS_sched_getaffinity, SYS_gettid, SYS_getpid,
    SYS_rt_sigprocmask, SYS_rt_sigtimedwait, SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit, SYS_exit_group,
    // time and random numbers
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_gettimeofday, SYS_getrandom, SYS_getrusage,
};

/* Allowed if the argument has these bits. */
static const struct {
    int number, argument;
    uint64_t mask, bits;
} limited[] = {
    {SYS_mmap,     2, PROT_EXEC,    0},            // no new code
    {SYS_mprotect, 2, PROT_EXEC,    0},
    {SYS_clone,    0, CLONE_THREAD, CLONE_THREAD}, // a thread, no process
    {SYS_prctl,    0, UINT64_MAX,   PR_SET_NAME},  // of a thread
    {SYS_fcntl,    1, UINT64_MAX,   F_GETFL},
    {SYS_sendto,   4, UINT64_MAX,   0},            // to whom the socket is connected
};
// clang-format on

#define PER_LIMIT 9 // instructions
#define ROOM      (7 + 2 * RAMUS_COUNT(allowed) + PER_LIMIT * RAMUS_COUNT(limited))

typedef struct {
    struct sock_filter items[ROOM];
    unsigned short n;
} filter;

static void add(filter *f, unsigned code, uint32_t value, unsigned skip_if, unsigned skip_else)
{
    RAMUS_ASSERT(f->n < ROOM);
    f->items[f->n++] = (struct sock_filter){(unsigned short)code, (unsigned char)skip_if,
                                            (unsigned char)skip_else, value};
}

static void load(filter *f, size_t place)
{
    add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)place, 0, 0);
}

static void answer(filter *f, uint32_t what)
{
    add(f, BPF_RET | BPF_K, what, 0, 0);
}

/* Behind the number's comparison: loads both halves of the argument; little-endian, as both CPUs.
 */
static void add_limit(filter *f, int i)
{
    const size_t low = offsetof(struct seccomp_data, args) + 8 * (size_t)limited[i].argument;
    const uint64_t mask = limited[i].mask, bits = limited[i].bits;
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)limited[i].number, 0, PER_LIMIT - 1);
    load(f, low);
    add(f, BPF_ALU | BPF_AND | BPF_K, (uint32_t)mask, 0, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)bits, 0, 4);
    load(f, low + 4);
    add(f, BPF_ALU | BPF_AND | BPF_K, (uint32_t)(mask >> 32), 0, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(bits >> 32), 0, 1);
    answer(f, SECCOMP_RET_ALLOW);
    answer(f, SECCOMP_RET_ERRNO | EPERM);
}

static void make_filter(filter *f)
{
    f->n = 0;
    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, OWN_CPU, 1, 0);
    answer(f, SECCOMP_RET_KILL_PROCESS);
    load(f, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < RAMUS_COUNT(allowed); i++) {
        add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
        answer(f, SECCOMP_RET_ALLOW);
    }
    for (int i = 0; i < RAMUS_COUNT(limited); i++)
        add_limit(f, i);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
    answer(f,
           SECCOMP_RET_ERRNO | ENOSYS); // the C library then takes clone, whose flags can be seen
    answer(f, SECCOMP_RET_ERRNO | EPERM);
}

ramus_status ramus_sandbox_enter(ramus_error *err)
{
    filter f;
    make_filter(&f);
    const struct sock_fprog program = {f.n, f.items};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return ramus_fail_errno(err, "no_new_privs", "set");
    const long other =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (other < 0) return ramus_fail_errno(err, "the sandbox (seccomp)", "enter");
    if (other > 0)
        return ramus_fail(err, RAMUS_FAILED, "thread %ld has a sandbox of its own", other);
    return RAMUS_OK;
}

#else // another system or CPU

ramus_status ramus_sandbox_enter(ramus_error *err)
{
    return ramus_fail(err, RAMUS_FAILED,
                      "the sandbox needs Linux on x86-64 or 64-bit ARM, which this is not");
}

#endif
