/* SPDX-License-Identifier: MIT */
/* Messages of refusals are looked at by tests/cli/showstopper_attach.sh. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/units.h"
#include "processes/attached.h"

static pid_t child;
static int table;

static void enter(void)
{
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		for (;;)
			pause();
	table = memfd_create("test", MFD_CLOEXEC);
	ck_assert_int_ge(table, 0);
}

static void leave(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(table);
}

static struct process stop_child(void)
{
	struct linux_process process;
	int status;
	kill(child, SIGSTOP);
	ck_assert_int_eq(waitpid(child, &status, WUNTRACED), child);
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(linux_process_read(child, &process), 0);
	return process_of(&process);
}

static bool continues(void)
{
	int status;
	return waitpid(child, &status, WCONTINUED | WNOHANG) == child && WIFCONTINUED(status);
}

START_TEST(what_is_in_the_table_is_continued)
{
	const struct process process = stop_child();
	attached_continue(table); /* nobody */
	ck_assert(!continues());
	ck_assert_int_eq(attached_enter(table, 3, &process), 0); /* the places before it are empty */
	attached_continue(table);
	ck_assert(continues());
}
END_TEST

START_TEST(a_later_process_with_the_number_is_left_alone)
{
	struct process process = stop_child();
	process.start_ticks--;
	ck_assert_int_eq(attached_enter(table, 0, &process), 0);
	attached_continue(table);
	ck_assert(!continues());
	process.start_ticks++;
	process.pid = 0x7fffffff;
	ck_assert_int_eq(attached_enter(table, 1, &process), 0);
	attached_continue(table);
	ck_assert(!continues());
	/* The right one in place of the wrong one. */
	process.pid = child;
	ck_assert_int_eq(attached_enter(table, 0, &process), 0);
	attached_continue(table);
	ck_assert(continues());
}
END_TEST

START_TEST(a_table_that_is_full_says_so)
{
	const struct process process = stop_child();
	ck_assert_int_eq(fcntl(table, F_ADD_SEALS, F_SEAL_GROW), -1); /* seals aren't allowed on it */
	const int sealed = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ck_assert_int_ge(sealed, 0);
	ck_assert_int_eq(fcntl(sealed, F_ADD_SEALS, F_SEAL_GROW), 0);
	ck_assert_int_eq(attached_enter(sealed, 0, &process), -1);
	ck_assert_int_eq(errno, EPERM);
	close(sealed);
}
END_TEST

START_TEST(processes_are_opened_as_they_are)
{
	struct attached *attached;
	ck_assert_int_eq(attached_open(NULL, 0, 0, &attached), 0);
	attached_close(attached, 0);
	ck_assert_int_eq(attached_open(&child, 1, 0, &attached), 0);
	ck_assert_int_eq(attached->process.pid, child);
	ck_assert_str_eq(attached->name, "test_processes_"); /* 15 characters are what the kernel keeps */
	ck_assert_int_eq(fcntl(attached->process.fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(attached->table, F_GETFD), FD_CLOEXEC);
	attached_close(attached, 1);
}
END_TEST

START_TEST(what_must_not_be_stopped_is_refused)
{
	struct attached *attached;
	const pid_t bad[] = {1, getpid(), getppid(), 0x7fffffff};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const pid_t both[] = {child, bad[i]};
		ck_assert_int_eq(attached_open(&bad[i], 1, 0, &attached), -1);
		ck_assert_ptr_null(attached);
		ck_assert_int_eq(attached_open(both, 2, 0, &attached), -1);
		ck_assert_ptr_null(attached);
	}
	kill(child, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(attached_open(&child, 1, 0, &attached), -1); /* a zombie */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("linux_attached");
	TCase *tests = tcase_create("all");
	tcase_add_checked_fixture(tests, enter, leave);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, what_is_in_the_table_is_continued);
	tcase_add_test(tests, a_later_process_with_the_number_is_left_alone);
	tcase_add_test(tests, a_table_that_is_full_says_so);
	tcase_add_test(tests, processes_are_opened_as_they_are);
	tcase_add_test(tests, what_must_not_be_stopped_is_refused);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
