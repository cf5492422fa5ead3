/* SPDX-License-Identifier: MIT */
/* Which processes are stopped and continued, whoever they leave, lose or are joined by. */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "tree_test.h"

static void same_group(void)
{
	fork_and(sleep_for_ever);
	fork_and(sleep_for_ever);
	sleep_for_ever();
}

START_TEST(a_group_is_stopped_and_continued)
{
	const pid_t first = start(same_group, 3);
	ck_assert_int_eq(tree.group, first);
	ck_assert(!tree.stopped);
	stop_until_all_are();
	ck_assert_uint_eq(tree.outsiders, 0);
	continue_all();
	stop_until_all_are();
	continue_all();
}
END_TEST

START_TEST(escapees_are_stopped_and_continued)
{
	start(with_an_escapee, 3);
	stop_until_all_are();
	ck_assert_uint_eq(tree.outsiders, 2);
	continue_all();
	stop_until_all_are();
	continue_all();
}
END_TEST

START_TEST(escapees_without_descriptors_are_stopped_and_continued)
{
	const struct rlimit few = {.rlim_cur = 32, .rlim_max = 32};
	unsigned without = 0;
	start(with_many_escapees, 1 + 2 * MANY);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	stop_until_all_are();
	ck_assert_uint_eq(tree.outsiders, 2 * MANY);
	for (size_t i = 0; i < tree.outsiders; i++)
		without += tree.outsider[i].process.fd < 0;
	ck_assert_uint_gt(without, MANY);
	continue_all();
	stop_until_all_are();
	tree_signal(&tree, SIGTERM, clock_now());
	continue_all();
}
END_TEST

START_TEST(daemons_that_lost_their_parent_are_part_of_it)
{
	start(with_a_daemon, 3);
	await_outside(2, 3);
	stop_until_all_are();
	continue_all();
}
END_TEST

static void with_a_late_escapee(void)
{
	fork_and(wait_for_orders);
	sleep_for_ever();
}

START_TEST(those_that_leave_without_a_fork_are_found)
{
	start(with_a_late_escapee, 2);
	stop_until_all_are();
	continue_all();
	ck_assert_uint_eq(tree.outsiders, 0);
	ck_assert_int_eq(write(report[1], "x", 1), 1);
	const int64_t deadline = clock_now() + PATIENCE_NS;
	do {
		clock_sleep_until(clock_now() + NS_PER_MS);
		ck_assert_int_eq(descendants_list(getpid(), &list), 0);
	} while (list.item[1].process.group == tree.group && clock_now() < deadline);
	stop_until_all_are();
	ck_assert_uint_eq(tree.outsiders, 1);
	continue_all();
}
END_TEST

static void leave_a_group_behind(void)
{
	fork_and(sleep_for_ever);
	fork_and(new_session);
	_exit(7);
}

static void wait_for_the_leader(pid_t first)
{
	siginfo_t info;
	ck_assert_int_eq(waitid(P_PID, (id_t)first, &info, WEXITED | WNOWAIT), 0);
}

START_TEST(the_leader_s_death_keeps_the_rest_controlled)
{
	int status;
	const pid_t first = start(leave_a_group_behind, 4); /* with the leader as a zombie */
	wait_for_the_leader(first);
	tree_leader_ends(&tree, clock_now());
	ck_assert_int_eq(waitpid(first, &status, 0), first);
	ck_assert_int_eq(WEXITSTATUS(status), 7);
	stop_until_all_are();
	ck_assert_uint_eq(list.count, 3);
	ck_assert_uint_eq(tree.outsiders, 3);
	continue_all();
	tree_signal(&tree, SIGTERM, clock_now());
	for (int i = 0; i < 3; i++)
		ck_assert_int_gt(waitpid(-1, &status, 0), 0);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}
END_TEST

START_TEST(a_leader_that_dies_while_all_are_stopped_leaves_nothing_stopped)
{
	int status;
	const pid_t first = start(same_group, 3);
	stop_until_all_are();
	kill(first, SIGKILL);
	wait_for_the_leader(first);
	tree_leader_ends(&tree, clock_now());
	ck_assert_int_eq(waitpid(first, &status, 0), first);
	ck_assert(all_are(true));
	continue_all();
	ck_assert_uint_eq(list.count, 2);
}
END_TEST

START_TEST(once_reaped_the_leader_s_group_is_left_alone)
{
	/* The number of a group that has no leader any more may be anybody's: a stranger with it must not be hit. */
	int status;
	const pid_t first = start(sleep_for_ever, 1);
	kill(first, SIGKILL);
	wait_for_the_leader(first);
	tree_leader_ends(&tree, clock_now());
	ck_assert_int_eq(waitpid(first, &status, 0), first);
	ck_assert_uint_eq(tree.outsiders, 0);
	/* As if the number had come round to a process that isn't of the tree: a sibling of the one that asks stands for it. */
	const pid_t keeper = fork();
	ck_assert_int_ge(keeper, 0);
	if (keeper == 0) {
		setpgid(0, 0);
		sleep_for_ever();
	}
	setpgid(keeper, keeper);
	tree.group = keeper;
	const pid_t asker = fork();
	ck_assert_int_ge(asker, 0);
	if (asker == 0) {
		/* Here the keeper is a stranger. */
		tree_stop(&tree, clock_now());
		tree_continue(&tree);
		tree_signal(&tree, SIGTERM, clock_now());
		_exit(0);
	}
	ck_assert_int_eq(waitpid(asker, &status, 0), asker);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ck_assert_int_eq(waitpid(keeper, &status, WNOHANG | WUNTRACED), 0);
}
END_TEST

