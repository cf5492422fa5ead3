/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/units.h"
#include "left_out.h"
#include "processes/descendants.h"

/* Generous: what happens at once on an idle machine may take long on a busy one. */
#define PATIENCE_NS (20 * NS_PER_S)

static struct descendants list;

static void enter(void)
{
	signal(SIGTERM, SIG_DFL); /* Check has a handler of its own, which children would inherit */
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
}

static void leave(void)
{
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	descendants_free(&list);
	descendants_free(&list);
}

/* Forks a child that calls `body` and then sleeps. */
static pid_t start(void (*body)(void))
{
	const pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (body)
			body();
		for (;;)
			pause();
	}
	return pid;
}

/* Lists until there are `count` processes. */
static void list_until(size_t count)
{
	const int64_t deadline = clock_now() + PATIENCE_NS;
	do {
		ck_assert_int_eq(descendants_list(getpid(), &list), 0);
		if (list.count == count)
			return;
		clock_sleep_until(clock_now() + NS_PER_MS);
	} while (clock_now() < deadline);
	ck_abort_msg("there are %zu processes, expected %zu", list.count, count);
}

static const struct descendant *find(pid_t pid)
{
	for (size_t i = 0; i < list.count; i++)
		if (list.item[i].process.pid == pid)
			return &list.item[i];
	return NULL;
}

static void one_child(void)
{
	start(NULL);
}

static void two_levels(void)
{
	start(one_child);
	start(NULL);
}

START_TEST(nobody_has_no_descendants)
{
	ck_assert_int_eq(descendants_list(getpid(), &list), 0);
	ck_assert_uint_eq(list.count, 0);
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
}
END_TEST

START_TEST(parents_come_before_their_children)
{
	const pid_t first = start(two_levels);
	list_until(4);
	ck_assert_int_eq(list.item[0].process.pid, first);
	ck_assert_uint_eq(list.item[0].depth, 1);
	for (size_t i = 1; i < list.count; i++) {
		bool seen = false;
		for (size_t k = 0; k < i; k++) {
			if (list.item[k].process.pid != list.item[i].process.parent)
				continue;
			seen = true;
			ck_assert_uint_eq(list.item[i].depth, list.item[k].depth + 1);
		}
		ck_assert(seen);
	}
	ck_assert_ptr_null(find(getpid()));
	/* A second listing replaces the first. */
	list_until(4);
}
END_TEST

START_TEST(a_list_is_expanded_and_nobody_is_listed_twice)
{
	start(two_levels);
	start(one_child);
	list_until(6);
	/* Both children, and a grandchild before its turn. */
	struct linux_process seed[3];
	unsigned seeds = 0;
	for (size_t i = 0; i < list.count && seeds < 3; i++)
		seed[seeds++] = list.item[i].process;
	ck_assert_uint_eq(list.item[2].depth, 2);
	list.count = 0;
	for (unsigned i = 0; i < seeds; i++)
		ck_assert_int_eq(descendants_add(&list, &seed[i], 0), 0);
	ck_assert_int_eq(descendants_expand(&list), 0);
	ck_assert_uint_eq(list.count, 6);
	for (size_t i = 0; i < list.count; i++) {
		ck_assert_ptr_eq(find(list.item[i].process.pid), &list.item[i]);
		ck_assert_uint_eq(list.item[i].depth > 0, i >= 3);
	}
	list.count = 0;
	ck_assert_int_eq(descendants_expand(&list), 0);
	ck_assert_uint_eq(list.count, 0);
}
END_TEST

START_TEST(the_living_are_named)
{
	char text[64];
	char expected[64];
	descendants_name(text, sizeof text);
	ck_assert_str_eq(text, "");
	const pid_t first = start(NULL);
	const pid_t zombie = fork();
	if (zombie == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)zombie, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	descendants_name(text, sizeof text);
	/* The kernel keeps 15 characters. */
	ck_assert_int_lt(snprintf(expected, sizeof expected, "%d (test_processes_)", (int)first), (int)sizeof expected);
	ck_assert_str_eq(text, expected);
	for (int i = 0; i < 20; i++)
		start(NULL);
	/* What doesn't fit is left out. */
	descendants_name(text, sizeof text);
	ck_assert_uint_eq(strlen(text), sizeof text - 1);
	ck_assert_int_eq(strncmp(text, expected, strlen(expected)), 0);
}
END_TEST

