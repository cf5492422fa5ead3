/* SPDX-License-Identifier: MIT */
/* When a tree is looked at, and what for. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <check.h>

#include "tree_test.h"

/* ---- In place of libc's: clocks, and the number of the machine's newest process ---------------------------------------- */

static struct {
	int64_t monotonic_ns; /* stands still at this; 0: the real one */
	int64_t cpu_step_ns;  /* processor time from one look at it to the next; 0: the real one */
	int64_t cpu_ns;
	bool forks;             /* somebody on the machine forks between any two looks at its newest process … */
	unsigned below_us;      /* … and so many of these are ours, each in a session of its own */
	unsigned long long pid; /* the newest, which stays when nobody forks; 0: the real one */
} fake;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int64_t ns = clock == CLOCK_MONOTONIC ? fake.monotonic_ns : 0;
	if (clock == CLOCK_THREAD_CPUTIME_ID && fake.cpu_step_ns)
		ns = fake.cpu_ns += fake.cpu_step_ns;
	if (!ns)
		return (int)syscall(SYS_clock_gettime, clock, now);
	*now = (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
	return 0;
}

static void start_session(void);

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	if ((!fake.forks && !fake.pid) || fd != tree.loadavg)
		return syscall(SYS_pread64, fd, buffer, size, offset);
	fake.pid += fake.forks;
	if (fake.below_us) {
		fake.below_us--;
		start_session();
	}
	return snprintf(buffer, size, "0.00 0.00 0.00 1/1 %llu\n", fake.pid);
}

static void start_session(void)
{
	struct linux_process process;
	const pid_t pid = fork();
	if (pid == 0) {
		setsid();
		sleep_for_ever();
	}
	const int64_t began = fake.monotonic_ns;
	fake.monotonic_ns = 0;
	do
		clock_sleep_until(clock_now() + NS_PER_MS);
	while (linux_process_read(pid, &process) == 0 && process.session != pid);
	fake.monotonic_ns = began;
}

/* Stops the tree at a moment, and says how many looks that took. */
static unsigned looks_at(int64_t now_ns)
{
	const uint64_t before = tree.looks;
	fake.monotonic_ns = now_ns;
	tree_stop(&tree, now_ns);
	fake.monotonic_ns = 0;
	return (unsigned)(tree.looks - before);
}

/* The same for a tree that ran until then. */
static unsigned looks_after_running_at(int64_t now_ns)
{
	tree_continue(&tree);
	return looks_at(now_ns);
}

START_TEST(what_the_rest_of_the_machine_forks_repeats_no_look)
{
	start(with_an_escapee, 3);
	const int64_t now = clock_now();
	fake.forks = true;
	ck_assert_uint_eq(looks_at(now), 2); /* the first finds those in another session, the second nothing new */
	for (int i = 1; i < 10; i++)
		ck_assert_uint_eq(looks_at(now + i * NS_PER_S), 1);
	ck_assert(all_are(true));
	continue_all();
}
END_TEST

/* So the budget is for those that ran. */
START_TEST(what_stands_still_is_not_looked_through_for_forks_until_it_has_run)
{
	start(with_an_escapee, 3);
	const int64_t now = clock_now();
	fake.forks = true;
	ck_assert_uint_eq(looks_at(now), 2);
	ck_assert_uint_eq(looks_at(now + 500 * NS_PER_MS), 0);
	ck_assert_uint_eq(looks_after_running_at(now + 600 * NS_PER_MS), 1);
	ck_assert_uint_eq(looks_at(now + 1100 * NS_PER_MS), 0);
	ck_assert_uint_eq(looks_at(now + 1600 * NS_PER_MS), 1); /* overdue */
	/* The last look found one for the first time, which may have forked before it was stopped. */
	start_session();
	tree.budget = &(struct look_budget){.paid_ns = now + 2200 * NS_PER_MS - NS_PER_S / 3};
	ck_assert_uint_eq(looks_after_running_at(now + 2200 * NS_PER_MS), 1);
	tree.budget = NULL;
	ck_assert_uint_eq(looks_at(now + 2300 * NS_PER_MS), 1);
	ck_assert_uint_eq(looks_at(now + 2400 * NS_PER_MS), 0);
	continue_all();
}
END_TEST

/* What can't be stopped may fork at any time. */
START_TEST(what_is_of_somebody_else_does_not_stand_still)
{
	start(with_an_escapee, 3);
	if (setresuid(65534, 65534, 0) != 0) {
		left_out("only root can become somebody else");
		return;
	}
	const int64_t now = clock_now();
	fake.forks = true;
	looks_at(now);
	ck_assert_uint_gt(looks_at(now + 500 * NS_PER_MS), 0);
	ck_assert_int_eq(setresuid(0, 0, 0), 0);
}
END_TEST

