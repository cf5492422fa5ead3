/* SPDX-License-Identifier: MIT */
/* Processes and control groups beside a run: made up, and for what only a real process can be, real. */
#include "load/watched.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "fake_root.h"
#include "load/stat.h"

/* Numbers that no process has: more than the kernel gives. */
enum { SERVICE = 5000001, CHILD = 5000002, OTHER = 5000003 };

static char root[PATH_MAX], error[LINUX_WATCHED_ERROR_MAX];
static struct watch watch[3];
static struct attached attached[2];
static struct linux_watched *watched;
static int newest;

static void process(int pid, int parent, double own, double waited, int start, const char *children)
{
	char path[64], text[512];
	const double hz = linux_stat_hz();
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	snprintf(text, sizeof text, "%d (x) S %d %d %d 0 -1 0 0 0 0 0 %ld 0 %ld 0 20 0 1 0 %d 0 0\n", pid, parent, pid, pid,
		lround(own * hz), lround(waited * hz), start);
	fake_file(root, path, text);
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
	fake_file(root, path, children);
}

static void fork_one(void)
{
	char text[64];
	snprintf(text, sizeof text, "0.50 0.40 0.30 2/345 %d\n", ++newest);
	fake_file(root, "/proc/loadavg", text);
}

/* A folder with what it has used, and one process. */
static void group(const char *name, uint64_t usec, pid_t member)
{
	char path[PATH_MAX], text[64];
	snprintf(path, sizeof path, "/groups/%s/cpu.stat", name);
	snprintf(text, sizeof text, "usage_usec %llu\n", (unsigned long long)usec);
	fake_file(root, path, text);
	snprintf(path, sizeof path, "/groups/%s/cgroup.procs", name);
	snprintf(text, sizeof text, "%d\n", (int)member);
	fake_file(root, path, text);
}

static struct watch of_process(pid_t pid, const char *text)
{
	return (struct watch){.text = text, .pid = pid};
}

static struct watch of_group(const char *text)
{
	return (struct watch){.text = text};
}

static void begin(const char *below, unsigned watches, unsigned attaches)
{
	watched = linux_watched_open(below, watch, watches, attached, attaches, error);
	if (!watched)
		fail_msg("%s", error);
}

static void refuse(const char *below, unsigned watches, unsigned attaches, const char *expected)
{
	watched = linux_watched_open(below, watch, watches, attached, attaches, error);
	assert_null(watched);
	assert_string_equal(error, expected);
}

static void expect(unsigned which, double used_s, bool has_ended)
{
	if (fabs(linux_watched_used(watched, which) - used_s) > 1e-6)
		fail_msg("%u used %g s, expected %g s", which, linux_watched_used(watched, which), used_s);
	assert_int_equal(linux_watched_has_ended(watched, which), has_ended);
}

static int enter(void **state)
{
	(void)state;
	fake_root_make(root);
	watched = NULL;
	newest = 1000;
	fork_one();
	process(SERVICE, 1, 100, 200, 7, "5000002 ");
	process(CHILD, SERVICE, 10, 0, 8, "");
	process(OTHER, 1, 3, 0, 9, "");
	group("a", 5000000, SERVICE);
	group("a/b", 1000000, 5000009);
	group("ab", 7000000, 5000010);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	linux_watched_close(watched);
	fake_remove(root, "");
	return 0;
}

static void what_they_use_counts_from_the_beginning(void **state)
{
	(void)state;
	watch[0] = of_process(SERVICE, "5000001");
	watch[1] = of_process(OTHER, "5000003");
	watch[2] = of_group("/groups/ab");
	begin(root, 3, 0);
	linux_watched_read(watched);
	for (unsigned i = 0; i < 3; i++)
		expect(i, 0, false);
	process(SERVICE, 1, 100.5, 200, 7, "5000002 ");
	process(CHILD, SERVICE, 10.25, 0, 8, "");
	group("ab", 9500000, 5000010);
	linux_watched_read(watched);
	expect(0, 0.75, false);
	expect(1, 0, false);
	expect(2, 2.5, false);
	/* A child that has ended, another one, and a counter that seems to go back. */
	fake_remove(root, "/proc/5000002");
	process(SERVICE, 1, 100.5, 210.5, 7, "5000012 ");
	process(5000012, SERVICE, 1, 0, 10, "");
	fork_one();
	group("ab", 9400000, 5000010);
	linux_watched_read(watched);
	expect(0, 2, false);
	expect(2, 2.5, false);
}

static void who_ends_stays_as_it_was_also_where_another_gets_the_number(void **state)
{
	(void)state;
	watch[0] = of_process(OTHER, "5000003");
	begin(root, 1, 0);
	process(OTHER, 1, 4, 0, 9, "");
	linux_watched_read(watched);
	expect(0, 1, false);
	process(OTHER, 1, 50, 0, 99, "");
	fork_one();
	linux_watched_read(watched);
	expect(0, 1, true);
	process(OTHER, 1, 60, 0, 99, "");
	fork_one();
	linux_watched_read(watched);
	expect(0, 1, true);
}

