/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/half_file.h"
#include "base/output.h"

static bool is_same(int a, int b)
{
	struct stat first;
	struct stat second;
	assert_int_equal(fstat(a, &first), 0);
	assert_int_equal(fstat(b, &second), 0);
	return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static void a_dash_is_standard_output(void **state)
{
	(void)state;
	const int file = output_open("-", O_TRUNC);
	assert_true(file > STDERR_FILENO);
	assert_true(is_same(file, STDOUT_FILENO));
	assert_true(fcntl(file, F_GETFD) & FD_CLOEXEC);
	close(file);
	/* Closing the copy leaves standard output as it was. */
	assert_true(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
	FILE *const stream = output_stream("-");
	assert_non_null(stream);
	assert_true(is_same(fileno(stream), STDOUT_FILENO));
	fclose(stream);
	assert_true(output_is_stdout("-"));
	assert_false(output_is_stdout("-x") || output_is_stdout("./-") || output_is_stdout(""));
	assert_string_equal(output_name("-"), "standard output");
	assert_string_equal(output_name("./-"), "./-");
}

static void other_names_are_files(void **state)
{
	char folder[] = "/tmp/test_output.XXXXXX";
	char text[16] = "";
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	FILE *stream = output_stream("./-");
	assert_non_null(stream);
	fputs("kept\n", stream);
	fclose(stream);
	/* Standard output that fails empties no file that happens to have its name. */
	errno = EDOM;
	half_file_empty("-");
	assert_int_equal(errno, EDOM);
	int file = open("-", O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(file, text, sizeof text), 5);
	close(file);
	file = output_open("./-", 0);
	assert_int_equal(lseek(file, 0, SEEK_END), 5);
	close(file);
	file = output_open("./-", O_TRUNC);
	assert_int_equal(lseek(file, 0, SEEK_END), 0);
	close(file);
	unlink("-");
	errno = 0;
	assert_int_equal(output_open("absent/file", 0), -1);
	assert_int_equal(errno, ENOENT);
	errno = 0;
	assert_null(output_stream("absent/file"));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dash_is_standard_output),
		cmocka_unit_test(other_names_are_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
