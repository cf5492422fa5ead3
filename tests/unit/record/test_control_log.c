/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/output.h"
#include "record/control_log.h"

#define HEADER "time_s,monotonic_s,target,load,estimate,duty,runnable,others"

static char path[64];

#define open_log(...) control_log_open(output_open(path, O_TRUNC), &(struct control_log_columns){__VA_ARGS__}, false)

static int enter(void **state)
{
	(void)state;
	strcpy(path, "/tmp/test_control_log.XXXXXX");
	const int fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int leave(void **state)
{
	(void)state;
	return unlink(path);
}

static const char *text_of_log(void)
{
	static char text[65536];
	const int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	const ssize_t length = read(fd, text, sizeof text - 1);
	close(fd);
	assert_true(length >= 0);
	text[length] = '\0';
	return text;
}

static const struct record row = {.end_ns = 12500000000,
	.length_ns = 500000000,
	.target = 0.25,
	.load = 0.26,
	.estimate = 0.2612345678,
	.duty = 0.5,
	.runnable = 1.5,
	.others = 0.03125};
#define ROW "2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250\n"

static void rows_have_the_columns_of_the_header(void **state)
{
	(void)state;
	struct control_log *log = open_log(.workloads = 0);
	assert_non_null(log);
	assert_string_equal(text_of_log(), HEADER "\n"); /* at once */
	assert_int_equal(control_log_add(log, &row, 10000000000), 0);
	assert_string_equal(text_of_log(), HEADER "\n" ROW); /* at once, too */
	struct record none = {.end_ns = 8000000000, .target = NAN, .load = NAN, .estimate = NAN, .duty = NAN, .others = NAN};
	assert_int_equal(control_log_add(log, &none, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	/* What there is not is empty; the warm-up has negative times. */
	assert_string_equal(text_of_log(), HEADER "\n" ROW "-2.000000,8.000000,,,,,0.000000,\n");
}

static void the_pinning_comes_last(void **state)
{
	(void)state;
	const double duties[] = {0.25};
	struct record record = row;
	record.duties = duties;
	record.pinning = "per-chip";
	struct control_log *log = open_log(.workloads = 1, .pinning = true);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_string_equal(text_of_log(), HEADER
		",duty_00,pinning\n2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,0.250000,per-chip\n");
}

static void the_unit_is_said_where_it_is_cores(void **state)
{
	(void)state;
	struct control_log *log = open_log(.unit = true);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &row, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_string_equal(
		text_of_log(), HEADER ",unit\n2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,core\n");
}

static void the_wall_clock_comes_last_of_all(void **state)
{
	(void)state;
	struct record record = row;
	record.end_unix_ns = 1767225600000012999;
	struct control_log *log = open_log(.unit = true, .wall = true);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_string_equal(text_of_log(), HEADER ",unit,time_unix_s\n2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,"
						  "1.500000,0.031250,core,1767225600.000012\n");
}

static void instances_have_columns_of_their_own(void **state)
{
	(void)state;
	const double duties[] = {0, NAN, 1};
	struct record record = row;
	record.duties = duties;
	struct control_log *log = open_log(.workloads = 3);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_string_equal(text_of_log(), HEADER ",duty_00,duty_01,duty_02\n2.500000,12.500000,0.250000,0.260000,0.261235,0."
						  "500000,1.500000,0.031250,0.000000,,1.000000\n");
}

static void events_have_columns_where_they_are_asked_for(void **state)
{
	(void)state;
	char lacks[2][LINUX_COUNTER_ERROR_MAX] = {"", "it can't be had"};
	/* Of all and of two groups, by event. */
	struct linux_counter_reading interval[6] = {{30, 10, 10}, {0}, {10, 10, 5}, {0}, {20, 10, 10}, {0}};
	const struct counted counted = {.events = {.count = 2, .event = {{.name = "cycles:u"}, {.name = "cpu/x=1/"}}},
		.lacks = lacks,
		.groups = 2,
		.interval = interval,
		.interval_s = 0.5};
	struct record record = row;
	record.power_w = 41.25;
	struct control_log *log = open_log(.power = true, .counted = &counted);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_string_equal(text_of_log(), HEADER
		",power_w,cycles_u_per_s,cycles_u_g0_per_s,cycles_u_g1_per_s,cpu_x_1_per_s,cpu_x_1_g0_per_s,cpu_x_1_g1_per_s\n"
		"2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,41.250000,60.000000,40.000000,"
		"40.000000,,,\n");
}

static void power_has_a_column_where_it_is_asked_for(void **state)
{
	(void)state;
	const double duties[] = {0.25};
	struct record record = row;
	record.duties = duties;
	record.power_w = 41.25;
	struct control_log *log = open_log(.power = true, .workloads = 1);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	record.power_w = NAN;
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_string_equal(text_of_log(), HEADER
		",power_w,duty_00\n2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,41.250000,0.250000\n"
		"2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,,0.250000\n");
}

/* Only where there are free workloads. */
static void free_load_comes_after_that_of_others(void **state)
{
	(void)state;
	struct record record = row;
	record.free = 0.5;
	record.power_w = 41.25;
	struct control_log *log = open_log(.free = true, .power = true);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	record.free = NAN;
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_string_equal(text_of_log(), HEADER
		",free,power_w\n2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,0.500000,41.250000\n"
		"2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,,41.250000\n");
}

static void instance_columns_are_as_wide_as_the_largest_number(void **state)
{
	(void)state;
	struct control_log *log = open_log(.workloads = 1);
	assert_non_null(log);
	control_log_close(log);
	assert_string_equal(text_of_log(), HEADER ",duty_00\n");
	log = open_log(.workloads = 101);
	assert_non_null(log);
	control_log_close(log);
	const char *text = text_of_log();
	assert_non_null(strstr(text, HEADER ",duty_000,duty_001,"));
	assert_non_null(strstr(text, ",duty_099,duty_100\n"));
}

static void no_minus_zero(void **state)
{
	(void)state;
	struct record record = {.end_ns = 999999999,
		.target = -0.0,
		.load = -0.0,
		.estimate = -1e-9,
		.duty = 0,
		.runnable = -0.0,
		.others = -0.0};
	struct control_log *log = open_log(.workloads = 0);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &record, 1000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_string_equal(text_of_log(), HEADER "\n0.000000,1.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000\n");
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
	(void)state;
	errno = 0;
	assert_null(control_log_open(output_open("/nonexistent/log", O_TRUNC), &(struct control_log_columns){0}, false));
	assert_int_equal(errno, ENOENT);
	for (int never_waits = 0; never_waits < 2; never_waits++) {
		errno = 0;
		assert_null(control_log_open(output_open("/dev/full", O_TRUNC), &(struct control_log_columns){0}, never_waits));
		assert_int_equal(errno, ENOSPC);
	}
	assert_int_equal(control_log_close(NULL), 0);
}

/* A file that may not grow as far as a row needs: what was written of the row is taken back. */
static void half_a_row_is_taken_back(void **state)
{
	(void)state;
	struct rlimit before;
	struct control_log *log = open_log(.workloads = 0);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &row, 10000000000), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	struct rlimit limit = before;
	limit.rlim_cur = strlen(HEADER "\n" ROW) + 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	errno = 0;
	const int result = control_log_add(log, &row, 10000000000);
	const int error = errno;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(result, -1);
	assert_int_equal(error, EFBIG);
	assert_string_equal(text_of_log(), HEADER "\n" ROW);
	/* With room again the log goes on as if nothing had been. */
	assert_int_equal(control_log_add(log, &row, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_string_equal(text_of_log(), HEADER "\n" ROW ROW);
}

static void *read_slowly(void *context)
{
	char *text = context;
	size_t used = 0;
	const int fd = open(path, O_RDONLY);
	for (ssize_t got = 1; fd >= 0 && got > 0; used += got > 0 ? (size_t)got : 0)
		got = read(fd, text + used, 7);
	text[used] = '\0';
	close(fd);
	return NULL;
}

static void a_pipe_will_do(void **state)
{
	(void)state;
	static char text[4096];
	pthread_t reader;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_slowly, text), 0);
	struct control_log *log = open_log(.workloads = 0);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &row, 10000000000), 0);
	assert_int_equal(control_log_add(log, &row, 10000000000), 0);
	assert_int_equal(control_log_close(log), 0);
	assert_int_equal(pthread_join(reader, NULL), 0);
	assert_string_equal(text, HEADER "\n" ROW ROW);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(rows_have_the_columns_of_the_header),
		TEST(the_unit_is_said_where_it_is_cores),
		TEST(the_wall_clock_comes_last_of_all),
		TEST(instances_have_columns_of_their_own),
		TEST(power_has_a_column_where_it_is_asked_for),
		TEST(events_have_columns_where_they_are_asked_for),
		TEST(free_load_comes_after_that_of_others),
		TEST(the_pinning_comes_last),
		TEST(instance_columns_are_as_wide_as_the_largest_number),
		TEST(no_minus_zero),
		TEST(a_file_that_cannot_be_written_is_an_error),
		TEST(half_a_row_is_taken_back),
		TEST(a_pipe_will_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
