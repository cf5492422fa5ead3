/* SPDX-License-Identifier: MIT */
/* On made-up trees whose processors are those of this machine, as far as this program may use them. */
#include "placement/frequencies.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "base/frequency_wish.h"
#include "fake_policies.h"
#include "processes/affinity.h"

#define GROUPS_MOST 3

static char root[PATH_MAX];
static char error[FREQUENCY_ERROR_MAX];
static char said[1024];
static struct frequencies frequencies;
static struct group group[GROUPS_MOST];
static struct config config = {.group = group, .root = root};
static struct sst_cpus *allowed;
static unsigned first; /* that may be used */

static int make(void **state)
{
	(void)state;
	fake_root_make(root);
	memset(group, 0, sizeof group);
	config.groups = 1;
	*said = '\0';
	allowed = linux_affinity_get();
	first = allowed->cpu[0];
	return 0;
}

static int destroy(void **state)
{
	(void)state;
	frequencies_free(&frequencies);
	for (unsigned i = 0; i < GROUPS_MOST; i++) {
		free(group[i].cpus);
		free(group[i].moved);
	}
	free(allowed);
	fake_remove(root, "");
	return 0;
}

/* All processors in one policy. */
static void fake_one_clock(void)
{
	char list[4096] = "";
	for (size_t i = 0; i < allowed->count && strlen(list) < 4000; i++)
		snprintf(list + strlen(list), 16, "%u ", allowed->cpu[i]);
	fake_policy(root, 0, list);
}

static void wish(unsigned index, const char *text)
{
	assert_int_equal(frequency_wish_parse(text, &group[index].frequency), 0);
	group[index].frequency_text = text;
}

static void expect_khz(const char *text, uint64_t khz)
{
	wish(0, text);
	frequencies_free(&frequencies);
	if (frequencies_plan(&config, &frequencies, error) != 0)
		fail_msg("%s: %s", text, error);
	assert_int_equal(frequencies.count, 1);
	assert_int_equal(frequencies.item[0].khz, khz);
}

static void expect_refusal(const char *text)
{
	frequencies_free(&frequencies);
	assert_int_equal(frequencies_plan(&config, &frequencies, error), -1);
	if (!strstr(error, text))
		fail_msg("'%s' is not in '%s'", text, error);
	assert_int_equal(frequencies.count, 0);
}

static void keep(const char *line)
{
	strncat(said, line, sizeof said - strlen(said) - 1);
}

static void nobody_asks(void **state)
{
	(void)state;
	assert_int_equal(frequencies_plan(&config, &frequencies, error), 0);
	assert_int_equal(frequencies.count, 0);
	wish(0, "max");
	expect_refusal("--frequency: this machine has no cpufreq");
}

static void what_is_typed_becomes_khz(void **state)
{
	(void)state;
	fake_one_clock();
	expect_khz("1.8GHz", 1800000);
	expect_khz("min", 800000);
	expect_khz("max", 3600000);
	expect_khz("50%", 1800000);
	expect_khz("100%", 3600000);
	expect_khz("33.3%", 1198800);
	expect_khz("800MHz", 800000);
	wish(0, "799.999MHz");
	expect_refusal("'799.999MHz' is out of range: processors ");
	expect_refusal("have 800MHz to 3600MHz: the nearest is 800MHz");
	wish(0, "3600001kHz");
	expect_refusal("the nearest is 3600MHz");
	wish(0, "10%");
	expect_refusal("'10%' is out of range");
}

static void steps_are_exact_but_for_shares(void **state)
{
	(void)state;
	fake_one_clock();
	fake_policy_file(root, 0, "scaling_available_frequencies", "3400000 2400000 1200000 \n");
	expect_khz("2.4GHz", 2400000);
	expect_khz("min", 1200000);
	expect_khz("max", 3400000);
	expect_khz("100%", 3400000);
	expect_khz("50%", 1200000);
	expect_khz("51%", 2400000);
	wish(0, "1.8GHz");
	expect_refusal(" don't have '1.8GHz': the nearest are 1200MHz and 2400MHz");
	wish(0, "3.5GHz");
	expect_refusal(" don't have '3.5GHz': the nearest is 3400MHz");
	wish(0, "1GHz");
	expect_refusal(" don't have '1GHz': the nearest is 1200MHz");
}

static void groups_share_a_clock_or_do_not(void **state)
{
	(void)state;
	fake_one_clock();
	config.groups = 2;
	wish(0, "1.8GHz");
	wish(1, "50%");
	assert_int_equal(frequencies_plan(&config, &frequencies, error), 0);
	assert_int_equal(frequencies.count, 1);
	assert_int_equal(frequencies.item[0].khz, 1800000);
	wish(1, "2.4GHz");
	expect_refusal("have one clock, and groups 1 and 2 want 1800MHz and 2400MHz of it");
	/* One that wants none is no conflict, and what it uses is no surprise. */
	group[1].frequency.kind = FREQUENCY_NONE;
	assert_int_equal(frequencies_plan(&config, &frequencies, error), 0);
	assert_null(frequencies.beyond);
}

