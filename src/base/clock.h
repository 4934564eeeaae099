/* clock.h - time for people and measurements. */
#ifndef RAMUS_BASE_CLOCK_H
#define RAMUS_BASE_CLOCK_H

/* Seconds since some fixed moment; never decreases. */
double ramus_clock_now(void);

/* Seconds that the CPUs worked for this process, all threads together. */
double ramus_clock_cpu(void);

#endif
