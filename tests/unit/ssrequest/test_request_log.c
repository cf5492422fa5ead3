/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/log_columns.h"
#include "csv_rows.h"
#include "ssrequest/request_log.h"
#include "unit/record/log_test.h"

static const struct request_record answered = {.request = 7,
	.url = 1,
	.planned_ns = 12000000005,
	.arrival_ns = 12000000006,
	.sent_ns = 12000000107,
	.end_ns = 12345678901,
	.status = 200,
	.bytes = 612};
static const struct request_record dropped = {.request = 8,
	.planned_ns = 13000000000,
	.arrival_ns = 13000000000,
	.sent_ns = REQUEST_LOG_NEVER,
	.end_ns = 13000000000,
	.fate = REQUEST_DROPPED,
	.bytes = REQUEST_LOG_UNKNOWN};

static void records_are_lines(void **state)
{
	(void)state;
	struct request_log *const log = request_log_open(path, REQUEST_LOG_CSV, false);
	assert_non_null(log);
	assert_int_equal(request_log_name(log, "http://localhost:8080/"), 0);
	assert_int_equal(request_log_name(log, "http://localhost:8080/a,\"b\""), 0);
	assert_int_equal(request_log_add(log, &answered), 0);
	assert_true(request_log_is_pending(log));
	assert_int_equal(request_log_flush(log), 0);
	assert_false(request_log_is_pending(log));
	assert_int_equal(request_log_add(log, &dropped), 0);
	assert_int_equal(request_log_close(log), 0);
	assert_string_equal(text_of(path),
		REQUEST_LOG_HEADER "\n"
				   "7,\"http://localhost:8080/"
				   "a,\"\"b\"\"\",12.000000005,12.000000006,12.000000107,12.345678901,0.345678896,200,good,612\n"
				   "8,http://localhost:8080/,13.000000000,13.000000000,,13.000000000,,,dropped,\n");
}

static double wall_of_first(void)
{
	struct csv_rows csv = {0};
	assert_true(csv_rows_open(&csv, path));
	assert_true(csv_rows_find(&csv, LOG_WALL) >= 0);
	csv_rows_next(&csv);
	const double found = csv_rows_number(&csv, LOG_WALL);
	csv_rows_close(&csv);
	return found;
}

/* time_unix_s is the end, on the wall clock. */
static void wall_clock_is_that_of_the_end(void **state)
{
	(void)state;
	struct timespec now, wall;
	clock_gettime(CLOCK_MONOTONIC, &now);
	clock_gettime(CLOCK_REALTIME, &wall);
	struct request_record record = answered;
	record.end_ns = (now.tv_sec + 100) * INT64_C(1000000000) + now.tv_nsec;
	struct request_log *const log = request_log_open(path, REQUEST_LOG_CSV, false);
	assert_int_equal(request_log_add(log, &record), 0);
	assert_int_equal(request_log_close(log), 0);
	const double found = wall_of_first();
	struct request_log *const without = request_log_open(path, REQUEST_LOG_CSV, false);
	request_log_without_wall(without);
	assert_int_equal(request_log_add(without, &record), 0);
	assert_int_equal(request_log_close(without), 0);
	assert_true(isnan(wall_of_first()));
	const double expected = (double)wall.tv_sec + (double)wall.tv_nsec / 1e9 + 100;
	assert_true(found > expected - 0.5 && found < expected + 0.5);
}

static void json_has_the_same(void **state)
{
	(void)state;
	struct request_log *const log = request_log_open(path, REQUEST_LOG_JSONL, false);
	assert_int_equal(request_log_name(log, "a \"name\""), 0);
	assert_int_equal(request_log_add(log, &answered), 0);
	assert_int_equal(request_log_add(log, &dropped), 0);
	assert_int_equal(request_log_close(log), 0);
	FILE *const file = fopen(path, "re");
	json_t *line[2];
	for (size_t i = 0; i < 2; i++) {
		line[i] = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
		assert_non_null(line[i]);
		assert_int_equal(json_object_size(line[i]), 11);
	}
	fclose(file);
	assert_string_equal(json_string_value(json_object_get(line[1], "url")), "a \"name\"");
	assert_int_equal(json_integer_value(json_object_get(line[0], "status")), 200);
	assert_true(json_real_value(json_object_get(line[0], "sent_s")) > 12);
	assert_true(json_real_value(json_object_get(line[0], "response_s")) < 1);
	static const char *const nothing[] = {"sent_s", "response_s", "status", "bytes"};
	for (size_t i = 0; i < 4; i++)
		assert_true(json_is_null(json_object_get(line[1], nothing[i])));
	assert_string_equal(json_string_value(json_object_get(line[1], "outcome")), "dropped");
	for (size_t i = 0; i < 2; i++)
		json_decref(line[i]);
}

