/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "self/terminal.h"

static void the_rest_of_a_file(void **state)
{
	(void)state;
	const int file = memfd_create("input", MFD_CLOEXEC);
	assert_true(file >= 0);
	assert_false(unread_input(file)); /* empty */
	assert_int_equal(write(file, "ab", 2), 2);
	assert_false(unread_input(file)); /* at its end */
	assert_int_equal(lseek(file, 1, SEEK_SET), 1);
	assert_true(unread_input(file));
	assert_int_equal(lseek(file, 0, SEEK_CUR), 1);
	close(file);
	assert_false(unread_input(file));
}

/* A pipe that nobody writes to isn't meant for anybody: services and continuous integration have such. */
static void what_waits_in_a_pipe(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		int end[2];
		char byte;
		assert_int_equal(kind ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) : pipe2(end, O_CLOEXEC), 0);
		assert_false(unread_input(end[0]));
		assert_int_equal(write(end[1], "a", 1), 1);
		assert_true(unread_input(end[0]));
		close(end[1]);
		assert_true(unread_input(end[0]));
		assert_int_equal(read(end[0], &byte, 1), 1);
		assert_false(unread_input(end[0]));
		close(end[0]);
	}
}

static void devices_have_no_rest(void **state)
{
	(void)state;
	const char *const names[] = {"/dev/null", "/dev/zero", "/"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const int file = open(names[i], O_RDONLY | O_CLOEXEC);
		assert_true(file >= 0);
		assert_false(unread_input(file));
		close(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rest_of_a_file),
		cmocka_unit_test(what_waits_in_a_pipe),
		cmocka_unit_test(devices_have_no_rest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
