/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/units.h"
#include "os/workload_groups.h"

#define LIMIT_NS (30 * NS_PER_S)

static struct group_place place; /* a folder of the test's own */
static struct workload_groups *groups;

/* Where groups can be made: a folder that no other run looks into. */
static bool find_place_for(enum sst_hand hand, int version)
{
	struct group_place outer;
	char error[GROUP_PLACE_ERROR_MAX];
	if (group_place_find(&outer, hand, version, 0, error) != 0) {
		printf("left out: version %d: %s\n", version, error);
		return false;
	}
	place = outer;
	ck_assert_int_lt(snprintf(place.folder, sizeof place.folder, "%.3000s/test-%d", outer.folder, (int)getpid()), PATH_MAX);
	ck_assert_int_eq(mkdir(place.folder, 0755), 0);
	groups = workload_groups_new();
	ck_assert_ptr_nonnull(groups);
	return true;
}

static bool find_place(int version)
{
	return find_place_for(SST_HAND_FREEZER, version);
}

static void leave_place(void)
{
	workload_groups_free(groups);
	ck_assert_int_eq(rmdir(place.folder), 0);
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Whether the group's file says so. */
static bool says(unsigned index, const char *word)
{
	char path[2 * PATH_MAX], line[64] = "";
	bool found = false;
	snprintf(path, sizeof path, "%s/%u/%s", groups->folder, index, groups->unified ? "cgroup.events" : "freezer.state");
	FILE *const file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof line, file))
		found = strncmp(line, word, strlen(word)) == 0;
	if (file)
		fclose(file);
	return found;
}

static void await(unsigned index, const char *word)
{
	const int64_t limit_ns = clock_now() + LIMIT_NS;
	while (!says(index, word) && clock_now() < limit_ns)
		clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert_msg(says(index, word), "group %u does not say '%s'", index, word);
}

static void await_frozen(unsigned index)
{
	await(index, groups->unified ? "frozen 1" : "FROZEN");
}

static void await_thawed(unsigned index)
{
	await(index, groups->unified ? "frozen 0" : "THAWED");
}

