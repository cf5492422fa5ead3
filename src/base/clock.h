/* SPDX-License-Identifier: MIT */
/* CLOCK_MONOTONIC in nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline int64_t clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Sleeps until a moment that may have passed; returns early when a signal handler ran. */
static inline void clock_sleep_until(int64_t when_ns)
{
	const struct timespec when = {.tv_sec = when_ns / INT64_C(1000000000), .tv_nsec = when_ns % INT64_C(1000000000)};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

#endif
