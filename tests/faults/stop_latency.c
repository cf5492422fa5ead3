/* SPDX-License-Identifier: MIT */
/*
 * stop_latency: how long a stop of a tree of processes takes until none of them can run any more. This process stands in for the
 * executor: it stops and continues the tree as an executor does, and looks in between.
 *
 * A stop is over when every process of the tree stands still. Processes that were there when the stop began are told from those
 * that were forked meanwhile: these may be missed, and are then taken by the next stop.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "processes/tree.h"
#include "self/scheduling.h"

#define STOP_NS (60 * NS_PER_MS)
#define RUN_NS (40 * NS_PER_MS)
#define SETTLE_NS (500 * NS_PER_MS)
#define LOOK_NS (200 * NS_PER_US)
#define REAP_NS NS_PER_MS
#define CLEANUP_NS (10 * NS_PER_S)

static const char *const kinds[] = {"single", "tree", "jobs", "brood", "chain", "sessions"};
#define KINDS (sizeof kinds / sizeof *kinds)

struct options {
	const char *workload;
	unsigned stops;
	int64_t deadline_ns;
	struct scheduling user;
};

struct measured {
	int64_t *call, *still; /* in ns, one for each stop: the call, and until all stood still */
	unsigned stops;
	unsigned late;    /* stops after which a process that had been there before ran on past the deadline */
	unsigned missed;  /* likewise one that was forked meanwhile */
	size_t processes; /* most at a stop */
};

static void trouble(const char *what)
{
	fprintf(stderr, "stop_latency: %s\n", what);
	exit(125);
}

static void usage(FILE *stream)
{
	fputs("usage: stop_latency [OPTION]...\n"
	      "Measures how long a stop of a tree of processes takes until none of them can run, for several kinds of trees.\n"
	      "  -n, --stops N         stops for each kind (200)\n"
	      "  -d, --deadline MS     time after which no process that was there may run (20)\n"
	      "  -k, --kind KIND       only this kind\n"
	      "  -w, --workload FILE   the program faults_workload (found beside this one)\n"
	      "  -h, --help            print this\n"
	      "Ends with 0 when all stops were in time, 1 when one wasn't, and 125 on trouble.\n",
		stream);
}

static long number(const char *text, long most, const char *what)
{
	char *end;
	errno = 0;
	const long value = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < 1 || value > most)
		trouble(what);
	return value;
}

static pid_t start(const struct options *options, const char *kind)
{
	static const char jobs[] = "\"$0\" half & \"$0\" half & while :; do \"$0\" brief; done";
	const pid_t pid = fork();
	if (pid < 0)
		trouble(strerror(errno));
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		if (strcmp(kind, "jobs") == 0) {
			/* It complains that there is no terminal. */
			if (!freopen("/dev/null", "w", stderr))
				_exit(127);
			execlp("bash", "bash", "-m", "-c", jobs, options->workload, (char *)NULL);
		} else {
			execl(options->workload, options->workload, kind, (char *)NULL);
		}
		_exit(127);
	}
	setpgid(pid, pid);
	return pid;
}

static bool stands_still(const struct linux_process *process)
{
	return process->state == 'T' || process->state == 't' || linux_process_has_ended(process);
}

static bool is_in(const struct descendants *list, const struct linux_process *process)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->item[i].process.pid == process->pid && list->item[i].process.start_ticks == process->start_ticks)
			return true;
	return false;
}

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void sleep_until(int64_t when_ns)
{
	for (int64_t now; (now = clock_now()) < when_ns;) {
		clock_sleep_until(now + REAP_NS < when_ns ? now + REAP_NS : when_ns);
		reap();
	}
}

/* How many run, of those that were there and of the others. */
static void look(const struct descendants *before, struct descendants *now, unsigned *old, unsigned *young)
{
	*old = *young = 0;
	if (descendants_list(getpid(), now) != 0)
		trouble("can't list processes");
	for (size_t i = 0; i < now->count; i++) {
		const struct linux_process *process = &now->item[i].process;
		if (stands_still(process))
			continue;
		if (is_in(before, process))
			++*old;
		else
			++*young;
	}
}

static void stop_once(const struct options *options, struct tree *tree, struct measured *measured)
{
	static struct descendants before;
	static struct descendants now;
	unsigned old;
	unsigned young;
	if (descendants_list(getpid(), &before) != 0)
		trouble("can't list processes");
	if (before.count > measured->processes)
		measured->processes = before.count;
	/* The call as an executor makes it, with its priority; the looks as an ordinary process, which doesn't keep others from stopping. */
	scheduling_raise(&options->user);
	const int64_t began = clock_now();
	tree_stop(tree, began);
	const int64_t done = clock_now();
	scheduling_step_down();
	const int64_t deadline = began + options->deadline_ns;
	int64_t at;
	for (;;) {
		reap();
		at = clock_now();
		look(&before, &now, &old, &young);
		if ((old == 0 && young == 0) || at >= deadline)
			break;
		clock_sleep_until(at + LOOK_NS);
	}
	measured->late += old > 0;
	measured->missed += old == 0 && young > 0;
	measured->call[measured->stops] = done - began;
	measured->still[measured->stops++] = at - began;
	sleep_until(began + STOP_NS);
	tree_continue(tree);
}

