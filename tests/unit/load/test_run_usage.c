/* SPDX-License-Identifier: MIT */
/* A run's processes, made up: what they use counts, whoever ends, is started again or loses its parent. */
#include "load/run_usage.h"

#include <check.h>
#include <errno.h>
#include <math.h>

#include "fake_root.h"
#include "load/stat.h"

/* The numbers of a run: the master, two executors, their workloads. */
enum { MASTER = 100, EXECUTOR = 101, OTHER_EXECUTOR = 102, WORKLOAD = 201, OTHER_WORKLOAD = 202, SHELL = 300, ATTACHED = 400 };

static char root[PATH_MAX];
static struct linux_run_usage *usage;
static int newest;

/* Processor time in s: its own, and of children that it has waited for. `children` are numbers with a blank behind each. */
static void process(int pid, int parent, double own, double waited, const char *children)
{
	char path[64], text[512];
	const double hz = linux_stat_hz();
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	snprintf(text, sizeof text, "%d (x) S %d %d %d 0 -1 0 0 0 0 0 %ld 0 %ld 0 20 0 1 0 %d 0 0\n", pid, parent, pid, pid,
		lround(own * hz), lround(waited * hz), pid);
	fake_file(root, path, text);
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
	fake_file(root, path, children);
}

static void vanish(int pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d", pid);
	fake_remove(root, path);
}

/* Somebody, somewhere, has forked. */
static void fork_one(void)
{
	char text[64];
	snprintf(text, sizeof text, "0.50 0.40 0.30 2/345 %d\n", ++newest);
	fake_file(root, "/proc/loadavg", text);
}

static void begin(void)
{
	static const pid_t attached[] = {ATTACHED, ATTACHED + 1};
	process(MASTER, 99, 0.5, 0, "101 102 ");
	process(EXECUTOR, MASTER, 1, 0, "201 ");
	process(OTHER_EXECUTOR, MASTER, 1, 0, "202 ");
	process(WORKLOAD, EXECUTOR, 10, 0, "");
	process(OTHER_WORKLOAD, OTHER_EXECUTOR, 10, 0, "");
	process(ATTACHED, 1, 1000, 2000, "");
	process(900, 1, 50, 50, ""); /* a stranger */
	newest = 1000;
	fork_one();
	const struct linux_run_usage_heads heads = {.master = MASTER, .attached = attached, .attaches = 1, .look_share = 1000};
	usage = linux_run_usage_open(root, &heads);
	ck_assert_ptr_nonnull(usage);
}

static void expect(double seconds)
{
	double found = NAN;
	ck_assert_int_eq(linux_run_usage_read(usage, &found), 0);
	ck_assert_double_eq_tol(found, seconds, 1e-6);
}

static void set_up(void)
{
	fake_root_make(root);
	usage = NULL;
}

static void tear_down(void)
{
	linux_run_usage_close(usage);
	fake_remove(root, "");
}

START_TEST(all_of_a_run)
{
	begin();
	expect(0);
	process(MASTER, 99, 0.51, 0, "101 102 ");
	process(EXECUTOR, MASTER, 1.02, 0, "201 ");
	process(WORKLOAD, EXECUTOR, 10.5, 0, "");
	process(OTHER_WORKLOAD, OTHER_EXECUTOR, 10.25, 0, "");
	process(ATTACHED, 1, 1001, 2000.5, "");
	process(900, 1, 60, 60, "");
	expect(0.01 + 0.02 + 0.5 + 0.25 + 1.5);
}
END_TEST

/* A workload ends by itself and is started again: no time is lost, and none counted twice. */
START_TEST(started_again)
{
	begin();
	process(WORKLOAD, EXECUTOR, 10.5, 0, "");
	expect(0.5);
	for (int i = 1; i <= 5; i++) {
		vanish(WORKLOAD + 10 * (i - 1));
		process(EXECUTOR, MASTER, 1, 10.75 + 0.5 * (i - 1),
			i == 1   ? "211 "
			: i == 2 ? "221 "
			: i == 3 ? "231 "
			: i == 4 ? "241 "
				 : "251 ");
		process(WORKLOAD + 10 * i, EXECUTOR, 0.25, 0, "");
		fork_one();
		expect(0.5 * i + 0.5);
	}
	/* One came and went between two readings. */
	process(EXECUTOR, MASTER, 1, 10.75 + 0.5 * 4 + 3, "251 ");
	fork_one();
	expect(3 + 3);
}
END_TEST

