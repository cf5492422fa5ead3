/* SPDX-License-Identifier: MIT */
/* Who traces a process learns what it died of, before its parent does. */
#include "strike.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static bool has_ended(pid_t pid)
{
	char path[64];
	char state = 'X';
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return true;
	/* Names of the tool's processes have no brackets. */
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'X';
	fclose(file);
	return state == 'X' || state == 'Z';
}

static bool crash(pid_t pid, int signal)
{
	int status;
	uint64_t none = 0;
	ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		return false;
	kill(pid, signal);
	ptrace(PTRACE_SETSIGMASK, pid, sizeof none, &none);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return true;
}

bool strike(struct strikes *strikes, pid_t pid, int signal, int which)
{
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
		/* Where tracing isn't permitted, the moment between is taken for none. */
		return !has_ended(pid) && kill(pid, SIGKILL) == 0;
	if (signal != SIGKILL)
		return crash(pid, signal);
	kill(pid, SIGKILL);
	if (strikes->count < STRIKES_MAX)
		strikes->item[strikes->count++] = (struct strike){pid, signal, which};
	return true;
}

void strikes_settle(struct strikes *strikes, void (*died)(void *context, const struct strike *strike, bool of_it), void *context)
{
	for (unsigned i = 0; i < strikes->count; i++) {
		int status = 0;
		pid_t pid;
		do
			pid = waitpid(strikes->item[i].pid, &status, __WALL);
		while ((pid < 0 && errno == EINTR) || (pid > 0 && WIFSTOPPED(status)));
		died(context, &strikes->item[i], pid > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	strikes->count = 0;
}
