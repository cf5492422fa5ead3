/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/diag.h"
#include "processes/exec_report.h"

/* Forks a child that executes the command, and says at stage 5 that it can't. */
static pid_t begin_with(struct exec_report *report, const char *file, const char *script)
{
	ck_assert_int_eq(exec_report_open(report), 0);
	const pid_t child = fork();
	if (child == 0) {
		execl(file, file, "-c", script, (char *)NULL);
		exec_report_fail(report, 5, errno);
	}
	ck_assert_int_gt(child, 0);
	return child;
}

static pid_t begin(struct exec_report *report, const char *file)
{
	return begin_with(report, file, "exit 3");
}

static int status_of(pid_t child)
{
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Both ends are closed: the number of the lower one is free again. */
static void expect_closed(const struct exec_report *report, int lowest)
{
	ck_assert_int_eq(report->from, -1);
	ck_assert_int_eq(report->to, -1);
	const int next = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, lowest);
	ck_assert_int_eq(next, lowest);
	close(next);
}

START_TEST(what_is_executed_says_nothing)
{
	struct exec_report report;
	struct exec_failure failure = {1, 2};
	const pid_t child = begin(&report, "/bin/sh");
	const int lowest = report.from;
	ck_assert_int_eq(exec_report_read(&report, child, &failure), 0);
	expect_closed(&report, lowest);
	ck_assert_int_eq(failure.stage, 1);
	ck_assert_int_eq(failure.error, 2);
	ck_assert_int_eq(status_of(child), 3);
}
END_TEST

START_TEST(a_failure_comes_with_its_stage)
{
	struct exec_report report;
	struct exec_failure failure = {0};
	const pid_t child = begin(&report, "/nonexistent");
	const int lowest = report.from;
	ck_assert_int_eq(exec_report_read(&report, child, &failure), 1);
	expect_closed(&report, lowest);
	ck_assert_int_eq(failure.stage, 5);
	ck_assert_int_eq(failure.error, ENOENT);
	ck_assert_int_eq(status_of(child), 127);
}
END_TEST

START_TEST(a_report_that_nobody_reads_changes_the_status)
{
	int status;
	struct exec_report report;
	ck_assert_int_eq(exec_report_open(&report), 0);
	const pid_t child = fork();
	if (child == 0) {
		signal(SIGPIPE, SIG_IGN);
		close(report.from);
		while (poll(&(struct pollfd){.fd = report.to, .events = 0}, 1, -1) < 0)
			;
		exec_report_fail(&report, 0, ENOENT);
	}
	close(report.from);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 126);
	close(report.to);
}
END_TEST

START_TEST(without_a_child_there_is_nothing_to_wait_for)
{
	struct exec_report report;
	struct exec_failure failure = {1, 2};
	ck_assert_int_eq(exec_report_open(&report), 0);
	const int lowest = report.from;
	errno = EAGAIN;
	ck_assert_int_eq(exec_report_read(&report, -1, &failure), 0);
	ck_assert_int_eq(errno, EAGAIN);
	expect_closed(&report, lowest);
	ck_assert_int_eq(failure.stage, 1);
}
END_TEST