/* A process that waits in a group of the run. */
static pid_t start(struct workload_group *group, unsigned index)
{
	int ends[2];
	char byte = 0;
	ck_assert_int_eq(workload_group_make(group, groups, index), 0);
	ck_assert_int_eq(pipe(ends), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		byte = workload_group_enter(group) == 0;
		/* As exec would: the run's lock is not the workload's. */
		dup2(ends[1], STDIN_FILENO);
		close_range(STDERR_FILENO + 1, ~0U, 0);
		if (write(STDIN_FILENO, &byte, 1) == 1)
			pause();
		_exit(1);
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	ck_assert_int_eq(byte, 1);
	return pid;
}

START_TEST(a_group_is_frozen_and_thawed)
{
	if (!find_place(_i))
		return;
	struct workload_group group;
	ck_assert_int_eq(workload_groups_make(groups, &place), 0);
	ck_assert(exists(groups->folder));
	const pid_t pid = start(&group, 7);
	ck_assert_int_eq(workload_group_freeze(&group, true), 0);
	await_frozen(7);
	ck_assert_int_eq(workload_group_freeze(&group, false), 0);
	await_thawed(7);
	/* A survivor knows the number alone, or nothing. */
	for (int i = 0; i < 2; i++) {
		workload_group_freeze(&group, true);
		await_frozen(7);
		if (i)
			workload_groups_release(groups);
		else
			workload_groups_release_one(groups, 7);
		await_thawed(7);
	}
	/* What is frozen dies all the same. */
	workload_group_freeze(&group, true);
	await_frozen(7);
	workload_group_close(&group);
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	ck_assert(workload_groups_kill(groups, clock_now() + LIMIT_NS));
	ck_assert_int_eq(kill(pid, 0), -1);
	workload_groups_remove(groups);
	ck_assert_str_eq(groups->folder, "");
	leave_place();
}
END_TEST

static long long number_in(unsigned index, const char *name)
{
	char path[2 * PATH_MAX];
	long long number = -2;
	snprintf(path, sizeof path, "%s/%u/%s", groups->folder, index, name);
	FILE *const file = fopen(path, "re");
	if (file && fscanf(file, "%lld", &number) != 1)
		number = -1; /* "max" */
	if (file)
		fclose(file);
	return number;
}

static long long quota_of(unsigned index)
{
	return number_in(index, groups->unified ? "cpu.max" : "cpu.cfs_quota_us");
}

START_TEST(a_group_is_limited_and_let_go)
{
	if (!find_place_for(SST_HAND_QUOTA, _i))
		return;
	/* Below a group of the test's own, to which nobody hands the controller down. */
	if (_i == 2) {
		rmdir(place.folder);
		*strrchr(place.folder, '/') = '\0';
	}
	struct workload_group group;
	ck_assert_int_eq(workload_groups_make(groups, &place), 0);
	const pid_t pid = start(&group, 3);
	ck_assert_uint_eq(workload_group_count(&group, 5), 1);
	ck_assert_uint_eq(workload_group_count(&group, 1), 1);
	ck_assert_int_eq(workload_group_limit(&group, &(struct sst_bandwidth){5 * NS_PER_MS, 20 * NS_PER_MS}), 0);
	ck_assert_int_eq(quota_of(3), 5000);
	/* A quota that is longer than the old period, and a period that is shorter than the old quota. */
	ck_assert_int_eq(workload_group_limit(&group, &(struct sst_bandwidth){600 * NS_PER_MS, NS_PER_S}), 0);
	ck_assert_int_eq(quota_of(3), 600000);
	ck_assert_int_eq(workload_group_limit(&group, &(struct sst_bandwidth){NS_PER_MS, 2 * NS_PER_MS}), 0);
	ck_assert_int_eq(quota_of(3), 1000);
	if (_i == 1)
		ck_assert_int_eq(number_in(3, "cpu.cfs_period_us"), 2000);
	ck_assert_int_eq(workload_group_limit(&group, &(struct sst_bandwidth){0}), 0);
	ck_assert_int_eq(quota_of(3), -1);
	for (int i = 0; i < 2; i++) {
		workload_group_limit(&group, &(struct sst_bandwidth){NS_PER_MS, NS_PER_S});
		ck_assert_int_eq(quota_of(3), 1000);
		if (i)
			workload_groups_release(groups);
		else
			workload_groups_release_one(groups, 3);
		ck_assert_int_eq(quota_of(3), -1);
	}
	/* Where nobody is in it, who was there has groups of its own below. */
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	const int64_t limit_ns = clock_now() + LIMIT_NS;
	while (workload_group_count(&group, 5) != 5 && clock_now() < limit_ns)
		clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert_uint_eq(workload_group_count(&group, 5), 5);
	workload_group_close(&group);
	workload_groups_remove(groups);
	if (_i == 1)
		leave_place();
	else
		workload_groups_free(groups);
}
END_TEST

static void write_number(const char *folder, const char *name, long long number)
{
	char path[3 * PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *const file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%lld\n", number);
	ck_assert_int_eq(fclose(file), 0);
}

/* Version 1 takes no more than a group above has; that one's limit is then what counts. */
START_TEST(a_limit_above_counts)
{
	if (!find_place_for(SST_HAND_QUOTA, 1))
		return;
	struct workload_group group;
	write_number(place.folder, "cpu.cfs_quota_us", 50000);
	ck_assert_int_eq(workload_groups_make(groups, &place), 0);
	ck_assert_int_eq(workload_group_make(&group, groups, 0), 0);
	ck_assert_int_eq(workload_group_limit(&group, &(struct sst_bandwidth){10 * NS_PER_MS, 100 * NS_PER_MS}), 0);
	ck_assert_int_eq(quota_of(0), 10000);
	ck_assert_int_eq(workload_group_limit(&group, &(struct sst_bandwidth){90 * NS_PER_MS, 100 * NS_PER_MS}), 0);
	ck_assert_int_eq(quota_of(0), -1);
	workload_group_close(&group);
	workload_groups_remove(groups);
	leave_place();
}
END_TEST

/* Version 1 takes no less than a group below has, as one of a run within the workload. */
START_TEST(a_limit_below_gives_way)
{
	static const char *const below[] = {"0/run", "0/run/more", "0/run/less"};
	char path[2 * PATH_MAX];
	if (!find_place_for(SST_HAND_QUOTA, 1))
		return;
	struct workload_group group;
	ck_assert_int_eq(workload_groups_make(groups, &place), 0);
	ck_assert_int_eq(workload_group_make(&group, groups, 0), 0);
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", groups->folder, below[i]);
		ck_assert_int_eq(mkdir(path, 0755), 0);
		if (i)
			write_number(path, "cpu.cfs_quota_us", i == 1 ? 60000 : 5000);
	}
	ck_assert_int_eq(workload_group_limit(&group, &(struct sst_bandwidth){2 * NS_PER_MS, 20 * NS_PER_MS}), 0);
	ck_assert_int_eq(quota_of(0), 2000);
	ck_assert_int_eq(number_in(0, "run/more/cpu.cfs_quota_us"), -1);
	ck_assert_int_eq(number_in(0, "run/less/cpu.cfs_quota_us"), 5000);
	workload_group_close(&group);
	workload_groups_remove(groups);
	leave_place();
}
END_TEST

START_TEST(a_folder_goes_with_its_last_group)
{
	if (!find_place(_i))
		return;
	struct workload_group group[2];
	ck_assert_int_eq(workload_groups_make(groups, &place), 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(workload_group_make(&group[i], groups, i), 0);
		workload_group_close(&group[i]);
	}
	ck_assert_int_eq(workload_group_make(&group[0], groups, 0), -1);
	ck_assert_int_eq(errno, EEXIST);
	workload_groups_leave(groups, 0, true);
	ck_assert(exists(groups->folder));
	workload_groups_leave(groups, 1, false);
	ck_assert(exists(groups->folder));
	workload_groups_leave(groups, 1, true);
	ck_assert(!exists(groups->folder));
	leave_place();
}
END_TEST

/* Makes a run's folder, freezes a process in it, and dies so that nobody cleans up; with `lives` it waits for that. */
static pid_t run(int told, bool lives)
{
	const pid_t pid = fork();
	if (pid != 0)
		return pid;
	struct workload_group group;
	char byte = 1;
	if (workload_groups_make(groups, &place) != 0)
		_exit(1);
	const pid_t frozen = start(&group, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	workload_group_freeze(&group, true);
	await_frozen(0);
	if (frozen < 0 || write(told, &byte, 1) != 1)
		_exit(1);
	if (lives)
		pause();
	_exit(0);
}

START_TEST(what_a_dead_run_left_goes_with_the_next)
{
	if (!find_place(_i))
		return;
	struct workload_groups *const mine = groups;
	char folder[2][PATH_MAX], byte;
	pid_t pid[2];
	int ends[2];
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1UL), 0);
	ck_assert_int_eq(pipe(ends), 0);
	for (int lives = 0; lives < 2; lives++) {
		groups = workload_groups_new();
		ck_assert_ptr_nonnull(groups);
		pid[lives] = run(ends[1], lives);
		ck_assert_int_eq(read(ends[0], &byte, 1), 1);
		if (!lives)
			ck_assert_int_eq(waitpid(pid[0], NULL, 0), pid[0]);
		strcpy(folder[lives], groups->folder);
		if (!lives)
			ck_assert(exists(folder[0]));
		else
			ck_assert(!exists(folder[0])); /* the second was the next of the first */
		workload_groups_free(groups);
	}
	groups = mine;
	ck_assert_int_eq(workload_groups_make(groups, &place), 0);
	ck_assert(exists(folder[1]));
	ck_assert_str_ne(groups->folder, folder[1]);
	/* Now that it is dead. */
	kill(pid[1], SIGKILL);
	ck_assert_int_eq(waitpid(pid[1], NULL, 0), pid[1]);
	workload_groups_remove(groups);
	ck_assert_int_eq(workload_groups_make(groups, &place), 0);
	ck_assert(!exists(folder[1]));
	workload_groups_remove(groups);
	while (waitpid(-1, NULL, 0) > 0)
		;
	leave_place();
}
END_TEST

