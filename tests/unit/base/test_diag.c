/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"

static char message[8192];
static int saved;
static FILE *caught;

static int catch_messages(void **state)
{
	(void)state;
	caught = tmpfile();
	saved = dup(STDERR_FILENO);
	return caught && saved >= 0 && dup2(fileno(caught), STDERR_FILENO) >= 0 ? 0 : -1;
}

/* What was said since catch_messages. */
static const char *said(void)
{
	rewind(caught);
	message[fread(message, 1, sizeof message - 1, caught)] = '\0';
	return message;
}

static int release_messages(void **state)
{
	(void)state;
	fclose(caught);
	const int result = dup2(saved, STDERR_FILENO);
	close(saved);
	return result < 0 ? -1 : 0;
}

static void a_message_is_one_line_with_a_name(void **state)
{
	(void)state;
	errno = EXDEV;
	diag("%s %d", "line\nand\033[1m", 7);
	assert_int_equal(errno, EXDEV);
	assert_string_equal(said(), "test: line?and?[1m 7\n");
}

static void lines_end_at_blanks_where_the_terminal_does(void **state)
{
	(void)state;
	const struct winsize size = {.ws_row = 24, .ws_col = 20};
	const int keyboard = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(keyboard >= 0 && grantpt(keyboard) == 0 && unlockpt(keyboard) == 0);
	const int screen = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
	assert_true(screen >= 0 && ioctl(screen, TIOCSWINSZ, &size) == 0);
	char text[] = "a line of more than 20 columns\nexactly twenty colum\nwith_a_word_that_is_too_long end\n";
	const char *const before = strdup(text);
	diag_wrap(text);
	assert_string_equal(text, before);
	assert_true(dup2(screen, STDERR_FILENO) >= 0);
	diag_wrap(text);
	assert_string_equal(text, "a line of more than\n20 columns\nexactly twenty colum\nwith_a_word_that_is_too_long\nend\n");
	/* What erases a live line is none of the line. */
	char shown[64];
	diag_over_live_line(12);
	diag("short");
	diag_over_live_line(0);
	const ssize_t length = read(keyboard, shown, sizeof shown - 1);
	assert_true(length > 0);
	shown[length] = '\0';
	assert_string_equal(shown, "\r            \rtest: short\r\n");
	free((char *)before);
	close(screen);
	close(keyboard);
}

static void a_refusal_is_a_message_and_minus_one(void **state)
{
	(void)state;
	errno = EXDEV;
	assert_int_equal(diag_refuse("found '%s', expected %u", "x", 3U), -1);
	assert_int_equal(errno, EXDEV);
	assert_string_equal(said(), "test: found 'x', expected 3\n");
}

static void a_long_message_is_cut_off(void **state)
{
	(void)state;
	char text[6000];
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	diag("%s", text);
	const size_t length = strlen(said());
	assert_true(length > 4000 && length < 4097);
	assert_int_equal(message[length - 1], '\n');
}

/* There is nothing to wait for. */
static void what_cannot_be_said_is_done_with(void **state)
{
	(void)state;
	const int kept = dup(STDERR_FILENO);
	close(STDERR_FILENO);
	const bool is_done = diag_try("x\n", 2);
	diag("nobody hears it");
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_true(is_done);
	assert_int_equal(diag_refuse("heard"), -1);
	assert_string_equal(said(), "test: heard\n");
}

int main(void)
{
	diag_name("test");
#define TEST(function) cmocka_unit_test_setup_teardown(function, catch_messages, release_messages)
	const struct CMUnitTest tests[] = {
		TEST(a_message_is_one_line_with_a_name),
		TEST(lines_end_at_blanks_where_the_terminal_does),
		TEST(a_refusal_is_a_message_and_minus_one),
		TEST(a_long_message_is_cut_off),
		TEST(what_cannot_be_said_is_done_with),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
