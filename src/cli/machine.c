/* SPDX-License-Identifier: MIT */
#include "cli/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/accounting.h"
#include "os/cgroup.h"
#include "os/containment.h"
#include "os/host.h"
#include "os/power.h"
#include "os/processors.h"
#include "os/scheduling.h"
#include "os/stat.h"

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

/* Exit status of the child that tries: nice values go from -20 to 19, real-time priorities to 99. */
#define STATUS_FIFO 128
#define STATUS_NICE 64

/* Tried in a child, so that this process stays as it is. */
static void print_priority(FILE *to)
{
	fflush(to);
	const pid_t pid = fork();
	if (pid == 0) {
		struct scheduling user;
		scheduling_save(&user);
		const struct scheduling_grant grant = scheduling_raise(&user);
		_exit(grant.grant == GRANT_FIFO     ? STATUS_FIFO + grant.value
			: grant.grant == GRANT_NICE ? STATUS_NICE + 20 + grant.value
						    : 0);
	}
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
		fputs("priority: unavailable\n", to);
		return;
	}
	const int tried = WEXITSTATUS(status);
	if (tried >= STATUS_FIFO)
		fprintf(to, "priority: SCHED_FIFO %d permitted\n", tried - STATUS_FIFO);
	else if (tried >= STATUS_NICE)
		fprintf(to, "priority: nice %d permitted, SCHED_FIFO not\n", tried - STATUS_NICE - 20);
	else
		fputs("priority: nothing above the workloads' permitted (enforcement will be late when processors are "
		      "saturated)\n",
			to);
	char remedy[SCHEDULING_REMEDY_MAX];
	if (tried < STATUS_FIFO && scheduling_remedy(remedy))
		fprintf(to, "to permit SCHED_FIFO: %s\n", remedy);
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

static void print_container(const struct sst_env *env, FILE *to)
{
	struct linux_cgroup_container container;
	char text[PATH_MAX + 256];
	if (linux_cgroup_find_container(env, &container))
		linux_cgroup_describe(&container, text, sizeof text);
	else
		strcpy(text, "none: neither a quota nor a cpuset takes anything away");
	free(container.cpus);
	fprintf(to, "container: %s\n", text);
}

static void print_power(const char *root, FILE *to)
{
	char error[LINUX_POWER_ERROR_MAX];
	struct linux_power *const power = linux_power_open(root, NULL, error);
	fprintf(to, "electric power: %s%s\n", power ? "available" : "unavailable: ", power ? "" : error);
	linux_power_close(power);
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
	print_container(env, to);
	print_power(root, to);
	print_steal(env, to);
	print_priority(to);
	print_containment(to);
	fprintf(to, "children files in /proc: %s\n",
		access("/proc/thread-self/children", R_OK) == 0 ? "available"
								: "unavailable (trees are found by reading all of /proc)");
}
