/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "module_test.h"

static struct module_test test;

static double target(int64_t since_ns)
{
	return test.module.trace->target(test.module.state, since_ns);
}

#define EXACT 1e-12
#define S(seconds) ((int64_t)(1e9 * (seconds)))

static char path[] = "/tmp/test_trace_file.XXXXXX";

/* Writes the trace to a file and starts the module with it and further options. */
static const char *replay(const char *text, const char *options)
{
	char all[256];
	FILE *to = fopen(path, "w");
	assert_non_null(to);
	assert_true(fputs(text, to) >= 0);
	assert_int_equal(fclose(to), 0);
	snprintf(all, sizeof all, "%s%s%s", path, *options ? "," : "", options);
	return module_test_load(&test, SST_TRACE, "file", all);
}

static int64_t length(void)
{
	return test.module.trace->length(test.module.state);
}

/* The trace of the paper: 0 1/10, 20s 6/10, … */
static const char saw[] = "0 1/10\n20s 6/10\n40s 1/10\n1M 9/10\n80s 4/10\n100s 9/10\n2M 1/10\n";

static void goes_from_record_to_record(void **state)
{
	(void)state;
	assert_null(replay(saw, ""));
	assert_int_equal(length(), S(120));
	assert_near(target(0), 0.1, EXACT);
	assert_near(target(S(10)), 0.35, EXACT);
	assert_near(target(S(20)), 0.6, EXACT);
	assert_near(target(S(30)), 0.35, EXACT);
	assert_near(target(S(55)), 0.7, EXACT);
	assert_near(target(S(60)), 0.9, EXACT);
	assert_near(target(S(84)), 0.5, EXACT);
	assert_near(target(S(110)), 0.5, EXACT);
	assert_near(target(S(120)), 0.1, EXACT);
	module_test_end(&test);
}

static void goes_back_in_time(void **state)
{
	(void)state;
	assert_null(replay(saw, ""));
	assert_near(target(S(110)), 0.5, EXACT);
	assert_near(target(S(10)), 0.35, EXACT);
	assert_near(target(S(200)), 0.1, EXACT);
	assert_near(target(S(55)), 0.7, EXACT);
	assert_near(target(S(30)), 0.35, EXACT);
	assert_near(target(S(0)), 0.1, EXACT);
	module_test_end(&test);
}

static void holds_before_the_first_and_after_the_last(void **state)
{
	(void)state;
	assert_null(replay("10s 0.2\n20s 0.4\n", ""));
	assert_near(target(0), 0.2, 0);
	assert_near(target(S(9.9)), 0.2, 0);
	assert_near(target(S(15)), 0.3, EXACT);
	assert_near(target(S(20)), 0.4, 0);
	assert_near(target(S(1e6)), 0.4, 0);
	assert_near(target(INT64_MAX), 0.4, 0);
	module_test_end(&test);
}

static void holds_where_the_file_says_step(void **state)
{
	(void)state;
	assert_null(replay("interpolate step\n0 0.2\n10s 0.4\n20s 0.8\n", ""));
	assert_near(target(S(10) - 1), 0.2, 0);
	assert_near(target(S(10)), 0.4, 0);
	assert_near(target(S(20) - 1), 0.4, 0);
	assert_near(target(S(20)), 0.8, 0);
	module_test_end(&test);
}

static void steps_where_two_records_share_a_time(void **state)
{
	(void)state;
	assert_null(replay("0 0.2\n10s 0.4\n10s 0.9\n10s 0.8\n20s 0.6\n", ""));
	assert_near(target(S(5)), 0.3, EXACT);
	assert_near(target(S(10) - 1), 0.4, 1e-9);
	assert_near(target(S(10)), 0.8, 0);
	assert_near(target(S(15)), 0.7, EXACT);
	module_test_end(&test);
	/* At the start and at the end. */
	assert_null(replay("0 0.1\n0 0.2\n10s 0.4\n10s 0.5\n", ""));
	assert_near(target(0), 0.2, 0);
	assert_near(target(S(10)), 0.5, 0);
	module_test_end(&test);
}

