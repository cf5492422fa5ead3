/* SPDX-License-Identifier: MIT */
#include "cpuload/command.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "processes/command.h"
#include "processes/exec_report.h"

/* In the new process: executes the command, or reports why that failed. */
static _Noreturn void become(char **command, const struct signals_kept *kept, const struct exec_report *report)
{
	signals_give_back(kept);
	execvp(command[0], command);
	exec_report_fail(report, 0, errno);
}

static int refuse(char **command, int status)
{
	diag("can't execute '%s': %s", command[0], strerror(errno));
	return status;
}

int command_check(char **command)
{
	char path[PATH_MAX];
	return command_find(command[0], NULL, path) == 0 ? 0 : refuse(command, exec_report_status(errno));
}

int command_start(char **command, const struct signals_kept *kept, pid_t *pid)
{
	struct exec_report report = EXEC_REPORT_NONE;
	pid_t child = -1;
	if (exec_report_open(&report) == 0)
		child = fork();
	if (child == 0)
		become(command, kept, &report);
	const int status = exec_report_wait(&report, child);
	if (status != 0)
		return refuse(command, status);
	*pid = child;
	return 0;
}
