/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/request_reader.h"

static struct csv *csv;
static struct request_reader *reader;

static void open_text(const char *lines)
{
	char error[CSV_ERROR_MAX];
	char text[4096] = REQUEST_LOG_HEADER "\n";
	strcat(text, lines);
	csv = csv_open_text(text, strlen(text), "f", error);
	assert_non_null(csv);
	assert_true(request_reader_fits(csv));
	reader = request_reader_new(csv);
	assert_non_null(reader);
}

static void close_text(void)
{
	request_reader_free(reader);
	csv_close(csv);
}

static bool next_is_error(void)
{
	struct request_record record;
	assert_int_equal(request_reader_next(reader, &record), REQUEST_LINE_RECORD);
	return request_reader_is_error(reader, &record);
}

/* What the writer writes comes back. */
static void writer_and_reader_agree(void **state)
{
	(void)state;
	char path[] = "/tmp/request_reader.XXXXXX";
	char error[CSV_ERROR_MAX];
	const struct request_record written[] = {
		{7, 1, 1000000000001, 1000000000002, 1000000000003, 1000000000104, REQUEST_ANSWERED, 503, 12},
		{8, 0, 1000000000001, 1000000000002, REQUEST_LOG_NEVER, 1000000000002, REQUEST_DROPPED, 0, REQUEST_LOG_UNKNOWN},
		{9, 1, 1, 2, 3, 4, REQUEST_EXPECTED, 0, 0},
	};
	struct request_record found;
	double wall;
	const int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	struct request_log *const log = request_log_open(path, ROW_CSV);
	assert_non_null(log);
	assert_int_equal(request_log_name(log, 0, "http://a/,\"b\""), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(request_log_add(log, &written[i]), 0);
	assert_int_equal(request_log_close(log), 0);
	csv = csv_open(path, "f", error);
	reader = csv ? request_reader_new(csv) : NULL;
	assert_non_null(reader);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(request_reader_next(reader, &found), REQUEST_LINE_RECORD);
		assert_int_equal(found.request, written[i].request);
		assert_int_equal(found.url, written[i].url);
		assert_int_equal(found.planned_ns, written[i].planned_ns);
		assert_int_equal(found.arrival_ns, written[i].arrival_ns);
		assert_int_equal(found.sent_ns, written[i].sent_ns);
		assert_int_equal(found.end_ns, written[i].end_ns);
		assert_int_equal(found.fate, written[i].fate);
		assert_int_equal(found.status, written[i].status);
		assert_int_equal(found.bytes, written[i].bytes);
		assert_int_equal(request_reader_wall(reader, &wall), 0);
		assert_true(wall > 1e6);
	}
	assert_int_equal(request_reader_next(reader, &found), REQUEST_LINE_END);
	close_text();
	unlink(path);
}

static void a_number_is_judged_by_what_was_asked(void **state)
{
	(void)state;
	open_text(",0,,,,,https://a/,,\n,1,,,,,./one.sh https://a/,,\n"
		  "0,0,1,1,1,2,399,,\n1,0,1,1,1,2,400,,\n2,1,1,1,1,2,0,,\n3,1,1,1,1,2,1,,\n4,5,1,1,1,2,200,,\n"
		  "5,0,1,1,1,2,expected,,\n6,0,1,1,1,2,unexpected,,\n7,0,1,1,,2,refused,,\n");
	assert_false(next_is_error());
	assert_true(next_is_error());
	assert_false(next_is_error());
	assert_true(next_is_error());
	assert_false(next_is_error());
	assert_false(next_is_error());
	assert_true(next_is_error());
	assert_true(next_is_error());
	close_text();
}

static void missing_records_are_told(void **state)
{
	(void)state;
	struct request_record record;
	open_text(",,1.5,,,2.5,,,\n");
	assert_int_equal(request_reader_next(reader, &record), REQUEST_LINE_MISSING);
	assert_true(record.planned_ns == 1500000000 && record.end_ns == 2500000000);
	close_text();
}

static void what_can_not_be_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *line, *message;
	} refused[] = {
		{"0,0,,1,1,2,200,,\n", "f:2:5: planned_s: found nothing, expected a time"},
		{"0,0,1,1,1,0.5,200,,\n", "f:2:11: end_s: found 0.500000000, expected a time from those before it on"},
		{"0,0,1,1,3,2,200,,\n", "end_s: found 2.000000000"},
		{"0,0,1,1,1,2,,,\n", "status: found '', expected the number"},
		{"0,0,1,1,1,2,late,,\n", "status: found 'late', expected"},
		{"0,0,1,1,1,2,-1,,\n", "status: found '-1', expected"},
		{"-1,0,1,1,1,2,200,,\n", "request: found -1, expected a whole number"},
		{"0,1.5,1,1,1,2,200,,\n", "url: found 1.5, expected a whole number"},
		{"0,99999999,1,1,1,2,200,,\n", "url: found 1e+08, expected"},
		{"0,0,1e300,1,1,2,200,,\n", "planned_s: found 1e+300, expected a time"},
	};
	struct request_record record;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		open_text(refused[i].line);
		assert_int_equal(request_reader_next(reader, &record), -1);
		if (!strstr(csv_error(csv), refused[i].message))
			fail_msg("found '%s', expected '%s'", csv_error(csv), refused[i].message);
		close_text();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writer_and_reader_agree),
		cmocka_unit_test(a_number_is_judged_by_what_was_asked),
		cmocka_unit_test(missing_records_are_told),
		cmocka_unit_test(what_can_not_be_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
