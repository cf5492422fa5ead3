/* SPDX-License-Identifier: MIT */
/* For tests of the groups of a run: a folder that no other run looks into, and processes in groups below it. */
#ifndef WORKLOAD_GROUPS_TEST_H
#define WORKLOAD_GROUPS_TEST_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>

#include "base/clock.h"
#include "base/units.h"
#include "groups/workload_groups.h"

#define LIMIT_NS (30 * NS_PER_S)

static struct group_place place; /* a folder of the test's own */
static struct workload_groups *groups;

/* Where groups can be made: a folder that no other run looks into. */
static inline bool find_place_for(enum actuator actuator, int version)
{
	struct group_place outer;
	char error[GROUP_PLACE_ERROR_MAX];
	if (group_place_find(&outer, actuator, version, 0, error) != 0) {
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

static inline bool find_place(int version)
{
	return find_place_for(ACTUATOR_FREEZER, version);
}

static inline void leave_place(void)
{
	workload_groups_free(groups);
	ck_assert_int_eq(rmdir(place.folder), 0);
}

static inline bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Whether the group's file says so. */
static inline bool says(unsigned index, const char *word)
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

static inline void await(unsigned index, const char *word)
{
	const int64_t limit_ns = clock_now() + LIMIT_NS;
	while (!says(index, word) && clock_now() < limit_ns)
		clock_sleep_until(clock_now() + NS_PER_MS);
	ck_assert_msg(says(index, word), "group %u does not say '%s'", index, word);
}

static inline void await_frozen(unsigned index)
{
	await(index, groups->unified ? "frozen 1" : "FROZEN");
}

static inline void await_thawed(unsigned index)
{
	await(index, groups->unified ? "frozen 0" : "THAWED");
}

/* A process that waits in a group. */
static inline pid_t start_in(const struct workload_group *group)
{
	int ends[2];
	char byte = 0;
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

/* In one of the run. */
static inline pid_t start(struct workload_group *group, unsigned index)
{
	ck_assert_int_eq(workload_group_make(group, groups, index), 0);
	return start_in(group);
}

/* Returns the program's status. */
static inline int run_tests(TCase *tests)
{
	Suite *suite = suite_create("workload_groups");
	tcase_set_timeout(tests, 120);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
