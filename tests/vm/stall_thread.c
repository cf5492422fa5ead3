/* SPDX-License-Identifier: MIT */
/*
 * Takes one thread of a process its processor away for a while, again and again: as a host does with a processor of a virtual machine.
 * SIGSTOP would stop all threads; a tracer may stop a single one.
 *
 * usage: stall_thread THREAD LENGTH-MS EVERY-MS COUNT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#define NS_PER_MS 1000000
#define NS_PER_S 1000000000

static void wait_until(const struct timespec *moment)
{
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, moment, NULL) == EINTR)
		;
}

static void add_ms(struct timespec *moment, long ms)
{
	const long ns = moment->tv_nsec + ms % 1000 * NS_PER_MS;
	moment->tv_sec += ms / 1000 + ns / NS_PER_S;
	moment->tv_nsec = ns % NS_PER_S;
}

/* Until the thread stops for our interrupt. A signal of its own that comes before is passed on. */
static int stop(pid_t thread)
{
	int status;
	if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0)
		return -1;
	for (;;) {
		if (waitpid(thread, &status, __WALL) != thread || !WIFSTOPPED(status))
			return -1;
		if (status >> 16 == PTRACE_EVENT_STOP)
			return 0;
		if (ptrace(PTRACE_CONT, thread, NULL, WSTOPSIG(status)) != 0)
			return -1;
	}
}

/* Between stalls nobody traces the thread, so that its signals reach it. */
static int stall(pid_t thread, long length_ms)
{
	struct timespec end;
	if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0 || stop(thread) != 0)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	add_ms(&end, length_ms);
	wait_until(&end);
	return ptrace(PTRACE_DETACH, thread, NULL, 0) == 0 ? 0 : -1;
}

static long number(const char *text)
{
	char *end;
	errno = 0;
	const long value = strtol(text, &end, 10);
	if (errno || end == text || *end || value <= 0 || value > 1000000000) {
		fprintf(stderr, "stall_thread: '%s' is no whole number from 1\n", text);
		exit(125);
	}
	return value;
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: stall_thread THREAD LENGTH-MS EVERY-MS COUNT\n");
		return 125;
	}
	const pid_t thread = (pid_t)number(argv[1]);
	const long length_ms = number(argv[2]);
	const long every_ms = number(argv[3]);
	const long count = number(argv[4]);
	struct timespec next;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long i = 0; i < count; i++) {
		add_ms(&next, every_ms);
		wait_until(&next);
		if (stall(thread, length_ms) != 0) {
			perror("stall_thread");
			return 1;
		}
	}
	return 0;
}
