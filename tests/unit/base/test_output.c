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
	assert_string_equal(output_name("/dev/stdout"), "standard output");
	assert_string_equal(output_name("/dev/stderr"), "standard error");
	assert_int_equal(output_standard("/dev/fd/1"), STDOUT_FILENO);
	assert_int_equal(output_standard("/proc/self/fd/2"), STDERR_FILENO);
	assert_int_equal(output_standard("/dev/fd/3"), -1);
	assert_int_equal(output_check("-"), 0);
	assert_false(output_is_file("-"));
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

/* A name of a standard descriptor is that descriptor: at its place in the file, which stays. */
static void standard_output_is_not_emptied(void **state)
{
	char path[] = "/tmp/test_output.XXXXXX";
	char text[32] = "";
	(void)state;
	const int file = mkstemp(path);
	assert_int_equal(write(file, "kept\n", 5), 5);
	const int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	dup2(file, STDOUT_FILENO);
	const int copy = output_open("/dev/stdout", O_TRUNC);
	const ssize_t written = write(copy, "more\n", 5);
	close(copy);
	const int emptied = output_empty("/dev/stdout");
	half_file_empty("/dev/stdout");
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(written, 5);
	assert_int_equal(emptied, 0);
	assert_int_equal(pread(file, text, sizeof text - 1, 0), 10);
	assert_string_equal(text, "kept\nmore\n");
	close(file);
	unlink(path);
}

static off_t size_of(const char *path)
{
	struct stat status;
	assert_int_equal(stat(path, &status), 0);
	return status.st_size;
}

static void refuse(const char *path, int expected)
{
	errno = 0;
	assert_int_equal(output_check(path), -1);
	assert_int_equal(errno, expected);
}

/* Looking makes, empties and waits for nothing. */
static void what_can_be_written_is_known_before(void **state)
{
	char folder[] = "/tmp/test_output.XXXXXX";
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	FILE *const old = output_stream("old");
	assert_non_null(old);
	fputs("kept\n", old);
	fclose(old);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(symlink("new", "way"), 0);
	assert_int_equal(symlink("absent/new", "astray"), 0);
	assert_int_equal(mkdir("sub", 0700), 0);
	const char *const right[] = {"old", "fifo", "new", "way", "sub/new", "/dev/null", "/dev/full", "/dev/stderr"};
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		assert_int_equal(output_check(right[i]), 0);
	refuse("sub", EISDIR);
	refuse("absent/new", ENOENT);
	refuse("astray", ENOENT);
	refuse("old/new", ENOTDIR);
	refuse("new/", EISDIR);
	assert_int_equal(size_of("old"), 5);
	assert_int_equal(access("new", F_OK), -1);
	assert_true(output_is_file("old"));
	assert_true(output_is_file("new"));
	assert_false(output_is_file("fifo"));
	assert_false(output_is_file("/dev/null"));
	/* Who isn't root may not write everywhere. */
	if (geteuid() != 0) {
		assert_int_equal(chmod("old", 0400), 0);
		refuse("old", EACCES);
		assert_int_equal(chmod("sub", 0500), 0);
		refuse("sub/new", EACCES);
		assert_int_equal(chmod("old", 0600), 0);
	}
	/* Made, and not emptied; emptied, and not made. */
	assert_int_equal(output_make("old"), 0);
	assert_int_equal(size_of("old"), 5);
	assert_int_equal(output_make("way"), 0);
	assert_int_equal(size_of("new"), 0);
	assert_int_equal(output_make("fifo"), 0);
	assert_int_equal(output_make("absent/new"), -1);
	assert_int_equal(output_empty("old"), 0);
	assert_int_equal(size_of("old"), 0);
	assert_int_equal(output_empty("fifo"), 0);
	assert_int_equal(output_empty("/dev/null"), 0);
	assert_int_equal(output_empty("absent"), -1);
	/* Looking opens nothing that stays open: the lowest free descriptor is the same. */
	const int before = dup(STDERR_FILENO);
	close(before);
	assert_int_equal(output_check("old"), 0);
	const int after = dup(STDERR_FILENO);
	close(after);
	assert_int_equal(after, before);
	assert_int_equal(chdir("/"), 0);
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a name of our own
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dash_is_standard_output),
		cmocka_unit_test(other_names_are_files),
		cmocka_unit_test(standard_output_is_not_emptied),
		cmocka_unit_test(what_can_be_written_is_known_before),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
