/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/process.h"

/* A line of Linux 6.18, with numbers that tell the fields apart. */
static const char line[] =
	"4711 (bash) S 4700 4710 4690 34816 4720 4194304 1001 1002 1003 1004 105 106 207 208 20 0 3 0 987654 8000000 1000 "
	"18446744073709551615 1 1 0 0 0 0 65536 3670020 1266777851 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

static void fields_are_where_they_belong(void **state)
{
	(void)state;
	struct linux_process process;
	assert_int_equal(linux_process_parse(line, strlen(line), &process), 0);
	assert_int_equal(process.pid, 4711);
	assert_int_equal(process.state, 'S');
	assert_int_equal(process.parent, 4700);
	assert_int_equal(process.group, 4710);
	assert_int_equal(process.session, 4690);
	assert_int_equal(process.flags, 4194304);
	assert_int_equal(process.user_ticks, 105);
	assert_int_equal(process.system_ticks, 106);
	assert_int_equal(process.children_user_ticks, 207);
	assert_int_equal(process.children_system_ticks, 208);
	assert_int_equal(process.threads, 3);
	assert_int_equal(process.start_ticks, 987654);
}

static void names_may_hold_anything(void **state)
{
	(void)state;
	static const char *const names[] = {
		"", ")", "(", ") R 1 2 3 (", "a b c", "a\nb", "\\", "((((", "))))", ") S 1", "1 2 3 4 5 6 7 8 9"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char text[512];
		struct linux_process process = {0};
		snprintf(text, sizeof text, "12 (%s) T 4 5 6 0 -1 0 0 0 0 0 7 8 -9 10 20 0 1 0 11 0 0\n", names[i]);
		if (linux_process_parse(text, strlen(text), &process) != 0)
			fail_msg("'%s' is refused", names[i]);
		assert_int_equal(process.pid, 12);
		assert_int_equal(process.state, 'T');
		assert_int_equal(process.parent, 4);
		assert_int_equal(process.system_ticks, 8);
		assert_int_equal(process.start_ticks, 11);
	}
}

static void zombies_and_kernel_threads_are_no_exception(void **state)
{
	(void)state;
	static const char zombie[] =
		"99 (sleep) Z 98 98 98 0 -1 4227084 0 0 0 0 0 0 0 0 20 0 1 0 555 0 0 18446744073709551615 0 0\n";
	static const char kthread[] = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n";
	struct linux_process process;
	assert_int_equal(linux_process_parse(zombie, strlen(zombie), &process), 0);
	assert_int_equal(process.state, 'Z');
	assert_true(linux_process_has_ended(&process));
	assert_false(process.flags & LINUX_PROCESS_KERNEL);
	assert_int_equal(linux_process_parse(kthread, strlen(kthread), &process), 0);
	assert_int_equal(process.parent, 0);
	assert_true(process.flags & LINUX_PROCESS_KERNEL);
	assert_false(linux_process_has_ended(&process));
	/* The first thread has ended and others run: shown as a zombie, and alive. */
	static const char headless[] = "99 (java) Z 98 98 98 0 -1 4227084 0 0 0 0 0 0 0 0 20 0 2 0 555 0 0\n";
	assert_int_equal(linux_process_parse(headless, strlen(headless), &process), 0);
	assert_false(linux_process_has_ended(&process));
}

static void what_is_cut_off_is_refused(void **state)
{
	(void)state;
	struct linux_process process = {.pid = 77};
	/* Up to the blank before the start time there can't be one. */
	const size_t needed = (size_t)(strstr(line, "987654") - line);
	for (size_t length = 0; length <= needed; length++) {
		char *exact = malloc(length ? length : 1);
		assert_non_null(exact);
		memcpy(exact, line, length);
		errno = 0;
		assert_int_equal(linux_process_parse(exact, length, &process), -1);
		assert_int_equal(errno, EINVAL);
		free(exact);
	}
	assert_int_equal(process.pid, 77);
}

static void malformed_lines_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {"\n", "()", "x (a) S 1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9\n",
		"1 a S 1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9\n", "1 (a)S 1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9\n",
		"1 (a) S x 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9\n", "1 (a) S 1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -\n",
		"1 (a) S - 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9\n", "(a) S 1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9\n"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct linux_process process;
		if (linux_process_parse(bad[i], strlen(bad[i]), &process) == 0)
			fail_msg("line %zu is taken", i);
	}
}

static void processes_are_read(void **state)
{
	(void)state;
	struct linux_process self;
	struct linux_process child;
	assert_int_equal(linux_process_read(getpid(), &self), 0);
	assert_int_equal(self.pid, getpid());
	assert_int_equal(self.parent, getppid());
	assert_int_equal(self.group, getpgrp());
	assert_int_equal(self.session, getsid(0));
	assert_int_equal(self.state, 'R');
	assert_true(self.threads >= 1);
	const pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, ") Z 1 (");
		raise(SIGSTOP);
		_exit(3);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_int_equal(linux_process_read(pid, &child), 0);
	assert_int_equal(child.pid, pid);
	assert_int_equal(child.parent, getpid());
	assert_int_equal(child.state, 'T');
	assert_true(child.start_ticks >= self.start_ticks);
	kill(pid, SIGKILL);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(linux_process_read(pid, &child), 0);
	assert_true(linux_process_has_ended(&child));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(linux_process_read(pid, &child), -1);
	assert_true(errno == ENOENT || errno == ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_where_they_belong),
		cmocka_unit_test(names_may_hold_anything),
		cmocka_unit_test(zombies_and_kernel_threads_are_no_exception),
		cmocka_unit_test(what_is_cut_off_is_refused),
		cmocka_unit_test(malformed_lines_are_refused),
		cmocka_unit_test(processes_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