static void is_free_until_the_next_record(void **state)
{
	(void)state;
	assert_null(replay("0 free\n10s 0.5\n20s 0.7\n30s free\n40s 0.1\n", ""));
	assert_true(isnan(target(0)));
	assert_true(isnan(target(S(10) - 1)));
	assert_near(target(S(10)), 0.5, 0);
	assert_near(target(S(15)), 0.6, EXACT);
	/* There is no line from a load to none: it holds. */
	assert_near(target(S(25)), 0.7, 0);
	assert_near(target(S(30) - 1), 0.7, 0);
	assert_true(isnan(target(S(30))));
	assert_true(isnan(target(S(35))));
	assert_near(target(S(40)), 0.1, 0);
	module_test_end(&test);
	assert_null(replay("5s free\n5s free\n", "loop"));
	assert_true(isnan(target(0)));
	assert_true(isnan(target(S(99))));
	module_test_end(&test);
}

static void speed_scales_time(void **state)
{
	(void)state;
	assert_null(replay(saw, "speed=3"));
	assert_int_equal(length(), S(40));
	assert_near(target(S(10) / 3), 0.35, 1e-9);
	assert_near(target(S(20)), 0.9, EXACT);
	assert_near(target(S(28)), 0.5, EXACT);
	assert_near(target(S(40)), 0.1, EXACT);
	module_test_end(&test);
	assert_null(replay(saw, "speed=0.5"));
	assert_int_equal(length(), S(240));
	assert_near(target(S(20)), 0.35, EXACT);
	module_test_end(&test);
	/* Paper 000 replays 1,620 s in 1,080 s. */
	assert_null(replay("0 0.5\n1620s 0.5\n", "speed=1.5"));
	assert_int_equal(length(), S(1080));
	module_test_end(&test);
}

static void offset_is_a_time_in_the_trace(void **state)
{
	(void)state;
	assert_null(replay(saw, "offset=80s"));
	assert_int_equal(length(), S(40));
	assert_near(target(0), 0.4, EXACT);
	assert_near(target(S(4)), 0.5, EXACT);
	assert_near(target(S(40)), 0.1, EXACT);
	module_test_end(&test);
	assert_null(replay(saw, "offset=80s,speed=2"));
	assert_int_equal(length(), S(20));
	assert_near(target(S(2)), 0.5, EXACT);
	module_test_end(&test);
	assert_null(replay(saw, "offset=2M"));
	assert_int_equal(length(), 0);
	assert_near(target(0), 0.1, EXACT);
	module_test_end(&test);
	const char *refused = replay(saw, "offset=121s");
	assert_non_null(refused);
	assert_non_null(strstr(refused, "found offset=121s beyond the trace's end, expected up to 120s"));
}

static void loop_starts_again(void **state)
{
	(void)state;
	assert_null(replay(saw, "loop"));
	assert_int_equal(length(), -1);
	for (int64_t lap = 0; lap < 1000; lap += 37) {
		assert_near(target(S(120) * lap), 0.1, EXACT);
		assert_near(target(S(120) * lap + S(30)), 0.35, EXACT);
		assert_near(target(S(120) * lap + S(84)), 0.5, EXACT);
	}
	module_test_end(&test);
	assert_null(replay(saw, "loop,speed=3,offset=100s"));
	assert_int_equal(length(), -1);
	assert_near(target(0), 0.9, EXACT);
	assert_near(target(S(20) / 3), 0.1, 1e-9);
	assert_near(target(S(10)), 0.35, EXACT); /* 10 s into the second lap */
	assert_near(target(S(4000) + S(10)), 0.35, EXACT);
	module_test_end(&test);
}

