/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file_uses.h"

static char folder[64];
static struct file_uses uses;
static char error[FILE_USES_ERROR_MAX];

static void create(const char *name)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static int enter(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/test_file_uses.XXXXXX");
	if (!mkdtemp(folder) || chdir(folder) != 0)
		return -1;
	create("there");
	create("other");
	return link("there", "hard") == 0 && symlink("there", "soft") == 0 && symlink("new", "way") == 0 &&
			       symlink("way", "way2") == 0 && mkdir("sub", 0700) == 0 && symlink("../new", "sub/back") == 0 &&
			       symlink("sub", "subway") == 0 && mkfifo("fifo", 0600) == 0
		       ? 0
		       : -1;
}

static int leave(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return chdir("/") == 0 ? system(command) : -1; // NOLINT(cert-env33-c): a name of our own
}

#define READ(path) file_uses_add(&uses, FILE_IS_READ, "the input", path)
#define WRITE(option, path) file_uses_add(&uses, FILE_IS_WRITTEN, option, path)
#define APPEND(option, path) file_uses_add(&uses, FILE_IS_APPENDED, option, path)

static void accept(void)
{
	error[0] = '\0';
	if (file_uses_check(&uses, error) != 0)
		fail_msg("%s", error);
	assert_null(uses.item);
}

static void refuse(const char *expected)
{
	assert_int_equal(file_uses_check(&uses, error), -1);
	assert_string_equal(error, expected);
	assert_null(uses.item);
}

static void inputs_may_be_one(void **state)
{
	(void)state;
	accept();
	READ("there");
	READ("hard");
	READ("nowhere");
	READ("nowhere");
	READ(NULL);
	accept();
}

static void an_output_is_no_input_by_whatever_name(void **state)
{
	(void)state;
	const char *const names[] = {"there", "./there", "sub/../there", "hard", "soft", folder};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char name[128], expected[256];
		snprintf(name, sizeof name, names[i] == folder ? "%s/there" : "%s", names[i]);
		snprintf(expected, sizeof expected, "--log: %s is the input: expected another file", name);
		READ("there");
		WRITE("--log", name);
		refuse(expected);
		/* Whichever comes first, and with others between. */
		APPEND("--log", name);
		WRITE("--export-csv", "other");
		READ("there");
		refuse(expected);
	}
	READ("there");
	WRITE("--log", "other");
	WRITE("--export-csv", NULL);
	accept();
}

static void two_outputs_are_not_one_file(void **state)
{
	(void)state;
	WRITE("--log", "there");
	WRITE("--export-csv", "there");
	refuse("--log and --export-csv: both would be written to there: expected a file of its own for one of them");
	WRITE("--log", "there");
	APPEND("--stdout", "hard");
	refuse("--log and --stdout: both would be written to there, which is also hard: expected a file of its own for one of "
	       "them");
	/* What workloads write may meet. */
	APPEND("--stdout", "there");
	APPEND("--stdout", "there");
	APPEND("--stderr", "hard");
	WRITE("--log", "other");
	accept();
}

/* By the folder that they would be made in, and their name in it; a symbolic link to nothing makes a file where it leads. */
static void files_that_are_not_there_yet_are_known(void **state)
{
	(void)state;
	const char *const names[] = {"./new", "sub/../new", "way", "way2", "sub/back", "subway/back", "sub/./../sub/back"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char expected[256];
		snprintf(expected, sizeof expected,
			"--log and --export-csv: both would be written to new, which is also %s: expected a file of its own for "
			"one "
			"of them",
			names[i]);
		WRITE("--log", "new");
		WRITE("--export-csv", names[i]);
		refuse(expected);
	}
	WRITE("--log", "new");
	WRITE("--export-csv", "sub/new");
	WRITE("--export-json", "new2");
	APPEND("--stdout", "nowhere/new");
	APPEND("--stderr", "loop/");
	accept();
	assert_int_equal(symlink("loop", "loop"), 0);
	WRITE("--log", "loop");
	WRITE("--export-csv", "loop");
	accept(); /* neither can be written, which is refused elsewhere */
	assert_int_equal(symlink("/", "root"), 0);
	WRITE("--log", "/new-in-root");
	WRITE("--export-csv", "root/new-in-root");
	refuse("--log and --export-csv: both would be written to /new-in-root, which is also root/new-in-root: expected a file "
	       "of its "
	       "own for one of them");
}

