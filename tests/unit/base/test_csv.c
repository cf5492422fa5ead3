/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/csv.h"

static char error[CSV_ERROR_MAX];

static struct csv *open_text(const char *text)
{
	struct csv *const csv = csv_open_text(text, strlen(text), "f.csv", error);
	if (!csv)
		print_message("%s\n", error);
	assert_non_null(csv);
	return csv;
}

static void expect_field(const struct csv *csv, size_t column, const char *expected)
{
	size_t length;
	const char *const text = csv_text(csv, column, &length);
	assert_int_equal(length, strlen(expected));
	assert_memory_equal(text, expected, length);
}

static void expect_refused(const char *text, size_t length, const char *expected)
{
	assert_null(csv_open_text(text, length, "f.csv", error));
	assert_string_equal(error, expected);
}

static void rows_and_columns_are_found(void **state)
{
	(void)state;
	struct csv *const csv = open_text("time_s,load\n1,0.5\n2.5,\n");
	double value;
	assert_int_equal(csv_columns(csv), 2);
	assert_string_equal(csv_column_name(csv, 1), "load");
	assert_int_equal(csv_find(csv, "load"), 1);
	assert_int_equal(csv_find(csv, "loa"), -1);
	assert_int_equal(csv_next(csv), 1);
	assert_int_equal(csv_line(csv), 2);
	expect_field(csv, 0, "1");
	assert_int_equal(csv_number(csv, 1, &value), 0);
	assert_true(value == 0.5);
	assert_int_equal(csv_next(csv), 1);
	assert_int_equal(csv_number(csv, 0, &value), 0);
	assert_true(value == 2.5);
	assert_int_equal(csv_number(csv, 1, &value), 0);
	assert_true(isnan(value));
	assert_int_equal(csv_next(csv), 0);
	assert_false(csv_is_cut(csv));
	assert_int_equal(csv_next(csv), 0);
	csv_close(csv);
}

static void quotes_follow_the_standard(void **state)
{
	(void)state;
	struct csv *const csv = open_text("a,\"b,c\",d\n\"1\",\"say \"\"so\"\"\",\"two\nlines\"\n\"\",x,\"\"\"\"\n");
	assert_string_equal(csv_column_name(csv, 1), "b,c");
	assert_int_equal(csv_next(csv), 1);
	expect_field(csv, 0, "1");
	expect_field(csv, 1, "say \"so\"");
	expect_field(csv, 2, "two\nlines");
	assert_int_equal(csv_line(csv), 2);
	assert_int_equal(csv_next(csv), 1);
	assert_int_equal(csv_line(csv), 4);
	expect_field(csv, 0, "");
	expect_field(csv, 2, "\"");
	assert_int_equal(csv_next(csv), 0);
	csv_close(csv);
}

static void carriage_returns_and_byte_order_marks_are_accepted(void **state)
{
	(void)state;
	struct csv *const csv = open_text("\xef\xbb\xbftime_s,load\r\n1,2\r\n");
	assert_int_equal(csv_find(csv, "time_s"), 0);
	assert_int_equal(csv_find(csv, "load"), 1);
	assert_int_equal(csv_next(csv), 1);
	expect_field(csv, 1, "2");
	csv_close(csv);
}

/* Wherever in the last line the writer was killed: the lines before it are read, and nothing else. */
static void half_a_line_is_left_out(void **state)
{
	(void)state;
	static const char text[] = "a,b\n1,2\n33,\"4\"\n";
	const size_t whole = strlen("a,b\n1,2\n");
	for (size_t length = whole; length < strlen(text); length++) {
		struct csv *const csv = csv_open_text(text, length, "f.csv", error);
		assert_non_null(csv);
		assert_int_equal(csv_next(csv), 1);
		expect_field(csv, 1, "2");
		assert_int_equal(csv_next(csv), 0);
		assert_int_equal(csv_is_cut(csv), length > whole);
		csv_close(csv);
	}
}