START_TEST(what_can_t_be_read_is_told_from_success)
{
	struct exec_report report;
	struct exec_failure failure = {1, 2};
	const pid_t child = begin_with(&report, "/bin/sh", "exec sleep 1000");
	close(report.from);
	report.from = open("/", O_RDONLY | O_CLOEXEC);
	int status;
	ck_assert_int_eq(exec_report_read(&report, child, &failure), 1);
	ck_assert_int_eq(failure.error, EISDIR);
	/* It must not run unseen. */
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
END_TEST

static void expect_none(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

START_TEST(a_program_gets_the_status_to_end_with)
{
	struct exec_report report;
	const pid_t child = begin(&report, "/bin/sh");
	ck_assert_int_eq(exec_report_wait(&report, child), 0);
	ck_assert_int_eq(status_of(child), 3);
	ck_assert_int_eq(exec_report_wait(&report, begin(&report, "/nonexistent")), 127);
	ck_assert_int_eq(errno, ENOENT);
	expect_none();
	ck_assert_int_eq(exec_report_wait(&report, begin(&report, "/dev/null/file")), 127);
	ck_assert_int_eq(errno, ENOTDIR);
	expect_none();
	ck_assert_int_eq(exec_report_wait(&report, begin(&report, "/")), 126);
	ck_assert_int_eq(errno, EACCES);
	expect_none();
	/* The fork failed, or nothing could be opened for it. */
	report = EXEC_REPORT_NONE;
	errno = EAGAIN;
	ck_assert_int_eq(exec_report_wait(&report, -1), EXIT_TROUBLE);
	ck_assert_int_eq(errno, EAGAIN);
}
END_TEST

START_TEST(what_can_t_tell_how_it_fares_is_ended)
{
	struct exec_report report;
	ck_assert_int_eq(exec_report_open(&report), 0);
	const pid_t child = fork();
	if (child == 0)
		for (;;)
			pause();
	close(report.from);
	report.from = open("/", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(exec_report_wait(&report, child), 126);
	ck_assert_int_eq(errno, EISDIR);
	expect_none();
}
END_TEST

static void on_signal(int number)
{
	(void)number;
}

START_TEST(a_signal_doesn_t_end_the_waiting)
{
	const struct sigaction action = {.sa_handler = on_signal};
	struct exec_report report;
	sigaction(SIGUSR1, &action, NULL);
	ck_assert_int_eq(exec_report_open(&report), 0);
	const pid_t parent = getpid();
	const pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 5; i++) {
			poll(NULL, 0, 20);
			kill(parent, SIGUSR1);
		}
		exec_report_fail(&report, 0, ENOEXEC);
	}
	ck_assert_int_eq(exec_report_wait(&report, child), 126);
	ck_assert_int_eq(errno, ENOEXEC);
}
END_TEST

/* The process in between dies before its child asks to die with it (_i is 0), or after that. */
START_TEST(a_child_dies_with_its_parent)
{
	int status, ready[2], go[2];
	char byte;
	pid_t grandchild = 0;
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(go, O_CLOEXEC), 0);
	const pid_t between = fork();
	if (between == 0) {
		const pid_t self = getpid();
		if (fork() == 0) {
			const pid_t own = getpid();
			close(go[1]);
			if (_i == 1)
				exec_report_die_with(self);
			if (write(ready[1], &own, sizeof own) != sizeof own)
				_exit(1);
			if (_i == 0 && read(go[0], &byte, 1) == 0)
				exec_report_die_with(self);
			for (;;)
				pause();
		}
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &grandchild, sizeof grandchild), sizeof grandchild);
	kill(between, SIGKILL);
	ck_assert_int_eq(waitpid(between, NULL, 0), between);
	close(go[1]);
	ck_assert_int_eq(waitpid(grandchild, &status, 0), grandchild);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGKILL);
}
END_TEST

START_TEST(statuses_are_those_of_a_shell)
{
	ck_assert_int_eq(exec_report_status(ENOENT), 127);
	ck_assert_int_eq(exec_report_status(ENOTDIR), 127);
	ck_assert_int_eq(exec_report_status(EPERM), 126);
	ck_assert_int_eq(exec_report_status(EACCES), 126);
	ck_assert_int_eq(exec_report_status(ENOEXEC), 126);
	ck_assert_int_eq(exec_report_status(ENOMEM), 126);
}
END_TEST

int main(void)
{
	Suite *const suite = suite_create("exec_report");
	TCase *const tests = tcase_create("all");
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, what_is_executed_says_nothing);
	tcase_add_test(tests, a_failure_comes_with_its_stage);
	tcase_add_test(tests, a_report_that_nobody_reads_changes_the_status);
	tcase_add_test(tests, without_a_child_there_is_nothing_to_wait_for);
	tcase_add_test(tests, what_can_t_be_read_is_told_from_success);
	tcase_add_test(tests, a_program_gets_the_status_to_end_with);
	tcase_add_test(tests, what_can_t_tell_how_it_fares_is_ended);
	tcase_add_test(tests, a_signal_doesn_t_end_the_waiting);
	tcase_add_loop_test(tests, a_child_dies_with_its_parent, 0, 2);
	tcase_add_test(tests, statuses_are_those_of_a_shell);
	suite_add_tcase(suite, tests);
	SRunner *const runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