START_TEST(a_look_is_repeated_as_long_as_the_tree_forks)
{
	start(sleep_for_ever, 1);
	const int64_t now = clock_now();
	fake.forks = true;
	fake.below_us = 3;
	ck_assert_uint_eq(looks_at(now), 4);
	ck_assert_uint_eq(tree.outsiders, 3);
	ck_assert_uint_eq(fake.below_us, 0);
	ck_assert_uint_eq(looks_at(now + NS_PER_S), 1);
	ck_assert(all_are(true));
	continue_all();
}
END_TEST

START_TEST(who_comes_to_us_during_a_look_is_part_of_it)
{
	int status;
	const pid_t leader = start(sleep_for_ever, 1);
	if (access("/proc/thread-self/children", R_OK) != 0) {
		/* A look at all processes of the machine needs no second one. */
		left_out("the kernel keeps no lists of children");
		return;
	}
	ck_assert_int_eq(descendants_list(getpid(), &list), 0);
	const pid_t pid = fork_and(daemonise);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	const int64_t deadline = clock_now() + PATIENCE_NS;
	while (list.count < 3 && clock_now() < deadline) {
		list.count = 1;
		ck_assert_int_eq(descendants_add_orphans(getpid(), &list), 0);
	}
	ck_assert_uint_eq(list.count, 3); /* the daemon and its child */
	ck_assert_int_eq(list.item[0].process.pid, leader);
	ck_assert_int_eq(list.item[2].process.parent, list.item[1].process.pid);
	ck_assert_int_eq(descendants_add_orphans(getpid(), &list), 0);
	ck_assert_uint_eq(list.count, 3);
}
END_TEST

/* As orphans are that came during a look. With the clock standing still, a wait for ourselves would never end. */
START_TEST(an_orphan_that_is_listed_last_is_stopped_without_waiting_for_ourselves)
{
	start(with_a_daemon, 3);
	await_outside(2, 3);
	stop_until_all_are();
	ck_assert_uint_eq(tree.outsiders, 2);
	ck_assert_int_eq(tree.outsider[0].parent, getpid());
	ck_assert_int_eq(tree.outsider[1].parent, tree.outsider[0].process.pid);
	const struct tree_outsider orphan = tree.outsider[0];
	tree.outsider[0] = tree.outsider[1];
	tree.outsider[1] = orphan;
	looks_at(clock_now());
	ck_assert(all_are(true));
	continue_all();
}
END_TEST

START_TEST(nobody_waits_for_a_parent_that_belongs_to_somebody_else)
{
	const uid_t nobody = 65534;
	start(with_an_escapee, 3);
	if (setresuid(nobody, nobody, 0) != 0) {
		left_out("only root can become somebody else");
		return;
	}
	looks_at(clock_now());
	ck_assert_uint_eq(tree.outsiders, 2);
	ck_assert(tree.outsider[0].denied && tree.outsider[1].denied);
	ck_assert_int_eq(setresuid(0, 0, 0), 0);
	ck_assert(all_are(false));
}
END_TEST

static void *sleep_as_a_thread(void *unused)
{
	sleep_for_ever();
	return unused;
}

static void end_the_first_thread(void)
{
	pthread_t other;
	fork_and(new_session);
	pthread_create(&other, NULL, sleep_as_a_thread, NULL);
	pthread_exit(NULL);
}

static void await_state(pid_t pid, char state)
{
	struct linux_process process;
	const int64_t deadline = clock_now() + PATIENCE_NS;
	do
		clock_sleep_until(clock_now() + NS_PER_MS);
	while (linux_process_read(pid, &process) == 0 && process.state != state && clock_now() < deadline);
	ck_assert_int_eq(process.state, state);
}

START_TEST(a_process_whose_first_thread_has_ended_is_not_waited_for_in_vain)
{
	const pid_t first = start(end_the_first_thread, 3);
	await_state(first, 'Z');
	looks_at(clock_now());
	ck_assert_uint_eq(tree.outsiders, 2);
	for (size_t i = 0; i < tree.outsiders; i++)
		await_state(tree.outsider[i].process.pid, 'T');
	tree_continue(&tree);
}
END_TEST

/* The parent can't stop before the child executes something. */
static void lend_to_a_session(void)
{
	if (syscall(SYS_clone, CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, 0UL) == 0) {
		setsid();
		sleep_for_ever();
	}
}