static void clocks_of_their_own(void **state)
{
	(void)state;
	if (allowed->count < 2)
		skip();
	char list[16];
	const unsigned second = allowed->cpu[1];
	snprintf(list, sizeof list, "%u\n", first);
	fake_policy(root, 7, list);
	snprintf(list, sizeof list, "%u\n", second);
	fake_policy(root, 3, list);
	config.groups = 2;
	group[0].cpus = cpus_make(&first, 1);
	group[1].cpus = cpus_make(&second, 1);
	wish(0, "1.8GHz");
	wish(1, "max");
	fake_policy_file(root, 3, "cpuinfo_max_freq", "2000000\n");
	assert_int_equal(frequencies_plan(&config, &frequencies, error), 0);
	assert_int_equal(frequencies.count, 2);
	assert_int_equal(frequencies.item[0].policy, 3);
	assert_int_equal(frequencies.item[0].khz, 2000000);
	assert_int_equal(frequencies.item[1].policy, 7);
	assert_int_equal(frequencies.item[1].khz, 1800000);
	char printed[200] = "", expected[200];
	FILE *const to = fmemopen(printed, sizeof printed, "w");
	frequencies_print(&frequencies, to);
	fclose(to);
	snprintf(expected, sizeof expected, "2000MHz: processors %u; 1800MHz: processors %u", second, first);
	assert_string_equal(printed, expected);
	/* The other one's clock stays alone. */
	config.groups = 1;
	expect_khz("1.8GHz", 1800000);
	assert_int_equal(frequencies.item[0].policy, 7);
	/* A group that moves gets those of both places. */
	frequencies_free(&frequencies);
	group[0].moved = cpus_make(&second, 1);
	fake_policy_file(root, 3, "cpuinfo_max_freq", "3600000\n");
	assert_int_equal(frequencies_plan(&config, &frequencies, error), 0);
	assert_int_equal(frequencies.count, 2);
}

static void a_clock_that_reaches_further(void **state)
{
	(void)state;
	char list[64], expected[200];
	/* 65535 is no processor of ours. */
	snprintf(list, sizeof list, "%u 65535\n", first);
	fake_policy(root, 0, list);
	group[0].cpus = cpus_make(&first, 1);
	expect_khz("1.8GHz", 1800000);
	assert_non_null(frequencies.beyond);
	frequencies_warn(&frequencies, keep);
	snprintf(expected, sizeof expected,
		"--frequency holds for processors 65535 too, which share a clock with those of its group");
	assert_string_equal(said, expected);
}

static void a_processor_without_a_clock(void **state)
{
	(void)state;
	char expected[100];
	fake_policy(root, 0, "65535\n");
	wish(0, "max");
	snprintf(expected, sizeof expected, "--frequency: processor %u has no policy in ", first);
	expect_refusal(expected);
	fake_policy_file(root, 0, "affected_cpus", "what\n");
	fake_policy_file(root, 0, "related_cpus", "what\n");
	expect_refusal("policy0/related_cpus: is no list of processors");
}

static void boost_makes_a_difference(void **state)
{
	(void)state;
	static const char file[] = "/sys/devices/system/cpu/cpufreq/boost";
	fake_one_clock();
	fake_file(root, file, "1\n");
	expect_khz("3.5GHz", 3500000);
	assert_false(frequencies.is_boosted);
	assert_int_equal(frequencies.item[0].top_khz, 3600000);
	expect_khz("max", 3600000);
	assert_true(frequencies.is_boosted);
	frequencies_warn(&frequencies, keep);
	assert_non_null(strstr(said, "boost is on"));
	/* Steps may end below what boost reaches. */
	fake_policy_file(root, 0, "scaling_available_frequencies", "3000000 2000000 \n");
	expect_khz("max", 3000000);
	assert_true(frequencies.is_boosted);
	assert_int_equal(frequencies.item[0].top_khz, 3000000);
	fake_policy_file(root, 0, "scaling_available_frequencies", NULL);
	fake_policy_file(root, 0, "base_frequency", "2400000\n");
	expect_khz("2.4GHz", 2400000);
	assert_false(frequencies.is_boosted);
	expect_khz("2.5GHz", 2500000);
	assert_true(frequencies.is_boosted);
	fake_file(root, file, "0\n");
	expect_khz("2.5GHz", 2500000);
	assert_false(frequencies.is_boosted);
	assert_true(frequencies.lacks_boost);
	/* It may be out of reach. */
	assert_int_equal(frequencies.item[0].top_khz, 0);
	frequencies_warn(&frequencies, keep);
	assert_non_null(strstr(said, "boost is off"));
	expect_khz("2.4GHz", 2400000);
	assert_false(frequencies.lacks_boost);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, destroy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_asks),
		TEST(what_is_typed_becomes_khz),
		TEST(steps_are_exact_but_for_shares),
		TEST(groups_share_a_clock_or_do_not),
		TEST(clocks_of_their_own),
		TEST(a_clock_that_reaches_further),
		TEST(a_processor_without_a_clock),
		TEST(boost_makes_a_difference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
