/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "log_test.h"
#include "record/iteration_log.h"

#define HEADER "instance,iteration,start_s,end_s,status,time_unix_s\n"

static const struct iteration_record first = {.instance = 3, .iteration = 17, .start_ns = 12000000005, .end_ns = 12345678901};
static const char first_line[] = "3,17,12.000000005,12.345678901,0\n";
static const struct iteration_record second = {
	.instance = 3, .iteration = 18, .start_ns = 12345678902, .end_ns = 99999999999, .status = 143};
static const char second_line[] = "3,18,12.345678902,99.999999999,143\n";

static void format_prints_nanoseconds_and_the_wall_clock(void **state)
{
	(void)state;
	char line[ITERATION_LOG_LINE_MAX];
	static const char first_whole[] = "3,17,12.000000005,12.345678901,0,1767225612.345680\n";
	static const char nothing[] = "0,0,0.000000000,0.000000000,0,0.000000\n";
	assert_int_equal(iteration_log_format(&first, 1767225600000001099, line), strlen(first_whole));
	assert_string_equal(line, first_whole);
	assert_int_equal(iteration_log_format(&(struct iteration_record){0}, 0, line), strlen(nothing));
	assert_string_equal(line, nothing);
}

static void format_has_room_for_the_largest(void **state)
{
	(void)state;
	const struct iteration_record largest = {UINT_MAX, UINT64_MAX - 1, INT64_MAX, INT64_MAX, INT_MIN};
	char line[ITERATION_LOG_LINE_MAX];
	iteration_log_format(&largest, 0, line);
	assert_string_equal(line,
		"4294967295,18446744073709551614,9223372036.854775807,9223372036.854775807,-2147483648,9223372036.854775\n");
}

static void lines_are_in_the_file_at_once(void **state)
{
	(void)state;
	struct iteration_log log;
	assert_int_equal(iteration_log_open(&log, path), 0);
	assert_string_equal(text_of(path), HEADER);
	assert_int_equal(iteration_log_write(&log, &first), 0);
	assert_string_equal(text_of(path), HEADER "3,17,12.000000005,12.345678901,0\n");
	assert_int_equal(iteration_log_write(&log, &second), 0);
	assert_string_equal(text_of(path), HEADER "3,17,12.000000005,12.345678901,0\n3,18,12.345678902,99.999999999,143\n");
	assert_int_equal(iteration_log_close(&log), 0);
	assert_int_equal(log.lost, 0);
	assert_int_equal(iteration_log_close(&log), 0);
}

static void the_wall_clock_is_that_of_the_end(void **state)
{
	(void)state;
	struct iteration_log log;
	struct timespec before, after;
	char text[256];
	double wall;
	assert_int_equal(iteration_log_open(&log, path), 0);
	clock_gettime(CLOCK_REALTIME, &before);
	struct iteration_record now = {.end_ns = clock_now() - 3000000000};
	assert_int_equal(iteration_log_write(&log, &now), 0);
	clock_gettime(CLOCK_REALTIME, &after);
	assert_int_equal(iteration_log_close(&log), 0);
	FILE *const file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fgets(text, sizeof text, file) && fgets(text, sizeof text, file));
	fclose(file);
	wall = strtod(strrchr(text, ',') + 1, NULL);
	assert_true(wall > (double)before.tv_sec - 3.1 && wall < (double)after.tv_sec + 1.1 - 3);
}

static void open_empties_an_old_file(void **state)
{
	(void)state;
	struct iteration_log log;
	assert_int_equal(iteration_log_open(&log, path), 0);
	assert_int_equal(iteration_log_write(&log, &first), 0);
	assert_int_equal(iteration_log_close(&log), 0);
	assert_int_equal(iteration_log_open(&log, path), 0);
	assert_string_equal(text_of(path), HEADER);
	assert_int_equal(iteration_log_close(&log), 0);
}

static void two_writers_keep_lines_whole(void **state)
{
	(void)state;
	struct iteration_log one, other;
	assert_int_equal(iteration_log_open(&one, path), 0);
	assert_int_equal(iteration_log_open(&other, path), 0);
	assert_int_equal(iteration_log_write(&one, &first), 0);
	assert_int_equal(iteration_log_write(&other, &second), 0);
	assert_string_equal(text_of(path), HEADER "3,17,12.000000005,12.345678901,0\n3,18,12.345678902,99.999999999,143\n");
	assert_int_equal(iteration_log_close(&one), 0);
	assert_int_equal(iteration_log_close(&other), 0);
}

