/* SPDX-License-Identifier: MIT */
/*
 * All signals are blocked over the fork, so that no handler or default action runs in the child before it has the user's
 * dispositions back. How the child tells of a failure: exec_report.h.
 */
#include "os/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "os/affinity.h"
#include "os/exec_report.h"

static int redirect(int to, const char *file, int flags)
{
	const int fd = open(file, flags, 0666);
	if (fd < 0)
		return -1;
	if (fd == to)
		return 0;
	const int result = dup2(fd, to);
	close(fd);
	return result < 0 ? -1 : 0;
}

static enum start_stage become(const struct spawn *spawn)
{
	const int output = O_WRONLY | O_CREAT | (spawn->append ? O_APPEND : O_TRUNC);
	char number[16];
	/* Before anything that could fork. */
	if (spawn->group && workload_group_enter(spawn->group) != 0)
		return STAGE_GROUP;
	snprintf(number, sizeof number, "%u", spawn->index);
	if (setenv("SHOWSTOPPER_INSTANCE", number, 1) != 0)
		return STAGE_FORK;
	if (spawn->directory && chdir(spawn->directory) != 0)
		return STAGE_CHDIR;
	if (!spawn->inherit_stdin && redirect(STDIN_FILENO, "/dev/null", O_RDONLY) != 0)
		return STAGE_STDIN;
	/* Before standard output may become a file. */
	const bool joined = spawn->stderr_file && output_is_stdout(spawn->stderr_file);
	if (joined && dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		return STAGE_STDERR;
	if (spawn->stdout_file && !output_is_stdout(spawn->stdout_file) &&
		redirect(STDOUT_FILENO, spawn->stdout_file, output) != 0)
		return STAGE_STDOUT;
	/* Two descriptors of one file would overwrite each other's output. */
	const bool one_file =
		!joined && spawn->stdout_file && spawn->stderr_file && strcmp(spawn->stdout_file, spawn->stderr_file) == 0;
	if (one_file && dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		return STAGE_STDERR;
	if (spawn->stderr_file && !joined && !one_file && redirect(STDERR_FILENO, spawn->stderr_file, output) != 0)
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
	const int result = exec_report_read(&report, pid, &failure);
	if (pid > 0 && result == 0)
		return pid;
	/* What can't tell how it fares must not run unseen. */
	if (result < 0) {
		failure.error = errno;
		kill(pid, SIGKILL);
	}
	if (pid > 0 && spawn->containment)
		containment_abandon(spawn->containment);
	else if (pid > 0)
		waitpid(pid, NULL, 0);
	*stage = (enum start_stage)failure.stage;
	errno = failure.error;
	return -1;
}

/* 0, ENOENT or EACCES for one candidate. */
static int check_file(const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return errno == ENOTDIR ? ENOENT : errno;
	return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

int spawn_check_command(const char *command, const char *directory)
{
	char path[PATH_MAX];
	int result = ENOENT;
	if (!*command) {
		errno = ENOENT;
		return -1;
	}
	if (strchr(command, '/')) {
		const bool in_directory = directory && *command != '/';
		if (snprintf(path, sizeof path, "%s%s%s", in_directory ? directory : "", in_directory ? "/" : "", command) >=
			(int)sizeof path)
			result = ENAMETOOLONG;
		else
			result = check_file(path);
	} else {
		const char *search = getenv("PATH");
		char *folders = strdup(search ? search : "/bin:/usr/bin");
		char *rest = folders;
		if (!folders)
			return -1;
		for (char *folder; result != 0 && (folder = strsep(&rest, ":"));) {
			if (snprintf(path, sizeof path, "%s/%s", *folder ? folder : ".", command) >= (int)sizeof path)
				continue;
			const int found = check_file(path);
			if (found == 0 || found == EACCES)
				result = found;
		}
		free(folders);
	}
	errno = result;
	return result == 0 ? 0 : -1;
}
