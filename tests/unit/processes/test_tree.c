/* SPDX-License-Identifier: MIT */
/* The test process is the executor here: a subreaper with one workload. Deadlines are generous, for busy machines. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/units.h"
#include "left_out.h"
#include "processes/attached.h"
#include "processes/tree.h"

#define PATIENCE_NS (20 * NS_PER_S)

static struct tree tree;
static struct descendants list;
static int report[2];

/* ---- In place of libc's: clocks, and the number of the machine's newest process ---------------------------------------- */

static struct {
	int64_t monotonic_ns; /* stands still at this; 0: the real one */
	int64_t cpu_step_ns;  /* processor time from one look at it to the next; 0: the real one */
	int64_t cpu_ns;
	bool forks;             /* somebody on the machine forks between any two looks at its newest process … */
	unsigned below_us;      /* … and so many of these are ours, each in a session of its own */
	unsigned long long pid; /* the newest */
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
	if (!fake.forks || fd != tree.loadavg)
		return syscall(SYS_pread64, fd, buffer, size, offset);
	if (fake.below_us) {
		fake.below_us--;
		start_session();
	}
	return snprintf(buffer, size, "0.00 0.00 0.00 1/1 %llu\n", ++fake.pid);
}

static void enter(void)
{
	signal(SIGTERM, SIG_DFL); /* Check has a handler of its own, which children would inherit */
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	ck_assert_int_eq(pipe(report), 0);
	tree.loadavg = -1;
}

static void leave(void)
{
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	tree_free(&tree);
	tree_free(&tree);
	descendants_free(&list);
	close(report[0]);
	close(report[1]);
}

/* The body of a process of the workload ends here. */
static void sleep_for_ever(void)
{
	for (;;)
		pause();
}

static pid_t fork_and(void (*body)(void))
{
	const pid_t pid = fork();
	if (pid == 0) {
		body();
		_exit(0);
	}
	return pid;
}

/* Starts the workload, whose first process leads a group, and waits until the tree has `count` processes. */
static pid_t start(void (*body)(void), size_t count)
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

/* Whether every process of the tree that is alive is stopped, or every one is not. */
static bool all_are(bool stopped)
{
	ck_assert_int_eq(descendants_list(getpid(), &list), 0);
	for (size_t i = 0; i < list.count; i++)
		if (!linux_process_has_ended(&list.item[i].process) && (list.item[i].process.state == 'T') != stopped)
			return false;
	return true;
}

/* As an executor does: at each edge the tree is stopped again; escapees are found within the interval of the scans. */
static void stop_until_all_are(void)
{
	const int64_t deadline = clock_now() + PATIENCE_NS;
	do {
		tree_stop(&tree, clock_now());
		clock_sleep_until(clock_now() + 10 * NS_PER_MS);
	} while (!all_are(true) && clock_now() < deadline);
	ck_assert(all_are(true));
	ck_assert(tree.stopped);
}