START_TEST(terminating_a_stopped_tree_takes_sigcont_after_sigterm)
{
	int status;
	start(with_an_escapee, 3);
	stop_until_all_are();
	tree_signal(&tree, SIGTERM, clock_now());
	tree_signal(&tree, SIGCONT, clock_now());
	for (int i = 0; i < 3; i++) {
		ck_assert_int_gt(waitpid(-1, &status, 0), 0);
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	}
}
END_TEST

/* A shell with job control: its child leads a group of its own, and it wants to know when that stops. */
static void control_a_job(void)
{
	const pid_t pid = fork();
	int status;
	if (pid == 0) {
		setpgid(0, 0);
		sleep_for_ever();
	}
	setpgid(pid, pid);
	while (waitpid(pid, &status, WUNTRACED) == pid)
		if (WIFSTOPPED(status) && write(report[1], "s", 1) != 1)
			_exit(1);
}

START_TEST(a_shell_with_job_control_never_sees_its_job_stop)
{
	char seen;
	/* On one processor who gets a signal first need not run first. */
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	start(control_a_job, 2);
	for (int i = 0; i < 150; i++) {
		stop_until_all_are();
		continue_all();
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	close(report[1]);
	ck_assert_int_eq(read(report[0], &seen, 1), 0); /* the end, and nothing before it */
}
END_TEST

START_TEST(what_somebody_else_continued_is_stopped_again)
{
	start(with_an_escapee, 3);
	stop_until_all_are();
	for (size_t i = 0; i < list.count; i++)
		kill(list.item[i].process.pid, SIGCONT);
	stop_until_all_are();
	continue_all();
	for (size_t i = 0; i < list.count; i++)
		kill(list.item[i].process.pid, SIGSTOP);
	continue_all();
}
END_TEST

START_TEST(one_that_a_look_overlooks_is_not_forgotten)
{
	int status;
	const pid_t keeper = fork_and(sleep_for_ever);
	ck_assert_int_ge(keeper, 0);
	const pid_t asker = fork();
	ck_assert_int_ge(asker, 0);
	if (asker == 0) {
		/* The keeper isn't below this process, so no look finds it. */
		struct linux_process process;
		tree_init(&tree, 0);
		tree.whole_group = false;
		tree.outsider = calloc(1, sizeof *tree.outsider);
		if (!tree.outsider || linux_process_read(keeper, &process) != 0)
			_exit(1);
		tree.outsider[0] = (struct tree_outsider){.process = process_of(&process)};
		process_hold(&tree.outsider[0].process);
		tree.outsiders = 1;
		for (int i = 0; i < 3; i++) {
			tree.scanned_ns = INT64_MIN;
			tree_stop(&tree, clock_now());
			if (tree.outsiders != 1 || tree.outsider[0].process.pid != keeper)
				_exit(2);
		}
		tree_continue(&tree);
		tree_signal(&tree, SIGTERM, clock_now());
		_exit(0);
	}
	ck_assert_int_eq(waitpid(asker, &status, 0), asker);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(waitpid(keeper, &status, 0), keeper);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}
END_TEST

START_TEST(a_tree_that_is_gone_does_no_harm)
{
	int status;
	const pid_t first = start(with_an_escapee, 3);
	stop_until_all_are();
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	ck_assert_int_eq(waitpid(first, &status, 0), -1);
	tree_leader_ends(&tree, clock_now());
	tree_stop(&tree, clock_now());
	tree_continue(&tree);
	tree_signal(&tree, SIGTERM, clock_now());
	ck_assert_uint_eq(tree.outsiders, 0);
}
END_TEST

int main(void)
{
	left_out_begin();
	TCase *tests = tcase_create("all");
	tcase_add_test(tests, a_group_is_stopped_and_continued);
	tcase_add_test(tests, escapees_are_stopped_and_continued);
	tcase_add_test(tests, escapees_without_descriptors_are_stopped_and_continued);
	tcase_add_test(tests, daemons_that_lost_their_parent_are_part_of_it);
	tcase_add_test(tests, those_that_leave_without_a_fork_are_found);
	tcase_add_test(tests, the_leader_s_death_keeps_the_rest_controlled);
	tcase_add_test(tests, a_leader_that_dies_while_all_are_stopped_leaves_nothing_stopped);
	tcase_add_test(tests, once_reaped_the_leader_s_group_is_left_alone);
	tcase_add_test(tests, terminating_a_stopped_tree_takes_sigcont_after_sigterm);
	tcase_add_test(tests, a_shell_with_job_control_never_sees_its_job_stop);
	tcase_add_test(tests, what_somebody_else_continued_is_stopped_again);
	tcase_add_test(tests, one_that_a_look_overlooks_is_not_forgotten);
	tcase_add_test(tests, a_tree_that_is_gone_does_no_harm);
	return run_tests(tests);
}
