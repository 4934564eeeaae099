/* What the sandbox refuses and what it leaves, each tried in a process that has entered it. */
#define _GNU_SOURCE // syscall, MAP_ANONYMOUS, pthread barriers
#include "serve/sandbox.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIES 64

/* What the child found, in memory that both processes have. */
static struct {
    int entered; // status + 1
    int n, done;
    struct {
        char what[40];
        bool refused, works;
    } tries[TRIES];
} * found;

static void tried(const char *what, long got)
{
    found->tries[found->n].refused = got == -1 && errno == EPERM;
    found->tries[found->n].works = got >= 0;
    (void)snprintf(found->tries[found->n++].what, sizeof found->tries[0].what, "%s", what);
}

/* Runs `body` in a process of its own; returns how that ended, as waitpid() says. */
static int in_child(void (*body)(void))
{
    int how = 0;
    if (!found) {
        found =
            mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        RAMUS_ASSERT(found != MAP_FAILED);
    }
    memset(found, 0, sizeof *found);
    const pid_t child = fork();
    RAMUS_ASSERT(child >= 0);
    if (child == 0) {
        body();
        found->done = 1;
        _exit(0);
    }
    RAMUS_ASSERT(waitpid(child, &how, 0) == child);
    return how;
}

static void enter(void)
{
    ramus_error err = {0};
    found->entered = (int)ramus_sandbox_enter(&err) + 1;
    if (found->entered > 1) {
        fprintf(stderr, "%s\n", err.message);
        _exit(1);
    }
}

static void try_what_is_forbidden(void)
{
    int pair[2];
    char *program[] = {(char *)"/bin/true", NULL};
    const struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    const int udp = socket(AF_INET, SOCK_DGRAM, 0), folder = open("/", O_RDONLY | O_DIRECTORY);
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    enter();
    tried("open", syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
    tried("open in a folder", syscall(SYS_openat, folder, "etc/passwd", O_RDONLY));
    tried("create", syscall(SYS_openat, AT_FDCWD, "/tmp/ramus-x", O_WRONLY | O_CREAT, 0600));
    tried("stat", syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", page, 0));
    tried("unlink", syscall(SYS_unlinkat, AT_FDCWD, "/tmp/ramus-none", 0));
    tried("rename",
          syscall(SYS_renameat2, AT_FDCWD, "/tmp/ramus-none", AT_FDCWD, "/tmp/ramus-x", 0));
    tried("mkdir", syscall(SYS_mkdirat, AT_FDCWD, "/tmp/ramus-none", 0700));
    tried("chdir", syscall(SYS_chdir, "/"));
    tried("list", syscall(SYS_getdents64, folder, page, 4096));
    tried("socket", syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
    tried("local socket", syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
    tried("socketpair", syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair));
    tried("connect", syscall(SYS_connect, udp, &to, sizeof to));
    tried("bind", syscall(SYS_bind, udp, &to, sizeof to));
    tried("listen", syscall(SYS_listen, udp, 1));
    tried("send to an address", syscall(SYS_sendto, udp, "x", 1, 0, &to, sizeof to));
    tried("a new program", syscall(SYS_execve, program[0], program, NULL));
    tried("a new process", syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0));
    tried("kill", syscall(SYS_kill, getppid(), 0));
    tried("signal a thread", syscall(SYS_tgkill, getpid(), getpid(), 0));
    tried("trace", syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL));
    tried("read another process", syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0));
    tried("new code",
          syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    tried("code from data", syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC));
    tried("ioctl", syscall(SYS_ioctl, udp, 0, 0));
    tried("signals of a file", syscall(SYS_fcntl, udp, F_SETOWN, getpid()));
    tried("owner", syscall(SYS_fchownat, AT_FDCWD, "/tmp/ramus-none", 0, 0, 0));
    tried("user", syscall(SYS_setuid, 0));
    tried("limits", syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0));
    tried("another filter", syscall(SYS_seccomp, 0, 0, NULL));
    tried("memory as a file", syscall(SYS_memfd_create, "x", 0));
    tried("mount", syscall(SYS_mount, "x", "/tmp", "tmpfs", 0, NULL));
    tried("a number that no call has", syscall(100000));
