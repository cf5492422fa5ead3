/* SPDX-License-Identifier: MIT */
/* A workload's group whose files are ordinary ones: what is written into them, in which order, and what is made of what they say. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_root.h"
#include "groups/workload_groups.h"

static char root[PATH_MAX];
static struct workload_group group;

static int open_in_root(const char *name, int flags)
{
	char path[2 * PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", root, name);
	const int fd = open(path, flags | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static int enter(void **state)
{
	(void)state;
	fake_root_make(root);
	group = WORKLOAD_GROUP_NONE;
	group.folder = open_in_root("", O_RDONLY | O_DIRECTORY);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	workload_group_close(&group);
	fake_remove(root, "");
	return 0;
}

static void is_written(int fd, const char *expected)
{
	char text[64] = "";
	assert_true(pread(fd, text, sizeof text - 1, 0) >= 0);
	assert_string_equal(text, expected);
}

/* ---- Threads ---------------------------------------------------------------------------------------------------------- */

/* A list of so many, in lines of six characters. */
static void list(const char *name, unsigned threads)
{
	char *const text = malloc((size_t)threads * 6 + 1);
	assert_non_null(text);
	text[0] = '\0';
	for (unsigned i = 0; i < threads; i++)
		snprintf(text + (size_t)i * 6, 7, "%05u\n", 10000 + i);
	fake_file(root, name, text);
	free(text);
}

/* One that doesn't fit into what is read at once is cut, maybe in the middle of a number: how many there are isn't known. */
static void a_list_that_is_cut_says_nothing(void **state)
{
	(void)state;
	static const struct {
		unsigned threads;
		size_t most, expected;
	} cases[] = {{0, 900, 900}, {1, 900, 1}, {17, 900, 17}, {17, 16, 16}, {682, 900, 682}, {683, 900, 900}, {800, 900, 900},
		{800, 700, 700}};
	for (int version = 1; version <= 2; version++)
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			group.unified = version == 2;
			list(group.unified ? "/cgroup.threads" : "/tasks", cases[i].threads);
			if (workload_group_count(&group, cases[i].most) != cases[i].expected)
				fail_msg("version %d: %u threads count as %zu, expected %zu", version, cases[i].threads,
					workload_group_count(&group, cases[i].most), cases[i].expected);
		}
	fake_remove(root, "/tasks");
	group.unified = false;
	assert_int_equal(workload_group_count(&group, 12), 12);
}

/* ---- Limits ----------------------------------------------------------------------------------------------------------- */

static void version_2_has_one_file(void **state)
{
	(void)state;
	fake_file(root, "/cpu.max", "");
	group.unified = true;
	group.control = open_in_root("cpu.max", O_RDWR);
	const struct bandwidth limit = {.quota_ns = 37500 * NS_PER_US, .period_ns = 50 * NS_PER_MS};
	assert_int_equal(workload_group_limit(&group, &limit), 0);
	is_written(group.control, "37500 50000");
	assert_true(workload_group_is_limited(&group, &limit));
	assert_false(workload_group_is_limited(&group, &(struct bandwidth){0}));
}

/* While there is a new period and not yet its quota, the group would have the quota of another period: so it has none. */
static void version_1_has_no_quota_between_two_periods(void **state)
{
	(void)state;
	fake_file(root, "/quota", "70000");
	fake_file(root, "/period", "100000");
	group.control = open_in_root("quota", O_RDWR);
	group.period = open_in_root("period", O_RDONLY);
	const struct bandwidth limit = {.quota_ns = 10050 * NS_PER_US, .period_ns = 20 * NS_PER_MS};
	/* The moment between the two is that of a period that isn't taken. */
	assert_int_equal(workload_group_limit(&group, &limit), -1);
	is_written(group.control, "-1000");
	close(group.period);
	group.period = open_in_root("period", O_RDWR);
	fake_file(root, "/quota", "");
	fake_file(root, "/period", "");
	assert_int_equal(workload_group_limit(&group, &limit), 0);
	is_written(group.control, "10050");
	is_written(group.period, "20000");
	/* The same period isn't written again, and the quota goes from one to the next. */
	fake_file(root, "/period", "");
	const struct bandwidth next = {.quota_ns = 12345 * NS_PER_US, .period_ns = 20 * NS_PER_MS};
	assert_int_equal(workload_group_limit(&group, &next), 0);
	is_written(group.control, "12345");
	is_written(group.period, "");
	assert_int_equal(workload_group_limit(&group, &(struct bandwidth){0}), 0);
	is_written(group.control, "-1345");
}

static void count_group(const char *path, void *count)
{
	(void)path;
	++*(int *)count;
}

static void one_whose_name_begins_with_a_dot_is_one(void **state)
{
	char path[2 * PATH_MAX];
	int count = 0;
	(void)state;
	static const char *const below[] = {"/.x", "/.x/.y", "/..z"};
	for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
		snprintf(path, sizeof path, "%s%s", root, below[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	group_each(root, "", count_group, &count);
	assert_int_equal(count, 2);
	group_tree_remove(root);
	assert_int_equal(access(root, F_OK), -1);
	assert_int_equal(mkdir(root, 0755), 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(a_list_that_is_cut_says_nothing),
		TEST(version_2_has_one_file),
		TEST(version_1_has_no_quota_between_two_periods),
		TEST(one_whose_name_begins_with_a_dot_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
