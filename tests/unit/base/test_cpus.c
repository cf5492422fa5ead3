/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpus.h"

/* The list as it is printed again. */
static const char *round_trip(const char *text)
{
	static char printed[200000];
	struct sst_cpus *cpus = NULL;
	size_t stop = 9999;
	if (cpus_parse(text, strlen(text), &cpus, &stop) != 0)
		fail_msg("'%s' is refused at %zu: %s", text, stop, strerror(errno));
	assert_int_equal(stop, strlen(text));
	for (size_t i = 1; i < cpus->count; i++)
		assert_true(cpus->cpu[i] > cpus->cpu[i - 1]);
	FILE *to = fmemopen(printed, sizeof printed, "w");
	assert_non_null(to);
	cpus_print(cpus, to);
	fclose(to);
	free(cpus);
	return printed;
}

static void lists_are_sorted_and_each_processor_once(void **state)
{
	(void)state;
	assert_string_equal(round_trip("0"), "0");
	assert_string_equal(round_trip("0-3,8"), "0-3,8");
	assert_string_equal(round_trip("8,0-3"), "0-3,8");
	assert_string_equal(round_trip("3,2,1,0"), "0-3");
	assert_string_equal(round_trip("0-5,3-9,4"), "0-9");
	assert_string_equal(round_trip("7-7"), "7");
	assert_string_equal(round_trip("1,3,5"), "1,3,5");
	assert_string_equal(round_trip("1,2"), "1-2");
	assert_string_equal(round_trip("00,01"), "0-1");
	assert_string_equal(round_trip("0-65535"), "0-65535");
	assert_string_equal(round_trip("65535"), "65535");
}

static void members_are_as_written(void **state)
{
	(void)state;
	struct sst_cpus *cpus = NULL;
	assert_int_equal(cpus_parse("5,0-1", 5, &cpus, NULL), 0);
	assert_int_equal(cpus->count, 3);
	assert_int_equal(cpus->cpu[0], 0);
	assert_int_equal(cpus->cpu[1], 1);
	assert_int_equal(cpus->cpu[2], 5);
	free(cpus);
	/* Not more than the given bytes. */
	assert_int_equal(cpus_parse("12345", 2, &cpus, NULL), 0);
	assert_int_equal(cpus->count, 1);
	assert_int_equal(cpus->cpu[0], 12);
	free(cpus);
}

static void wrong_lists_are_refused_where_they_go_wrong(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int error;
		size_t at;
	} bad[] = {{"", EINVAL, 0}, {",", EINVAL, 0}, {"1,", EINVAL, 2}, {"1,,2", EINVAL, 2}, {"-1", EINVAL, 0},
		{"1-", EINVAL, 2}, {"1-x", EINVAL, 2}, {"1--2", EINVAL, 2}, {"1-2-3", EINVAL, 3}, {"3-1", ERANGE, 2},
		{"65536", ERANGE, 0}, {"0-65536", ERANGE, 2}, {"4294967296", ERANGE, 0}, {"99999999999999999999", ERANGE, 0},
		{" 1", EINVAL, 0}, {"1 ", EINVAL, 1}, {"0x1", EINVAL, 1}, {"all", EINVAL, 0}, {"1;2", EINVAL, 1}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct sst_cpus *cpus = NULL;
		size_t stop = 9999;
		errno = 0;
		const int result = cpus_parse(bad[i].text, strlen(bad[i].text), &cpus, &stop);
		if (result != -1 || errno != bad[i].error || stop != bad[i].at || cpus)
			fail_msg("'%s': result %d, errno %d at %zu, expected %d at %zu", bad[i].text, result, errno, stop,
				bad[i].error, bad[i].at);
		assert_int_equal(cpus_parse(bad[i].text, strlen(bad[i].text), &cpus, NULL), -1);
	}
}

static void lists_are_made_of_any_order(void **state)
{
	(void)state;
	struct sst_cpus *cpus = cpus_make((const unsigned[]){7, 3, 7, 0, 3}, 5);
	assert_non_null(cpus);
	assert_int_equal(cpus->count, 3);
	assert_int_equal(cpus->cpu[0], 0);
	assert_int_equal(cpus->cpu[1], 3);
	assert_int_equal(cpus->cpu[2], 7);
	assert_true(cpus_contain(cpus, 0) && cpus_contain(cpus, 3) && cpus_contain(cpus, 7));
	assert_false(cpus_contain(cpus, 1) || cpus_contain(cpus, 8));
	free(cpus);
	cpus = cpus_make(NULL, 0);
	assert_non_null(cpus);
	assert_int_equal(cpus->count, 0);
	assert_false(cpus_contain(cpus, 0));
	free(cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_sorted_and_each_processor_once),
		cmocka_unit_test(members_are_as_written),
		cmocka_unit_test(lists_are_made_of_any_order),
		cmocka_unit_test(wrong_lists_are_refused_where_they_go_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
