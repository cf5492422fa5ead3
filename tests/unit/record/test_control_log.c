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

#define NEXT_ROW "3.000000,13.000000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250\n"

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
	assert_int_equal(control_log_close(log, NULL), 0);
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
	assert_int_equal(control_log_close(log, NULL), 0);
	assert_string_equal(text_of_log(), HEADER
		",duty_00,pinning\n2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,0.250000,per-chip\n");
}

static void the_unit_is_said_where_it_is_cores(void **state)
{
	(void)state;
	struct control_log *log = open_log(.unit = true);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &row, 10000000000), 0);
	assert_int_equal(control_log_close(log, NULL), 0);
	assert_string_equal(
		text_of_log(), HEADER ",unit\n2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,core\n");
}

static void the_wall_clock_comes_last_of_all(void **state)
{
	(void)state;
	struct record record = row;
	record.end_unix_ns = 1767225600000012999;
	record.trace_s = 360;
	struct control_log *log = open_log(.unit = true, .trace = true, .wall = true);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	assert_int_equal(control_log_close(log, NULL), 0);
	assert_string_equal(text_of_log(),
		HEADER ",unit,trace_s,time_unix_s\n2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,"
		       "1.500000,0.031250,core,360.000000,1767225600.000012\n");
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
	assert_int_equal(control_log_close(log, NULL), 0);
	assert_string_equal(text_of_log(), HEADER ",duty_00,duty_01,duty_02\n2.500000,12.500000,0.250000,0.260000,0.261235,0."
						  "500000,1.500000,0.031250,0.000000,,1.000000\n");
}

static void what_is_watched_has_columns_by_name(void **state)
{
	(void)state;
	const struct watch watch[] = {{.name = "db"}, {.name = "nginx_service"}};
	const double loads[] = {0.125, NAN};
	struct record record = row;
	record.watched = loads;
	struct control_log *log = open_log(.watch = watch, .watches = 2);
	assert_non_null(log);
	assert_int_equal(control_log_add(log, &record, 10000000000), 0);
	assert_int_equal(control_log_close(log, NULL), 0);
	assert_string_equal(text_of_log(),
		HEADER ",watch_db,watch_nginx_service\n2.500000,12.500000,0.250000,0.260000,0.261235,0."
		       "500000,1.500000,0.031250,0.125000,\n");
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
	assert_int_equal(control_log_close(log, NULL), 0);
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
	assert_int_equal(control_log_close(log, NULL), 0);
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
	assert_int_equal(control_log_close(log, NULL), 0);
	assert_string_equal(text_of_log(), HEADER
		",free,power_w\n2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,0.500000,41.250000\n"
		"2.500000,12.500000,0.250000,0.260000,0.261235,0.500000,1.500000,0.031250,,41.250000\n");
}

/* In the same order; of zones, workloads and events it has the first, or the form. */
static void the_manual_has_every_column(void **state)
{
	(void)state;
	const struct counted counted = {.events = {.count = 1, .event = {{.name = "EVENT"}}}, .groups = 1};
	const struct linux_power_zone zone = {.name = "package-0"};
	struct control_log *const log = open_log(.free = true, .power = true, .counted = &counted, .zone = &zone, .zones = 1,
		.workloads = 1, .pinning = true, .unit = true, .wall = true);
	assert_non_null(log);
	assert_int_equal(control_log_close(log, NULL), 0);
	char header[1024], line[1024], entry[64];
	strcpy(header, text_of_log());
	char *rest = header;
	FILE *const manual = fopen(SHOWSTOPPER_SOURCE "/src/showstopper.1", "r");
	assert_non_null(manual);
	for (char *name; (name = strsep(&rest, ",\n")) && *name;) {
		const bool is_event = strcmp(name, "EVENT_per_s") == 0;
		snprintf(entry, sizeof entry, is_event ? ".It Ar EVENT Ns Li _per_s" : ".It Li %s", name);
		const size_t length = strlen(entry);
		do
			if (!fgets(line, sizeof line, manual))
				fail_msg("the manual has no entry for %s, or not there", name);
		while (strncmp(line, entry, length) != 0 || !strchr(" \n", line[length]));
	}
	fclose(manual);
}

