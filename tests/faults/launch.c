/* SPDX-License-Identifier: MIT */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Who writes to it has its reading end, too, so that it never breaks. */
static int open_full_pipe(int writing_end)
{
	char name[32];
	const char byte = 0;
	fcntl(writing_end, F_SETPIPE_SZ, 4096);
	fcntl(writing_end, F_SETFL, O_NONBLOCK);
	snprintf(name, sizeof name, "/proc/self/fd/%d", writing_end);
	const int both = open(name, O_RDWR | O_CLOEXEC);
	while (write(writing_end, &byte, 1) == 1)
		;
	return both;
}

static int open_output(const struct trial *trial)
{
	int ends[2];
	if (trial->plan.output == OUTPUT_KEPT || pipe2(ends, O_CLOEXEC) != 0)
		return trial->output;
	const int output = trial->plan.output == OUTPUT_FULL ? open_full_pipe(ends[1]) : ends[1];
	close(ends[0]);
	return output;
}

/* As a login has them, whatever is ignored here (nohup, the background of a shell). */
static void take_default_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
}

static void become(const struct trial *trial)
{
	const struct settings *settings = trial->settings;
	const struct plan *plan = &trial->plan;
	struct plan_command command;
	plan_command(plan, settings, trial->attached, trial->group, &command);
	/* A session of its own, as a login has: whoever adopts its orphans stands outside. */
	setsid();
	take_default_signals();
	const int output = open_output(trial);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	setenv(CENSUS_MARK, trial->mark, 1);
	if (settings->tool != TOOL_CPULIMIT_ATTACHED)
		execvp(command.argument[0], (char *const *)command.argument);
	else if (fork() > 0)
		_exit(0); /* the workload is an orphan: nobody's child but ours */
	else
		execl(settings->workload, settings->workload, plan_workload(plan->kind), (char *)NULL);
	perror(command.argument[0]);
	_exit(125);
}

bool launch_can_hold(const char *program, enum actuator actuator)
{
	int status = 1;
	const pid_t pid = fork();
	if (pid == 0) {
		const int null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execlp(program, program, "-a", actuator_name(actuator), "-T", "0", "--dry-run", "true", (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return pid > 0 && status == 0;
}

/* If there is one. */
static void enter_group(const struct trial *trial)
{
	char path[512];
	if (!trial->group[0])
		return;
	snprintf(path, sizeof path, "%s/cgroup.procs", trial->group);
	const int members = open(path, O_WRONLY | O_CLOEXEC);
	if (members < 0 || write(members, "0", 1) != 1)
		abort();
	close(members);
}

/* Forks, and returns in the parent once the child has executed something. */
static pid_t fork_until_exec(void)
{
	int ends[2];
	char byte;
	if (pipe2(ends, O_CLOEXEC) != 0)
		_exit(125);
	const pid_t pid = fork();
	if (pid == 0)
		return 0;
	close(ends[1]);
	while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(ends[0]);
	return pid;
}

pid_t launch_attached(const struct trial *trial)
{
	char instance[16];
	const pid_t pid = fork_until_exec();
	if (pid != 0)
		return pid;
	setsid();
	take_default_signals();
	snprintf(instance, sizeof instance, "%d", ATTACHED_INSTANCE);
	setenv("SHOWSTOPPER_INSTANCE", instance, 1);
	setenv(CENSUS_MARK, trial->mark, 1);
	enter_group(trial);
	execl(trial->settings->workload, trial->settings->workload, plan_workload(trial->plan.kind), (char *)NULL);
	_exit(125);
}

pid_t launch(const struct trial *trial)
{
	const pid_t pid = fork_until_exec();
	if (pid == 0)
		become(trial);
	return pid;
}

pid_t launch_beside(struct trial *trial)
{
	char number[32];
	pid_t workload = 0;
	waitpid(launch(trial), NULL, 0);
	census_take(&trial->census, trial->mark);
	for (size_t i = 0; i < trial->census.count && !workload; i++)
		if (trial->census.item[i].parent == getpid())
			workload = trial->census.item[i].pid;
	snprintf(number, sizeof number, "%d", (int)workload);
	const pid_t pid = fork();
	if (pid == 0) {
		setsid();
		dup2(trial->output, STDOUT_FILENO);
		dup2(trial->output, STDERR_FILENO);
		execlp(trial->settings->program, trial->settings->program, "-q", "-l", "50", "-p", number, (char *)NULL);
		_exit(125);
	}
	return pid;
}