START_TEST(a_parent_in_an_uninterruptible_wait_is_not_waited_for)
{
	await_state(start(lend_to_a_session, 2), 'D');
	await_outside(1, 2);
	looks_at(clock_now());
	ck_assert_uint_eq(tree.outsiders, 1);
	await_state(tree.outsider[0].process.pid, 'T');
	tree_continue(&tree);
}
END_TEST

START_TEST(a_look_while_the_tree_runs_is_repeated_by_the_next_stop)
{
	start(sleep_for_ever, 1);
	const int64_t now = clock_now();
	fake.pid = 1000;
	ck_assert_uint_eq(looks_at(now), 1);
	ck_assert_uint_eq(looks_after_running_at(now + 100 * NS_PER_MS), 0);
	tree_signal(&tree, SIGCONT, now + 200 * NS_PER_MS);
	ck_assert_uint_eq(looks_at(now + 600 * NS_PER_MS), 1);
	ck_assert_uint_eq(looks_after_running_at(now + 700 * NS_PER_MS), 0);
	continue_all();
}
END_TEST

START_TEST(looks_are_paid_by_their_processor_time)
{
	start(sleep_for_ever, 1);
	const int64_t now = clock_now();
	fake.forks = true;
	fake.cpu_step_ns = 5 * NS_PER_MS; /* a look takes so much, however small the tree */
	ck_assert_uint_eq(looks_after_running_at(now), 1);
	ck_assert_int_eq(tree.look_ns, 5 * NS_PER_MS);
	ck_assert_uint_eq(looks_after_running_at(now + 100 * NS_PER_MS - 1), 0); /* LOOK_SHARE times as much */
	fake.cpu_step_ns = NS_PER_MS;
	ck_assert_uint_eq(looks_after_running_at(now + 100 * NS_PER_MS), 1);
	ck_assert_uint_eq(looks_after_running_at(now + 119 * NS_PER_MS), 0);
	ck_assert_uint_eq(looks_after_running_at(now + 120 * NS_PER_MS), 1);
	continue_all();
}
END_TEST

START_TEST(a_budget_holds_looks_back)
{
	struct look_budget budget = {0};
	start(sleep_for_ever, 1);
	const int64_t now = clock_now();
	tree.budget = &budget;
	fake.forks = true;
	fake.cpu_step_ns = NS_PER_MS;
	ck_assert_uint_eq(looks_after_running_at(now), 1);
	ck_assert(atomic_load(&budget.paid_ns) > now - NS_PER_S);
	/* Others have spent it: also a look that is overdue comes later. */
	atomic_store(&budget.paid_ns, now + 3 * NS_PER_S);
	ck_assert_uint_eq(looks_after_running_at(now + 100 * NS_PER_MS), 0);
	ck_assert_uint_eq(looks_after_running_at(now + 3 * NS_PER_S - 1), 0);
	ck_assert_uint_eq(looks_after_running_at(now + 3 * NS_PER_S), 1);
	/* A look for forks leaves something for those that are overdue, and one that is repeated leaves more. */
	ck_assert_uint_eq(looks_after_running_at(now + 3100 * NS_PER_MS), 0);
	fake.below_us = 2;
	ck_assert_uint_eq(looks_after_running_at(now + 3270 * NS_PER_MS), 1);
	ck_assert_uint_eq(looks_after_running_at(now + 9 * NS_PER_S), 2);
	continue_all();
}
END_TEST

int main(void)
{
	left_out_begin();
	TCase *tests = tcase_create("all");
	tcase_add_test(tests, what_the_rest_of_the_machine_forks_repeats_no_look);
	tcase_add_test(tests, what_stands_still_is_not_looked_through_for_forks_until_it_has_run);
	tcase_add_test(tests, what_is_of_somebody_else_does_not_stand_still);
	tcase_add_test(tests, a_look_is_repeated_as_long_as_the_tree_forks);
	tcase_add_test(tests, who_comes_to_us_during_a_look_is_part_of_it);
	tcase_add_test(tests, an_orphan_that_is_listed_last_is_stopped_without_waiting_for_ourselves);
	tcase_add_test(tests, nobody_waits_for_a_parent_that_belongs_to_somebody_else);
	tcase_add_test(tests, a_process_whose_first_thread_has_ended_is_not_waited_for_in_vain);
	tcase_add_test(tests, a_parent_in_an_uninterruptible_wait_is_not_waited_for);
	tcase_add_test(tests, a_look_while_the_tree_runs_is_repeated_by_the_next_stop);
	tcase_add_test(tests, looks_are_paid_by_their_processor_time);
	tcase_add_test(tests, a_budget_holds_looks_back);
	return run_tests(tests);
}
