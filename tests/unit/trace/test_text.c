/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "trace/trace.h"

static struct trace trace;
static struct trace_text parser;

/* Feeds the text in pieces of `piece` bytes. */
static int parse(const char *text, size_t length, size_t piece)
{
	trace_free(&trace);
	trace_text_begin(&parser, &trace);
	for (size_t at = 0; at < length; at += piece)
		if (trace_text_feed(&parser, text + at, length - at < piece ? length - at : piece) != 0)
			return -1;
	return trace_text_end(&parser);
}

static void accept_bytes(const char *text, size_t length, size_t records)
{
	for (size_t piece = 1; piece <= length; piece += piece < 4 ? 1 : length) {
		if (parse(text, length, piece) != 0)
			fail_msg("'%s' in pieces of %zu: refused: %s", text, piece, parser.error);
		if (trace.count != records)
			fail_msg("'%s' in pieces of %zu: %zu records, expected %zu", text, piece, trace.count, records);
	}
	assert_int_equal(parse(text, length, length), 0);
}

static void accept_text(const char *text, size_t records)
{
	accept_bytes(text, strlen(text), records);
}

static void refuse_bytes(const char *text, size_t length, uint64_t line, size_t column, const char *message)
{
	for (size_t piece = 1; piece <= length + 1; piece += piece < 4 ? 1 : length) {
		errno = 0;
		assert_int_equal(parse(text, length, piece), -1);
		assert_int_equal(errno, EINVAL);
		if (parser.line != line || parser.column != column)
			fail_msg("'%s': refused at %d:%zu, expected %d:%zu (%s)", text, (int)parser.line, parser.column,
				(int)line, column, parser.error);
		if (!strstr(parser.error, message))
			fail_msg("'%s': found the message '%s', expected '%s'", text, parser.error, message);
	}
}

static void refuse_text(const char *text, uint64_t line, size_t column, const char *message)
{
	refuse_bytes(text, strlen(text), line, column, message);
}

static void expect_record(size_t at, int64_t ns, double load)
{
	assert_true(at < trace.count);
	assert_int_equal(trace.records[at].ns, ns);
	assert_true(isnan(load) ? isnan(trace.records[at].load) : trace.records[at].load == load);
}

static void reads_times_and_loads(void **state)
{
	(void)state;
	accept_text("0 1/10\n20s 6/10\n1M 9/10\n1M30s 25%\n1.5h 0.125\n1d 0\n1d1n 1\n", 7);
	assert_int_equal(trace.interpolation, TRACE_LINEAR);
	expect_record(0, 0, 0.1);
	expect_record(1, 20 * NS_PER_S, 0.6);
	expect_record(2, 60 * NS_PER_S, 0.9);
	expect_record(3, 90 * NS_PER_S, 0.25);
	expect_record(4, 5400 * NS_PER_S, 0.125);
	expect_record(5, 86400 * NS_PER_S, 0);
	expect_record(6, 86400 * NS_PER_S + 1, 1);
	accept_text("0 1/3", 1);
	expect_record(0, 0, 1.0 / 3);
	accept_text("9223372036854775807n 1", 1);
	expect_record(0, INT64_MAX, 1);
}

static void reads_relative_times(void **state)
{
	(void)state;
	accept_text("+5 0\n+10s 0.5\n+0 1\n20 1\n+1m 0\n", 5);
	expect_record(0, 5 * NS_PER_S, 0);
	expect_record(1, 15 * NS_PER_S, 0.5);
	expect_record(2, 15 * NS_PER_S, 1);
	expect_record(3, 20 * NS_PER_S, 1);
	expect_record(4, 20 * NS_PER_S + NS_PER_MS, 0);
}

static void reads_free(void **state)
{
	(void)state;
	accept_text("0 free\n10M 95%\n", 2);
	expect_record(0, 0, NAN);
	expect_record(1, 600 * NS_PER_S, 0.95);
}

static void reads_interpolate(void **state)
{
	(void)state;
	accept_text("interpolate step\n0 1\n", 1);
	assert_int_equal(trace.interpolation, TRACE_STEP);
	accept_text("# first\n\n\tinterpolate  linear # second\n0 1\n", 1);
	assert_int_equal(trace.interpolation, TRACE_LINEAR);
}

static void skips_comments_and_blanks(void **state)
{
	(void)state;
	accept_text("# a comment\n\n  \t \n   # another\n \t0\t \t0.5  # one more\n1 0.5#and one\n#", 2);
	expect_record(0, 0, 0.5);
	expect_record(1, NS_PER_S, 0.5);
	accept_text("# \x80\xff\xc3\xa4\n0 1", 1);
}

