/* SPDX-License-Identifier: MIT */
#include "meters/frequency_policies.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/inotify.h>

#include <cmocka.h>

#include "fake_policies.h"

static char root[PATH_MAX];
static struct frequency_policies policies;
static char error[FREQUENCY_ERROR_MAX];

static int make(void **state)
{
	(void)state;
	fake_root_make(root);
	return 0;
}

static int destroy(void **state)
{
	(void)state;
	frequency_policies_free(&policies);
	fake_remove(root, "");
	return 0;
}

static void expect_refusal(const char *text)
{
	assert_int_equal(frequency_policies_read(root, &policies, error), -1);
	if (!strstr(error, text))
		fail_msg("'%s' is not in '%s'", text, error);
	assert_int_equal(policies.count, 0);
}

static void none(void **state)
{
	(void)state;
	expect_refusal("has no cpufreq");
	/* A machine whose driver isn't loaded has the folder alone, and other things can lie there. */
	fake_file(root, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
	fake_file(root, "/sys/devices/system/cpu/cpufreq/policyx/affected_cpus", "0\n");
	fake_file(root, "/sys/devices/system/cpu/cpufreq/policy1x/affected_cpus", "0\n");
	fake_file(root, "/sys/devices/system/cpu/cpufreq/policy/affected_cpus", "0\n");
	expect_refusal("has no cpufreq");
}

static void all_in_the_order_of_their_numbers(void **state)
{
	(void)state;
	fake_policy(root, 10, "10 11 \n");
	fake_policy(root, 4, "4 5 6 7\n");
	fake_policy(root, 0, "0\n");
	fake_policy_file(root, 4, "base_frequency", "2400000\n");
	assert_int_equal(frequency_policies_read(root, &policies, error), 0);
	assert_int_equal(policies.count, 3);
	assert_int_equal(policies.policy[0].number, 0);
	assert_int_equal(policies.policy[1].number, 4);
	assert_int_equal(policies.policy[2].number, 10);
	assert_int_equal(policies.policy[1].cpus->count, 4);
	assert_int_equal(policies.policy[2].cpus->count, 2);
	assert_int_equal(policies.policy[2].cpus->cpu[1], 11);
	assert_int_equal(policies.policy[1].least_khz, 800000);
	assert_int_equal(policies.policy[1].most_khz, 3600000);
	assert_int_equal(policies.policy[1].base_khz, 2400000);
	assert_int_equal(policies.policy[0].base_khz, 0);
	assert_int_equal(policies.policy[0].steps, 0);
	assert_int_equal(policies.boost, FREQUENCY_BOOST_UNKNOWN);
}

static void processors_that_are_offline(void **state)
{
	(void)state;
	/* All of a policy, and some of one. */
	fake_policy(root, 0, "\n");
	fake_policy(root, 2, "2 3\n");
	fake_policy_file(root, 2, "affected_cpus", "3\n");
	assert_int_equal(frequency_policies_read(root, &policies, error), 0);
	assert_int_equal(policies.count, 1);
	assert_int_equal(policies.policy[0].number, 2);
	assert_int_equal(policies.policy[0].cpus->count, 1);
	assert_int_equal(policies.policy[0].cpus->cpu[0], 3);
}

static void odd_lists_of_processors(void **state)
{
	(void)state;
	fake_policy(root, 0, "0\n");
	fake_policy_file(root, 0, "affected_cpus", NULL);
	assert_int_equal(frequency_policies_read(root, &policies, error), 0);
	assert_int_equal(policies.policy[0].cpus->cpu[0], 0);
	frequency_policies_free(&policies);
	fake_policy_file(root, 0, "related_cpus", NULL);
	expect_refusal("policy0/related_cpus: isn't there");
	static const char *const garbage[] = {"zero\n", "0 x\n", "-1\n", "0,,1\n", "65536\n", "0 1 99999999999999999999\n"};
	for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
		fake_policy_file(root, 0, "affected_cpus", garbage[i]);
		fake_policy_file(root, 0, "related_cpus", garbage[i]);
		expect_refusal("is no list of processors");
	}
}

static void odd_ranges(void **state)
{
	(void)state;
	static const char *const garbage[] = {"", "\n", "<unknown>\n", "0\n", "-800000\n", "800000 x\n", "0x800\n"};
	for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
		fake_policy(root, 0, "0\n");
		fake_policy_file(root, 0, "cpuinfo_max_freq", garbage[i]);
		expect_refusal("policy0/cpuinfo_max_freq: expected a number of kHz there");
		fake_policy_file(root, 0, "cpuinfo_min_freq", garbage[i]);
		expect_refusal("policy0/cpuinfo_min_freq: expected a number of kHz there");
	}
	fake_policy(root, 0, "0\n");
	fake_policy_file(root, 0, "cpuinfo_max_freq", "799999\n");
	expect_refusal("cpuinfo_min_freq is above cpuinfo_max_freq");
	fake_policy_file(root, 0, "cpuinfo_max_freq", NULL);
	expect_refusal("expected a number of kHz there");
}