static void no_header_is_refused(void **state)
{
	(void)state;
	expect_refused("", 0, "f.csv: found an empty file, expected CSV with a header");
	expect_refused("time_s,lo", 9, "f.csv:1: found a header that is cut off, expected a whole line");
	expect_refused("\x7f"
		       "ELF\x02\x01\0\0\n",
		9, "f.csv:1:5: found '?ELF?\?\?\?', expected a line of text with the names of columns");
	expect_refused("a\0b\n", 4, "f.csv:1:2: found 'a?b', expected a line of text with the names of columns");
	expect_refused("\"a\"b,c\n", 7, "f.csv:1:4: found text behind a quoted field, expected a comma");
}

static void expect_row_refused(const char *text, const char *expected)
{
	struct csv *const csv = open_text(text);
	int more;
	while ((more = csv_next(csv)) > 0)
		;
	assert_int_equal(more, -1);
	assert_string_equal(csv_error(csv), expected);
	csv_close(csv);
}

static void malformed_rows_are_refused(void **state)
{
	(void)state;
	expect_row_refused("a,b\n1,2\n1\n", "f.csv:3: found 1 field, expected 2 as in the header");
	expect_row_refused("a,b\n1,2,3\n", "f.csv:2: found 3 fields, expected 2 as in the header");
	expect_row_refused("a,b\n\n", "f.csv:2: found 1 field, expected 2 as in the header");
	expect_row_refused("a,b\n\"1\"2,3\n", "f.csv:2:4: found text behind a quoted field, expected a comma");
	expect_row_refused("a,b\nx\"y,\"z\n", "f.csv:2:5: found a quoted field without its end");
	expect_row_refused("a,b\n1,\"2\n3,4\n", "f.csv:2: found a quoted field without its end");
}

static void very_long_rows_are_refused(void **state)
{
	(void)state;
	const size_t length = CSV_ROW_MAX + 10;
	char *const text = malloc(length);
	assert_non_null(text);
	memset(text, 'x', length);
	memcpy(text, "a\n", 2);
	text[length - 1] = '\n';
	struct csv *const csv = csv_open_text(text, length, "f.csv", error);
	assert_non_null(csv);
	assert_int_equal(csv_next(csv), -1);
	assert_non_null(strstr(csv_error(csv), "f.csv:2: found a row of 1048583 bytes, expected at most 1048576"));
	csv_close(csv);
	free(text);
}

/* The second row, from a pipe, repeats a part so often that it fits into no buffer. */
static struct csv *open_long_row(const char *part, pid_t *writer)
{
	int ends[2];
	char path[40];
	assert_int_equal(pipe(ends), 0);
	*writer = fork();
	if (*writer == 0) {
		close(ends[0]);
		FILE *const to = fdopen(ends[1], "w");
		fputs("a\n1\n", to);
		for (size_t i = 0; i < 5 * CSV_ROW_MAX / strlen(part); i++)
			fputs(part, to);
		fputs("\n3\nx", to);
		fclose(to);
		_exit(0);
	}
	close(ends[1]);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	struct csv *const csv = csv_open(path, "f.csv", error);
	close(ends[0]);
	assert_non_null(csv);
	assert_int_equal(csv_next(csv), 1);
	assert_int_equal(csv_next(csv), -1);
	assert_string_equal(csv_error(csv), "f.csv:3: found a row of more than 1048576 bytes");
	return csv;
}

static void what_is_behind_a_very_long_row_can_be_read(void **state)
{
	(void)state;
	pid_t writer;
	struct csv *csv = open_long_row("xyz,", &writer);
	assert_true(csv_can_go_on(csv));
	assert_int_equal(csv_next(csv), 1);
	assert_int_equal(csv_line(csv), 4);
	expect_field(csv, 0, "3");
	assert_int_equal(csv_next(csv), 0);
	assert_true(csv_is_cut(csv));
	csv_close(csv);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
	csv = open_long_row("x\"y\"", &writer);
	assert_false(csv_can_go_on(csv));
	csv_close(csv);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
}

static void a_first_line_without_end_is_given_up(void **state)
{
	(void)state;
	const char *text;
	size_t length;
	struct csv *const csv = csv_open_unread("/dev/zero", "f.csv", error);
	assert_non_null(csv);
	assert_int_equal(csv_peek(csv, &text, &length), -1);
	assert_false(csv_pass_first(csv));
	assert_string_equal(csv_error(csv), "f.csv:1: found a row of more than 1048576 bytes");
	csv_close(csv);
}

