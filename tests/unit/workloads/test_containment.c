/* SPDX-License-Identifier: MIT */
/* The test process is the executor here. Where containment is not permitted there is nothing to test but that it says so. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/units.h"
#include "left_out.h"
#include "processes/descendants.h"
#include "processes/tree.h"
#include "workloads/containment.h"

#define PATIENCE_NS (20 * NS_PER_S)

static struct containment containment;
static struct scheduling user;
static int report[2];

static void enter(void)
{
	sigset_t all;
	signal(SIGTERM, SIG_DFL); /* Check has a handler of its own, which children would inherit */
	scheduling_save(&user);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	ck_assert_int_eq(pipe(report), 0);
	containment = (struct containment){.tie = -1};
}

static void leave(void)
{
	containment_free(&containment);
	ck_assert(descendants_kill(clock_now() + PATIENCE_NS));
	close(report[0]);
	close(report[1]);
}

static void send_number(int number)
{
	if (write(report[1], &number, sizeof number) != sizeof number)
		_exit(99);
}

static int receive_number(void)
{
	int number = -1;
	ck_assert_int_eq(read(report[0], &number, sizeof number), sizeof number);
	return number;
}

/* The first process runs `body`, with the user's signals. */
static pid_t start(void (*body)(void))
{
	enum start_stage stage = STAGE_NONE;
	const pid_t pid = containment_fork(&containment, &user, &stage);
	if (pid == 0) {
		scheduling_restore(&user);
		setpgid(0, 0);
		body();
		_exit(0);
	}
	if (pid < 0)
		ck_abort_msg("stage %d: %s", (int)stage, strerror(errno));
	ck_assert_int_gt(containment.init, 0);
	ck_assert_int_ge(containment.tie, 0);
	ck_assert_int_eq(kill(pid, 0), 0);
	return pid;
}