static void what_overlaps_is_refused(void **state)
{
	(void)state;
	watch[0] = of_group("/groups/a");
	watch[1] = of_group("/groups/a/b");
	refuse(root, 2, 0, "group /groups/a/b and /groups/a, which is watched too, overlap");
	watch[0] = of_group("/groups/a/b");
	watch[1] = of_group("/groups/a");
	refuse(root, 2, 0, "group /groups/a and /groups/a/b, which is watched too, overlap");
	watch[1] = of_process(SERVICE, "5000001");
	watch[0] = of_group("/groups/a");
	refuse(root, 2, 0, "process 5000001 and /groups/a, which is watched too, overlap");
	watch[1] = of_group("/groups/ab");
	begin(root, 2, 0);
	linux_watched_close(watched);
	attached[0].process.pid = OTHER;
	attached[1].process.pid = 5000009; /* below the group */
	watch[0] = of_process(OTHER, "5000003");
	refuse(root, 1, 1, "process 5000003 and process 5000003 of --attach overlap: expected what isn't a workload");
	watch[0] = of_group("/groups/a");
	refuse(root, 1, 2, "group /groups/a and process 5000009 of --attach overlap: expected what isn't a workload");
}

static void what_is_ours_or_is_not_there_is_refused(void **state)
{
	(void)state;
	char text[32], expected[128];
	group("ours/below", 1, getpid());
	group("ours", 1, 5000011);
	watch[0] = of_group("/groups/ours");
	refuse(root, 1, 0, "group /groups/ours is that of Showstopper, or above it");
	watch[0] = of_process(5000020, "5000020");
	refuse(root, 1, 0, "process 5000020 does not exist");
	const pid_t own[] = {getpid(), getppid(), 1};
	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof text, "%d", (int)own[i]);
		snprintf(expected, sizeof expected, "process %s is Showstopper or one of its ancestors", text);
		watch[0] = of_process(own[i], text);
		refuse("", 1, 0, expected);
	}
	watch[0] = of_group("/groups/none");
	fake_file(root, "/proc/self/mountinfo", "22 27 0:21 / /proc rw,relatime - proc proc rw\n");
	refuse(root, 1, 0,
		"no cgroup '/groups/none': neither cpu.stat with usage_usec nor cpuacct.usage, and no cgroup file system is "
		"mounted, nor in "
		"that directory");
}

static void *sleep_in_thread(void *tid)
{
	atomic_store((_Atomic pid_t *)tid, gettid());
	pause();
	return NULL;
}

/* A child that works, and ends. */
static void a_real_process(void **state)
{
	(void)state;
	char text[32];
	const pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL);
		for (volatile unsigned i = 0;; i++)
			;
	}
	assert_true(child > 0);
	snprintf(text, sizeof text, "%d", (int)child);
	watch[0] = of_process(child, text);
	begin("", 1, 0);
	for (int i = 0; i < 1000 && linux_watched_used(watched, 0) < 0.05; i++) {
		usleep(10000);
		linux_watched_read(watched);
	}
	const double used_s = linux_watched_used(watched, 0);
	assert_true(used_s >= 0.05);
	assert_false(linux_watched_has_ended(watched, 0));
	kill(child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	/* Nobody has waited for it yet. That it has ended may be seen as late as somebody forks. */
	char expected[128];
	snprintf(expected, sizeof expected, "process %s has ended", text);
	assert_null(linux_watched_open("", watch, 1, NULL, 0, error));
	assert_string_equal(error, expected);
	linux_watched_read(watched);
	assert_true(linux_watched_used(watched, 0) >= used_s);
	waitpid(child, NULL, 0);
	linux_watched_read(watched);
	assert_true(linux_watched_has_ended(watched, 0));
	assert_true(linux_watched_used(watched, 0) >= used_s);
}

static void a_thread_is_no_process(void **state)
{
	(void)state;
	char text[32], expected[128];
	_Atomic pid_t tid = 0;
	int report[2];
	assert_int_equal(pipe(report), 0);
	const pid_t child = fork();
	if (child == 0) {
		pthread_t thread;
		prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL);
		pthread_create(&thread, NULL, sleep_in_thread, &tid);
		while (!atomic_load(&tid))
			usleep(1000);
		const pid_t found = atomic_load(&tid);
		if (write(report[1], &found, sizeof found) != sizeof found)
			_exit(1);
		pause();
		_exit(0);
	}
	pid_t found = 0;
	assert_int_equal(read(report[0], &found, sizeof found), sizeof found);
	snprintf(text, sizeof text, "%d", (int)found);
	snprintf(expected, sizeof expected, "process %d is a thread of another process", (int)found);
	watch[0] = of_process(found, text);
	refuse("", 1, 0, expected);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(report[0]);
	close(report[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_they_use_counts_from_the_beginning, enter, leave),
		cmocka_unit_test_setup_teardown(who_ends_stays_as_it_was_also_where_another_gets_the_number, enter, leave),
		cmocka_unit_test_setup_teardown(what_overlaps_is_refused, enter, leave),
		cmocka_unit_test_setup_teardown(what_is_ours_or_is_not_there_is_refused, enter, leave),
		cmocka_unit_test_setup_teardown(a_real_process, enter, leave),
		cmocka_unit_test_setup_teardown(a_thread_is_no_process, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
