/* SPDX-License-Identifier: MIT */
/* A run's own groups: made, frozen, limited, released and removed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "workload_groups_test.h"

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
			group_tree_release(groups->folder);
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
	if (!find_place_for(ACTUATOR_QUOTA, _i))
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
	ck_assert_int_eq(workload_group_limit(&group, &(struct bandwidth){5 * NS_PER_MS, 20 * NS_PER_MS}), 0);
	ck_assert_int_eq(quota_of(3), 5000);
	/* A quota that is longer than the old period, and a period that is shorter than the old quota. */
	ck_assert_int_eq(workload_group_limit(&group, &(struct bandwidth){600 * NS_PER_MS, NS_PER_S}), 0);
	ck_assert_int_eq(quota_of(3), 600000);
	ck_assert_int_eq(workload_group_limit(&group, &(struct bandwidth){NS_PER_MS, 2 * NS_PER_MS}), 0);
	ck_assert_int_eq(quota_of(3), 1000);
	if (_i == 1)
		ck_assert_int_eq(number_in(3, "cpu.cfs_period_us"), 2000);
	ck_assert_int_eq(workload_group_limit(&group, &(struct bandwidth){0}), 0);
	ck_assert_int_eq(quota_of(3), -1);
	for (int i = 0; i < 2; i++) {
		workload_group_limit(&group, &(struct bandwidth){NS_PER_MS, NS_PER_S});
		ck_assert_int_eq(quota_of(3), 1000);
		if (i)
			group_tree_release(groups->folder);
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
	if (!find_place_for(ACTUATOR_QUOTA, 1))
		return;
	struct workload_group group;
	write_number(place.folder, "cpu.cfs_quota_us", 50000);
	ck_assert_int_eq(workload_groups_make(groups, &place), 0);
	ck_assert_int_eq(workload_group_make(&group, groups, 0), 0);
	ck_assert_int_eq(workload_group_limit(&group, &(struct bandwidth){10 * NS_PER_MS, 100 * NS_PER_MS}), 0);
	ck_assert_int_eq(quota_of(0), 10000);
	ck_assert_int_eq(workload_group_limit(&group, &(struct bandwidth){90 * NS_PER_MS, 100 * NS_PER_MS}), 0);
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
	if (!find_place_for(ACTUATOR_QUOTA, 1))
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
	ck_assert_int_eq(workload_group_limit(&group, &(struct bandwidth){2 * NS_PER_MS, 20 * NS_PER_MS}), 0);
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

START_TEST(without_a_place_there_is_a_reason)
{
	char error[GROUP_PLACE_ERROR_MAX];
	struct group_place none;
	ck_assert_int_eq(group_place_find(&none, ACTUATOR_SIGNALS, 0, 0, error), 0);
	/* Signals need none, and nothing is made for them. */
	groups = workload_groups_new();
	ck_assert_int_eq(workload_groups_make(groups, &none), 0);
	ck_assert_str_eq(groups->folder, "");
	workload_groups_clear(groups, 0);
	workload_groups_remove(groups);
	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	if (group_place_find(&none, ACTUATOR_FREEZER, 0, 0, error) != 0)
		ck_assert_msg(strstr(error, "no control group can be made ("), "%s", error);
	strcpy(none.folder, "/nowhere");
	none.actuator = ACTUATOR_FREEZER;
	ck_assert_int_eq(workload_groups_make(groups, &none), -1);
	ck_assert_str_eq(groups->folder, "");
	workload_groups_free(groups);
	/* Or a sanitizer couldn't look at this process. */
	ck_assert_int_eq(seteuid(getuid()), 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("workload_groups");
	tcase_add_loop_test(tests, a_group_is_frozen_and_thawed, 1, 3);
	tcase_add_loop_test(tests, a_group_is_limited_and_let_go, 1, 3);
	tcase_add_test(tests, a_limit_above_counts);
	tcase_add_test(tests, a_limit_below_gives_way);
	tcase_add_loop_test(tests, a_folder_goes_with_its_last_group, 1, 3);
	tcase_add_test(tests, without_a_place_there_is_a_reason);
	return run_tests(tests);
}