static void a_trace_without_length_holds(void **state)
{
	(void)state;
	assert_null(replay("0 0.3\n", "loop"));
	assert_int_equal(length(), -1);
	assert_near(target(0), 0.3, 0);
	assert_near(target(S(77)), 0.3, 0);
	module_test_end(&test);
	assert_null(replay("0 0.3\n0 0.6\n", "loop,speed=1000000"));
	assert_near(target(0), 0.6, 0);
	assert_near(target(INT64_MAX), 0.6, 0);
	module_test_end(&test);
	assert_null(replay("0 0.3", ""));
	assert_int_equal(length(), 0);
	assert_near(target(0), 0.3, 0);
	assert_near(target(S(5)), 0.3, 0);
	module_test_end(&test);
}

static void longest_times_are_in_range(void **state)
{
	(void)state;
	assert_null(replay("0 0\n9223372036854775807n 1\n", ""));
	assert_int_equal(length(), INT64_MAX);
	assert_near(target(INT64_MAX / 2), 0.5, EXACT);
	assert_near(target(INT64_MAX), 1, EXACT);
	module_test_end(&test);
	assert_null(replay("0 0\n9223372036854775807n 1\n", "speed=0.000001"));
	assert_int_equal(length(), INT64_MAX);
	assert_near(target(INT64_MAX), 1e-6, EXACT);
	module_test_end(&test);
	assert_null(replay("0 0\n9223372036854775807n 1\n", "speed=1000000,loop"));
	for (int64_t ns = INT64_MAX; ns; ns /= 3) {
		assert_true(target(ns) >= 0);
		assert_true(target(ns) <= 1);
	}
	module_test_end(&test);
}

/* The place a query finds must not depend on the queries before it. */
static void finds_the_same_from_everywhere(void **state)
{
	enum { RECORDS = 1000, QUERIES = 20000 };
	static char text[RECORDS * 32];
	static int64_t time[RECORDS];
	static double load[RECORDS];
	uint32_t seed = 1;
	size_t used = (size_t)sprintf(text, "interpolate step\n");
	(void)state;
	for (int i = 0; i < RECORDS; i++) {
		seed = seed * 1664525 + 1013904223;
		time[i] = (i ? time[i - 1] : 0) + (seed >> 30 ? (seed >> 8) % 1000 : 0); /* a quarter are vertical steps */
		load[i] = (double)i / RECORDS;
		used += (size_t)sprintf(text + used, "%lldn %.17g\n", (long long)time[i], load[i]);
	}
	assert_null(replay(text, ""));
	for (int query = 0; query < QUERIES; query++) {
		seed = seed * 1664525 + 1013904223;
		const int64_t ns = (seed >> 4) % (time[RECORDS - 1] + 10);
		int expected = 0;
		while (expected < RECORDS - 1 && time[expected + 1] <= ns)
			expected++;
		assert_near(target(ns), load[expected], 0);
	}
	for (int64_t ns = time[0], at = 0; ns < time[RECORDS - 1]; ns += 7) {
		while (at < RECORDS - 1 && time[at + 1] <= ns)
			at++;
		assert_near(target(ns), load[at], 0);
	}
	module_test_end(&test);
}

static void refuses_what_is_no_trace(void **state)
{
	(void)state;
	char expected[64];
	const char *refused = replay("0 0.5\n10s 1.5\n", "");
	assert_non_null(refused);
	snprintf(expected, sizeof expected, "%s:2:5: found \"1.5\", expected a load", path);
	assert_non_null(strstr(refused, expected));
	refused = replay("", "");
	assert_non_null(refused);
	assert_non_null(strstr(refused, "empty"));
	refused = module_test_load(&test, SST_TRACE, "file", "/nonexistent/saw.trace");
	assert_non_null(refused);
	assert_non_null(strstr(refused, "/nonexistent/saw.trace: No such file"));
	refused = module_test_load(&test, SST_TRACE, "file", NULL);
	assert_non_null(refused);
	assert_non_null(strstr(refused, "-T is missing: give file=FILE"));
	assert_non_null(replay(saw, "speed=0"));
	assert_non_null(replay(saw, "speed=-1"));
}