static void numbers_are_exact(void **state)
{
	(void)state;
	static const char *const texts[] = {"0", "-0.5", "0.1", "123456.789012", "9007199254740993", "1234567.123456789", ".5",
		"5.", "1e-3", "+7", "0.000000000000001", "999999999999999", "99999999999999.9", "-123456789012345", "4e22",
		"0.30000000000000004"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char text[100];
		double value;
		snprintf(text, sizeof text, "a\n%s\n", texts[i]);
		struct csv *const csv = open_text(text);
		assert_int_equal(csv_next(csv), 1);
		assert_int_equal(csv_number(csv, 0, &value), 0);
		assert_true(value == strtod(texts[i], NULL));
		csv_close(csv);
	}
}

static void what_is_no_number_is_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {"x", "1x", "-", ".", "--1", "1.2.3", "nan", "inf", "0x10", "1e999", " 1", "1,5"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char text[100], expected[200];
		double value;
		snprintf(text, sizeof text, "time_s,load\n12,\"%s\"\n", texts[i]);
		struct csv *const csv = open_text(text);
		assert_int_equal(csv_next(csv), 1);
		assert_int_equal(csv_number(csv, 1, &value), -1);
		snprintf(expected, sizeof expected, "f.csv:2:4: load: found '%s', expected a number", texts[i]);
		assert_string_equal(csv_error(csv), expected);
		csv_close(csv);
	}
}

static void found_text_is_made_printable(void **state)
{
	(void)state;
	double value;
	struct csv *const csv = open_text("a\n\x1b[31m\xff 456789012345678901234567890123456789012345\n");
	assert_int_equal(csv_next(csv), 1);
	assert_int_equal(csv_number(csv, 0, &value), -1);
	assert_string_equal(
		csv_error(csv), "f.csv:2:1: a: found '?[31m? 456789012345678901234567890123456...', expected a number");
	csv_close(csv);
}

static void column_names_are_cut_to_fit(void **state)
{
	(void)state;
	char text[16];
	struct csv *const csv = open_text("first,second,third,fourth\n");
	assert_string_equal(csv_print_columns(csv, text, sizeof text), "first...");
	csv_close(csv);
}

/* Writes a file to a pipe, in pieces. Returns the end to read from. */
static int pipe_from(const char *path)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	const pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char piece[1000];
		ssize_t got;
		const int file = open(path, O_RDONLY);
		while ((got = read(file, piece, sizeof piece)) > 0)
			if (write(ends[1], piece, (size_t)got) != got)
				_exit(1);
		_exit(got < 0);
	}
	close(ends[1]);
	return ends[0];
}

/* Rows lie across the reader's buffer in every way, and come in pieces through a pipe. */
static void files_are_read_like_texts(void **state)
{
	(void)state;
	char path[] = "/tmp/test_csv.XXXXXX";
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	FILE *const file = fdopen(fd, "w");
	assert_non_null(file);
	fprintf(file, "number,text\n");
	for (int i = 0; i < 50000; i++)
		fprintf(file, "%d,\"row %0*d\"\n", i, i % 29 + 1, i);
	fprintf(file, "50000,\"ro");
	fclose(file);
	for (int through_pipe = 0; through_pipe < 2; through_pipe++) {
		const int saved = dup(STDIN_FILENO);
		if (through_pipe) {
			const int end = pipe_from(path);
			assert_true(dup2(end, STDIN_FILENO) >= 0);
			close(end);
		}
		struct csv *const csv = csv_open(through_pipe ? "-" : path, "f.csv", error);
		assert_non_null(csv);
		for (int i = 0; i < 50000; i++) {
			char expected[64];
			double value;
			assert_int_equal(csv_next(csv), 1);
			assert_int_equal(csv_number(csv, 0, &value), 0);
			assert_true(value == i);
			snprintf(expected, sizeof expected, "row %0*d", i % 29 + 1, i);
			expect_field(csv, 1, expected);
		}
		assert_int_equal(csv_next(csv), 0);
		assert_true(csv_is_cut(csv));
		csv_close(csv);
		assert_true(dup2(saved, STDIN_FILENO) >= 0);
		close(saved);
	}
	int status;
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	unlink(path);
}

