/* SPDX-License-Identifier: MIT */
/* A child and a grandchild are a run; the test process is another one, which looks at them. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "processes/attached.h"

#define NO_MARK (-1)

static int ends[2];

static void enter(void)
{
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	ck_assert_int_eq(pipe(ends), 0);
}

static void leave(void)
{
	close(ends[0]);
	close(ends[1]);
}

_Noreturn static void live_with(int mark)
{
	const pid_t self = getpid();
	if (mark != NO_MARK)
		run_mark_set((enum run_mark)mark);
	if (write(ends[1], &self, sizeof self) != sizeof self)
		_exit(1);
	for (;;)
		pause();
}

static pid_t hear(void)
{
	pid_t pid = -1;
	ck_assert_int_eq(read(ends[0], &pid, sizeof pid), sizeof pid);
	return pid;
}

/* A process with a mark, or NO_MARK, and a child of it that has one. */
static void start(int mark, int mark_of_child, pid_t *parent, pid_t *child)
{
	*parent = fork();
	ck_assert_int_ge(*parent, 0);
	if (*parent == 0) {
		if (mark != NO_MARK)
			run_mark_set((enum run_mark)mark);
		if (fork() == 0)
			live_with(mark_of_child);
		for (;;)
			pause();
	}
	*child = hear();
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(what_has_no_mark_above_it_is_found_in_no_run)
{
	pid_t parent, child;
	start(NO_MARK, NO_MARK, &parent, &child);
	ck_assert_int_eq(run_mark_find(parent), 0);
	ck_assert_int_eq(run_mark_find(child), 0);
	ck_assert_int_eq(run_mark_find(1), 0);
	ck_assert_int_eq(run_mark_find(0x7fffffff), 0);
	end(parent);
	end(child);
}
END_TEST

START_TEST(all_below_a_master_or_executor_is_of_its_run)
{
	pid_t parent, child;
	start(RUN_MARK_WITHIN, NO_MARK, &parent, &child);
	ck_assert_int_eq(run_mark_find(parent), parent);
	ck_assert_int_eq(run_mark_find(child), parent);
	/* The run is over. */
	end(parent);
	ck_assert_int_eq(run_mark_find(parent), 0);
	ck_assert_int_eq(run_mark_find(child), 0);
	end(child);
}
END_TEST

START_TEST(a_child_that_a_guardian_had_before_is_not_of_its_run)
{
	pid_t parent, child;
	start(RUN_MARK_GUARDIAN, NO_MARK, &parent, &child);
	ck_assert_int_eq(run_mark_find(parent), parent);
	ck_assert_int_eq(run_mark_find(child), 0);
	end(parent);
	end(child);
	start(RUN_MARK_GUARDIAN, RUN_MARK_WITHIN, &parent, &child);
	ck_assert_int_eq(run_mark_find(child), child);
	end(parent);
	end(child);
}
END_TEST

START_TEST(a_mark_is_set_by_the_process_itself)
{
	pid_t parent, child;
	char path[64];
	start(NO_MARK, NO_MARK, &parent, &child);
	snprintf(path, sizeof path, "/proc/%d/limits", (int)child);
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(fcntl(file, F_SETLK, &(struct flock){.l_type = F_RDLCK, .l_whence = SEEK_SET}), 0);
	/* Another process looks: its own locks nobody sees. */
	const pid_t other = fork();
	if (other == 0)
		_exit(run_mark_find(child) == 0 ? 0 : 1);
	int status;
	ck_assert_int_eq(waitpid(other, &status, 0), other);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(file);
	end(parent);
	end(child);
}
END_TEST

START_TEST(ones_own_mark_does_not_count_and_outlives_a_look)
{
	run_mark_set(RUN_MARK_WITHIN);
	ck_assert_int_eq(run_mark_find(getpid()), 0);
	pid_t parent, child;
	start(NO_MARK, NO_MARK, &parent, &child);
	ck_assert_int_eq(run_mark_find(child), 0);
	const pid_t other = fork();
	if (other == 0)
		_exit(run_mark_find(child) == getppid() ? 0 : 1);
	int status;
	ck_assert_int_eq(waitpid(other, &status, 0), other);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	/* Neither does a process that it forks end it by clearing or setting its own. */
	const pid_t forked = fork();
	if (forked == 0) {
		run_mark_clear();
		run_mark_set(RUN_MARK_GUARDIAN);
		run_mark_clear();
		_exit(run_mark_find(child) == getppid() ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(forked, &status, 0), forked);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	run_mark_clear();
	const pid_t last = fork();
	if (last == 0)
		_exit(run_mark_find(child) == 0 ? 0 : 1);
	ck_assert_int_eq(waitpid(last, &status, 0), last);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	end(parent);
	end(child);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("linux_run_mark");
	TCase *tests = tcase_create("all");
	tcase_add_checked_fixture(tests, enter, leave);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, what_has_no_mark_above_it_is_found_in_no_run);
	tcase_add_test(tests, all_below_a_master_or_executor_is_of_its_run);
	tcase_add_test(tests, a_child_that_a_guardian_had_before_is_not_of_its_run);
	tcase_add_test(tests, a_mark_is_set_by_the_process_itself);
	tcase_add_test(tests, ones_own_mark_does_not_count_and_outlives_a_look);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
