/* SPDX-License-Identifier: MIT */
/* With an event of software, which every machine counts; where it isn't permitted there is little to test. */
#include "record/counted.h"

#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct linux_counter_events events_of(const char *names)
{
	struct linux_counter_events events;
	char error[LINUX_COUNTER_ERROR_MAX] = "";
	if (linux_counter_events_parse(names, &events, error) != 0)
		fail_msg("%s", error);
	return events;
}

static void expect_name(const struct counted *counted, size_t column, const char *expected)
{
	char name[COUNTED_COLUMN_MAX];
	counted_column_name(counted, column, name);
	assert_string_equal(name, expected);
}

static void columns(void **unused)
{
	(void)unused;
	const struct linux_counter_events events = events_of("cs,L1-dcache-loads");
	const unsigned one[] = {0, 0}, two[] = {0, 1, 1};
	struct counted counted = {0};
	assert_int_equal(counted_columns(&counted), 0);
	counted_start(&counted);
	counted_take(&counted, true);
	counted_close(&counted);
	assert_int_equal(counted_open(&counted, "", &events, 2, one), 0);
	assert_int_equal(counted_columns(&counted), 2);
	expect_name(&counted, 0, "context_switches_per_s");
	expect_name(&counted, 1, "L1_dcache_loads_per_s");
	counted_close(&counted);
	assert_int_equal(counted_open(&counted, "", &events, 3, two), 0);
	assert_int_equal(counted_columns(&counted), 6);
	expect_name(&counted, 0, "context_switches_per_s");
	expect_name(&counted, 1, "context_switches_g0_per_s");
	expect_name(&counted, 2, "context_switches_g1_per_s");
	expect_name(&counted, 5, "L1_dcache_loads_g1_per_s");
	counted_close(&counted);
}

/* What a workload does when a byte comes through the pipe: faults. */
static void start_workload(struct counted *counted, const int go[static 2], pid_t *executor)
{
	assert_int_equal(counted_before_fork(counted), 0);
	*executor = fork();
	if (*executor == 0) {
		char byte;
		counted_in_child(counted);
		close(go[1]);
		if (read(go[0], &byte, 1) == 1 && fork() == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(127);
		}
		wait(NULL);
		_exit(0);
	}
	counted_after_fork(counted);
}

static void sums(void **unused)
{
	(void)unused;
	const struct linux_counter_events events = events_of("page-faults,no_such_unit/config=1/");
	const unsigned group[] = {0, 1, 1};
	struct counted counted;
	int go[2];
	pid_t executor[3];
	assert_int_equal(pipe(go), 0);
	assert_int_equal(counted_open(&counted, "", &events, 3, group), 0);
	assert_non_null(strstr(counted_lacks(&counted, 1), "no_such_unit"));
	if (counted_lacks(&counted, 0))
		skip();
	for (int i = 0; i < 3; i++)
		start_workload(&counted, go, &executor[i]);
	for (int i = 0; i < 3; i++) {
		struct pollfd sent = {.fd = counted.socket[i], .events = POLLIN};
		assert_int_equal(poll(&sent, 1, 60000), 1);
	}
	counted_start(&counted);
	/* One of them runs its workload, and then all executors end. */
	assert_int_equal(write(go[1], "", 1), 1);
	close(go[1]);
	close(go[0]);
	for (int i = 0; i < 3; i++)
		waitpid(executor[i], NULL, 0);
	counted_take(&counted, true);
	const struct linux_counter_reading all = counted_of_all(&counted, 0), first = counted_of_group(&counted, 0, 0),
					   second = counted_of_group(&counted, 1, 0);
	assert_true(all.value > 0);
	assert_int_equal(first.value + second.value, all.value);
	assert_int_equal(counted_of_workload(&counted, 0, 0).value, first.value);
	assert_int_equal(counted_of_workload(&counted, 1, 0).value + counted_of_workload(&counted, 2, 0).value, second.value);
	assert_true(counted_value(&counted, 0, &all) == (double)all.value);
	assert_true(counted.seconds > 0);
	assert_true(fabs(counted_column(&counted, 0) * counted.seconds - (double)all.value) < 1e-6);
	assert_true(fabs(counted_column(&counted, 2) * counted.seconds - (double)second.value) < 1e-6);
	assert_true(isnan(counted_column(&counted, 3)));
	assert_true(isnan(counted_value(&counted, 1, &all)));
	/* Nothing ran any more; and what doesn't count adds nothing. */
	const double seconds = counted.seconds;
	counted_take(&counted, false);
	assert_true(counted_column(&counted, 0) == 0);
	assert_true(counted.seconds == seconds);
	assert_int_equal(counted_of_all(&counted, 0).value, all.value);
	counted_close(&counted);
}

static void few_files(void **unused)
{
	(void)unused;
	const struct linux_counter_events events = events_of("page-faults,cs");
	const unsigned group[20] = {0};
	struct rlimit before;
	struct counted counted;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	const struct rlimit few = {100, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(counted_open(&counted, "", &events, 20, group), 0);
	assert_string_equal(counted_lacks(&counted, 1),
		"2 events of 20 workloads take 40 open files and some more, and ulimit -n allows 100");
	assert_null(counted.set);
	assert_int_equal(counted_before_fork(&counted), 0);
	counted_after_fork(&counted);
	counted_start(&counted);
	counted_take(&counted, true);
	assert_true(isnan(counted_column(&counted, 0)));
	counted_close(&counted);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(sums),
		cmocka_unit_test(few_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