static void instance_columns_are_as_wide_as_the_largest_number(void **state)
{
	(void)state;
	struct control_log *log = open_log(.workloads = 1);
	assert_non_null(log);
	control_log_close(log, NULL);
	assert_string_equal(text_of_log(), HEADER ",duty_00\n");
	log = open_log(.workloads = 101);
	assert_non_null(log);
	control_log_close(log, NULL);
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
	assert_int_equal(control_log_close(log, NULL), 0);
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
	assert_int_equal(control_log_close(NULL, NULL), 0);
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
	/* With room again the log goes on as if nothing had been; the row before says what is missing. */
	struct record next = row;
	next.end_ns += 500000000;
	struct control_log_loss loss;
	assert_int_equal(control_log_add(log, &next, 10000000000), 0);
	assert_int_equal(control_log_close(log, &loss), 0);
	assert_string_equal(text_of_log(), HEADER "\n" ROW "2.500000,12.500000,0.250000,,,,,\n" NEXT_ROW);
	assert_int_equal(loss.ns, 500000000);
	assert_int_equal(loss.at_end_ns, 0);
}

/* From here on the file may not grow beyond so many bytes, or (0) as before. */
static void limit_file(size_t length)
{
	static struct rlimit before;
	signal(SIGXFSZ, SIG_IGN);
	if (!before.rlim_max)
		assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	struct rlimit limit = before;
	if (length)
		limit.rlim_cur = length;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static const double halves[] = {0.5, 0.5};

/* Row `number` of a run, of half a second, which has other targets every time and a wall clock. */
static struct record row_number(int number)
{
	struct record record = row;
	record.end_ns = 10000000000 + number * INT64_C(500000000);
	record.end_unix_ns = INT64_C(1767225600000000000) + record.end_ns;
	record.target = 0.1 * number;
	record.duties = halves;
	record.pinning = "per-core";
	return record;
}

static int add_number(struct control_log *log, int number)
{
	const struct record record = row_number(number);
	return control_log_add(log, &record, 10000000000);
}

/* Its times and its mean target are all that is known; it ends where the next row begins, also after a pause. */
static void a_row_marks_what_is_missing(void **state)
{
	(void)state;
	struct control_log_loss loss;
	struct control_log *log =
		open_log(.free = true, .power = true, .workloads = 2, .pinning = true, .unit = true, .wall = true);
	assert_non_null(log);
	assert_int_equal(add_number(log, 1), 0);
	limit_file(strlen(text_of_log()) + 10);
	for (int i = 2; i < 4; i++)
		assert_int_equal(add_number(log, i), -1);
	limit_file(0);
	struct record record = row_number(4);
	record.end_ns += 60000000000;
	assert_int_equal(control_log_add(log, &record, 70000000000), 0);
	assert_int_equal(control_log_close(log, &loss), 0);
	assert_non_null(strstr(text_of_log(), ",core,1767225610.500000\n"
					      "1.500000,71.500000,0.250000,,,,,,,,,,,core,1767225611.500000\n"
					      "2.000000,72.000000,0.400000,0.260000,"));
	assert_int_equal(loss.ns, 1000000000);
	assert_int_equal(loss.at_end_ns, 0);
}

/* A shorter row may still have room where a whole one has none. */
static void the_end_is_marked_where_that_fits(void **state)
{
	(void)state;
	static const size_t room[] = {40, 10};
	for (size_t i = 0; i < 2; i++) {
		struct control_log_loss loss;
		char text[CONTROL_LOG_LOSS_MAX];
		struct control_log *log = open_log(.workloads = 0);
		assert_non_null(log);
		assert_int_equal(add_number(log, 1), 0);
		char *const before = strdup(text_of_log());
		limit_file(strlen(before) + room[i]);
		assert_int_equal(add_number(log, 2), -1);
		assert_int_equal(add_number(log, 3), -1);
		assert_int_equal(control_log_close(log, &loss), 0);
		limit_file(0);
		assert_int_equal(loss.ns, 1000000000);
		assert_int_equal(loss.at_end_ns, 1000000000);
		assert_string_equal(control_log_describe(&loss, text), "the last 1.000 s of the run are in no row");
		assert_memory_equal(text_of_log(), before, strlen(before));
		assert_string_equal(text_of_log() + strlen(before), i ? "" : "1.500000,11.500000,0.250000,,,,,\n");
		free(before);
	}
}

/* All that the pipe took arrives when its reader wakes up, and one row marks what it had no room for. */
static void rows_that_nobody_reads_are_missing(void **state)
{
	(void)state;
	static char text[1 << 21];
	struct control_log_loss loss;
	size_t used = 0;
	int number = 1;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	const int reader = open(path, O_RDWR | O_NONBLOCK);
	struct control_log *log = control_log_open(output_open(path, O_TRUNC), &(struct control_log_columns){0}, true);
	assert_non_null(log);
	while (add_number(log, number) == 0)
		assert_true(++number < 1000000);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(add_number(log, number + 1), -1);
	for (ssize_t got; (got = read(reader, text + used, sizeof text - 1 - used)) > 0;)
		used += (size_t)got;
	assert_int_equal(add_number(log, number + 2), 0);
	assert_int_equal(control_log_close(log, &loss), 0);
	assert_int_equal(loss.ns, 1000000000);
	assert_int_equal(loss.at_end_ns, 0);
	used += (size_t)read(reader, text + used, sizeof text - 1 - used);
	close(reader);
	text[used] = '\0';
	size_t rows = 0;
	for (const char *at = strchr(text, '\n'); at; at = strchr(at + 1, '\n'))
		rows++;
	assert_int_equal(rows, 1 + number + 1); /* the header, those before, the mark, the last one */
	char mark[64];
	snprintf(mark, sizeof mark, "\n%.6f,%.6f,", 0.5 * (number + 1), 10 + 0.5 * (number + 1));
	assert_non_null(strstr(text, mark));
	assert_non_null(strstr(strstr(text, mark), ",,,,,\n"));
}

#define INSTANCES 1000

/* A row that is longer than PIPE_BUF goes out in two parts, of which the reader never takes the second. */
static void half_a_row_at_the_end_is_told(void **state)
{
	(void)state;
	struct control_log_loss loss;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	const int reader = open(path, O_RDWR | O_NONBLOCK);
	struct control_log *log =
		control_log_open(output_open(path, O_TRUNC), &(struct control_log_columns){.workloads = INSTANCES}, true);
	assert_non_null(log);
	struct record record = row_number(1);
	record.duties = calloc(INSTANCES, sizeof *record.duties);
	assert_non_null(record.duties);
	while (control_log_add(log, &record, 10000000000) == 0)
		record.end_ns += record.length_ns;
	free((double *)record.duties);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(control_log_close(log, &loss), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(loss.ns, 1000000000);
	assert_int_equal(loss.at_end_ns, 1000000000);
	close(reader);
}

static void two_holes_are_told_apart(void **state)
{
	(void)state;
	struct control_log_loss loss;
	char text[CONTROL_LOG_LOSS_MAX];
	struct control_log *log = open_log(.workloads = 0);
	assert_non_null(log);
	limit_file(strlen(HEADER) + 5);
	assert_int_equal(add_number(log, 1), -1);
	limit_file(0);
	assert_int_equal(add_number(log, 2), 0);
	limit_file(strlen(text_of_log()) + 5);
	assert_int_equal(add_number(log, 3), -1);
	assert_int_equal(add_number(log, 4), -1);
	assert_int_equal(control_log_close(log, &loss), 0);
	limit_file(0);
	assert_non_null(strstr(text_of_log(), HEADER "\n0.500000,10.500000,0.100000,,,,,\n1.000000,11.000000,0.200000,0.26"));
	assert_string_equal(control_log_describe(&loss, text), "1.500 s of the run are in no row, the last 1.000 s among them");
	loss.at_end_ns = 0;
	assert_string_equal(control_log_describe(&loss, text), "1.500 s of the run are in no row");
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
	assert_int_equal(control_log_close(log, NULL), 0);
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
		TEST(what_is_watched_has_columns_by_name),
		TEST(free_load_comes_after_that_of_others),
		TEST(the_pinning_comes_last),
		TEST(the_manual_has_every_column),
		TEST(instance_columns_are_as_wide_as_the_largest_number),
		TEST(no_minus_zero),
		TEST(a_file_that_cannot_be_written_is_an_error),
		TEST(half_a_row_is_taken_back),
		TEST(a_row_marks_what_is_missing),
		TEST(the_end_is_marked_where_that_fits),
		TEST(rows_that_nobody_reads_are_missing),
		TEST(half_a_row_at_the_end_is_told),
		TEST(two_holes_are_told_apart),
		TEST(a_pipe_will_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
