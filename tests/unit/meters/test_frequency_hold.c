/* SPDX-License-Identifier: MIT */
#include "meters/frequency_hold.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "fake_policies.h"

#define RECORD "/run/showstopper/frequency"

static char root[PATH_MAX];
static char error[FREQUENCY_ERROR_MAX];

static int make(void **state)
{
	(void)state;
	fake_root_make(root);
	fake_file(root, "/run/other", "");
	fake_policy(root, 0, "0\n");
	fake_policy(root, 1, "1\n");
	return 0;
}

static int destroy(void **state)
{
	(void)state;
	fake_remove(root, "");
	return 0;
}

static void expect_limits(unsigned policy, uint64_t low, uint64_t high)
{
	uint64_t low_khz = 0, high_khz = 0;
	frequency_policy_limits(root, policy, &low_khz, &high_khz);
	assert_int_equal(low_khz, low);
	assert_int_equal(high_khz, high);
}

static bool is_recorded(void)
{
	char path[2 * PATH_MAX];
	snprintf(path, sizeof path, "%s" RECORD, root);
	return access(path, F_OK) == 0;
}

static struct frequency_hold *hold_both(uint64_t first, uint64_t second)
{
	struct frequency_hold *const hold = frequency_hold_new(root, 2, error);
	if (!hold)
		fail_msg("%s", error);
	assert_int_equal(frequency_hold_add(hold, 0, first, 3600000, error), 0);
	assert_int_equal(frequency_hold_add(hold, 1, second, 3600000, error), 0);
	return hold;
}

static void what_is_set_is_given_back(void **state)
{
	(void)state;
	uint64_t low_khz, high_khz;
	fake_policy_file(root, 1, "scaling_min_freq", "1000000\n");
	fake_policy_file(root, 1, "scaling_max_freq", "1200000\n");
	struct frequency_hold *const hold = hold_both(1800000, 2400000);
	expect_limits(0, 800000, 3600000);
	assert_int_equal(frequency_hold_set(hold, error), 0);
	assert_int_equal(hold->capped, 0);
	expect_limits(0, 1800000, 1800000);
	expect_limits(1, 2400000, 2400000);
	assert_true(is_recorded());
	assert_true(frequency_hold_is_kept(hold, 1, &low_khz, &high_khz));
	/* What somebody sets meanwhile is told, and not kept. */
	fake_policy_file(root, 1, "scaling_max_freq", "3000000\n");
	assert_false(frequency_hold_is_kept(hold, 1, &low_khz, &high_khz));
	assert_int_equal(low_khz, 2400000);
	assert_int_equal(high_khz, 3000000);
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	expect_limits(0, 800000, 3600000);
	expect_limits(1, 1000000, 1200000);
	assert_false(is_recorded());
	/* From then on they are somebody else's. */
	fake_policy_file(root, 0, "scaling_max_freq", "2000000\n");
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	expect_limits(0, 800000, 2000000);
	frequency_hold_free(hold);
}

static void nothing_is_given_back_that_was_not_set(void **state)
{
	(void)state;
	struct frequency_hold *const hold = hold_both(1800000, 2400000);
	fake_policy_file(root, 0, "scaling_max_freq", "2000000\n");
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	expect_limits(0, 800000, 2000000);
	assert_false(is_recorded());
	frequency_hold_free(hold);
}

