/* SPDX-License-Identifier: MIT */
/* Whole runs of which some processes are killed are in tests/faults. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "supervise/obligations.h"

static pid_t child[2];
static struct obligations owed;
static struct config config;

/* Two processes that are attached, and a workload that is started before them; the last row is the live line's. */
static void enter(void)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(dup2(nowhere, STDERR_FILENO), STDERR_FILENO);
	close(nowhere);
	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		ck_assert_int_ge(child[i], 0);
		if (child[i] == 0)
			for (;;)
				pause();
	}
	config = (struct config){.attach = child, .attaches = 2, .workloads = 3, .root = ""};
	ck_assert_int_eq(obligations_take_on(&owed, &config), 0);
	owed.groups = workload_groups_new();
	owed.last_row = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	ck_assert(owed.groups && owed.last_row >= 0);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(attached_enter(owed.attached[i].table, 0, &owed.attached[i].process), 0);
}

static void leave(void)
{
	obligations_free(&owed);
	for (int i = 0; i < 2; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
}

static void stop_both(void)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(kill(child[i], SIGSTOP), 0);
		ck_assert_int_eq(waitpid(child[i], NULL, WUNTRACED), child[i]);
	}
}

static bool goes_on(unsigned which)
{
	int status;
	return waitpid(child[which], &status, WCONTINUED | WNOHANG) == child[which] && WIFCONTINUED(status);
}

static bool is_row_given_back(void)
{
	eventfd_t count;
	const bool was_held = eventfd_read(owed.last_row, &count) == 0;
	ck_assert_int_eq(eventfd_write(owed.last_row, 1), 0);
	return !was_held;
}

START_TEST(what_one_executor_left_is_let_go)
{
	for (unsigned workload = 0; workload < 3; workload++) {
		stop_both();
		obligations_release(&owed, workload);
		for (unsigned i = 0; i < 2; i++) {
			ck_assert_int_eq(goes_on(i), workload == i + 1);
			kill(child[i], SIGCONT);
			ck_assert_int_eq(goes_on(i), workload != i + 1);
		}
		ck_assert(!is_row_given_back());
	}
}
END_TEST

/* By whoever is left: guardian or master, or an executor. Again does no harm. */
START_TEST(all_is_undone_by_who_is_left)
{
	for (int again = 0; again < 2; again++) {
		stop_both();
		if (_i == 0)
			obligations_settle(&owed, true);
		else
			obligations_settle_abandoned(&owed);
		ck_assert(goes_on(0));
		ck_assert(goes_on(1));
		ck_assert(!is_row_given_back());
	}
}
END_TEST

/* Who was let go may have been stopped by its user since. */
START_TEST(who_was_let_go_is_left_alone)
{
	stop_both();
	obligations_settle(&owed, false);
	ck_assert(!goes_on(0));
	ck_assert(!goes_on(1));
}
END_TEST

START_TEST(before_anything_was_opened_nothing_is_owed)
{
	workload_groups_free(owed.groups);
	owed.groups = NULL;
	close(owed.last_row);
	owed.last_row = -1;
	obligations_settle(&owed, true);
}
END_TEST

START_TEST(what_is_refused_leaves_nothing_to_free)
{
	struct obligations none;
	pid_t self = getpid();
	const struct config refused = {.attach = &self, .attaches = 1, .workloads = 1, .root = ""};
	ck_assert_int_eq(obligations_take_on(&none, &refused), -1);
}
END_TEST

int main(void)
{
	Suite *const suite = suite_create("obligations");
	TCase *const tests = tcase_create("obligations");
	tcase_add_checked_fixture(tests, enter, leave);
	tcase_add_test(tests, what_one_executor_left_is_let_go);
	tcase_add_loop_test(tests, all_is_undone_by_who_is_left, 0, 2);
	tcase_add_test(tests, who_was_let_go_is_left_alone);
	tcase_add_test(tests, before_anything_was_opened_nothing_is_owed);
	tcase_add_test(tests, what_is_refused_leaves_nothing_to_free);
	suite_add_tcase(suite, tests);
	SRunner *const runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