static void what_is_no_file_is_refused(void **state)
{
	(void)state;
	assert_null(csv_open("/nonexistent/log", "log", error));
	assert_string_equal(error, "log: No such file or directory");
	assert_null(csv_open("/", "root", error));
	assert_string_equal(error, "root: Is a directory");
	assert_null(csv_open("/dev/null", "null", error));
	assert_string_equal(error, "null: found an empty file, expected CSV with a header");
}

static void json_lines_are_rows(void **state)
{
	(void)state;
	struct csv *csv = open_text("{\"a\":1,\"b\":\"x, \\\"y\\\"\"}\r\n{\"a\":null, "
				    "\"b\":\"\"}\n{\"b\":1,\"a\":2}\n{\"a\":3}\n{\"a\":4,\"b\":5}\n{\"a\":");
	double value;
	assert_int_equal(csv_columns(csv), 2);
	assert_int_equal(csv_find(csv, "b"), 1);
	assert_int_equal(csv_next(csv), 1);
	assert_int_equal(csv_line(csv), 1);
	expect_field(csv, 0, "1");
	expect_field(csv, 1, "x, \"y\"");
	assert_int_equal(csv_next(csv), 1);
	assert_int_equal(csv_number(csv, 0, &value), 0);
	assert_true(isnan(value));
	assert_int_equal(csv_next(csv), -1);
	assert_string_equal(csv_error(csv), "f.csv:3:3: expected the members of the first line, in their order");
	assert_true(csv_can_go_on(csv));
	assert_int_equal(csv_next(csv), -1);
	assert_string_equal(csv_error(csv), "f.csv:4: found 1 field, expected 2 as in the header");
	assert_int_equal(csv_next(csv), 1);
	expect_field(csv, 1, "5");
	assert_int_equal(csv_next(csv), 0);
	assert_true(csv_is_cut(csv));
	csv_close(csv);
	expect_refused("{\"a\":[1]}\n", 10,
		"f.csv:1:6: expected a number, a text or null, in a line of JSON such as {\"a\":1,\"b\":null}");
	expect_refused("{\"a\":1", 6, "f.csv:1: found a line that is cut off, expected a whole one");
}

static void lines_are_text(void **state)
{
	(void)state;
	static const char text[] = "\xef\xbb\xbfone \"line\n\r\nthree\nfour";
	const char *line;
	size_t length;
	struct csv *const csv = csv_open_text_unread(text, sizeof text - 1, "f.csv", error);
	assert_non_null(csv);
	assert_int_equal(csv_peek(csv, &line, &length), 1);
	assert_int_equal(length, sizeof text - 1 - 3);
	assert_memory_equal(line, "one", 3);
	assert_int_equal(csv_next_line(csv, &line, &length), 1);
	assert_int_equal(length, strlen("one \"line"));
	assert_int_equal(csv_refuse_line(csv, 4, "found %s", "it"), -1);
	assert_string_equal(csv_error(csv), "f.csv:1:5: found it");
	assert_int_equal(csv_next_line(csv, &line, &length), 1);
	assert_int_equal(length, 0);
	assert_int_equal(csv_next_line(csv, &line, &length), 1);
	assert_memory_equal(line, "three", length);
	assert_int_equal(csv_line(csv), 3);
	assert_int_equal(csv_next_line(csv, &line, &length), 0);
	assert_true(csv_is_cut(csv));
	csv_close(csv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_columns_are_found),
		cmocka_unit_test(quotes_follow_the_standard),
		cmocka_unit_test(carriage_returns_and_byte_order_marks_are_accepted),
		cmocka_unit_test(half_a_line_is_left_out),
		cmocka_unit_test(no_header_is_refused),
		cmocka_unit_test(malformed_rows_are_refused),
		cmocka_unit_test(very_long_rows_are_refused),
		cmocka_unit_test(what_is_behind_a_very_long_row_can_be_read),
		cmocka_unit_test(a_first_line_without_end_is_given_up),
		cmocka_unit_test(numbers_are_exact),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(found_text_is_made_printable),
		cmocka_unit_test(column_names_are_cut_to_fit),
		cmocka_unit_test(files_are_read_like_texts),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(json_lines_are_rows),
		cmocka_unit_test(lines_are_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