static void steps_rise_and_lie_in_the_range(void **state)
{
	(void)state;
	fake_policy(root, 0, "0\n");
	fake_policy_file(root, 0, "scaling_available_frequencies", "3600000 2400000 800000 700000 \n");
	fake_policy_file(root, 0, "scaling_boost_frequencies", "3000000 \n");
	assert_int_equal(frequency_policies_read(root, &policies, error), 0);
	assert_int_equal(policies.policy[0].steps, 3);
	assert_int_equal(policies.policy[0].step[0], 800000);
	assert_int_equal(policies.policy[0].step[2], 3600000);
	frequency_policies_free(&policies);
	/* Those above are there only with boost. */
	fake_file(root, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
	assert_int_equal(frequency_policies_read(root, &policies, error), 0);
	assert_int_equal(policies.boost, FREQUENCY_BOOST_ON);
	assert_int_equal(policies.policy[0].steps, 4);
	assert_int_equal(policies.policy[0].step[2], 3000000);
	frequency_policies_free(&policies);
	fake_policy_file(root, 0, "scaling_available_frequencies", "\n");
	assert_int_equal(frequency_policies_read(root, &policies, error), 0);
	assert_int_equal(policies.policy[0].steps, 0);
}

static void boost_by_either_driver(void **state)
{
	(void)state;
	static const char turbo[] = "/sys/devices/system/cpu/intel_pstate/no_turbo";
	fake_policy(root, 0, "0\n");
	fake_file(root, turbo, "0\n");
	assert_int_equal(frequency_policies_read(root, &policies, error), 0);
	assert_int_equal(policies.boost, FREQUENCY_BOOST_ON);
	frequency_policies_free(&policies);
	fake_file(root, turbo, "1\n");
	assert_int_equal(frequency_policies_read(root, &policies, error), 0);
	assert_int_equal(policies.boost, FREQUENCY_BOOST_OFF);
	frequency_policies_free(&policies);
	fake_file(root, turbo, "maybe\n");
	assert_int_equal(frequency_policies_read(root, &policies, error), 0);
	assert_int_equal(policies.boost, FREQUENCY_BOOST_UNKNOWN);
}

/* Which of the two files was written first, as 'm'in or m'a'x. */
static void expect_order(uint64_t low, uint64_t high, const char *order)
{
	char folder[2 * PATH_MAX], events[4096], seen[8] = "";
	const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	snprintf(folder, sizeof folder, "%s" FREQUENCY_FOLDER "/policy0", root);
	assert_true(inotify_add_watch(watch, folder, IN_CLOSE_WRITE) >= 0);
	assert_int_equal(frequency_policy_set(root, 0, low, high), 0);
	const ssize_t length = read(watch, events, sizeof events);
	for (ssize_t at = 0; at < length;) {
		struct inotify_event event;
		memcpy(&event, events + at, sizeof event);
		const char *const name = events + at + sizeof event;
		strcat(seen, strcmp(name, "scaling_min_freq") == 0 ? "m" : "a");
		at += (ssize_t)(sizeof event + event.len);
	}
	close(watch);
	assert_string_equal(seen, order);
	uint64_t low_khz, high_khz;
	assert_true(frequency_policy_limits(root, 0, &low_khz, &high_khz));
	assert_int_equal(low_khz, low);
	assert_int_equal(high_khz, high);
}

static void the_lower_limit_is_never_above_the_upper_one(void **state)
{
	(void)state;
	fake_policy(root, 0, "0\n");
	expect_order(1800000, 1800000, "am");
	expect_order(2400000, 2400000, "am");
	expect_order(1200000, 1200000, "ma");
	expect_order(800000, 3600000, "am");
	expect_order(3600000, 3600000, "am");
	expect_order(800000, 900000, "ma");
	/* A shorter number leaves nothing of a longer one; what is no number is no hindrance. */
	fake_policy_file(root, 0, "scaling_min_freq", "garbage\n");
	expect_order(1000000, 1000000, "am");
}

static void expect_unusable(const char *text)
{
	assert_int_equal(frequency_policy_check(root, 0, error), -1);
	if (!strstr(error, text))
		fail_msg("'%s' is not in '%s'", text, error);
}

static void what_cannot_be_set(void **state)
{
	(void)state;
	static const char *const garbage[] = {"", "\n", "0\n", "<unknown>\n", "0x10\n"};
	uint64_t low_khz, high_khz;
	fake_policy(root, 0, "0\n");
	assert_int_equal(frequency_policy_check(root, 0, error), 0);
	for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
		fake_policy_file(root, 0, "scaling_max_freq", garbage[i]);
		expect_unusable("policy0/scaling_max_freq: expected a number of kHz there");
	}
	fake_policy_file(root, 0, "scaling_max_freq", NULL);
	expect_unusable("policy0/scaling_max_freq: expected a number of kHz there");
	assert_false(frequency_policy_limits(root, 0, &low_khz, &high_khz));
	assert_int_equal(frequency_policy_set(root, 0, 1, 2), -1);
	assert_int_equal(errno, ENOENT);
	/* Nothing was made there. */
	expect_unusable("policy0/scaling_max_freq: expected a number of kHz there");
}

static void what_may_not_be_written(void **state)
{
	(void)state;
	static const char readable[] = "/sys/devices/system/cpu/kernel_max";
	char file[2 * PATH_MAX];
	if (access(readable, R_OK) != 0)
		skip();
	/* May not be written by root either. */
	fake_policy(root, 0, "0\n");
	fake_policy_file(root, 0, "scaling_max_freq", NULL);
	snprintf(file, sizeof file, "%s" FREQUENCY_FOLDER "/policy0/scaling_max_freq", root);
	assert_int_equal(symlink(readable, file), 0);
	expect_unusable("policy0/scaling_max_freq: Permission denied: expected root");
	assert_non_null(strstr(error, "can't write "));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, destroy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(none),
		TEST(all_in_the_order_of_their_numbers),
		TEST(processors_that_are_offline),
		TEST(odd_lists_of_processors),
		TEST(odd_ranges),
		TEST(steps_rise_and_lie_in_the_range),
		TEST(boost_by_either_driver),
		TEST(the_lower_limit_is_never_above_the_upper_one),
		TEST(what_cannot_be_set),
		TEST(what_may_not_be_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
