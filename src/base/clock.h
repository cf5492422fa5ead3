/* SPDX-License-Identifier: MIT */
/* CLOCK_MONOTONIC in nanoseconds, and how far the wall clock is from it. */
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

/*
 * Wall clock less CLOCK_MONOTONIC, now: added to a moment it gives the seconds since 1970. Of three looks the one that was interrupted
 * least; no system call.
 */
static inline int64_t clock_unix_offset(void)
{
	int64_t offset = 0;
	int64_t least_ns = INT64_MAX;
	for (int i = 0; i < 3 && least_ns > 1000; i++) {
		const int64_t before = clock_now();
		const int64_t wall = clock_ns(CLOCK_REALTIME);
		const int64_t took_ns = clock_now() - before;
		if (took_ns < least_ns) {
			least_ns = took_ns;
			offset = wall - before - took_ns / 2;
		}
	}
	return offset;
}

/* Sleeps until a moment that may have passed; returns early when a signal handler ran. */
static inline void clock_sleep_until(int64_t when_ns)
{
	const struct timespec when = {.tv_sec = when_ns / INT64_C(1000000000), .tv_nsec = when_ns % INT64_C(1000000000)};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

#endif
