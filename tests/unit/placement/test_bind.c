/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/units.h"
#include "placement/placement.h"
#include "processes/affinity.h"
#include "processes/descendants.h"

static struct sst_cpus *all;

static void *idle(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

/* Three threads, and a child in a session of its own. */
static void be_a_tree(void)
{
	pthread_t thread;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, idle, NULL) != 0)
			_exit(1);
	if (fork() == 0)
		setsid();
	idle(NULL);
}

/* Processes that fork and end, so that there always is a new one. */
static void be_a_chain(void)
{
	for (;;) {
		const pid_t pid = fork();
		if (pid != 0)
			_exit(0);
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
}

static pid_t start(void (*body)(void))
{
	const pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* What is below it is looked at, and not itself. */
		prctl(PR_SET_CHILD_SUBREAPER, 1UL);
		if (fork() == 0)
			body();
		for (;;)
			waitpid(-1, NULL, 0);
	}
	return pid;
}

static size_t processors_of(pid_t pid)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_LIMIT);
	const size_t size = CPU_ALLOC_SIZE(CPUS_LIMIT);
	CPU_ZERO_S(size, set);
	const size_t count = sched_getaffinity(pid, size, set) == 0 ? (size_t)CPU_COUNT_S(size, set) : 0;
	CPU_FREE(set);
	return count;
}

/* Whether all below it may use so many processors; their number goes to *found. */
static bool all_have(pid_t root, size_t count, size_t *found)
{
	struct descendants list = {0};
	bool good = true;
	ck_assert_int_eq(descendants_list(root, &list), 0);
	for (size_t i = 0; i < list.count; i++) {
		const size_t processors = processors_of(list.item[i].process.pid);
		good = good && (processors == count || processors == 0);
	}
	*found = list.count;
	descendants_free(&list);
	return good;
}

static void end(pid_t pid)
{
	struct descendants list = {0};
	descendants_list(pid, &list);
	kill(pid, SIGSTOP);
	for (size_t i = 0; i < list.count; i++)
		process_signal(&(struct process){list.item[i].process.pid, -1, list.item[i].process.start_ticks}, SIGKILL);
	descendants_free(&list);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	descendants_kill(clock_now() + 10 * NS_PER_S);
}

START_TEST(every_thread_of_a_tree_is_moved)
{
	const struct sst_cpus one = {1, &all->cpu[all->count - 1]};
	const pid_t root = start(be_a_tree);
	size_t found = 0;
	for (int i = 0; i < 1000 && found < 2; i++) {
		clock_sleep_until(clock_now() + 5 * NS_PER_MS);
		all_have(root, all->count, &found);
	}
	ck_assert_uint_eq(found, 2);
	clock_sleep_until(clock_now() + 50 * NS_PER_MS);
	ck_assert(placement_bind(root, &one));
	ck_assert(all_have(root, 1, &found));
	ck_assert(placement_bind(root, &one));
	ck_assert_uint_eq(processors_of(root), all->count);
	ck_assert(placement_bind(root, all));
	ck_assert(all_have(root, all->count, &found));
	end(root);
}
END_TEST

START_TEST(what_comes_up_meanwhile_is_moved)
{
	const struct sst_cpus one = {1, &all->cpu[0]};
	const pid_t root = start(be_a_chain);
	size_t found;
	clock_sleep_until(clock_now() + 50 * NS_PER_MS);
	/* All looks may miss the one that is alive, which is why they are repeated. Once it is bound, its descendants are. */
	int steady = 0;
	for (int i = 0; i < 100 && steady < 20; i++) {
		placement_bind(root, &one);
		for (steady = 0; steady < 20 && all_have(root, 1, &found); steady++)
			clock_sleep_until(clock_now() + 2 * NS_PER_MS);
	}
	ck_assert_int_eq(steady, 20);
	end(root);
}
END_TEST

START_TEST(nothing_is_no_error)
{
	ck_assert(placement_bind(getpid(), all));
}
END_TEST

static void enter(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	all = linux_affinity_get();
	ck_assert_ptr_nonnull(all);
}

static void leave(void)
{
	free(all);
}

int main(void)
{
	Suite *suite = suite_create("linux_move");
	TCase *test = tcase_create("linux_move");
	tcase_set_timeout(test, 60);
	tcase_add_checked_fixture(test, enter, leave);
	tcase_add_test(test, every_thread_of_a_tree_is_moved);
	tcase_add_test(test, what_comes_up_meanwhile_is_moved);
	tcase_add_test(test, nothing_is_no_error);
	suite_add_tcase(suite, test);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
