/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/output.h"

#define FIRST "first\n"
#define SECOND "second line\n"

static int new_file(void)
{
	const int file = memfd_create("lines", MFD_ALLOW_SEALING);
	assert_true(file >= 0);
	return file;
}

static void expect_text(int file, const char *expected)
{
	char text[256];
	const ssize_t length = pread(file, text, sizeof text - 1, 0);
	assert_true(length >= 0);
	text[length] = '\0';
	assert_string_equal(text, expected);
}

static void limit_file_size(rlim_t size)
{
	struct rlimit limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Writes SECOND where only `room` bytes of it find place. 0, or -1 with errno as it was. */
static int write_second(int file, off_t room, bool *is_cut)
{
	limit_file_size((rlim_t)(lseek(file, 0, SEEK_CUR) + room));
	errno = 0;
	const int result = whole_line_write(file, SECOND, strlen(SECOND), is_cut);
	const int error = errno;
	limit_file_size(RLIM_INFINITY);
	errno = error;
	return result;
}

static void lines_follow_one_another(void **state)
{
	(void)state;
	const int file = new_file();
	bool is_cut = true;
	assert_int_equal(whole_line_write(file, FIRST, strlen(FIRST), &is_cut), 0);
	assert_false(is_cut);
	assert_int_equal(whole_line_write(file, SECOND, strlen(SECOND), NULL), 0);
	assert_int_equal(whole_line_write(file, "", 0, NULL), 0);
	expect_text(file, FIRST SECOND);
	close(file);
}

/* Wherever in the line the room ends, with the file's position at its end or appending. */
static void half_a_line_is_taken_back(void **state)
{
	(void)state;
	for (int appends = 0; appends < 2; appends++)
		for (off_t room = 0; room < (off_t)strlen(SECOND); room++) {
			const int file = new_file();
			bool is_cut = true;
			assert_int_equal(fcntl(file, F_SETFL, appends ? O_APPEND : 0), 0);
			assert_int_equal(whole_line_write(file, FIRST, strlen(FIRST), NULL), 0);
			assert_int_equal(write_second(file, room, &is_cut), -1);
			assert_int_equal(errno, EFBIG);
			assert_false(is_cut);
			expect_text(file, FIRST);
			/* The next line stands where this one began. */
			assert_int_equal(whole_line_write(file, SECOND, strlen(SECOND), NULL), 0);
			expect_text(file, FIRST SECOND);
			close(file);
		}
}

static void what_others_wrote_behind_it_stays(void **state)
{
	(void)state;
	const int file = new_file();
	bool is_cut = false;
	assert_int_equal(pwrite(file, "......others", 12, 0), 12);
	assert_int_equal(write_second(file, 4, &is_cut), -1);
	assert_int_equal(errno, EFBIG);
	assert_true(is_cut);
	expect_text(file, "seco..others");
	close(file);
}

static void what_cannot_be_taken_back_is_told(void **state)
{
	(void)state;
	const int file = new_file();
	bool is_cut = false;
	assert_int_equal(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_int_equal(write_second(file, 4, &is_cut), -1);
	assert_int_equal(errno, EFBIG);
	assert_true(is_cut);
	expect_text(file, "seco");
	close(file);
}

static void nothing_is_cut_where_nothing_went_out(void **state)
{
	(void)state;
	const int file = open("/dev/full", O_WRONLY);
	bool is_cut = true;
	assert_true(file >= 0);
	errno = 0;
	assert_int_equal(whole_line_write(file, FIRST, strlen(FIRST), &is_cut), -1);
	assert_int_equal(errno, ENOSPC);
	assert_false(is_cut);
	close(file);
}

/* A pipe that nobody empties takes as much as it has room for, which can't be had back. */
static void half_a_line_stays_in_a_pipe(void **state)
{
	(void)state;
	static char line[1 << 20];
	int ends[2];
	bool is_cut = false;
	memset(line, 'x', sizeof line);
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	errno = 0;
	assert_int_equal(whole_line_write(ends[1], line, sizeof line, &is_cut), -1);
	assert_int_equal(errno, EAGAIN);
	assert_true(is_cut);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_follow_one_another),
		cmocka_unit_test(half_a_line_is_taken_back),
		cmocka_unit_test(what_others_wrote_behind_it_stays),
		cmocka_unit_test(what_cannot_be_taken_back_is_told),
		cmocka_unit_test(nothing_is_cut_where_nothing_went_out),
		cmocka_unit_test(half_a_line_stays_in_a_pipe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