#if defined SYS_open // 64-bit ARM never had these
    tried("old open", syscall(SYS_open, "/etc/passwd", O_RDONLY));
    tried("old fork", syscall(SYS_fork));
    tried("of the 32-bit pointers",
          syscall(0x40000000 | SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
#endif
}

static void *add_one(void *arg)
{
    ++*(int *)arg;
    return arg;
}

static void try_what_is_allowed(void)
{
    char byte = 0;
    int pipes[2], one = 0;
    pthread_t thread;
    struct timespec now;
    const int file = open("/proc/self/statm", O_RDONLY);
    RAMUS_ASSERT(pipe(pipes) == 0);
    enter();
    tried("read what is open", pread(file, &byte, 1, 0));
    tried("write", write(pipes[1], "x", 1));
    tried("read", read(pipes[0], &byte, 1));
    tried("random numbers", getrandom(&byte, 1, 0));
    tried("the time", clock_gettime(CLOCK_MONOTONIC, &now));
    tried("close", close(file));
    char *volatile large = malloc((size_t)64 << 20); // by mmap
    tried("memory", large ? 0 : -1);
    free(large);
    tried("a thread", pthread_create(&thread, NULL, add_one, &one) == 0 ? 0 : -1);
    tried("its end", pthread_join(thread, NULL) == 0 && one == 1 ? 0 : -1);
}

static pthread_barrier_t barrier;

static void *wait_then_open(void *arg)
{
    (void)arg;
    (void)pthread_barrier_wait(&barrier); // there is a thread
    (void)pthread_barrier_wait(&barrier); // the other one has entered
    tried("open, of a thread from before", syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
    return NULL;
}

static void enter_with_a_thread(void)
{
    pthread_t thread;
    (void)pthread_barrier_init(&barrier, NULL, 2);
    RAMUS_ASSERT(pthread_create(&thread, NULL, wait_then_open, NULL) == 0);
    (void)pthread_barrier_wait(&barrier);
    enter();
    (void)pthread_barrier_wait(&barrier);
    (void)pthread_join(thread, NULL);
}

/* Whether there is a sandbox here; some containers and emulators have none. */
static bool is_possible(void)
{
    const int how = in_child(enter);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return true;
    printf("skipped: no sandbox here\n");
    return false;
}

static void what_is_not_needed_is_refused(void)
{
    if (!is_possible()) return;
    EXPECT_INT(in_child(try_what_is_forbidden), 0, "end of the process");
    EXPECT(found->n >= 30, "%d were tried", found->n);
    for (int i = 0; i < found->n; i++)
        EXPECT(found->tries[i].refused, "%s is not refused", found->tries[i].what);
}

static void what_is_needed_works(void)
{
    if (!is_possible()) return;
    EXPECT_INT(in_child(try_what_is_allowed), 0, "end of the process");
    EXPECT_INT(found->n, 9, "tried");
    for (int i = 0; i < found->n; i++)
        EXPECT(found->tries[i].works, "%s does not work", found->tries[i].what);
}

static void threads_of_before_are_in_it(void)
{
    if (!is_possible()) return;
    EXPECT_INT(in_child(enter_with_a_thread), 0, "end of the process");
    EXPECT(found->n == 1 && found->tries[0].refused, "it opened a file");
}

#if defined __x86_64__
static void call_as_32_bits(void)
{
    enter();
    __asm__ volatile("int $0x80" : : "a"(20) : "memory"); // getpid there, writev here
}

static void calls_of_another_cpu_end_the_process(void)
{
    if (!is_possible()) return;
    const int how = in_child(call_as_32_bits);
    EXPECT(WIFSIGNALED(how) && !found->done, "it ended with %x", (unsigned)how);
}
#else
static void calls_of_another_cpu_end_the_process(void)
{
}
#endif

CHECK_MAIN({"what_is_not_needed_is_refused", what_is_not_needed_is_refused},
           {"what_is_needed_works", what_is_needed_works},
           {"threads_of_before_are_in_it", threads_of_before_are_in_it},
           {"calls_of_another_cpu_end_the_process", calls_of_another_cpu_end_the_process})
