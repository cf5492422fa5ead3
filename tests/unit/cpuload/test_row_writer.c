/* SPDX-License-Identifier: MIT */
#include "cpuload/row_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static const struct row_column columns[] = {
	{.name = "time_s", .decimals = 3, .title = "", .table_scale = 1},
	{.name = "load", .decimals = 4, .title = "load %", .table_decimals = 1, .table_scale = 100},
	{.name = "runqueue", .decimals = 0, .title = "a long title", .table_decimals = 0, .table_scale = 1},
};
#define COLUMNS (sizeof columns / sizeof *columns)

/* What the writer writes for three rows, one of them with a gap, in a static buffer. */
static const char *write_all(enum row_format format)
{
	static char text[4096];
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	struct row_writer *const writer = row_writer_new(fds[1], format, columns, COLUMNS);
	assert_non_null(writer);
	assert_int_equal(row_writer_header(writer, "heading"), 0);
	assert_int_equal(row_writer_row(writer, "12:00", (const double[]){-0.5, 0.123456, 3}), 0);
	assert_int_equal(row_writer_row(writer, "12:01", (const double[]){1, NAN, INFINITY}), 0);
	assert_int_equal(row_writer_row(writer, "12:02", (const double[]){1.5, -0.0, 0}), 0);
	row_writer_free(writer);
	close(fds[1]);
	const ssize_t length = read(fds[0], text, sizeof text - 1);
	assert_true(length > 0);
	text[length] = '\0';
	close(fds[0]);
	return text;
}

static void csv(void **unused)
{
	(void)unused;
	assert_string_equal(write_all(ROW_CSV), "time_s,load,runqueue\n-0.500,0.1235,3\n1.000,,\n1.500,0.0000,0\n");
}

static void jsonl(void **unused)
{
	(void)unused;
	assert_string_equal(write_all(ROW_JSONL), "{\"time_s\":-0.500,\"load\":0.1235,\"runqueue\":3}\n"
						  "{\"time_s\":1.000,\"load\":null,\"runqueue\":null}\n"
						  "{\"time_s\":1.500,\"load\":0.0000,\"runqueue\":0}\n");
}

static void table(void **unused)
{
	(void)unused;
	assert_string_equal(write_all(ROW_TABLE), "heading\n"
						  "time            load % a long title\n"
						  "12:00             12.3            3\n"
						  "12:01              n/a          n/a\n"
						  "12:02              0.0            0\n");
}

static void long_lines(void **unused)
{
	(void)unused;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	struct row_column *const many = calloc(100, sizeof *many);
	double *const value = calloc(100, sizeof *value);
	char *const text = malloc(1 << 16), line[3000];
	assert_true(many && value && text);
	for (int i = 0; i < 100; i++) {
		many[i] = (struct row_column){.name = "a_name_that_is_as_long_as_it_can", .decimals = 6};
		many[i].name[31] = '\0';
		value[i] = -DBL_MAX;
	}
	struct row_writer *const writer = row_writer_new(fds[1], ROW_JSONL, many, 100);
	assert_non_null(writer);
	assert_int_equal(row_writer_row(writer, "", value), 0);
	ssize_t length = read(fds[0], text, 1 << 16);
	assert_true(length > 100 * (31 + 309) && text[length - 1] == '\n' && text[length - 2] == '}');
	memset(line, 'x', sizeof line - 1);
	line[sizeof line - 1] = '\0';
	assert_int_equal(row_writer_line(writer, line), 0);
	length = read(fds[0], text, 1 << 16);
	assert_int_equal(length, sizeof line);
	row_writer_free(writer);
	free(many);
	free(value);
	free(text);
	close(fds[0]);
	close(fds[1]);
}

static void full_disk(void **unused)
{
	(void)unused;
	const int fd = open("/dev/full", O_WRONLY);
	assert_true(fd >= 0);
	struct row_writer *const writer = row_writer_new(fd, ROW_CSV, columns, COLUMNS);
	assert_non_null(writer);
	errno = 0;
	assert_int_equal(row_writer_header(writer, NULL), -1);
	assert_int_equal(errno, ENOSPC);
	errno = 0;
	assert_int_equal(row_writer_row(writer, "", (const double[]){1, 2, 3}), -1);
	assert_int_equal(errno, ENOSPC);
	row_writer_free(writer);
	close(fd);
}

/* A file that takes only part of a line is cut back to whole lines. */
static void half_a_line(void **unused)
{
	(void)unused;
	char name[] = "/tmp/test-row-writer-XXXXXX", text[64];
	const int fd = mkstemp(name);
	assert_true(fd >= 0);
	unlink(name);
	struct row_writer *const writer = row_writer_new(fd, ROW_CSV, columns, COLUMNS);
	assert_non_null(writer);
	assert_int_equal(row_writer_header(writer, NULL), 0);
	struct rlimit limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	const rlim_t soft = limit.rlim_cur;
	limit.rlim_cur = 30; /* 21 of the header, 9 more */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	errno = 0;
	const int result = row_writer_row(writer, "", (const double[]){1000, 0.5, 3});
	const int error = errno;
	limit.rlim_cur = soft;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(result, -1);
	assert_int_equal(error, EFBIG);
	assert_int_equal(pread(fd, text, sizeof text, 0), 21);
	/* And goes on from there. */
	assert_int_equal(row_writer_row(writer, "", (const double[]){2, 0.5, 3}), 0);
	assert_int_equal(pread(fd, text, sizeof text, 21), 15);
	assert_memory_equal(text, "2.000,0.5000,3\n", 15);
	row_writer_free(writer);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv),
		cmocka_unit_test(jsonl),
		cmocka_unit_test(table),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(half_a_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