static int by_size(const void *left, const void *right)
{
	const int64_t *a = left;
	const int64_t *b = right;
	return (*a > *b) - (*a < *b);
}

static void print(const char *kind, struct measured *measured)
{
	const unsigned n = measured->stops;
	const unsigned median = n / 2;
	const unsigned most = (n - 1) * 99 / 100;
	qsort(measured->call, n, sizeof *measured->call, by_size);
	qsort(measured->still, n, sizeof *measured->still, by_size);
	printf("%-9s %9zu %6u %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %6u %7u\n", kind, measured->processes, n,
		(double)measured->call[median] / 1e6, (double)measured->call[most] / 1e6, (double)measured->call[n - 1] / 1e6,
		(double)measured->still[median] / 1e6, (double)measured->still[most] / 1e6, (double)measured->still[n - 1] / 1e6,
		measured->late, measured->missed);
	fflush(stdout);
}

/* Returns the number of stops that were late. */
static unsigned measure(const struct options *options, const char *kind)
{
	struct measured measured = {
		.call = calloc(options->stops, sizeof(int64_t)), .still = calloc(options->stops, sizeof(int64_t))};
	struct tree tree;
	if (!measured.call || !measured.still)
		trouble("out of memory");
	const pid_t first = start(options, kind);
	tree_init(&tree, first);
	sleep_until(clock_now() + SETTLE_NS);
	for (unsigned i = 0; i < options->stops; i++) {
		stop_once(options, &tree, &measured);
		/* Not always the same, so that stops don't keep step with what the workload does. */
		sleep_until(clock_now() + RUN_NS + (int64_t)(i * 7919 % 10) * NS_PER_MS);
	}
	if (kill(first, 0) != 0)
		trouble("the workload has ended");
	if (!descendants_kill(clock_now() + CLEANUP_NS))
		trouble("can't kill the workload");
	tree_free(&tree);
	print(kind, &measured);
	free(measured.call);
	free(measured.still);
	return measured.late;
}

int main(int argc, char **argv)
{
	static const struct option table[] = {
		{"stops", required_argument, NULL, 'n'},
		{"deadline", required_argument, NULL, 'd'},
		{"kind", required_argument, NULL, 'k'},
		{"workload", required_argument, NULL, 'w'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	static char path[4096];
	struct options options = {.stops = 200, .deadline_ns = 20 * NS_PER_MS};
	const char *only = NULL;
	unsigned late = 0;
	unsigned kinds_run = 0;
	for (int option; (option = getopt_long(argc, argv, "n:d:k:w:h", table, NULL)) != -1;)
		switch (option) {
		case 'n':
			options.stops = (unsigned)number(optarg, 1000000, "--stops: expected a number from 1 to 1000000");
			break;
		case 'd':
			options.deadline_ns =
				number(optarg, 1000000, "--deadline: expected milliseconds from 1 to 1000000") * NS_PER_MS;
			break;
		case 'k':
			only = optarg;
			break;
		case 'w':
			options.workload = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			return 125;
		}
	if (optind < argc)
		trouble("unexpected argument (--help says more)");
	if (!options.workload) {
		static const char name[] = "faults_workload";
		const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
		char *slash = length > 0 ? strrchr(path, '/') : NULL;
		if (!slash)
			trouble("can't find faults_workload");
		memcpy(slash + 1, name, sizeof name);
		options.workload = path;
	}
	if (access(options.workload, X_OK) != 0)
		trouble("faults_workload isn't there; --workload says where it is");
	scheduling_save(&options.user);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1UL) != 0)
		trouble(strerror(errno));
	printf("%-9s %9s %6s %29s %29s %6s %7s\n%-9s %9s %6s %9s %9s %9s %9s %9s %9s\n", "", "", "", "the call, ms",
		"until all stand still, ms", "late", "missed", "tree", "processes", "stops", "median", "99 %", "longest",
		"median", "99 %", "longest");
	for (size_t i = 0; i < KINDS; i++)
		if (!only || strcmp(only, kinds[i]) == 0) {
			late += measure(&options, kinds[i]);
			kinds_run++;
		}
	if (!kinds_run)
		trouble("--kind: expected single, tree, jobs, brood, chain or sessions");
	return late ? 1 : 0;
}
