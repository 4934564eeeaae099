/* How many cores we may use: the affinity mask (taskset, cpusets) and the cgroup's quota. */
#if defined(__linux__)
#define _GNU_SOURCE // sched_getaffinity
#endif
#include "base/pool.h"

#if defined(__linux__)
#include <sched.h>
#include <stdio.h>

/* The cores that "quota period" microseconds amount to, rounded up; 0 when there is no limit. */
static int quota_cores(long long quota, long long period)
{
    if (quota <= 0 || period <= 0) return 0;
    return (int)((quota + period - 1) / period);
}

static int cgroup_cores(void)
{
    long long quota = 0, period = 0;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r"); // version 2: "max 100000" or "150000 100000"
    if (f) {
        if (fscanf(f, "%lld %lld", &quota, &period) != 2) quota = 0; // NOLINT(cert-err34-c)
        (void)fclose(f);
        return quota_cores(quota, period);
    }
    f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "r"); // version 1: -1 for no limit
    if (!f) return 0;
    if (fscanf(f, "%lld", &quota) != 1) quota = 0; // NOLINT(cert-err34-c)
    (void)fclose(f);
    f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "r");
    if (!f) return 0;
    if (fscanf(f, "%lld", &period) != 1) period = 0; // NOLINT(cert-err34-c)
    (void)fclose(f);
    return quota_cores(quota, period);
}

int ramus_cores_available(void)
{
    cpu_set_t set;
    int cores = 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
    const int limit = cgroup_cores();
    if (limit > 0 && limit < cores) cores = limit;
    return cores < 1 ? 1 : cores;
}
#else
int ramus_cores_available(void)
{
    return 1;
}
#endif
