/* SPDX-License-Identifier: MIT */
/* Damaged traces, files that are none, and ones that can't be read: sstrace, showstopper and sssim refuse them alike. */
#include <check.h>

#include "refusal_test.h"

static size_t read_file(const char *name, char *data, size_t size)
{
	FILE *file = fopen(name, "re");
	ck_assert_ptr_nonnull(file);
	const size_t got = fread(data, 1, size, file);
	fclose(file);
	return got;
}

static char *const reading[][9] = {
	{(char *)"sstrace", (char *)"--check", (char *)"bad.trace", NULL},
	{(char *)"showstopper", (char *)"-t", (char *)"file", (char *)"-T", (char *)"bad.trace", (char *)"touch",
		(char *)"started", NULL},
	{(char *)"sssim", (char *)"-q", (char *)"-t", (char *)"file", (char *)"-T", (char *)"bad.trace", NULL},
};

static void refuse_trace(size_t readers)
{
	for (size_t i = 0; i < readers; i++)
		refuse(reading[i], "bad.trace", NULL);
}

START_TEST(damaged_traces)
{
	static char *const compile[] = {(char *)"sstrace", (char *)"-o", (char *)"right.bin", (char *)"right.trace", NULL};
	char data[512];
	char damaged[513];
	ck_assert_int_eq(run(compile), 0);
	const size_t size = read_file("right.bin", data, sizeof data);
	ck_assert_uint_gt(size, 40);
	ck_assert_uint_lt(size, sizeof data);
	for (size_t length = 0; length < size; length++) {
		write_file("bad.trace", data, length);
		refuse_trace(length % 8 ? 1 : 3);
	}
	/* The checksum finds each; which bit is tried goes round. */
	for (size_t at = 0; at < size; at++) {
		memcpy(damaged, data, size);
		damaged[at] = (char)(damaged[at] ^ 1 << at % 8);
		write_file("bad.trace", damaged, size);
		refuse_trace(at % 8 ? 1 : 3);
	}
	memcpy(damaged, data, size);
	damaged[size] = 'x';
	write_file("bad.trace", damaged, size + 1);
	refuse_trace(3);
	ck_assert_uint_eq(failures, 0);
}
END_TEST

START_TEST(files_that_are_no_traces)
{
	static const char *const texts[] = {"", "\n", "# nothing\n", "0\n", "0 50% 1\n", "0 50%\n0 nan\n", "0 50%\n-1s 50%\n",
		"1s 50%\n0 50%\n", "0 1e400\n", "0 inf\n", "nan 50%\n", "99999999999999999999s 50%\n",
		"0 50%\n+9223372036854775807n 50%\n+1s 50%\n", "interpolate sideways\n0 50%\n", "0 50%\ninterpolate step\n",
		"\357\273\2770 50%\n", "<html>\n", "\177ELF\n"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		write_file("bad.trace", texts[i], strlen(texts[i]));
		refuse_trace(3);
	}
	/* Ten gibibytes that take no room on the disk; one line that never ends. */
	write_file("bad.trace", "", 0);
	if (truncate("bad.trace", 10LL << 30) == 0)
		refuse_trace(3);
	write_file("bad.trace", "0 50%\n", 6);
	if (truncate("bad.trace", 10LL << 30) == 0)
		refuse_trace(3);
	char *endless = malloc(1 << 22);
	ck_assert_ptr_nonnull(endless);
	memset(endless, '1', 1 << 22);
	write_file("bad.trace", endless, 1 << 22);
	free(endless);
	refuse_trace(3);
	unlink("bad.trace");
	refuse_trace(3);
	ck_assert_int_eq(mkdir("bad.trace", 0700), 0);
	refuse_trace(3);
	ck_assert_int_eq(rmdir("bad.trace"), 0);
	ck_assert_int_eq(symlink("bad.trace", "bad.trace"), 0);
	refuse_trace(3);
	ck_assert_int_eq(unlink("bad.trace"), 0);
	ck_assert_int_eq(symlink("/bin/sh", "bad.trace"), 0);
	refuse_trace(3);
	ck_assert_int_eq(unlink("bad.trace"), 0);
	ck_assert_uint_eq(failures, 0);
}
END_TEST

START_TEST(a_trace_of_somebody_else)
{
	const uid_t nobody = 65534;
	if (getuid() != 0)
		return;
	write_file("bad.trace", "0 50%\n1s 50%\n", 13);
	ck_assert_int_eq(chmod("bad.trace", 0600), 0);
	for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) {
		const int status = run_as(reading[i], nobody);
		/* 99: this build lies where nobody else may look. */
		if (status == 125)
			check_refusal(reading[i], "bad.trace: Permission denied", NULL);
		else if (status != 99)
			complain(reading[i], "expected status 125, found %d", status);
	}
	unlink("bad.trace");
	ck_assert_uint_eq(failures, 0);
}
END_TEST

/* Waiting for the other end of a FIFO is right, but it must be possible to end that. */
START_TEST(fifos_without_a_writer)
{
	static char *const waiting[][8] = {
		{(char *)"sstrace", (char *)"--check", (char *)"fifo", NULL},
		{(char *)"showstopper", (char *)"-t", (char *)"file", (char *)"-T", (char *)"fifo", (char *)"touch",
			(char *)"started", NULL},
		{(char *)"showstopper", (char *)"-T", (char *)"50%", (char *)"-o", (char *)"fifo", (char *)"touch",
			(char *)"started", NULL},
	};
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
		siginfo_t info = {0};
		const pid_t pid = fork();
		if (pid == 0) {
			signal(SIGTERM, SIG_DFL);
			signal(SIGINT, SIG_DFL);
			become(waiting[i], 0);
		}
		/* Long enough for most to have come that far; sooner does no harm. */
		nanosleep(&(const struct timespec){.tv_nsec = 200000000}, NULL);
		ck_assert_int_eq(kill(pid, numbers[i]), 0);
		for (int look = 0; look < END_LOOKS && !info.si_pid; look++) {
			waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
			nanosleep(&(const struct timespec){.tv_nsec = LOOK_NS}, NULL);
		}
		if (info.si_pid != pid)
			complain(waiting[i], "is not ended by signal %d", numbers[i]);
		else if (info.si_code != CLD_KILLED || info.si_status != numbers[i])
			complain(waiting[i], "expected an end by signal %d, found code %d, status %d", numbers[i], info.si_code,
				info.si_status);
		if (access("started", F_OK) == 0)
			complain(waiting[i], "started a command");
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
		clean();
	}
	unlink("fifo");
	ck_assert_uint_eq(failures, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bad traces");
	TCase *test = tcase_create("bad traces");
	tcase_set_timeout(test, 280);
	tcase_add_unchecked_fixture(test, enter_folder, leave_folder);
	tcase_add_test(test, damaged_traces);
	tcase_add_test(test, files_that_are_no_traces);
	tcase_add_test(test, a_trace_of_somebody_else);
	tcase_add_test(test, fifos_without_a_writer);
	suite_add_tcase(suite, test);
	return run_tests(suite);
}