static void continue_all(void)
{
	const int64_t deadline = clock_now() + PATIENCE_NS;
	tree_continue(&tree);
	ck_assert(!tree.stopped);
	while (!all_are(false) && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert(all_are(false));
}

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

static void new_session(void)
{
	setsid();
	fork_and(sleep_for_ever);
	sleep_for_ever();
}

static void with_an_escapee(void)
{
	fork_and(new_session);
	sleep_for_ever();
}

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

#define MANY 20

static void with_many_escapees(void)
{
	for (int i = 0; i < MANY; i++)
		fork_and(new_session);
	sleep_for_ever();
}

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

static void daemonise(void)
{
	if (fork_and(new_session) > 0)
		_exit(0);
}

static void with_a_daemon(void)
{
	int status;
	const pid_t pid = fork_and(daemonise);
	waitpid(pid, &status, 0);
	sleep_for_ever();
}

START_TEST(daemons_that_lost_their_parent_are_part_of_it)
{
	start(with_a_daemon, 3);
	stop_until_all_are();
	continue_all();
}
END_TEST

static void wait_for_orders(void)
{
	char order;
	/* The second process is told when to leave. */
	if (read(report[0], &order, 1) == 1)
		setsid();
	sleep_for_ever();
}

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

START_TEST(looks_are_paid_by_their_processor_time)
{
	start(sleep_for_ever, 1);
	const int64_t now = clock_now();
	fake.forks = true;
	fake.cpu_step_ns = 5 * NS_PER_MS; /* a look takes so much, however small the tree */
	ck_assert_uint_eq(looks_at(now), 1);
	ck_assert_int_eq(tree.look_ns, 5 * NS_PER_MS);
	ck_assert_uint_eq(looks_at(now + 100 * NS_PER_MS - 1), 0); /* LOOK_SHARE times as much */
	fake.cpu_step_ns = NS_PER_MS;
	ck_assert_uint_eq(looks_at(now + 100 * NS_PER_MS), 1);
	ck_assert_uint_eq(looks_at(now + 119 * NS_PER_MS), 0);
	ck_assert_uint_eq(looks_at(now + 120 * NS_PER_MS), 1);
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
	ck_assert_uint_eq(looks_at(now), 1);
	ck_assert(atomic_load(&budget.paid_ns) > now - NS_PER_S);
	/* Others have spent it: also a look that is overdue comes later. */
	atomic_store(&budget.paid_ns, now + 3 * NS_PER_S);
	ck_assert_uint_eq(looks_at(now + 100 * NS_PER_MS), 0);
	ck_assert_uint_eq(looks_at(now + 3 * NS_PER_S - 1), 0);
	ck_assert_uint_eq(looks_at(now + 3 * NS_PER_S), 1);
	/* A look for forks leaves something for those that are overdue, and one that is repeated leaves more. */
	ck_assert_uint_eq(looks_at(now + 3100 * NS_PER_MS), 0);
	fake.below_us = 2;
	ck_assert_uint_eq(looks_at(now + 3270 * NS_PER_MS), 1);
	ck_assert_uint_eq(looks_at(now + 9 * NS_PER_S), 2);
	continue_all();
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

/* The tree that start() started, as one that is attached. */
static struct attached attached;

static void attach(pid_t first)
{
	struct attached *opened;
	tree_free(&tree);
	ck_assert_int_eq(attached_open(&first, 1, 0, &opened), 0);
	attached = *opened;
	free(opened);
	ck_assert_int_eq(tree_attach(&tree, &attached, clock_now()), 0);
}

static void detach(void)
{
	process_release(&attached.process);
	close(attached.table);
}

START_TEST(an_attached_tree_is_stopped_one_by_one)
{
	attach(start(with_an_escapee, 3));
	ck_assert_uint_eq(tree.outsiders, 3);
	ck_assert(all_are(false));
	stop_until_all_are();
	/* Those who survive us know all of them. */
	attached_continue(attached.table);
	ck_assert(tree.stopped);
	const int64_t deadline = clock_now() + PATIENCE_NS;
	while (!all_are(false) && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert(all_are(false));
	stop_until_all_are();
	continue_all();
	ck_assert(tree_lives(&tree, clock_now()));
	detach();
}
END_TEST

START_TEST(who_loses_its_parent_stays_attached)
{
	int status;
	const pid_t first = start(with_an_escapee, 3);
	attach(first);
	const int first_fd = tree.outsider[0].process.fd;
	ck_assert_int_eq(tree.outsider[0].process.pid, first);
	kill(first, SIGKILL);
	ck_assert_int_eq(waitpid(first, &status, 0), first);
	ck_assert(tree_lives(&tree, clock_now()));
	ck_assert_uint_eq(tree.outsiders, 2);
	ck_assert_int_ne(tree.outsider[0].process.pid, first);
	ck_assert_int_eq(fcntl(first_fd, F_GETFD), -1);
	stop_until_all_are();
	continue_all();
	tree_signal(&tree, SIGTERM, clock_now());
	for (int i = 0; i < 2; i++)
		ck_assert_int_gt(waitpid(-1, &status, 0), 0);
	ck_assert(!tree_lives(&tree, clock_now()));
	ck_assert_uint_eq(tree.outsiders, 0);
	/* Nobody is left: nothing to do, and nobody to be hit. */
	tree_stop(&tree, clock_now());
	tree_continue(&tree);
	attached_continue(attached.table);
	detach();
}
END_TEST

START_TEST(places_in_the_table_are_used_again)
{
	struct stat status;
	attach(start(wait_for_orders, 1));
	for (int i = 0; i < 20; i++) {
		const pid_t pid = fork_and(sleep_for_ever);
		struct linux_process process;
		ck_assert_int_eq(linux_process_read(pid, &process), 0);
		/* As if it had been found below: a member from now on. */
		tree.outsider = realloc(tree.outsider, 2 * sizeof *tree.outsider);
		ck_assert_ptr_nonnull(tree.outsider);
		tree.outsider[1] = (struct tree_outsider){.process = process_of(&process)};
		tree.outsiders = 2;
		ck_assert(tree_lives(&tree, clock_now()));
		ck_assert_uint_eq(tree.outsiders, 2);
		stop_until_all_are();
		attached_continue(attached.table);
		kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		ck_assert(tree_lives(&tree, clock_now()));
		ck_assert_uint_eq(tree.outsiders, 1);
	}
	ck_assert_int_eq(fstat(attached.table, &status), 0);
	ck_assert_int_le(status.st_size, 3 * 16);
	tree_continue(&tree);
	detach();
}
END_TEST

int main(void)
{
	left_out_begin();
	Suite *suite = suite_create("linux_tree");
	TCase *tests = tcase_create("all");
	tcase_add_checked_fixture(tests, enter, leave);
	tcase_set_timeout(tests, 60);
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
	tcase_add_test(tests, what_the_rest_of_the_machine_forks_repeats_no_look);
	tcase_add_test(tests, a_look_is_repeated_as_long_as_the_tree_forks);
	tcase_add_test(tests, who_comes_to_us_during_a_look_is_part_of_it);
	tcase_add_test(tests, looks_are_paid_by_their_processor_time);
	tcase_add_test(tests, a_budget_holds_looks_back);
	tcase_add_test(tests, a_tree_that_is_gone_does_no_harm);
	tcase_add_test(tests, an_attached_tree_is_stopped_one_by_one);
	tcase_add_test(tests, who_loses_its_parent_stays_attached);
	tcase_add_test(tests, places_in_the_table_are_used_again);
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
