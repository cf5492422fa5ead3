/* SPDX-License-Identifier: MIT */
/*
 * noticer: a workload that counts what it notices of being stopped and continued. One child waits for events again and again, one forks
 * a thousand times a second, and their parent waits for them, as a shell does. Upon SIGTERM it prints one line: SIGCONTs that processes
 * handled, stops of a child that the parent was told of, waits that were cut short (EINTR), and forks.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

struct noticed {
	atomic_uint continued, stops, interrupted, forks;
};

static struct noticed *noticed;
static volatile sig_atomic_t over;

static void on_continue(int number)
{
	(void)number;
	atomic_fetch_add(&noticed->continued, 1);
}

static void on_end(int number)
{
	(void)number;
	over = 1;
}

static void handle_signals(void)
{
	const struct sigaction continued = {.sa_handler = on_continue};
	const struct sigaction end = {.sa_handler = on_end};
	sigaction(SIGCONT, &continued, NULL);
	sigaction(SIGTERM, &end, NULL);
}

static void wait_for_events(void)
{
	struct epoll_event event;
	const int events = epoll_create1(EPOLL_CLOEXEC);
	while (!over)
		if (epoll_wait(events, &event, 1, 5) < 0 && errno == EINTR && !over)
			atomic_fetch_add(&noticed->interrupted, 1);
}

static void fork_often(void)
{
	int64_t next_ns = clock_now();
	/* Its children count as well what they are sent. */
	while (!over) {
		const pid_t pid = fork();
		if (pid == 0)
			_exit(0);
		while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		atomic_fetch_add(&noticed->forks, 1);
		/* What it could not do while it stood still is not made up for. */
		next_ns += NS_PER_MS;
		if (next_ns < clock_now())
			next_ns = clock_now();
		clock_sleep_until(next_ns);
	}
}

static pid_t start(void (*body)(void))
{
	const pid_t parent = getpid();
	const pid_t pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		body();
	_exit(0);
}

int main(void)
{
	noticed = mmap(NULL, sizeof *noticed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (noticed == MAP_FAILED) {
		perror("noticer");
		return 125;
	}
	handle_signals();
	const pid_t child[] = {start(wait_for_events), start(fork_often)};
	while (!over) {
		int status;
		const pid_t pid = waitpid(-1, &status, WUNTRACED);
		if (pid > 0 && WIFSTOPPED(status))
			atomic_fetch_add(&noticed->stops, 1);
		else if (pid < 0 && errno == ECHILD)
			break;
	}
	for (size_t i = 0; i < sizeof child / sizeof *child; i++)
		if (child[i] > 0)
			kill(child[i], SIGTERM);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	printf("%u %u %u %u\n", atomic_load(&noticed->continued), atomic_load(&noticed->stops),
		atomic_load(&noticed->interrupted), atomic_load(&noticed->forks));
	return 0;
}
