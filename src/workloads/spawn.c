/* SPDX-License-Identifier: MIT */
/*
 * All signals are blocked over the fork, so that no handler or default action runs in the child before it has the user's
 * dispositions back. How the child tells of a failure: exec_report.h.
 */
#include "workloads/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "groups/workload_groups.h"
#include "processes/affinity.h"
#include "processes/exec_report.h"
#include "self/iteration_counter.h"

/* Opens it above the standard descriptors. -1 with errno. */
static int open_above(const char *file)
{
	const int fd = output_open(file, O_APPEND);
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int saved = errno;
	close(fd);
	errno = saved;
	return above;
}

/* In the caller's folder, and both before either takes its place, since one may be a name of the other's. */
static enum start_stage open_outputs(const struct spawn *spawn, int output[static 2])
{
	if (spawn->stdout_file && (output[0] = open_above(spawn->stdout_file)) < 0)
		return STAGE_STDOUT;
	if (spawn->stderr_file && (output[1] = open_above(spawn->stderr_file)) < 0)
		return STAGE_STDERR;
	return STAGE_NONE;
}

static int take_input_from_nowhere(void)
{
	const int fd = open("/dev/null", O_RDONLY);
	if (fd <= STDIN_FILENO)
		return fd;
	const int result = dup2(fd, STDIN_FILENO);
	close(fd);
	return result;
}

static enum start_stage become(const struct spawn *spawn)
{
	int output[2] = {-1, -1};
	char number[16];
	/* Before anything that could fork. */
	if (spawn->group && workload_group_enter(spawn->group) != 0)
		return STAGE_GROUP;
	snprintf(number, sizeof number, "%u", spawn->index);
	if (setenv("SHOWSTOPPER_INSTANCE", number, 1) != 0 || (spawn->counter && iteration_counter_hand_on(spawn->counter) != 0))
		return STAGE_FORK;
	const enum start_stage opening = open_outputs(spawn, output);
	if (opening != STAGE_NONE)
		return opening;
	if (spawn->directory && chdir(spawn->directory) != 0)
		return STAGE_CHDIR;
	if (!spawn->inherit_stdin && take_input_from_nowhere() < 0)
		return STAGE_STDIN;
	if (output[0] >= 0 && dup2(output[0], STDOUT_FILENO) < 0)
		return STAGE_STDOUT;
	if (output[1] >= 0 && dup2(output[1], STDERR_FILENO) < 0)
		return STAGE_STDERR;
	/* Before exec: whatever the workload starts inherits it. */
	if ((spawn->cpus ? linux_affinity_set(0, spawn->cpus) : linux_mask_give(&spawn->mask)) != 0)
		return STAGE_AFFINITY;
	scheduling_restore(spawn->user);
	execvp(spawn->command[0], spawn->command);
	return STAGE_EXEC;
}

static _Noreturn void child(const struct spawn *spawn, pid_t parent, const struct exec_report *report)
{
	/* The contained die with their init. */
	if (!spawn->containment)
		exec_report_die_with(parent);
	setpgid(0, 0);
	const enum start_stage stage = become(spawn);
	exec_report_fail(report, (int)stage, errno);
}

pid_t spawn(const struct spawn *spawn, enum start_stage *stage)
{
	sigset_t all;
	sigset_t before;
	struct exec_report report;
	enum start_stage reached = STAGE_FORK;
	*stage = STAGE_FORK;
	if (exec_report_open(&report) != 0)
		return -1;
	report.tie = spawn->tie ? spawn->tie : -1;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	const pid_t parent = getpid();
	const struct scheduling_lent lent = scheduling_before_fork(spawn->user);
	const pid_t pid = spawn->containment ? containment_fork(spawn->containment, spawn->user, &reached) : fork();
	struct exec_failure failure = {.stage = (int)reached, .error = errno};
	if (pid == 0)
		child(spawn, parent, &report);
	scheduling_after_fork(spawn->user, &lent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!exec_report_read(&report, pid, &failure) && pid > 0)
		return pid;
	if (pid > 0 && spawn->containment)
		containment_abandon(spawn->containment);
	else if (pid > 0)
		waitpid(pid, NULL, 0);
	*stage = (enum start_stage)failure.stage;
	errno = failure.error;
	return -1;
}

bool spawn_hands_input_on(unsigned workloads)
{
	return workloads == 1 && !isatty(STDIN_FILENO);
}
