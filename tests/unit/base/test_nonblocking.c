/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/nonblocking.h"
#include "base/units.h"

static int ends[2]; /* to read from, to write to */
static char line[64];

static int open_pipe(void **state)
{
	(void)state;
	return pipe(ends);
}

static int open_socket(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int close_both(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static size_t print_line(unsigned number)
{
	return (size_t)snprintf(line, sizeof line, "line %u, which is long enough to fill a pipe soon\n", number);
}

/* Reads whole lines from number *next on until the reader would wait; `text` carries half a line over. */
static void read_lines(unsigned *next)
{
	static char text[1 << 16];
	static size_t used;
	ssize_t got;
	if (*next == 0)
		used = 0;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while ((got = read(ends[0], text + used, sizeof text - used)) > 0) {
		char *from = text;
		used += (size_t)got;
		for (char *end; (end = memchr(from, '\n', used - (size_t)(from - text))); from = end + 1) {
			const size_t length = print_line((*next)++);
			assert_int_equal(end + 1 - from, length);
			assert_memory_equal(from, line, length);
		}
		used -= (size_t)(from - text);
		memmove(text, from, used);
	}
}

/* What there is room for arrives when the reader wakes up, in its order; lines beyond that are missing, each of them whole. */
static void a_sleeping_reader_delays_nobody(void **state)
{
	(void)state;
	unsigned written = 0, next = 0;
	struct nonblocking *const to = nonblocking_new(ends[1]);
	assert_non_null(to);
	while (nonblocking_write(to, line, print_line(written)) == 0)
		assert_true(++written < 1000000);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(nonblocking_write(to, line, print_line(written)), -1);
	assert_int_equal(errno, EAGAIN);
	read_lines(&next);
	assert_int_equal(nonblocking_flush(to, NS_PER_S), 0);
	assert_int_equal(nonblocking_write(to, line, print_line(written++)), 0);
	read_lines(&next);
	assert_int_equal(next, written);
	/* The descriptor is what it was. */
	assert_int_equal(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
	nonblocking_free(to);
}

static void a_pipe_holds_a_mebibyte(void **state)
{
	(void)state;
	unsigned written = 0;
	struct nonblocking *const to = nonblocking_new(ends[1]);
	assert_non_null(to);
	while (nonblocking_write(to, line, print_line(written)) == 0)
		written++;
	assert_true(written * 40 > 1 << 19);
	nonblocking_free(to);
	nonblocking_free(NULL);
}

/* A line that is longer than PIPE_BUF may go out in part: nothing comes between that and its rest. */
static void the_rest_of_a_line_comes_before_the_next(void **state)
{
	(void)state;
	static char large[3 << 20], got[sizeof large + 2];
	size_t used = 0;
	struct nonblocking *const to = nonblocking_new(ends[1]);
	assert_non_null(to);
	memset(large, 'x', sizeof large);
	assert_int_equal(nonblocking_write(to, large, sizeof large), 0);
	assert_int_equal(nonblocking_write(to, "y\n", 2), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(nonblocking_flush(to, 10 * NS_PER_MS), -1);
	assert_int_equal(errno, EAGAIN);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while (used < sizeof got) {
		const ssize_t part = read(ends[0], got + used, sizeof got - used);
		used += part > 0 ? (size_t)part : 0;
		if (nonblocking_flush(to, 0) == 0 && used == sizeof large)
			assert_int_equal(nonblocking_write(to, "y\n", 2), 0);
	}
	assert_memory_equal(got, large, sizeof large);
	assert_memory_equal(got + sizeof large, "y\n", 2);
	nonblocking_free(to);
}

static void a_reader_who_left_is_said(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	struct nonblocking *const to = nonblocking_new(ends[1]);
	assert_non_null(to);
	close(ends[0]);
	assert_int_equal(nonblocking_write(to, "x\n", 2), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(nonblocking_flush(to, NS_PER_S), 0);
	nonblocking_free(to);
}

static void files_need_none(void **state)
{
	(void)state;
	FILE *const file = tmpfile();
	assert_non_null(file);
	assert_false(nonblocking_is_needed(fileno(file)));
	assert_true(nonblocking_is_needed(ends[1]));
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_sleeping_reader_delays_nobody, open_pipe, close_both),
		cmocka_unit_test_setup_teardown(a_sleeping_reader_delays_nobody, open_socket, close_both),
		cmocka_unit_test_setup_teardown(a_pipe_holds_a_mebibyte, open_pipe, close_both),
		cmocka_unit_test_setup_teardown(the_rest_of_a_line_comes_before_the_next, open_pipe, close_both),
		cmocka_unit_test_setup_teardown(a_reader_who_left_is_said, open_pipe, close_both),
		cmocka_unit_test_setup_teardown(files_need_none, open_pipe, close_both),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
