/* SPDX-License-Identifier: MIT */
#include "processes/exec_report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"

#define STATUS_CANT_EXECUTE 126
#define STATUS_NOT_FOUND 127

int pipe_above_standard(int ends[static 2])
{
	int low[2];
	ends[0] = ends[1] = -1;
	if (pipe2(low, O_CLOEXEC) != 0)
		return -1;
	const int from = fcntl(low[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int to = from < 0 ? -1 : fcntl(low[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int error = errno;
	close(low[0]);
	close(low[1]);
	if (to >= 0) {
		ends[0] = from;
		ends[1] = to;
		return 0;
	}
	if (from >= 0)
		close(from);
	errno = error;
	return -1;
}

int exec_report_open(struct exec_report *report)
{
	int ends[2];
	const int result = pipe_above_standard(ends);
	*report = (struct exec_report){.from = ends[0], .to = ends[1], .tie = -1};
	return result;
}

void exec_report_die_with(pid_t parent)
{
	/* Set first, checked after: a parent that died in between is noticed one way or the other. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
}

void exec_report_fail(const struct exec_report *report, int stage, int error)
{
	const struct exec_failure failure = {.stage = stage, .error = error};
	/* When it can't be written, the end of the pipe without it says the same as success; the status is all that is left to tell. */
	_exit(write(report->to, &failure, sizeof failure) < 0 ? STATUS_CANT_EXECUTE : STATUS_NOT_FOUND);
}

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

/* As read(2). A child may wait for as long as it likes, as for the reader of a FIFO. */
static ssize_t read_or_lose(const struct exec_report *report, struct exec_failure *told)
{
	struct pollfd polled[] = {{.fd = report->from, .events = POLLIN}, {.fd = report->tie, .events = POLLIN}};
	while (poll(polled, 2, -1) < 0)
		if (errno != EINTR)
			return -1;
	if (polled[0].revents)
		return read(report->from, told, sizeof *told);
	errno = EOWNERDEAD;
	return -1;
}

bool exec_report_read(struct exec_report *report, pid_t child, struct exec_failure *failure)
{
	ssize_t got = 0;
	struct exec_failure told;
	/* The child has an end of its own; ours would keep the pipe open for ever. */
	close_end(&report->to);
	if (child > 0) {
		do
			got = read_or_lose(report, &told);
		while (got < 0 && errno == EINTR);
	}
	if (got > 0)
		*failure = told;
	/* What can't tell how it fares must not run unseen. */
	if (got < 0) {
		failure->error = errno;
		kill(child, SIGKILL);
	}
	close_end(&report->from);
	return got != 0;
}

int exec_report_wait(struct exec_report *report, pid_t child)
{
	const int error = errno;
	struct exec_failure failure;
	const bool has_failed = exec_report_read(report, child, &failure);
	if (child < 0) {
		errno = error;
		return EXIT_TROUBLE;
	}
	if (!has_failed)
		return 0;
	waitpid(child, NULL, 0);
	errno = failure.error;
	return exec_report_status(failure.error);
}

int exec_report_status(int error)
{
	return error == ENOENT || error == ENOTDIR ? STATUS_NOT_FOUND : STATUS_CANT_EXECUTE;
}
