/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/descriptors.h"
#include "base/output.h"

/* What is wrong once these descriptors (bits) were closed; 0: nothing. In a child, whose messages may be lost. */
static int look(unsigned closed)
{
	char byte = 0;
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
		if (closed & 1U << file)
			close(file);
		else if (fcntl(file, F_SETFD, 0) != 0)
			return 1;
	if (standard_files_occupy() != 0)
		return 2;
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
		const int flags = fcntl(file, F_GETFD);
		if (flags < 0 || !!(flags & FD_CLOEXEC) != !!(closed & 1U << file))
			return 3;
	}
	if (closed & 1U << STDIN_FILENO && (read(STDIN_FILENO, &byte, 1) >= 0 || errno != EBADF))
		return 4;
	for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++) {
		const char *const name = file == STDOUT_FILENO ? "-" : "/dev/stderr";
		if (!(closed & 1U << file))
			continue;
		if (write(file, &byte, 1) >= 0 || errno != EBADF)
			return 5;
		if (output_check(name) >= 0 || errno != EBADF)
			return 6;
		if (output_open(name, 0) >= 0 || errno != EBADF)
			return 7;
	}
	return 0;
}

static void closed_ones_stay_unusable_and_are_taken(void **state)
{
	(void)state;
	for (unsigned closed = 0; closed < 8; closed++) {
		int status = -1;
		const pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0)
			_exit(look(closed));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(closed_ones_stay_unusable_and_are_taken)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
