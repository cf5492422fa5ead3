/* SPDX-License-Identifier: MIT */
/*
 * The number of the newest process, in /proc/loadavg, tells whether anybody has forked. It costs a tenth of what /proc/stat does, and
 * what it says of other PID namespaces (nothing) doesn't matter: our own processes, contained ones too, have numbers in ours.
 */
#include "load/run_usage.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "groups/attached_group.h"
#include "load/tree_time.h"
#include "processes/process.h"
#include "self/source.h"

/* What looks don't use of their share of a processor is saved, but not for longer than this. */
#define LOOK_SAVED_NS (3 * NS_PER_S)

/* So many files stay open, where so many may be. */
#define FILES 32
#define FILES_PLENTY 256

struct linux_run_usage {
	int loadavg;
	pid_t guardian;
	double guardian_s; /* of which so much was before */
	double guardian_now_s;
	double look_share;
	uint64_t newest;  /* process at the last look; 0: not known */
	double budget_ns; /* of processor time for looks: none while it is below 0 … */
	int64_t saved_ns; /* … as of this moment */
	double free_s;
	const struct attached *group;
	unsigned groups;
	double groups_s;           /* that attached groups had used before */
	_Atomic int64_t *group_ns; /* … and each by the last reading */
	unsigned trees, frees;
	struct linux_tree_time
		*tree[]; /* the master's, the attached ones, and last the free ones, which are below the master as well */
};

/* As before where there is no such process any more. */
static void read_guardian(struct linux_run_usage *usage)
{
	int64_t used_ns;
	if (usage->guardian && linux_process_clock(usage->guardian, &used_ns))
		usage->guardian_now_s = (double)used_ns / NS_PER_S;
}

void linux_run_usage_close(struct linux_run_usage *usage)
{
	if (!usage)
		return;
	for (unsigned i = 0; i < usage->trees; i++)
		linux_tree_time_close(usage->tree[i]);
	if (usage->loadavg >= 0)
		close(usage->loadavg);
	free(usage->group_ns);
	free(usage);
}

/* Of all attached groups since they were made. */
static double groups_used(struct linux_run_usage *usage)
{
	int64_t used_ns = 0;
	for (unsigned i = 0; i < usage->groups; i++)
		used_ns += attached_group_used(usage->group[i].group->usage, usage->group[i].group->format, &usage->group_ns[i]);
	return (double)used_ns / NS_PER_S;
}

static bool has_budget(struct linux_run_usage *usage)
{
	const int64_t now_ns = clock_now();
	const double saved_ns = fmin((double)(now_ns - usage->saved_ns), (double)LOOK_SAVED_NS);
	usage->budget_ns = fmin(usage->budget_ns + usage->look_share * saved_ns, usage->look_share * (double)LOOK_SAVED_NS);
	usage->saved_ns = now_ns;
	return usage->budget_ns > 0;
}

int linux_run_usage_read(struct linux_run_usage *usage, double *seconds)
{
	const uint64_t newest = linux_process_newest(usage->loadavg);
	const bool look = (newest == 0 || newest != usage->newest) && has_budget(usage);
	const uint64_t forks = look || newest == 0 ? newest : usage->newest;
	const int64_t before_ns = look ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
	bool is_hidden = false;
	read_guardian(usage);
	*seconds = usage->guardian_now_s - usage->guardian_s + groups_used(usage) - usage->groups_s;
	usage->free_s = 0;
	for (unsigned i = 0; i < usage->trees; i++) {
		struct linux_tree_time_reading reading;
		if (linux_tree_time_read(usage->tree[i], forks, &reading) != 0)
			return -1;
		*(i < usage->trees - usage->frees ? seconds : &usage->free_s) += reading.used;
		is_hidden = is_hidden || reading.is_hidden;
	}
	if (look) {
		usage->newest = newest;
		usage->budget_ns -= (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
	}
	if (!is_hidden)
		return 0;
	errno = EACCES;
	return -1;
}

double linux_run_usage_free(const struct linux_run_usage *usage)
{
	return usage->free_s;
}

static pid_t head(const struct linux_run_usage_heads *heads, unsigned place)
{
	if (place == 0)
		return heads->master;
	return place <= heads->attaches ? heads->attached[place - 1] : heads->free[place - 1 - heads->attaches];
}

static bool is_gone(pid_t pid)
{
	return errno == ESRCH || (errno == ENOENT && kill(pid, 0) != 0 && errno == ESRCH);
}

struct linux_run_usage *linux_run_usage_open(const char *root, const struct linux_run_usage_heads *heads)
{
	const unsigned count = 1 + heads->attaches + heads->frees;
	struct linux_run_usage *const usage = calloc(1, sizeof *usage + count * sizeof(struct linux_tree_time *));
	struct rlimit limit;
	if (!usage)
		return NULL;
	const unsigned files = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= FILES_PLENTY ? FILES : 0;
	usage->guardian = heads->guardian;
	read_guardian(usage);
	usage->guardian_s = usage->guardian_now_s;
	usage->look_share = heads->look_share;
	usage->group = heads->group;
	usage->group_ns = calloc(heads->groups + 1, sizeof *usage->group_ns);
	if (!usage->group_ns) {
		free(usage);
		return NULL;
	}
	usage->groups = heads->groups;
	usage->groups_s = groups_used(usage);
	usage->loadavg = linux_source_open(root, "/proc/loadavg");
	for (unsigned i = 0; i < count; i++) {
		struct linux_tree_time *const tree = linux_tree_time_open_below(root, head(heads, i), i ? 0 : files);
		if (!tree && i && is_gone(head(heads, i)))
			continue;
		if (!tree)
			goto fail;
		usage->tree[usage->trees++] = tree;
		usage->frees += i > heads->attaches;
	}
	/* The first look is the most expensive one, and is over when it matters what a reading costs. */
	double ignored;
	if (linux_run_usage_read(usage, &ignored) == 0 || errno == EACCES)
		return usage;
fail:;
	const int saved = errno;
	linux_run_usage_close(usage);
	errno = saved;
	return NULL;
}
