/* SPDX-License-Identifier: MIT */
#include "cpuload/command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"

#define STATUS_CANT_EXECUTE 126
#define STATUS_NOT_FOUND 127

/* A signal that was ignored at the start stays ignored, as nohup needs it. */
void signals_take(struct signals *signals, bool has_command)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP}, passed_on[] = {SIGQUIT, SIGUSR1, SIGUSR2};
	struct sigaction action;
	sigemptyset(&signals->fetched);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&signals->fetched, ending[i]);
	for (size_t i = 0; has_command && i < sizeof passed_on / sizeof *passed_on; i++)
		if (sigaction(passed_on[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&signals->fetched, passed_on[i]);
	if (has_command) {
		sigaddset(&signals->fetched, SIGCHLD);
		signal(SIGCHLD, SIG_DFL);
		/* Whoever reads the rows may leave; the command must be waited for all the same. */
		signals->ignores_pipe = sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler != SIG_IGN;
		if (signals->ignores_pipe)
			signal(SIGPIPE, SIG_IGN);
	}
	sigprocmask(SIG_BLOCK, &signals->fetched, &signals->before);
}

/* In the new process: executes the command, or reports why that failed. */
static _Noreturn void become(char **command, const struct signals *signals, int report)
{
	if (signals->ignores_pipe)
		signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
	execvp(command[0], command);
	const int error = errno;
	/* When the report can't be written either, the end of the pipe without one says the same as success; nothing can be done. */
	_exit(write(report, &error, sizeof error) < 0 ? EXIT_TROUBLE : STATUS_NOT_FOUND);
}

int command_start(char **command, const struct signals *signals, pid_t *pid)
{
	int report[2], error = 0;
	if (pipe2(report, O_CLOEXEC) != 0) {
		diag("can't execute '%s': %s", command[0], strerror(errno));
		return EXIT_TROUBLE;
	}
	const pid_t child = fork();
	if (child == 0)
		become(command, signals, report[1]);
	const int saved = errno;
	close(report[1]);
	ssize_t got = -1;
	if (child > 0)
		while ((got = read(report[0], &error, sizeof error)) < 0 && errno == EINTR)
			;
	close(report[0]);
	if (child > 0 && got == 0) {
		*pid = child;
		return 0;
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	else
		error = saved;
	diag("can't execute '%s': %s", command[0], strerror(error));
	if (child < 0)
		return EXIT_TROUBLE;
	return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANT_EXECUTE;
}
