/* SPDX-License-Identifier: MIT */
/*
 * For tests of trees of processes. The test process is the executor here: a subreaper with one workload. Deadlines are generous, for busy machines.
 */
#ifndef TREE_TEST_H
#define TREE_TEST_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/units.h"
#include "left_out.h"
#include "processes/tree.h"

#define PATIENCE_NS (20 * NS_PER_S)

static struct tree tree;
static struct descendants list;
static int report[2];

static inline void enter(void)
{
	signal(SIGTERM, SIG_DFL); /* Check has a handler of its own, which children would inherit */
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	ck_assert_int_eq(pipe(report), 0);
	tree.loadavg = -1;
}

static inline void leave(void)
{
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	tree_free(&tree);
	tree_free(&tree);
	descendants_free(&list);
	close(report[0]);
	close(report[1]);
}

/* The body of a process of the workload ends here. */
static inline void sleep_for_ever(void)
{
	for (;;)
		pause();
}

static inline pid_t fork_and(void (*body)(void))
{
	const pid_t pid = fork();
	if (pid == 0) {
		body();
		_exit(0);
	}
	return pid;
}

/* Starts the workload, whose first process leads a group, and waits until the tree has `count` processes. */
static inline pid_t start(void (*body)(void), size_t count)
{
	const pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		setpgid(0, 0);
		body();
		_exit(0);
	}
	setpgid(pid, pid);
	tree_init(&tree, pid);
	const int64_t deadline = clock_now() + PATIENCE_NS;
	do {
		clock_sleep_until(clock_now() + NS_PER_MS);
		ck_assert_int_eq(descendants_list(getpid(), &list), 0);
	} while (list.count != count && clock_now() < deadline);
	ck_assert_uint_eq(list.count, count);
	return pid;
}

/* `start` may have seen as many on the way there: waits until the tree has `count`, of which so many have left the group. */
static inline void await_outside(size_t outside, size_t count)
{
	const int64_t deadline = clock_now() + PATIENCE_NS;
	size_t left;
	do {
		clock_sleep_until(clock_now() + NS_PER_MS);
		ck_assert_int_eq(descendants_list(getpid(), &list), 0);
		left = 0;
		for (size_t i = 0; i < list.count; i++)
			left += list.item[i].process.group != tree.group;
	} while ((left != outside || list.count != count) && clock_now() < deadline);
	ck_assert_uint_eq(left, outside);
	ck_assert_uint_eq(list.count, count);
}

/* Whether every process of the tree that is alive is stopped, or every one is not. */
static inline bool all_are(bool stopped)
{
	ck_assert_int_eq(descendants_list(getpid(), &list), 0);
	for (size_t i = 0; i < list.count; i++)
		if (!linux_process_has_ended(&list.item[i].process) && (list.item[i].process.state == 'T') != stopped)
			return false;
	return true;
}

/* As an executor does: at each edge the tree is stopped again; escapees are found within the interval of the scans. */
static inline void stop_until_all_are(void)
{
	const int64_t deadline = clock_now() + PATIENCE_NS;
	do {
		tree_stop(&tree, clock_now());
		clock_sleep_until(clock_now() + 10 * NS_PER_MS);
	} while (!all_are(true) && clock_now() < deadline);
	ck_assert(all_are(true));
	ck_assert(tree.stopped);
}

static inline void continue_all(void)
{
	const int64_t deadline = clock_now() + PATIENCE_NS;
	tree_continue(&tree);
	ck_assert(!tree.stopped);
	while (!all_are(false) && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert(all_are(false));
}

static inline void new_session(void)
{
	setsid();
	fork_and(sleep_for_ever);
	sleep_for_ever();
}

static inline void with_an_escapee(void)
{
	fork_and(new_session);
	sleep_for_ever();
}

#define MANY 20

static inline void with_many_escapees(void)
{
	for (int i = 0; i < MANY; i++)
		fork_and(new_session);
	sleep_for_ever();
}

static inline void daemonise(void)
{
	if (fork_and(new_session) > 0)
		_exit(0);
}

static inline void with_a_daemon(void)
{
	int status;
	const pid_t pid = fork_and(daemonise);
	waitpid(pid, &status, 0);
	sleep_for_ever();
}

static inline void wait_for_orders(void)
{
	char order;
	/* The second process is told when to leave. */
	if (read(report[0], &order, 1) == 1)
		setsid();
	sleep_for_ever();
}

/* Where left_out_begin was called. Returns the program's status. */
static inline int run_tests(TCase *tests)
{
	Suite *suite = suite_create("linux_tree");
	tcase_add_checked_fixture(tests, enter, leave);
	tcase_set_timeout(tests, 60);
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

#endif
