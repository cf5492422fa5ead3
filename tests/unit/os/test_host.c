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

#include "base/clock.h"
#include "base/units.h"
#include "os/host.h"

static struct host_env host;

static int enter(void **state)
{
	(void)state;
	host_env_init(&host, SHOWSTOPPER_SOURCE "/tests", 3, 42);
	return 0;
}

static void surroundings(void **state)
{
	(void)state;
	assert_int_equal(host.env.workloads, 3);
	assert_int_equal(host.env.entropy, 42);
	assert_null(host.env.shared);
	assert_string_equal(host.refusal, "");
}

static void refusals(void **state)
{
	char huge[2 * MODULE_ERROR_MAX];
	(void)state;
	assert_int_equal(host.env.host->refuse(&host.env, "%s %d", "expected", 1), -1);
	assert_string_equal(host.refusal, "expected 1");
	memset(huge, 'x', sizeof huge - 1);
	huge[sizeof huge - 1] = '\0';
	assert_int_equal(host.env.host->refuse(&host.env, "%s", huge), -1);
	assert_int_equal(strlen(host.refusal), sizeof host.refusal - 1);
}

static void sources_lie_below_the_root(void **state)
{
	char text[64] = "";
	char longer[5000];
	int64_t when_ns = 0;
	(void)state;
	const int64_t before = clock_now();
	const int handle = host.env.host->open(&host.env, "/README.md");
	assert_true(handle >= 0);
	assert_int_equal(host.env.host->read(&host.env, handle, text, 7, &when_ns), 7);
	assert_string_equal(text, "# Tests");
	assert_true(when_ns >= before && when_ns <= clock_now());
	/* Each reading begins at the beginning. */
	assert_int_equal(host.env.host->read(&host.env, handle, text, 3, &when_ns), 3);
	assert_memory_equal(text, "# T", 3);
	host.env.host->close(&host.env, handle);
	assert_int_equal(host.env.host->read(&host.env, handle, text, 3, &when_ns), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(host.env.host->open(&host.env, "/nosuch"), -1);
	assert_int_equal(errno, ENOENT);
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_int_equal(host.env.host->open(&host.env, longer), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

/* Uses some CPU time, then waits. */
static pid_t start_worker(int64_t work_ns)
{
	const pid_t pid = fork();
	if (pid == 0) {
		while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < work_ns)
			;
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

/* As an executor: its own time doesn't count; it has a worker that ended and one that lives, which dies with it. */
static pid_t start_executor(int64_t work_ns)
{
	const pid_t pid = fork();
	if (pid == 0) {
		const pid_t first = fork();
		if (first == 0) {
			while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < work_ns)
				;
			_exit(0);
		}
		waitpid(first, NULL, 0);
		const pid_t master = getpid();
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < work_ns && getppid() == master)
				;
			while (getppid() == master)
				usleep(10000);
			_exit(0);
		}
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static int64_t tree_time(void)
{
	return host.env.host->tree_cpu_time(&host.env);
}

static void wait_for(int64_t work_ns)
{
	const int64_t deadline = clock_now() + 60 * NS_PER_S;
	while (tree_time() < work_ns && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
	assert_true(tree_time() >= work_ns);
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void cpu_time_of_all_trees(void **state)
{
	const size_t size[SST_KINDS] = {0};
	const int64_t work_ns = 50 * NS_PER_MS;
	(void)state;
	assert_int_equal(tree_time(), -1);
	assert_int_equal(errno, EAGAIN);
	struct shared *shared = shared_create(3, size);
	assert_non_null(shared);
	host.shared = shared;
	assert_int_equal(tree_time(), 0);
	/* The third has not been started yet. What has ended is known in ticks of 10 ms, of user and system time. */
	const pid_t executor = start_executor(work_ns), attached = start_worker(work_ns);
	atomic_store(&shared->slot[0].pid, 1);
	atomic_store(&shared->slot[0].executor, executor);
	atomic_store(&shared->slot[1].attached, true);
	atomic_store(&shared->slot[1].pid, attached);
	wait_for(3 * work_ns - 20 * NS_PER_MS);
	const int64_t used = tree_time();
	assert_true(used < 30 * work_ns);
	/* It never goes back, whoever ends. */
	end_process(attached);
	assert_true(tree_time() >= used);
	end_process(executor);
	assert_true(tree_time() >= used);
	/* What an executor says at its end counts; so nothing is missing of what came after the last look. */
	atomic_store(&shared->slot[0].executor, 0);
	atomic_store(&shared->slot[0].workload_cpu_ns, 100 * NS_PER_S);
	assert_in_range(tree_time(), 100 * NS_PER_S, 100 * NS_PER_S + used);
	/* Those that are free don't count. */
	shared->slot[2].free = true;
	atomic_store(&shared->slot[2].executor, getpid());
	atomic_store(&shared->slot[2].tree_cpu_ns, 1000 * NS_PER_S);
	assert_in_range(tree_time(), 100 * NS_PER_S, 100 * NS_PER_S + used);
	/* The number of one that was lost may be another's. */
	atomic_store(&shared->slot[0].executor, getpid());
	atomic_store(&shared->slot[0].lost, true);
	assert_in_range(tree_time(), 100 * NS_PER_S, 100 * NS_PER_S + used);
	shared_destroy(shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(surroundings, enter),
		cmocka_unit_test_setup(refusals, enter),
		cmocka_unit_test_setup(sources_lie_below_the_root, enter),
		cmocka_unit_test_setup(cpu_time_of_all_trees, enter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
