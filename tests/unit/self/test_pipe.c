/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <check.h>

#include "processes/exec_report.h"

START_TEST(the_ends_lie_above_the_standard_descriptors)
{
	int ends[2], saved[3];
	for (int i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
		close(i);
	}
	const int result = pipe_above_standard(ends);
	const int first_free = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < 3; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	ck_assert_int_eq(result, 0);
	/* None of those that were free is taken for good. */
	ck_assert_int_eq(first_free, 0);
	ck_assert_int_gt(ends[0], 2);
	ck_assert_int_gt(ends[1], 2);
	ck_assert_int_ne(ends[0], ends[1]);
	char byte = 0;
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	ck_assert_int_eq(byte, 'x');
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(fcntl(ends[i], F_GETFD), FD_CLOEXEC);
		close(ends[i]);
	}
}
END_TEST

static int count_open(void)
{
	int open_files = 0;
	for (int i = 0; i < 64; i++)
		open_files += fcntl(i, F_GETFD) >= 0;
	return open_files;
}

/* For a moment it takes four descriptors; there is room for fewer. */
START_TEST(what_fails_leaves_nothing_open)
{
	const int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_gt(lowest, 2);
	close(lowest);
	ck_assert_int_lt(lowest, 60);
	const int open_before = count_open();
	struct rlimit before, limit;
	int ends[2] = {7, 7};
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)lowest + (rlim_t)_i;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	const int result = pipe_above_standard(ends);
	const int error = errno;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(result, -1);
	ck_assert_int_eq(error, EMFILE);
	ck_assert_int_eq(ends[0], -1);
	ck_assert_int_eq(ends[1], -1);
	ck_assert_int_eq(count_open(), open_before);
}
END_TEST

int main(void)
{
	Suite *const suite = suite_create("pipe");
	TCase *const test = tcase_create("pipe");
	tcase_add_test(test, the_ends_lie_above_the_standard_descriptors);
	tcase_add_loop_test(test, what_fails_leaves_nothing_open, 0, 4);
	suite_add_tcase(suite, test);
	SRunner *const runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed > 0;
}