static int await_status(void)
{
	const int64_t deadline = clock_now() + PATIENCE_NS;
	int status = -1;
	while (!containment_read_end(&containment, &status) && containment.tie >= 0 && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
	return status;
}

static void await_init(void)
{
	ck_assert(containment_await_end(&containment, clock_now() + PATIENCE_NS));
	ck_assert_int_eq(containment.tie, -1);
	int status;
	ck_assert_int_eq(waitpid(containment.init, &status, 0), containment.init);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

static void exit_with_42(void)
{
	_exit(42);
}

static void be_killed(void)
{
	kill(getpid(), SIGUSR1); /* not one that sanitizers handle */
}

static void pause_for_ever(void)
{
	for (;;)
		pause();
}

START_TEST(the_status_comes_through)
{
	const pid_t pid = start(exit_with_42);
	const int status = await_status();
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
	/* It has not been reaped yet, so that nobody else can have its number. */
	ck_assert_int_eq(kill(pid, 0), 0);
	containment_let_go(&containment);
	await_init();
	start(be_killed);
	const int killed = await_status();
	ck_assert(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGUSR1);
	containment_let_go(&containment);
	await_init();
	const pid_t sleeper = start(pause_for_ever);
	ck_assert_int_eq(kill(sleeper, SIGTERM), 0);
	const int ended = await_status();
	ck_assert(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGTERM);
	containment_let_go(&containment);
	await_init();
}
END_TEST

/* Numbers, /proc, user and group as the first process sees them. */
static void look_around(void)
{
	char own[32] = "";
	char from_proc[32] = "";
	snprintf(own, sizeof own, "%d", (int)getpid());
	send_number(getpid());
	send_number(getppid());
	send_number(readlink("/proc/self", from_proc, sizeof from_proc - 1) > 0 && strcmp(own, from_proc) == 0);
	send_number((int)geteuid());
	send_number((int)getegid());
	send_number(access("/proc/3", F_OK));
}

START_TEST(it_sees_its_own_numbers_and_is_the_same_user)
{
	start(look_around);
	ck_assert_int_eq(receive_number(), 2);
	ck_assert_int_eq(receive_number(), 1);
	ck_assert_int_eq(receive_number(), 1);
	ck_assert_int_eq(receive_number(), (int)geteuid());
	ck_assert_int_eq(receive_number(), (int)getegid());
	ck_assert_int_eq(receive_number(), -1);
	ck_assert_int_eq(await_status(), 0);
	containment_let_go(&containment);
	await_init();
	/* Our own /proc is as it was. */
	char name[32];
	snprintf(name, sizeof name, "/proc/%d", (int)getpid());
	ck_assert_int_eq(access(name, F_OK), 0);
}
END_TEST

/* A process in a session of its own, whose parent has ended; stopped by itself if it is to be. */
static void leave_an_orphan(void)
{
	if (fork() == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		while (getppid() != 1)
			sched_yield();
		send_number(getpid());
		pause_for_ever();
	}
	pause_for_ever();
}

START_TEST(a_tree_with_orphans_is_stopped_without_its_init)
{
	struct tree tree;
	struct linux_process process;
	const pid_t first = start(leave_an_orphan);
	receive_number();
	tree_init(&tree, first);
	tree.init = containment.init;
	tree_stop(&tree, clock_now());
	ck_assert_uint_eq(tree.outsiders, 1);
	const pid_t orphan = tree.outsider[0].process.pid;
	ck_assert_int_eq(tree.outsider[0].parent, containment.init);
	for (int round = 0; round < 2; round++) {
		const char *expected = round == 0 ? "T" : "SR";
		const pid_t pids[] = {first, orphan};
		for (int i = 0; i < 2; i++) {
			const int64_t deadline = clock_now() + PATIENCE_NS;
			do
				ck_assert_int_eq(linux_process_read(pids[i], &process), 0);
			while (!strchr(expected, process.state) && clock_now() < deadline);
			ck_assert_ptr_nonnull(strchr(expected, process.state));
		}
		ck_assert_int_eq(linux_process_read(containment.init, &process), 0);
		ck_assert_int_ne(process.state, 'T');
		tree_continue(&tree);
	}
	/* SIGTERM reaches both, and the init goes when they are gone. */
	tree_signal(&tree, SIGTERM, clock_now());
	const int status = await_status();
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	tree_leader_ends(&tree, clock_now());
	containment_let_go(&containment);
	await_init();
	tree_free(&tree);
}
END_TEST

START_TEST(the_init_ends_with_the_last_process)
{
	const pid_t first = start(leave_an_orphan);
	receive_number();
	kill(first, SIGKILL);
	await_status();
	containment_let_go(&containment);
	/* The orphan keeps it. */
	ck_assert(!containment_await_end(&containment, clock_now() + 50 * NS_PER_MS));
	ck_assert_int_eq(kill(first, 0), -1);
	struct descendants list = {0};
	ck_assert_int_eq(descendants_list(containment.init, &list), 0);
	ck_assert_uint_eq(list.count, 1);
	kill(list.item[0].process.pid, SIGKILL);
	descendants_free(&list);
	await_init();
}
END_TEST

START_TEST(all_of_it_dies_with_the_caller)
{
	const pid_t caller = fork();
	ck_assert_int_ge(caller, 0);
	if (caller == 0) {
		const int out = report[1];
		if (pipe(report) != 0)
			_exit(1);
		prctl(PR_SET_CHILD_SUBREAPER, 1UL);
		start(leave_an_orphan);
		struct descendants list = {0};
		int number;
		/* All of it is stopped. */
		if (read(report[0], &number, sizeof number) != sizeof number || descendants_list(containment.init, &list) != 0)
			_exit(1);
		for (size_t i = 0; i < list.count; i++)
			kill(list.item[i].process.pid, SIGSTOP);
		report[1] = out;
		send_number((int)list.count);
		send_number(containment.init);
		for (;;)
			pause();
	}
	ck_assert_int_eq(receive_number(), 3); /* one of them a zombie */
	const pid_t init = receive_number();
	kill(caller, SIGKILL);
	ck_assert_int_eq(waitpid(caller, NULL, 0), caller);
	/* The init comes to us; it is reaped after everything in its namespace. */
	int status = 0;
	const int64_t deadline = clock_now() + PATIENCE_NS;
	while (waitpid(init, &status, WNOHANG) == 0 && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* Asks process 1 itself, and then forks and ends all the time; no process of it lives for long. */
static void ask_and_run_away(void)
{
	kill(1, SIGUSR1);
	send_number(0);
	for (;;)
		if (fork() > 0)
			_exit(0);
}

START_TEST(its_init_kills_what_nobody_can_find)
{
	start(ask_and_run_away);
	/* What asks from within isn't heeded: it goes on. */
	receive_number();
	ck_assert(!containment_await_end(&containment, clock_now() + 50 * NS_PER_MS));
	ck_assert(containment_end(&containment, clock_now() + PATIENCE_NS));
	await_init();
}
END_TEST

START_TEST(the_init_comes_before_the_workload)
{
	int least = 0;
	const pid_t tries = fork();
	ck_assert_int_ge(tries, 0);
	if (tries == 0) {
		scheduling_raise_nice();
		_exit(20 + getpriority(PRIO_PROCESS, 0));
	}
	ck_assert_int_eq(waitpid(tries, &least, 0), tries);
	least = WEXITSTATUS(least) - 20;
	start(pause_for_ever);
	const int64_t deadline = clock_now() + PATIENCE_NS;
	/* A user namespace takes what a capability permits. */
	while (!containment.user_namespace && getpriority(PRIO_PROCESS, (id_t)containment.init) != least) {
		ck_assert_int_lt(clock_now(), deadline);
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
	ck_assert(containment_end(&containment, clock_now() + PATIENCE_NS));
	await_init();
}
END_TEST

START_TEST(the_end_of_the_init_is_noticed)
{
	start(pause_for_ever);
	kill(containment.init, SIGKILL);
	ck_assert_int_eq(await_status(), -1);
	ck_assert_int_eq(containment.tie, -1);
	int status;
	ck_assert(!containment_read_end(&containment, &status));
	containment_abandon(&containment);
	ck_assert_int_eq(containment.init, 0);
}
END_TEST

/* The process that finds out is a subreaper with a child by now, hence past what it sets of itself. 0: there is none. */
static pid_t stop_who_finds_out(pid_t asks)
{
	struct descendants list = {0};
	struct linux_process process;
	pid_t found = 0;
	if (descendants_list(asks, &list) == 0 && list.count > 1 && list.item[0].depth == 1)
		found = list.item[0].process.pid;
	descendants_free(&list);
	if (!found || kill(found, SIGSTOP) != 0)
		return 0;
	while (linux_process_read(found, &process) == 0 && !linux_process_has_ended(&process))
		if (process.state == 'T')
			return found;
	return 0;
}

START_TEST(who_finds_out_whether_it_is_permitted_dies_with_who_asks)
{
	const int64_t deadline = clock_now() + PATIENCE_NS;
	const pid_t asks = fork();
	ck_assert_int_ge(asks, 0);
	if (asks == 0) {
		char reason[CONTAINMENT_REASON_MAX];
		bool user_namespace;
		for (;;)
			containment_is_permitted(&user_namespace, reason);
	}
	pid_t stopped;
	while (!(stopped = stop_who_finds_out(asks)) && clock_now() < deadline)
		;
	ck_assert_int_gt(stopped, 0);
	kill(asks, SIGKILL);
	ck_assert_int_eq(waitpid(asks, NULL, 0), asks);
	/* They come to us. */
	pid_t reaped;
	while (((reaped = waitpid(-1, NULL, WNOHANG)) >= 0 || errno != ECHILD) && clock_now() < deadline)
		if (reaped == 0)
			clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert_int_eq(reaped, -1);
}
END_TEST

int main(void)
{
	char reason[CONTAINMENT_REASON_MAX] = "";
	bool user_namespace;
	left_out_begin();
	if (!containment_is_permitted(&user_namespace, reason)) {
		left_out("%s", reason);
		return left_out_status(strncmp(reason, "can't ", 6) != 0);
	}
	Suite *suite = suite_create("linux_containment");
	TCase *tests = tcase_create("all");
	tcase_add_checked_fixture(tests, enter, leave);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, the_status_comes_through);
	tcase_add_test(tests, it_sees_its_own_numbers_and_is_the_same_user);
	tcase_add_test(tests, a_tree_with_orphans_is_stopped_without_its_init);
	tcase_add_test(tests, the_init_ends_with_the_last_process);
	tcase_add_test(tests, all_of_it_dies_with_the_caller);
	tcase_add_test(tests, its_init_kills_what_nobody_can_find);
	tcase_add_test(tests, the_init_comes_before_the_workload);
	tcase_add_test(tests, the_end_of_the_init_is_noticed);
	tcase_add_test(tests, who_finds_out_whether_it_is_permitted_dies_with_who_asks);
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