static void open_says_why_it_fails(void **state)
{
	(void)state;
	struct iteration_log log;
	assert_int_equal(iteration_log_open(&log, "/nonexistent/log"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(log.file, -1);
	assert_int_equal(iteration_log_open(&log, "/dev/full"), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(log.file, -1);
	assert_int_equal(iteration_log_close(&log), 0);
}

/* Wherever in a line the space ends: no half of it stays, and the next line is written when there is space again. */
static void full_disk_leaves_whole_lines(void **state)
{
	(void)state;
	for (size_t room = 0; room < strlen(second_line) + strlen(WALL); room++) {
		struct iteration_log log;
		assert_int_equal(iteration_log_open(&log, path), 0);
		assert_int_equal(iteration_log_write(&log, &first), 0);
		limit_file_size(strlen(HEADER) + strlen(first_line) + strlen(WALL) + room);
		for (unsigned i = 1; i <= 2; i++) {
			assert_int_equal(iteration_log_write(&log, &second), -1);
			assert_int_equal(errno, EFBIG);
			assert_int_equal(log.lost, i);
			assert_string_equal(text_of(path), HEADER "3,17,12.000000005,12.345678901,0\n");
		}
		limit_file_size(RLIM_INFINITY);
		assert_int_equal(iteration_log_write(&log, &second), 0);
		/* The record before it says what is missing. */
		assert_string_equal(text_of(path), HEADER "3,17,12.000000005,12.345678901,0\n3,,12.345678902,99.999999999,\n"
							  "3,18,12.345678902,99.999999999,143\n");
		assert_int_equal(log.lost, 2);
		assert_int_equal(iteration_log_close(&log), 0);
	}
}

/* From the first start to the last end, also of threads that began at different times; at the end where there is room. */
static void what_is_missing_is_recorded(void **state)
{
	(void)state;
	const struct iteration_record third = {3, 19, 11000000000, 100000000000, 0};
	for (size_t i = 0; i < 4; i++) {
		struct iteration_log log;
		const size_t room = i / 2;
		assert_int_equal(iteration_log_open(&log, path), 0);
		limit_file_size(strlen(HEADER) + (room ? strlen("3,,11.000000000,100.000000000,\n") + strlen(WALL) : 10));
		assert_int_equal(iteration_log_write(&log, i % 2 ? &third : &second), -1);
		assert_int_equal(iteration_log_write(&log, i % 2 ? &second : &third), -1);
		assert_int_equal(iteration_log_close(&log), 0);
		limit_file_size(RLIM_INFINITY);
		assert_string_equal(text_of(path), room ? HEADER "3,,11.000000000,100.000000000,\n" : HEADER);
	}
}

/* A file that may not shrink keeps the half line; then nothing may follow it. */
static void nothing_follows_half_a_line(void **state)
{
	(void)state;
	const int memory = memfd_create("log", MFD_ALLOW_SEALING);
	assert_true(memory >= 0);
	assert_int_equal(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	char name[64];
	snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
	struct iteration_log log;
	assert_int_equal(iteration_log_open(&log, name), 0);
	limit_file_size(strlen(HEADER) + 4);
	assert_int_equal(iteration_log_write(&log, &first), -1);
	assert_int_equal(errno, EFBIG);
	limit_file_size(RLIM_INFINITY);
	assert_string_equal(text_of(name), HEADER "3,17");
	assert_int_equal(iteration_log_write(&log, &second), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(log.lost, 2);
	assert_string_equal(text_of(name), HEADER "3,17");
	assert_int_equal(iteration_log_close(&log), 0);
	close(memory);
}

static void pipe_without_reader_is_an_error(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	char name[64], received[sizeof HEADER];
	snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
	struct iteration_log log;
	assert_int_equal(iteration_log_open(&log, name), 0);
	assert_int_equal(read(ends[0], received, sizeof received), strlen(HEADER));
	assert_memory_equal(received, HEADER, strlen(HEADER));
	close(ends[0]);
	assert_int_equal(iteration_log_write(&log, &first), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(log.lost, 1);
	assert_int_equal(iteration_log_close(&log), 0);
	close(ends[1]);
}

int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(format_prints_nanoseconds_and_the_wall_clock),
		cmocka_unit_test(format_has_room_for_the_largest),
		cmocka_unit_test_setup_teardown(lines_are_in_the_file_at_once, create_file, remove_file),
		cmocka_unit_test_setup_teardown(the_wall_clock_is_that_of_the_end, create_file, remove_file),
		cmocka_unit_test_setup_teardown(open_empties_an_old_file, create_file, remove_file),
		cmocka_unit_test_setup_teardown(two_writers_keep_lines_whole, create_file, remove_file),
		cmocka_unit_test(open_says_why_it_fails),
		cmocka_unit_test_setup_teardown(full_disk_leaves_whole_lines, create_file, remove_file),
		cmocka_unit_test_setup_teardown(what_is_missing_is_recorded, create_file, remove_file),
		cmocka_unit_test(nothing_follows_half_a_line),
		cmocka_unit_test(pipe_without_reader_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
