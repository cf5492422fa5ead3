/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD into QEMU: the clocks of its machine go so many times slower than the host's, as SLOW_CLOCK says. An emulated machine then
 * has that much more time for each of its seconds, and what the host does for others takes that much less of it.
 * SLOW_CLOCK_AHEAD names a file of four bytes, by how many seconds the clocks are ahead: they jump when it changes.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000

static int64_t factor = 1;
static const volatile uint32_t *ahead_s;
static int64_t began_ns[2];
static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

static int64_t real_ns(clockid_t clock)
{
	struct timespec now = {0};
	real_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void find(void *function, const char *name)
{
	void *const found = dlsym(RTLD_NEXT, name);
	memcpy(function, &found, sizeof found);
}

static const void *map(const char *name)
{
	const int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	void *const mapped = file >= 0 ? mmap(NULL, sizeof *ahead_s, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
	if (file >= 0)
		close(file);
	return mapped == MAP_FAILED ? NULL : mapped;
}

static void __attribute__((constructor)) begin(void)
{
	const char *const text = getenv("SLOW_CLOCK");
	const long asked = text ? strtol(text, NULL, 10) : 1;
	find(&real_gettime, "clock_gettime");
	find(&real_ppoll, "ppoll");
	for (clockid_t clock = CLOCK_REALTIME; clock <= CLOCK_MONOTONIC; clock++)
		began_ns[clock] = real_ns(clock);
	factor = asked > 1 ? asked : 1;
	ahead_s = map(getenv("SLOW_CLOCK_AHEAD"));
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!real_gettime)
		begin();
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return real_gettime(clock, now);
	const int64_t ns =
		began_ns[clock] + (real_ns(clock) - began_ns[clock]) / factor + (ahead_s ? *ahead_s : 0) * (int64_t)NS_PER_S;
	*now = (struct timespec){ns / NS_PER_S, ns % NS_PER_S};
	return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec precise;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &precise);
	*now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
	return 0;
}

int ppoll(struct pollfd *handles, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	struct timespec longer = {0};
	if (timeout) {
		const int64_t ns = (timeout->tv_sec * NS_PER_S + timeout->tv_nsec) * factor;
		longer = (struct timespec){ns / NS_PER_S, ns % NS_PER_S};
	}
	return real_ppoll(handles, count, timeout ? &longer : NULL, mask);
}
