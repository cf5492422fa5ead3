/* SPDX-License-Identifier: MIT */
/*
 * Each counter stands alone, in no group: a group that doesn't fit the processor's counters as a whole would never count at all.
 *
 * What is started is counted from its exec on: the counter is opened off, is inherited by every child, and exec turns on that of the
 * process which calls it. So who opens it, and forks without exec, isn't counted, and no process that it starts is missed.
 *
 * Where one process switches to another with counters inherited from the same ones, the kernel exchanges them instead of turning
 * one off and the other on. The exec of a child would then use up the one turn of the original, and nothing that is started later
 * be counted. (Seen on Linux 6.18: one of fifty.) It doesn't where one of them has a counter that isn't inherited.
 */
#include "os/counter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/source.h"

int linux_counter_open(const struct linux_counter_event *event, const struct linux_counter_scope *scope)
{
	const bool is_of_started = scope->is_of_started;
	struct perf_event_attr attributes = {
		.size = sizeof attributes,
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = event->only_user,
		.exclude_hv = event->only_user,
		.exclude_user = event->only_kernel,
		.disabled = is_of_started,
		.inherit = is_of_started,
		.enable_on_exec = is_of_started,
	};
	const pid_t pid = is_of_started ? 0 : -1;
	const int cpu = is_of_started ? -1 : (int)scope->cpu;
	return (int)syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int linux_counter_open_guard(void)
{
	struct perf_event_attr attributes = {.size = sizeof attributes,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1};
	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int linux_counter_read(int fd, struct linux_counter_reading *reading)
{
	ssize_t got;
	_Static_assert(sizeof *reading == 3 * sizeof(uint64_t), "as the kernel writes it");
	do
		got = read(fd, reading, sizeof *reading);
	while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof *reading)
		return 0;
	if (got >= 0)
		errno = ENODATA;
	return -1;
}

/* ---- Why not ---------------------------------------------------------------------------------------------------------- */

int linux_counter_paranoid(const char *root)
{
	char text[32];
	if (!linux_source_line(root, "/proc/sys/kernel/perf_event_paranoid", text, sizeof text))
		return -2;
	return (int)strtol(text, NULL, 10);
}

int linux_counter_paranoid_most(const struct linux_counter_event *event, bool is_of_started)
{
	return !is_of_started ? 0 : event->only_user ? 2 : 1;
}

static const char *why(const struct linux_counter_event *event, int error)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
		return linux_counter_is_software(event)
			       ? "this kernel has no such event"
			       : "this machine has no such hardware event, as most virtual machines have none";
	case EINVAL:
		return "the processor or the kernel can't count this, or not this way";
	case ENOSYS:
		return "this kernel was built without performance events";
	case EOPNOTSUPP:
		return "the processor's counters can't do this";
	case E2BIG:
		return "this kernel doesn't know such attributes of events yet";
	case EBUSY:
		return "another program keeps the counter for itself";
	case EMFILE:
		return "too many open files (ulimit -n)";
	default:
		return strerror(error);
	}
}

void linux_counter_explain(const struct linux_counter_event *event, bool is_of_started, const char *root, int error,
	char text[static LINUX_COUNTER_ERROR_MAX])
{
	const int paranoid = linux_counter_paranoid(root), most = linux_counter_paranoid_most(event, is_of_started);
	if (error != EACCES && error != EPERM)
		snprintf(text, LINUX_COUNTER_ERROR_MAX, "%s", why(event, error));
	else if (paranoid > most)
		snprintf(text, LINUX_COUNTER_ERROR_MAX,
			"kernel.perf_event_paranoid is %d, and this needs %d or less, or CAP_PERFMON%s", paranoid, most,
			most == 1 && paranoid == 2
				? "; with :u behind its name the event leaves the kernel out, and needs neither"
				: "");
	else
		snprintf(text, LINUX_COUNTER_ERROR_MAX, "perf_event_open is not permitted, as in many containers");
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------------- */

void linux_counter_add(
	struct linux_counter_reading *sum, const struct linux_counter_reading *before, const struct linux_counter_reading *now)
{
	/* None of them ever goes back, but for a counter that is another one now. */
	if (now->value < before->value || now->enabled < before->enabled || now->running < before->running)
		return;
	sum->value += now->value - before->value;
	sum->enabled += now->enabled - before->enabled;
	sum->running += now->running - before->running;
}

double linux_counter_scaled(const struct linux_counter_reading *growth)
{
	if (growth->running == 0)
		return growth->enabled == 0 ? 0 : NAN;
	return (double)growth->value / linux_counter_share(growth);
}

double linux_counter_share(const struct linux_counter_reading *growth)
{
	return growth->enabled == 0 || growth->running >= growth->enabled ? 1 : (double)growth->running / (double)growth->enabled;
}