/* A shell's jobs lose their parent and come to the executor; it ends, and they go on. */
START_TEST(orphans)
{
	begin();
	process(WORKLOAD, EXECUTOR, 10, 0, "300 ");
	process(SHELL, WORKLOAD, 1, 0, "301 ");
	process(SHELL + 1, SHELL, 2, 0, "");
	fork_one();
	expect(3);
	vanish(SHELL);
	process(WORKLOAD, EXECUTOR, 10, 1, "");
	process(SHELL + 1, EXECUTOR, 2.5, 0, "");
	process(EXECUTOR, MASTER, 1, 0, "201 301 ");
	expect(3.5);
	vanish(WORKLOAD);
	vanish(SHELL + 1);
	process(EXECUTOR, MASTER, 1, 11 + 2.75, "");
	expect(3.75);
}
END_TEST

/* An executor is killed, and the run goes on: the master gets what it left, and waits for all of it. */
START_TEST(a_lost_executor)
{
	begin();
	process(WORKLOAD, EXECUTOR, 11, 0, "");
	expect(1);
	vanish(EXECUTOR);
	vanish(WORKLOAD);
	process(MASTER, 99, 0.5, 1 + 11.5, "102 ");
	expect(1.5);
}
END_TEST

START_TEST(an_attached_process_ends)
{
	begin();
	process(ATTACHED, 1, 1003, 2000, "");
	expect(3);
	vanish(ATTACHED);
	expect(3);
	process(WORKLOAD, EXECUTOR, 11, 0, "");
	expect(4);
}
END_TEST

/* What free workloads use is part of all, and told apart; one that is gone is left out. */
START_TEST(free_ones)
{
	static const pid_t heads_of_free[] = {OTHER_EXECUTOR, 12345678};
	begin();
	linux_run_usage_close(usage);
	const struct linux_run_usage_heads heads = {.master = MASTER, .free = heads_of_free, .frees = 2, .look_share = 1000};
	usage = linux_run_usage_open(root, &heads);
	ck_assert_ptr_nonnull(usage);
	process(WORKLOAD, EXECUTOR, 10.5, 0, "");
	process(OTHER_WORKLOAD, OTHER_EXECUTOR, 10.25, 0, "300 ");
	process(SHELL, OTHER_WORKLOAD, 1, 0, "");
	fork_one();
	expect(1.75);
	ck_assert_double_eq_tol(linux_run_usage_free(usage), 1.25, 1e-6);
	vanish(SHELL);
	process(OTHER_WORKLOAD, OTHER_EXECUTOR, 10.25, 2, "");
	expect(2.75);
	ck_assert_double_eq_tol(linux_run_usage_free(usage), 2.25, 1e-6);
}
END_TEST

/* Looking costs, and is not done without a cause: what is new is found after a fork, and counted from its beginning. */
START_TEST(looks_after_forks)
{
	begin();
	expect(0);
	process(WORKLOAD, EXECUTOR, 10, 0, "300 ");
	process(SHELL, WORKLOAD, 1, 0, "");
	expect(0);
	fork_one();
	expect(1);
}
END_TEST

/* With next to nothing for looks there is one at the beginning; what comes up after it counts when its parent has waited for it. */
START_TEST(looks_have_a_budget)
{
	process(MASTER, 99, 0, 0, "101 ");
	process(EXECUTOR, MASTER, 0, 0, "");
	newest = 1000;
	fork_one();
	const struct linux_run_usage_heads heads = {.master = MASTER, .look_share = 1e-12};
	usage = linux_run_usage_open(root, &heads);
	ck_assert_ptr_nonnull(usage);
	process(EXECUTOR, MASTER, 0.5, 0, "201 ");
	process(WORKLOAD, EXECUTOR, 2, 0, "");
	fork_one();
	expect(0.5);
	vanish(WORKLOAD);
	process(EXECUTOR, MASTER, 0.5, 2.5, "");
	expect(3);
}
END_TEST

START_TEST(what_can_not_be_read)
{
	static const pid_t attached[] = {INT_MAX};
	struct linux_run_usage_heads heads = {.master = MASTER, .attached = attached, .look_share = 1};
	errno = 0;
	ck_assert_ptr_null(linux_run_usage_open(root, &heads));
	ck_assert_int_eq(errno, ENOENT);
	/* An attached process that has ended is nothing. */
	process(MASTER, 99, 0.5, 0, "");
	heads.attaches = 1;
	usage = linux_run_usage_open(root, &heads);
	ck_assert_ptr_nonnull(usage);
	expect(0);
}
END_TEST

int main(void)
{
	Suite *const suite = suite_create("linux_run_usage");
	TCase *const tests = tcase_create("all");
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, all_of_a_run);
	tcase_add_test(tests, started_again);
	tcase_add_test(tests, orphans);
	tcase_add_test(tests, a_lost_executor);
	tcase_add_test(tests, an_attached_process_ends);
	tcase_add_test(tests, free_ones);
	tcase_add_test(tests, looks_after_forks);
	tcase_add_test(tests, looks_have_a_budget);
	tcase_add_test(tests, what_can_not_be_read);
	suite_add_tcase(suite, tests);
	SRunner *const runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed > 0;
}