START_TEST(without_a_place_there_is_a_reason)
{
	char error[GROUP_PLACE_ERROR_MAX];
	struct group_place none;
	ck_assert_int_eq(group_place_find(&none, SST_HAND_SIGNALS, 0, 0, error), 0);
	/* Signals need none, and nothing is made for them. */
	groups = workload_groups_new();
	ck_assert_int_eq(workload_groups_make(groups, &none), 0);
	ck_assert_str_eq(groups->folder, "");
	workload_groups_release(groups);
	workload_groups_clear(groups, 0);
	workload_groups_remove(groups);
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	if (group_place_find(&none, SST_HAND_FREEZER, 0, 0, error) != 0)
		ck_assert_msg(strstr(error, "no control group can be made ("), "%s", error);
	strcpy(none.folder, "/nowhere");
	none.hand = SST_HAND_FREEZER;
	ck_assert_int_eq(workload_groups_make(groups, &none), -1);
	ck_assert_str_eq(groups->folder, "");
	workload_groups_free(groups);
	/* Or a sanitizer couldn't look at this process. */
	ck_assert_int_eq(seteuid(getuid()), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("workload_groups");
	TCase *tests = tcase_create("workload_groups");
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, a_group_is_frozen_and_thawed, 1, 3);
	tcase_add_loop_test(tests, a_group_is_limited_and_let_go, 1, 3);
	tcase_add_test(tests, a_limit_above_counts);
	tcase_add_test(tests, a_limit_below_gives_way);
	tcase_add_loop_test(tests, a_folder_goes_with_its_last_group, 1, 3);
	tcase_add_loop_test(tests, what_a_dead_run_left_goes_with_the_next, 1, 3);
	tcase_add_test(tests, without_a_place_there_is_a_reason);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
