/* SPDX-License-Identifier: MIT */
/* Messages to a stderr that nobody reads: a full pipe, a held terminal, a socket. Each test is a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <check.h>

#include "base/diag.h"

static size_t room = SIZE_MAX;

/* In place of the C library's: takes no more than there is room for. */
ssize_t write(int fd, const void *text, size_t length)
{
	if (length > 0 && room == 0) {
		errno = EAGAIN;
		return -1;
	}
	if (length > room)
		length = room;
	const ssize_t written = syscall(SYS_write, fd, text, length);
	if (written > 0 && room != SIZE_MAX)
		room -= (size_t)written;
	return written;
}

static void make_stderr(int fd)
{
	ck_assert_int_eq(dup2(fd, STDERR_FILENO), STDERR_FILENO);
}

/* All that can be read now. */
static char *drain(int fd)
{
	static char text[1 << 17];
	size_t used = 0;
	ssize_t got;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (used < sizeof text - 1 && (got = read(fd, text + used, sizeof text - 1 - used)) > 0)
		used += (size_t)got;
	text[used] = '\0';
	return text;
}

START_TEST(a_full_pipe_is_not_waited_for)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	make_stderr(ends[1]);
	const int flags = fcntl(ends[1], F_GETFL);
	diag_never_wait();
	char kilobyte[1024];
	memset(kilobyte, 'x', sizeof kilobyte);
	for (int i = 0; i < 65; i++)
		diag_try(kilobyte, sizeof kilobyte);
	ck_assert(!diag_try("y", 1));
	diag("first");
	diag("second");
	ck_assert_int_eq(fcntl(ends[1], F_GETFL), flags); /* the user's own stderr waits as before */
	drain(ends[0]);
	diag("third");
	ck_assert_str_eq(
		drain(ends[0]), "showstopper: stderr could not be written: 2 messages are missing\nshowstopper: third\n");
	diag("fourth");
	ck_assert_str_eq(drain(ends[0]), "showstopper: fourth\n");
}
END_TEST

START_TEST(a_held_terminal_is_not_waited_for)
{
	int ours, theirs;
	ck_assert_int_eq(openpty(&ours, &theirs, NULL, NULL, NULL), 0);
	make_stderr(theirs);
	diag_never_wait();
	ck_assert_int_eq(tcflow(theirs, TCOOFF), 0);
	for (int i = 0; i < 1000; i++)
		diag("message %d", i);
	ck_assert_int_eq(tcflow(theirs, TCOON), 0);
	drain(ours);
	diag("at last");
	const char *text = drain(ours);
	ck_assert_msg(strstr(text, " messages are missing\r\n"), "found '%s'", text);
	ck_assert_msg(strstr(text, "\nshowstopper: at last\r\n"), "found '%s'", text);
}
END_TEST

/* What takes a part of a text and then no more for a while, as a serial terminal does. */
START_TEST(a_drawing_is_not_cut)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	make_stderr(ends[1]);
	diag_never_wait();
	room = 3;
	ck_assert(diag_draw("<drawn>", 7));
	ck_assert(!diag_draw("<refused>", 9));
	diag("lost");
	room = 2;
	ck_assert(!diag_try("!", 1));
	ck_assert_str_eq(drain(ends[0]), "<draw");
	room = SIZE_MAX;
	diag("said");
	ck_assert_str_eq(drain(ends[0]), "n>showstopper: stderr could not be written: 1 message is missing\nshowstopper: said\n");
	ck_assert(diag_draw("<next>", 6));
	ck_assert_str_eq(drain(ends[0]), "<next>");
}
END_TEST

/* What has no name to be opened again by. */
START_TEST(a_full_socket_is_not_waited_for)
{
	int ends[2];
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	make_stderr(ends[1]);
	diag_never_wait();
	char kilobyte[1024];
	memset(kilobyte, 'x', sizeof kilobyte);
	for (int i = 0; i < 4096; i++)
		diag_try(kilobyte, sizeof kilobyte);
	diag("lost");
	while (*drain(ends[0]))
		;
	diag("found");
	ck_assert_str_eq(drain(ends[0]), "showstopper: stderr could not be written: 1 message is missing\nshowstopper: found\n");
}
END_TEST

/* Longer than a pipe takes at once: it arrives whole, or as whole lines. */
START_TEST(long_texts_go_line_by_line)
{
	int ends[2];
	char text[3 * PIPE_BUF];
	ck_assert_int_eq(pipe(ends), 0);
	make_stderr(ends[1]);
	diag_never_wait();
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = i % 100 == 99 ? '\n' : 'a';
	text[sizeof text - 1] = '\n';
	diag_write(text, sizeof text);
	const char *found = drain(ends[0]);
	ck_assert_uint_eq(strlen(found), sizeof text);
	ck_assert(memcmp(found, text, sizeof text) == 0);
}
END_TEST

START_TEST(errno_is_kept)
{
	close(STDERR_FILENO);
	diag_never_wait();
	errno = ENOTTY;
	diag("to nobody");
	ck_assert_int_eq(errno, ENOTTY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("diag");
	TCase *tests = tcase_create("stderr");
	tcase_set_timeout(tests, 30);
	tcase_add_test(tests, a_full_pipe_is_not_waited_for);
	tcase_add_test(tests, a_held_terminal_is_not_waited_for);
	tcase_add_test(tests, a_drawing_is_not_cut);
	tcase_add_test(tests, a_full_socket_is_not_waited_for);
	tcase_add_test(tests, long_texts_go_line_by_line);
	tcase_add_test(tests, errno_is_kept);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
