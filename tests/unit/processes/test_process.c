/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "processes/process_handle.h"

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

static pid_t start_child(void)
{
	const pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "a\033[1mb");
		raise(SIGSTOP);
		for (;;)
			pause();
	}
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	return pid;
}

static void a_reference_holds_for_one_process(void **state)
{
	(void)state;
	struct linux_process now;
	struct process held;
	const pid_t pid = start_child();
	assert_int_equal(process_take(&held, pid, &now), 0);
	assert_int_equal(fcntl(held.fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(now.state, 'T');
	const struct process by_number = process_of(&now);
	const struct process *const both[] = {&held, &by_number};
	struct process later = by_number;
	later.start_ticks++;
	assert_true(process_has_ended(&later));
	assert_int_equal(process_signal(&later, SIGCONT), -1);
	assert_int_equal(errno, ESRCH);
	for (int i = 0; i < 2; i++) {
		assert_false(process_has_ended(both[i]));
		assert_int_equal(process_look(both[i], &now), 0);
		assert_int_equal(process_signal(both[i], SIGCONT), 0);
		assert_int_equal(waitpid(pid, NULL, WCONTINUED), pid);
		assert_int_equal(process_signal(both[i], SIGSTOP), 0);
		assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	}
	assert_int_equal(fcntl(held.fd, F_GETFD), FD_CLOEXEC);
	now.pid = 0;
	assert_int_equal(process_look(&later, &now), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(now.pid, 0);
	/* Also as long as it isn't reaped. */
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	assert_true(process_has_ended(&held) && process_has_ended(&by_number));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 2; i++) {
		assert_true(process_has_ended(both[i]));
		assert_int_equal(process_look(both[i], &now), -1);
		assert_int_equal(errno, ESRCH);
		assert_int_equal(process_signal(both[i], SIGCONT), -1);
		assert_int_equal(errno, ESRCH);
	}
	process_release(&held);
	process_release(&held);
	assert_int_equal(held.fd, -1);
	assert_int_equal(process_take(&held, pid, &now), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(held.pid, 0);
}

static void what_else_is_known_of_one(void **state)
{
	(void)state;
	char name[LINUX_PROCESS_NAME_MAX];
	int64_t before_ns, after_ns;
	const int loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	const pid_t pid = start_child();
	assert_true(linux_process_newest(loadavg) > 0);
	assert_int_equal(linux_process_newest(-1), 0);
	close(loadavg);
	linux_process_name(pid, name);
	assert_string_equal(name, "a?[1mb");
	assert_true(linux_process_clock(getpid(), &before_ns));
	for (volatile int i = 0; i < 10000000; i++)
		;
	assert_true(linux_process_clock(getpid(), &after_ns));
	assert_true(after_ns > before_ns);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(linux_process_clock(pid, &after_ns));
	linux_process_name(pid, name);
	assert_string_equal(name, "");
}

static int count_down(pid_t pid, void *left)
{
	int *const count = left;
	return pid == getpid() ? 0 : --*count == 0 ? 7 : 0;
}

static atomic_int opened;

/* In place of the C library's. */
int open(const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const int mode = va_arg(arguments, int);
	va_end(arguments);
	opened++;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void *have_child(void *pid)
{
	*(_Atomic pid_t *)pid = start_child();
	pause();
	return NULL;
}

/* One thread has one list, which needs no list of threads; a second one is found without being told of it. */
static void threads_are_counted_before_they_are_listed(void **state)
{
	(void)state;
	if (access("/proc/thread-self/children", R_OK) != 0)
		skip();
	pthread_t thread;
	_Atomic pid_t of_thread = 0;
	const pid_t pid = start_child();
	int left = 1;
	opened = 0;
	assert_int_equal(linux_process_each_child("", getpid(), 0, true, count_down, &left), 7);
	assert_int_equal(opened, 1);
	assert_int_equal(pthread_create(&thread, NULL, have_child, &of_thread), 0);
	while (!of_thread)
		sched_yield();
	left = 2;
	opened = 0;
	assert_int_equal(linux_process_each_child("", getpid(), 0, true, count_down, &left), 7);
	assert_int_equal(opened, 3);
	for (int i = 0; i < 2; i++) {
		kill(i ? of_thread : pid, SIGKILL);
		assert_int_equal(waitpid(i ? of_thread : pid, NULL, 0), i ? of_thread : pid);
	}
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

/* Numbers that lie across two reads are whole; what isn't 0 ends it. */
static void lists_are_read_to_their_end(void **state)
{
	(void)state;
	enum { MANY = 3000 };
	FILE *const list = tmpfile();
	int left = MANY + 1;
	assert_non_null(list);
	for (int i = 0; i < MANY; i++)
		assert_true(fprintf(list, "%d ", 1000000 + i) > 0);
	assert_int_equal(fflush(list), 0);
	assert_int_equal(linux_process_each_in(fileno(list), false, count_down, &left), 0);
	assert_int_equal(left, 1);
	left = 5;
	assert_int_equal(linux_process_each_in(fileno(list), true, count_down, &left), 7);
	fclose(list);
	const pid_t pid = start_child();
	for (uint64_t threads = 0; threads < 2 && access("/proc/thread-self/children", R_OK) == 0; threads++) {
		left = 1;
		assert_int_equal(linux_process_each_child("", getpid(), threads, threads == 1, count_down, &left), 7);
		left = 1;
		assert_int_equal(linux_process_each_child("", pid, threads, threads == 1, count_down, &left), 0);
		assert_int_equal(linux_process_each_child("", 0x7fffffff, threads, threads == 1, count_down, &left), 0);
		assert_int_equal(left, 1);
	}
	left = 1;
	assert_int_equal(linux_process_each("", count_down, &left), 7);
	assert_int_equal(linux_process_each("/nowhere", count_down, &left), -1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
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
		cmocka_unit_test(a_reference_holds_for_one_process),
		cmocka_unit_test(what_else_is_known_of_one),
		cmocka_unit_test(lists_are_read_to_their_end),
		cmocka_unit_test(threads_are_counted_before_they_are_listed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