/* In a child that dies in the middle of it, the parent gives back, as the guardian does after the master. */
static void a_survivor_gives_back(void **state)
{
	(void)state;
	struct frequency_hold *const hold = hold_both(1800000, 2400000);
	const pid_t pid = fork();
	if (pid == 0) {
		frequency_hold_set(hold, error);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	expect_limits(1, 2400000, 2400000);
	/* Killed between a file's emptying and its number. */
	fake_policy_file(root, 1, "scaling_min_freq", "");
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	expect_limits(0, 800000, 3600000);
	expect_limits(1, 800000, 3600000);
	assert_false(is_recorded());
	frequency_hold_free(hold);
}

/* The kernel kills who writes more than it may: here in the first write, when the file has been emptied. */
static void one_that_dies_while_it_sets_is_followed_by_a_survivor(void **state)
{
	(void)state;
	int status;
	fake_remove(root, "/run");
	struct frequency_hold *const hold = hold_both(1800000, 2400000);
	const pid_t pid = fork();
	if (pid == 0) {
		const struct rlimit none = {0};
		setrlimit(RLIMIT_CORE, &none);
		setrlimit(RLIMIT_FSIZE, &none);
		frequency_hold_set(hold, error);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGXFSZ);
	expect_limits(0, 800000, 0);
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	expect_limits(0, 800000, 3600000);
	expect_limits(1, 800000, 3600000);
	frequency_hold_free(hold);
}

/* A limit on the sizes of files cuts seven digits, and not six: the second policy doesn't take its number. */
static void a_policy_that_refuses_takes_the_others_back(void **state)
{
	(void)state;
	struct rlimit limit;
	for (unsigned i = 0; i < 2; i++) {
		fake_policy_file(root, i, "scaling_min_freq", "400000\n");
		fake_policy_file(root, i, "scaling_max_freq", "900000\n");
	}
	/* Without the record, which is longer. */
	fake_remove(root, "/run");
	struct frequency_hold *const hold = hold_both(500000, 1800000);
	assert_int_equal(hold->record, -1);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	const struct rlimit small = {.rlim_cur = 7, .rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	const int result = frequency_hold_set(hold, error);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(result, -1);
	assert_non_null(strstr(error, "policy1 doesn't take 1800MHz: "));
	expect_limits(0, 400000, 900000);
	expect_limits(1, 400000, 900000);
	frequency_hold_free(hold);
}

/* As a kernel that takes the write and makes something else of it. */
static void a_policy_that_makes_something_else_of_it_takes_the_others_back(void **state)
{
	(void)state;
	char file[2 * PATH_MAX];
	struct frequency_hold *const hold = hold_both(1800000, 2400000);
	snprintf(file, sizeof file, "%s" FREQUENCY_FOLDER "/policy1/scaling_max_freq", root);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink("/dev/null", file), 0);
	assert_int_equal(frequency_hold_set(hold, error), -1);
	assert_non_null(strstr(error, "policy1 is to have 2400MHz, and the kernel makes "));
	expect_limits(0, 800000, 3600000);
	assert_false(is_recorded());
	frequency_hold_free(hold);
}

static void what_cannot_be_set_is_refused_before(void **state)
{
	(void)state;
	struct frequency_hold *const hold = frequency_hold_new(root, 2, error);
	assert_non_null(hold);
	fake_policy_file(root, 1, "scaling_max_freq", "<unknown>\n");
	assert_int_equal(frequency_hold_add(hold, 1, 1800000, 3600000, error), -1);
	assert_non_null(strstr(error, "policy1/scaling_max_freq: expected a number of kHz there"));
	assert_int_equal(hold->count, 0);
	frequency_hold_give_back(hold, error);
	frequency_hold_free(hold);
}

static void one_run_at_a_time(void **state)
{
	(void)state;
	struct frequency_hold *const first = hold_both(1800000, 1800000);
	assert_null(frequency_hold_new(root, 2, error));
	assert_non_null(strstr(error, "another run holds frequencies"));
	assert_true(is_recorded());
	frequency_hold_give_back(first, error);
	struct frequency_hold *const second = hold_both(2400000, 2400000);
	frequency_hold_give_back(second, error);
	frequency_hold_free(second);
	frequency_hold_free(first);
}

static void leave(const char *record)
{
	fake_file(root, RECORD, record);
}

static void expect_restored(unsigned restored)
{
	struct frequency_hold *const hold = frequency_hold_new(root, 2, error);
	assert_non_null(hold);
	assert_int_equal(hold->restored, restored);
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	frequency_hold_free(hold);
	assert_false(is_recorded());
}

static void what_a_dead_run_left_is_given_back(void **state)
{
	(void)state;
	const pid_t pid = fork();
	if (pid == 0) {
		frequency_hold_set(hold_both(1800000, 2400000), error);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	expect_limits(1, 2400000, 2400000);
	assert_true(is_recorded());
	expect_restored(2);
	expect_limits(0, 800000, 3600000);
	expect_limits(1, 800000, 3600000);
	/* It died when it had set one limit, or while it wrote another. */
	leave("policy0 1800000 800000 3600000\npolicy1 1800000 800000 3600000\n");
	fake_policy_file(root, 0, "scaling_max_freq", "1800000\n");
	fake_policy_file(root, 1, "scaling_max_freq", "");
	expect_restored(2);
	expect_limits(0, 800000, 3600000);
	expect_limits(1, 800000, 3600000);
	/* It died while it asked for the highest frequency, to see whether the limit below was somebody's wish. */
	leave("policy1 3600000 800000 1000000\n");
	fake_policy_file(root, 1, "scaling_max_freq", "3600000\n");
	expect_restored(1);
	expect_limits(1, 800000, 1000000);
}

static void what_was_set_since_a_run_died_stays(void **state)
{
	(void)state;
	leave("policy0 1800000 800000 3600000\npolicy1 1800000 800000 3600000\n");
	fake_policy_file(root, 0, "scaling_min_freq", "1800000\n");
	fake_policy_file(root, 0, "scaling_max_freq", "2400000\n");
	fake_policy_file(root, 1, "scaling_min_freq", "1000000\n");
	fake_policy_file(root, 1, "scaling_max_freq", "2000000\n");
	expect_restored(1);
	expect_limits(0, 800000, 2400000);
	expect_limits(1, 1000000, 2000000);
}

static void what_cannot_be_given_back_after_a_dead_run_is_refused(void **state)
{
	(void)state;
	char file[2 * PATH_MAX];
	leave("policy0 1800000 800000 3600000\n");
	/* As of a policy whose processors are offline: it can be neither read nor written. */
	fake_policy_file(root, 0, "scaling_max_freq", NULL);
	snprintf(file, sizeof file, "%s" FREQUENCY_FOLDER "/policy0/scaling_max_freq", root);
	assert_int_equal(mkdir(file, 0777), 0);
	assert_null(frequency_hold_new(root, 2, error));
	assert_non_null(strstr(error, "can't give back what a run left that was killed: policy0: "));
	assert_true(is_recorded());
	assert_int_equal(rmdir(file), 0);
	/* One that has gone holds nobody up. */
	fake_remove(root, FREQUENCY_FOLDER "/policy0");
	expect_restored(0);
}

static void is_record(const char *expected)
{
	char path[2 * PATH_MAX], text[256] = "";
	snprintf(path, sizeof path, "%s" RECORD, root);
	FILE *const file = fopen(path, "re");
	assert_non_null(file);
	const size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = '\0';
	assert_string_equal(text, expected);
}

/* Each policy with what it is set to, by which the next run tells what somebody has set since, and with what it had. */
static void the_record_says_what_is_set(void **state)
{
	(void)state;
	fake_policy_file(root, 1, "scaling_min_freq", "1000000\n");
	struct frequency_hold *const hold = hold_both(1800000, 2400000);
	is_record("");
	assert_int_equal(frequency_hold_set(hold, error), 0);
	is_record("policy0 1800000 800000 3600000\npolicy1 2400000 1000000 3600000\n");
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	frequency_hold_free(hold);
}

/* While the highest frequency is asked for, to see whether a limit below it was somebody's wish, that is what is set. */
static void the_record_says_what_is_asked_for(void **state)
{
	(void)state;
	char file[2 * PATH_MAX], record[2 * PATH_MAX];
	struct stat about = {0};
	fake_policy_file(root, 1, "scaling_max_freq", "1200000\n");
	struct frequency_hold *const hold = hold_both(1800000, 900000);
	/* Whoever writes it waits for somebody who reads. */
	snprintf(file, sizeof file, "%s" FREQUENCY_FOLDER "/policy1/scaling_max_freq", root);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	snprintf(record, sizeof record, "%s" RECORD, root);
	const pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(frequency_hold_set(hold, error) != 0);
	}
	/* The time limit of the whole test is that of this wait, too. */
	while (stat(record, &about) == 0 && about.st_size == 0)
		usleep(1000);
	is_record("policy0 1800000 800000 3600000\npolicy1 3600000 800000 1200000\n");
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(unlink(file), 0);
	fake_policy_file(root, 1, "scaling_max_freq", "3600000\n");
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	expect_limits(0, 800000, 3600000);
	frequency_hold_free(hold);
}

/* Whoever may make files in /run could have one of root's written. */
static void a_link_is_no_record(void **state)
{
	(void)state;
	char link[2 * PATH_MAX], target[2 * PATH_MAX], text[64] = "";
	static const char kept[] = "policy0 3600000 800000 3000000\n";
	fake_file(root, "/precious", kept);
	fake_file(root, "/run/showstopper/x", "");
	snprintf(link, sizeof link, "%s" RECORD, root);
	snprintf(target, sizeof target, "%s/precious", root);
	assert_int_equal(symlink(target, link), 0);
	struct frequency_hold *const hold = hold_both(1800000, 1800000);
	assert_int_equal(hold->record, -1);
	assert_int_equal(hold->restored, 0);
	assert_int_equal(frequency_hold_set(hold, error), 0);
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	frequency_hold_free(hold);
	FILE *const file = fopen(target, "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof text, file));
	fclose(file);
	assert_string_equal(text, kept);
	assert_int_equal(unlink(link), 0);
}

static void odd_records(void **state)
{
	(void)state;
	static const char *const odd[] = {"", "\n\n", "policy", "policy0 1800000 800000", "policy0 3600000 800000 3000000",
		"policyx 3600000 800000 3000000\n", "policy0 3600000 3000000 800000\n", "policy0 3600000 0 3000000\n",
		"policy9 3600000 800000 3000000\n", "policy99999 3600000 800000 3000000\n", "policy0 3600000 800000 3000000 1\n",
		"policy/../0 3600000 800000 3000000\n", "policy0 3600000 -1 3000000\n"};
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		leave(odd[i]);
		expect_restored(0);
		expect_limits(0, 800000, 3600000);
	}
	/* One bad line doesn't hide the next. */
	leave("what?\npolicy0 3600000 800000 3000000\n");
	expect_restored(1);
	expect_limits(0, 800000, 3000000);
}

static void no_record_can_be_made(void **state)
{
	(void)state;
	fake_remove(root, "/run");
	struct frequency_hold *const hold = hold_both(1800000, 1800000);
	assert_int_equal(hold->record, -1);
	assert_int_equal(frequency_hold_set(hold, error), 0);
	expect_limits(0, 1800000, 1800000);
	assert_int_equal(frequency_hold_give_back(hold, error), 0);
	expect_limits(0, 800000, 3600000);
	frequency_hold_free(hold);
}

static void what_cannot_be_given_back_is_told_and_stays_recorded(void **state)
{
	(void)state;
	struct frequency_hold *const hold = hold_both(1800000, 1800000);
	assert_int_equal(frequency_hold_set(hold, error), 0);
	/* As when its processor went offline. */
	fake_remove(root, FREQUENCY_FOLDER "/policy0");
	assert_int_equal(frequency_hold_give_back(hold, error), -1);
	assert_non_null(
		strstr(error, "policy0: No such file or directory (scaling_min_freq was 800000, scaling_max_freq 3600000)"));
	expect_limits(1, 800000, 3600000);
	assert_true(is_recorded());
	frequency_hold_free(hold);
	fake_policy(root, 0, "0\n");
	fake_policy_file(root, 0, "scaling_min_freq", "1800000\n");
	fake_policy_file(root, 0, "scaling_max_freq", "1800000\n");
	expect_restored(1);
	expect_limits(0, 800000, 3600000);
}

/* ---- Whatever happens ------------------------------------------------------------------------------------------------- */

#define POLICIES 4

static void write_limit(unsigned policy, const char *name, uint64_t khz)
{
	char text[32];
	snprintf(text, sizeof text, "%llu\n", (unsigned long long)khz);
	fake_policy_file(root, policy, name, text);
}

/* Any policies with any limits are held at any frequencies, by runs that give them back, or are killed, and then by the next one. */
static void limits_are_as_before_whatever_happens(void **state)
{
	(void)state;
	for (unsigned i = 2; i < POLICIES; i++) {
		char processors[8];
		snprintf(processors, sizeof processors, "%u\n", i);
		fake_policy(root, i, processors);
	}
	for (uint64_t seed = 1; seed <= 50; seed++) {
		uint64_t random = seed, low[POLICIES], high[POLICIES];
		for (unsigned i = 0; i < POLICIES; i++) {
			low[i] = 800000 + splitmix_next(&random) % 2800000;
			high[i] = low[i] + splitmix_next(&random) % (3600001 - low[i]);
			write_limit(i, "scaling_min_freq", low[i]);
			write_limit(i, "scaling_max_freq", high[i]);
		}
		const uint64_t bits = splitmix_next(&random);
		struct frequency_hold *hold = frequency_hold_new(root, POLICIES, error);
		assert_non_null(hold);
		for (unsigned i = 0; i < POLICIES; i++)
			if (bits >> i & 1)
				assert_int_equal(
					frequency_hold_add(hold, i, 800000 + splitmix_next(&random) % 2800001, 3600000, error),
					0);
		/* As master and guardian share it; either may be the one who gives back. */
		const pid_t pid = fork();
		if (pid == 0) {
			const bool is_set = frequency_hold_set(hold, error) == 0;
			_exit(is_set && (!(bits & 16) || frequency_hold_give_back(hold, error) == 0) ? 0 : 1);
		}
		int status;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status != 0)
			fail_msg("seed %d: it can not be set, or not given back", (int)seed);
		if (bits & 32)
			assert_int_equal(frequency_hold_give_back(hold, error), 0);
		frequency_hold_free(hold);
		/* The next run. */
		hold = frequency_hold_new(root, POLICIES, error);
		assert_non_null(hold);
		assert_int_equal(frequency_hold_give_back(hold, error), 0);
		frequency_hold_free(hold);
		for (unsigned i = 0; i < POLICIES; i++) {
			uint64_t low_khz = 0, high_khz = 0;
			frequency_policy_limits(root, i, &low_khz, &high_khz);
			if (low_khz != low[i] || high_khz != high[i])
				fail_msg("seed %d: policy%u has %d to %d, and had %d to %d", (int)seed, i, (int)low_khz,
					(int)high_khz, (int)low[i], (int)high[i]);
		}
		assert_false(is_recorded());
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, destroy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_set_is_given_back),
		TEST(nothing_is_given_back_that_was_not_set),
		TEST(a_survivor_gives_back),
		TEST(one_that_dies_while_it_sets_is_followed_by_a_survivor),
		TEST(a_policy_that_refuses_takes_the_others_back),
		TEST(a_policy_that_makes_something_else_of_it_takes_the_others_back),
		TEST(what_cannot_be_set_is_refused_before),
		TEST(one_run_at_a_time),
		TEST(what_a_dead_run_left_is_given_back),
		TEST(what_was_set_since_a_run_died_stays),
		TEST(what_cannot_be_given_back_after_a_dead_run_is_refused),
		TEST(the_record_says_what_is_set),
		TEST(the_record_says_what_is_asked_for),
		TEST(a_link_is_no_record),
		TEST(odd_records),
		TEST(limits_are_as_before_whatever_happens),
		TEST(no_record_can_be_made),
		TEST(what_cannot_be_given_back_is_told_and_stays_recorded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
