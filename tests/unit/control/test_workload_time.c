/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/units.h"
#include "control/shared.h"

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

static void wait_for(struct shared *shared, int64_t work_ns)
{
	const int64_t deadline = clock_now() + 60 * NS_PER_S;
	while (workload_time(shared) < work_ns && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
	assert_true(workload_time(shared) >= work_ns);
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void cpu_time_of_all_trees(void **state)
{
	const size_t size[KINDS] = {0};
	const int64_t work_ns = 50 * NS_PER_MS;
	(void)state;
	struct shared *shared = shared_create(3, size);
	assert_non_null(shared);
	assert_int_equal(workload_time(shared), 0);
	/* The third has not been started yet. What has ended is known in ticks of 10 ms, of user and system time. */
	const pid_t executor = start_executor(work_ns), attached = start_worker(work_ns);
	atomic_store(&shared->slot[0].pid, 1);
	atomic_store(&shared->slot[0].executor, executor);
	atomic_store(&shared->slot[1].attached, true);
	atomic_store(&shared->slot[1].pid, attached);
	wait_for(shared, 3 * work_ns - 20 * NS_PER_MS);
	const int64_t used = workload_time(shared);
	assert_true(used < 30 * work_ns);
	/* It never goes back, whoever ends. */
	end_process(attached);
	assert_true(workload_time(shared) >= used);
	end_process(executor);
	assert_true(workload_time(shared) >= used);
	/* What an executor says at its end counts; so nothing is missing of what came after the last look. */
	atomic_store(&shared->slot[0].executor, 0);
	atomic_store(&shared->slot[0].workload_cpu_ns, 100 * NS_PER_S);
	assert_in_range(workload_time(shared), 100 * NS_PER_S, 100 * NS_PER_S + used);
	/* Those that are free don't count. */
	shared->slot[2].free = true;
	atomic_store(&shared->slot[2].executor, getpid());
	atomic_store(&shared->slot[2].tree_cpu_ns, 1000 * NS_PER_S);
	assert_in_range(workload_time(shared), 100 * NS_PER_S, 100 * NS_PER_S + used);
	/* The number of one that was lost may be another's. */
	atomic_store(&shared->slot[0].executor, getpid());
	atomic_store(&shared->slot[0].lost, true);
	assert_in_range(workload_time(shared), 100 * NS_PER_S, 100 * NS_PER_S + used);
	shared_destroy(shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_time_of_all_trees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