static void what_keeps_nothing_may_be_shared(void **state)
{
	(void)state;
	READ("/dev/null");
	WRITE("--log", "/dev/null");
	WRITE("--export-csv", "/dev/null");
	APPEND("--stdout", "/dev/null");
	accept();
	WRITE("--log", "fifo");
	WRITE("--export-csv", "./fifo");
	refuse("--log and --export-csv: both would be written to fifo, which is also ./fifo: expected a file of its own for one "
	       "of "
	       "them");
}

/* With standard output and error on these files for as long as the list is made and checked; the result of the check. */
static int check_with(const char *out, const char *err, void (*make)(void))
{
	const char *const names[] = {out, err};
	int saved[2];
	for (int i = 0; i < 2; i++) {
		const int fd = open(names[i], O_RDWR | O_APPEND | O_CLOEXEC);
		assert_true(fd >= 0);
		saved[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, 10);
		dup2(fd, STDOUT_FILENO + i);
		close(fd);
	}
	make();
	file_uses_add_standard(&uses, STDOUT_FILENO);
	file_uses_add_standard(&uses, STDERR_FILENO);
	error[0] = '\0';
	const int result = file_uses_check(&uses, error);
	for (int i = 0; i < 2; i++) {
		dup2(saved[i], STDOUT_FILENO + i);
		close(saved[i]);
	}
	return result;
}

static void log_to_there(void)
{
	WRITE("--log", "there");
}

static void append_to_there(void)
{
	APPEND("--stdout", "there");
}

static void log_to_standard_output(void)
{
	READ("other");
	WRITE("--log", "-");
	APPEND("--stdout", "/dev/stdout");
	APPEND("--stderr", "-");
}

static void two_to_standard_output(void)
{
	WRITE("--log", "-");
	WRITE("--export-csv", "/dev/stdout");
}

static void read_there_and_log_to_standard_output(void)
{
	READ("there");
	WRITE("--log", "-");
}

static void log_to_standard_output_and_export_there(void)
{
	WRITE("--log", "-");
	WRITE("--export-csv", "there");
}

static void read_there(void)
{
	READ("there");
	WRITE("--log", "new");
}

static void standard_descriptors_are_files_too(void **state)
{
	(void)state;
	assert_int_equal(check_with("there", "/dev/null", log_to_there), -1);
	assert_string_equal(
		error, "--log and standard output: both would be written to there: expected a file of its own for one of them");
	assert_int_equal(check_with("/dev/null", "there", log_to_there), -1);
	assert_string_equal(
		error, "--log and standard error: both would be written to there: expected a file of its own for one of them");
	/* Not emptied by whoever opened it. */
	assert_int_equal(check_with("there", "/dev/null", append_to_there), -1);
	assert_int_equal(check_with("other", "/dev/null", log_to_there), 0);
	/* One behind the other through one descriptor is no harm, but two records in one can't be read, whatever it is. */
	assert_int_equal(check_with("there", "there", log_to_standard_output), 0);
	assert_int_equal(check_with("there", "/dev/null", two_to_standard_output), -1);
	assert_int_equal(check_with("/dev/null", "/dev/null", two_to_standard_output), -1);
	assert_int_equal(check_with("fifo", "/dev/null", two_to_standard_output), -1);
	assert_string_equal(error,
		"--log and --export-csv: both would be written to standard output: expected a file of its own for one of them");
	assert_int_equal(check_with("there", "/dev/null", log_to_standard_output_and_export_there), -1);
	assert_string_equal(
		error, "--log and --export-csv: both would be written to there: expected a file of its own for one of them");
	assert_int_equal(check_with("there", "/dev/null", read_there_and_log_to_standard_output), -1);
	assert_string_equal(error, "--log: standard output is the input: expected another file");
	/* Messages behind an input are what the caller wants. */
	assert_int_equal(check_with("there", "there", read_there), 0);
}

/* As many as a run can have instances. */
static void many_are_looked_at_in_no_time(void **state)
{
	(void)state;
	char name[32];
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof name, "out.%05d", i);
		APPEND("--stdout", name);
		APPEND("--stderr", "there");
	}
	WRITE("--log", "out.77777");
	refuse("--stdout and --log: both would be written to out.77777: expected a file of its own for one of them");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(inputs_may_be_one),
		TEST(an_output_is_no_input_by_whatever_name),
		TEST(two_outputs_are_not_one_file),
		TEST(files_that_are_not_there_yet_are_known),
		TEST(what_keeps_nothing_may_be_shared),
		TEST(standard_descriptors_are_files_too),
		TEST(many_are_looked_at_in_no_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