/* Without the kernel's lists of children the same is found. */
START_TEST(the_whole_of_proc_says_the_same)
{
	struct descendants other = {0};
	ck_assert_int_eq(descendants_list_by_parents(getpid(), &other), 0);
	ck_assert_uint_eq(other.count, 0);
	start(two_levels);
	start(NULL);
	list_until(5);
	ck_assert_int_eq(descendants_list_by_parents(getpid(), &other), 0);
	ck_assert_uint_eq(other.count, list.count);
	for (size_t i = 0; i < other.count; i++) {
		const struct descendant *found = find(other.item[i].process.pid);
		ck_assert_ptr_nonnull(found);
		ck_assert_uint_eq(other.item[i].depth, found->depth);
		ck_assert(i == 0 || other.item[i].depth >= other.item[i - 1].depth);
	}
	ck_assert_int_eq(descendants_list_by_parents(list.item[4].process.pid, &other), 0);
	ck_assert_uint_eq(other.count, 0);
	descendants_free(&other);
}
END_TEST

START_TEST(many_children_are_all_found)
{
	for (int i = 0; i < 50; i++)
		start(NULL);
	list_until(50);
}
END_TEST

static void *start_from_a_thread(void *context)
{
	/* Not start(): Check's assertions allocate, and this thread may be cancelled within them. */
	if (fork() == 0) {
		signal(SIGTERM, SIG_DFL);
		for (;;)
			pause();
	}
	pause(); /* a child belongs to the thread that forked it as long as that lives */
	return context;
}

START_TEST(children_of_any_thread_are_found)
{
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, start_from_a_thread, NULL), 0);
	list_until(1);
	ck_assert_int_eq(list.item[0].process.parent, getpid());
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}
END_TEST

static void leave_session(void)
{
	setsid();
}

static void orphan(void)
{
	if (start(leave_session) > 0)
		_exit(0);
}

START_TEST(orphans_and_other_sessions_are_found)
{
	const pid_t first = start(orphan);
	int status;
	ck_assert_int_eq(waitpid(first, &status, 0), first);
	const int64_t deadline = clock_now() + PATIENCE_NS;
	do
		list_until(1);
	while (list.item[0].process.session != list.item[0].process.pid && clock_now() < deadline);
	ck_assert_int_eq(list.item[0].process.parent, getpid());
	ck_assert_int_eq(list.item[0].process.session, list.item[0].process.pid);
}
END_TEST

START_TEST(zombies_are_listed)
{
	const pid_t pid = start(NULL);
	siginfo_t info;
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	list_until(1);
	ck_assert(linux_process_has_ended(&list.item[0].process));
}
END_TEST

START_TEST(numbers_that_changed_hands_are_not_opened)
{
	const pid_t pid = start(NULL);
	list_until(1);
	struct process process = process_of(&list.item[0].process);
	ck_assert_int_eq(process_hold(&process), 0);
	ck_assert_int_eq(fcntl(process.fd, F_GETFD), FD_CLOEXEC);
	process_release(&process);
	process.start_ticks++; /* another process of the same number */
	ck_assert_int_eq(process_hold(&process), -1);
	ck_assert_int_eq(process.fd, -1);
	ck_assert_int_eq(errno, ESRCH);
	ck_assert_int_eq(process_signal(&process, SIGKILL), -1);
	ck_assert_int_eq(errno, ESRCH);
	ck_assert_int_eq(kill(pid, 0), 0);
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	process.start_ticks--;
	ck_assert_int_eq(process_signal(&process, SIGTERM), 0);
	int status;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	ck_assert(process_has_ended(&process));
	ck_assert_int_eq(process_hold(&process), -1);
	ck_assert_int_eq(errno, ESRCH);
}
END_TEST

