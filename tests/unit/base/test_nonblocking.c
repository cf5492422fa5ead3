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

#define LINES 5000

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

/* Until the reader has all that was kept; what is kept goes with the next line. Ends with the writer. */
static void read_what_is_kept(struct nonblocking *to, unsigned *next)
{
	for (unsigned before = ~0U; *next != before;) {
		before = *next;
		read_lines(next);
		assert_int_equal(nonblocking_write(to, "", 0), 0);
	}
	assert_int_equal(nonblocking_flush(to, 0), 0);
	assert_int_equal(nonblocking_kept(to), 0);
	nonblocking_free(to);
	read_lines(next);
}

/* A reader who sleeps delays nobody; when he wakes up he gets all of it in its order. */
static void a_sleeping_reader_loses_nothing(void **state)
{
	(void)state;
	unsigned next = 0;
	struct nonblocking *const to = nonblocking_new(ends[1]);
	assert_non_null(to);
	for (unsigned i = 0; i < LINES; i++) {
		assert_int_equal(nonblocking_write(to, line, print_line(i)), 0);
		if (i == LINES / 2)
			read_lines(&next);
	}
	assert_true(next > 0 && next < LINES);
	read_what_is_kept(to, &next);
	assert_int_equal(next, LINES);
	/* The descriptor is what it was. */
	assert_int_equal(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
}

/* Of what is too much lines are missing, each of them whole. */
static void what_is_too_much_is_said(void **state)
{
	(void)state;
	unsigned kept = 0;
	unsigned next = 0;
	struct nonblocking *const to = nonblocking_new(ends[1]);
	assert_non_null(to);
	while (nonblocking_write(to, line, print_line(kept)) == 0)
		assert_true(++kept < 1000000);
	assert_int_equal(errno, EAGAIN);
	assert_true(kept * 40 > NONBLOCKING_MAX / 2);
	assert_int_equal(nonblocking_write(to, line, print_line(kept)), -1);
	assert_int_equal(errno, EAGAIN);
	read_what_is_kept(to, &next);
	assert_int_equal(next, kept);
}

static void the_end_waits_no_longer_than_told(void **state)
{
	(void)state;
	struct nonblocking *const to = nonblocking_new(ends[1]);
	assert_non_null(to);
	for (unsigned i = 0; i < LINES; i++)
		assert_int_equal(nonblocking_write(to, line, print_line(i)), 0);
	const size_t kept = nonblocking_kept(to);
	assert_true(kept > 0 && kept < LINES * sizeof line);
	assert_int_equal(nonblocking_flush(to, 10 * NS_PER_MS), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(nonblocking_kept(to), kept);
	nonblocking_free(to);
	nonblocking_free(NULL);
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
		cmocka_unit_test_setup_teardown(a_sleeping_reader_loses_nothing, open_pipe, close_both),
		cmocka_unit_test_setup_teardown(a_sleeping_reader_loses_nothing, open_socket, close_both),
		cmocka_unit_test_setup_teardown(what_is_too_much_is_said, open_pipe, close_both),
		cmocka_unit_test_setup_teardown(the_end_waits_no_longer_than_told, open_pipe, close_both),
		cmocka_unit_test_setup_teardown(a_reader_who_left_is_said, open_pipe, close_both),
		cmocka_unit_test_setup_teardown(files_need_none, open_pipe, close_both),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
