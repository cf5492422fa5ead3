/* SPDX-License-Identifier: MIT */
#include "sstrace/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"

#define PROGRAM "ssimport"
#define PATH_LONGEST 4096

extern char **environ;

/* The one that lies beside this program, or the first one in the PATH. */
static const char *find_program(char path[static PATH_LONGEST])
{
	const ssize_t length = readlink("/proc/self/exe", path, PATH_LONGEST - sizeof PROGRAM - 1);
	char *const slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
	if (!slash)
		return PROGRAM;
	memcpy(slash + 1, PROGRAM, sizeof PROGRAM);
	return access(path, X_OK) == 0 ? path : PROGRAM;
}

/* 0, or -1 after a message. */
static int start(const char *const *words, int input, int output, const char *name, pid_t *child)
{
	char path[PATH_LONGEST];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	sigemptyset(&none);
	int error = posix_spawn_file_actions_init(&actions);
	if (error == 0 && (error = posix_spawnattr_init(&attributes)) != 0)
		posix_spawn_file_actions_destroy(&actions);
	if (error != 0)
		return diag_refuse("%s: %s", name, strerror(error));
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	if (input >= 0)
		error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (error == 0 && output >= 0)
		error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (error == 0)
		error = posix_spawnp(child, find_program(path), &actions, &attributes, (char *const *)words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (error == ENOENT)
		return diag_refuse("%s: found what is no trace, expected " PROGRAM
				   " to read it, which isn't there (Debian package "
				   "showstopper-report)",
			name);
	return error == 0 ? 0 : diag_refuse("can't run " PROGRAM ": %s", strerror(error));
}

/* 0 if it succeeded, or -1 after a message, which is its own if it ended by itself. */
static int finish(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return diag_refuse("can't wait for " PROGRAM ": %s", strerror(errno));
	if (WIFSIGNALED(status))
		return diag_refuse(PROGRAM " was killed by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status) == 0 ? 0 : -1;
}

int foreign_read(const char *const *words, int input, const char *name, struct trace *trace)
{
	char error[TRACE_ERROR_MAX] = "";
	int end[2] = {-1, -1};
	pid_t child = -1;
	if (trace && pipe2(end, O_CLOEXEC) != 0)
		return diag_refuse("%s: %s", name, strerror(errno));
	int result = start(words, input, end[1], name, &child);
	if (trace)
		close(end[1]);
	if (result == 0) {
		const int read = trace ? trace_read(trace, end[0], name, TRACE_COPY_MAX, error) : 0;
		if (trace)
			close(end[0]);
		result = finish(child);
		/* What a program that failed wrote is no trace, and it has said why. */
		if (result == 0 && read != 0)
			result = diag_refuse("%s", error);
	} else if (trace) {
		close(end[0]);
	}
	return result;
}