/* Killed, reaped, and nothing left: the process has no child any more. */
static void kill_all(void)
{
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
}

START_TEST(killing_leaves_nothing)
{
	start(two_levels);
	start(orphan);
	start(leave_session);
	kill_all();
}
END_TEST

/* What was there before is neither killed nor named, nor what is below it; nor does it keep the others from being killed. */
START_TEST(what_was_there_before_is_spared)
{
	char text[64];
	const pid_t before = start(one_child);
	list_until(2);
	const struct linux_process below = list.item[1].process;
	ck_assert_int_eq(descendants_spare(), 1);
	descendants_name(text, sizeof text);
	ck_assert_str_eq(text, "");
	const pid_t other = start(two_levels);
	start(orphan);
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	ck_assert_int_eq(waitpid(other, NULL, 0), -1);
	list_until(2);
	ck_assert_int_eq(list.item[0].process.pid, before);
	ck_assert(!linux_process_has_ended(&list.item[0].process));
	ck_assert_int_eq(list.item[1].process.pid, below.pid);
	ck_assert(!linux_process_has_ended(&list.item[1].process));
	/* A child of the process has others. */
	const pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 1UL);
		start(one_child);
		_exit(descendants_kill(clock_now() + PATIENCE_NS) && waitpid(-1, NULL, 0) < 0 ? 0 : 1);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	kill(before, SIGKILL);
	ck_assert_int_eq(waitpid(before, NULL, 0), before);
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	ck_assert_int_eq(waitpid(below.pid, NULL, 0), -1);
}
END_TEST

static void stop_self(void)
{
	raise(SIGSTOP);
}

static void ignore_all(void)
{
	for (int number = 1; number < 64; number++)
		signal(number, SIG_IGN);
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

START_TEST(stopped_and_stubborn_processes_are_killed)
{
	const pid_t stopped = start(stop_self);
	start(ignore_all);
	siginfo_t info;
	ck_assert_int_eq(waitid(P_PID, (id_t)stopped, &info, WSTOPPED | WNOWAIT), 0);
	kill_all();
}
END_TEST

static void *sleep_for_ever(void *context)
{
	for (;;)
		pause();
	return context;
}

/* The first thread ends and others go on, which /proc shows as a zombie. */
static void lose_the_first_thread(void)
{
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, sleep_for_ever, NULL), 0);
	pthread_exit(NULL);
}

START_TEST(a_process_without_its_first_thread_is_killed)
{
	const pid_t pid = start(lose_the_first_thread);
	const int64_t deadline = clock_now() + PATIENCE_NS;
	do
		list_until(1);
	while (list.item[0].process.state != 'Z' && clock_now() < deadline);
	ck_assert_int_eq(list.item[0].process.state, 'Z');
	ck_assert(!linux_process_has_ended(&list.item[0].process));
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0); /* alive */
	kill_all();
}
END_TEST

static void *fork_from_the_second_thread(void *context)
{
	start(NULL);
	return sleep_for_ever(context);
}

static void lose_the_first_thread_and_fork(void)
{
	pthread_t thread;
	ck_assert_int_eq(pthread_create(&thread, NULL, fork_from_the_second_thread, NULL), 0);
	pthread_exit(NULL);
}

START_TEST(children_of_a_process_without_its_first_thread_are_found)
{
	start(lose_the_first_thread_and_fork);
	list_until(2);
	ck_assert_uint_eq(list.item[1].depth, 2);
}
END_TEST

static void breed(void)
{
	/* Each generation lives for some milliseconds and is gone when its successor is found. */
	for (;;) {
		const pid_t pid = fork();
		if (pid > 0)
			_exit(0);
		usleep(3000);
	}
}

START_TEST(processes_that_come_up_meanwhile_are_killed)
{
	start(breed);
	start(breed);
	clock_sleep_until(clock_now() + 20 * NS_PER_MS);
	kill_all();
}
END_TEST

START_TEST(the_deadline_ends_a_hopeless_attempt)
{
	/* A deadline in the past gives one round; whether that was enough or not, the next call finds what is left. */
	start(two_levels);
	list_until(4);
	descendants_kill(0);
	kill_all();
}
END_TEST