/* Writes a trace to a FIFO, a piece after each pause, in a process of its own. */
static pid_t write_pieces(const char *fifo, int pause_ms)
{
	const pid_t writer = fork();
	if (writer != 0)
		return writer;
	alarm(30);
	usleep((useconds_t)pause_ms * 1000);
	const int to = open(fifo, O_WRONLY);
	static const char *const pieces[] = {"0 0.", "25\n10", "s 0.75\n"};
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		if (write(to, pieces[i], strlen(pieces[i])) < 0)
			_exit(1);
		usleep((useconds_t)pause_ms * 1000);
	}
	_exit(0);
}

/* A FIFO is read to its end; when that doesn't come within a second, because there is no writer or it takes its time, it is said. */
static void waits_for_the_end_of_a_fifo(void **state)
{
	(void)state;
	char fifo[64], expected[160];
	snprintf(fifo, sizeof fifo, "%s.fifo", path);
	snprintf(expected, sizeof expected, "%s: still waiting for the end of the trace, before which nothing is started", fifo);
	static const int pauses_ms[] = {0, 400, 1300};
	for (size_t i = 0; i < sizeof pauses_ms / sizeof *pauses_ms; i++) {
		int status;
		assert_int_equal(mkfifo(fifo, 0600), 0);
		const pid_t writer = write_pieces(fifo, pauses_ms[i]);
		assert_true(writer > 0);
		if (module_test_load(&test, SST_TRACE, "file", fifo))
			fail_msg("refused: %s", test.message);
		assert_string_equal(test.message, pauses_ms[i] ? expected : "");
		assert_near(target(S(5)), 0.5, EXACT);
		assert_int_equal(length(), S(10));
		module_test_end(&test);
		assert_int_equal(waitpid(writer, &status, 0), writer);
		assert_int_equal(status, 0);
		assert_int_equal(unlink(fifo), 0);
	}
}

/* Opened and closed again without a byte. */
static void refuses_an_empty_fifo(void **state)
{
	(void)state;
	char fifo[64];
	snprintf(fifo, sizeof fifo, "%s.fifo", path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	const pid_t writer = fork();
	if (writer == 0)
		_exit(open(fifo, O_WRONLY) < 0);
	const char *const refused = module_test_load(&test, SST_TRACE, "file", fifo);
	assert_non_null(refused);
	assert_non_null(strstr(refused, "found nothing, expected a trace: it is empty"));
	assert_int_equal(waitpid(writer, NULL, 0), writer);
	assert_int_equal(unlink(fifo), 0);
}

static int make_path(void **state)
{
	(void)state;
	const int file = mkstemp(path);
	return file < 0 || close(file) != 0;
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static double position(int64_t since_ns)
{
	return test.module.trace->position(test.module.state, since_ns);
}

static void the_position_is_in_the_recording(void **state)
{
	(void)state;
	assert_null(replay(saw, "speed=4,offset=10s"));
	assert_near(position(0), 10, EXACT);
	assert_near(position(S(5)), 30, EXACT);
	assert_near(position(S(40)), 170, EXACT);
	module_test_end(&test);
	assert_null(replay(saw, "speed=4,offset=10s,loop"));
	assert_near(position(S(40)), 50, 1e-9);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_from_record_to_record),
		cmocka_unit_test(goes_back_in_time),
		cmocka_unit_test(holds_before_the_first_and_after_the_last),
		cmocka_unit_test(holds_where_the_file_says_step),
		cmocka_unit_test(steps_where_two_records_share_a_time),
		cmocka_unit_test(is_free_until_the_next_record),
		cmocka_unit_test(speed_scales_time),
		cmocka_unit_test(offset_is_a_time_in_the_trace),
		cmocka_unit_test(loop_starts_again),
		cmocka_unit_test(the_position_is_in_the_recording),
		cmocka_unit_test(a_trace_without_length_holds),
		cmocka_unit_test(longest_times_are_in_range),
		cmocka_unit_test(finds_the_same_from_everywhere),
		cmocka_unit_test(refuses_what_is_no_trace),
		cmocka_unit_test(waits_for_the_end_of_a_fifo),
		cmocka_unit_test(refuses_an_empty_fifo),
	};
	return cmocka_run_group_tests(tests, make_path, remove_path);
}