static void takes_any_line_end(void **state)
{
	(void)state;
	accept_text("interpolate step\r\n0 0.5\r\n\r\n# x\r\n1 free\r\n2 1", 3);
	accept_text("0 0.5\r", 1);
	accept_text("0 0.5\n1 0.6", 2);
	accept_text("\n\n0 0.5", 1);
	refuse_text("0 0.5\r1 0.5\n", 1, 6, "found \"0.5\\x0d1\"");
	refuse_text("0 0.5 \r\r\n", 1, 7, "found \"\\x0d\", expected the end of the line");
}

static void needs_a_record(void **state)
{
	(void)state;
	refuse_text("", 1, 1, "expected at least one record");
	refuse_text("# nothing\n\n", 3, 1, "expected at least one record");
	refuse_text("interpolate step", 1, 1, "expected at least one record");
}

static void says_what_is_wrong_with_a_time(void **state)
{
	(void)state;
	refuse_text("0 1\n10x 1\n", 2, 3, "found \"10x\", expected a time");
	refuse_text("0 1\n  -1s 1\n", 2, 3, "found \"-1s\", expected a time");
	refuse_text("0 1\n+-1s 1\n", 2, 2, "found \"+-1s\", expected a time");
	refuse_text("+ 1\n", 1, 2, "found \"+\", expected a time");
	refuse_text("1e3 1\n", 1, 2, "found \"1e3\", expected a time");
	refuse_text("1s2 1\n", 1, 4, "found \"1s2\", expected a time");
	refuse_text("nan 1\n", 1, 1, "found \"nan\", expected a time");
	refuse_text("10s 1\n9.999s 1\n", 2, 1, "found \"9.999s\", expected 10s or later");
	refuse_text("9223372036854775808n 1\n", 1, 1, "expected a time within 292 years");
	refuse_text("9223372036s 1\n+1s 1\n", 2, 1, "found \"+1s\", expected a time within 292 years");
	refuse_text("999999999999999999999999d 1\n", 1, 1, "expected a time within 292 years");
}

static void says_what_is_wrong_with_a_load(void **state)
{
	(void)state;
	refuse_text("0 1\n1  101%\n", 2, 4, "found \"101%\", expected a load from 0 to 1");
	refuse_text("0 -0.5\n", 1, 3, "found \"-0.5\", expected a load");
	refuse_text("0 1.0000001\n", 1, 3, "expected a load");
	refuse_text("0 1/0\n", 1, 5, "found \"1/0\", expected a load");
	refuse_text("0 half\n", 1, 3, "found \"half\", expected a load from 0 to 1, such as 1/3, 0.25 or 25%, or free");
	refuse_text("0 nan\n", 1, 3, "found \"nan\"");
	refuse_text("0 0.5x\n", 1, 6, "found \"0.5x\"");
	refuse_text("0 Free\n", 1, 3, "or free");
	refuse_text("0 freed\n", 1, 3, "or free");
	refuse_text("0\n", 1, 2, "found the end of the line, expected a load");
	refuse_text("0 # 0.5\n", 1, 3, "found the end of the line, expected a load");
	refuse_text("0 0.5 0.6\n", 1, 7, "found \"0.6\", expected the end of the line");
	refuse_text("0 free 1\n", 1, 8, "found \"1\", expected the end of the line");
}

static void says_what_is_wrong_with_a_directive(void **state)
{
	(void)state;
	refuse_text("0 1\ninterpolate step\n", 2, 1, "found \"interpolate\", expected it before the first record");
	refuse_text("interpolate step\ninterpolate step\n0 1\n", 2, 1, "once at most");
	refuse_text("interpolate cubic\n", 1, 13, "found \"cubic\", expected linear or step");
	refuse_text("interpolate\n", 1, 12, "found the end of the line, expected linear or step");
	refuse_text("interpolate step now\n", 1, 18, "found \"now\", expected the end of the line");
	refuse_text("repeat 3\n", 1, 1, "found \"repeat\", expected a time");
	refuse_text("Interpolate step\n", 1, 1, "found \"Interpolate\"");
}

static void shows_odd_bytes_harmlessly(void **state)
{
	(void)state;
	refuse_text("0 \x1b[31m\"\\\n", 1, 3, "found \"\\x1b[31m\\x22\\x5c\", expected");
	refuse_text("\xef\xbb\xbf"
		    "0 1\n",
		1, 1, "found \"\\xef\\xbb\\xbf0\"");
	refuse_text("0 0123456789012345678901234567890123456789x\n", 1, 43, "found \"01234567890123456789012345678901…\"");
}

static void refuses_nul(void **state)
{
	(void)state;
	static const char first[] = "\0";
	static const char in_record[] = "0 1\n1 0.\0005\n";
	static const char in_comment[] = "0 1\n# a\0b\n";
	static const char at_end[] = "0 1\n1 1\0";
	refuse_bytes(first, 1, 1, 1, "NUL");
	refuse_bytes(in_record, sizeof in_record - 1, 2, 5, "NUL");
	refuse_bytes(in_comment, sizeof in_comment - 1, 2, 4, "NUL");
	refuse_bytes(at_end, sizeof at_end - 1, 2, 4, "NUL");
}

