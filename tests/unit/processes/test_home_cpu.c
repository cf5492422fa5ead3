/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "processes/home_cpu.h"

static unsigned count(pid_t process)
{
	cpu_set_t set;
	ck_assert_int_eq(sched_getaffinity(process, sizeof set, &set), 0);
	return (unsigned)CPU_COUNT(&set);
}

/* Whatever there is: with a single processor, all home processors are the same. */
START_TEST(home_cpus_differ)
{
	struct linux_mask mask;
	cpu_set_t before;
	cpu_set_t after;
	ck_assert_int_eq(sched_getaffinity(0, sizeof before, &before), 0);
	ck_assert_int_eq(linux_mask_take(&mask), 0);
	const unsigned usable = count(0);
	for (unsigned number = 0; number < 2 * usable; number++) {
		linux_home_cpu_go(&mask, number);
		ck_assert_int_eq(sched_getaffinity(0, sizeof after, &after), 0);
		ck_assert(CPU_EQUAL(&before, &after));
	}
	linux_mask_free(&mask);
	/* Not known: nothing is done. */
	linux_home_cpu_go(&mask, 1);
	ck_assert_int_eq(linux_mask_give(&mask), 0);
	ck_assert_uint_eq(count(0), usable);
}
END_TEST

START_TEST(a_narrow_mask_is_given_back)
{
	struct linux_mask mask;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	ck_assert_int_eq(linux_mask_take(&mask), 0);
	linux_home_cpu_go(&mask, 5);
	ck_assert_uint_eq(count(0), 1);
	ck_assert_int_eq(linux_mask_give(&mask), 0);
	ck_assert_uint_eq(count(0), 1);
	linux_mask_free(&mask);
}
END_TEST

/* Two children: one sleeps, and its sibling fetches it. */
START_TEST(a_sibling_is_fetched_and_woken)
{
	const struct timespec limit = {.tv_sec = 60};
	sigset_t wanted;
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, &wanted, NULL), 0);
	const pid_t sleeper = fork();
	if (sleeper == 0)
		_exit(sigtimedwait(&wanted, NULL, &limit) == SIGUSR1 && count(0) == 1 ? 0 : 1);
	const pid_t fetcher = fork();
	if (fetcher == 0)
		_exit(linux_home_cpu_fetch(sleeper, SIGUSR1) == 0 ? 0 : 1);
	int status;
	ck_assert_int_eq(waitpid(fetcher, &status, 0), fetcher);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(waitpid(sleeper, &status, 0), sleeper);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* A number that somebody else has by now. */
START_TEST(nobody_else_is_touched)
{
	const unsigned usable = count(0);
	const pid_t child = fork();
	if (child == 0)
		_exit(linux_home_cpu_fetch(getppid(), SIGUSR1) == -1 && errno == ESRCH ? 0 : 1);
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(count(0), usable);
	ck_assert_int_eq(linux_home_cpu_fetch(child, SIGUSR1), -1);
	ck_assert_int_eq(errno, ESRCH);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("home_cpu");
	TCase *tests = tcase_create("home_cpu");
	tcase_add_test(tests, home_cpus_differ);
	tcase_add_test(tests, a_narrow_mask_is_given_back);
	tcase_add_test(tests, a_sibling_is_fetched_and_woken);
	tcase_add_test(tests, nobody_else_is_touched);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