static void a_name_that_is_no_utf8_is_a_name(void **state)
{
	(void)state;
	struct request_log *const log = request_log_open(path, REQUEST_LOG_JSONL, false);
	assert_int_equal(request_log_name(log, "http://a/caf\xe9"), 0);
	assert_int_equal(request_log_add(log, &dropped), 0);
	assert_int_equal(request_log_close(log), 0);
	FILE *const file = fopen(path, "re");
	json_t *const line = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
	assert_non_null(line);
	assert_string_equal(json_string_value(json_object_get(line, "url")), "http://a/caf\xef\xbf\xbd");
	json_decref(line);
	fclose(file);
}

/* Longer than all that is kept to be written at once. */
static void a_long_name_is_whole(void **state)
{
	(void)state;
	static char name[100000];
	memset(name, 'a', sizeof name - 1);
	struct request_log *const log = request_log_open(path, REQUEST_LOG_CSV, false);
	assert_int_equal(request_log_name(log, name), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(request_log_add(log, &dropped), 0);
	assert_int_equal(request_log_close(log), 0);
	FILE *const file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	assert_true(getline(&line, &size, file) > 0);
	for (int i = 0; i < 3; i++) {
		assert_true(getline(&line, &size, file) > 0);
		assert_int_equal(strspn(line + strlen("8,"), "a"), sizeof name - 1);
	}
	free(line);
	fclose(file);
}

/* Whole lines alone, and a line that says between which times some are missing. */
static void what_does_not_fit_is_said(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	struct request_log *const log = request_log_open(path, REQUEST_LOG_CSV, false);
	assert_int_equal(request_log_add(log, &answered), 0);
	assert_int_equal(request_log_flush(log), 0);
	limit_file_size(240);
	struct request_record record = answered;
	for (uint64_t i = 8; i < 10; i++) {
		record.request = i;
		record.planned_ns = (int64_t)i * 1000000000;
		/* What begins later ends earlier. */
		record.end_ns = 22000000000 - record.planned_ns;
		assert_int_equal(request_log_add(log, &record), 0);
		assert_int_equal(request_log_flush(log), -1);
		assert_int_equal(errno, EFBIG);
	}
	limit_file_size(RLIM_INFINITY);
	record.request = 10;
	assert_int_equal(request_log_add(log, &record), 0);
	assert_int_equal(request_log_close(log), 0);
	assert_string_equal(strchr(text_of(path), '\n') + 1,
		"7,,12.000000005,12.000000006,12.000000107,12.345678901,0.345678896,200,good,612\n"
		",,8.000000000,,,14.000000000,,,missing,\n"
		"10,,9.000000000,12.000000006,12.000000107,13.000000000,4.000000000,200,good,612\n");
}

static void many_are_all_there(void **state)
{
	(void)state;
	struct request_log *const log = request_log_open(path, REQUEST_LOG_CSV, false);
	struct request_record record = answered;
	for (record.request = 0; record.request < 5000; record.request++)
		assert_int_equal(request_log_add(log, &record), 0);
	assert_int_equal(request_log_close(log), 0);
	struct csv_rows csv = {0};
	assert_true(csv_rows_open(&csv, path));
	for (int i = 0; i < 5000; i++) {
		assert_true(csv_rows_next(&csv));
		assert_true(csv_rows_number(&csv, "request") == i);
	}
	assert_false(csv_rows_next(&csv));
	csv_rows_close(&csv);
}

static void trouble_is_told(void **state)
{
	(void)state;
	assert_null(request_log_open("/nowhere/log", REQUEST_LOG_CSV, false));
	assert_int_equal(errno, ENOENT);
	assert_null(request_log_open("/dev/full", REQUEST_LOG_CSV, false));
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(request_log_close(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(records_are_lines, create_file, remove_file),
		cmocka_unit_test_setup_teardown(wall_clock_is_that_of_the_end, create_file, remove_file),
		cmocka_unit_test_setup_teardown(json_has_the_same, create_file, remove_file),
		cmocka_unit_test_setup_teardown(a_name_that_is_no_utf8_is_a_name, create_file, remove_file),
		cmocka_unit_test_setup_teardown(a_long_name_is_whole, create_file, remove_file),
		cmocka_unit_test_setup_teardown(what_does_not_fit_is_said, create_file, remove_file),
		cmocka_unit_test_setup_teardown(many_are_all_there, create_file, remove_file),
		cmocka_unit_test(trouble_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