static void limits_the_length_of_a_line(void **state)
{
	(void)state;
	static char text[2 * TRACE_TEXT_LINE_MAX];
	memcpy(text, "0 1#", 4);
	memset(text + 4, 'x', sizeof text - 4);
	accept_bytes(text, TRACE_TEXT_LINE_MAX, 1);
	text[TRACE_TEXT_LINE_MAX] = '\n';
	accept_bytes(text, TRACE_TEXT_LINE_MAX + 1, 1);
	memcpy(text + TRACE_TEXT_LINE_MAX, "\r\n", 2);
	accept_bytes(text, TRACE_TEXT_LINE_MAX + 2, 1);
	memcpy(text + TRACE_TEXT_LINE_MAX, "x\n", 2);
	refuse_bytes(text, TRACE_TEXT_LINE_MAX + 2, 1, TRACE_TEXT_LINE_MAX + 1, "the line goes on, expected at most 4096 bytes");
	memcpy(text + TRACE_TEXT_LINE_MAX, "xxxx", 4);
	refuse_bytes(text, sizeof text, 1, TRACE_TEXT_LINE_MAX + 1, "the line goes on");
	/* Zeroes without end are refused for what they are, not for their number. */
	memset(text, 0, sizeof text);
	refuse_bytes(text, sizeof text, 1, 1, "NUL");
}

/* Prints the trace; the caller frees. */
static char *print(void)
{
	char *text;
	size_t length;
	FILE *to = open_memstream(&text, &length);
	assert_non_null(to);
	assert_int_equal(trace_text_print(&trace, to), 0);
	fclose(to);
	return text;
}

static void prints_canonical_text(void **state)
{
	static const struct {
		const char *text, *canonical;
		size_t records;
	} cases[] = {
		{"0 1/10\n1M free # x\n+1u 100%", "0n 0.10000000000000001\n60000000000n free\n60000001000n 1\n", 3},
		{"interpolate linear\n 0.5n 0", "1n 0\n", 1},
		{"\ninterpolate step\r\n1m 1/3\r\n", "interpolate step\n1000000n 0.33333333333333331\n", 1},
		{"0 1e-300\n9223372036854775807n 5e-324\n", "0n 1e-300\n9223372036854775807n 4.9406564584124654e-324\n", 2},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		accept_text(cases[i].text, cases[i].records);
		char *once = print();
		assert_string_equal(once, cases[i].canonical);
		accept_text(once, cases[i].records);
		char *twice = print();
		assert_string_equal(twice, once);
		free(once);
		free(twice);
	}
}

static void reports_a_full_disk(void **state)
{
	(void)state;
	accept_text("0 1\n", 1);
	FILE *full = fopen("/dev/full", "w");
	assert_non_null(full);
	errno = 0;
	assert_int_equal(trace_text_print(&trace, full), -1);
	assert_int_equal(errno, ENOSPC);
	fclose(full);
}

static void takes_many_records(void **state)
{
	enum { RECORDS = 100000 };
	char line[64];
	(void)state;
	trace_free(&trace);
	trace_text_begin(&parser, &trace);
	for (int i = 0; i < RECORDS; i++) {
		const int length = snprintf(line, sizeof line, "%d.5s %d%%\n", i, i % 101);
		assert_int_equal(trace_text_feed(&parser, line, (size_t)length), 0);
	}
	assert_int_equal(trace_text_end(&parser), 0);
	assert_int_equal(trace.count, RECORDS);
	for (size_t i = 0; i < RECORDS; i++)
		expect_record(i, (int64_t)i * NS_PER_S + NS_PER_S / 2, (double)(i % 101) / 100);
}

static int tear_down(void **state)
{
	(void)state;
	trace_free(&trace);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_times_and_loads),
		cmocka_unit_test(reads_relative_times),
		cmocka_unit_test(reads_free),
		cmocka_unit_test(reads_interpolate),
		cmocka_unit_test(skips_comments_and_blanks),
		cmocka_unit_test(takes_any_line_end),
		cmocka_unit_test(needs_a_record),
		cmocka_unit_test(says_what_is_wrong_with_a_time),
		cmocka_unit_test(says_what_is_wrong_with_a_load),
		cmocka_unit_test(says_what_is_wrong_with_a_directive),
		cmocka_unit_test(shows_odd_bytes_harmlessly),
		cmocka_unit_test(refuses_nul),
		cmocka_unit_test(limits_the_length_of_a_line),
		cmocka_unit_test(prints_canonical_text),
		cmocka_unit_test(reports_a_full_disk),
		cmocka_unit_test(takes_many_records),
	};
	return cmocka_run_group_tests(tests, NULL, tear_down);
}
