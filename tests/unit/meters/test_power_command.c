/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "meters/power_command.h"

#define EVERY INT64_C(200000000)
/* On a busy machine a shell takes its time. */
#define PATIENCE INT64_C(30000000000)

static char text[LINUX_POWER_COMMAND_TEXT_MAX];

/* Until a call says so. */
#define wait_for(condition)                                                                                                      \
	do {                                                                                                                     \
		const int64_t deadline = clock_now() + PATIENCE;                                                                 \
		bool is_so;                                                                                                      \
		while (!(is_so = (condition)) && clock_now() < deadline)                                                         \
			clock_sleep_until(clock_now() + INT64_C(5000000));                                                       \
		assert_true(is_so);                                                                                              \
	} while (0)

static double parse(const char *answer)
{
	return linux_power_command_parse(answer, strlen(answer));
}

static void an_answer_is_one_number(void **state)
{
	(void)state;
	assert_true(parse("42.5\n") == 42.5);
	assert_true(parse(" \t0\r\n\n") == 0);
	assert_true(parse("1.5e2") == 150);
	static const char *const wrong[] = {"", "\n", "42 W\n", "4 2", "-1", "nan", "inf", "1e10", "watts"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_true(isnan(parse(wrong[i])));
}

static void what_it_says_is_the_power(void **state)
{
	(void)state;
	double watts = NAN;
	struct linux_power_command *const power = linux_power_command_open("echo 42.5", EVERY, NULL, NULL);
	assert_non_null(power);
	wait_for(!isnan(watts = linux_power_command_watts(power)));
	assert_true(watts == 42.5);
	assert_false(linux_power_command_complaint(power, text));
	assert_true(linux_power_command_process(power) > 0);
	const pid_t asker = linux_power_command_process(power);
	linux_power_command_close(power);
	assert_int_equal(kill(asker, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void a_failure_is_told_once(void **state)
{
	(void)state;
	struct linux_power_command *const power = linux_power_command_open("echo 5; exit 7", EVERY, NULL, NULL);
	assert_non_null(power);
	wait_for(isnan(linux_power_command_watts(power)) && linux_power_command_complaint(power, text));
	assert_string_equal(text, "it ended with status 7");
	assert_true(isnan(linux_power_command_watts(power)));
	assert_false(linux_power_command_complaint(power, text));
	linux_power_command_close(power);
}

/* The first line alone would look like a right answer. */
static void several_lines_are_told(void **state)
{
	(void)state;
	struct linux_power_command *const power = linux_power_command_open("echo; echo 42.5; echo 43", EVERY, NULL, NULL);
	assert_non_null(power);
	wait_for(isnan(linux_power_command_watts(power)) && linux_power_command_complaint(power, text));
	assert_string_equal(text, "found several lines, '42.5' and more, expected one number of watts");
	linux_power_command_close(power);
}

static void a_command_that_is_killed_is_told(void **state)
{
	(void)state;
	struct linux_power_command *const power = linux_power_command_open("kill -9 $$", EVERY, NULL, NULL);
	assert_non_null(power);
	wait_for(isnan(linux_power_command_watts(power)) && linux_power_command_complaint(power, text));
	assert_string_equal(text, "it was killed by signal 9 (Killed)");
	linux_power_command_close(power);
}

static void an_asker_that_is_gone_says_nothing(void **state)
{
	(void)state;
	struct linux_power_command *const power = linux_power_command_open("echo 5", EVERY, NULL, NULL);
	assert_non_null(power);
	wait_for(!isnan(linux_power_command_watts(power)));
	kill(linux_power_command_process(power), SIGKILL);
	wait_for(isnan(linux_power_command_watts(power)));
	assert_true(linux_power_command_complaint(power, text));
	assert_string_equal(text, "the process that asks it was killed");
	linux_power_command_close(power);
	linux_power_command_close(NULL);
}

static void an_asker_that_is_stopped_ends_with_its_parent(void **state)
{
	int ends[2];
	pid_t asker = 0;
	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	assert_int_equal(pipe(ends), 0);
	const pid_t parent = fork();
	if (parent == 0) {
		struct linux_power_command *const power = linux_power_command_open("echo 5", EVERY, NULL, NULL);
		while (isnan(linux_power_command_watts(power)))
			clock_sleep_until(clock_now() + INT64_C(5000000));
		asker = linux_power_command_process(power);
		kill(asker, SIGSTOP);
		_exit(write(ends[1], &asker, sizeof asker) != sizeof asker);
	}
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	assert_int_equal(read(ends[0], &asker, sizeof asker), sizeof asker);
	const int64_t deadline = clock_now() + PATIENCE;
	pid_t reaped;
	while ((reaped = waitpid(asker, NULL, WNOHANG)) == 0 && clock_now() < deadline)
		clock_sleep_until(clock_now() + INT64_C(5000000));
	if (reaped == 0)
		kill(asker, SIGKILL);
	assert_int_equal(reaped, asker);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_one_number),
		cmocka_unit_test(what_it_says_is_the_power),
		cmocka_unit_test(a_failure_is_told_once),
		cmocka_unit_test(several_lines_are_told),
		cmocka_unit_test(a_command_that_is_killed_is_told),
		cmocka_unit_test(an_asker_that_is_gone_says_nothing),
		cmocka_unit_test(an_asker_that_is_stopped_ends_with_its_parent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
