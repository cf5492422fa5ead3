/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux_accounting.h"
#include "linux_containment.h"
#include "linux_host.h"
#include "linux_processors.h"
#include "linux_scheduling.h"
#include "linux_stat.h"

static bool read_stat(const struct sst_env *env, struct linux_stat *stat)
{
	const size_t size = 512 * 1024;
	char *text = malloc(size);
	int64_t when_ns;
	bool got = false;
	const int handle = text ? env->host->open(env, "/proc/stat") : -1;
	if (handle >= 0) {
		const ssize_t length = env->host->read(env, handle, text, size, &when_ns);
		got = length > 0 && linux_stat_parse(text, (size_t)length, NULL, stat) == 0;
		env->host->close(env, handle);
	}
	free(text);
	return got;
}

/* Tried in a child, so that this process stays as it is. */
static void print_priority(FILE *to)
{
	fflush(to);
	const pid_t pid = fork();
	if (pid == 0) {
		struct scheduling user;
		scheduling_save(&user);
		const struct scheduling_grant grant = scheduling_raise(&user);
		_exit((int)grant.grant << 6 | (grant.value < 0 ? -grant.value : grant.value));
	}
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
		fputs("priority: unavailable\n", to);
		return;
	}
	const int value = WEXITSTATUS(status) & 63;
	switch (WEXITSTATUS(status) >> 6) {
	case GRANT_FIFO:
		fprintf(to, "priority: SCHED_FIFO %d permitted\n", value);
		break;
	case GRANT_NICE:
		fprintf(to, "priority: nice -%d permitted, SCHED_FIFO not\n", value);
		break;
	default:
		fputs("priority: nothing above the workloads' permitted (enforcement will be late when processors are saturated)\n", to);
		break;
	}
}

static void print_containment(FILE *to)
{
	char reason[CONTAINMENT_REASON_MAX];
	bool user_namespace;
	fflush(to);
	if (containment_is_permitted(&user_namespace, reason))
		fprintf(to, "containment: pidns permitted%s\n", user_namespace ? ", in a user namespace" : "");
	else
		fprintf(to, "containment: pidns not permitted: %s\n", reason);
}

static void print_steal(const struct sst_env *env, FILE *to)
{
	struct linux_stat before;
	struct linux_stat now;
	if (!read_stat(env, &before)) {
		fputs("steal: unavailable\n", to);
		return;
	}
	sleep(1);
	if (!read_stat(env, &now)) {
		fputs("steal: unavailable\n", to);
		return;
	}
	const uint64_t stolen = now.total.steal - before.total.steal;
	const double ticks = (double)(linux_stat_busy(&now.total) + linux_stat_idle(&now.total)) -
	        (double)(linux_stat_busy(&before.total) + linux_stat_idle(&before.total));
	fprintf(to, "steal: %.1f %% over one second\n", ticks > 0 ? 100 * (double)stolen / ticks : 0);
}

void machine_print(const char *root, FILE *to)
{
	struct host_env host;
	struct utsname system;
	struct linux_stat stat;
	host_env_init(&host, root, 1, 0);
	const struct sst_env *env = &host.env;
	uname(&system);
	fprintf(to, "kernel: %s %s\n", system.sysname, system.release);
	if (read_stat(env, &stat))
		fprintf(to, "processors: %u online, %u usable\n", stat.processors, linux_processors_usable());
	else
		fprintf(to, "processors: unavailable, %u usable\n", linux_processors_usable());
	fprintf(to, "accounting of user and system time: %s\n", linux_accounting_mode(env, system.release));
	fprintf(to, "accounting of idle time: %s\n", linux_accounting_idle_clock(env) ? "clock" : "tick");
	const int cpuacct = env->host->open(env, "/sys/fs/cgroup/cpuacct/cpuacct.usage");
	fprintf(to, "cpuacct.usage of the machine: %s\n", cpuacct >= 0 ? "available" : "unavailable");
	if (cpuacct >= 0)
		env->host->close(env, cpuacct);
	print_steal(env, to);
	print_priority(to);
	print_containment(to);
	fprintf(to, "children files in /proc: %s\n",
	        access("/proc/thread-self/children", R_OK) == 0 ? "available" : "unavailable (trees are found by reading all of /proc)");
}
