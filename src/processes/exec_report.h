/* SPDX-License-Identifier: MIT */
/*
 * How a new process tells its parent that it could not become a command.
 *
 * The parent opens the report, forks, and reads it. The child executes the command, which closes the report, or fails and says so
 * in it. So the parent knows that the command runs, or why it doesn't, and takes no failure for an exit status of the command.
 */
#ifndef PROCESSES_EXEC_REPORT_H
#define PROCESSES_EXEC_REPORT_H

#include <stdbool.h>
#include <sys/types.h>

/* Ends of a pipe, owned by the parent until it has read; -1: closed. */
struct exec_report {
	int from, to;
	int tie; /* whose end ends the waiting, a pidfd of the caller's; -1: nobody's */
};

#define EXEC_REPORT_NONE ((struct exec_report){-1, -1, -1})

struct exec_failure {
	int stage; /* how far the child came, a number of the caller's */
	int error; /* errno */
};

/*
 * A close-on-exec pipe whose ends lie above the standard descriptors, even where those are closed: a child that redirects its own
 * does not lose them. ends[0] is to read from, ends[1] to write to. 0, or -1 with errno and both ends -1.
 */
int pipe_above_standard(int ends[static 2]);

/* 0, or -1 with errno and a report that is NONE. */
int exec_report_open(struct exec_report *report);

/* In the child, first of all: it dies by SIGKILL when the thread that forked it does, and at once if that has gone. */
void exec_report_die_with(pid_t parent);

/* In the child, when the command can't be executed. Reports and ends the process. Async-signal-safe. */
_Noreturn void exec_report_fail(const struct exec_report *report, int stage, int error);

/*
 * In the parent, after the fork, also when that failed: closes the report. With a child (more than 0) it first waits until that is
 * executed or has failed. Returns whether it has failed, as *failure says; where there is no telling it is killed, with errno in
 * failure->error (EOWNERDEAD: the tie has ended before). Who has failed is to be reaped by the caller.
 */
bool exec_report_read(struct exec_report *report, pid_t child, struct exec_failure *failure);

/*
 * exec_report_read for a program that ends when its command can't be executed. Takes what fork returned, and errno. Returns 0: the
 * command runs. Else the status to exit with, and errno: EXIT_TROUBLE when there is no child, or that of exec_report_status; a
 * child is gone then, and reaped.
 */
int exec_report_wait(struct exec_report *report, pid_t child);

/* The exit status, as of a shell, for a command that can't be executed: 127 when it isn't there, else 126. */
int exec_report_status(int error);

#endif
