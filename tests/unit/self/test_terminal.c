/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "self/terminal.h"

static void the_last_row_is_kept(void **state)
{
	(void)state;
	char text[TERMINAL_SEQUENCE_MAX];
	*terminal_begin_last_row(text, 24) = '\0';
	assert_string_equal(text, "\0337\033[1;23r\033[24;1H\033[0m");
	assert_true(terminal_begin_last_row(text, 65535) < text + sizeof text);
	*terminal_end_last_row(text) = '\0';
	assert_string_equal(text, "\033[K\0338");
}

/* The cursor is where it was, or one row higher with all that stands above it. */
static void the_last_row_is_left(void **state)
{
	(void)state;
	char text[TERMINAL_SEQUENCE_MAX];
	*terminal_leave_last_row(text, false) = '\0';
	assert_string_equal(text, "\0337\033[r\0338\033D\033[A");
	*terminal_leave_last_row(text, true) = '\0';
	assert_string_equal(text, "\0337\033[r\0338\033[J\033D\033[A");
}

static void the_last_row_is_given_back(void **state)
{
	(void)state;
	char text[TERMINAL_SEQUENCE_MAX];
	*terminal_give_back(text, 24) = '\0';
	assert_string_equal(text, "\0337\033[r\033[24;1H\033[0m\033[K\0338");
	*terminal_give_back(text, 0) = '\0';
	assert_string_equal(text, "\0337\033[r\0338");
	assert_true(terminal_give_back(text, 65535) < text + sizeof text);
}

static void some_terminals_know_no_sequences(void **state)
{
	(void)state;
	int ours, theirs;
	const int file = open("/dev/null", O_RDWR);
	assert_int_equal(openpty(&ours, &theirs, NULL, NULL, NULL), 0);
	const char *const ignorant[] = {"", "dumb", "unknown"};
	for (size_t i = 0; i < sizeof ignorant / sizeof *ignorant; i++) {
		setenv("TERM", ignorant[i], 1);
		assert_false(terminal_knows_sequences(theirs));
	}
	unsetenv("TERM");
	assert_false(terminal_knows_sequences(theirs));
	setenv("TERM", "vt100", 1);
	assert_true(terminal_knows_sequences(theirs));
	assert_false(terminal_knows_sequences(file));
	close(ours);
	close(theirs);
	close(file);
}

static void sizes(void **state)
{
	(void)state;
	int ours, theirs;
	const struct winsize window = {.ws_row = 7, .ws_col = 33};
	struct terminal_size size;
	assert_int_equal(openpty(&ours, &theirs, NULL, NULL, &window), 0);
	terminal_size(theirs, &size);
	assert_int_equal(size.rows, 7);
	assert_int_equal(size.columns, 33);
	close(ours);
	close(theirs);
	const int file = open("/dev/null", O_RDWR);
	terminal_size(file, &size);
	assert_int_equal(size.rows, 0);
	assert_int_equal(size.columns, 0);
	close(file);
}

/* In a session of its own that has this terminal. */
static void who_is_in_the_foreground(void **state)
{
	(void)state;
	int ours;
	const pid_t pid = forkpty(&ours, NULL, NULL, NULL);
	if (pid == 0)
		_exit(terminal_is_of_others(STDERR_FILENO, getpgrp()) || !terminal_is_of_others(STDERR_FILENO, getpgrp() + 1));
	assert_true(pid > 0);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ours);
	const int file = open("/dev/null", O_RDWR);
	assert_false(terminal_is_of_others(file, getpgrp()));
	close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_row_is_kept),
		cmocka_unit_test(the_last_row_is_left),
		cmocka_unit_test(the_last_row_is_given_back),
		cmocka_unit_test(some_terminals_know_no_sequences),
		cmocka_unit_test(sizes),
		cmocka_unit_test(who_is_in_the_foreground),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