static void burn(int64_t ns)
{
	const int64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ns;
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end)
		;
}

static int report_pipe[2];

static void burn_in_a_child_that_ends(void)
{
	int status;
	const pid_t pid = fork();
	if (pid == 0) {
		burn(150 * NS_PER_MS);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	burn(50 * NS_PER_MS);
	if (write(report_pipe[1], "x", 1) != 1)
		_exit(1);
}

START_TEST(those_whom_proc_hides_are_not_taken_for_gone)
{
	const uid_t nobody = 65534;
	const pid_t pid = start(NULL);
	list_until(1);
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("proc", "/proc", "proc", 0, "hidepid=2") != 0 || setgroups(0, NULL) != 0 ||
		setresgid(nobody, nobody, 0) != 0 || setresuid(nobody, nobody, 0) != 0) {
		left_out("/proc can't be mounted anew here");
		return;
	}
	ck_assert_int_eq(descendants_list(getpid(), &list), 0);
	ck_assert_uint_eq(list.count, 0);
	ck_assert_uint_eq(list.vanished, 0);
	ck_assert_int_eq(setresuid(0, 0, 0), 0);
	ck_assert_int_eq(descendants_list(getpid(), &list), 0);
	ck_assert_ptr_nonnull(find(pid));
}
END_TEST

START_TEST(cpu_time_counts_the_living_and_the_waited_for)
{
	char byte;
	ck_assert_int_eq(pipe(report_pipe), 0);
	const pid_t pid = start(burn_in_a_child_that_ends);
	ck_assert_int_eq(read(report_pipe[0], &byte, 1), 1);
	const int64_t used = descendants_cpu_ns(pid, true);
	/* 200 ms; the waited-for part comes in ticks of 10 ms, each of user and system time cut off. */
	ck_assert_int_ge(used, 175 * NS_PER_MS);
	ck_assert_int_le(used, 60 * NS_PER_S);
	/* From above, the same and a little more. */
	ck_assert_int_ge(descendants_cpu_ns(getpid(), true), used);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(descendants_cpu_ns(pid, true), 0);
	close(report_pipe[0]);
	close(report_pipe[1]);
}
END_TEST

int main(void)
{
	left_out_begin();
	Suite *suite = suite_create("linux_descendants");
	TCase *tests = tcase_create("all");
	tcase_add_checked_fixture(tests, enter, leave);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, nobody_has_no_descendants);
	tcase_add_test(tests, parents_come_before_their_children);
	tcase_add_test(tests, a_list_is_expanded_and_nobody_is_listed_twice);
	tcase_add_test(tests, the_living_are_named);
	tcase_add_test(tests, the_whole_of_proc_says_the_same);
	tcase_add_test(tests, many_children_are_all_found);
	tcase_add_test(tests, children_of_any_thread_are_found);
	tcase_add_test(tests, orphans_and_other_sessions_are_found);
	tcase_add_test(tests, zombies_are_listed);
	tcase_add_test(tests, numbers_that_changed_hands_are_not_opened);
	tcase_add_test(tests, killing_leaves_nothing);
	tcase_add_test(tests, what_was_there_before_is_spared);
	tcase_add_test(tests, stopped_and_stubborn_processes_are_killed);
	tcase_add_test(tests, a_process_without_its_first_thread_is_killed);
	tcase_add_test(tests, children_of_a_process_without_its_first_thread_are_found);
	tcase_add_test(tests, processes_that_come_up_meanwhile_are_killed);
	tcase_add_test(tests, the_deadline_ends_a_hopeless_attempt);
	tcase_add_test(tests, those_whom_proc_hides_are_not_taken_for_gone);
	tcase_add_test(tests, cpu_time_counts_the_living_and_the_waited_for);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	/* What a test that failed leaves behind comes to this process. */
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	srunner_run_all(runner, CK_NORMAL);
	descendants_kill(clock_now() + PATIENCE_NS);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return left_out_status(failed);
}
