/* SPDX-License-Identifier: MIT */
/*
 * bare_signals: what the signals alone cost. As Showstopper does, one process for each instance starts a command in a group of its own, at the
 * same priority, and stops and continues it at fixed moments, by one kill(2). It reads no load, computes nothing and looks at no
 * process. What Showstopper's executors take more is the price of control.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "self/scheduling.h"

static _Noreturn void trouble(const char *what)
{
	fprintf(stderr, "bare_signals: %s: %s\n", what, strerror(errno));
	exit(125);
}

static bool is_time(const char *text, int64_t *ns)
{
	size_t stop;
	return units_parse_time(text, strlen(text), ns, &stop) == 0;
}

static bool is_load(const char *text, double *load)
{
	size_t stop;
	return units_parse_load(text, strlen(text), load, &stop) == 0;
}

static void sleep_until(int64_t when_ns)
{
	int64_t left;
	while ((left = when_ns - clock_now()) > 0) {
		const struct timespec timeout = {.tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S};
		ppoll(NULL, 0, &timeout, NULL);
	}
}

static pid_t start(char **command, const struct scheduling *user)
{
	const pid_t pid = fork();
	if (pid < 0)
		trouble("can't fork");
	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		scheduling_restore(user);
		execvp(command[0], command);
		trouble(command[0]);
	}
	setpgid(pid, pid);
	return pid;
}

/* Prints how many signals there were, and the CPU time in ns that sending them took. */
static void hold(char **command, const struct scheduling *user, int64_t from_ns, int64_t to_ns, int64_t epoch_ns, int64_t run_ns)
{
	struct rusage usage;
	const pid_t group = start(command, user);
	scheduling_raise(user);
	prctl(PR_SET_TIMERSLACK, 1UL);
	kill(-group, SIGSTOP);
	unsigned long edges = 0;
	for (int64_t epoch = from_ns; epoch < to_ns; epoch += epoch_ns) {
		sleep_until(epoch);
		kill(-group, SIGCONT);
		sleep_until(epoch + run_ns);
		kill(-group, SIGSTOP);
		edges += 2;
	}
	getrusage(RUSAGE_SELF, &usage);
	const int64_t cpu_ns = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
			       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
	printf("%lu %" PRId64 "\n", edges, cpu_ns);
	fflush(stdout);
	kill(-group, SIGKILL);
	waitpid(group, NULL, 0);
}

int main(int argc, char **argv)
{
	struct scheduling user;
	int64_t epoch_ns;
	int64_t time_ns;
	double duty;
	char *end;
	if (argc < 6 || !is_time(argv[2], &epoch_ns) || epoch_ns < NS_PER_MS || !is_time(argv[4], &time_ns) ||
		!is_load(argv[3], &duty) || strtol(argv[1], &end, 10) < 1 || *end) {
		fputs("usage: bare_signals INSTANCES EPOCH DUTY TIME COMMAND [ARGUMENT]...\n", stderr);
		return 125;
	}
	const long instances = strtol(argv[1], NULL, 10);
	const int64_t from_ns = clock_now() + 100 * NS_PER_MS;
	scheduling_save(&user);
	for (long i = 0; i < instances; i++) {
		const pid_t pid = fork();
		if (pid < 0)
			trouble("can't fork");
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			hold(argv + 5, &user, from_ns + i * epoch_ns / instances, from_ns + time_ns, epoch_ns,
				(int64_t)(duty * (double)epoch_ns));
			exit(0);
		}
	}
	int status;
	int result = 0;
	while (wait(&status) > 0)
		if (status)
			result = 125;
	return result;
}
