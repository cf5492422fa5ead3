/* SPDX-License-Identifier: MIT */
#include "ssiterate/command.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "processes/exec_report.h"
#include "processes/process_handle.h"
#include "self/signals.h"

static int attach(const struct stream *stream, int pipe_end)
{
	return pipe_end < 0 ? 0 : dup2(pipe_end, stream->to);
}

/* In the new process: executes the command, or reports why that failed. */
static _Noreturn void become(
	const struct iterate *iterate, pid_t parent, const int write_end[static 2], const struct exec_report *report)
{
	char *const *const command = iterate->settings->command;
	exec_report_die_with(parent);
	signals_give_back(&iterate->kept);
	if (attach(&iterate->stream[0], write_end[0]) >= 0 && attach(&iterate->stream[1], write_end[1]) >= 0)
		execvp(command[0], command);
	exec_report_fail(report, 0, errno);
}

static bool is_watched(const struct settings *settings, int to)
{
	return settings->match &&
	       (settings->stream == STREAM_BOTH || (settings->stream == STREAM_STDOUT) == (to == STDOUT_FILENO));
}

/* A signal of the terminal that came just before the command was there has not reached it. */
static void pass_pending_on(const struct iterate *iterate)
{
	sigset_t pending;
	sigpending(&pending);
	for (int number = 1; number < SIGRTMIN; number++)
		if (signals_is_ending(number) && sigismember(&pending, number) == 1)
			kill(iterate->command, number);
}

/* Makes the pipes for the outputs that are looked at. 0, or -1 with errno. */
static int open_streams(struct iterate *iterate, int write_end[static 2])
{
	for (int i = 0; i < 2; i++) {
		int ends[2];
		struct stream *const stream = &iterate->stream[i];
		stream->from = write_end[i] = -1;
		if (!is_watched(iterate->settings, stream->to))
			continue;
		if (pipe_above_standard(ends) != 0)
			return -1;
		stream->from = ends[0];
		write_end[i] = ends[1];
	}
	return 0;
}

int command_refuse(const char *command)
{
	const int status = exec_report_status(errno);
	diag("can't execute '%s': %s", command, strerror(errno));
	return status;
}

int command_start(struct iterate *iterate)
{
	int write_end[2] = {-1, -1};
	struct exec_report report = EXEC_REPORT_NONE;
	pid_t child = -1;
	const pid_t parent = getpid();
	if (open_streams(iterate, write_end) == 0 && exec_report_open(&report) == 0)
		child = fork();
	if (child == 0)
		become(iterate, parent, write_end, &report);
	const int error = errno;
	for (int i = 0; i < 2; i++)
		if (write_end[i] >= 0)
			close(write_end[i]);
	errno = error;
	const int status = exec_report_wait(&report, child);
	if (status != 0) {
		command_refuse(iterate->settings->command[0]);
		return status;
	}
	iterate->command = child;
	iterate->has_run = true;
	pass_pending_on(iterate);
	return 0;
}

void command_signal_all(struct iterate *iterate, int number)
{
	for (size_t i = 0; i < iterate->victims.count; i++) {
		const struct process victim = process_of(&iterate->victims.item[i].process);
		process_signal(&victim, number);
	}
	if (iterate->command > 0)
		kill(iterate->command, number);
}

void command_finish(struct iterate *iterate)
{
	iterate->is_over = true;
	if (iterate->command <= 0 || iterate->is_told)
		return;
	iterate->is_told = true;
	/* A list that can't be had is an empty one: then the command alone is told. */
	descendants_list(iterate->command, &iterate->victims);
	command_signal_all(iterate, SIGTERM);
	iterate->kill_ns = clock_now() + iterate->settings->grace_ns;
}

static void reap(struct iterate *iterate)
{
	if (iterate->command <= 0 || waitpid(iterate->command, &iterate->wait_status, WNOHANG) != iterate->command)
		return;
	iterate->ended_ns = clock_now();
	iterate->command = 0;
}

void command_fetch_signals(struct iterate *iterate)
{
	struct signalfd_siginfo info;
	while (read(iterate->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		const int number = (int)info.ssi_signo;
		if (number == SIGCHLD) {
			reap(iterate);
			continue;
		}
		/*
		 * One of the terminal (that is, of the kernel) has reached the command already: it is in the same process group.
		 */
		if (iterate->command > 0 && info.ssi_code <= 0)
			kill(iterate->command, number);
		if (signals_is_ending(number)) {
			iterate->is_over = true;
			if (!iterate->told_by)
				iterate->told_by = number;
		}
	}
}
